"""The server with the small local model: a request in words is read, run, asked about, undone."""

from __future__ import annotations

import pytest
from mcp.client.client import Client

from tests.doors.scripted import CORRECT, NOTE, UNDO
from tests.doors.talking import House, call, run
from text2mem.doors.mcp.server import build
from text2mem.providers.llamacpp_ import LlamaCppProvider


@pytest.mark.model
def test_words_are_read_by_the_local_model(local_model: LlamaCppProvider) -> None:
    house = House(model=local_model)

    async def talk() -> None:
        async with Client(build(house.verbs)) as client:
            await call(client, "remember", text=NOTE)
            corrected = await call(client, "ask_memory", request=CORRECT)
            assert corrected.data["status"] == "done", corrected.text
            asked = await call(client, "ask_memory", request="Delete the ferry note.")
            assert asked.data["status"].startswith("needs_") and "12:00" in asked.text
            assert (await call(client, "confirm", token=asked.token, choice=1)).data["status"] == (
                "done"
            )
            assert (await call(client, "ask_memory", request=UNDO)).data["status"] == "undone"
            found = await call(client, "recall", question="When does the ferry leave?")
            assert "12:00" in found.text

    run(talk)
