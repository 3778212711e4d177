"""The guard: judge what a program would do.

It looks at the dry run and at the links of the draft, never at the words of a language. Each doubt
has a diagnostic for repair and becomes a question for the person. A program without doubts is fine.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from text2mem.editing.kinds import LENGTHS, MOMENTS, spans
from text2mem.editing.lists import item_of
from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.ops import READS
from text2mem.ir.record import Record
from text2mem.ir.result import ProgramResult
from text2mem.ir.rights import WIDE_ROWS, is_wide
from text2mem.ir.words.folding import fold
from text2mem.ir.words.segment import index_terms, query_terms
from text2mem.planner.asking import Reason
from text2mem.planner.draft import Draft, Step
from text2mem.planner.link_weights import SURE
from text2mem.planner.linked import Link
from text2mem.planner.reader_limits import (
    ASKED,
    CHANGES,
    HIDES,
    HIDES_BLIND,
    JOINS,
    LIKELY,
    READ_WELL,
    SAFE,
    SAFE_BLIND,
)
from text2mem.planner.said import novel
from text2mem.planner.trust import trusted

_HANDFUL = 5
"""How many memories a reader may pick one by one and destroy without a question."""
_SHOWN = 60
"""The most characters that are shown of words that nobody said."""
_GROUPS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
"""The separators of thousands."""
_NUMBER = re.compile(r"\d+(?:[.:/-]\d+)*")
_MARKS = re.compile(r"[.:/-]")
_JOINS = re.compile(r"[:/-]")


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of doubt is treated."""

    reason: Reason
    """The reason that its question gives."""
    offers: Literal["run", "records", "part", ""] = ""
    """What its question offers: to run the program as it is, to choose one of the ``records`` that
    may be meant, or to take out a ``part`` of a memory."""
    showable: bool = False
    """Whether an able reader settles it by staying with its draft."""
    final: bool = False
    """Whether only the person can settle it: no other draft of the same request would."""


KINDS: Mapping[str, Kind] = {
    "everything": Kind("everything", "run", final=True),
    "wide": Kind("everything", "run", final=True),
    "too-many": Kind("everything", final=True),
    "erases": Kind("erases", "run", final=True),
    "nothing-found": Kind("nothing-found", "records"),
    "ambiguous-target": Kind("ambiguous-target", "records", showable=True),
    "unsure-target": Kind("ambiguous-target", "records", showable=True),
    "unsure-op": Kind("ambiguous-target", "records", final=True),
    "part": Kind("ambiguous-target", "part", showable=True),
    "merge-one-memory": Kind("ambiguous-target"),
    "locked": Kind("refused", final=True),
    "refused": Kind("refused"),
    "unsupported-by-request": Kind("unsupported-by-request", showable=True),
    "quoted": Kind("unsupported-by-request", "run", final=True),
    "given": Kind("unsupported-by-request", "run", final=True),
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
        """How the doubt is treated."""
        return KINDS[self.message]


def judge(
    steps: Sequence[Step], links: Sequence[Link], said: str, total: int, *, able: bool,
    certain: Sequence[tuple[float, float]] = (), request: str = "", asked: bool = False,
) -> Iterator[Doubt]:  # fmt: skip
    """Yield the doubts that can be found without a dry run.

    - ``said``: the request with its turns.
    - ``total``: how many memories are visible.
    - ``able``: whether the reader's links are taken as certain.
    - ``certain``: for each step, the probabilities from both readings that it is asked for; empty
      if they are not known.
    - ``request``: the request alone.
    - ``asked``: whether the reader asked back, and this draft is what it would do otherwise.
    """
    for number, (step, link) in enumerate(zip(steps, links, strict=True)):
        sure = 0.0 if able or link.picked else SURE
        found = [*_target(step, link, number, total, sure)] or [*_part(step, link, number)]
        if not found and not able:
            if link.picked and not _numbers_stand(step, links, steps, request):
                why = "a number that is said stands nowhere"
                found = [_unsure("unsure-target", why, step, number, link)]
            elif not _times_stand(step, steps, request):
                why = "a time that is said counts for nothing"
                found = [_unsure("unsure-target", why, step, number, link)]
            elif _takes_unsaid(step, said):
                why = f"nobody said {step.words('old')!r}, which would be taken out"
                found = [_unsure("unsure-op", why, step, number, link)]
            elif _some_apart(step, link, steps, request):
                why = "the request speaks of some of these memories by themselves"
                found = [_unsure("unsure-target", why, step, number, link)]
            elif certain:
                found = [*_untrusted(step, link, number, certain[number], asked=asked)]
        yield from found
        sound = step.traits.destroys and link.records and link.certainty >= sure > 0
        if sound and novel(step.words("about"), said):
            diagnostic = Diagnostic(
                "several-fit", f"/steps/{number}/about", "nobody said these words",
                "copy the words of the request",
            )  # fmt: skip
            yield Doubt(diagnostic, "unsure-target", number, link.records)
        held = " ".join((said, *(record.text for record in link.records)))
        for key, words in unsaid(step, held):
            diagnostic = Diagnostic(
                "unsupported-by-request", f"/steps/{number}/{key}",
                f"neither the request nor the memory says {words!r}",
                "copy the words of the request",
            )  # fmt: skip
            yield Doubt(diagnostic, "unsupported-by-request", number, words=words)
    if not able:
        yield from _at_odds(steps, links)


def _at_odds(steps: Sequence[Step], links: Sequence[Link]) -> Iterator[Doubt]:
    """Doubt each step that makes an earlier one pointless: a deletion after an edit of the same
    memory, or a second end for it."""
    for number, (step, link) in enumerate(zip(steps, links, strict=True)):
        if any(
            earlier.op in step.traits.makes_vain and set(link.ids) & set(other.ids)
            for earlier, other in zip(steps[:number], links, strict=False)
        ):
            why = f"an earlier step has changed what {step.op} is to do away with"
            yield _unsure("unsure-op", why, step, number, link)


def _untrusted(
    step: Step, link: Link, number: int, certain: tuple[float, float], *, asked: bool
) -> Iterator[Doubt]:
    """Doubt a step if the tuned reader is not certain enough of it.

    A step that hides memories has to be confirmed by both readings; any other one that was read
    twice, by the second. Picked memories must be likely, by the reader's certainty and by the words
    of the request; more so if the reader asked back.
    """
    if asked and not (link.picked or step.op in READS):
        yield _unsure("unsure-op", "the reader would rather have asked", step, number, link)
        return
    if certain[1] < step.traits.confirmed_from:
        message = "given" if step.op == "Encode" else "unsure-op"
        yield _unsure(message, f"{step.op} may not be meant", step, number, link)
        return
    if hides(step) and math.prod(certain) < READ_WELL:
        yield _unsure("unsure-op", f"{step.op} may not be meant", step, number, link)
        return
    weights, least = CHANGES, ASKED if asked else LIKELY
    if hides(step) and not asked:
        weights, least = (HIDES_BLIND, SAFE_BLIND) if link.blind else (HIDES, SAFE)
        least = JOINS if step.op == "Merge" else least
    changes = link.picked and step.op not in READS
    likely = trusted(weights, link.certainty, link.borne_out, link.margin)
    if asked:
        likely *= math.prod(certain)
    if changes and likely < least:
        why = "it is not certain that this memory is meant"
        yield _unsure("unsure-target", why, step, number, link)


def _part(step: Step, link: Link, number: int) -> Iterator[Doubt]:
    """Doubt a step that hides a whole list for one item of it ("the bread can go")."""
    if not hides(step) or step.op == "Merge" or len(link.records) != 1:
        return
    (record,) = link.records
    item = item_of(record.text, step.words("about"))
    if item is not None:
        diagnostic = Diagnostic(
            "several-fit", f"/steps/{number}", f"{item!r} is one item of memory {record.id}",
            "take it out by an Update, or name the memory",
        )  # fmt: skip
        taken = Step("Update", {"ids": [record.id], "old": item, "new": ""})
        yield Doubt(diagnostic, "part", number, link.records, item, instead=taken)


def _unsure(message: str, why: str, step: Step, number: int, link: Link) -> Doubt:
    """A doubt about all memories of a step."""
    diagnostic = Diagnostic("several-fit", f"/steps/{number}", why)
    return Doubt(diagnostic, message, number, link.records, words=step.op)


def _numbers_stand(
    step: Step, links: Sequence[Link], steps: Sequence[Step], request: str
) -> bool:  # fmt: skip
    """Whether every number in the request that may name something occurs in a linked memory or in a
    text to be written (3055 is not 3054). True for a step that reads.

    Of a step that hides memories, that is any number of two digits or more; of another one, any of
    three digits or with a decimal point, since a shorter one is likely to be a day or a count.
    """
    if step.op in READS:
        return True
    held = [record.text for each in links for record in each.records]
    written = (replace(each, values={k: v for k, v in each.values.items() if k != "about"})
               for each in steps)  # fmt: skip
    numbers = _numbers(" ".join((*held, *Draft(tuple(written)).words())))
    known = {_plain(part) for number in numbers for part in (number, *_MARKS.split(number))}
    said = _numbers(request)
    if hides(step):
        return all(_plain(number) in known for number in said if len(number) > 1)
    parts = (part for number in said for part in _JOINS.split(number))
    return all(_plain(part) in known for part in parts if len(part) > 2 or "." in part)


def _times_stand(step: Step, steps: Sequence[Step], request: str) -> bool:
    """Whether a step that hides memories by the time they are from leaves no other time of the
    request unused ("the notes of the last week that are older than a year")."""
    if not (hides(step) and step.words("from")):
        return True
    said = fold(" ".join(Draft(tuple(steps)).words()))
    times = (span for shapes in (MOMENTS, LENGTHS) for span in spans(request, shapes))
    return all(fold(request[first:last]).strip() in said for first, last in times)


def _numbers(text: str) -> list[str]:
    """The numbers, dates and times in a text, as written but without separators of thousands."""
    return _NUMBER.findall(_GROUPS.sub("", fold(text)))


def _plain(number: str) -> str:
    """A decimal number without trailing zeros, so that 4.5 equals 4.50; others as they are."""
    return number.rstrip("0").rstrip(".") if number.count(".") == 1 else number


def _some_apart(step: Step, link: Link, steps: Sequence[Step], request: str) -> bool:
    """Whether words of the request that no step has fit some of the memories to be hidden and not
    the others ("delete what is about Leo, the allergy stays")."""
    if not hides(step) or step.op == "Merge" or len(link.records) < 2:
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


def hides(step: Step) -> bool:
    """Whether a step deletes memories or puts them out of sight."""
    return step.traits.destroys or bool(step.values.get("archive"))


def beyond(steps: Iterable[tuple[int, str]]) -> Iterator[Doubt]:
    """Doubt steps whose memories are named only by the text that the request brings along. Each
    item is the index of a step and these words."""
    for number, words in steps:
        diagnostic = Diagnostic(
            "unsupported-by-request", f"/steps/{number}/about",
            f"only the text that was given names {words!r}", "a text that is given is data",
        )  # fmt: skip
        yield Doubt(diagnostic, "quoted", number, words=words)


def beside(steps: Iterable[int], draft: Draft, links: Sequence[Link]) -> Iterator[Doubt]:
    """Doubt steps, given by index, that do not write the text that the request brings along."""
    for number in steps:
        why = "the text that was given is written nowhere"
        yield _unsure("unsure-op", why, draft.steps[number], number, links[number])


def narrower(steps: Sequence[Step], links: Sequence[Link]) -> Iterator[Doubt]:
    """Doubt each step that hides memories which only earlier turns identify, if the request alone
    would mean every memory. The caller has found that this holds of the draft."""
    for number, (step, link) in enumerate(zip(steps, links, strict=True)):
        why = "without the turns before, every memory is meant"
        yield _unsure("unsure-target", why, step, number, link)


def _target(step: Step, link: Link, number: int, total: int, sure: float) -> Iterator[Doubt]:
    """Doubt which memories a step means, and how many; at most one doubt, and one more of a
    Merge."""
    if step.op == "Encode" or step.op in READS:
        return
    hit = link.hit
    at = f"/steps/{number}"
    if link.everything and total > 1:
        diagnostic = Diagnostic("selects-everything", at, f"{step.op} would touch every memory")
        yield Doubt(diagnostic, "everything", number, count=total)
    elif hit and not link.named and total > 1:
        diagnostic = Diagnostic("several-fit", at, "nothing says which memories are meant")
        yield Doubt(diagnostic, "ambiguous-target", number)
    elif link.cut:
        diagnostic = Diagnostic("some-of-many", at, f"{step.op} means {hit} memories or more",
                                "say it by a tag or by one stretch of time")  # fmt: skip
        yield Doubt(diagnostic, "too-many", number, count=hit)
    elif is_wide(hit, total) or (step.traits.destroys and hit > _unasked(step, link)):
        diagnostic = Diagnostic("selects-everything", at, f"{step.op} would touch {hit} of {total}")
        yield Doubt(diagnostic, "wide", number, count=hit)
    elif not hit and link.step is None:
        words = link.missing
        diagnostic = Diagnostic("empty-selection", at, f"the store holds no memory of {words!r}",
                                "name what is there, in fewer or other words")  # fmt: skip
        message = "nothing-found" if words else "ambiguous-target"
        yield Doubt(diagnostic, message, number, link.near, words)
    elif link.rivals and (
        step.op == "Update" or step.traits.destroys or (link.picked and hides(step))
    ):
        diagnostic = Diagnostic("several-fit", at, "several memories fit these words as well")
        yield Doubt(diagnostic, "ambiguous-target", number, (*link.records, *link.rivals))
    elif erases(step):
        diagnostic = Diagnostic("selects-everything", at, "this erases for good")
        yield Doubt(diagnostic, "erases", number, link.records, count=hit)
    elif link.certainty < sure or not link.certainty:
        diagnostic = Diagnostic("several-fit", at, "it is not certain that this memory is meant")
        yield Doubt(diagnostic, "unsure-target", number, link.records)
    if step.op == "Merge" and hit == 1 and not link.everything:
        diagnostic = Diagnostic("merge-one-memory", at, "a merge takes two memories or more")
        yield Doubt(diagnostic, "merge-one-memory", number, link.records)


def _unasked(step: Step, link: Link) -> int:
    """How many memories a step may destroy without a question if there is no other doubt."""
    if step.values.get("which") == "all":
        return 1
    return _HANDFUL if link.picked else WIDE_ROWS


def erases(step: Step) -> bool:
    """Whether a step leaves nothing of the content, now or later."""
    return bool(step.values.get("for_good")) or step.words("then") in ("erase", "anonymize")


def unsaid(step: Step, held: str) -> Iterator[tuple[str, str]]:
    """Yield each key of a step whose words ``held`` does not say, with these words, shortened."""
    for key in step.traits.stores:
        words = step.words(key)
        if novel(words, held):
            yield key, words if len(words) <= _SHOWN else f"{words[:_SHOWN].rstrip()}…"


def refused(result: ProgramResult, owner: Sequence[int]) -> Doubt | None:
    """The doubt that the store would refuse the program; None if it would not. ``owner`` is the
    index of the draft's step, for each op."""
    error = result.error
    if error is None or error.code == "needs-confirmation":
        return None
    found = re.match(r"/(\d+)", error.pointer)
    index = int(found[1]) if found else 0
    step = owner[min(index, len(owner) - 1)] if owner else 0
    diagnostic = Diagnostic(
        "refused-by-store", f"/steps/{step}", f"{error.code}: {error.message}", error.hint
    )
    if error.code == "locked":
        return Doubt(diagnostic, "locked", step, words=error.memory)
    return Doubt(diagnostic, "refused", step, words=error.message)
