"""The server over HTTP: who is let in, what is refused, and many at once."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from tests.doors import scripted
from tests.doors.scripted import CORRECT, FORGET, NOTE
from tests.doors.talking import SECRET, House, Person, Said, Site, call, run, served, surroundings
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider
from text2mem.shared import check_cancelled

ERAS = ["legacy", "auto"]
OPENING = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {},
               "clientInfo": {"name": "raw", "version": "1"}},
}  # fmt: skip
HEADERS = {
    "Authorization": f"Bearer {SECRET}", "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}  # fmt: skip


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(path=tmp_path / "a.db")
    yield made
    made.shared.close()


@pytest.fixture
def site(house: House) -> Iterator[Site]:
    with served(house) as found:
        yield found


def post(
    site: Site, content: Any = None, headers: dict[str, str] | None = None, **changed: str
) -> httpx2.Response:
    """A request of the protocol by hand; ``changed`` headers replace the right ones."""
    sent = {**HEADERS, **(headers or {}), **{k.title(): v for k, v in changed.items()}}
    body = OPENING if content is None else content
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with httpx2.Client(timeout=30) as http:
        given = [(name, value.encode("latin-1")) for name, value in sent.items() if value]
        return http.post(site.url, content=data, headers=given)


def goes_on(said: Said) -> dict[str, str]:
    """What the next call of a conversation says of it: a handle where there are no sessions."""
    return {key: said.data[key] for key in ("conversation",) if key in said.data}


@pytest.mark.parametrize("era", ERAS)
def test_a_conversation_over_http(site: Site, era: str) -> None:
    async def talk() -> None:
        async with site.client(mode=era) as client:
            said = await call(client, "remember", text=NOTE)
            assert bool(goes_on(said)) is (era == "auto")
            more = goes_on(said)
            await call(client, "ask_memory", request=CORRECT, **more)
            asked = await call(client, "ask_memory", request=FORGET, **more)
            assert asked.data["status"] == "needs_confirmation"
            done = await call(client, "confirm", token=asked.token, **more)
            assert done.data["status"] == "done"
            assert not (await call(client, "recall", question="the ferry?")).data["known"]
            assert (await call(client, "undo", **more)).data["status"] == "undone"
            found = await call(client, "recall", question="When does the ferry leave?")
            assert "12:00" in found.text and "[m1]" in found.text

    run(talk)


@pytest.mark.parametrize("era", ERAS)
def test_a_person_is_asked_over_http(site: Site, era: str) -> None:
    person = Person("1")

    async def talk() -> None:
        async with site.client(mode=era, elicitation_callback=person) as client:
            await call(client, "remember", text=NOTE)
            done = await call(client, "ask_memory", request=FORGET)
            assert done.data["status"] == "done"

    run(talk)
    assert len(person.asked) == 1 and NOTE in person.asked[0]


@pytest.mark.parametrize("era", ERAS)
def test_where_the_store_moves_while_the_person_thinks_they_are_asked_again(
    site: Site, house: House, era: str
) -> None:
    class Slow(Person):
        async def __call__(self, context: Any, params: Any) -> Any:
            if not self.asked:
                await anyio.to_thread.run_sync(house.verbs.remember, house.talk, "Something else.")
            return await super().__call__(context, params)

    person = Slow("1", "1")

    async def talk() -> None:
        async with site.client(mode=era, elicitation_callback=person) as client:
            await call(client, "remember", text=NOTE)
            assert (await call(client, "ask_memory", request=FORGET)).data["status"] == "done"

    run(talk)
    assert len(person.asked) == 2 and "has changed" in person.asked[1]


@pytest.mark.parametrize("era", ERAS)
def test_who_cancels_while_the_model_thinks_has_changed_nothing(era: str) -> None:
    asked, seen = threading.Event(), threading.Event()

    def answer(request: Request) -> Any:
        if CORRECT in request.messages[-1].content:
            asked.set()
            while not seen.wait(0.01):
                try:
                    check_cancelled.get()()
                except BaseException:
                    seen.set()
        return scripted.answer(request)

    house = House(model=FunctionProvider(answer))
    house.verbs.remember(house.talk, NOTE)

    async def talk(site: Site) -> None:
        async with site.client(mode=era) as client:
            async with anyio.create_task_group() as group:
                group.start_soon(partial(call, client, "ask_memory", request=CORRECT))
                assert await anyio.to_thread.run_sync(asked.wait, 10)
                group.cancel_scope.cancel()
            assert await anyio.to_thread.run_sync(seen.wait, 10)
            assert (await call(client, "history", id="1")).data["entries"][1:] == []

    with served(house) as site:
        run(partial(talk, site))
    assert not house.shared.lock.locked()


@pytest.mark.parametrize("era", ERAS)
def test_forty_at_once_lose_nothing(site: Site, house: House, era: str) -> None:
    async def talk() -> None:
        async with site.client(mode=era) as one, site.client(mode=era) as other:
            said: dict[int, Said] = {}

            async def remember(number: int) -> None:
                client = (one, other)[number % 2]
                tool = "remember" if number % 4 else "ask_memory"
                key = "text" if number % 4 else "request"
                said[number] = await call(client, tool, **{key: f"Note number {number}."})
                if number % 3 == 0:
                    await call(client, "recall", question=f"note number {number}")

            async with anyio.create_task_group() as group:
                for number in range(40):
                    group.start_soon(remember, number)
            assert not [each.text for each in said.values() if each.failed]
            made = [each.data["result"]["results"][0]["created"] for each in said.values()]
            assert len({id_ for ids in made for id_ in ids}) == 40

    run(talk)
    held = [house.shared.memory.show(str(number)) for number in range(1, 42)]
    texts = sorted(record.text for record in held if record is not None)
    assert texts == sorted(f"Note number {number}." for number in range(40))


@pytest.mark.parametrize(
    "given",
    [
        "", "Bearer", f"Bearer {SECRET}x", f"Bearer {SECRET[:-1]}",
        "Bearer of-another-server-that-was-stolen", f"Basic {SECRET}", SECRET, "Bearer \xff",
    ],
)  # fmt: skip
def test_who_has_not_the_token_is_401(site: Site, given: str) -> None:
    refused = post(site, authorization=given)
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Bearer")
    assert SECRET not in refused.text


def test_the_token_is_not_taken_from_the_address(site: Site) -> None:
    elsewhere = Site(f"{site.url}?access_token={SECRET}&token={SECRET}", site.port)
    assert post(elsewhere, authorization="").status_code == 401
    assert post(Site(site.url.replace("/mcp", "/"), 0), authorization="").status_code == 401
    assert post(Site(site.url.replace("/mcp", "/other"), 0)).status_code == 404
    assert post(site).status_code == 200


def test_a_stolen_session_is_nothing_without_the_token(site: Site) -> None:
    session = post(site).headers["mcp-session-id"]
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    stolen = {"Mcp-Session-Id": session}
    assert post(site, listing, stolen, authorization="").status_code == 401
    assert post(site, listing, {"Mcp-Session-Id": "f" * 32}).status_code == 404


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "http://127.0.0.1:1", "null", "http://127.0.0.1.evil.example"],
)
def test_a_page_of_another_site_is_refused(site: Site, origin: str) -> None:
    assert post(site, origin=origin).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1:1"])
def test_a_name_that_was_rebound_is_refused(site: Site, host: str) -> None:
    assert post(site, host=host.format(port=site.port)).status_code == 421


def test_its_own_origin_is_let_in(site: Site) -> None:
    assert post(site, origin=f"http://127.0.0.1:{site.port}").status_code == 200


@pytest.mark.parametrize("era", ["2025-06-18", "2026-07-28"])
def test_a_body_of_ten_megabytes_is_refused(site: Site, era: str) -> None:
    large = json.dumps({**OPENING, "x": "y" * 10_000_000}).encode()
    assert post(site, large, {"MCP-Protocol-Version": era}).status_code == 413
    assert post(site).status_code == 200

    def pieces() -> Iterator[bytes]:
        yield from (large[start : start + 65_536] for start in range(0, len(large), 65_536))

    # The server may have hung up while the rest was on its way.
    with contextlib.suppress(httpx2.TransportError), httpx2.Client(timeout=30) as http:
        assert http.post(site.url, content=pieces(), headers=HEADERS).status_code == 413
    assert post(site).status_code == 200


@pytest.mark.parametrize("era", ERAS)
def test_a_token_of_another_session_is_refused(site: Site, house: House, era: str) -> None:
    async def talk() -> None:
        async with site.client(mode=era) as one, site.client(mode=era) as other:
            await call(one, "remember", text=NOTE)
            asked = await call(one, "ask_memory", request=FORGET)
            own = await call(other, "preview", request=CORRECT)
            for more in ({}, goes_on(own)):
                stolen = await call(other, "confirm", token=asked.token, **more)
                assert stolen.failed and "another conversation" in stolen.text
            assert (await call(other, "recall", question="the ferry?")).data["known"]
            done = await call(one, "confirm", token=asked.token, **goes_on(asked))
            assert done.data["status"] == "done"

    run(talk)


@pytest.mark.parametrize("era", ERAS)
def test_an_expired_token_is_refused(site: Site, house: House, era: str) -> None:
    async def talk() -> None:
        async with site.client(mode=era) as client:
            await call(client, "remember", text=NOTE)
            asked = await call(client, "ask_memory", request=FORGET)
            house.clock.pass_by(minutes=11)
            late = await call(client, "confirm", token=asked.token, **goes_on(asked))
            assert late.failed and "expired" in late.text
            assert (await call(client, "recall", question="the ferry?")).data["known"]

    run(talk)


def test_a_handle_cannot_be_a_session_nor_be_made_up(site: Site) -> None:
    async def talk() -> None:
        async with site.client() as client:
            session = post(site).headers["mcp-session-id"]
            for handle in (session, "made-up", "secret-999"):
                said = await call(client, "undo", conversation=handle)
                assert said.failed and "no such conversation" in said.text
        async with site.client(mode="legacy") as client:
            said = await call(client, "undo", conversation="secret-1")
            assert said.failed and "unexpected" in said.text

    run(talk)


def test_the_sealed_state_of_a_form_is_good_for_its_own_call_alone(site: Site) -> None:
    """Protocol 2026-07-28: what a client echoes cannot be made up, moved or used twice."""
    import mcp_types as types

    yes = {"answer": types.ElicitResult(action="accept", content={"answer": "1"})}

    async def talk() -> None:
        async with site.client(elicitation_callback=Person()) as client:
            await call(client, "remember", text=NOTE)
            session = client.session
            arguments = {"request": FORGET}
            asked = await session.call_tool("ask_memory", arguments, allow_input_required=True)
            assert isinstance(asked, types.InputRequiredResult) and asked.request_state
            state = asked.request_state
            for wrong, name, given in (
                ("made up", "ask_memory", arguments),
                (state, "ask_memory", {"request": CORRECT}),
                (state, "preview", arguments),
            ):
                with pytest.raises(MCPError, match="requestState"):
                    await session.call_tool(name, given, request_state=wrong, input_responses=yes)
            for failed in (False, True):
                done = await session.call_tool(
                    "ask_memory", arguments, request_state=state, input_responses=yes
                )
                assert isinstance(done, types.CallToolResult) and done.is_error is failed

    run(talk)


def test_another_tenants_memories_are_not_reachable(tmp_path: Path) -> None:
    path = tmp_path / "both.db"
    ours, theirs = House(path=path, tenant="acme"), House(path=path, tenant="other")
    trace = ours.verbs.remember(ours.talk, NOTE).data["result"]["trace_id"]
    asked = ours.verbs.ask_memory(ours.talk, FORGET)
    delete = {"stage": "STO", "op": "Delete", "target": {"ids": ["1"]}}

    async def talk(site: Site) -> None:
        async with site.client() as client:
            for tool, arguments in (
                ("history", {"id": "1"}), ("undo", {"trace_id": trace}),
                ("confirm", {"token": asked.data["token"]}), ("run_program", {"program": [delete]}),
            ):  # fmt: skip
                said = await call(client, tool, **arguments)
                assert said.failed and "ferry" not in said.text, tool
            assert not (await call(client, "recall", question="the ferry?")).data["known"]
            with pytest.raises(MCPError, match="no memory 1"):
                await client.read_resource("memory://1")
            listed = (await client.list_resources()).resources
            assert [each.uri for each in listed] == ["text2mem://schema"]

    with served(theirs) as site:
        anyio.run(talk, site)
    record = ours.shared.memory.show("1")
    assert record is not None and not record.deleted
    ours.shared.close()
    theirs.shared.close()


def test_the_command_serves_http_with_a_token_that_it_makes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "text2mem", "mcp", "--db", str(tmp_path / "a.db"),
               "--http", "127.0.0.1:0"]  # fmt: skip
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=surroundings(), text=True
    ) as server:
        assert server.stderr and server.stdout
        watch = threading.Timer(60, server.kill)
        watch.start()
        first = server.stderr.readline()
        url = re.fullmatch(r"listening on (http://127\.0\.0\.1:(\d+)/mcp)\n", first)
        token = re.fullmatch(r"token: (\S{43})\n", server.stderr.readline())
        assert url and token

        async def talk() -> None:
            async with Site(url[1], int(url[2])).client(token[1]) as client:
                said = await call(client, "remember", text=NOTE)
                assert not said.failed

        run(talk)
        assert post(Site(url[1], 0)).status_code == 401
        os.kill(server.pid, signal.SIGTERM)
        assert server.stdout.read() == ""
        assert token[1] not in server.stderr.read()
        watch.cancel()


def test_what_is_no_text_is_refused(site: Site, house: House) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}}  # fmt: skip
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call"}
    for tool, name in (("remember", "text"), ("recall", "question"), ("history", "id")):
        params = {"_meta": meta, "name": tool, "arguments": {name: "half a \ud800"}}
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        said = post(site, asked, {**headers, "Mcp-Name": tool}).json()["result"]
        assert said["isError"] and "half of a character" in said["content"][0]["text"]
    assert house.shared.memory.show("1") is None
