"""Apply the steps of an evolution to versions of facts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from text2mem.ir.values import UnfitValue, normalised
from text2mem.ir.words.naming import name_key
from text2mem.ledger.evolution.document import Merge, Rename, Retype, Split, Step, old_and_new
from text2mem.ledger.evolution.version import Version

_LONGEST = 4_000
"""The most characters of a text that is split, since patterns may be slow on long texts."""
_GROUPED = re.compile(r"(?<=\d)[,，](?=\d{3}(?!\d))")
"""A separator of thousands in a number."""
Refuse = Callable[[Version, str], None]
"""Called with a version that does not fit, and the reason."""


def carried_out(step: Step, versions: Sequence[Version], refuse: Refuse) -> list[Version]:
    """The versions after a step. ``refuse`` is called for those that do not fit and stay."""
    sources = {name_key(name) for name in old_and_new(step)[0]}
    affected = [version for version in versions if name_key(version.attribute) in sources]
    out = [version for version in versions if name_key(version.attribute) not in sources]
    if isinstance(step, Rename):
        return [*out, *(replace(version, attribute=step.to) for version in affected)]
    if isinstance(step, Merge):
        return [*out, *_merged(step, affected, refuse)]
    made: list[Version] = []
    for version in affected:
        try:
            made += _split(step, version) if isinstance(step, Split) else [_retyped(step, version)]
        except UnfitValue as error:
            refuse(version, str(error))
            out.append(version)
    return [*out, *(_run_together(made) if isinstance(step, Split) else made)]


def _run_together(made: Iterable[Version]) -> list[Version]:
    """Unite consecutive versions with the same value: one part may stay while another changes."""
    out: list[Version] = []
    for version in sorted(made, key=lambda v: (v.about, v.attribute, str(v.value), v.valid_from)):
        begins = (version.about, version.attribute, version.value, version.valid_from)
        last = out[-1] if out else None
        ends = last and (last.about, last.attribute, last.value, last.valid_to)
        if last and last.holds and version.holds and ends == begins:
            out[-1] = last.united(version)
        else:
            out.append(version)
    return out


def _split(step: Split, version: Version) -> list[Version]:
    """One version for each new attribute. Raise UnfitValue if a part is missing."""
    text = version.value
    if not isinstance(text, str):
        raise UnfitValue("only a text can be split")
    if len(text) > _LONGEST:
        raise UnfitValue(f"it is longer than {_LONGEST} characters")
    parts = [part.strip() for part in text.split(step.by)]
    return [
        replace(version, attribute=name, value=_part(name, of, text, parts))
        for name, of in step.into.items()
    ]


def _part(name: str, of: int | str, text: str, parts: Sequence[str]) -> str:
    """The part ``of`` a text (a number or a pattern) for the attribute ``name``, or UnfitValue."""
    if isinstance(of, str):
        match = re.search(of, text)
        part = None if match is None else match[1 if match.re.groups else 0]
    else:
        index = of - 1 if of > 0 else of
        part = parts[index] if -len(parts) <= index < len(parts) else None
    if not part or not part.strip():
        raise UnfitValue(f"it has no part for '{name}'")
    return part.strip()


def _merged(step: Merge, affected: Iterable[Version], refuse: Refuse) -> list[Version]:
    """The versions of the merged attributes, under the new name or joined by subject."""
    if step.join is None:
        return [replace(version, attribute=step.into, alone=True) for version in affected]
    out: list[Version] = []
    by_subject: dict[str, list[Version]] = defaultdict(list)
    for version in affected:
        if version.pending:
            refuse(version, "it waits, and what waits cannot be joined")
            out.append(version)
        elif not version.holds:
            out.append(version)  # it never held, so it is not part of any joined value
        elif not isinstance(version.value, str | int | float) or isinstance(version.value, bool):
            refuse(version, "only texts and numbers can be joined")
            out.append(version)
        else:
            by_subject[version.about].append(version)
    order = [name_key(name) for name in step.attributes]
    for of_subject in by_subject.values():
        of_subject.sort(key=lambda v: (order.index(name_key(v.attribute)), int(v.first.id)))
        out += _run_together(_joined(step.join, step.into, of_subject))
    return out


def _joined(join: str, into: str, of_subject: Sequence[Version]) -> Iterator[Version]:
    """Yield the joined values of one subject, one for each span in which the parts are the same."""
    ends = {v.valid_to for v in of_subject if v.valid_to is not None}
    instants = sorted(ends.union(v.valid_from for v in of_subject))
    for start, end in zip(instants, [*instants[1:], None], strict=True):
        if parts := [v for v in of_subject if v.valid_from <= start < v.ends]:
            value = join.join(str(part.value) for part in parts)
            one = reduce(Version.united, parts)
            yield replace(one, attribute=into, value=value, valid_from=start, valid_to=end)


def _retyped(step: Retype, version: Version) -> Version:
    """The version with its value converted to the new type. Raise UnfitValue if that fails."""
    value, convert = version.value, step.convert
    if isinstance(convert, dict):
        table = {_written(key): new for key, new in convert.items()}
        value = table.get(_written(value), value)
    elif (convert or step.value_type) == "text" and not isinstance(value, str):
        value = _as_text(value)
    elif (convert or step.value_type) == "number" and isinstance(value, str):
        value = _GROUPED.sub("", value)
    elif convert is not None and convert != step.value_type:
        value = normalised(version.attribute, convert, "trim", value)
    return replace(version, value=normalised(version.attribute, step.value_type, "none", value))


def _written(value: Any) -> str:
    """The folded text of a value, as the key of a conversion table."""
    return name_key(value if isinstance(value, str) else _as_text(value))


def _as_text(value: Any) -> str:
    """A number or a boolean as text. Raise UnfitValue for any other value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str | int | float):
        raise UnfitValue("only a plain value becomes a text")
    return str(value)
