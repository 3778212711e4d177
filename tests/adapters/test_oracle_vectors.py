"""Vectors and hybrid search on the plain model, with an embedder of a few words."""

from __future__ import annotations

import pytest

from tests.adapters.plain_store import ALL, DAY, NOW, Store, Toy
from text2mem.adapters.base import Embedding
from text2mem.errors import ConfigurationError, ExecutionError
from text2mem.ir.ops import BySearch, Content, Delete, Expire, Merge, Split
from text2mem.ir.times.duration import Duration

TOY = Embedding("toy", 0.6)
WORDS = {"tea": (1.0, 0.0, 0.0), "drink": (0.8, 0.6, 0.0), "car": (0.0, 1.0, 0.0)}
NEW = 1.05
"""What a memory of this instant and of weight 0.5 is multiplied by."""


@pytest.fixture
def store() -> Store:
    store = Store()
    store.services = Toy(TOY, WORDS)
    return store


def held(store: Store) -> set[str]:
    return set(store.adapter._state.vectors)


def scores(store: Store, **search: object) -> dict[str, float]:
    found = store.adapter.resolve(BySearch(**search), store.scope())  # type: ignore[arg-type]
    assert list(found.scores) == [row.id for row in found.rows]
    return {id_: round(score / NEW, 6) for id_, score in found.scores.items()}


def test_every_text_has_a_vector_unless_it_is_left_out(store: Store) -> None:
    store.text("tea. car.")
    store.text("tea", skip_embedding=True)
    store.text("car")
    store.fact("car", valid_from=NOW - DAY)
    assert held(store) == {"1", "3", "4"}
    store.run(Split(target=ALL, strategy="by_sentences"), "1")
    store.edit("4", value="tea")
    assert held(store) == {"1", "3", "4", "5", "6", "7"}
    before = store.adapter._state.vectors["3"]
    store.edit("3", tags=("x",))
    assert store.adapter._state.vectors["3"] == before
    store.run(Merge(target=ALL, primary_id="3"), "1")
    assert store.adapter._state.vectors["3"] != before
    store.edit("2", skip_embedding=False)
    store.edit("3", skip_embedding=True)
    assert held(store) == {"1", "2", "4", "5", "6", "7"}
    store.run(Delete(target=ALL), "5")
    store.run(Delete(target=ALL, soft=False), "6")
    store.run(Expire(target=ALL, ttl=Duration(seconds=1), on_expire="anonymize"), "7")
    store.now = NOW + DAY
    store.adapter.settle(store.env())
    assert held(store) == {"1", "2", "4", "5"}


def test_a_memory_without_a_vector_is_told_and_found_later(store: Store) -> None:
    store.text("tea")
    store.services.silent = True
    effect = store.encode(Content("text", "drink"))
    assert effect.warnings == (
        "no vector for memory 2: the embedding service did not answer",
    )  # fmt: skip
    store.edit("1", text="drink")
    store.services.silent = False
    store.text("", skip_embedding=False)
    store.text("car", skip_embedding=True)
    assert [row.id for row in store.adapter.without_vectors(9)] == ["1", "2"]
    assert [row.id for row in store.adapter.without_vectors(1)] == ["1"]
    assert [row.id for row in store.adapter.without_vectors(9, after="1")] == ["2"]
    store.adapter.set_vectors(TOY, {"1": (1.0, 0.0, 0.0), "4": (1.0, 0.0, 0.0), "9": (1, 0, 0)})
    assert held(store) == {"1"}
    store.adapter.drop_vectors()
    assert held(store) == set()
    store.adapter.set_vectors(Embedding("other", 0.5), {"1": (1.0,)})
    assert held(store) == {"1"}


def test_a_store_refuses_the_embedder_of_another_model(store: Store) -> None:
    store.text("tea")
    store.services = Toy(Embedding("other", 0.5), WORDS)
    for use in (
        lambda: store.text("car"),
        lambda: store.ids(BySearch(query="tea")),
        lambda: store.adapter.set_vectors(Embedding("other", 0.5), {"1": (1.0, 0.0, 0.0)}),
    ):
        with pytest.raises(ConfigurationError, match="by 'toy'"), store.adapter.transaction():
            use()
    assert store.ids(ALL) == ["1"]
    store.services = Toy()  # no embedder at all is no other one
    assert store.ids(BySearch(query="tea")) == ["1"]


def test_two_rankings_are_fused(store: Store) -> None:
    store.text("car tea")  # words and, with a cosine of √½, vector
    store.text("tea", skip_embedding=True)
    store.text("drink")
    store.text("car")
    assert scores(store, query="tea") == {
        "1": round((61 / 62 + 61 / 62) / 2, 6),  # second for its words, as it is longer
        "2": 0.5,
        "3": 0.5,
    }
    assert scores(store, query="tea", alpha=1.0) == {"3": 1.0, "1": round(61 / 62, 6)}
    words = scores(store, query="tea", alpha=0.0)
    store.services = Toy()
    assert scores(store, query="tea") == words
    assert list(words) == ["2", "1"]


def test_the_context_is_searched_by_the_embedder_alone(store: Store) -> None:
    store.text("tea")
    store.text("drink")
    assert scores(store, query="car") == {"2": 0.5}
    # Between the two: "drink" is nearer still, and no word is found.
    assert scores(store, query="car", context="tea") == {"2": 0.5, "1": round(30.5 / 62, 6)}


def test_a_vector_is_searched_for_as_it_is(store: Store) -> None:
    with pytest.raises(ExecutionError) as refused:
        store.ids(BySearch(vector=(1.0, 0.0, 0.0)))
    assert refused.value.code == "no-embedder"
    for text in ("tea", "drink", "car"):
        store.text(text)
    assert scores(store, vector=(9.0, 0.0, 0.0)) == {"1": 1.0, "2": round(61 / 62, 6)}
    assert scores(store, vector=(0.0, 0.0, 0.0)) == {}
    with pytest.raises(ExecutionError) as refused:
        store.ids(BySearch(vector=(1.0, 0.0)))
    assert refused.value.code == "vector-dimension"


def test_weight_and_age_tell_equals_apart(store: Store) -> None:
    for weight, time in ((0.5, NOW - 30 * DAY), (1.0, NOW - 30 * DAY), (0.5, NOW + DAY)):
        store.text("tea", time=time)
        store.edit(str(store.adapter._state.last_id), weight=weight)
    found = store.adapter.resolve(BySearch(query="tea", alpha=1.0), store.scope())
    assert [row.id for row in found.rows] == ["2", "1", "3"]
    assert [round(found.scores[i], 6) for i in "123"] == [
        1.025, round(61 / 62 * 1.1 * 1.025, 6), round(61 / 63 * 1.05, 6),
    ]  # fmt: skip


def test_a_write_takes_near_hits_and_half_of_the_words(store: Store) -> None:
    store.text("tea time", skip_embedding=True)
    store.text("drink")
    assert store.ids(BySearch(query="tea kettle leaves"), floor=True) == ["2"]
    assert store.ids(BySearch(query="tea kettle leaves")) == ["1", "2"]


def test_only_the_best_of_each_ranking_take_part(store: Store) -> None:
    for number in range(103):
        store.text(f"tea {number}")
    found = store.adapter.resolve(BySearch(query="tea", limit=5), store.scope())
    assert ([row.id for row in found.rows], found.matched) == (["1", "2", "3", "4", "5"], 103)
    near = store.adapter.resolve(BySearch(query="drink", limit=5), store.scope())
    assert (len(near.rows), near.matched) == (5, 100)
    newest = store.adapter.resolve(BySearch(query="drink", limit=5, order_by="time"), store.scope())
    assert newest.matched == 103
