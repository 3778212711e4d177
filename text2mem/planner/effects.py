"""Effects: what a program would do, in the language of the request and without ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

from text2mem.ir.effects import LISTED, UNTOLD, Words, exchange_in_words, fates, named, short
from text2mem.ir.ops import READS, Op
from text2mem.ir.patch import INSTANTS, same
from text2mem.ir.ports import Preview, StoreView
from text2mem.ir.record import TITLE, Record, locked, titled
from text2mem.ir.result import ExecutionResult, Failure, ProgramResult
from text2mem.ir.times.rrule import OF_DAYS, parts_of
from text2mem.ir.values import as_text
from text2mem.messages import complaint, field_name, in_words, message, moment, name_of

LABEL = 70
"""How many characters of a memory's text name it in an option."""
_NAMED = 4
_MOST = 8
"""The most lines of an effect."""
_REMINDER = ("remind_next", "remind_rrule")
_LINEAGE = {"lineage_parents", "lineage_children", "lineage_facets"}
"""Which memories others were made of: nobody is asked about that."""
_BESIDE = UNTOLD | _LINEAGE | {
    "text", "deleted", "archived", "expire_at", "lock_mode", *_REMINDER,
    "expire_action", "remind_until", "remind_tz", "lock_policy", "lock_reason",
    "lock_expires", "demoted_from", "demoted_until", "skip_embedding",
    "retention_policy", "confidence", "supersedes", "source_episode_id",
    "attribute", "valid_from", "valid_to",
}  # fmt: skip
"""Fields that are shown in their own way, or together with another one."""
_WITH = {"weight": "archived", "value": "text", "subject": "attribute"}
"""Fields that are not told if the field that they map to is."""
_OF_TALK = {"type", "source", "facets"}
"""What the program itself writes to the episodes and facts of a conversation."""
_NAMES = frozenset({
    "text", "tags", "time", "subject", "location", "topic", "type", "source", "weight",
    "remind_next", "expire_at", "deleted", "archived", "lock_mode", "demoted_until", "lock_expires",
})  # fmt: skip
"""Fields that have a name in every language."""
_KEPT = {"demoted_from", "lock_policy", "remind_tz"}
"""What the store keeps to carry out an op later."""
_CODES = ("lock_mode", "expire_action", "remind_rrule")
"""Fields whose values are defined by the language."""
Fields = dict[str, tuple[Any, Any]]
"""Fields of one memory, before and after."""


def effect(
    ops: Sequence[Op], preview: Preview, store: StoreView, said: str, tz: tzinfo, beside: str = ""
) -> str:
    """The effects of ops in a dry run, in one line that is shown beside the text ``beside``."""
    if all(op.name in READS for op in ops):
        return message("would-show", said)
    return message("told-next", said).join(effects(preview(ops), store, said, tz, beside))


def effects(
    shown: ProgramResult, store: StoreView, said: str, tz: tzinfo, beside: str = ""
) -> list[str]:
    """The effects that a dry run showed, one a line: texts before and after, what would be gone or
    put away, what would end or remind, with times by the clocks of ``tz``.

    ``said`` is the request, whose language is used. If a single memory's text is ``beside``, it is
    not named again.
    """
    error = shown.error
    if error is not None and error.code == "locked":
        return [message("locked-fast", said, words=error.memory)]
    if error is not None:
        return [message("refused", said, words=complaint(error, said)[0])]
    found = _net(shown)
    held = store.find([*found])
    lines: list[str] = []
    whole: dict[str, list[str]] = {}
    for id_, fields in found.items():
        memory = _Memory(fields, held.get(id_), said, tz)
        text = short(memory.title, LABEL)
        own = text == beside and len(found) == 1
        told = "text" in fields and (len(found) == 1 or not memory.is_new)
        fates, values = [*memory.fates()], [*memory.values()]
        for fate in fates:
            whole.setdefault(fate, []).extend([] if own or not text else [text])
        for each in values if fates or values else memory.rest():
            bare = own or told or not text
            lines.append(each if bare else message("quoted-text", said, text=text, what=each))
    lines = [*(_of_these(fate, texts, said) for fate, texts in whole.items()), *lines]
    lines += [in_words(each, said) for step in shown.results for each in step.warnings]
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
    return {
        id_: {name: pair for name, pair in fields.items() if not same(*pair)}
        for id_, fields in found.items()
    }


def _of_these(fate: str, texts: Sequence[str], said: str) -> str:
    """What would become of some memories, with their texts."""
    if not texts:
        return fate
    each = (short(text, LABEL // min(len(texts), 2)) for text in texts[:_NAMED])
    those = message("told-next", said).join(each)
    if len(texts) > _NAMED:
        those = message("and-more", said, shown=those, count=len(texts) - _NAMED)
    return message("of-these", said, what=fate, texts=those)


class _Memory:
    """One memory, before and after a program."""

    def __init__(self, fields: Fields, held: Record | None, said: str, tz: tzinfo) -> None:
        self._fields = fields
        self._words = InWords(tz, said)
        self._said = said
        self._held = held
        born, gone = (each is None for each in fields.get("created_at", ("", "")))
        self.is_new, self._is_gone = born, gone
        self._is_talk = born and self._state("type")[1] in ("fact", "episode")
        shown = {name: fields[name][born] for name in TITLE if name in fields}
        self.title = titled(**shown) if held is None else held.title

    def fates(self) -> Iterator[str]:
        """What would become of the memory as a whole."""
        if self._is_gone:
            yield self._say("would-erase")
            return
        hidden = {name: self._fields.get(name, (False, False)) for name in ("deleted", "archived")}
        now = [name for name, (_, after) in hidden.items() if after]
        if self.is_new and not now:
            yield self._say("would-keep")
        if "deleted" in now:
            yield self._say("would-delete")
        elif self._state("archived")[1] and ("archived" in now or "demoted_until" in self._fields):
            yield self._until("would-put-away", "demoted_until")
        elif any(before and not after for before, after in hidden.values()):
            yield self._say("would-bring-back")
        before, ends = self._state("expire_at")
        if ends and not self._fields.keys().isdisjoint(("expire_at", "expire_action")):
            then = self._state("expire_action")[1] or "soft_delete"
            yield self._say(f"would-end-{then}", when=self._value("expire_at", ends))
        elif before and not ends:
            yield self._say("would-stay", when=self._value("expire_at", before))
        before, over = self._fields.get("valid_to", (None, None))
        if (over or before) and not self.is_new:
            name = "would-be-past" if over else "would-hold-again"
            yield self._say(name, when=self._value("valid_to", over or before))
        if not self._fields.keys().isdisjoint(("lock_mode", "lock_expires")):
            mode = self._state("lock_mode")[1]
            lock = f"would-lock-{mode}" if mode else "would-unlock"
            yield self._until(lock, "lock_expires") if mode else self._say(lock)

    def _until(self, name: str, field: str) -> str:
        """What would become of the memory, and the instant until when, if there is one."""
        what, until = self._say(name), self._state(field)[1]
        return self._say("until", what=what, when=self._value(field, until)) if until else what

    def values(self) -> Iterator[str]:
        """What would be written to the memory, field by field."""
        if self._is_gone:
            return
        text = self._fields.get("text")
        if text is not None and not self.is_new:
            yield self._named("text", exchange_in_words(*text))
        held, beside = self._fields.keys(), _BESIDE | (_OF_TALK if self._is_talk else set())
        yield from self._told(n for n in held if n not in beside and _WITH.get(n) not in held)
        if not self._fields.keys().isdisjoint(_REMINDER):
            yield self._named("remind_next", self._exchange(self._reminder(0), self._reminder(1)))
        if self._state("demoted_until")[1] and not self._state("archived")[1]:
            yield from self._told(held & {"demoted_until"})

    def rest(self) -> Iterator[str]:
        """The other fields that would change, for a memory of which nothing else is told."""
        return self._told(name for name in self._fields if name not in UNTOLD | _LINEAGE)

    def _told(self, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            was, is_ = (self._value(name, value) for value in self._fields[name])
            yield self._named(name, self._exchange(was, is_))

    def _named(self, name: str, what: str) -> str:
        known = name in _NAMES
        field = message(f"field-{name}", self._said) if known else name.replace("_", " ")
        return message("of-these", self._said, what=field, texts=what)

    def _exchange(self, before: str, after: str) -> str:
        none = message("none", self._said)
        return after if before == none else f"{before} → {after}"

    def _reminder(self, side: int) -> str:
        """When the memory reminds, before (side 0) or after (side 1)."""
        due, rule = (self._state(name)[side] for name in _REMINDER)
        return _reminder(self._value("remind_next", due), rule, self._said)

    def _state(self, name: str) -> tuple[Any, Any]:
        """A field before and after; the stored value for both if it does not change."""
        held = getattr(self._held, name, None)
        return self._fields.get(name, (held, held))

    def _value(self, name: str, value: Any) -> str:
        if value in (None, "", [], {}):
            return message("none", self._said)
        if isinstance(value, list):
            return message("listed", self._said).join(map(as_text, value))
        return short(self._words.value(name, value))

    def _say(self, name: str, **values: object) -> str:
        return message(name, self._said, **values)


def _reminder(when: str, rule: str | None, said: str) -> str:
    """When a reminder rings next, and how often."""
    if not rule or when == message("none", said):
        return when
    parts = parts_of(rule)
    often = parts["FREQ"] if parts.get("INTERVAL", "1") == "1" else ""
    return message(f"repeats-{often}" if often in OF_DAYS else "repeats", said, when=when)


def standing(record: Record, now: datetime, tz: tzinfo) -> list[str]:
    """What is set on a memory: its time, reminder and end, whether it is locked or put away."""
    at = {
        name: moment(held, "", tz)
        for name in ("time", "remind_next", "expire_at")
        if (held := getattr(record, name)) is not None
    }
    if "remind_next" in at:
        at["remind_next"] = _reminder(at["remind_next"], record.remind_rrule, "")
    states = {"lock_mode": locked(record, now), "archived": record.archived}
    return [
        *(f"{message(f'field-{name}', '')} {when}" for name, when in at.items()),
        *(message(f"field-{name}", "") for name, so in states.items() if so),
    ]


class InWords(Words):
    """Results in the language of a request, with instants in a time zone. In English, fields have
    their names in the language of programs."""

    def __init__(self, tz: tzinfo, said: str = "") -> None:
        self._tz = tz
        self._said = said
        self._english = message("none", said) == message("none", "")

    def summary(self, step: ExecutionResult) -> str:
        """One line on what a step did."""
        if self._english:
            return super().summary(step)
        dry = message("dry", self._said) if step.dry_run else ""
        if step.op in READS:
            count, matched = len(step.affected), step.matched
            how = "some" if count < matched else "all" if count else "none"
            return message(f"found-{how}", self._said, count=count, matched=matched) + dry
        parts = [
            message(fate, self._said, ids=self.ids(ids)) for fate, ids in fates(step).items() if ids
        ]
        listed = message("told-next", self._said).join(parts)
        return (listed or message("changed-nothing", self._said)) + dry

    def ids(self, ids: Sequence[str]) -> str:
        """Ids as a list. Of more than ``LISTED`` the first are listed and the others counted."""
        if self._english:
            return named(ids)
        first, more = message("listed", self._said).join(ids[:LISTED]), len(ids) - LISTED
        return message("and-more", self._said, shown=first, count=more) if more > 0 else first

    def refused(self, step: ExecutionResult, error: Failure) -> tuple[str, str]:
        """Why a step was refused, and a hint, which may be empty."""
        if self._english:
            return super().refused(step, error)
        why, hint = complaint(error, self._said)
        return message("refused", self._said, words=why), hint

    def note(self, warning: str) -> str:
        """A warning of the store."""
        return message("note", self._said, words=warning)

    def gone(self, id_: str, text: str) -> str:
        """A memory that was removed."""
        return message("was" if text else "gone", self._said, id=id_, text=text)

    def change(self, id_: str, name: str, what: str) -> str:
        """A field of a memory that was changed."""
        return message("of-these", self._said, what=f"{id_}.{name}", texts=what)

    def more_changes(self, count: int) -> str:
        """How many changes are not listed."""
        return message("more-changes", self._said, count=count)

    def untold(self, name: str) -> bool:
        """Whether a field is not told of, because it has no meaning for people."""
        return super().untold(name) or (not self._english and name in _LINEAGE | _KEPT)

    def row(self, row: Mapping[str, Any]) -> str:
        """A memory with its time and its reminder, which its text may not tell; or a digest."""
        at, rings = (self.value(name, row.get(name)) for name in ("time", "remind_next"))
        told = [at] if row.get("time") else []
        if row.get("remind_next"):
            name = message("field-remind_next", self._said)
            told.append(message("of-these", self._said, what=name, texts=rings))
        return "  ".join((super().row(row), *told))

    def field(self, name: str) -> str:
        """The name of a field of a memory."""
        return field_name(name, self._said)

    def value(self, name: str, value: Any) -> Any:
        """The value of a field."""
        if name in INSTANTS and value is not None:
            at = value if isinstance(value, datetime) else datetime.fromisoformat(value)
            return moment(at, self._said, self._tz)
        if self._english:
            return value
        if isinstance(value, list):
            return message("listed", self._said).join(map(as_text, value)) or self.value(name, None)
        if value is None or isinstance(value, bool):
            return message({None: "none", True: "yes", False: "no"}[value], self._said)
        if name == "remind_rrule" and (rule := parts_of(value)).get("INTERVAL", "1") == "1":
            value = rule["FREQ"]
        return name_of(value, self._said) if name in _CODES else value
