"""The server with the small local model: a request in words is read, run, asked about, undone."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mcp.client.client import Client

from tests.docs.test_docs import blocks
from tests.doors.scripted import CORRECT, MODEL, NOTE, UNDO
from tests.doors.talking import ROOT, House, call, run
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


def conversation(folder: Path, **environment: str) -> list[str]:
    """The lines of a whole conversation with the server, as tools/mcp_conversation.py prints it."""
    server = {
        "command": sys.executable, "args": ["-m", "text2mem", "mcp", "--db", "memory.db"],
        "env": {"PYTHONPATH": str(ROOT), **environment},
    }  # fmt: skip
    (folder / "client.json").write_text(json.dumps({"mcpServers": {"memory": server}}))
    said = subprocess.run(
        [sys.executable, str(ROOT / "tools/mcp_conversation.py"), "client.json"], cwd=folder,
        capture_output=True, text=True, check=False, timeout=280,
    )  # fmt: skip
    assert said.returncode == 0, said.stdout + said.stderr
    return said.stdout.splitlines()


def calls(lines: list[str]) -> list[str]:
    """What was called, the token left out."""
    return [re.sub(r"token='[^']*'", "token=…", each) for each in lines if each.startswith("›")]


def of_the_docs() -> list[str]:
    """The conversation that docs/mcp.md shows."""
    (shown,) = [each.text for each in blocks(ROOT / "docs/mcp.md") if "› remember(" in each.text]
    return shown.splitlines()


def test_the_conversation_of_the_docs(tmp_path: Path) -> None:
    lines = conversation(tmp_path, TEXT2MEM_MODEL=MODEL, TEXT2MEM_EMBEDDER="none")
    assert calls(lines) == calls(of_the_docs()) and len(calls(lines)) == 8
    assert lines[-1] == of_the_docs()[-1]


@pytest.mark.model
def test_the_conversation_of_the_docs_with_the_local_model(
    local_model: LlamaCppProvider, tmp_path: Path
) -> None:
    assert calls(conversation(tmp_path)) == calls(of_the_docs())
