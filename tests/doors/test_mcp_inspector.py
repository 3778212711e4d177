"""The protocol's own inspector, in its command-line mode, against ``text2mem mcp``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.doors.node import INSPECTOR, NODE, WHY_NOT
from tests.doors.scripted import FORGET, NOTE
from tests.doors.talking import House, served, surroundings

pytestmark = pytest.mark.skipif(NODE is None or not INSPECTOR.exists(), reason=WHY_NOT)
TOOLS = {
    "remember", "recall", "ask_memory", "preview", "confirm", "undo", "history", "run_program",
}  # fmt: skip


def inspected(folder: Path, *arguments: str) -> dict[str, Any]:
    """What the inspector prints of one method."""
    names = ("PYTHONPATH", "TEXT2MEM_MODEL", "TEXT2MEM_EMBEDDER", "TEXT2MEM_TZ")
    server = {
        "command": sys.executable, "args": ["-m", "text2mem", "mcp", "--db", str(folder / "a.db")],
        "env": {name: surroundings()[name] for name in names},
    }  # fmt: skip
    configuration = folder / "client.json"
    configuration.write_text(json.dumps({"mcpServers": {"memory": server}}))
    return ran(folder, "--config", str(configuration), "--server", "memory", *arguments)


def ran(folder: Path, *arguments: str) -> dict[str, Any]:
    said = subprocess.run(
        [str(NODE), str(INSPECTOR), "--cli", "--connect-timeout", "200000", *arguments],
        capture_output=True, text=True, check=False, timeout=280,
        env={**os.environ, "HOME": str(folder), "MCP_INSPECTOR_SECRET_STORE": "memory"},
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    return dict(json.loads(said.stdout))


def test_it_lists_the_tools_and_finds_no_fault_with_their_schemas(tmp_path: Path) -> None:
    found = inspected(tmp_path, "--method", "tools/list", "--strict")
    assert {each["name"] for each in found["tools"]} == TOOLS


def test_it_calls_a_tool_and_reads_what_came_of_it(tmp_path: Path) -> None:
    calling = ("--method", "tools/call", "--tool-name")
    made = inspected(tmp_path, *calling, "remember", "--tool-arg", f"text={NOTE}")
    assert made["structuredContent"]["status"] == "done"
    asked = inspected(tmp_path, *calling, "ask_memory", "--tool-arg", f"request={FORGET}")
    assert asked["structuredContent"]["status"] == "needs_confirmation"
    listed = inspected(tmp_path, "--method", "resources/list")
    assert {"text2mem://schema", "memory://1"} <= {each["uri"] for each in listed["resources"]}
    read = inspected(tmp_path, "--method", "resources/read", "--uri", "memory://1")
    assert json.loads(read["contents"][0]["text"])["text"] == NOTE


def test_it_lists_the_tools_over_http(tmp_path: Path) -> None:
    with served(House()) as site:
        found = ran(
            tmp_path, site.url, "--transport", "http", "--method", "tools/list",
            "--header", "Authorization: Bearer a-secret-of-this-test-alone",
        )  # fmt: skip
    assert {each["name"] for each in found["tools"]} == TOOLS
