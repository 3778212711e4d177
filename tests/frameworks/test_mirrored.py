"""A store in two places: outages, erasure, two tenants, and what a framework's search returns."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from langgraph.store.sqlite import SqliteStore
from langgraph.store.sqlite.base import VECTOR_MIGRATIONS
from qdrant_client import QdrantClient

from tests.conformance.frameworks import FRAMEWORKS, agree, everything
from tests.postgres import fresh, server
from text2mem import Memory
from text2mem.adapters.base import Adapter
from text2mem.adapters.mirrored.keeper import Item
from text2mem.adapters.mirrored.langgraph_ import TEXTS, LangGraphAdapter, LangGraphKeeper, index_of
from text2mem.adapters.mirrored.mem0_ import Mem0Adapter
from text2mem.adapters.mirrored.mirrored import Mirrored
from text2mem.adapters.mirrored.place import Place, plain
from text2mem.adapters.mirrored.vectors import Vectors
from text2mem.adapters.postgres.adapter import PostgresAdapter
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.errors import AdapterError, ConfigurationError
from text2mem.ir.context import ExecutionContext
from text2mem_bench.oracle.adapter import PlainAdapter

NAMES = list(FRAMEWORKS)


def encode(text: str, **args: Any) -> dict[str, Any]:
    return {"stage": "ENC", "op": "Encode", "args": {"payload": {"text": text}, **args}}


def delete(*ids: str, soft: bool = True) -> dict[str, Any]:
    return {"stage": "STO", "op": "Delete", "target": {"ids": list(ids)}, "args": {"soft": soft}}


def opened(adapter: Adapter, tenant: str = "default") -> Memory:
    return Memory(adapter, embedder="none", context=ExecutionContext(tenant=tenant, confirmed=True))


class Failing(LangGraphKeeper):
    """A framework that is down while it is told to be."""

    down = False

    def put(self, items: Sequence[Item]) -> None:
        if self.down:
            raise TimeoutError("no answer")
        super().put(items)

    def remove(self, keys: Sequence[str]) -> None:
        if self.down:
            raise TimeoutError("no answer")
        super().remove(keys)

    def search(self, text: str, k: int) -> Sequence[tuple[str, float]]:
        if self.down:
            raise TimeoutError("no answer")
        return super().search(text, k)


SIDECARS: Mapping[str, Callable[[], Adapter]] = {"sqlite": SqliteAdapter, "postgres": fresh}
"""What may stand beside a framework."""


@pytest.fixture(params=SIDECARS)
def failing(request: pytest.FixtureRequest) -> Iterator[tuple[Failing, Memory]]:
    keeper = Failing(InMemoryStore(), ("a",))
    with opened(Mirrored(SIDECARS[request.param](), keeper)) as memory:
        yield keeper, memory


def test_an_outage_is_said_and_what_changed_is_delivered_later(
    failing: tuple[Failing, Memory],
) -> None:
    keeper, memory = failing
    keeper.down = True
    result = memory.execute([encode("one")])
    assert result.ok
    assert "not delivered to langgraph: TimeoutError" in result.results[-1].warnings[-1]
    assert everything(keeper) == {}
    keeper.down = False
    assert memory.execute([encode("two")]).results[-1].warnings == ()
    assert sorted(item.text for item in everything(keeper).values()) == ["one", "two"]


def test_a_search_of_a_framework_that_is_down_is_an_error_of_ours() -> None:
    keeper = Failing(InMemoryStore(), ("a",))
    with opened(Mirrored(SqliteAdapter(), keeper, search="framework")) as memory:
        memory.execute([encode("the late ferry")])
        keeper.down = True
        target = {"search": {"intent": {"query": "ferry"}}}
        with pytest.raises(AdapterError, match="langgraph does not answer: TimeoutError"):
            memory.execute([{"stage": "RET", "op": "Retrieve", "target": target}])


def test_a_user_of_mem0_is_one_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no name of a user"):
        Mem0Adapter(f"{tmp_path}/held?namespace={{tenant}}/notes", tenant="mira")


def test_a_folder_that_a_framework_did_not_open_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(config: Any) -> Any:
        raise RuntimeError("no such thing")

    Mem0Adapter(f"{tmp_path}/other", tenant="mira").close()  # imports mem0, its telemetry off
    monkeypatch.setattr("mem0.Memory.from_config", failing)
    with pytest.raises(RuntimeError, match="no such thing"):
        Mem0Adapter(f"{tmp_path}/held", tenant="mira")
    # The folder takes no second client.
    QdrantClient(path=f"{tmp_path}/held", force_disable_check_same_thread=True).close()


def test_an_erasure_that_the_framework_did_not_hear_of_is_pending(
    failing: tuple[Failing, Memory],
) -> None:
    keeper, memory = failing
    memory.execute([encode("secret")])
    keeper.down = True
    warnings = memory.execute([delete("1", soft=False)]).results[-1].warnings
    assert any("erase pending" in warning for warning in warnings)
    assert any("not delivered" in warning for warning in warnings)
    assert len(everything(keeper)) == 1
    keeper.down = False
    assert memory.tick().warnings == ()
    assert everything(keeper) == {}


def test_a_rolled_back_program_reaches_nobody(failing: tuple[Failing, Memory]) -> None:
    keeper, memory = failing
    memory.preview([encode("never")])
    assert not memory.execute([encode("never"), delete("99")]).ok
    assert everything(keeper) == {}


def test_what_is_deleted_leaves_and_an_undo_brings_it_back(failing: tuple[Failing, Memory]) -> None:
    keeper, memory = failing
    memory.execute([encode("one", tags=["t"])])
    trace = memory.execute([delete("1")]).trace_id
    assert everything(keeper) == {}
    assert memory.undo(trace).ok
    (item,) = everything(keeper).values()
    assert (item.text, item.metadata["tags"], item.metadata["id"]) == ("one", ["t"], "1")


@pytest.mark.parametrize("name", NAMES)
def test_no_byte_of_an_erased_memory_is_in_the_files(name: str, tmp_path: Path) -> None:
    place = tmp_path / "held"
    with opened(FRAMEWORKS[name](place, "default")) as memory:
        memory.execute([encode(f"filler number {n} of many") for n in range(4)])
        memory.execute([encode("xylophonic secret"), encode("xylophonic other")])
        assert memory.execute([delete("5", "6", soft=False)]).results[-1].warnings == (
            "a hard delete cannot be undone",
        )
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert any(b"filler" in file.read_bytes() for file in files)
    assert [file for file in files if b"xylophonic" in file.read_bytes()] == []


@pytest.mark.parametrize("name", NAMES)
def test_two_tenants_never_meet(name: str, tmp_path: Path) -> None:
    place = tmp_path / "both"
    tenants = ("a", "a_", "*", "A")
    stores = {each: FRAMEWORKS[name](place, each) for each in tenants}
    memories = {each: opened(store, each) for each, store in stores.items()}
    for each, memory in memories.items():
        memory.execute([encode(f"the key of {plain(each)}", tags=[f"of-{plain(each)}"])])
    for each in memories:
        store = stores[each]
        assert agree(store) and isinstance(store, Mirrored)
        assert [item.text for item in everything(store.keeper).values()] == [
            f"the key of {plain(each)}"
        ]
        others = [key for other in stores.values() if other is not store
                  for key in everything(other.keeper)]  # type: ignore[attr-defined]  # fmt: skip
        store.keeper.remove(others)  # of nobody else, as the next store says
        assert store.outbox.ids(others) == {}
        found = store.keeper.search("the key of", 10)
        assert {key for key, _ in found} <= set(everything(store.keeper))
    trace = memories["a"].execute([delete("1", soft=False)]).trace_id
    assert not memories["A"].undo(trace).ok
    assert [len(everything(store.keeper)) for store in stores.values()] == [0, 1, 1, 1]  # type: ignore[attr-defined]
    for memory in memories.values():
        memory.close()


def test_two_tenants_of_a_server_have_an_outbox_each() -> None:
    url = server().prepared("beside")
    keepers = {tenant: LangGraphKeeper(InMemoryStore(), (tenant,)) for tenant in ("a", "b")}
    stores = {
        tenant: Mirrored(PostgresAdapter(url, tenant=tenant), keeper, tenant=tenant)
        for tenant, keeper in keepers.items()
    }
    memories = {tenant: opened(store, tenant) for tenant, store in stores.items()}
    memories["a"].execute([encode("of a")])
    memories["b"].execute([encode("of b"), encode("more of b")])
    memories["a"].execute([delete("1", soft=False)])
    assert all(agree(store) for store in stores.values())
    assert [len(everything(keeper)) for keeper in keepers.values()] == [0, 2]
    (key, *_) = everything(keepers["b"])
    assert stores["a"].outbox.ids([key]) == {} != stores["b"].outbox.ids([key])
    assert stores["a"].outbox.origin != stores["b"].outbox.origin
    for memory in memories.values():
        memory.close()


@pytest.mark.parametrize("framework", ["graphiti", "langgraph"])
def test_a_sidecar_on_a_server_is_named_in_the_store(framework: str, tmp_path: Path) -> None:
    side = f"postgres:{server().prepared('beside')}".replace("&", "%26")
    store = f"{framework}:{tmp_path}/s.db?namespace=mine-{{tenant}}&sidecar={side}"
    for text in ("one", "two"):
        with Memory(store, embedder="none") as memory:
            memory.execute([encode(text)])
            assert agree(memory.adapter)
    assert isinstance(memory.adapter, Mirrored)
    assert isinstance(memory.adapter.sidecar, PostgresAdapter)
    assert [file.name for file in tmp_path.iterdir() if "text2mem" in file.name] == []


def test_a_plus_in_an_option_is_a_plus() -> None:
    found = Place.read("notes.db?sidecar=/tmp/c++/s.db", tenant="mira", namespace="{tenant}")
    assert found.sidecar == "/tmp/c++/s.db"
    url = "postgresql://host/db?options=-c%20search_path%3Dfoo"
    found = Place.read(f"{url}&sidecar=s.db", tenant="mira", namespace="{tenant}")
    assert found.path == url


def test_a_namespace_without_the_tenant_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="the same one for every tenant"):
        Memory(
            f"langgraph:{tmp_path}/s.db?namespace=users",
            embedder="none", context=ExecutionContext(tenant="mira"),
        )  # fmt: skip
    with pytest.raises(ConfigurationError, match="no option 'colour'"):
        Memory(f"langgraph:{tmp_path}/s.db?colour=red", embedder="none")


def test_a_store_without_an_outbox_cannot_be_mirrored() -> None:
    with pytest.raises(ConfigurationError, match="cannot stand beside"):
        Mirrored(PlainAdapter(), LangGraphKeeper(InMemoryStore(), ("a",)))


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name in ("graphiti", "langgraph", "mem0", "memos")]
)
def test_the_framework_searches_and_the_store_says_who_sees(name: str) -> None:
    adapter: Any = FRAMEWORKS[name](":memory:", "default", "framework")
    with opened(adapter) as memory:
        memory.execute([
            encode("the ferry leaves at noon", read_perm_level="public"),
            encode("the ferry to Inishbofin is late", read_perm_level="private"),
            encode("bread and butter", read_perm_level="public"),
        ])  # fmt: skip
        target = {"search": {"intent": {"query": "ferry"}}}
        args = {"include": ["text", "score"]}
        read = {"stage": "RET", "op": "Retrieve", "target": target, "args": args}
        rows = memory.execute([read]).results[0].rows
        scores = dict(adapter.keeper.search("ferry", 10))
        keys = adapter.outbox.keys(["1", "2"])
        assert {row["id"]: row["score"] for row in rows} == {
            id_: pytest.approx(scores[key]) for id_, key in keys.items()
        }
        memory.execute([delete("2")])
        stranger = ExecutionContext(actor="bob")
        with_rights = Memory(adapter, embedder="none", context=stranger)
        assert [row["id"] for row in with_rights.execute([read]).results[0].rows] == ["1"]


@pytest.mark.parametrize("name", NAMES)
def test_a_search_for_blanks_finds_nothing(name: str) -> None:
    with opened(FRAMEWORKS[name](":memory:", "default", "framework")) as memory:
        memory.execute([encode("probe"), encode("the late ferry")])
        target = {"search": {"intent": {"query": "  "}}}
        result = memory.execute([{"stage": "RET", "op": "Retrieve", "target": target}])
        assert (result.results[0].rows, result.results[0].matched) == ((), 0)


@pytest.mark.parametrize("name", SIDECARS)
def test_a_change_of_the_framework_delivers_everything_anew(name: str, tmp_path: Path) -> None:
    url = server().prepared("beside") if name == "postgres" else ""

    def beside() -> Adapter:
        return PostgresAdapter(url) if url else SqliteAdapter(tmp_path / "beside.db")

    with opened(beside()) as memory:
        memory.execute([encode("from before")])
    stores: Mapping[str, LangGraphKeeper] = {
        name: LangGraphKeeper(InMemoryStore(), (name,)) for name in ("first", "second")
    }
    for keeper in stores.values():
        with opened(Mirrored(beside(), keeper)):
            assert [item.text for item in everything(keeper).values()] == ["from before"]
    assert len(everything(stores["first"])) == 1


def test_every_store_of_langgraph_makes_its_index_of_the_texts_alone() -> None:
    index = index_of(Vectors())
    connection = sqlite3.connect(":memory:")
    for store in (InMemoryStore(index=index), SqliteStore(connection, index=index)):
        fields = store.index_config["__tokenized_fields"]  # type: ignore[index, typeddict-item]
        assert [path for path, _ in fields] == list(TEXTS)
    connection.close()


def test_the_files_of_langgraph_are_langgraphs_own(tmp_path: Path) -> None:
    from langgraph.store.sqlite import SqliteStore

    with Memory(f"langgraph:{tmp_path}/s.db", embedder="none") as memory:
        memory.execute([encode("one")])
    connection = sqlite3.connect(tmp_path / "s.db", isolation_level=None)
    found = SqliteStore(connection).search(("text2mem", "default", "memories"))
    assert [item.value["text"] for item in found] == ["one"]
    connection.close()


def test_vectors_of_an_application_stay_until_their_memory_is_erased(tmp_path: Path) -> None:
    namespace = ("text2mem", "default", "memories")
    connection = sqlite3.connect(tmp_path / "s.db", isolation_level=None)
    application = SqliteStore(connection)
    application.setup()
    # As an index makes it, without the extension of SQLite that its search needs.
    connection.executescript("".join(VECTOR_MIGRATIONS))

    def vectors() -> list[tuple[str]]:
        return connection.execute("SELECT key FROM store_vectors").fetchall()

    with opened(LangGraphAdapter(str(tmp_path / "s.db"))) as memory:
        memory.execute([encode("one")])
        (item,) = application.search(namespace)
        connection.execute(
            "INSERT INTO store_vectors (prefix, key, field_name) VALUES (?, ?, 'text')",
            (".".join(namespace), item.key),
        )
        weight = {"op": "Promote", "args": {"weight": 0.9}, "target": {"ids": ["1"]}}
        assert memory.execute([{"stage": "STO", **weight}]).ok
        assert vectors() == [(item.key,)]
        application.delete(namespace, item.key)  # LangGraph leaves the vector
        assert vectors() == [(item.key,)]
        assert memory.execute([delete("1", soft=False)]).ok
        assert vectors() == []
    connection.close()


def test_the_vectors_of_what_langgraphs_file_no_longer_holds_are_gone(tmp_path: Path) -> None:
    held = "SELECT key FROM store_vectors"
    with Memory(f"langgraph:{tmp_path}/s.db", embedder="none") as memory:
        connection = memory.adapter.keeper._ground.connection  # type: ignore[attr-defined]
        for migration in VECTOR_MIGRATIONS:  # its index needs an extension, and its vectors do not
            connection.execute(migration)
        memory.execute([encode("the door code"), encode("tea at five")])
        connection.execute(
            "INSERT INTO store_vectors (prefix, key, field_name, embedding) "
            "SELECT prefix, key, 'text', x'00' FROM store"
        )
        assert len(connection.execute(held).fetchall()) == 2
        assert memory.execute([delete("1", soft=False)], confirmed=True).ok
        left = memory.adapter.outbox.held()["2"]
        assert connection.execute(held).fetchall() == [(left,)]
