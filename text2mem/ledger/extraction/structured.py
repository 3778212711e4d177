"""Structured messages, read field by field: results of tools, and events.

One field names the subject; fields that are declared or in use, and a few that are always
attributes, are its facts. Listings and free text yield nothing.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from text2mem.ir.times.written_dates import read_date
from text2mem.ir.words.naming import name_key
from text2mem.ir.words.segment import CJK
from text2mem.ledger.candidate import Candidate, Reading
from text2mem.ledger.episode import Episode
from text2mem.ledger.known import Known

_LONGEST, _WORDS, _CHARACTERS = 120, 8, 16
"""Of a value: in all, in words, and of Chinese without a break."""
_RUN = re.compile(f"[{CJK}]+")


@cache
def _fields() -> dict[str, tuple[str, ...]]:
    """The names of fields that are known, by what they are for."""
    text = Path(__file__).with_name("fields.toml").read_text(encoding="utf-8")
    return {kind: tuple(map(name_key, names)) for kind, names in tomllib.loads(text).items()}


def read(episode: Episode, known: Known) -> Reading:
    """The facts that the fields of a message hold."""
    said = episode.message.structured or {}
    found = _subject(said)
    if found is None:  # "data": {"incident": …}: what is named within
        for key, inner in said.items():
            nested = isinstance(inner, Mapping) and name_key(str(key)) in _fields()["nested"]
            if nested and (found := _subject(inner)):
                said = {**{k: v for k, v in said.items() if k != key}, **inner}
                break
    if found is None:
        return Reading(nothing="transient")
    candidates = tuple(_Message(episode, known, _changed(said), *found).candidates())
    return Reading(candidates=candidates, nothing=None if candidates else "transient")


def _subject(said: Mapping[str, Any]) -> tuple[str, str] | None:
    """The field that names what a message is about, and the name."""
    keys = {name_key(str(key)): str(key) for key in said}
    for each in _fields()["subjects"]:
        key = keys.get(each) or keys.get(f"{each}_id") or keys.get(f"{each}_name")
        if key is None:
            continue
        value = said[key]
        if isinstance(value, Mapping):
            value = next((value[k] for k in _fields()["named"] if value.get(k)), None)
        if isinstance(value, int) and not isinstance(value, bool):
            value = f"{each} {value}"
        if isinstance(value, str) and 0 < len(value.strip()) <= 80 and "\n" not in value:
            return key, value.strip()
    return _by_event(said)


_NAMES_KIND = ("event", "type", "kind", "topic")


def _by_event(said: Mapping[str, Any]) -> tuple[str, str] | None:
    """The subject by the kind of event, "ride.assigned", else the first identifier or name."""
    named = (v for k, v in said.items() if name_key(str(k)) in _NAMES_KIND)
    kind = next((v for v in named if isinstance(v, str)), "")
    noun = name_key(re.split(r"[._:/\s-]", kind)[0]) if kind else ""
    for key, value in said.items():
        name = name_key(str(key))
        if name in _fields()["ids"] or isinstance(value, bool) or not isinstance(value, str | int):
            continue
        if name == noun or (name.endswith(("_id", "_name", "_number")) and len(name) > 5):
            bare = isinstance(value, int) or value.strip().isdigit()
            text = f"{re.sub('_(?:id|number)$', '', name)} {value}" if bare else value
            if 0 < len(str(text).strip()) <= 80 and "\n" not in str(text):
                return str(key), str(text).strip()
    return None


def _changed(said: Mapping[str, Any]) -> Mapping[str, Any]:
    """A change told as a field and its new value, "field": "plan", "to": "Pro", as that field."""
    names = {name_key(str(key)): str(key) for key in said}
    field = next((said[names[f]] for f in _fields()["field"] if f in names), None)
    new = next((names[t] for t in _fields()["to"] if t in names), None)
    if not isinstance(field, str) or new is None or isinstance(said[new], Mapping | list):
        return said
    told = (*_fields()["field"], *_fields()["to"], *_fields()["was"])
    dropped = {names[each] for each in told if each in names}
    return {**{k: v for k, v in said.items() if k not in dropped}, field: said[new]}


def _is_value(value: Any) -> bool:
    """Whether a field holds one plain value: a sentence in a field is no value of it."""
    if not isinstance(value, str):
        return isinstance(value, int | float)
    runs = map(len, _RUN.findall(value))
    short = len(value) <= _LONGEST and len(value.split()) <= _WORDS
    return (
        bool(value.strip()) and "\n" not in value and short and max(runs, default=0) <= _CHARACTERS
    )


class _Message:
    """A structured message about one subject, which the field ``key`` names."""

    def __init__(
        self, episode: Episode, known: Known, said: Mapping[str, Any], key: str, name: str
    ) -> None:
        self._episode = episode
        self._known = known
        self._said = said
        self._key = key
        self._subject = name_key(name)
        self._project = name_key(key) in _fields()["projects"]
        held = {r.attribute for r in known.facts(subject=self._subject) if r.attribute}
        self._used = {name_key(name) for name in (*held, *known.attributes())}
        since = _fields()["since"] + (_fields()["day"] if episode.role == "event" else ())
        self._begins, self._ends = self._instant(since), self._instant(_fields()["until"])

    def candidates(self) -> Iterator[Candidate]:
        """One for each value of a field that is an attribute."""
        for field, value in self._said.items():
            if field != self._key:
                yield from self._of(field, value)
            elif isinstance(value, Mapping):
                for name, held in value.items():
                    if name_key(str(name)) not in _fields()["named"]:
                        yield from self._of(name, held)

    def _of(self, field: str, value: Any) -> Iterator[Candidate]:
        name = name_key(str(field))
        if any(name in _fields()[of] for of in ("since", "until", "day")):
            return
        attribute = self._is_attribute(name)
        if isinstance(value, Mapping):
            if attribute or name in _fields()["nested"]:
                for inner, held in value.items():
                    yield from self._of(inner, held)
        elif attribute:
            known = self._known.registry.attribute(str(field))
            several = value if isinstance(value, list) else [value]
            if several is not value or known.cardinality == "many":
                yield from (self._stated(field, known.name, v) for v in several if _is_value(v))

    def _stated(self, field: str, attribute: str, value: Any) -> Candidate:
        name = json.dumps(str(field), ensure_ascii=False)
        quoted = f"{name}: {json.dumps(value, ensure_ascii=False)}"
        start = max(self._episode.text.find(quoted), 0)
        return Candidate(
            subject=self._subject, attribute=attribute, value=value, type=self._type(attribute),
            valid_from=self._begins, valid_to=self._ends, confidence=0.95,
            quote=(start, start + len(quoted)),
        )  # fmt: skip

    def _is_attribute(self, name: str) -> bool:
        if name in _fields()["never"] and name not in self._used:
            return False
        return (
            name in _fields()["always"]
            or name in self._used
            or name.endswith(_fields()["suffixes"])
            or name in _fields()["dates"]
            or self._known.registry.attribute(name).declared
        )

    def _type(self, attribute: str) -> str:
        name = name_key(attribute)
        if name in _fields()["task"] and not self._project:
            return "task"
        if name in _fields()["contact"] or name.endswith(("_email", "_phone", "_address")):
            return "contact"
        if name in _fields()["profile"]:
            return "profile"
        return "project" if self._project else "fact"

    def _instant(self, names: tuple[str, ...]) -> datetime | None:
        """The instant of the first of these fields that holds one; a day is its first second."""
        fields = {name_key(str(key)): value for key, value in self._said.items()}
        for name in names:
            value = fields.get(name)
            if not isinstance(value, str):
                continue
            try:
                at = datetime.fromisoformat(value.strip())
            except ValueError:
                day = read_date(value)
                if day is None:
                    continue
                at = datetime(day.year, day.month, day.day)
            at = at if at.tzinfo else at.replace(tzinfo=self._episode.tz)
            with suppress(OverflowError):  # the year 1 or 9999 says that there is none
                return at.astimezone(UTC).replace(microsecond=0)
        return None
