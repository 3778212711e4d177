"""Where an agent's memories are kept, and how the likeliest ten for a state are found.

They stand in a store under a tenant of their own, as a person's episodes do (``bank.py``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import mul
from typing import Any, Literal

from text2mem.adapters.base import Adapter
from text2mem.errors import ExecutionError
from text2mem.executor import Prepared
from text2mem.ir.context import ExecutionContext
from text2mem.ir.ports import Embedder
from text2mem.ir.words.segment import query_terms
from text2mem.program import Program
from text2mem.running import run_programs
from text2mem_bench.agent.loop import State
from text2mem_bench.agent.memories import AgentMemory, Level, memory_of

NEAREST = 10
_WIDER = 4
"""By how much more is looked through where not all that is near may be shown."""


@dataclass(frozen=True, slots=True)
class Near:
    """A memory that may be shown for a state, and how near it is: by vectors, and by words as a
    share of the state's. ``asked`` and ``held`` are the vectors of both."""

    memory: AgentMemory
    cosine: float
    words: float
    asked: Sequence[float] = ()
    held: Sequence[float] = ()

    def parts(self, many: int) -> tuple[float, ...]:
        """The cosine in ``many`` parts, by stretches of the vectors."""
        products = tuple(map(mul, self.asked, self.held))
        size = -(-len(products) // many) or 1
        return tuple(sum(products[n * size : (n + 1) * size]) for n in range(many))


@dataclass(slots=True)
class AgentBank:
    """Memories of both levels, of attempts that came out right. What is read of one is kept, since
    none is ever changed. ``own_only`` leaves out what is of other places than the state's.
    """

    adapter: Adapter
    context: ExecutionContext
    embedder: Embedder
    own_only: bool = False
    _vectors: dict[str, tuple[float, ...]] = field(default_factory=dict)
    _asked: dict[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.context = self.context.of_its_bank()

    def keep(self, memories: Iterable[AgentMemory]) -> int:
        """Keep memories; how many. Raises ExecutionError where the store refuses."""
        now = self.context.clock.now()
        programs = [Program.load([each.encoded()], now=now) for each in memories]
        prepared = Prepared.of(embedder=self.embedder)
        for result in run_programs(programs, self.adapter, self.context, prepared):
            if result.error is not None:
                raise ExecutionError(result.error.code, result.error.message)
        return len(programs)

    def near(
        self, state: State, level: Level, *, limit: int = NEAREST, without: Collection[str] = (),
        by: Literal["vectors", "words"] = "vectors",
    ) -> Sequence[Near]:  # fmt: skip
        """The nearest memories of a level, the nearest first; none of a seed in ``without``."""
        text = state.situation
        vector = self._vector(text)
        said = frozenset(query_terms(text))
        query = {"query": "", "vector": vector} if by == "vectors" else {"query": text}
        found = self._found(query, level, limit, without, state.place)
        self._read(found)
        return [self._near(each, vector, said) for each in found]

    def _near(self, memory: AgentMemory, vector: Sequence[float], said: frozenset[str]) -> Near:
        own = self._vectors[memory.id]
        words = len(said.intersection(query_terms(memory.key))) / len(said) if said else 0.0
        return Near(memory, sum(map(mul, vector, own)), words, vector, own)

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been kept yet."""
        return not self.adapter.view(self.context).recent(1)

    def _found(
        self, query: Mapping[str, Any], level: Level, limit: int, without: Collection[str],
        place: str,
    ) -> Sequence[AgentMemory]:  # fmt: skip
        view = self.adapter.view(self.context)
        reach = limit * _WIDER
        while True:
            hits = view.search(**query, limit=reach)
            memories = [memory_of(record) for record in hits]
            fit = [
                each
                for each in memories
                if each.level == level
                and each.seed not in without
                and each.good
                and (each.place == place or not self.own_only)
            ]
            if len(fit) >= limit or len(hits) < reach:
                return fit[:limit]
            reach *= _WIDER

    def _read(self, memories: Sequence[AgentMemory]) -> None:
        missing = [each.id for each in memories if each.id not in self._vectors]
        for id_, vector in self.adapter.view(self.context).vectors(missing).items():
            self._vectors[id_] = tuple(vector)

    def _vector(self, text: str) -> tuple[float, ...]:
        if text not in self._asked:
            self._asked[text] = tuple(self.embedder.embed([text], kind="query")[0])
        return self._asked[text]
