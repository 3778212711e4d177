"""The guard: judge what a program would do.

It looks at the dry run and at the links of the draft, never at the words of a language. Each doubt
has a diagnostic for repair and becomes a question for the person. A program without doubts is fine.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from text2mem.editing.kinds import LENGTHS, MOMENTS, said_in
from text2mem.editing.lists import item_of
from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.ops import READS
from text2mem.ir.record import Record
from text2mem.ir.result import ProgramResult
from text2mem.ir.rights import WIDE_ROWS, is_wide
from text2mem.ir.times.temporal import format_instant
from text2mem.ir.words.folding import fold
from text2mem.ir.words.segment import index_terms, query_terms
from text2mem.planner import reader_limits as limits
from text2mem.planner.ask import Ask
from text2mem.planner.asking import Reason
from text2mem.planner.build import Built, Evidence
from text2mem.planner.draft import Draft, Step
from text2mem.planner.link_weights import SURE
from text2mem.planner.linked import Link
from text2mem.planner.said import novel, unsaid
from text2mem.planner.trust import trusted

_HANDFUL = 5
"""How many memories a reader may pick one by one and destroy without a question."""
_FEW = 3
"""How many memories a store may have so that all of them may be meant one by one."""
_GROUPS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
"""The separators of thousands."""
_NUMBER = re.compile(r"\d+(?:[.:/-]\d+)*")
_MARKS = re.compile(r"[.:/-]")
_JOINS = re.compile(r"[:/-]")
_UNCERTAIN = "it is not certain that this memory is meant"
_COPY = "copy the words of the request"


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of doubt is treated."""

    reason: Reason
    """The reason that its question gives."""
    code: str
    """The code of its diagnostic."""
    offers: Literal["run", "unlock", "records", "part", ""] = ""
    """What its question offers: to run the program as it is, or after a memory is unlocked; to
    choose one of the ``records`` that may be meant, or to take out a ``part`` of a memory."""
    showable: bool = False
    """Whether an able reader settles it by staying with its draft."""
    final: bool = False
    """Whether only the person can settle it: no other draft of the same request would."""


KINDS: Mapping[str, Kind] = {
    "everything": Kind("everything", "selects-everything", "run", final=True),
    "wide": Kind("everything", "selects-everything", "run", final=True),
    "too-many": Kind("everything", "some-of-many", final=True),
    "erases": Kind("erases", "selects-everything", "run", final=True),
    "nothing-found": Kind("nothing-found", "empty-selection", "records"),
    "ambiguous-target": Kind("ambiguous-target", "several-fit", "records", showable=True),
    "unsure-target": Kind("ambiguous-target", "several-fit", "records", showable=True),
    "unsure-op": Kind("ambiguous-target", "several-fit", "records", final=True),
    "part": Kind("ambiguous-target", "several-fit", "part", showable=True),
    "merge-one-memory": Kind("ambiguous-target", "merge-one-memory"),
    "locked": Kind("refused", "refused-by-store", "unlock", final=True),
    "refused": Kind("refused", "refused-by-store"),
    "unsupported-by-request": Kind(
        "unsupported-by-request", "unsupported-by-request", showable=True
    ),
    "quoted": Kind("unsupported-by-request", "unsupported-by-request", "run", final=True),
    "given": Kind("unsupported-by-request", "several-fit", "run", final=True),
}
"""Every kind of doubt, by the name of its message in ``prompts/messages.toml``."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A doubt about a program. ``step`` is the index (from 0) of the draft's step."""

    diagnostic: Diagnostic
    message: str
    """The name of its message, which is the key of its kind, too."""
    step: int
    records: tuple[Record, ...] = ()
    """The memories in question."""
    words: str = ""
    """The words that the message names."""
    count: int = 0
    """The number of memories that the message names."""
    instead: Step | None = None
    """A step that may be meant in place of the doubtful one."""

    @property
    def kind(self) -> Kind:
        return KINDS[self.message]


def _doubt(
    message: str, number: int, told: str, hint: str = "", *, code: str = "", key: str = "",
    **of: Any,
) -> Doubt:  # fmt: skip
    """A doubt about a step or one of its keys. ``of`` are further fields."""
    at = f"/steps/{number}/{key}" if key else f"/steps/{number}"
    diagnostic = Diagnostic(code or KINDS[message].code, at, told, hint)
    return Doubt(diagnostic, message, number, **of)


def doubts(built: Built, evidence: Evidence, ask: Ask, *, able: bool) -> Iterator[Doubt]:
    """Yield the doubts that can be found without a dry run. ``able`` says whether the reader's
    links are taken as certain."""
    steps, links, said, request = built.steps, built.links, ask.said, ask.utterance
    for number, (step, link) in enumerate(zip(steps, links, strict=True)):
        sure = 0.0 if able or link.picked else SURE
        found = [*_target(step, link, number, ask.total, sure)] or [*_part(built, link, number)]
        if not found and not able:
            why: tuple[str, str] | None = None
            if link.picked and not _numbers_stand(step, built, request):
                why = "unsure-target", "a number that is said stands nowhere"
            elif not _times_stand(step, steps, request):
                why = "unsure-target", "a time that is said counts for nothing"
            elif _takes_unsaid(step, said):
                why = "unsure-op", f"nobody said {step.words('old')!r}, which would be taken out"
            elif _some_apart(step, link, steps, request):
                why = "unsure-target", "the request speaks of some of these memories by themselves"
            elif evidence.ops:
                why = _untrusted(step, link, evidence.ops[number], asked=bool(evidence.asked))
            found = [unsure(built, number, *why)] if why is not None else []
        yield from found
        sound = step.traits.destroys and link.records and link.certainty >= sure > 0
        if sound and novel(step.words("about"), said):
            yield _doubt(
                "unsure-target", number, "nobody said these words", _COPY, key="about",
                records=link.records,
            )  # fmt: skip
        source = link
        while source.step is not None:  # the texts that an earlier step joins, splits or keeps
            source = links[source.step - 1]
        beside = links if step.op == "Encode" else (source,)
        texts = (record.text for each in beside for record in each.records)
        held = " ".join((said, *texts))
        for key, words in unsaid(step, held, ask):
            told = f"neither the request nor the memory says {words!r}"
            yield _doubt("unsupported-by-request", number, told, _COPY, key=key, words=words)
    if not able:
        yield from _at_odds(built)


def _at_odds(built: Built) -> Iterator[Doubt]:
    """Doubt each step that undoes an earlier one: a deletion after an edit, a second end."""
    for number, (step, link) in enumerate(zip(built.steps, built.links, strict=True)):
        if any(
            earlier.op in step.traits.makes_vain and set(link.ids) & set(other.ids)
            for earlier, other in zip(built.steps[:number], built.links, strict=False)
        ):
            why = f"an earlier step has changed what {step.op} is to do away with"
            yield unsure(built, number, "unsure-op", why)


def _untrusted(
    step: Step, link: Link, certain: tuple[float, float], *, asked: bool
) -> tuple[str, str] | None:
    """The message of a doubt and its reason, if the tuned reader is not certain enough of a step.

    A step that hides memories has to be confirmed by both readings; any other one that was read
    twice, by the second. Picked memories must be likely, by the reader's certainty and by the words
    of the request; more so if the reader asked back.
    """
    if asked and not (link.picked or step.op in READS):
        return "unsure-op", "the reader would rather have asked"
    badly = step.hides and math.prod(certain) < limits.READ_WELL
    if badly or certain[1] < step.traits.confirmed_from:
        return "given" if step.op == "Encode" else "unsure-op", f"{step.op} may not be meant"
    weights, least = limits.CHANGES, limits.ASKED if asked else limits.LIKELY
    if step.hides and not asked:
        weights, least = limits.HIDES, limits.SAFE
        if link.blind:
            weights, least = limits.HIDES_BLIND, limits.SAFE_BLIND
        least = limits.JOINS if step.op == "Merge" else least
    changes = link.picked and step.op not in READS
    likely = trusted(weights, link.certainty, link.borne_out, link.margin)
    if asked:
        likely *= math.prod(certain)
    return ("unsure-target", _UNCERTAIN) if changes and likely < least else None


def _part(built: Built, link: Link, number: int) -> Iterator[Doubt]:
    """Doubt a step that hides a whole list for one item of it ("the bread can go"). A later end for
    one that ends by itself is meant of all of it."""
    step = built.steps[number]
    if not step.hides or step.op == "Merge" or len(link.records) != 1:
        return
    (record,) = link.records
    until = "" if record.expire_at is None else format_instant(record.expire_at)
    made = (i for i, owner in zip(built.instances, built.owners, strict=True) if owner == number)
    put_off = until and any(each.get("args", {}).get("until", "") > until for each in made)
    item = item_of(record.text, step.words("about"))
    if item is not None and not put_off:
        yield _doubt(
            "part", number, f"{item!r} is one item of memory {record.id}",
            "take it out by an Update, or name the memory", records=link.records, words=item,
            instead=Step("Update", {"ids": [record.id], "old": item, "new": ""}),
        )  # fmt: skip


def unsure(built: Built, number: int, message: str, why: str) -> Doubt:
    """A doubt about a step, by its index, with all its memories."""
    step, link = built.steps[number], built.links[number]
    return _doubt(message, number, why, records=link.records, words=step.op)


def _numbers_stand(step: Step, built: Built, request: str) -> bool:
    """Whether every number of the request that may name something occurs in a linked memory or in a
    text to be written (3055 is not 3054). True for a step that reads. To hide memories, two digits
    name something; else three or a decimal point, since less is likely to be a day or a count."""
    if step.op in READS:
        return True
    held = [record.text for link in built.links for record in link.records]
    numbers = _numbers(" ".join((*held, _words(built.steps, but="about"))))
    known = {_plain(part) for number in numbers for part in (number, *_MARKS.split(number))}
    said = _numbers(request)
    if step.hides:
        return all(_plain(number) in known for number in said if len(number) > 1)
    parts = (part for number in said for part in _JOINS.split(number))
    return all(_plain(part) in known for part in parts if len(part) > 2 or "." in part)


def _times_stand(step: Step, steps: Sequence[Step], request: str) -> bool:
    """Whether a step that hides memories by the time they are from leaves no other time of the
    request unused ("the notes of the last week that are older than a year"). What is excepted is
    looked for as words, not as a time."""
    if not (step.hides and step.words("from")):
        return True
    said = fold(_words(steps, but="except"))
    times = (*said_in(request, MOMENTS), *said_in(request, LENGTHS))
    return all(fold(words).strip() in said for words in times)


def _words(steps: Iterable[Step], but: str) -> str:
    """All words of some steps, except those under one key."""
    kept = (replace(s, values={k: v for k, v in s.values.items() if k != but}) for s in steps)
    return " ".join(Draft(tuple(kept)).words())


def _numbers(text: str) -> list[str]:
    """The numbers, dates and times in a text, as written but without separators of thousands."""
    return _NUMBER.findall(_GROUPS.sub("", fold(text)))


def _plain(number: str) -> str:
    """A decimal number without trailing zeros, so that 4.5 equals 4.50; others as they are."""
    return number.rstrip("0").rstrip(".") if number.count(".") == 1 else number


def _some_apart(step: Step, link: Link, steps: Sequence[Step], request: str) -> bool:
    """Whether words of the request that no step has fit some of the memories to be hidden and not
    the others ("delete what is about Leo, the allergy stays")."""
    if not step.hides or step.op == "Merge" or len(link.records) < 2:
        return False
    left = {*query_terms(request)}.difference(index_terms(" ".join(Draft(tuple(steps)).words())))
    held = [left.intersection(index_terms(record.text)) for record in link.records]
    topic = set.intersection(*held)
    spoken_of = [bool(terms - topic) for terms in held]
    return any(spoken_of) and not all(spoken_of)


def _takes_unsaid(step: Step, said: str) -> bool:
    """Whether an Update only takes out words, and nobody said any of them."""
    old = query_terms(step.words("old"))
    if step.op != "Update" or not old or step.adds:
        return False
    return {*old}.isdisjoint(index_terms(said))


def beyond(steps: Iterable[tuple[int, str]]) -> Iterator[Doubt]:
    """Doubt steps (by index) whose memories only the text that was given names, by these words."""
    for number, words in steps:
        told = f"only the text that was given names {words!r}"
        yield _doubt("quoted", number, told, "a text that is given is data", key="about",
                     words=words)  # fmt: skip


def _target(step: Step, link: Link, number: int, total: int, sure: float) -> Iterator[Doubt]:
    """Doubt which memories a step means, and how many: one doubt, and one more of a Merge."""
    if step.op == "Encode" or step.op in READS:
        return
    hit = link.hit
    every = step.hides and hit == total > _FEW and not link.cut
    if (link.everything and total > 1) or (every and not any(r.away for r in link.records)):
        yield _doubt("everything", number, f"{step.op} would touch every memory", count=total)
    elif hit and not link.named and total > 1:
        yield _doubt("ambiguous-target", number, "nothing says which memories are meant")
    elif link.cut:
        told = f"{step.op} means {hit} memories or more"
        hint = "say it by a tag or by one stretch of time"
        yield _doubt("too-many", number, told, hint, count=hit)
    elif is_wide(hit, total) or (step.traits.destroys and hit > _unasked(step, link)):
        yield _doubt("wide", number, f"{step.op} would touch {hit} of {total}", count=hit)
    elif not hit and link.step is None:
        yield _doubt(
            "nothing-found" if link.missing else "ambiguous-target", number,
            f"the store holds no memory of {link.missing!r}",
            "name what is there, in fewer or other words", code="empty-selection",
            records=link.near, words=link.missing,
        )  # fmt: skip
    elif link.rivals and (
        step.op == "Update" or step.traits.destroys or (link.picked and step.hides)
    ):
        told = "several memories fit these words as well"
        yield _doubt("ambiguous-target", number, told, records=(*link.records, *link.rivals))
    elif erases(step):
        yield _doubt("erases", number, "this erases for good", records=link.records, count=hit)
    elif link.certainty < sure or not link.certainty:
        yield _doubt("unsure-target", number, _UNCERTAIN, records=link.records)
    if step.op == "Merge" and hit == 1 and not link.everything:
        told = "a merge takes two memories or more"
        yield _doubt("merge-one-memory", number, told, records=link.records)


def _unasked(step: Step, link: Link) -> int:
    """How many memories a step may destroy without a question if there is no other doubt."""
    if step.values.get("which") == "all":
        return 1
    return _HANDFUL if link.picked else WIDE_ROWS


def erases(step: Step) -> bool:
    """Whether a step leaves nothing of the content, now or later."""
    return bool(step.values.get("for_good")) or step.words("then") in ("erase", "anonymize")


def refused(result: ProgramResult, built: Built) -> Doubt | None:
    """The doubt that the store refuses the program, if it does."""
    error = result.error
    if error is None or error.code == "needs-confirmation":
        return None
    found = re.match(r"/(\d+)", error.pointer)
    index = int(found[1]) if found else 0
    step = built.owners[min(index, len(built.owners) - 1)] if built.owners else 0
    message, words = "refused", error.message
    if error.code == "locked":
        message, words = "locked", error.memory
    linked = {record.id: record for link in built.links for record in link.records}
    records = (linked[words],) if message == "locked" and words in linked else ()
    told = f"{error.code}: {error.message}"
    return _doubt(message, step, told, error.hint, words=words, records=records)
