"""Count what is said after a turn and read as a change of it: ``python -m training.news AUTHOR …``.

The shipped reader reads two kinds of requests over a store, with the turn before and without it:
new memories, each after a note of the same store that shares most terms with it, and changes that
their authors asked for after a turn. Printed is how often each reading keeps only something new.
Where the reading without the turn does, ``planner.again`` uses it.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from text2mem.errors import ModelOutputError
from text2mem.ir.ops import READS
from text2mem.ir.turn import Turn
from text2mem.ir.words.segment import index_terms
from text2mem.planner.draft import Draft
from text2mem.planner.picture import View
from text2mem.planner.reader import asking, drafted
from text2mem.providers.base import Provider, Sampling
from text2mem.providers.registry import opened_provider
from training.rows import Store, stores

_SAMPLING = Sampling(max_tokens=200)
_FEW = 3
"""What is added to a note's number of terms, so that a short note is no better than a long one."""


@dataclass(frozen=True, slots=True)
class Said:
    """A request over a store after a turn; ``news`` if it keeps something new."""

    store: Store
    utterance: str
    turns: tuple[Turn, ...]
    news: bool


def said(authors: Sequence[str]) -> Iterator[Said]:
    """The requests of both kinds that have one step."""
    for store in stores(authors=authors):
        for row in store.rows:
            ops = [step.op for step in row.draft.steps]
            if ops == ["Encode"] and not row.before:
                note = _nearest(store, row.utterance)
                if note is not None:
                    yield Said(store, row.utterance, (note,), news=True)
            elif row.before and len(ops) == 1 and not {*ops} & {"Encode", *READS}:
                yield Said(store, row.utterance, tuple(map(Turn, row.before)), news=False)


def _nearest(store: Store, utterance: str) -> Turn | None:
    """The note that shares the largest part of its terms with a request, as a turn; None if no note
    shares any."""
    terms = {*index_terms(utterance)}
    held = [(record, {*index_terms(record.text)}) for record in store.memories if not record.away]
    note, shared = max(held, key=lambda each: len(terms & each[1]) / (_FEW + len(each[1])))
    return Turn(note.text, ids=(note.id,)) if terms & shared else None


def keeps(provider: Provider, each: Said, turns: Sequence[Turn]) -> bool | None:
    """Whether a reading only keeps something new; None if its answer is no draft."""
    view = View(each.store.memories, len(each.store.memories))
    request = asking(view, each.utterance, turns, provider.profile, _SAMPLING)
    try:
        draft = drafted(provider.complete(request), view)
    except ModelOutputError:
        return None
    return {step.op for step in draft.steps} == {"Encode"} if isinstance(draft, Draft) else None


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("authors", nargs="+")
    parser.add_argument("--model", default="local:qwen2.5-coder-0.5b")
    parser.add_argument("--most", type=int, default=60, help="how many requests of each kind")
    options = parser.parse_args()
    provider = opened_provider(options.model)
    found = [*said(options.authors)]
    random.Random(0).shuffle(found)
    for news in (True, False):
        some = [each for each in found if each.news is news][: options.most]
        counts = Counter((keeps(provider, e, e.turns), keeps(provider, e, ())) for e in some)
        beside = sum(n for (with_turn, _), n in counts.items() if with_turn)
        alone = sum(n for readings, n in counts.items() if any(readings))
        print(f"{'news' if news else 'changes'}: {len(some)}, kept beside the turn {beside}, "
              f"beside it or without it {alone}")  # fmt: skip


if __name__ == "__main__":
    main()
