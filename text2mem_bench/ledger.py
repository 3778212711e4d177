"""How quick typed memory is at several sizes: observing, recalling, counting."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from text2mem.ir.ops import Content, Encode
from text2mem.ledger.episode import EPISODE, Message
from text2mem.memory import Memory
from text2mem.settings import NO_EMBEDDER
from text2mem_bench.figures import Figure, timed
from text2mem_bench.store import BULK, CONTEXT, blocks
from text2mem_bench.synthetic import NOW, START, chinese, word

OBSERVED = 400
PER_SUBJECT = 12
"""Facts of a subject: the versions of its attributes."""
AIMS = {"store an episode": 15.0, "recall by a question": 60.0, "recall": 20.0}
"""Milliseconds at the 95th percentile, by how the figure begins; of recall at 100,000 facts."""
_QUESTIONS: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("ledger_questions.toml").read_text(encoding="utf-8")
)
_ENGLISH, _CHINESE = _QUESTIONS["english"], _QUESTIONS["chinese"]
"""Attributes, and a question in words for each."""


@dataclass(slots=True)
class Facts:
    """A seeded source of made-up facts: subjects with a dozen versions of six attributes each.

    Every fourth subject has a Chinese name. A fact rests on an episode of its own words.
    """

    seed: int = 0
    _made: int = field(init=False, default=0)
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    @property
    def subjects(self) -> int:
        """How many subjects there are so far."""
        return -(-self._made // PER_SUBJECT)

    def subject(self, number: int) -> str:
        """The name of a subject."""
        return chinese(number) if number % 4 == 3 else word(number)

    def some(self, count: int) -> list[int]:
        """So many of the subjects, at random."""
        return self._random.choices(range(self.subjects), k=count)

    def question(self, number: int) -> tuple[str, str]:
        """An attribute, and a question for it in words about a subject."""
        attribute, question = self._random.choice(list(_asked(number).items()))
        return attribute, question.format(self.subject(number))

    def told(self, count: int) -> Iterator[tuple[Encode, Callable[[str], Encode]]]:
        """Episodes, each with what makes its fact once the id of the episode is known."""
        for _ in range(count):
            number, version = divmod(self._made, PER_SUBJECT)
            self._made += 1
            names = list(_asked(number))
            turn, place = divmod(version, len(names))
            attribute, subject = names[place], self.subject(number)
            value = word(self._random.randrange(5_000)).capitalize()
            begins = START + timedelta(days=300 * turn, seconds=self._random.randrange(86_400))
            said = Encode(
                content=Content("text", f"{subject}: {attribute} {value}"),
                attributes={
                    "type": EPISODE, "time": begins, "source": "user",
                    "facets": {"role": "user", "session": f"s{number}"},
                },
            )  # fmt: skip
            yield said, partial(_fact, subject, attribute, value, begins)


def _asked(number: int) -> Mapping[str, str]:
    """The attributes of a subject, with the questions."""
    return _CHINESE if number % 4 == 3 else _ENGLISH


def _fact(subject: str, attribute: str, value: str, begins: datetime, episode: str) -> Encode:
    stated = {"subject": subject, "attribute": attribute, "value": value}
    return Encode(
        content=Content("structured", stated),
        attributes={
            "type": "fact", "valid_from": begins, "confidence": 0.9, "source_episode_id": episode,
            "source": "user",
        },
    )  # fmt: skip


def measure(
    sizes: Sequence[int], folder: Path, *, seed: int = 0, rounds: int = 200
) -> Iterator[Figure]:
    """Grow one SQLite store through the sizes and measure at each; a figure as soon as it is known.

    There is no model and there are no vectors.
    """
    path, source, held = folder / "ledger.db", Facts(seed), 0
    with Memory(path, context=CONTEXT, embedder=NO_EMBEDDER) as memory:
        for n in sorted(sizes):
            _grow(memory, source, n - held)
            held = n
            yield from _figures(n, memory, source, rounds)
            size = sum(file.stat().st_size for file in folder.glob(f"{path.name}*")) / 1e6
            yield Figure(n, "file", size, size, 1, "MB")


def aim(figure: Figure) -> float | None:
    """The most milliseconds that a figure should take at its 95th percentile; None without one."""
    if figure.unit != "ms":
        return None
    return next((most for what, most in AIMS.items() if figure.what.startswith(what)), None)


def _grow(memory: Memory, source: Facts, count: int) -> None:
    for block in blocks(source.told(count), BULK):
        ids = memory.encode_many([said for said, _ in block])
        memory.encode_many([fact(id_) for (_, fact), id_ in zip(block, ids, strict=True)])


def _figures(n: int, memory: Memory, source: Facts, rounds: int) -> Iterator[Figure]:
    texts = [
        f"By the way, {source.subject(number)} has moved to {word(number % 999).capitalize()}."
        for number in source.some(OBSERVED)
    ]
    one = [partial(_observe, memory, text) for text in texts]
    yield timed(n, "store an episode, one transaction each", one)
    exact, past, worded = [], [], []
    for number in source.some(rounds):
        subject = source.subject(number)
        attribute, question = source.question(number)
        then = NOW - timedelta(days=200 + number % 300)
        named: dict[str, Any] = {"subject": subject, "attribute": attribute}
        exact.append(partial(memory.recall, **named))
        past.append(partial(memory.recall, **named, as_of=then))
        worded.append(partial(memory.recall, question))
    yield timed(n, "recall by subject and attribute", exact)
    yield timed(n, "recall at an instant", past)
    yield timed(n, "recall by a question in words", worded)
    yield timed(n, "stats", [memory.stats] * max(3, rounds // 40))


def _observe(memory: Memory, text: str) -> object:
    return memory.observe(Message(text=text), session="bench", extract=False)
