"""Slots: the few fields of each op that a small model is asked for, in words of its own.

A slot says where its value goes in the surface form; its schema is that of the place it goes to,
narrowed so that a small model cannot run away. What code can tell from the utterance (whether it
names ids, a tag, an age) decides which slots are offered, and nothing derivable is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from text2mem.ir.ops import READS

Raw = dict[str, Any]
_MEMORY = r"(?:\b(?:memor(?:y|ies)|notes?|entr(?:y|ies)|records?|ids?)|记忆|笔记|条目|编号|第)"
_PERIOD = (
    r"(?:minutes?|hours?|days?|weeks?|months?|years?)\b|"
    r"分钟|小时|天|日|周|星期|月|年|季|个(?:月|小时|星期)"
)
_IDS = re.compile(
    rf"{_MEMORY}(?:\s*#|\s+(?:number|no\.))?\s*\d++(?![\s-]*(?:{_PERIOD}))|#\d+|"
    r"\d\s*号(?:记忆|笔记|条目|记录)",
    re.IGNORECASE,
)
_TAGS = re.compile(r"\b(?:tagged|labell?ed|tags?|labels?)\b|标签|标记为", re.IGNORECASE)
_AGE = re.compile(r"older than|\bbefore\b|more than .* (?:old|ago)|以前|之前|早于", re.IGNORECASE)
_REMOVE = re.compile(
    r"\b(?:remove|drop|delete|take off|untag|clear)\b|去掉|移除|删除|取消", re.IGNORECASE
)
_REMIND = re.compile(
    r"\bremind(?:s|er|ers|ing)?\b|\bevery\s+(?:other\s+|\d+\s+|single\s+)?(?:hour|day|night|week|"
    r"month|quarter|year|morning|noon|afternoon|evening|mon|tues|wednes|thurs|fri|satur|sun)|"
    r"提醒|每(?:隔|天|日|周|星期|礼拜|个?月|年|季|早|晚|个?小时|\d)",
    re.IGNORECASE,
)
_TOP = re.compile(r"\b(?:top|highest|urgent|critical)\b|最高|最优先|紧急|首要", re.IGNORECASE)
_UNLOCK = re.compile(
    r"\bunlock|\b(?:remove|lift|release|drop) the (?:lock|protection)\b|解锁|"
    r"(?:解除|取消|去掉)(?:锁定|保护)",
    re.IGNORECASE,
)
_DAY = "(MO|TU|WE|TH|FR|SA|SU)"
_RRULE = (
    "^FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY)(;INTERVAL=[1-9][0-9]?)?"
    f"(;BYDAY={_DAY}(,{_DAY}){{0,6}})?(;BYHOUR=([0-9]|1[0-9]|2[0-3]))?$"
)
"""The rules that people ask for; a small model does not know the rest of RFC 5545."""
WRITE_LIMIT = 10
"""How many hits a planned write takes from a search, where the utterance does not say."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One field that is asked for.

    ``path`` addresses the place in the surface form that lends its schema; ``schema`` narrows it.
    """

    key: str
    path: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Form:
    """The slots of one op for one utterance, as alternatives; ``build`` makes the instance."""

    alternatives: tuple[tuple[Slot, ...], ...]
    build: Callable[[Raw], list[Raw]]

    def blamed(self, pointer: str) -> list[str]:
        """The slots that a diagnostic is about, by its pointer into the instance."""
        paths = {slot.key: f"/{slot.path}" for slots in self.alternatives for slot in slots}
        pointer = _ALSO.get(pointer, pointer)
        return [
            key
            for key, path in paths.items()
            if pointer.startswith(path) or path.startswith(f"{pointer}/")
        ]

    def narrowed(self, codes: Mapping[str, str]) -> Form:
        """The form with the slots that earned a diagnostic (key to code) held to a stricter one."""
        return replace(
            self,
            alternatives=tuple(
                tuple(
                    replace(slot, schema=_STRICTER.get(codes.get(slot.key, ""), slot.schema))
                    for slot in slots
                )
                for slots in self.alternatives
            ),
        )

    def limited(self, tags: Sequence[str]) -> Form:
        """The form whose target can name only these tags; any tag where there are none."""
        if not tags:
            return self
        known = replace(TAGS, schema={**TAGS.schema, "items": {"enum": list(tags)}})
        return replace(
            self,
            alternatives=tuple(
                tuple(known if slot == TAGS else slot for slot in slots)
                for slots in self.alternatives
            ),
        )

    @property
    def asks(self) -> bool:
        """Whether there is anything to ask for."""
        return any(self.alternatives)

    @property
    def names_tags(self) -> bool:
        """Whether the model has to know the store's tags to fill it."""
        return any(slot.key == TAGS.key for slots in self.alternatives for slot in slots[:1])


_ALSO = {"/args/ttl": "/args/until", "/args/primary_id": "/target/ids"}
"""Places that ``build`` fills from the slot of another one: a diagnostic there is about it."""
_STRICTER: Mapping[str, Mapping[str, Any]] = {
    "unreadable-time": {"pattern": "^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"},
    "unreadable-duration": {"pattern": "^P[1-9][0-9]{0,2}[DWMY]$"},
}
"""What a slot is held to once its words could not be read: an ISO 8601 date, or duration."""
_SHORT = {"maxLength": 80}
_WORDS = {"maxLength": 400}
ABOUT = Slot("about", "target/search/intent/query", _SHORT)
IDS = Slot("ids", "target/ids", {"maxItems": 20})
TAGS = Slot("tags", "target/filter/has_tags", {"maxItems": 4})


def form(op: str, utterance: str, known_tags: tuple[str, ...] = ()) -> Form:
    """What to ask a small model about ``op`` in ``utterance``; ``known_tags`` are the store's."""
    own = _OWN[op](utterance)
    if op == "Encode":
        return Form((own,), lambda raw: [_encode(raw)])
    target = _target(op, utterance)
    return Form(((target, *own),), lambda raw: _instance(op, raw, utterance)).limited(known_tags)


def _target(op: str, utterance: str) -> Slot:
    if _IDS.search(utterance):
        return IDS
    return ABOUT if op == "Label" or not _TAGS.search(utterance) else TAGS


def _label_slots(utterance: str) -> tuple[Slot, ...]:
    key = "remove" if _REMOVE.search(utterance) else "add"
    return (Slot(key, "args/tags", {"minItems": 1, "maxItems": 4}),)


def _promote_slots(utterance: str) -> tuple[Slot, ...]:
    if _REMIND.search(utterance):
        return (Slot("rrule", "args/remind/rrule", {"pattern": _RRULE}),)
    levels = ["urgent"] if _TOP.search(utterance) else ["high", "urgent"]
    return (Slot("priority", "args/priority", {"enum": levels}),)


def _delete_slots(utterance: str) -> tuple[Slot, ...]:
    return (Slot("older_than", "args/older_than", _SHORT),) if _AGE.search(utterance) else ()


def _lock_slots(utterance: str) -> tuple[Slot, ...]:
    modes = ["none"] if _UNLOCK.search(utterance) else ["read_only", "append_only"]
    return (Slot("mode", "args/mode", {"enum": modes}),)


_OWN: dict[str, Callable[[str], tuple[Slot, ...]]] = {
    "Encode": lambda _: (
        Slot("text", "args/payload/text", _WORDS),
        Slot("tags", "args/tags", {"minItems": 1, "maxItems": 3, "items": {"maxLength": 30}}),
    ),
    "Update": lambda _: (Slot("text", "args/set/text", _WORDS),),
    "Label": _label_slots,
    "Promote": _promote_slots,
    "Demote": lambda _: (Slot("how", "args/priority", {"enum": ["archive", "lower"]}),),
    "Merge": lambda _: (),
    "Split": lambda _: (
        Slot("into", "args/strategy", {"enum": ["sentences", "chunks", "topics"]}),
    ),
    "Delete": _delete_slots,
    "Lock": _lock_slots,
    "Expire": lambda _: (Slot("when", "args/until", _SHORT),),
    "Retrieve": lambda _: (),
    "Summarize": lambda _: (),
}


# --- from slots to instances ---------------------------------------------------------------


def _encode(raw: Raw) -> Raw:
    return {"op": "Encode", "args": {"payload": {"text": raw["text"]}, "tags": raw["tags"]}}


def target_of(raw: Raw, *, limit: int | None) -> Raw:
    """The selector that the answer to a target slot makes."""
    if "ids" in raw:
        return {"ids": raw["ids"]}
    if "tags" in raw:
        return {"filter": {"has_tags": raw["tags"]}}
    search: Raw = {"intent": {"query": raw["about"]}}
    if limit is not None:
        search["limit"] = limit
    return {"search": search}


def args_of(op: str, raw: Raw, utterance: str) -> Raw:
    """The args that the answers to an op's other slots make."""
    return _ARGS[op](raw, utterance) if op in _ARGS else {}


def _instance(op: str, raw: Raw, utterance: str) -> list[Raw]:
    limit = None if op in READS else WRITE_LIMIT
    return instances_of(op, target_of(raw, limit=limit), args_of(op, raw, utterance))


def instances_of(op: str, target: Raw, args: Raw) -> list[Raw]:
    """An op on what a target selects.

    A Merge by ids has the first as its primary; what it names otherwise is found first, and the
    best hit leads.
    """
    if op != "Merge":
        return [{"op": op, "target": target, **({"args": args} if args else {})}]
    if "ids" in target and target["ids"] != ["$-1"]:
        return [{"op": op, "target": target, "args": {"primary_id": target["ids"][0], **args}}]
    return [
        {"op": "Retrieve", "target": target},
        {"op": op, "target": {"ids": ["$-1"]}, "args": {"primary_id": "$-1", **args}},
    ]


def _label(raw: Raw, _: str) -> Raw:
    if "remove" in raw:
        return {"tags": raw["remove"], "mode": "remove"}
    return {"tags": raw["add"], "mode": "add"}


def _promote(raw: Raw, _: str) -> Raw:
    if "rrule" in raw:
        return {"remind": {"rrule": raw["rrule"]}}
    return {"priority": raw["priority"]}


def _demote(raw: Raw, _: str) -> Raw:
    return {"archive": True} if raw["how"] == "archive" else {"priority": "low"}


def _split(raw: Raw, utterance: str) -> Raw:
    if raw["into"] == "topics":
        return {"strategy": "custom", "params": {"instruction": utterance}}
    return {"strategy": f"by_{raw['into']}"}


def _expire(raw: Raw, _: str) -> Raw:
    from text2mem.ir.temporal import UnreadableTime, read_duration

    try:
        read_duration(raw["when"])
    except UnreadableTime:
        return {"until": raw["when"]}
    return {"ttl": raw["when"]}


_ARGS: dict[str, Callable[[Raw, str], Raw]] = {
    "Update": lambda raw, _: {"set": {"text": raw["text"]}},
    "Label": _label,
    "Promote": _promote,
    "Demote": _demote,
    "Merge": lambda _, __: {"strategy": "merge_into_primary"},
    "Split": _split,
    "Delete": lambda raw, _: {"older_than": raw["older_than"]} if "older_than" in raw else {},
    "Lock": lambda raw, _: {"mode": raw["mode"]},
    "Expire": _expire,
}
