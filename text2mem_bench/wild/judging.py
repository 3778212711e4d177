"""Whether what became of a request is what was meant, and what it did that was not: pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Literal

from text2mem.ir.record import ERASING
from text2mem_bench.running import Memories
from text2mem_bench.wild.cases import Case, End, Made
from text2mem_bench.wild.checks import Checks, every
from text2mem_bench.wild.holding import Seen, content, failing, fits
from text2mem_bench.wild.words import lost, stands

Status = Literal["ran", "refused", "asked", "nothing", "no-program", "service"]
"""A program ran; was refused by the store; a question; nothing to do; an error; no answer."""
_ENDING = frozenset({"soft_delete", *ERASING})
"""The expiries after which a memory is not to be had any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """What became of a request: every memory before and after, and the ids that were read.

    ``ops`` are those of the program, whether it ran or was refused.
    """

    status: Status
    before: Memories
    after: Memories
    ops: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    zone: tzinfo

    def seen(self) -> dict[str, Seen]:
        """Every memory of either side, by id; of new ones a fact stands in its episode."""
        new = [
            id_ for id_ in self.after if id_ not in self.before and not self._told_by_another(id_)
        ]
        ids = [*self.before, *new]
        return {id_: Seen(id_, self.before.get(id_), self.after.get(id_), self.zone) for id_ in ids}

    def _told_by_another(self, id_: str) -> bool:
        """Whether a memory is a fact that was heard in another new one, which is judged."""
        fact = self.after[id_]
        heard = fact.source_episode_id
        return fact.is_fact and heard in self.after and heard not in self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether the effect is right, and apart from that what went wrong.

    ``harmed`` are memories that are gone, or are to go, or lost words, without being meant;
    ``hidden`` those that were hidden, or lost words that should stay, though meant to change;
    ``unmeant`` every memory that changed, or was made, without being meant. ``ops`` None: the case
    names no sequence, or asking was right. ``reasons`` say why the effect is not right.
    """

    right: bool
    harmed: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    unmeant: tuple[str, ...] = ()
    asked_needlessly: bool = False
    did_not_ask: bool = False
    ops: bool | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Held:
    """A store held against one end: what falls short, and what should not have happened."""

    short: list[str] = field(default_factory=list)
    harmed: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    unmeant: list[str] = field(default_factory=list)

    @property
    def distance(self) -> tuple[int, ...]:
        return len(self.harmed), len(self.hidden), len(self.unmeant), len(self.short)


def judge(case: Case, happened: Happened) -> Verdict:
    """Hold what happened against every outcome that is right; the one that is nearest counts."""
    held = min((_hold(end, happened) for end in case.ends), key=lambda one: one.distance)
    reasons = [
        *(f"harm to {id_}" for id_ in held.harmed),
        *(f"memory {id_} hidden or short of words" for id_ in held.hidden),
        *(f"memory {id_} not meant" for id_ in held.unmeant),
        *_unread(case, happened.read),
    ]
    asked = happened.status == "asked"
    if asked and case.ask == "no":
        reasons.append("asks back, and need not")
    elif not asked:
        reasons += ["does not ask back"] if case.ask == "must" else held.short
    asked_well = asked and case.ask != "no" and not any(held.distance[:3])
    return Verdict(
        right=asked_well or not reasons,
        harmed=tuple(held.harmed), hidden=tuple(held.hidden), unmeant=tuple(held.unmeant),
        asked_needlessly=asked and case.ask == "no",
        did_not_ask=not asked and case.ask == "must",
        ops=_ops(case, happened), reasons=() if asked_well else tuple(reasons),
    )  # fmt: skip


def _ops(case: Case, happened: Happened) -> bool | None:
    if case.ops is None or (happened.status == "asked" and case.ask != "no"):
        return None
    return happened.status not in ("asked", "no-program") and happened.ops in case.ops


def _unread(case: Case, read: Sequence[str]) -> Iterator[str]:
    if case.reads is None:
        return
    missing = [id_ for id_ in case.reads.must if id_ not in read]
    besides = [id_ for id_ in read if id_ not in (*case.reads.must, *case.reads.may)]
    if missing:
        yield f"does not read {', '.join(missing)}"
    if besides:
        yield f"reads {', '.join(besides)} besides"


# --- one end -------------------------------------------------------------------------------


def _hold(end: End, happened: Happened) -> _Held:
    held = _Held()
    seen = happened.seen()
    for one in seen.values():
        if one.before is not None:
            _hold_old(end, one, held)
    _hold_new(end, [one for one in seen.values() if one.before is None], held)
    return held


def _hold_old(end: End, one: Seen, held: _Held) -> None:
    checks = end.changes.get(one.id, ())
    meant = one.id in end.changes
    if meant:
        held.short.extend(f"memory {one.id}: {said}" for said in failing(checks, one))
        if not one.changes and one.id not in end.settled:
            held.short.append(f"memory {one.id} is as it was")
    elif one.changes:
        checks = end.may.get(one.id, ())
        if one.id not in end.may or failing(checks, one):
            held.unmeant.append(one.id)
    if not one.changes:
        return
    named = meant or one.id in end.may
    if _is_harmed(checks, one, named):
        held.harmed.append(one.id)
    elif _is_hidden(checks, one, named):
        held.hidden.append(one.id)


def _is_harmed(checks: Checks, one: Seen, named: bool) -> bool:
    """Whether it is gone, or is to go, though nothing asks for it; or lost words for nothing."""
    allowed = _allowed(checks)
    old, new = one.before, one.after
    assert old is not None
    if new is None or one.emptied:
        return "erase" not in allowed
    if new.deleted and not old.deleted:
        return "delete" not in allowed
    if (new.expire_at, new.expire_action) != (old.expire_at, old.expire_action):
        ends = new.expire_at is not None and (new.expire_action or "soft_delete") in _ENDING
        if ends and "expire" not in allowed:
            return True
    return not named and bool(lost(content(old), content(new)))


def _is_hidden(checks: Checks, one: Seen, named: bool) -> bool:
    """Whether it is put away though nothing asks for it, or is short of words it had."""
    allowed = _allowed(checks)
    old, new = one.before, one.after
    assert old is not None
    if new is None or new.deleted:
        return False
    if new.archived and not old.archived and "archive" not in allowed:
        return True
    demoted = new.expire_at is not None and new.expire_action == "demote"
    if demoted and new.expire_at != old.expire_at and "expire" not in allowed:
        return True
    was, is_ = content(old), content(new)
    if "text" not in allowed:
        return named and bool(lost(was, is_))
    kept = [word for check in checks for word in check.text_has or () if stands(word, was)]
    return not all(stands(word, is_) for word in kept)


_ALLOWS: Mapping[str, frozenset[str]] = {
    "deleted": frozenset({"delete", "archive", "expire"}),
    "gone": frozenset({"delete", "erase", "archive", "expire"}),
    "erased": frozenset({"delete", "erase", "archive", "expire"}),
    "archived": frozenset({"archive"}),
    "returns": frozenset({"archive"}),
    "expires": frozenset({"expire"}),
    "expire_action": frozenset({"expire"}),
    "text_has": frozenset({"text"}),
    "text_has_not": frozenset({"text"}),
}
"""What a check that is asked for makes of a memory, or what is less than that."""


def _allowed(checks: Checks) -> frozenset[str]:
    """What may become of a memory by its checks and all of their alternatives."""
    return frozenset(
        way
        for check in every(checks)
        for name in check.asked
        if getattr(check, name)
        for way in _ALLOWS.get(name, ())
    )


# --- new memories --------------------------------------------------------------------------


def _hold_new(end: End, made: Sequence[Seen], held: _Held) -> None:
    """Each memory that is to be made has one of its own; others are not meant."""
    there = [one for one in made if not one.gone]
    paired = _paired(list(end.new), there)
    for wanted in end.new:
        if not any(other is wanted for other, _ in paired):
            words = "" if wanted.new is None else f" with {wanted.new.has}"
            held.short.append(f"no new memory{words}")
    if not end.may_new:
        used = {one.id for _, one in paired}
        held.unmeant.extend(one.id for one in there if one.id not in used)


def _paired(wanted: Sequence[Made], there: Sequence[Seen]) -> list[tuple[Made, Seen]]:
    """As many pairs as there can be, no memory in two of them."""
    if not wanted:
        return []
    first, rest = wanted[0], wanted[1:]
    best = _paired(rest, there)
    for place, one in enumerate(there):
        if fits(first.new, first.checks, one):
            others = [*there[:place], *there[place + 1 :]]
            found = [(first, one), *_paired(rest, others)]
            if len(found) > len(best):
                best = found
    return best
