"""The state of a memory after the edits of an Update."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from text2mem.adapters.base import Env
from text2mem.adapters.sql.verbs import reminder, waking
from text2mem.ir.ops import CONTENTS, Attributes, Content, Edits, beside_content
from text2mem.ir.record import DEFAULT_WEIGHT, Record, lasting, passed

_ATTRIBUTES = (*Attributes.__annotations__, "skip_embedding")


def text_of(content: Content, env: Env) -> str:
    """The text of a content; for a url, the text of the page if it can be fetched."""
    text = content.text
    return (env.services.fetch(text) or text) if content.kind == "url" else text


def edited(row: Record, edits: Edits, env: Env) -> Record:
    """The memory with the fields of the edits set, except a fact's ``value``."""
    fields: dict[str, Any] = {key: edits[key] for key in _ATTRIBUTES if key in edits}  # type: ignore[literal-required]
    for kind in CONTENTS:
        if kind in edits:
            value = edits[kind]
            fields["payload"] = {kind: value, **beside_content(row.payload)}
            fields["text"] = text_of(Content(kind, value), env)
    if "weight" in edits:
        fields.update(weight=edits["weight"], **lasting(row, ("weight",)))
    if "ttl" in edits:
        fields.update(expire_at=edits["ttl"].after(env.now), expire_action="soft_delete")
    if "expire_at" in edits:
        horizon = edits["expire_at"]
        action = None if horizon is None else row.expire_action or "soft_delete"
        fields.update(expire_at=horizon, expire_action=action)
    if "remind" in edits:
        fields.update(reminder(edits["remind"], env))
    if "deleted" in edits:
        fields["deleted"] = False
        if passed(row, env.now) and not {"ttl", "expire_at"} & edits.keys():
            fields.update(expire_at=None, expire_action=None)
    if "archived" in edits:
        fields["archived"] = False
        if "archived" in row.demoted_from:
            # A temporary demotion ends early, so the weight comes back, too.
            fields = {**waking(row), **fields, "demoted_until": None, "demoted_from": {}}
        elif row.weight == 0 and "weight" not in edits:
            fields["weight"] = DEFAULT_WEIGHT
    return replace(row, **fields)
