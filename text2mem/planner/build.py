"""Build: turn a draft into instances, by link and resolve. It uses no model and writes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from text2mem.editing.kinds import DAYS, said_in
from text2mem.ir.diagnostic import Diagnostic
from text2mem.ir.ops import READS
from text2mem.ir.record import Record
from text2mem.ir.times.dictated import mended
from text2mem.ir.times.leaning import upright
from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.words.segment import HAN
from text2mem.messages import message
from text2mem.planner.ask import Ask
from text2mem.planner.draft import Draft, Step
from text2mem.planner.link import Linker
from text2mem.planner.link_weights import FOUND
from text2mem.planner.linked import Link
from text2mem.planner.picture import View
from text2mem.planner.resolve import resolve
from text2mem.planner.trust import well_worded
from text2mem.planner.wording_weights import WORDED
from text2mem.planner.work import SoFar


@dataclass(slots=True)
class Built:
    """The instances of a draft. ``owners`` has the index (from 0) of the step of each instance."""

    steps: list[Step] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    instances: list[Any] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)
    """Values that cannot be computed."""
    notes: list[Diagnostic] = field(default_factory=list)
    """Warnings."""

    @property
    def beside(self) -> frozenset[int]:
        """The steps whose words were added beside a text, as it is not clear what they replace."""
        left = (note.pointer for note in self.notes if note.code == "words-not-found")
        return frozenset(int(pointer.split("/")[2]) for pointer in left)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a tuned reader was shown, and how certain it was of its answer."""

    view: View | None = None
    picks: Sequence[float] = ()
    """For each step: its certainty of the memories that it picked."""
    words: Sequence[tuple[float, float]] = ()
    """For each step: its certainty of the old and of the new words of an edit."""
    ops: Sequence[tuple[float, float]] = ()
    """For each step: the probability of the op in the first and in the second reading."""
    asked: str = ""
    """The question that it asked back; the draft is then what it would do otherwise."""
    own: str = ""
    """The request without a text that it brings along."""
    every: Draft | None = None
    """A draft that means every memory, and that may be meant in place of this one."""


_TIMES = ("date", "until", "remind", "skip", "when")


def _in_full(step: Step, ask: Ask) -> Step:
    """The step with its times in usual words ("tui time" was explained as 6:15), and with the day
    that the request names in place of "that day"."""
    times = {key: words for key in _TIMES if (words := step.words(key))}
    if not times:
        return step
    days = {*said_in(ask.utterance, DAYS)}
    for key, words in times.items():
        times[key] = upright(
            ask.own_words.plain(words) if ask.own_words else words, ask.utterance, days
        )
    return replace(step, values={**step.values, **times})


def _figured(step: Step, link: Link, said: str) -> Step:
    """The edit with numbers as the request says them: "oh seven" was written as 70."""
    held = " ".join(record.text for record in link.records)
    new = mended(step.words("new"), said, held) if step.op == "Update" else ""
    return replace(step, values={**step.values, "new": new}) if new else step


def _begun(step: Step, link: Link, ask: Ask) -> Step:
    """Turn an addition to something that is not stored, nor anything near it, into a new memory:
    "add milk to my shopping list", without such a list. Return other steps as they are."""
    about, add = step.words("about"), step.words("add")
    absent = ask.store is not None and link.missing == about and link.certainty < FOUND
    if not (step.op == "Update" and about and add and absent):
        return step
    said = about in ask.utterance and add in ask.utterance
    colon = "：" if HAN.search(about) else ": "
    return Step("Encode", {"text": f"{about}{colon}{add}" if said else ask.utterance})


def build(
    draft: Draft, ask: Ask, evidence: Evidence | None = None,
    chosen: Mapping[int, Sequence[Record]] | None = None,
) -> Built:  # fmt: skip
    """Link and resolve every step. ``chosen`` has memories that a person picked, by step."""
    evidence = evidence or Evidence()
    linker = Linker(ask, evidence.view, evidence.picks, evidence.own or ask.utterance)
    clock = Clock(ask.now, ask.tz)
    leans = any(step.op == "Encode" and step.words("remind") for step in draft.steps)
    so_far = SoFar(clock, ask.utterance)
    if leans and ask.store is not None and ask.named_last:
        so_far.before = so_far.moment(ask.store.find(ask.named_last).values())
    built = Built()
    gone: set[str] = set()
    for number, step in enumerate(draft.steps):
        step = _in_full(step, ask)
        same = (other for other in draft.steps if other.op == step.op)
        fellows = {id_ for other in same for id_ in other.listed("ids")}
        link = linker.link(step, fellows, (chosen or {}).get(number))
        step = _begun(_figured(step, link, ask.said), link, ask)
        built.steps.append(step)
        built.links.append(link)
        so_far.first.append(len(built.instances) + 1)
        of_deleted = step.traits.follows_deletion and not step.words("remind")
        if not of_deleted and link.records and gone.issuperset(link.ids):
            # "Delete it, reminder and all": there is nothing left to change.
            built.notes.append(_note("empty-selection", f"/steps/{number}", "deleted-before", ask))
            continue
        gone.update(link.ids if step.op == "Delete" else ())
        doubted = number < len(evidence.words) and well_worded(*evidence.words[number]) < WORDED
        made = resolve(step, link, so_far, f"/steps/{number}", doubted=doubted)
        if leans:
            so_far.before = made.moment or so_far.before
        built.instances += made.instances
        built.owners += [number] * len(made.instances)
        built.problems += made.problems
        built.notes += made.notes
        if step.op in READS and link.step is None:
            built.notes += _unseen(link, f"/{len(built.instances) - 1}/target", ask)
    _lock_last(built)
    return built


def _lock_last(built: Built) -> None:
    """Let a memory that is locked and changed by one request be changed first, but not hidden or
    unlocked. No lock is moved if the program reads, or refers to its own steps."""
    targets = [{*each.get("target", {}).get("ids", ())} for each in built.instances]
    modes = [each["args"]["mode"] if each["op"] == "Lock" else "" for each in built.instances]
    refers = any(id_.startswith("$") for ids in targets for id_ in ids)
    if refers or not {step.op for step in built.steps}.isdisjoint(READS):
        return
    hides = [
        built.steps[owner].hides or made["op"] == "Delete"
        for made, owner in zip(built.instances, built.owners, strict=True)
    ]
    order = [*range(len(targets))]
    for at, mode in enumerate(modes):
        if mode not in ("", "none"):
            later = [n for n in order[order.index(at) + 1 :] if targets[n] & targets[at]]
            later = [*takewhile(lambda n: modes[n] != "none", later)]
            if later and not any(hides[n] for n in later):
                order.remove(at)
                order.insert(order.index(later[-1]) + 1, at)
    built.instances = [built.instances[n] for n in order]
    built.owners = [built.owners[n] for n in order]


def _unseen(link: Link, at: str, ask: Ask) -> Iterator[Diagnostic]:
    """Warn that a step which reads finds only some of its memories, or none."""
    if link.cut:
        name = "perhaps-more" if link.more else "only-some"
        yield _note("some-of-many", at, name, ask, count=len(link.records))
    elif link.missing and not link.records:
        yield _note("empty-selection", at, "holds-nothing", ask, words=link.missing)


def _note(code: str, at: str, name: str, ask: Ask, **words: object) -> Diagnostic:
    return Diagnostic(code, at, message(name, ask.utterance, **words), severity="warning")
