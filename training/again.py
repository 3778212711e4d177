"""When a further reading is to be trusted: ``python -m training.again``.

The shipped reader reads memories beside requests of authors whom it has not learnt from: those that
the requests mean, and those that only fit their words. What comes out are the thresholds of
``text2mem/planner/again_limits.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from text2mem.pipeline import opened_provider
from text2mem.planner import again_limits
from text2mem.planner.edit import revised
from text2mem.planner.reader import agreement, second
from text2mem.planner.revise import revise, revision
from text2mem.providers.base import Sampling
from training.edits import of_stores
from training.linking import READ
from training.meant import load

_SURE = 0.95
"""Of how many of 100 edits the memory is to be the one that is meant, to choose it by them."""
_EVERY = 2
"""Which of so many edits and links of those authors are read."""
_RIGHT = 0.75
"""How many of 100 edits of the memory that is meant are to be right to the letter, unasked."""


@dataclass(frozen=True, slots=True)
class Read:
    """A memory read beside a request: whether an edit came of it, and whether that is right."""

    meant: bool
    edits: bool
    right: bool
    certainty: float


def main() -> None:
    """The command line."""
    found = read()
    of_meant = [each for each in found if each.meant]
    others = [each for each in found if not each.meant]
    edited = [each for each in found if each.edits]
    right, changed = sum(each.right for each in of_meant), sum(each.edits for each in of_meant)
    print(f"{len(of_meant)} memories that change: {changed} are changed, {right} to the letter")
    print(f"{len(others)} that do not: {sum(not each.edits for each in others)} stay as they are")
    well = least(edited, lambda each: each.right or not each.meant, _RIGHT)
    chosen = least(edited, lambda each: each.meant, _SURE)
    links = linked()
    meant = best(links)
    apart = sum((likely >= meant) == right for likely, right in links)
    print(f"{len(links)} memories that a step may mean: {apart} told rightly")
    print(f"EDITED_WELL {well}, CHOSEN {chosen}, MEANT {meant}")
    _write(well, chosen, meant)


def read() -> list[Read]:
    """The shipped reader over what requests over stores change, and what they do not."""
    provider, found = opened_provider(None), []
    for row in of_stores(authors=READ)[::_EVERY]:
        answer = provider.complete(revise(row.prompt, provider.profile, Sampling()))
        made = revision(row.memory, answer, " ".join((row.utterance, *row.before)))
        gold = revised(row.memory, row.edits)
        edits = made is not None and bool(made.edits)
        right = made is not None and gold is not None and made.text == gold.text
        found.append(Read(bool(row.edits), edits, right, made.certainty if made else 0.0))
    return found


def linked() -> list[tuple[float, bool]]:
    """How likely a memory is meant, by the shipped reader, and whether it is."""
    provider, found = opened_provider(None), []
    for row in load(authors=READ)[::_EVERY]:
        answer = provider.complete(second(row.prompt, provider.profile, Sampling()))
        found.append((agreement(answer), row.right))
    return found


def best(links: Sequence[tuple[float, bool]]) -> float:
    """The bound that tells the most memories rightly; of equal ones the highest."""

    def told(bound: float) -> tuple[int, float]:
        return sum((likely >= bound) == right for likely, right in links), bound

    return max((round(0.05 * step, 2) for step in range(2, 20)), key=told)


def least(edited: Sequence[Read], good: Callable[[Read], bool], share: float) -> float:
    """The certainty from which so many of the edits are good; 1 where none is enough."""
    for bound in sorted({round(each.certainty, 2) for each in edited}):
        kept = [good(each) for each in edited if each.certainty >= bound]
        if sum(kept) >= share * len(kept):
            return bound
    return 1.0


def _write(well: float, chosen: float, meant: float) -> None:
    Path(again_limits.__file__).write_text(
        f'''"""When further readings are trusted: ``training/again.py`` makes them, no hand.

At 1 a reading is not asked for: the shipped reader has not learnt it.
"""

EDITED_WELL = {well}
"""The least certainty of an edit that counts."""
CHOSEN = {chosen}
"""The least certainty of an edit that tells which of several memories is meant."""
MEANT = {meant}
"""From which likelihood on a memory is taken for meant."""
''',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
