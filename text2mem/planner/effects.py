"""What a program would do, for whoever is asked: in the language of the request, without ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from typing import Any

from text2mem.ir.effects import UNTOLD, exchange_in_words, short
from text2mem.ir.ops import READS, Op
from text2mem.ir.patch import INSTANTS
from text2mem.ir.ports import Preview, StoreView
from text2mem.ir.record import Record
from text2mem.ir.result import ProgramResult
from text2mem.ir.values import as_text
from text2mem.planner.messages import message, moment

LABEL = 70
"""How many characters of a memory an option is named by."""
_NAMED = 4
_MOST = 8
"""How many lines an effect has."""
_REMINDER = ("remind_next", "remind_rrule")
_OF_DAYS = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_BESIDE = UNTOLD | {
    "text", "deleted", "archived", "expire_at", "lock_mode", *_REMINDER,
    "expire_action", "remind_start", "remind_until", "remind_tz", "lock_policy", "lock_reason",
    "lock_expires", "demoted_from", "demoted_until", "lineage_parents", "lineage_children",
    "lineage_facets", "skip_embedding", "retention_policy", "confidence", "supersedes",
    "source_episode_id",
}  # fmt: skip
"""Fields that are told of in their own way, or go with another one."""
_NAMES = frozenset({"text", "tags", "time", "subject", "location", "topic", "type", "source",
                    "weight"})  # fmt: skip
"""Fields that have a name in every language."""
Fields = dict[str, tuple[Any, Any]]
"""Fields of one memory, before and after."""


def effect(
    ops: Sequence[Op], preview: Preview, store: StoreView, said: str, tz: tzinfo, named: str = ""
) -> str:
    """What ops would do, by their dry run, in one line; ``named`` is a text that is shown beside
    it."""
    if all(op.name in READS for op in ops):
        return message("would-show", said)
    return message("told-next", said).join(effects(preview(ops), store, said, tz, named))


def effects(
    shown: ProgramResult, store: StoreView, said: str, tz: tzinfo, named: str = ""
) -> list[str]:
    """What a dry run showed, a line each: texts before and after, what would be gone or put away,
    what would end or remind, and when by the clocks of ``tz``.

    ``said`` is the request, in whose language it is told. A memory whose text is ``named`` already
    is not named again.
    """
    if shown.error is not None:
        return [message("refused", said, words=shown.error.message)]
    found = _net(shown)
    held = store.find([*found])
    lines: list[str] = []
    fates: dict[str, list[str]] = {}
    for id_, fields in found.items():
        told = _Told(fields, held.get(id_), said, tz)
        text = short(told.text, LABEL)
        own = text == named and len(found) == 1
        for fate in told.fates():
            fates.setdefault(fate, []).extend([] if own or not text else [text])
        for each in told.values():
            bare = own or "text" in fields or not text
            lines.append(each if bare else message("quoted-text", said, text=text, what=each))
    lines = [*(_of_these(fate, texts, said) for fate, texts in fates.items()), *lines]
    lines += [each for step in shown.results for each in step.warnings]
    if len(lines) > _MOST:
        last = message("and-more", said, shown=lines[_MOST - 1], count=len(lines) - _MOST)
        lines = [*lines[: _MOST - 1], last]
    return lines or [message("would-change-nothing", said)]


def _net(shown: ProgramResult) -> dict[str, Fields]:
    """What all steps together change, by memory."""
    found: dict[str, Fields] = {}
    for step in shown.results:
        for change in step.changes:
            fields = found.setdefault(change.id, {})
            before, _ = fields.get(change.field, (change.before, None))
            fields[change.field] = before, change.after
    return found


def _of_these(fate: str, texts: Sequence[str], said: str) -> str:
    """A fate with those whose it is."""
    if not texts:
        return fate
    named = "; ".join(short(text, LABEL // min(len(texts), 2)) for text in texts[:_NAMED])
    if len(texts) > _NAMED:
        named = message("and-more", said, shown=named, count=len(texts) - _NAMED)
    return message("of-these", said, what=fate, texts=named)


class _Told:
    """One memory, before and after."""

    def __init__(self, fields: Fields, held: Record | None, said: str, tz: tzinfo) -> None:
        self._fields = fields
        self._said = said
        self._tz = tz
        self._held = held
        born, gone = (each is None for each in fields.get("created_at", ("", "")))
        self._is_new, self._is_gone = born, gone
        texts = fields.get("text", ("", ""))
        self.text = texts[1] if born else held.text if held is not None else texts[0]

    def fates(self) -> Iterator[str]:
        """What would become of it as a whole."""
        if self._is_new or self._is_gone:
            yield self._say("would-keep" if self._is_new else "would-erase")
        if self._is_gone:
            return
        hidden = {name: self._fields.get(name, (False, False)) for name in ("deleted", "archived")}
        now = [name for name, (_, after) in hidden.items() if after]
        back = [name for name, (before, after) in hidden.items() if before and not after]
        if now:
            yield self._say("would-delete" if "deleted" in now else "would-put-away")
        elif back:
            yield self._say("would-bring-back")
        before, ends = self._fields.get("expire_at", (None, None))
        if ends:
            then = self._state("expire_action")[1] or "soft_delete"
            yield self._say(f"would-end-{then}", when=self._value("expire_at", ends))
        elif before:
            yield self._say("would-stay", when=self._value("expire_at", before))
        was, is_ = self._fields.get("lock_mode", (None, None))
        if was != is_ and (was is None or is_ is None):
            yield self._say("would-lock" if is_ else "would-unlock")

    def values(self) -> Iterator[str]:
        """What would be written in it, field by field."""
        if self._is_gone:
            return
        text = self._fields.get("text")
        if text is not None and not self._is_new:
            yield self._named("text", exchange_in_words(*text))
        for name, (before, after) in self._fields.items():
            told = {"weight": "archived", "value": "text"}.get(name) in self._fields
            if name not in _BESIDE and not told:
                was, is_ = self._value(name, before), self._value(name, after)
                yield self._named(name, self._exchange(was, is_))
        if not self._fields.keys().isdisjoint(_REMINDER):
            yield self._named("remind", self._exchange(self._reminder(0), self._reminder(1)))

    def _named(self, name: str, what: str) -> str:
        known = name in _NAMES or name == "remind"
        field = message(f"field-{name}", self._said) if known else name.replace("_", " ")
        return message("of-these", self._said, what=field, texts=what)

    def _exchange(self, before: str, after: str) -> str:
        none = message("none", self._said)
        return after if before == none else f"{before} → {after}"

    def _reminder(self, side: int) -> str:
        """When it reminds, before (0) or after (1)."""
        due, rule = (self._state(name)[side] for name in _REMINDER)
        if not due:
            return message("none", self._said)
        when = self._value("remind_next", due)
        if not rule:
            return when
        parts = dict(part.split("=", 1) for part in rule.split(";"))
        plain = parts.get("INTERVAL", "1") == "1"
        every = parts["FREQ"] if plain and parts["FREQ"] in _OF_DAYS else ""
        return self._say(f"repeats-{every}" if every else "repeats", when=when)

    def _state(self, name: str) -> tuple[Any, Any]:
        """A field before and after; one that stays is as it is held."""
        held = getattr(self._held, name, None)
        return self._fields.get(name, (held, held))

    def _value(self, name: str, value: Any) -> str:
        if value in (None, "", [], {}):
            return message("none", self._said)
        if name in INSTANTS:
            at = value if isinstance(value, datetime) else datetime.fromisoformat(value)
            return moment(at, self._said, self._tz)
        if isinstance(value, list):
            return ", ".join(map(as_text, value))
        return short(value)

    def _say(self, name: str, **values: object) -> str:
        return message(name, self._said, **values)
