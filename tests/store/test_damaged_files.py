"""Files that are no whole store: whatever is asked of one, the answer is an error that says so."""

from __future__ import annotations

import os
import random
import resource
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.store.programs import LONG, context, done, encode, fact, find, on, read
from text2mem import Memory
from text2mem.adapters.sqlite.database import open_database
from text2mem.errors import AdapterError, StoreError, Text2MemError

PAGE = 4096
SECRET = "zqsecret"
"""Stands in every text: an error quotes nothing of what is stored."""
SEEDS = 400 if LONG else 36
A_SEED = 6
"""How many calls a file gets."""

CALLS: Mapping[str, Callable[[Memory], Any]] = {
    "encode": lambda m: m.execute([encode("new", tags=["a"])]),
    "fact": lambda m: m.execute([fact("ann1", "attr1", "x")]),
    "all": lambda m: m.execute([read({"all": True})]),
    "search": lambda m: m.execute([read(find("lantern boat"))]),
    "filter": lambda m: m.execute([read({"filter": {"has_tags": ["a"], "subject": "ann1"}})]),
    "update": lambda m: m.execute([on("Update", ["3"], set={"text": "changed"})]),
    "delete": lambda m: m.execute([on("Delete", ["5"], soft=False, cascade=True)]),
    "tick": lambda m: m.tick(),
    "show": lambda m: [m.show(str(number)) for number in range(1, 20)],
    "history": lambda m: (m.history("3"), m.lineage("3"), m.log()),
    "undo": lambda m: m.undo_last(),
    "recall": lambda m: m.recall("Where does ann1 live?"),
    "observe": lambda m: m.observe("I live in Rome.", extract=True),
    "work": lambda m: m.work(),
    "counts": lambda m: (m.stats(), m.pending(), m.adapter.queue.tasks(dead=False)),
    "export": lambda m: m.export("ann1"),
    "forget": lambda m: m.forget(subject="ann2"),
    "reindex": lambda m: m.reindex(),
    "view": lambda m: (m.view().recent(), m.view().tags(), m.view().vocabulary(20)),
    "several": lambda m: list(m.execute_many([[encode("x")], [encode("y")]])),
    "registry": lambda m: (m.registry, m.adapter.set_aside()),
}


def opened(path: Path) -> Memory:
    return Memory(
        str(path), context=context(), summariser="extractive", embedder="none", reader="none"
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a store with a bit of everything."""
    path = tmp_path_factory.mktemp("whole") / "whole.db"
    with opened(path) as memory:
        for number in range(24):
            text = f"{SECRET} {number} about the lantern and the boat " * 5
            note = encode(text, tags=["a", f"t{number % 7}"], facets={"n": number})
            done(memory, note, fact(f"ann{number % 5}", f"attr{number % 3}", f"{SECRET} {number}"))
        memory.observe("I live in Bergen.", extract=True)
        memory.observe("We moved to Oslo.", extract=False)
        done(memory, on("Expire", ["1"], ttl="P1D", on_expire="hard_delete"))
    return path.read_bytes()


def harmed(whole: bytes, chance: random.Random) -> bytes:
    """The file cut, with other bytes, pages or a header, or with something behind it."""
    held = bytearray(whole)
    pages = range(PAGE, len(held), PAGE)
    match chance.choice(["cut", "bytes", "bytes", "bytes", "page", "swap", "head", "zero", "tail"]):
        case "cut":
            del held[chance.randrange(1, len(held)) :]
        case "bytes":
            for _ in range(chance.choice([1, 5, 40, 400])):
                held[chance.randrange(100, len(held))] = chance.randrange(256)
        case "page":
            for at in chance.sample(pages, 3):
                held[at : at + PAGE] = chance.randbytes(PAGE)
        case "swap":
            one, other = chance.sample(pages, 2)
            held[one : one + PAGE], held[other : other + PAGE] = (
                held[other : other + PAGE], held[one : one + PAGE],
            )  # fmt: skip
        case "head":
            at = chance.randrange(96)
            held[at : at + 4] = chance.randbytes(4)
        case "zero":
            at = chance.choice(pages)
            held[at : at + PAGE] = bytes(PAGE)
        case "tail":
            held += chance.randbytes(chance.randrange(1, 3 * PAGE))
    return bytes(held)


def asked(path: Path, chance: random.Random) -> Iterator[tuple[str, Exception]]:
    """Every error of opening a file and of some calls on it."""
    try:
        memory = opened(path)
    except Exception as error:
        yield "open", error
        return
    with memory:
        for name in chance.sample(sorted(CALLS), A_SEED):
            try:
                CALLS[name](memory)
            except Exception as error:
                yield name, error


@pytest.mark.parametrize("block", range(3))
def test_whatever_is_asked_of_a_damaged_file_says_what_to_do(
    block: int, whole: bytes, tmp_path: Path
) -> None:
    found: list[tuple[int, str, Exception]] = []
    for seed in range(block, SEEDS, 3):
        chance = random.Random(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / "store.db").write_bytes(harmed(whole, chance))
        found += [(seed, *each) for each in asked(folder / "store.db", chance)]
        shutil.rmtree(folder)
    assert len(found) > 3, "hardly anything was damaged"
    for where, call, error in found:
        assert isinstance(error, Text2MemError), (where, call, repr(error))
        chain = f"{error} {error.__cause__!r}"
        assert error.hint and SECRET not in chain, (where, call, chain)


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (b"SQLite format 4\0" + bytes(4000), "not a database"),
        (b"%PDF-1.7" + bytes(9000), "not a database"),
        (b"x", "not a database"),
        (b"\xff" * 5000, "not a database"),
    ],
)
def test_a_file_of_something_else_stays_as_it_is(held: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(held)
    with pytest.raises(StoreError, match=said) as refused:
        opened(path)
    assert "a file that does not exist yet" in refused.value.hint
    assert path.read_bytes() == held


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as refused:
        opened(tmp_path)
    assert refused.value.hint == "that is a folder; name a file in it"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
@pytest.mark.parametrize("mode", [0o000, 0o200, 0o400])
def test_a_file_without_rights_is_refused(mode: int, whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(whole)
    path.chmod(mode)
    with pytest.raises(Text2MemError) as refused:
        done(opened(path), encode("x"))
    assert refused.value.hint


def test_a_file_that_goes_bad_while_it_is_open_is_told_of(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(whole)
    with opened(path) as memory:
        done(memory, encode("before"))
        db = open_database(path)
        db.execute("DROP TABLE journal")
        db.execute("DROP TABLE queue")
        db.close()
        for name in ("encode", "history", "undo", "work", "counts"):
            with pytest.raises(Text2MemError) as refused:
                CALLS[name](memory)
            assert refused.value.hint, name


def test_a_file_that_may_not_grow_is_not_called_damaged(whole: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(whole)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with opened(tmp_path / "a.db") as memory:
        resource.setrlimit(resource.RLIMIT_FSIZE, (PAGE, limits[1]))
        try:
            with pytest.raises(AdapterError, match="disk I/O") as caught:
                memory.add("long " * 10_000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert "damaged" not in caught.value.hint
        assert "a limit on the size of files" in caught.value.hint
        assert memory.add("short")


def test_an_error_quotes_nothing_of_a_text_that_is_no_text(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(whole)
    with sqlite3.connect(path) as connection:
        connection.execute(
            "UPDATE memories SET text = CAST(? AS TEXT)", (SECRET.encode() + b"\xd6\x20",)
        )
    connection.close()
    with opened(path) as memory:
        for name in ("show", "all", "view", "export"):
            with pytest.raises(Text2MemError) as refused:
                CALLS[name](memory)
            assert "decode" in str(refused.value), name
            assert SECRET not in f"{refused.value} {refused.value.__cause__!r}"
