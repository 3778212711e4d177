"""A framework's own search beside ours, on the same memories: how long, and what is found.

A known item is asked for twice: by the rarest of its words, which the framework finds by vectors of
hashed terms and ours by BM25; and by a paraphrase, a text without a word of it whose vector is near
the memory's, in clusters of memories that are near each other. There both have the same vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Literal

from text2mem.adapters.base import Adapter
from text2mem.adapters.mirrored.mirrored import BATCH, Mirrored
from text2mem.adapters.mirrored.place import Place, PlacedAdapter
from text2mem.adapters.mirrored.vectors import DIMENSION, Vectors
from text2mem.adapters.registry import GROUP
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.errors import ConfigurationError, StoreError
from text2mem.executor import Prepared, encode_many, execute
from text2mem.ir.ops import BySearch, Encode, Retrieve
from text2mem.ir.ports import Embedder
from text2mem.plugins import registered
from text2mem_bench.figures import Figure, rates, timed, took
from text2mem_bench.mirrors import taken_away
from text2mem_bench.ranking import reciprocal_rank
from text2mem_bench.store import CONTEXT, blocks
from text2mem_bench.synthetic import VOCABULARY, Clusters, Synthetic, chinese, word

K = 10
"""Among how many the item is to be."""
ASKED_WORDS = 2
_BLUR = 3.0
"""How much longer what is a paraphrase's own is than what it shares with its memory."""


class Told:
    """An embedder that was told the vector of every text."""

    model = "synthetic:told"
    threshold = 0.1
    dimension = DIMENSION

    def __init__(self) -> None:
        self.rows: dict[str, Any] = {}

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> Sequence[Sequence[float]]:
        """Those of texts that it was told; any other one is the first."""
        some = next(iter(self.rows.values()))
        return [self.rows.get(text, some).tolist() for text in texts]


@dataclass(frozen=True, slots=True)
class Question:
    """Words to search by, and the id of the memory that is meant."""

    text: str
    id: str


def measure(
    specs: Sequence[str], folder: Path, *, n: int, seed: int = 0, rounds: int = 60
) -> Iterator[Figure]:
    """Every store by words and by paraphrases; a figure as soon as it is known.

    A store is ``langgraph``, ``mem0``, or one of them on a server: what is put there is taken away
    at the end. Raises ConfigurationError where a store has no search of its own.
    """
    kinds = {label(spec): _placed(spec) for spec in specs}
    if len(kinds) < len(specs):
        raise ConfigurationError("a store is measured once", hint="name each --store once")
    encodes = list(Synthetic(seed, total=n).encodes(n))
    told = Told()
    paraphrases = _paraphrases(encodes, told, seed, rounds)
    settings: tuple[tuple[str, Sequence[Question], Embedder | None], ...] = (
        ("words", _by_rare_words(encodes, seed, rounds), None),
        ("paraphrases", paraphrases, told),
    )
    for name, spec in zip(kinds, specs, strict=True):
        for how, asked, embedder in settings:
            with ExitStack() as stack:
                own = Path(stack.enter_context(TemporaryDirectory(dir=folder)))
                opened = _opened(kinds[name], spec, own, how, Vectors(embedder))
                theirs = stack.enter_context(closing(opened))
                if "://" in spec:
                    stack.callback(taken_away, theirs)
                for figure in _measured(theirs, encodes, asked, embedder, how):
                    yield replace(figure, store=name)


def label(spec: str) -> str:
    """How a store is called in a figure, without where its server is."""
    kind, _, rest = spec.partition(":")
    return f"{kind} ({rest.partition('://')[0]})" if "://" in rest else kind


def _placed(spec: str) -> type[PlacedAdapter]:
    kind = spec.partition(":")[0]
    found = registered(GROUP)[kind].load() if kind in registered(GROUP) else None
    if not (isinstance(found, type) and issubclass(found, PlacedAdapter)):
        raise ConfigurationError(
            f"'{kind}' has no search of its own", hint="--store langgraph, --store mem0"
        )
    return found


def _opened(
    kind: type[PlacedAdapter], spec: str, folder: Path, how: str, vectors: Vectors
) -> Mirrored:
    place = spec.partition(":")[2] or str(folder / "framework")
    at = Place.read(place, tenant="default", namespace=f"text2mem-bench-{how}")
    keeper = kind.open_keeper(replace(at, search="framework"), vectors)
    return Mirrored(SqliteAdapter(folder / "side.db"), keeper, search="framework")


def _measured(
    theirs: Mirrored, encodes: Sequence[Encode], asked: Sequence[Question],
    embedder: Embedder | None, how: str,
) -> Iterator[Figure]:  # fmt: skip
    n = len(encodes)
    filled = []
    for block in blocks(encodes, BATCH):
        prepared = Prepared(embedder=embedder)
        call = partial(encode_many, block, theirs, CONTEXT, prepared=prepared)
        filled.append(len(block) / took(call))
        if (why := theirs.undelivered()) is not None:
            raise StoreError(why)
    yield rates(n, f"{how}: encode, calls of {BATCH}", filled)
    # Both places are the same ones, so that nothing is delivered anew.
    ours = Mirrored(theirs.sidecar, theirs.keeper, search="ours")
    searches = {
        "ours": partial(_through, ours, embedder),
        "the framework's, through the adapter": partial(_through, theirs, embedder),
        "the framework's, asked directly": partial(_directly, theirs),
    }
    for whose, search in searches.items():
        search(asked[-1])
        found: list[float] = []
        calls = [partial(_kept, found, search, question) for question in asked[:-1]]
        yield timed(n, f"{how}: search, {whose}", calls)
        share = sum(rank >= 1 / K for rank in found) / len(found)
        mean = sum(found) / len(found)
        yield Figure(n, f"{how}: found, {whose}", share, mean, len(found), f"in {K}, MRR")


def _kept(found: list[float], search: Any, question: Question) -> None:
    found.append(reciprocal_rank(search(question), {question.id}))


def _through(adapter: Adapter, embedder: Embedder | None, question: Question) -> list[str]:
    op = Retrieve(target=BySearch(query=question.text, limit=K))
    result = execute([op], adapter, CONTEXT, prepared=Prepared(embedder=embedder))
    return [str(row["id"]) for row in result.results[0].rows]


def _directly(adapter: Mirrored, question: Question) -> list[str]:
    keys = [key for key, _ in adapter.keeper.search(question.text, K)]
    ids = adapter.outbox.ids(keys)
    return [ids[key] for key in keys]


def _by_rare_words(encodes: Sequence[Encode], seed: int, rounds: int) -> list[Question]:
    """Some memories, each by the words of it that fewest others are expected to have."""
    ranks = {name: rank for rank in range(VOCABULARY) for name in (word(rank), chinese(rank))}
    chosen = Random(seed).sample(range(len(encodes)), rounds + 1)
    questions = []
    for number in chosen:
        text = str(encodes[number].content.value)
        held = text.split() if " " in text else [text[i : i + 2] for i in range(0, len(text), 2)]
        rare = sorted(set(held), key=lambda each: -ranks[each])[:ASKED_WORDS]
        questions.append(Question(" ".join(rare), str(number + 1)))
    return questions


def _paraphrases(encodes: Sequence[Encode], told: Told, seed: int, rounds: int) -> list[Question]:
    """Some memories, each by a text that shares no word with any; ``told`` learns all vectors."""
    import numpy

    clusters = Clusters(seed, len(encodes), dimension=DIMENSION)
    held = clusters.rows(len(encodes))
    told.rows.update((str(op.content.value), row) for op, row in zip(encodes, held, strict=True))
    chosen = Random(seed + 1).sample(range(len(encodes)), rounds + 1)
    own = Clusters(seed + 1, 1, noise=None, dimension=DIMENSION).rows(len(chosen))
    blurred = held[chosen] + _BLUR * own
    blurred /= numpy.linalg.norm(blurred, axis=1, keepdims=True)
    texts = [f"paraphrase{number}q" for number in chosen]
    told.rows.update(zip(texts, blurred, strict=True))
    return [Question(text, str(number + 1)) for text, number in zip(texts, chosen, strict=True)]
