"""The generator: rows of synthetic cases in the published format, the same for the same seed.

Row i is a case of its own random numbers, made from the seed, its language and its place in it. So
the first rows do not depend on how many are asked for, nor one language's on the other's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from typing import Any

from text2mem.errors import ConfigurationError
from text2mem_bench.generate.cases import Case, draw_case, expected, notes
from text2mem_bench.generate.language import language
from text2mem_bench.generate.model import FAMILIES, LANGS, Family, Lang, Split
from text2mem_bench.generate.seeds import BY_OP, SEEDS
from text2mem_bench.generate.stage import Stage
from text2mem_bench.generate.targets import Draw
from text2mem_bench.generate.telling import Teller
from text2mem_bench.generate.templates import book
from text2mem_bench.generate.world import World, make_world

_ROUND = (*list(BY_OP)[:4], "workflow", *list(BY_OP)[4:8], "workflow", *list(BY_OP)[8:], "workflow")
"""What a language's cases are of, in turn: each op once, and three workflows."""
_SPLITS: tuple[Split, ...] = ("train", "train", "dev", "train", "train", "test", "train")
_FAMILIES: Mapping[Family, int] = {
    "operational": 40,
    "inquiry": 18,
    "conditional": 20,
    "interactive": 22,
}
_PER_WORLD = 8
_PATIENCE = 25
"""How often a case is drawn from one store before another store is made."""
_STORES = 12
"""How many stores are tried for one case."""


@dataclass(slots=True)
class _Supply:
    """The stores of one language and split, one after the other."""

    lang: Lang
    split: Split
    seed: int
    stage: Stage = field(default_factory=Stage)
    made: int = 0
    used: int = 0
    world: World | None = None
    open: ExitStack = field(default_factory=ExitStack)

    def current(self) -> World:
        """The store that is filled, which serves some cases."""
        if self.world is None or self.used >= _PER_WORLD:
            return self.next()
        return self.world

    def next(self) -> World:
        """Another store."""
        self.open.close()
        rng = Random(f"{self.seed}/{self.lang}/{self.split}/{self.made}")
        self.made, self.used = self.made + 1, 0
        self.world = make_world(self.lang, rng)
        self.open.enter_context(self.stage.filled(self.world.prerequisites(), self.world.now))
        return self.world


def generate(
    n: int, *, seed: int = 0, langs: Sequence[Lang] = LANGS, split: Split | None = None
) -> Iterator[dict[str, Any]]:
    """``n`` rows, the languages in turn; those of one split alone where one is named.

    Every row's program has run on its store, its assertions are false before and true after it, and
    no two rows have the same request and program. Raises ConfigurationError where there are no
    further cases.
    """
    supplies: dict[tuple[Lang, Split], _Supply] = {}
    seen: set[tuple[str, str]] = set()
    try:
        for number in range(n):
            lang = langs[number % len(langs)]
            place = number // len(langs)
            own = split or _SPLITS[place % len(_SPLITS)]
            if (lang, own) not in supplies:
                supplies[lang, own] = _Supply(lang, own, seed)
            yield _row(supplies[lang, own], place, seen)
    finally:
        for supply in supplies.values():
            supply.open.close()
            supply.stage.close()


def _row(supply: _Supply, place: int, seen: set[tuple[str, str]]) -> dict[str, Any]:
    what = _ROUND[place % len(_ROUND)]
    for attempt in range(_PATIENCE * _STORES):
        world = supply.next() if attempt and attempt % _PATIENCE == 0 else supply.current()
        rng = Random(f"{supply.seed}/{supply.lang}/{supply.split}/{place}/{attempt}")
        words = language(supply.lang)
        draw = Draw(rng, world, words)
        teller = Teller(words, book(supply.lang), supply.split, rng, world)
        # Some seeds have no words in some families: after a while, any will do.
        family: Family = Random(f"{supply.seed}/{supply.lang}/{place}/{attempt // 12}").choices(
            FAMILIES, [_FAMILIES[one] for one in FAMILIES]
        )[0]
        name = what if what == "workflow" else _one_of(what, rng)
        case = draw_case(draw, teller, name, family)
        if case is None:
            continue
        key = (case.said.utterance, repr(case.program))
        if key in seen:
            continue
        found = expected(case, supply.stage, draw)
        if found is None:
            continue
        seen.add(key)
        supply.used += 1
        return _as_row(case, found, world, supply, place, what)
    raise ConfigurationError(
        f"no further {what} case in '{supply.lang}' that is unlike the {place} before",
        hint="ask for fewer, or take another seed",
    )


def _one_of(op: str, rng: Random) -> str:
    names = BY_OP[op]
    return rng.choices(names, [SEEDS[name].share for name in names])[0]


def _as_row(
    case: Case, found: Mapping[str, Any], world: World, supply: _Supply, place: int, what: str
) -> dict[str, Any]:
    structure = "workflow" if len(case.steps) > 1 else "single"
    kind = "indirect" if case.telling.indirect else "direct"
    vague, references = notes(case)
    context = list(case.said.turns[:-1])
    return {
        "id": f"gen{supply.seed}-{supply.lang}-{kind}-{structure}-{what.lower()}-{place:05d}",
        "class": {"instruction_type": kind, "structure": structure, "lang": supply.lang},
        "nl": {supply.lang: case.said.utterance},
        "context": context,
        "prerequisites": [*world.prerequisites(), *case.setup],
        "schema_list": case.program,
        "init_db": None,
        "expected": found,
        "notes": "",
        "meta": {
            "family": case.family,
            "seed": "+".join(step.seed for step in case.steps),
            "template": case.telling.id,
            "split": supply.split,
            "context": context,
            "vague": vague,
            "references": references,
            "specified": case.full or None,
            "paraphrased_by": None,
        },
    }
