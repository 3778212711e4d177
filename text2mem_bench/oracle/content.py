"""Contents in the plain store: what a payload holds, as text, and whether it is a fact."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from text2mem.adapters.base import Env
from text2mem.ir.ops import Content

CONTENT = ("text", "url", "structured")


def text_of(kind: str, value: Any, env: Env) -> str:
    """The text of a content: itself, what is behind a url if anything, else the rendering."""
    fetched = env.services.fetch(value) if kind == "url" else None
    return fetched or render(kind, value)


def render(kind: str, value: Any) -> str:
    """The text of a content: itself, the url, or a line "key: value" for each key."""
    if kind != "structured":
        return str(value)
    return "\n".join(f"{key}: {_shown(each)}" for key, each in value.items())


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def other_keys(payload: Mapping[str, Any]) -> dict[str, Any]:
    """What a payload holds beside the content itself."""
    return {key: value for key, value in payload.items() if key not in CONTENT}


def fact_in(content: Content) -> Mapping[str, Any] | None:
    """The structured payload where it has subject, attribute and value, else None."""
    value = content.value
    if content.kind != "structured" or not isinstance(value, Mapping) or "value" not in value:
        return None
    named = [value.get("subject"), value.get("attribute")]
    return value if all(isinstance(name, str) and name for name in named) else None
