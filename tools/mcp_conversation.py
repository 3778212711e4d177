"""A conversation with ``text2mem mcp`` by the SDK's own client: printed, and checked.

Usage: python tools/mcp_conversation.py CONFIGURATION.json

The file is a client's, with one server under "mcpServers". Exit code 1 where something comes out
otherwise than it should. It needs the package `mcp`, and imports nothing of text2mem.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

TOKEN = "the token of that answer"
QUESTION = "When does the ferry to Inishbofin leave?"
ASKED = ("needs_confirmation", "needs_clarification")


@dataclass(frozen=True)
class Step:
    """A call, what it is to show, and what its answer must be: a status, and words in it."""

    tool: str
    arguments: dict[str, Any]
    statuses: Sequence[str]
    words: str


STEPS = (
    Step("remember", {"text": "The ferry to Inishbofin leaves at 11:30 on Saturdays."},
         ("done",), "made memory 1"),
    Step("ask_memory", {"request": "The ferry leaves at 12:00 now, not 11:30."},
         ("done",), "12:00"),
    Step("recall", {"question": QUESTION}, ("recalled",), "[m1]"),
    Step("ask_memory", {"request": "Throw away the note about the ferry."}, ASKED, "12:00"),
    Step("confirm", {"token": TOKEN, "choice": 1}, ("done",), "Delete"),
    Step("recall", {"question": QUESTION}, ("recalled",), "Nothing is known about this."),
    Step("undo", {}, ("undone",), "taken back"),
    Step("recall", {"question": QUESTION}, ("recalled",), "12:00"),
)  # fmt: skip
"""Remembered, corrected, recalled with its source, forgotten after a yes, brought back."""


async def converse(server: StdioServerParameters) -> bool:
    """Have the conversation; whether all of it came out as it should."""
    token = ""
    async with Client(server) as client:
        for step in STEPS:
            arguments = {k: token if v is TOKEN else v for k, v in step.arguments.items()}
            print(f"› {step.tool}({', '.join(f'{k}={v!r}' for k, v in arguments.items())})")
            result = await client.call_tool(step.tool, arguments)
            (content,) = result.content
            text = content.text if isinstance(content, types.TextContent) else ""
            print(text, end="\n\n", flush=True)
            told = result.structured_content or {}
            token = told.get("token", token)
            if told.get("status") not in step.statuses or step.words not in text:
                print(f"✗ expected {' or '.join(step.statuses)}, with “{step.words}”")
                return False
    print("✓ remembered, corrected, recalled, forgotten and brought back")
    return True


def configured(path: Path) -> StdioServerParameters:
    """The one server of a client's configuration."""
    (server,) = json.loads(path.read_text(encoding="utf-8"))["mcpServers"].values()
    ours = {name: value for name, value in os.environ.items() if name.startswith("TEXT2MEM_")}
    return StdioServerParameters(
        command=server["command"], args=server["args"], env={**ours, **server.get("env", {})}
    )


def main() -> int:
    """The command line."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    return 0 if anyio.run(converse, configured(Path(sys.argv[1]))) else 1


if __name__ == "__main__":
    sys.exit(main())
