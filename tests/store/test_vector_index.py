"""The index of vectors: what exact search finds, and nothing that is not in the file."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.store.programs import NOW, WordHashes, done, encode, erase, find, ids, on, opened, read
from tests.store.programs import context as local
from tests.store.soundness import faults
from text2mem import FixedClock, Memory
from text2mem.adapters.base import Embedding
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.adapters.sqlite.graph import Graph
from text2mem.errors import ConfigurationError, MissingExtra
from text2mem_bench.synthetic import Clusters

TOY = WordHashes()
TEXTS = 300


def indexed(
    path: Path | str, *, least: int = 1, embedder: WordHashes | None = TOY, **options: Any
) -> Memory:
    """A store that searches by the index from this number of vectors on."""
    asked = local(**options)
    adapter = SqliteAdapter(
        path, tenant=asked.tenant, vector_index="usearch", vector_index_from=least
    )
    return Memory(adapter, context=asked, summariser="extractive", embedder=embedder)


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with indexed(path) as memory:
        yield memory


@pytest.fixture
def texts(memory: Memory) -> list[str]:
    """What the first store holds; a search has made its index."""
    chance = random.Random(0)
    texts = [
        f"word{chance.randrange(40)} topic{chance.randrange(9)} own{number}"
        for number in range(TEXTS)
    ]
    assert all(result.ok for result in memory.execute_many([encode(text) for text in texts]))
    near(memory, texts[0])
    assert len(graph(memory)) == TEXTS
    return texts


def beside(path: Path, tenant: int = 1) -> Path:
    """The saved index of a tenant."""
    return path.with_name(f"{path.name}-vectors-{tenant}")


def graph(memory: Memory) -> Graph:
    adapter = memory.adapter
    assert isinstance(adapter, SqliteAdapter)
    found = adapter._store.vectors._graph
    assert found is not None
    return found


def near(memory: Memory, text: str, limit: int = 5) -> list[tuple[str, float]]:
    """Ids and scores of a search by vectors alone."""
    target = find(text, limit=limit, overrides={"alpha": 1.0})
    rows = done(memory, read(target, include=["score"])).results[0].rows
    return [(str(row["id"]), float(row["score"])) for row in rows]


def exactly(path: Path, text: str, **options: Any) -> list[tuple[str, float]]:
    """What exact search finds."""
    with opened(path, embedder=TOY, **options) as plain:
        return near(plain, text)


def agrees(memory: Memory, path: Path, asked: list[str], **options: Any) -> bool:
    """Whether searches find and score what exact ones do."""
    return all(near(memory, text) == exactly(path, text, **options) for text in asked)


# --- the same as exact search --------------------------------------------------------------


@pytest.mark.parametrize("seed", range(2))
def test_of_clustered_vectors_it_finds_what_exact_search_finds(seed: int, path: Path) -> None:
    count = 3_000
    made = Clusters(seed, count)
    shares = []
    with indexed(path, embedder=None) as memory, opened(path) as plain:
        assert all(r.ok for r in memory.execute_many([encode(f"n {n}") for n in range(count)]))
        rows = {str(id_): row.tolist() for id_, row in enumerate(made.rows(count), start=1)}
        with memory.adapter.transaction():
            memory.adapter.set_vectors(Embedding("toy:clusters", 0.2), rows)
        for row in made.rows(40).tolist():
            asked = {"search": {"intent": {"vector": row}, "limit": 10}}
            right, found = (
                {row["id"]: row["score"] for row in done(store, step).results[0].rows}
                for store, step in ((plain, read(asked, include=["score"])),
                                    (memory, read(asked, include=["score"])))
            )  # fmt: skip
            shares.append(len(right.keys() & found.keys()) / len(right))
            if list(found) == list(right):
                assert found == right
        assert len(graph(memory)) == count
    assert sum(shares) / len(shares) >= 0.95


def test_candidates_come_with_exact_cosines_above_the_threshold(
    memory: Memory, texts: list[str]
) -> None:
    asked = TOY.vector("word3 topic4")
    for threshold in (-1.0, 0.3, 0.6, 0.99):
        found, more = graph(memory).similar(asked, threshold, 2 * TEXTS)
        cosines = {
            number: sum(a * b for a, b in zip(asked, TOY.vector(text), strict=True))
            for number, text in enumerate(texts, start=1)
        }
        right = {id_ for id_, cosine in cosines.items() if cosine >= threshold}
        assert set(found) == right and not more
        falling = [cosines[id_] for id_ in found]
        assert all(a > b - 2e-6 for a, b in pairwise(falling))
    found, more = graph(memory).similar(asked, -1.0, 10)
    assert len(found) == 10 and more


def test_a_filter_that_leaves_few_falls_back_to_exact_search(path: Path) -> None:
    """Of 1,700 memories about one thing the actor may read the last twelve."""
    with indexed(path) as memory:
        shared = [encode(f"harbour own{number % 7}") for number in range(1_700)]
        mine = [
            encode(f"harbour lantern{number}", read_perm_level="public") for number in range(12)
        ]
        assert all(result.ok for result in memory.execute_many([*shared, *mine]))
        near(memory, "harbour")
    with indexed(path, actor="guest") as guest:
        found = near(guest, "harbour", 20)
        assert {int(id_) for id_, _ in found} <= set(range(1_701, 1_713))
        assert found == exactly_as_guest(path)


def exactly_as_guest(path: Path) -> list[tuple[str, float]]:
    with opened(path, embedder=TOY, actor="guest") as plain:
        return near(plain, "harbour", 20)


def test_what_is_archived_deleted_or_expired_is_not_found(
    memory: Memory, texts: list[str], path: Path
) -> None:
    first = [id_ for id_, _ in near(memory, texts[5])]
    done(memory, on("Demote", first[:1], archive=True))
    done(memory, on("Delete", first[1:2]))
    done(memory, on("Expire", first[2:3], ttl="P1D"))
    assert agrees(memory, path, [texts[5]])
    later = FixedClock(NOW + timedelta(days=2))
    with indexed(path, clock=later) as after:
        found = [id_ for id_, _ in near(after, texts[5])]
        assert not set(first[:3]) & set(found)
        assert agrees(after, path, [texts[5]], clock=later)


def test_few_vectors_are_compared_one_by_one(path: Path) -> None:
    with indexed(path, least=5) as memory:
        for number in range(4):
            done(memory, encode(f"harbour {number}"))
            near(memory, "harbour")
        assert len(graph(memory)) == 0
        done(memory, encode("harbour lantern"))
        near(memory, "harbour")
        assert len(graph(memory)) == 5
    assert beside(path).exists()


# --- what is written -----------------------------------------------------------------------


def test_updates_and_deletions_are_followed(memory: Memory, texts: list[str], path: Path) -> None:
    done(memory, on("Update", ["7"], set={"text": "meadow violin"}))
    assert near(memory, "meadow violin")[0][0] == "7"
    erase(memory, "8", "9")
    assert len(graph(memory)) == TEXTS
    assert agrees(memory, path, ["meadow violin", *texts[5:12]])
    assert len(graph(memory)) == TEXTS - 2
    gone = done(memory, on("Update", ["7"], set={"text": "copper"})).trace_id
    assert near(memory, "copper")[0][0] == "7"
    assert memory.undo(gone).ok
    assert agrees(memory, path, ["copper", "meadow violin"])


def test_another_connection_s_writes_are_seen(memory: Memory, texts: list[str], path: Path) -> None:
    with opened(path, embedder=TOY) as other:
        done(other, encode("granite 护照"))
        assert near(memory, "granite 护照")[0][0] == str(TEXTS + 1)
        done(other, on("Update", ["3"], set={"text": "orchard violin"}))
        assert near(memory, "orchard violin")[0][0] == "3"
        erase(other, "4")
        assert "4" not in [id_ for id_, _ in near(memory, texts[3])]
        assert agrees(memory, path, ["granite", "orchard", *texts[:6]])
        other.reindex(afresh=True)
        assert agrees(memory, path, ["granite", "orchard", *texts[:6]])


@pytest.mark.parametrize("how", ["refused", "dry"])
def test_what_is_rolled_back_is_not_found(
    how: str, memory: Memory, texts: list[str], path: Path
) -> None:
    steps = [encode("violin orchard"), on("Update", ["1"], set={"text": "copper"}),
             read(find("violin orchard", overrides={"alpha": 1.0}))]  # fmt: skip
    if how == "dry":
        assert str(TEXTS + 1) in [row["id"] for row in memory.preview(steps).results[2].rows]
    else:
        assert not memory.execute([*steps, on("Delete", ["9999"])]).ok
    with opened(path, embedder=TOY) as other:  # somebody else gets the id
        done(other, encode("granite 护照"))
    assert near(memory, "granite 护照")[0][0] == str(TEXTS + 1)
    assert agrees(memory, path, ["violin orchard", "copper", texts[0]])


@pytest.mark.parametrize("seed", range(3))
def test_a_long_history_of_two_connections(seed: int, path: Path) -> None:
    chance = random.Random(seed)
    traces: list[str] = []
    vocabulary = [f"word{number}" for number in range(12)]
    with indexed(path) as one, indexed(path) as two:
        for turn in range(90):
            who = chance.choice((one, two))
            text = " ".join(chance.choices(vocabulary, k=3)) + f" n{turn}"
            known = ids(who, {"filter": {"weight_gte": 0.0, "limit": 500}})
            some = chance.sample(known, min(2, len(known)))
            kind = chance.randrange(9) if len(some) == 2 else 0
            if kind <= 2:
                traces.append(done(who, encode(text)).trace_id)
            elif kind == 3:
                who.preview([encode(text), read(find(text)), encode(f"{text} more")])
            elif kind == 4:
                assert not who.execute([encode(text), read(find(text)), on("Delete", ["999"])]).ok
            elif kind == 5:
                traces.append(done(who, on("Update", some[:1], set={"text": text})).trace_id)
            elif kind == 6:
                erase(who, some[0])
            elif kind == 7 and traces:
                who.undo(chance.choice(traces[-5:]), force=True)
            elif chance.random() < 0.3:
                who.reindex(afresh=chance.random() < 0.5)
            if chance.random() < 0.5:
                near(who, text)
        for word in vocabulary:
            assert near(one, word) == near(two, word) == exactly(path, word)
    with indexed(path) as after:
        assert agrees(after, path, vocabulary)
    assert faults(path) == []


# --- the file beside the database ----------------------------------------------------------


def built(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the indexes that are made from now on."""
    sizes: list[int] = []
    make = Graph._build

    def noted(self: Graph, dimension: int) -> None:
        make(self, dimension)
        sizes.append(len(self))

    monkeypatch.setattr(Graph, "_build", noted)
    return sizes


def test_the_next_process_loads_what_was_saved(
    memory: Memory, texts: list[str], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.chmod(0o600)
    memory.reindex()
    assert beside(path).stat().st_mode & 0o777 == 0o600
    sizes = built(memory, monkeypatch)
    with indexed(path) as second:
        assert agrees(second, path, texts[:9])
        assert len(graph(second)) == TEXTS and sizes == []
    done(memory, encode("meadow"), encode("granite copper"))
    with indexed(path) as third:  # the last ones are added to what was saved
        assert near(third, "granite copper")[0][0] == str(TEXTS + 2) and sizes == []
    done(memory, on("Update", ["5"], set={"text": "violin orchard"}))
    with indexed(path) as fourth:  # what differs is looked for
        assert near(fourth, "violin orchard")[0][0] == "5" and sizes == []
        assert agrees(fourth, path, ["violin orchard", *texts[:9]])
    with indexed(path) as fifth:
        assert fifth.reindex() == 0
        assert sizes == [TEXTS + 2]


def test_vectors_that_are_erased_leave_the_saved_index(
    memory: Memory, texts: list[str], path: Path
) -> None:
    index = graph(memory)._index
    bytes_of = [index.get(number, "i8").tobytes() for number in (20, 21, 22)]
    saved = beside(path).read_bytes()
    assert all(held in saved for held in bytes_of)
    with opened(path, embedder=TOY) as other:  # one that knows nothing of indexes
        erase(other, "20")
    assert not beside(path).exists()
    near(memory, texts[19])
    assert not beside(path).exists()  # this process's own still has the bytes
    erase(memory, "21")
    near(memory, texts[20])
    with indexed(path) as second:
        near(second, texts[19])
    saved = beside(path).read_bytes()
    assert bytes_of[0] not in saved and bytes_of[1] not in saved and bytes_of[2] in saved
    erase(memory, "22")
    memory.reindex()
    assert bytes_of[2] not in beside(path).read_bytes()
    assert not list(path.parent.glob("*.new"))


def test_half_written_files_leave_with_an_erasure(
    memory: Memory, texts: list[str], path: Path
) -> None:
    unfinished = path.with_name(f"{beside(path).name}.new")
    unfinished.write_bytes(b"half")
    erase(memory, "1")
    assert not unfinished.exists()


def test_what_was_saved_before_a_change_is_not_saved_after_it(
    memory: Memory, texts: list[str], path: Path
) -> None:
    """A process that does not know of an erasure yet writes no file."""
    beside(path).unlink()
    graph(memory)._saved = 0
    with opened(path, embedder=TOY) as other:
        erase(other, "20")
    graph(memory).save()
    assert not beside(path).exists()


@pytest.mark.parametrize("how", ["cut", "flipped", "empty", "text", "stamp"])
def test_a_broken_file_is_made_anew(
    how: str, memory: Memory, texts: list[str], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = beside(path).read_bytes()
    broken = {
        "cut": saved[: len(saved) // 2],
        "flipped": saved[:3000] + bytes([saved[3000] ^ 255]) + saved[3001:],
        "empty": b"",
        "text": b"no index at all, but some words that are long enough",
        "stamp": saved[:-16] + (2**40).to_bytes(8, "little") + saved[-8:],
    }[how]
    beside(path).write_bytes(broken)
    sizes = built(memory, monkeypatch)
    with indexed(path) as second:
        assert agrees(second, path, texts[:3])
        assert sizes == [TEXTS]


def test_a_file_of_another_model_is_not_used(
    memory: Memory, texts: list[str], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = built(memory, monkeypatch)
    other = WordHashes("toy:other")
    with opened(path, embedder=other) as changed:
        changed.reindex(afresh=True)
    with indexed(path, embedder=other) as second:
        assert near(second, texts[3])[0][0] == "4"
        assert sizes == [TEXTS]


def test_a_file_of_another_store_is_not_believed(
    memory: Memory, texts: list[str], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same counters, other vectors: a copy of the database that went its own way."""
    sizes = built(memory, monkeypatch)
    stranger = path.with_name("stranger.db")
    with indexed(stranger) as second:
        backwards = [encode(text) for text in reversed(texts)]
        assert all(result.ok for result in second.execute_many(backwards))
        near(second, texts[0])
    beside(path).write_bytes(beside(stranger).read_bytes())
    with indexed(path) as third:
        assert agrees(third, path, texts[:5])
    assert sizes == [TEXTS, TEXTS]


def test_a_store_in_memory_saves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with indexed(":memory:") as memory:
        done(memory, encode("harbour"), encode("lantern"))
        assert near(memory, "harbour")[0][0] == "1"
        assert len(graph(memory)) == 2
    assert list(tmp_path.iterdir()) == []


# --- tenants -------------------------------------------------------------------------------


def test_tenants_have_indexes_of_their_own(memory: Memory, texts: list[str], path: Path) -> None:
    with indexed(path, tenant="guest") as guest:
        done(guest, encode("granite copper"), encode(texts[0]))
        assert near(guest, texts[0])[0][0] == "2"
        assert len(graph(guest)) == 2 and len(graph(memory)) == TEXTS
        assert agrees(guest, path, [texts[0], "granite"], tenant="guest")
        assert agrees(memory, path, [texts[0], "granite"])
        kept = beside(path).read_bytes()
        erase(guest, "2")
        assert beside(path).read_bytes() == kept and not beside(path, 2).exists()


# --- who asks for it -----------------------------------------------------------------------


def test_it_is_off_unless_asked_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEXT2MEM_VECTOR_INDEX", raising=False)
    for value, there in (("", False), ("exact", False), ("usearch", True)):
        monkeypatch.setenv("TEXT2MEM_VECTOR_INDEX", value)
        adapter = SqliteAdapter(path)
        assert (adapter._store.vectors._graph is not None) == there
        adapter.close()
    monkeypatch.setenv("TEXT2MEM_VECTOR_INDEX", "faiss")
    with pytest.raises(ConfigurationError, match="faiss") as wrong:
        SqliteAdapter(path)
    assert "usearch" in wrong.value.hint


def test_without_the_extra_it_says_what_to_install(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "usearch" else real(name)
    )
    with pytest.raises(MissingExtra) as missing:
        SqliteAdapter(path, vector_index="usearch")
    assert missing.value.extra == "ann"
    assert not path.exists()
