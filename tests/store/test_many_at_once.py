"""Many Encodes in one call leave the very rows that a program of them leaves, in every table."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.store.programs import NOW, WordHashes, context
from tests.store.soundness import contents, faults, looked_at
from text2mem.adapters.sql import bulk
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.executor import Prepared, encode_many, execute
from text2mem.ir.ops import Attributes, Content, Encode

ATTRIBUTES: dict[str, tuple[object, ...]] = {
    "type": ("note", "task", ""),
    "tags": ((), ("a",), ("b", "a", "b"), ('"); --', "标签")),
    "facets": ({}, {"b": 1, "a": [True, {"z": None}]}),
    "time": (NOW - timedelta(days=3), NOW),
    "subject": ("Ann", ""),
    "location": ("北京",),
    "topic": ("rent's",),
    "source": ("mail",),
    "read_perm_level": ("private",),
    "read_whitelist": ((), ("bo",)),
    "write_blacklist": (("bo", "al"),),
    "valid_from": (NOW,),
    "valid_to": (NOW + timedelta(days=1),),
    "confidence": (0, 0.0, 1, 0.25),
    "source_episode_id": ("e1",),
    "retention_policy": ("short", "unheard of"),
}
CONTENTS = (
    Content("text", "the wifi密码 is hanging"),
    Content("text", ""),
    Content("text", "with more", {"note": [1, 2.5, None], "text2": {}}),
    Content("url", "https://example.org/a"),
    Content("structured", {"milk": [1, "tea"], "a": None}, {"text": "given"}),
)


def encodes(count: int, seed: int) -> Iterator[Encode]:
    """Plain memories that give more or fewer fields."""
    chance = random.Random(seed)
    for _ in range(count):
        share = chance.choice((0.1, 0.5))
        given = {n: chance.choice(v) for n, v in ATTRIBUTES.items() if chance.random() < share}
        yield Encode(
            content=chance.choice(CONTENTS),
            attributes=Attributes(**given),  # type: ignore[typeddict-item]
            expire_at=chance.choice((None, None, NOW + timedelta(days=9))),
            skip_embedding=chance.random() < 0.1,
        )


@pytest.mark.parametrize("block", [1, 7, 5_000])
@pytest.mark.parametrize("actor", [None, "bo'; --"])
def test_rows_of_every_table(tmp_path: Path, block: int, actor: str | None) -> None:
    ops = list(encodes(60, seed=block))
    asked = context(actor=actor, trace_id="t", said="keep these")
    found = []
    for name in ("program", "at once"):
        with closing(SqliteAdapter(tmp_path / name)) as adapter, patch.object(bulk, "BLOCK", block):
            prepared = Prepared(embedder=WordHashes())
            if name == "program":
                assert execute(ops, adapter, asked, prepared=prepared).ok
            else:
                assert encode_many(ops, adapter, asked, prepared=prepared)[0] == "t"
        assert faults(tmp_path / name) == []
        with closing(looked_at(tmp_path / name)) as connection:
            found.append(contents(connection))
    assert found[0] == found[1]
    assert len(found[0]["memories"]) == 60


def test_a_failure_in_a_later_block_keeps_nothing(tmp_path: Path) -> None:
    ops = list(encodes(9, seed=0))
    with closing(SqliteAdapter(tmp_path / "store.db")) as adapter:
        encode_many(ops[:2], adapter, context())
        with closing(looked_at(tmp_path / "store.db")) as connection:
            before = contents(connection)
        broken = Encode(content=Content("text", "x", {"no JSON": object()}))
        with patch.object(bulk, "BLOCK", 3), pytest.raises(TypeError):
            encode_many([*ops[2:], broken], adapter, context())
        with closing(looked_at(tmp_path / "store.db")) as connection:
            assert contents(connection) == before
    assert faults(tmp_path / "store.db") == []
