"""The seed programs: one legal instance each, and where it may be perturbed.

A seed's holes are always filled anew and have to be said; of its optional ones at most one is, at
the end of the sentence. What a seed is about (``target``) is drawn over the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Aim = Literal[
    "nothing", "many", "topic", "one", "report", "pair", "group", "latest", "search", "archived"
]


@dataclass(frozen=True, slots=True)
class Seed:
    """A seed program. ``holes`` are JSON Pointers into it by the kind of value they take.

    ``setup`` is what has to have happened to the target's memories before. ``include`` is what the
    filter has to see besides the active ones. ``wording`` names its templates where they are those
    of several seeds.
    """

    op: str
    args: Mapping[str, Any] = field(default_factory=dict)
    target: Aim = "many"
    holes: Mapping[str, str] = field(default_factory=dict)
    optional: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    setup: Mapping[str, Any] | None = None
    include: str = ""
    wording: str = ""
    share: int = 1
    """How often it is drawn beside the other seeds of its op."""


_TEXT = "/args/payload/text"
_UNTIL = {"until": ("/args/policy/expires", "end")}
_REVIEWER = {"reviewer": ("/args/policy/reviewers", "reviewer")}
_END = {"end": ("/args/on_expire", "on_expire")}


def _before(op: str, **args: Any) -> dict[str, Any]:
    return {"op": op, "args": args}


SEEDS: Mapping[str, Seed] = {
    "encode.note": Seed(
        "Encode", {"payload": {"text": ""}}, "nothing", {_TEXT: "fresh"},
        {"tags": ("/args/tags", "new_tags"), "type": ("/args/type", "type"),
         "expire": ("/args/expire_at", "end")},
        share=2,
    ),
    "encode.dated": Seed(
        "Encode", {"payload": {"text": ""}}, "nothing",
        {_TEXT: "past", "/args/time": "past_day"},
    ),
    "encode.placed": Seed(
        "Encode", {"payload": {"text": ""}}, "nothing", {_TEXT: "fresh", "/args/location": "place"},
    ),
    "encode.fact": Seed("Encode", {"payload": {}}, "nothing", {"/args/payload/structured": "fact"}),
    "update.text": Seed("Update", {"set": {}}, "one", {"/args/set/text": "changed"}, share=3),
    "update.time": Seed("Update", {"set": {}}, "one", {"/args/set/time": "past_day"}),
    "update.place": Seed("Update", {"set": {}}, "one", {"/args/set/location": "place"}),
    "update.restore": Seed(
        "Update", {"set": {"deleted": False}}, "topic", setup=_before("Delete", soft=True),
        include="deleted",
    ),
    "update.unarchive": Seed(
        "Update", {"set": {"archived": False}}, "topic", setup=_before("Demote", archive=True),
        include="archived",
    ),
    "update.keep": Seed(
        "Update", {"set": {"expire_at": None}}, "topic", setup=_before("Expire", ttl="P2W"),
    ),
    "update.silence": Seed(
        "Update", {"set": {"remind": None}}, "topic",
        setup=_before("Promote", remind={"rrule": "FREQ=DAILY;BYHOUR=8;BYMINUTE=0"}),
    ),
    "label.add": Seed("Label", {"mode": "add"}, holes={"/args/tags": "new_tags"}, share=2),
    "label.remove": Seed("Label", {"mode": "remove"}, holes={"/args/tags": "held_tag"}),
    "label.replace": Seed("Label", {"mode": "replace"}, holes={"/args/tags": "new_tags"}),
    "label.status": Seed(
        "Label", {"facets": {}, "mode": "add"}, holes={"/args/facets/status": "status"}
    ),
    "promote.priority": Seed("Promote", holes={"/args/priority": "raised"}),
    "promote.delta": Seed("Promote", holes={"/args/weight_delta": "up"}),
    "promote.remind": Seed(
        "Promote", {"remind": {}}, holes={"/args/remind/rrule": "rule"},
        optional={"until": ("/args/remind/until", "far_end")},
    ),
    "demote.archive": Seed("Demote", {"archive": True}),
    "demote.priority": Seed("Demote", holes={"/args/priority": "lowered"}),
    "demote.delta": Seed("Demote", holes={"/args/weight_delta": "down"}),
    "merge.pair": Seed(
        "Merge", {"strategy": "merge_into_primary"}, "pair",
        optional={"keep": ("/args/soft_delete_children", "keep_others")}, share=3,
    ),
    "merge.topic": Seed(
        "Merge", {"strategy": "merge_into_primary"}, "group",
        optional={"keep": ("/args/soft_delete_children", "keep_others")},
    ),
    "merge.found": Seed("Merge", {"strategy": "merge_into_primary"}),
    "split": Seed(
        "Split", target="report", holes={"/args": "pieces"},
        optional={"keep": ("/args/keep_parent", "keep_parts")},
    ),
    "delete.soft": Seed("Delete", {"soft": True}, share=2),
    "delete.hard": Seed("Delete", {"soft": False}),
    "delete.old": Seed("Delete", {"soft": True}, holes={"/args/older_than": "age"}),
    "lock.closed": Seed("Lock", {"mode": "read_only"}, optional=_UNTIL | _REVIEWER, share=2),
    "lock.append": Seed("Lock", {"mode": "append_only"}, optional=_UNTIL | _REVIEWER),
    "lock.open": Seed(
        "Lock", {"mode": "none"}, "topic", setup=_before("Lock", mode="read_only"),
    ),
    "expire.ttl": Seed(
        "Expire", {"on_expire": "soft_delete"}, holes={"/args/ttl": "span"}, optional=_END,
    ),
    "expire.until": Seed(
        "Expire", {"on_expire": "soft_delete"}, holes={"/args/until": "end"}, optional=_END,
    ),
    "retrieve.filter": Seed(
        "Retrieve", optional={"fields": ("/args/include", "fields")}, share=4,
    ),
    "retrieve.search": Seed(
        "Retrieve", target="search", optional={"k": ("/target/search/overrides/k", "k")},
        share=2,
    ),
    "retrieve.latest": Seed("Retrieve", target="latest"),
    "retrieve.archived": Seed("Retrieve", {"include_archived": True}, "archived"),
    "summarize": Seed(
        "Summarize",
        optional={"focus": ("/args/focus", "focus"), "length": ("/args/max_tokens", "tokens")},
    ),
}  # fmt: skip

BY_OP: Mapping[str, tuple[str, ...]] = {
    op: tuple(name for name, seed in SEEDS.items() if seed.op == op and name != "merge.found")
    for op in dict.fromkeys(seed.op for seed in SEEDS.values())
}
"""The seeds of each op that stand alone."""
