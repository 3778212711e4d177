"""What goes wrong is told to the client in words, and a null is an argument left out."""

from __future__ import annotations

from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from tests.doors.scripted import CRASH, DOWN, NOTE
from tests.doors.talking import House, call, run
from text2mem.doors.mcp.server import build


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("history", {"id": "99"}, "there is no memory 99"),
        ("undo", {}, "this conversation has changed nothing"),
        ("confirm", {"token": "nonsense"}, "this token confirms nothing here"),
        ("ask_memory", {"request": DOWN}, "nobody is there\nstart the service"),
        ("ask_memory", {"request": CRASH}, "unexpected RuntimeError"),
        ("run_program", {"program": [{"op": "Fly"}]}, "Fly"),
        ("recall", {}, "'question' is a required property"),
        ("recall", {"question": "x", "k": 1000}, "k: 1000 is greater"),
        ("recall", {"question": "x", "tenant": "other"}, "'tenant' was unexpected"),
        ("remember", {"text": " \n"}, "text: ' \\n' does not match"),
        ("confirm", {"token": "x", "choice": -1}, "choice: -1 is less"),
        ("remember", {"text": "x" * 100_001}, "text: does not meet maxLength: 100000"),
    ],
)
def test_what_fails_says_what_to_do_and_shows_no_traceback(
    tool: str, arguments: dict[str, Any], expected: str
) -> None:
    async def talk() -> None:
        async with Client(build(House().verbs)) as client:
            said = await call(client, tool, **arguments)
            assert said.failed and expected in said.text
            assert "Traceback" not in said.text and "secret" not in said.text

    run(talk)


def test_a_tool_that_is_not_there_is_an_error_of_the_protocol() -> None:
    async def talk() -> None:
        async with Client(build(House().verbs)) as client:
            with pytest.raises(MCPError, match="there is no tool 'fly'"):
                await client.call_tool("fly", {})

    run(talk)


def test_a_null_is_an_argument_left_out() -> None:
    async def talk() -> None:
        async with Client(build(House().verbs)) as client:
            assert not (await call(client, "remember", text=NOTE, tags=None)).failed
            assert (await call(client, "recall", question="the ferry?", k=None)).data["known"]
            assert (await call(client, "undo", trace_id=None)).data["status"] == "undone"

    run(talk)
