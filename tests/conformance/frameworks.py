"""The frameworks as backends of a test: their real stores, in this process."""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from functools import cache
from hashlib import md5
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from tests import letta as letta_
from tests import postgres
from tests.postgres import server
from text2mem.adapters.base import Adapter
from text2mem.adapters.mirrored import mem0_, memos_
from text2mem.adapters.mirrored.graphiti_ import GraphitiAdapter, GraphitiKeeper
from text2mem.adapters.mirrored.graphiti_graph import Graph
from text2mem.adapters.mirrored.items import as_item, is_mirrored
from text2mem.adapters.mirrored.keeper import Item, Keeper
from text2mem.adapters.mirrored.langgraph_ import LangGraphAdapter, LangGraphKeeper, index_of
from text2mem.adapters.mirrored.langgraph_stores import opened_database
from text2mem.adapters.mirrored.letta_ import LettaKeeper
from text2mem.adapters.mirrored.letta_api import LettaApi
from text2mem.adapters.mirrored.mem0_ import Mem0Keeper
from text2mem.adapters.mirrored.memos_ import MemosKeeper
from text2mem.adapters.mirrored.mirrored import Mirrored, Search
from text2mem.adapters.mirrored.place import Place, plain
from text2mem.adapters.mirrored.vectors import Vectors
from text2mem.adapters.sqlite.adapter import SqliteAdapter

_numbers = count()


def langgraph(path: str | Path, tenant: str, search: Search = "ours") -> Adapter:
    """A SqliteStore in a file, or LangGraph's InMemoryStore."""
    if path != ":memory:":
        return LangGraphAdapter(str(path), tenant=tenant)
    vectors = Vectors() if search == "framework" else None
    store = InMemoryStore(index=None if vectors is None else index_of(vectors))
    keeper = LangGraphKeeper(store, ("text2mem", tenant), vectors=vectors)
    return Mirrored(SqliteAdapter(tenant=tenant), keeper, tenant=tenant, search=search)


def langgraph_postgres(path: str | Path, tenant: str, search: Search = "ours") -> Adapter:
    """A PostgresStore on the server of the tests."""
    if path != ":memory:":
        return LangGraphAdapter(database_place(path), tenant=tenant)
    store, vectors = _one_database(server().plain_url("langgraph"), search)
    keeper = LangGraphKeeper(store, (f"store-{next(_numbers)}", tenant), vectors=vectors)
    return Mirrored(SqliteAdapter(tenant=tenant), keeper, tenant=tenant, search=search)


@cache
def _one_database(url: str, search: Search) -> tuple[BaseStore, Vectors | None]:
    vectors = Vectors() if search == "framework" else None
    at = Place.read(url, tenant="default", namespace="text2mem")
    store, ground = opened_database(at, None if vectors is None else index_of(vectors))
    server().ending.callback(ground.close)
    return store, vectors


def database_place(path: str | Path) -> str:
    """What follows ``langgraph:`` for a store of its own in the database, with a sidecar here."""
    url = server().plain_url("langgraph")
    return f"{url}&sidecar={quote(str(path))}&namespace={_hashed(path)}/{{tenant}}"


def agent_place(path: str | Path) -> str:
    """What follows ``letta:`` for an agent of its own, with a sidecar here."""
    held = letta_.server()
    held.add_agent(_hashed(path))
    return f"{held.url}?sidecar={quote(str(path))}&namespace={_hashed(path)}"


def _hashed(path: str | Path) -> str:
    return md5(str(path).encode(), usedforsecurity=False).hexdigest()


def letta(path: str | Path, tenant: str, search: Search = "ours") -> Adapter:
    """An agent of its own on a server that answers as Letta does."""
    name = f"{next(_numbers) if path == ':memory:' else path}-{plain(tenant)}"
    held = letta_.server()
    if name not in {agent["name"] for agent in held.agents.values()}:
        held.add_agent(name)
    keeper = LettaKeeper(LettaApi(held.url, ""), name)
    return Mirrored(SqliteAdapter(path, tenant=tenant), keeper, tenant=tenant, search=search)


def mem0(path: str | Path, tenant: str, search: Search = "ours") -> Adapter:
    """A user of his own in one mem0, which takes long to make."""
    if path != ":memory:":
        return mem0_.Mem0Adapter(f"{path}-mem0?sidecar={path}", tenant=tenant)
    keeper = Mem0Keeper(_one_mem0(), f"user-{next(_numbers)}", Vectors())
    return Mirrored(SqliteAdapter(tenant=tenant), keeper, tenant=tenant, search=search)


@cache
def _one_mem0() -> Any:
    memory, _ = mem0_.opened_memory(":memory:", Vectors())
    atexit.register(memory.vector_store.client.close)
    return memory


def graphiti(path: str | Path, tenant: str, search: Search = "ours") -> Adapter:
    """A group of its own in one Graphiti, which takes long to make."""
    if path != ":memory:":
        return GraphitiAdapter(f"{path}.kuzu?sidecar={path}", tenant=tenant)
    keeper = GraphitiKeeper(_one_graph(), f"group-{next(_numbers)}", Vectors())
    return Mirrored(SqliteAdapter(tenant=tenant), keeper, tenant=tenant, search=search)


@cache
def _one_graph() -> Graph:
    graph = Graph(":memory:")
    atexit.register(graph.close)
    return graph


def memos(path: str | Path, tenant: str, search: Search = "ours") -> Adapter:
    """A collection of its own in a MemOS."""
    if path != ":memory:":
        return memos_.MemosAdapter(f"{path}-memos?sidecar={path}", tenant=tenant)
    memory, _ = memos_.opened_memory(":memory:", f"collection-{next(_numbers)}", Vectors())
    keeper = MemosKeeper(memory, Vectors(), memory.vector_db.client.close)
    return Mirrored(SqliteAdapter(tenant=tenant), keeper, tenant=tenant, search=search)


_SIDECARS = postgres.Opener("beside_cases")


def langgraph_beside_postgres(path: str | Path, tenant: str) -> Adapter:
    """LangGraph's store with a sidecar on a server."""
    sidecar = _SIDECARS(path, tenant)
    if path == ":memory:":
        return Mirrored(sidecar, LangGraphKeeper(InMemoryStore(), ("a", tenant)), tenant=tenant)
    sidecar.close()
    named = f"postgres:{sidecar.url}".replace("&", "%26")
    return LangGraphAdapter(f"{path}?sidecar={named}", tenant=tenant)


FRAMEWORKS = {
    "graphiti": graphiti,
    "langgraph": langgraph,
    "langgraph-postgres": langgraph_postgres,
    "letta": letta,
    "mem0": mem0,
}
if find_spec("memos"):  # in an environment of its own (make memos-check)
    FRAMEWORKS["memos"] = memos
MIRRORED = {**FRAMEWORKS, "langgraph-beside-postgres": langgraph_beside_postgres}


def everything(keeper: Keeper) -> Mapping[str, Item]:
    """All that a keeper holds, by key."""
    found = keeper.scan()
    assert len({item.key for item in found}) == len(found)
    return {item.key: item for item in found}


def expected(adapter: Mirrored) -> Mapping[str, Item]:
    """All that its keeper should hold, by key."""
    ids = [str(number) for number in range(1, 400)]
    found = adapter.find(ids, adapter.context).values()
    records = [record for record in found if is_mirrored(record)]
    keys = adapter.outbox.keys([record.id for record in records])
    return {keys[record.id]: as_item(record, keys[record.id]) for record in records}


def agree(adapter: Adapter) -> bool:
    """Whether the framework holds what the store beside it says, and nothing else."""
    assert isinstance(adapter, Mirrored)
    assert adapter.undelivered() is None and not adapter.outbox.waiting(1)
    held = {
        key: Item(key=key, text=item.text, metadata=item.metadata)
        for key, item in everything(adapter.keeper).items()
    }
    return held == expected(adapter)
