"""Servers and clients of the protocol for a test: in this process, as a process, and over HTTP."""

from __future__ import annotations

import itertools
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
import mcp_types as types
import uvicorn
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.doors.scripted import MODEL
from tests.doors.serving import running
from text2mem.doors.agent.shared_memory import SharedMemory, open_shared_memory
from text2mem.doors.agent.talk import Talk, Talks
from text2mem.doors.agent.verbs import Verbs
from text2mem.doors.mcp.server import build
from text2mem.doors.mcp.transports import Address, http_app
from text2mem.ir.context import ExecutionContext

ROOT = Path(__file__).resolve().parents[2]
SECRET = "a-secret-of-this-test-alone"
NOW = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)
T = TypeVar("T")


class Wall:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.time = NOW

    def now(self) -> datetime:
        return self.time

    def pass_by(self, **amount: float) -> None:
        """Let time pass."""
        self.time += timedelta(**amount)


@dataclass
class House:
    """A store with its verbs, a clock, and secrets that are numbers."""

    clock: Wall = field(default_factory=Wall)
    path: str | Path = "memory:"
    tenant: str = "default"
    actor: str | None = None
    model: Any = MODEL
    shared: SharedMemory = field(init=False)
    verbs: Verbs = field(init=False)
    talks: Talks = field(init=False)

    def __post_init__(self) -> None:
        numbers = itertools.count(1)
        lock = threading.Lock()

        def mint() -> str:
            with lock:
                return f"secret-{next(numbers)}"

        context = ExecutionContext(clock=self.clock, tenant=self.tenant, actor=self.actor)
        self.shared = open_shared_memory(
            self.path, context=context, model=self.model, embedder="none"
        )
        self.verbs = Verbs(self.shared)
        self.talks = Talks(mint)
        self.talk = Talk(mint=mint)


@dataclass(frozen=True)
class Site:
    """Where a server is reached over HTTP."""

    url: str
    port: int

    @asynccontextmanager
    async def client(self, token: str = SECRET, **options: Any) -> AsyncIterator[Client]:
        """A connected client of the SDK."""
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(self.url, http_client=http), **options) as client,
        ):
            yield client


@contextmanager
def served(house: House) -> Iterator[Site]:
    """The house on a free port of the loopback, while the block runs."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        app = http_app(build(house.verbs, house.talks), Address("127.0.0.1", port), SECRET)
        config = uvicorn.Config(app, log_config=None, access_log=False, ws="none",
                                timeout_graceful_shutdown=1)  # fmt: skip
        server = uvicorn.Server(config)
        with running(server, listening):
            yield Site(f"http://127.0.0.1:{port}/mcp", port)


def process(*arguments: str | Path, **environment: str) -> StdioServerParameters:
    """``text2mem mcp`` as a process that serves stdin and stdout."""
    return StdioServerParameters(
        command=sys.executable, args=["-m", "text2mem", "mcp", *map(str, arguments)],
        env={**surroundings(), **environment},
    )  # fmt: skip


def surroundings() -> dict[str, str]:
    """The environment of a server's process."""
    return {
        **os.environ, "PYTHONPATH": str(ROOT), "TEXT2MEM_MODEL": MODEL,
        "TEXT2MEM_EMBEDDER": "none", "TEXT2MEM_TZ": "UTC",
    }  # fmt: skip


@dataclass(frozen=True)
class Said:
    """What a tool said."""

    text: str
    data: dict[str, Any]
    failed: bool

    @property
    def token(self) -> str:
        return str(self.data["token"])


async def call(client: Client, tool: str, **arguments: Any) -> Said:
    """A tool's answer."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return Said(content.text, result.structured_content or {}, result.is_error)


class Person:
    """Who is shown a form: gives the answers in order, and keeps what was asked."""

    def __init__(self, *answers: str | None) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: Any) -> types.ElicitResult:
        self.asked.append(params.message)
        said = self._answers.pop(0)
        if said is None:
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content={"answer": said})


def run(main: Callable[[], Awaitable[T]]) -> T:
    """Run a coroutine of a test to its end."""
    return anyio.run(main)
