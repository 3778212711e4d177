"""Graphiti over a Kuzu in a file: its own graph, nothing behind our back, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.frameworks import agree, everything
from tests.frameworks.test_mirrored import delete, encode, opened
from text2mem.adapters.mirrored.graphiti_ import GraphitiAdapter, GraphitiKeeper
from text2mem.adapters.mirrored.graphiti_graph import REWRITING, Graph, shared
from text2mem.adapters.mirrored.mirrored import Mirrored, Search
from text2mem.adapters.mirrored.place import foreign_keeper
from text2mem.adapters.mirrored.vectors import Vectors
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.errors import AdapterError, ConfigurationError, StoreError
from text2mem.ir.context import ExecutionContext
from text2mem.mirroring import sync

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
ALONE = """
import json, os, socket, sys
asked = []
def refuse(self, *args, **options):
    asked.append(repr(args))
    raise OSError("no network here")
socket.socket.connect = socket.getaddrinfo = refuse
before = dict(os.environ)
from text2mem import Memory
with Memory("graphiti:g.kuzu?search=framework", embedder="none") as memory:
    memory.execute([{"stage": "ENC", "op": "Encode", "args": {"payload": {"text": "tea at five"}}}])
    target = {"search": {"intent": {"query": "tea"}}}
    found = memory.execute([{"stage": "RET", "op": "Retrieve", "target": target}])
print(json.dumps({
    "rows": len(found.results[0].rows), "asked": asked, "posthog": "posthog" in sys.modules,
    "changed": sorted(set(before.items()) ^ set(os.environ.items())),
}))
"""
"""A process of its own: Graphiti's telemetry knows pytest, and is off there anyway."""


@pytest.fixture(scope="module")
def graph() -> Iterator[Graph]:
    """A graph in memory, in which each test has a group."""
    with closing(Graph(":memory:")) as graph:
        yield graph


def store_of(graph: Graph, group: str, search: Search = "ours") -> Mirrored:
    keeper = GraphitiKeeper(graph, group, Vectors())
    return Mirrored(SqliteAdapter(), keeper, search=search)


def put(graph: Graph, group: str, **fields: Any) -> None:
    """A node of somebody else's, saved as Graphiti saves it."""
    from graphiti_core.nodes import EntityNode

    node = EntityNode(group_id=group, created_at=NOW, **fields)
    graph.run(graph.graphiti.nodes.entity.save_bulk([node]))


def asked(graph: Graph, statement: str) -> Any:
    (rows, *_) = graph.run(graph.graphiti.driver.execute_query(statement))
    return [tuple(row.values()) for row in rows]


def test_it_goes_to_no_network_and_reads_no_settings(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-somebody\n")
    done = subprocess.run(
        [sys.executable, "-c", ALONE],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"rows": 1, "asked": [], "posthog": False, "changed": []}
    assert done.stderr == ""
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        ".env", "g.kuzu", "g.kuzu.text2mem.db",
    ]  # fmt: skip


AND_A_MODEL = """
from text2mem.adapters.registry import open_adapter
open_adapter("graphiti:g.kuzu").close()
import kuzu, xllamacpp
print(xllamacpp.CommonParams().n_ctx)
"""


def test_a_local_model_may_be_loaded_after_it(tmp_path: Path) -> None:
    # Kuzu first and llama.cpp after it abort the process.
    done = subprocess.run(
        [sys.executable, "-c", AND_A_MODEL], cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().isdecimal()


def test_no_model_is_asked_whatever_graphiti_would_like(graph: Graph) -> None:
    from graphiti_core.nodes import EpisodeType

    work = graph.graphiti.add_episode(
        "talk", "Mira moved to Ghent", "a message", NOW, EpisodeType.message
    )
    with pytest.raises(ConfigurationError, match="Graphiti has no language model here"):
        graph.run(work)
    with pytest.raises(ConfigurationError, match="Graphiti has no embedder here"):
        graph.run(graph.graphiti.search("Ghent", group_ids=["asks"]))


def test_a_memory_is_a_node_of_graphitis_own(graph: Graph) -> None:
    with opened(store_of(graph, "own")) as memory:
        memory.execute([encode("tea at five", tags=["tea"]), encode("bread")])
        nodes = graph.run(graph.graphiti.nodes.entity.get_by_group_ids(["own"]))
        assert {node.name: node.attributes["text2mem"].get("tags") for node in nodes} == {
            "tea at five": ["tea"], "bread": None,
        }  # fmt: skip
        memory.execute([delete("1")])
        nodes = graph.run(graph.graphiti.nodes.entity.get_by_group_ids(["own"]))
        assert [node.name for node in nodes] == ["bread"]


def test_what_others_know_comes_in_and_keeps_its_form(graph: Graph) -> None:
    put(graph, "theirs", uuid="mira", name="Mira", summary="lives in Bergen", labels=["Person"],
        attributes={"age": 41}, name_embedding=[1.0])  # fmt: skip
    put(graph, "others", uuid="other", name="somebody else's")
    with opened(store_of(graph, "theirs")) as memory:
        found = sync(memory.adapter, ExecutionContext())
        record = memory.show("1")
        assert record is not None and found.new == ("1",) and not found.refused
        assert (record.text, record.source) == ("Mira: lives in Bergen", "graphiti")
        assert record.facets == {"labels": ["Person"], "age": 41}
        changed = {"text": "Mira: lives in Ghent"}
        memory.execute([
            {"stage": "STO", "op": "Update", "target": {"ids": ["1"]}, "args": {"set": changed}}
        ])  # fmt: skip
        (node,) = graph.run(graph.graphiti.nodes.entity.get_by_uuids(["mira"]))
        assert (node.name, node.summary, node.attributes["age"]) == ("Mira", "lives in Ghent", 41)
        assert set(node.labels) == {"Person", "Entity"}
        assert node.created_at.replace(tzinfo=UTC) == NOW
        assert agree(memory.adapter)

        put(graph, "theirs", uuid="mira", name="Mira", summary="lives in Oslo",
            attributes=node.attributes, name_embedding=[1.0])  # fmt: skip
        found = sync(memory.adapter, ExecutionContext())
        assert found.changed == ("1",) and memory.show("1").text == "Mira: lives in Oslo"  # type: ignore[union-attr]
        graph.run(graph.graphiti.nodes.entity.delete_by_uuids(["mira"]))
        found = sync(memory.adapter, ExecutionContext(confirmed=True))
        assert found.gone == ("1",)
        assert memory.undo(found.trace_id).ok
        assert agree(memory.adapter) and len(everything(memory.adapter.keeper)) == 1  # type: ignore[attr-defined]


def test_vectors_of_several_lengths_are_said_and_no_text_is_logged(
    graph: Graph, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(store_of(graph, "mixed", "framework")) as memory:
        memory.execute([encode("xylophonic secret")])
        put(graph, "mixed", uuid="short", name="theirs", name_embedding=[1.0, 0.0])
        target = {"search": {"intent": {"query": "xylophonic"}}}
        read = {"stage": "RET", "op": "Retrieve", "target": target}
        with pytest.raises(AdapterError, match="search of the group mixed fails") as caught:
            memory.execute([read])
        assert "search=framework" in (caught.value.hint or "")
        assert "xylophonic" not in str(caught.value)
    assert "xylophonic" not in caplog.text


def test_an_erasure_leaves_the_rest_of_the_graph_as_it_is(tmp_path: Path) -> None:
    place = tmp_path / "it's a graph.kuzu"
    with opened(GraphitiAdapter(str(place))) as memory:
        graph, release = shared(str(place))
        execute = graph.graphiti.driver.execute_query
        graph.run(
            graph.graphiti.driver.graph_ops.build_indices_and_constraints(graph.graphiti.driver)
        )
        graph.run(execute("CREATE NODE TABLE Shelf (name STRING PRIMARY KEY)"))
        graph.run(execute("CREATE (:Shelf {name: 'top'})"))
        put(graph, "others", uuid="mira", name="Mira of Bergen", name_embedding=[1.0])
        put(graph, "others", uuid="ghent", name="Ghent", name_embedding=[1.0])
        graph.run(execute(
            "MATCH (n:Entity {uuid: 'mira'}), (m:Entity {uuid: 'ghent'}) "
            "CREATE (n)-[:RELATES_TO]->(f:RelatesToNode_ {uuid: 'f', fact: 'she moved'}), "
            "(f)-[:RELATES_TO]->(m)"
        ))  # fmt: skip
        memory.execute([encode("xylophonic secret"), encode("bread and butter")])
        for id_ in ("1", "2"):  # twice, as what is written anew is written anew again
            trace = memory.execute([delete(id_, soft=False)])
            assert trace.results[-1].warnings == ("a hard delete cannot be undone",)
            assert agree(memory.adapter)
        facts = "MATCH (:Entity)-[:RELATES_TO]->(f:RelatesToNode_)-[:RELATES_TO]->(m:Entity)"
        assert asked(graph, f"{facts} RETURN f.fact, m.name") == [("she moved", "Ghent")]
        assert asked(graph, "MATCH (s:Shelf) RETURN s.name") == [("top",)]
        words = "CALL QUERY_FTS_INDEX('Entity', 'node_name_and_summary', 'bergen', TOP := 2)"
        assert asked(graph, f"{words} RETURN node.uuid") == [("mira",)]
        release()
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "it's a graph.kuzu", "it's a graph.kuzu.text2mem.db",
    ]  # fmt: skip
    assert b"xylophonic" not in place.read_bytes()


def test_an_erasure_that_fails_is_pending_and_is_done_later(tmp_path: Path) -> None:
    place = tmp_path / "g.kuzu"
    with opened(GraphitiAdapter(str(place))) as memory:
        memory.execute([encode("xylophonic secret"), encode("bread")])
        in_the_way = Path(f"{place}{REWRITING}")
        in_the_way.write_text("a file, where a folder is to be")
        warnings = memory.execute([delete("1", soft=False)]).results[-1].warnings
        assert any("erase pending" in warning for warning in warnings)
        in_the_way.unlink()
        assert memory.tick().warnings == ()
        assert memory.execute([encode("and butter")]).ok and agree(memory.adapter)
    assert b"xylophonic" not in place.read_bytes()


def test_one_process_has_a_file_at_a_time(tmp_path: Path) -> None:
    place = tmp_path / "g.kuzu"
    other = subprocess.Popen(
        [sys.executable, "-c", "import kuzu; d = kuzu.Database('g.kuzu'); print(); input()"],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with other:
        assert other.stdout is not None and other.stdout.readline() == "\n"
        with pytest.raises(StoreError, match="Could not set lock") as caught:
            GraphitiAdapter(str(place))
        assert caught.value.hint == "it takes one process at a time"
        other.communicate("\n")
    with opened(GraphitiAdapter(str(place))) as memory:
        memory.execute([encode("one")])
        again = opened(GraphitiAdapter(f"{place}?sidecar=:memory:"))  # the same process may
        again.close()
        assert agree(memory.adapter)


def test_what_is_no_graph_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.kuzu").write_text("not a graph, but a text that is long enough to be read")
    for place in (tmp_path, tmp_path / "text.kuzu", tmp_path / "no" / "such" / "g.kuzu"):
        with pytest.raises(StoreError, match="as a Kuzu of Graphiti"):
            GraphitiAdapter(f"{place}?sidecar=:memory:")
    with pytest.raises(ConfigurationError, match="no group of Graphiti"):
        GraphitiAdapter(f"{tmp_path}/g.kuzu?namespace=a/b")
    with pytest.raises(ConfigurationError, match="is not a file"):
        GraphitiAdapter("bolt://localhost:7687?sidecar=:memory:")
    assert [file.name for file in tmp_path.iterdir()] == ["text.kuzu"]


def test_a_graph_that_was_never_opened_here_is_read_as_it_is(tmp_path: Path) -> None:
    place = tmp_path / "theirs.kuzu"
    graph, release = shared(str(place))
    put(graph, "mira", uuid="tea", name="Mira drinks tea", name_embedding=[1.0])
    put(graph, "olaf", uuid="milk", name="Olaf drinks milk", name_embedding=[1.0])
    release()
    keeper = foreign_keeper(f"graphiti:{place}", "mira")
    assert keeper is not None
    assert [item.text for item in everything(keeper).values()] == ["Mira drinks tea"]
    keeper.close()
    assert [file.name for file in tmp_path.iterdir()] == ["theirs.kuzu"]


def test_a_program_of_another_thread_waits_its_turn(tmp_path: Path) -> None:
    place = tmp_path / "g.kuzu"
    memories = {
        tenant: opened(GraphitiAdapter(str(place), tenant=tenant), tenant) for tenant in ("a", "b")
    }
    with ThreadPoolExecutor(2) as threads:
        done = [
            threads.submit(memory.execute, [encode(f"number {n} of {tenant}") for n in range(9)])
            for tenant, memory in memories.items()
        ]
        assert all(each.result().ok for each in done)
    for tenant, memory in memories.items():
        assert agree(memory.adapter)
        held = everything(memory.adapter.keeper).values()  # type: ignore[attr-defined]
        assert {item.text[-1] for item in held} == {tenant} and len(held) == 9
        memory.close()


def test_long_and_odd_texts_come_back_as_they_are(graph: Graph) -> None:
    odd = ["é" * 300_000, "a\n\t'\"\\ {x} $y \x01 \u2028 😀 合同", " ", "0", "-- ; DROP"]
    with opened(store_of(graph, "odd")) as memory:
        memory.execute([encode(text, facets={"same": text}) for text in odd])
        assert agree(memory.adapter)
