"""The rows of conversations: turns with the facts that they state.

A line with ``names`` says which attributes the store of a dialogue ``d`` declares. If it also says
what the dialogue is ``about``, the lines after it are the whole conversation, including the
assistant's. A turn is read with what was stated before it, and with the names of its store that are
nearest to it, as a memory offers them. If an author has declared none, names that others use are
offered.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from text2mem.adapters.shipped import shipped_registry
from text2mem.ir.words.mentions import ME, mention, mine
from text2mem.ir.words.naming import find_name, is_pattern, name_key
from text2mem.ir.words.segment import HAN
from text2mem.ledger.statements.asking import (
    OF_EACH,
    TURNS,
    Said,
    Triple,
    offered,
    texts,
    tuned_prompt,
)
from text2mem.ledger.statements.contract import Statement, dump, read_statements
from training.rows import DATA, by_author
from training.seen import Branch, Tree
from training.stores import queries

_OFFERED = 0.7
"""How often names are offered."""
_OTHERS = 30
"""How many names of other turns a store without declared ones has."""
_OWN = 0.7
"""How often the name of a stated fact is among them."""
_TOLD = 0.6
"""How often a turn whose author says what is known is shown with what its dialogue has stated,
too."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn with the facts that it states, the names that its store declares, and its author."""

    said: Said
    statements: tuple[Statement, ...]
    author: str
    declared: tuple[str, ...] = ()
    told: tuple[Triple, ...] = ()
    """What its dialogue has stated before it, as it is shown."""
    subjects: tuple[str, ...] = ()
    """Whom and what that is about."""
    whole: bool = False
    """Whether the rows hold the whole dialogue."""

    def tree(self) -> Tree:
        """The prompt, and the answer that the model is to write."""
        return Tree("", (Branch(tuned_prompt(self.said), dump(self.statements)),), self.author)


def load(folder: Path = DATA / "statements", authors: Sequence[str] = ()) -> list[Turn]:
    """The turns of a folder, by all authors or by some; a file is an author.

    Raises ValueError with the file and line of a row that breaks the contract.
    """
    return [turn for path in by_author(folder, authors) for turn in _read(path)]


def _read(path: Path) -> Iterator[Turn]:
    dialogues: dict[str, _Dialogue] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        row = json.loads(line)
        dialogue = dialogues.setdefault(row.get("d", f"line {number}"), _Dialogue())
        if "names" in row:
            dialogue.declared, dialogue.whole = tuple(row["names"]), "about" in row
            continue
        if "assistant" in row:
            dialogue.talk.append(("assistant", row["assistant"]))
            continue
        statements = read_statements({"facts": row["facts"]})
        if isinstance(statements, str):
            raise ValueError(f"{path}:{number}: {statements}")
        known = tuple(
            (_shown(subject), name, value) for subject, name, value in row.get("known", ())
        )
        before = [(turn["by"], turn["text"]) for turn in row.get("before", ())]
        if dialogue.whole:
            before = dialogue.talk[-TURNS:]
        said = Said(row["turn"], tuple(before), known)
        yield Turn(
            said, statements, path.stem, dialogue.declared, dialogue.shown(said), dialogue.subjects,
            dialogue.whole,
        )  # fmt: skip
        dialogue.tell(said, statements)


@dataclass
class _Dialogue:
    """What has been said in a dialogue, and what its memory holds of it."""

    declared: tuple[str, ...] = ()
    whole: bool = False
    talk: list[tuple[str, str]] = field(default_factory=list)
    held: list[Triple] = field(default_factory=list)
    """The facts, the latest last."""

    def shown(self, said: Said) -> tuple[Triple, ...]:
        """The facts that a memory shows beside a turn: those whose values it contains, and those of
        the subjects that it names and of the speaker, the latest first."""
        latest = self.held[::-1]
        turn, words = name_key(said.turn), name_key(" ".join(texts(said)))
        valued = [held for held in latest if find_name(name_key(held[2]), turn)][:OF_EACH]
        named = [whom for whom in self.subjects if find_name(name_key(whom), words)]
        of_each = [
            held for each in (*named, ME) for held in [h for h in latest if h[0] == each][:OF_EACH]
        ]
        return tuple(dict.fromkeys((*valued, *of_each)))

    @property
    def subjects(self) -> tuple[str, ...]:
        """Whom and what the facts are about, the latest first."""
        return tuple(dict.fromkeys(whom for whom, _, _ in self.held[::-1] if whom != ME))

    def tell(self, said: Said, statements: Sequence[Statement]) -> None:
        """Add what a turn states, as a ledger would."""
        self.talk.append(("user", said.turn))
        known = [triple for triple in said.known if triple not in self.held]
        self.held = [h for h in self.held if h[:2] not in {k[:2] for k in known}] + known
        before = [*self.held]
        for statement in statements:
            if statement.says or not statement.attribute:
                continue
            subject, old = _shown(statement.subject), name_key(statement.old or statement.value)
            line = [h for h in before if h[:2] == (subject, statement.attribute)]
            ended = [h for h in line if _alike(old, name_key(h[2]))] if old else line
            if not ended and (statement.kind or len(line) == 1):
                ended = line[-1:]
            self.held = [h for h in self.held if h not in ended]
            if statement.kind != "retract":
                self.held.append((subject, statement.attribute, statement.value))


def _alike(one: str, other: str) -> bool:
    """Whether one of two folded values occurs in the other."""
    return find_name(one, other) is not None or find_name(other, one) is not None


def _shown(subject: str) -> str:
    """A subject as a store shows it: without its article, and in lower case."""
    said = mention(subject)
    if said.owner == ME:
        return mine(_spelt(said.noun))
    return subject if subject == ME else _spelt(said.noun if said.owner is None else subject)


def _spelt(name: str) -> str:
    return name_key(name).replace("_", " ")


class Offering:
    """Names of attributes that are offered beside turns, as a memory does."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        shipped = [name for name in shipped_registry().attributes if not is_pattern(name)]
        self.common = {
            chinese: tuple(name.replace("_", " ") for name in shipped
                           if bool(HAN.search(name)) is chinese)
            for chinese in (True, False)
        }  # fmt: skip
        used = {s.attribute for turn in turns for s in turn.statements if s.attribute}
        self.used = {chinese: [n for n in sorted(used) if bool(HAN.search(n)) is chinese]
                     for chinese in (True, False)}  # fmt: skip
        known = (name for turn in turns for _, name, _ in (*turn.said.known, *turn.told))
        declared = (name for turn in turns for name in turn.declared)
        names = {name.replace("_", " ") for name in (*shipped, *used, *known, *declared)}
        ordered = sorted(names)
        self.vectors = dict(zip(ordered, queries(ordered), strict=True))
        said = [turn.said.turn for turn in turns]
        self.turns = dict(zip(said, queries(said), strict=True))

    def beside(self, turn: Turn, rng: random.Random) -> Turn:
        """The turn with what was stated before it, and with names."""
        told = [held for held in turn.told if held not in turn.said.known]
        if (told or turn.subjects) and (turn.whole or rng.random() < _TOLD):
            known = (*turn.said.known, *told)
            turn = replace(turn, said=replace(turn.said, known=known, subjects=turn.subjects))
        if rng.random() > (1 if turn.whole else _OFFERED):
            return turn
        own = [*dict.fromkeys((*(name for _, name, _ in told), *turn.declared))]
        chinese = bool(HAN.search(turn.said.turn))
        if not turn.declared:
            others = self.used[chinese]
            stated = [s.attribute for s in turn.statements if s.attribute and rng.random() < _OWN]
            own = [*own, *rng.sample(others, min(len(others), _OTHERS)), *stated]
        named = tuple(dict.fromkeys(name.replace("_", " ") for name in own))
        said = replace(turn.said, names=named, common=self.common[chinese])
        return replace(turn, said=offered(said, partial(self._by_nearness, turn)))

    def _by_nearness(self, turn: Turn, names: Sequence[str]) -> list[str]:
        if not names:
            return []
        near = np.stack([self.vectors[name] for name in names]) @ self.turns[turn.said.turn]
        return [names[i] for i in np.argsort(-near, kind="stable")]
