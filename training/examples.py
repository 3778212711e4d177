"""Make training examples of the data: ``python -m training.examples --out FILE``.

Every pass over the data is drawn anew (``seen.py``). Passes and held-out rows are written as token
ids, so the training itself needs nothing of the package.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np
from tokenizers import Tokenizer

from training import edits, own, rows, seen, statements
from training.rows import DATA, Row, Store
from training.seen import Tree
from training.stores import queries
from training.weights import tokenizer

_LONGEST = 2_048
"""The most tokens of a tree. The branches of a larger one are divided among several."""
KEPT_OUT = -1
Written = TypeVar("Written", Row, Store)
_ORDERS = 500
"""How many requests may stand in stores as texts that are no requests."""


@dataclass
class Writer:
    """Trees as flat arrays: their tokens, the sizes of their parts, and where answers begin."""

    words: Tokenizer
    end: int
    longest: int = _LONGEST
    tokens: list[int] = field(default_factory=list)
    trees: list[tuple[int, int, int]] = field(default_factory=list)
    """The pass of each tree, the tokens of its prefix, and its number of branches."""
    branches: list[tuple[int, int]] = field(default_factory=list)
    """The tokens of each branch, and how many of them are the prompt's."""

    def add(self, trees: Iterable[Tree], number: int) -> None:
        """Add trees to a pass."""
        for tree in trees:
            prefix = self._ids(tree.prefix)
            made = []
            for branch in tree.branches:
                prompt = self._ids(branch.prompt)
                made.append(([*prompt, *self._ids(branch.answer), self.end], len(prompt)))
            for part in _parts(made, self.longest - len(prefix)):
                self.trees.append((number, len(prefix), len(part)))
                self.tokens += prefix
                for ids, start in part:
                    self.tokens += ids
                    self.branches.append((len(ids), start))

    def _ids(self, text: str) -> list[int]:
        return list(self.words.encode(text).ids) if text else []

    def save(self, path: Path) -> None:
        """Write the arrays."""
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(
            path,
            tokens=np.array(self.tokens, np.int32),
            trees=np.array(self.trees, np.int32),
            branches=np.array(self.branches, np.int32),
        )


@dataclass(frozen=True, slots=True)
class Part:
    """Which rows a pass has: those of the ``latest`` authors and a share of the others, if the
    reader has learnt these already."""

    latest: Sequence[str]
    share: float

    def of(self, held: Sequence[Written], rng: random.Random) -> list[Written]:
        """That part of the rows."""
        return [one for one in held if one.author in self.latest or rng.random() < self.share]


def _parts(
    branches: Sequence[tuple[list[int], int]], room: int
) -> Iterable[list[tuple[list[int], int]]]:
    part: list[tuple[list[int], int]] = []
    used = 0
    for ids, start in branches:
        if len(ids) > room:
            continue
        if used + len(ids) > room:
            yield part
            part, used = [], 0
        part.append((ids, start))
        used += len(ids)
    if part:
        yield part


def requests(writer: Writer, args: argparse.Namespace) -> None:
    """Write the requests: over stores, over memories that change, and over none."""
    only, kept_out = args.only, args.held_out
    part = Part(args.latest, args.share)
    held = rows.stores(authors=only)
    told = [store for store in held if store.author not in kept_out]
    words = [row for row in rows.load(authors=only) if row.author not in kept_out]
    words = part.of(words, random.Random(args.passes))
    vectors = np.zeros(0) if only else queries([row.utterance for row in words])
    for number in range(args.passes):
        rng = random.Random(number)
        changing = part.of(edits.stores(authors=only, seed=number), rng)
        others = words
        if not only:
            heard = part.of(own.load(seed=number), rng)
            others = [*own.beside(words, vectors, rng), *heard]
        rng.shuffle(others)
        orders = [row.utterance for row in rng.sample(words, min(len(words), _ORDERS))]
        for store in (*part.of(told, rng), *changing):
            writer.add(seen.over(store, rng, orders), number)
        writer.add(seen.loose(others, told, rng, orders), number)
    for store in held:
        if store.author in kept_out:
            writer.add(seen.over(store, random.Random(0), plain=True), KEPT_OUT)


def turns(writer: Writer, args: argparse.Namespace) -> None:
    """Write the turns of conversations."""
    kept_out = args.held_out
    held = statements.load(authors=args.only)
    offering = statements.Offering(held)
    told = [turn for turn in held if turn.author not in kept_out]
    for number in range(args.passes):
        rng = random.Random(number)
        writer.add((offering.beside(turn, rng).tree() for turn in told), number)
    rng = random.Random(0)
    apart = (offering.beside(turn, rng) for turn in held if turn.author in kept_out)
    writer.add((turn.tree() for turn in apart), KEPT_OUT)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, help="the official GGUF")
    parser.add_argument("--out", type=Path, required=True, help="the examples, *.npz")
    parser.add_argument("--of", choices=("requests", "statements"), default="requests")
    parser.add_argument("--passes", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=(), help="authors, in place of all")
    parser.add_argument("--held-out", nargs="*", default=(), help="authors kept out")
    parser.add_argument("--latest", nargs="*", default=(), help="authors that stand in every pass")
    parser.add_argument("--share", type=float, default=1.0, help="of the others, in a pass")
    parser.add_argument("--longest", type=int, default=_LONGEST, help="tokens of a tree at most")
    args = parser.parse_args()
    words = tokenizer(args.weights)
    end = words.token_to_id("<|im_end|>")
    assert end is not None
    writer = Writer(words, end, args.longest)
    make = requests if args.of == "requests" else turns
    make(writer, args)
    writer.save(args.out)
    kept = sum(number == KEPT_OUT for number, _, _ in writer.trees)
    print(
        f"{len(writer.trees)} trees, {kept} kept out; {len(writer.branches)} examples, "
        f"{len(writer.tokens):,} tokens; {DATA}"
    )


if __name__ == "__main__":
    main()
