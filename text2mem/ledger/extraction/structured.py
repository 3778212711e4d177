"""Read structured messages (results of tools, and events) field by field.

One field names the subject; without any, nothing is read. Facts are read from the fields whose
names are attributes, declared or in use, or listed in ``fields.toml``, but for free text.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

from text2mem.ir.times.written_dates import read_date
from text2mem.ir.words.naming import name_key
from text2mem.ir.words.segment import CJK
from text2mem.ledger.candidate import Candidate, Reading
from text2mem.ledger.episode import Episode
from text2mem.ledger.known import Known

_LONGEST, _WORDS, _CHARACTERS = 120, 8, 16
"""Limits of a value: characters, words, and Chinese characters in a row."""
_RUN = re.compile(f"[{CJK}]+")
_TOML = tomllib.loads(Path(__file__).with_name("fields.toml").read_text(encoding="utf-8"))
_FIELDS = {purpose: tuple(map(name_key, names)) for purpose, names in _TOML.items()}
"""The folded names of known fields, by purpose."""
_NAMES_KIND = ("event", "type", "kind", "topic")
"""Fields that name the kind of an event."""


def read(episode: Episode, known: Known) -> Reading:
    """Read the facts of a structured episode; none if no field names a subject."""
    message = episode.message.structured or {}
    subject = _subject(message)
    if subject is None:  # the subject may be in a nested object: "data": {"incident": …}
        for key, inner in message.items():
            nested = isinstance(inner, Mapping) and name_key(str(key)) in _FIELDS["nested"]
            if nested and (subject := _subject(inner)):
                message = {**{k: v for k, v in message.items() if k != key}, **inner}
                break
    if subject is None:
        return Reading(nothing="transient")
    changed = _changed(message)
    # Attribute and value, as the ledger itself writes a fact, need no declaration.
    stated = changed.keys() - message if {"attribute", "value"} <= message.keys() else ()
    candidates = tuple(_Message(episode, known, changed, *subject, stated).candidates())
    return Reading(candidates=candidates, nothing=None if candidates else "transient")


def _keys(message: Mapping[str, Any]) -> dict[str, str]:
    return {name_key(str(key)): str(key) for key in message}


def _subject(message: Mapping[str, Any]) -> tuple[str, str] | None:
    """The key of the field that names the subject of a message, and the subject; or None."""
    keys = _keys(message)
    for noun in _FIELDS["subjects"]:
        key = keys.get(noun) or keys.get(f"{noun}_id") or keys.get(f"{noun}_name")
        if key is None:
            continue
        value = message[key]
        if isinstance(value, Mapping):
            value = next((value[k] for k in _FIELDS["named"] if value.get(k)), None)
        if isinstance(value, int) and not isinstance(value, bool):
            value = f"{noun} {value}"
        if isinstance(value, str) and _is_name(value):
            return key, value.strip()
    return _by_event(message)


def _is_name(text: str) -> bool:
    return 0 < len(text.strip()) <= 80 and "\n" not in text


def _by_event(message: Mapping[str, Any]) -> tuple[str, str] | None:
    """The key and the subject, from the first field that is named like the kind of event ("ride"
    for "ride.assigned") or whose name ends like that of an identifier or a name."""
    kinds = (v for k, v in message.items() if name_key(str(k)) in _NAMES_KIND)
    kind = next((v for v in kinds if isinstance(v, str)), "")
    noun = name_key(re.split(r"[._:/\s-]", kind)[0]) if kind else ""
    for key, value in message.items():
        name = name_key(str(key))
        if name in _FIELDS["ids"] or isinstance(value, bool) or not isinstance(value, str | int):
            continue
        if name == noun or (name.endswith(("_id", "_name", "_number")) and len(name) > 5):
            bare = isinstance(value, int) or value.strip().isdigit()
            text = f"{re.sub('_(?:id|number)$', '', name)} {value}" if bare else str(value)
            if _is_name(text):
                return str(key), text.strip()
    return None


def _changed(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The message with ``"plan": "Pro"`` in place of ``"field": "plan", "to": "Pro"``."""
    keys = _keys(message)
    field = next((message[keys[f]] for f in _FIELDS["field"] if f in keys), None)
    new = next((keys[t] for t in _FIELDS["to"] if t in keys), None)
    if not isinstance(field, str) or new is None or isinstance(message[new], Mapping | list):
        return message
    dropped = {keys.get(name) for of in ("field", "to", "was") for name in _FIELDS[of]}
    return {**{k: v for k, v in message.items() if k not in dropped}, field: message[new]}


def _is_value(value: Any) -> bool:
    """Whether a field's value is a number, a boolean or a short text, and no sentence."""
    if not isinstance(value, str):
        return isinstance(value, int | float)
    runs = max(map(len, _RUN.findall(value)), default=0)
    short = len(value) <= _LONGEST and len(value.split()) <= _WORDS and runs <= _CHARACTERS
    return bool(value.strip()) and "\n" not in value and short


class _Message:
    """A message about the subject ``name`` in its field ``key``; ``stated`` are attributes, too."""

    def __init__(
        self, episode: Episode, known: Known, message: Mapping[str, Any], key: str, name: str,
        stated: Iterable[str] = (),
    ) -> None:  # fmt: skip
        self._episode = episode
        self._known = known
        self._message = message
        self._key = key
        self._subject = name_key(name)
        self._project = name_key(key) in _FIELDS["projects"]
        of_subject = {r.attribute for r in known.facts(subject=self._subject) if r.attribute}
        self._used = {name_key(name) for name in (*of_subject, *known.attributes(), *stated)}
        since = _FIELDS["since"] + (_FIELDS["day"] if episode.role == "event" else ())
        self._begins, self._ends = self._instant(since), self._instant(_FIELDS["until"])

    def candidates(self) -> Iterator[Candidate]:
        """Yield a candidate for each value of a field that is an attribute."""
        for field, value in self._message.items():
            if field != self._key:
                yield from self._of(field, value)
            elif isinstance(value, Mapping):
                for name, inner_value in value.items():
                    if name_key(str(name)) not in _FIELDS["named"]:
                        yield from self._of(name, inner_value)

    def _of(self, field: str, value: Any) -> Iterator[Candidate]:
        """Yield the candidates of one field. A list is read if the attribute holds many values."""
        name = name_key(str(field))
        if any(name in _FIELDS[of] for of in ("since", "until", "day")):
            return
        attribute = self._is_attribute(name)
        if isinstance(value, Mapping):
            if attribute or name in _FIELDS["nested"]:
                for inner_field, inner_value in value.items():
                    yield from self._of(inner_field, inner_value)
        elif attribute:
            declared = self._known.registry.attribute(str(field))
            values = value if isinstance(value, list) else [value]
            if values is not value or declared.cardinality == "many":
                yield from (self._stated(field, declared.name, v) for v in values if _is_value(v))

    def _stated(self, field: str, attribute: str, value: Any) -> Candidate:
        """The candidate of one value, quoting its field in the JSON of the episode."""
        name = json.dumps(str(field), ensure_ascii=False)
        quoted = f"{name}: {json.dumps(value, ensure_ascii=False)}"
        start = max(self._episode.text.find(quoted), 0)
        return Candidate(
            subject=self._subject, attribute=attribute, value=value, type=self._type(attribute),
            valid_from=self._begins, valid_to=self._ends, confidence=0.95,
            quote=(start, start + len(quoted)),
        )  # fmt: skip

    def _is_attribute(self, name: str) -> bool:
        """Whether a field with this folded name is read as an attribute."""
        if name in self._used or name in _FIELDS["never"]:
            return name in self._used
        if name in (*_FIELDS["always"], *_FIELDS["dates"]) or name.endswith(_FIELDS["suffixes"]):
            return True
        return self._known.registry.attribute(name).declared

    def _type(self, attribute: str) -> str:
        """The memory type of a fact with this attribute."""
        name = name_key(attribute)
        if name in _FIELDS["task"] and not self._project:
            return "task"
        if name in _FIELDS["contact"] or name.endswith(("_email", "_phone", "_address")):
            return "contact"
        if name in _FIELDS["profile"]:
            return "profile"
        return "project" if self._project else "fact"

    def _instant(self, names: tuple[str, ...]) -> datetime | None:
        """The instant in the first of these fields that has a readable one; of a day, the first."""
        fields = {name_key(str(key)): value for key, value in self._message.items()}
        for value in map(fields.get, names):
            if not isinstance(value, str):
                continue
            try:
                at = datetime.fromisoformat(value.strip())
            except ValueError:
                day = read_date(value)
                if day is None:
                    continue
                at = datetime.combine(day, time())
            at = at.replace(tzinfo=at.tzinfo or self._episode.tz, microsecond=0)
            with suppress(OverflowError):  # an instant in the year 1 or 9999 counts as none
                return at.astimezone(UTC)
        return None
