"""Vectors: what this process has of them in memory is what the file has, whoever wrote there."""

from __future__ import annotations

import builtins
import random
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.store.programs import WordHashes, done, encode, find, ids, merge, on, opened, read
from tests.store.soundness import faults
from text2mem import Memory
from text2mem.errors import ConfigurationError, MissingExtra

TOY = WordHashes()
WORDS = ("harbour", "lantern", "合同", "orchard", "护照", "violin", "granite", "copper", "牙医")


@pytest.fixture
def other(path: Path) -> Iterator[Memory]:
    """Another connection to the same file."""
    with opened(path, embedder=TOY) as memory:
        yield memory


def near(memory: Memory, text: str, limit: int = 30) -> list[tuple[str, float]]:
    """Ids and scores of a search by vectors alone."""
    target = find(text, limit=limit, overrides={"alpha": 1.0})
    rows = done(memory, read(target, include=["score"])).results[0].rows
    return [(str(row["id"]), float(row["score"])) for row in rows]


def best(memory: Memory, text: str) -> str | None:
    """The id of the nearest memory."""
    found = near(memory, text, 1)
    return found[0][0] if found else None


def afresh(path: Path, text: str) -> list[tuple[str, float]]:
    """What a connection finds that has just read the file."""
    with opened(path, embedder=TOY) as memory:
        return near(memory, text)


# --- what others write ---------------------------------------------------------------------


def test_what_others_add_change_and_remove_is_seen(memory: Memory, other: Memory) -> None:
    done(memory, encode("harbour lantern"), encode("orchard violin"))
    assert best(memory, "harbour lantern") == "1"
    done(other, encode("copper granite"))
    assert best(memory, "copper granite") == "3"
    done(other, on("Update", ["2"], set={"text": "合同 护照"}))
    assert best(memory, "合同 护照") == "2"
    done(other, on("Delete", ["1"], soft=False))
    assert "1" not in [id_ for id_, _ in near(memory, "harbour lantern")]
    done(other, merge("2", "3"))
    assert best(memory, "合同 护照 copper granite") == "2"
    gone = done(other, on("Update", ["2"], set={"skip_embedding": True})).trace_id
    assert near(memory, "合同 护照 copper granite") == []
    assert other.undo(gone).ok
    done(other, encode("meadow"))
    assert best(memory, "meadow") == "4"


def test_both_write_in_turn_and_both_see_all_of_it(memory: Memory, other: Memory) -> None:
    for number in range(12):
        writer, reader = (memory, other) if number % 2 else (other, memory)
        done(writer, encode(f"unique{number} word{number}"))
        if number % 3:
            assert best(writer, f"unique{number} word{number}") == str(number + 1)
        assert best(reader, f"unique{number} word{number}") == str(number + 1)


@pytest.mark.parametrize("seed", range(4))
def test_memory_and_file_never_differ(seed: int, memory: Memory, other: Memory, path: Path) -> None:
    """A long random history of two connections: programs, refusals, dry runs, undos, reindexing."""
    chance = random.Random(seed)
    traces: list[str] = []
    for turn in range(150):
        who = chance.choice((memory, other))
        text = " ".join(chance.choices(WORDS, k=3)) + f" n{turn}"
        known = ids(who, {"filter": {"weight_gte": 0.0, "limit": 500}})
        some = chance.sample(known, min(2, len(known)))
        kind = chance.randrange(11) if len(some) == 2 else 0
        if kind <= 2:
            traces.append(done(who, encode(text)).trace_id)
        elif kind == 3:
            who.preview([encode(text), read(find(text)), encode(f"{text} more")])
        elif kind == 4:  # refused after its first step has written and searched
            steps = [encode(text), read(find(text)), on("Delete", ["9999"])]
            assert not who.execute(steps).ok
        elif kind == 5:
            traces.append(done(who, on("Update", some[:1], set={"text": text})).trace_id)
        elif kind == 6:
            done(who, on("Delete", some[:1], soft=False))
        elif kind == 7:
            traces.append(done(who, merge(*some)).trace_id)
        elif kind == 8 and traces:
            who.undo(chance.choice(traces[-5:]), force=True)
        elif kind == 9:
            programs = [encode(f"{text} {n}") for n in range(3)]
            assert all(result.ok for result in who.execute_many(programs))
        elif chance.random() < 0.3:
            who.reindex(afresh=chance.random() < 0.5)
        if chance.random() < 0.5:
            near(who, text)
    for word in WORDS:
        fresh = afresh(path, word)
        assert near(memory, word) == fresh
        assert near(other, word) == fresh
    assert faults(path) == []


# --- what is not kept ----------------------------------------------------------------------


@pytest.mark.parametrize("how", ["refused", "dry", "rolled back"])
def test_what_is_rolled_back_is_not_there(how: str, memory: Memory, other: Memory) -> None:
    done(memory, encode("harbour lantern"))
    near(memory, "harbour")
    steps = [encode("violin orchard"), on("Update", ["1"], set={"text": "copper"}),
             read(find("violin orchard"))]  # fmt: skip
    if how == "dry":
        shown = memory.preview(steps).results[2].rows
        assert [row["id"] for row in shown] == ["2"]
    elif how == "refused":
        assert not memory.execute([*steps, on("Delete", ["99"])]).ok
    else:
        with pytest.raises(KeyError), memory.adapter.transaction():
            done(memory, *steps)
            raise KeyError
    assert best(memory, "harbour lantern") == "1"
    assert "2" not in [id_ for id_, _ in near(memory, "violin orchard")]
    # Somebody else gets the id that was given back: what this one had in mind of it is gone.
    done(other, encode("granite 护照"))
    assert best(memory, "granite 护照") == "2"
    assert [id_ for id_, _ in near(memory, "copper")] == [id_ for id_, _ in near(other, "copper")]


def test_an_id_given_back_twice_is_found_with_what_it_holds_now(
    memory: Memory, other: Memory
) -> None:
    done(memory, encode("harbour"), encode("lantern"))
    near(memory, "harbour")
    for _ in range(3):
        memory.preview([encode("violin"), encode("violin violin"), read(find("violin"))])
        near(memory, "violin")
    done(other, encode("copper granite"), encode("护照 合同"))
    assert best(memory, "copper granite") == "3"
    assert best(memory, "护照 合同") == "4"


def test_a_reindex_that_is_interrupted_goes_on(memory: Memory, path: Path) -> None:
    done(memory, *(encode(f"memory {number}") for number in range(5)))
    near(memory, "memory")
    broken = WordHashes("toy:new")
    power: list[str] = ["on"]

    def embed(texts: Any, *, kind: str) -> Any:
        if "memory 0" in texts and not power:
            raise RuntimeError("the power is off")
        return WordHashes.embed(broken, texts, kind=kind)  # type: ignore[arg-type]

    broken.embed = embed  # type: ignore[method-assign]
    with opened(path, embedder=broken) as changed:
        assert changed.reindex(afresh=True) == 5
        power.clear()
        with pytest.raises(RuntimeError):
            changed.reindex(afresh=True)
    with opened(path, embedder=WordHashes("toy:new")) as changed:
        assert changed.reindex() == 5
        assert best(changed, "memory 3") == "4"
    assert faults(path) == []


# --- which vectors -------------------------------------------------------------------------


def test_a_store_has_the_vectors_of_one_model(memory: Memory, path: Path) -> None:
    done(memory, encode("harbour"))
    with opened(path, embedder=WordHashes("toy:other")) as changed:
        for step in (encode("lantern"), read(find("harbour"))):
            with pytest.raises(ConfigurationError, match=r"toy:hashes.*toy:other") as refused:
                changed.execute([step])
            assert "reindex" in refused.value.hint
        with pytest.raises(ConfigurationError, match="toy:other"):
            changed.reindex()
        assert changed.adapter.active(changed.context) == 1  # nothing of it was kept
        assert changed.reindex(afresh=True) == 1
        assert best(changed, "harbour") == "1"
        done(changed, encode("lantern"))
    with pytest.raises(ConfigurationError, match=r"toy:other.*toy:hashes"):
        near(memory, "harbour")
    assert sorted(ids(memory, {"all": True})) == ["1", "2"]


def test_a_model_of_another_length_takes_over(memory: Memory, path: Path) -> None:
    done(memory, encode("harbour lantern"), encode("orchard"))
    near(memory, "orchard")
    with opened(path, embedder=WordHashes("toy:hashes", 8)) as shorter:
        result = shorter.execute([read(find("harbour"))])
        assert result.error is not None and result.error.code == "vector-dimension"
        result = shorter.execute([encode("granite")])
        assert result.error is not None and result.error.code == "vector-dimension"
        assert shorter.reindex(afresh=True) == 2
        assert best(shorter, "harbour lantern") == "1"
        result = memory.execute([read(find("harbour"))])
        assert result.error is not None and result.error.code == "vector-dimension"
    given = {"search": {"intent": {"vector": WordHashes("toy:hashes", 8).vector("orchard")}}}
    assert ids(memory, given)[:1] == ["2"]
    wrong = memory.execute([read({"search": {"intent": {"vector": [1.0, 0.0]}}})])
    assert wrong.error is not None and wrong.error.code == "vector-dimension"
    assert wrong.error.pointer == "/0"


def test_a_store_without_vectors_says_so(path: Path) -> None:
    with opened(path) as plain:
        done(plain, encode("harbour"))
        result = plain.execute([read({"search": {"intent": {"vector": [1.0, 0.0]}}})])
        assert result.error is not None and result.error.code == "no-embedder"
    with opened(path, embedder=TOY) as memory:
        assert ids(memory, find("harbour")) == ["1"]  # by its words
        assert memory.reindex() == 1
        assert best(memory, "harbour") == "1"


def test_without_numpy_vectors_say_what_to_install_and_words_go_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(path, embedder=TOY) as memory:
        done(memory, encode("harbour"), encode("lantern"), encode("meadow"))
    real = builtins.__import__

    def without_numpy(name: str, *args: Any, **options: Any) -> Any:
        if name.partition(".")[0] == "numpy":
            raise ImportError(name)
        return real(name, *args, **options)

    for name in [name for name in sys.modules if name.partition(".")[0] == "numpy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without_numpy)
    with opened(path) as plain:  # no embedder: nothing asks for vectors
        assert ids(plain, find("harbour")) == ["1"]
        done(plain, encode("orchard"), on("Delete", ["2"], soft=False))
        done(plain, on("Update", ["1"], set={"text": "granite"}))
    with opened(path, embedder=TOY) as memory:
        for step in (encode("violin"), read(find("harbour"))):
            with pytest.raises(MissingExtra, match="searching by vectors") as missing:
                memory.execute([step])
            assert missing.value.extra == "embeddings"
        assert memory.adapter.active(memory.context) == 3  # nothing of it was kept
    monkeypatch.undo()
    with opened(path, embedder=TOY) as memory:
        assert memory.reindex() == 2
    assert faults(path) == []


def test_vectors_are_stored_at_unit_length_and_in_one_form(memory: Memory, path: Path) -> None:
    done(memory, encode("harbour lantern"), encode("skipped", skip_embedding=True))
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT pk, vector FROM vectors").fetchall()
    [(pk, blob)] = rows
    assert pk == (1 << 40) + 1
    numbers = memoryview(blob).cast("f")
    assert len(numbers) == TOY.dimension
    assert sum(number * number for number in numbers) == pytest.approx(1.0, abs=1e-5)
