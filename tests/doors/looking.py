"""A store to look into, its page on a free port of the loopback, and a browser that was let in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2

from tests.doors.scripted import MODEL, NOTE
from tests.doors.serving import running
from tests.reading import me, scripted
from text2mem.clock import FixedClock
from text2mem.doors.agent.shared_memory import SharedMemory, open_shared_memory
from text2mem.doors.ui.guard import Guard
from text2mem.doors.ui.serving import http_server
from text2mem.doors.ui.visit import Session
from text2mem.ir.context import ExecutionContext
from text2mem.ir.record import Record
from text2mem.memory import Memory

TOKEN = "a-token-of-this-test-alone"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOSTILE = "</title><script>window.owned=1</script><img src=x onerror=window.owned=1>\"'&lt;"
SPLIT = "Buy milk. Call Ana."


def at(month: int, day: int) -> ExecutionContext:
    """The local user at nine on a day of 2026."""
    return ExecutionContext(clock=FixedClock(datetime(2026, month, day, 9, tzinfo=UTC)))


def note(text: str, *tags: str, **args: Any) -> dict[str, Any]:
    """An Encode of a text."""
    given = {"payload": {"text": text}, "tags": list(tags), **args}
    return {"stage": "ENC", "op": "Encode", "args": given}


def on(op: str, id_: str, **args: Any) -> dict[str, Any]:
    """An op on one memory."""
    return {"stage": "STO", "op": op, "target": {"ids": [id_]}, "args": args}


READER = scripted(
    {
        "Remember that I live in Bergen and work for Halden Shipping.": [
            me("city", "Bergen"), me("employer", "Halden Shipping"),
        ],
        "We moved to Ghent on 1 August.": [me("city", "Ghent", when="on 1 August")],
        "My passport number is X1234567.": [me("passport number", "X1234567")],
        "I work for Tern & Sons now.": [me("employer", "Tern & Sons")],
    }
)  # fmt: skip


def fill(path: Path) -> None:
    """Facts that changed, one that waits, notes, a family, a dead letter, hostile text."""
    options: Any = {"embedder": "none", "policy": "assistant", "context": at(5, 20)}
    with Memory(path, reader=READER, **options) as held:

        def say(text: str, **more: Any) -> str:
            said = {"text": text, "speaker": "Mira", **more}
            (seen,) = held.observe(said, session="monday", extract=True)
            return seen.episode

        say("Remember that I live in Bergen and work for Halden Shipping.")
        held.context = at(8, 2)
        say("We moved to Ghent on 1 August.")
        say("My passport number is X1234567.")
        held.context = at(10, 5)
        say("I work for Tern & Sons now.")
        given_up, waits = (
            held.observe({"text": text, "speaker": "Mira"}, extract=False)[0].episode
            for text in ("The plan of the cellar is in the drawer.", "Perhaps we go to Turku.")
        )
        with held.adapter.transaction():
            queue, now = held.adapter.queue, held.context.clock.now()
            queue.put([given_up, waits], now=now)
            queue.lease("worker", now=now, until=NOW, limit=1)
            queue.failed(given_up, error="RepairExhausted", due=None)
        held.context = at(11, 20)
        held.execute([note(NOTE, "ferry", "travel")])
        held.execute([note("The boiler was serviced by Aino.", "house")])
        held.execute([note(SPLIT), on("Split", "$1", strategy="by_sentences")])
        held.execute([note("An old list.", "house"), on("Demote", "$1", archive=True)])
        held.execute([note("A wrong note."), on("Delete", "$1")])
        held.execute([note(HOSTILE, "<b>tag</b>", subject="<i>who</i>", topic=HOSTILE)])
        fact = {"subject": "<u>Eve</u>", "attribute": "motto", "value": HOSTILE}
        held.execute([{"stage": "ENC", "op": "Encode", "args": {"payload": {"structured": fact}}}])
        held.observe({"text": HOSTILE, "speaker": HOSTILE}, session=HOSTILE, extract=False)


@dataclass
class Site:
    """A page that is served, and the store behind it."""

    port: int
    session: Session
    guard: Guard

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def memory(self) -> Memory:
        return self.session.shared.memory

    @contextmanager
    def client(self, **more: str) -> Iterator[httpx2.Client]:
        """A client that bears the cookie, and has the origin of the page's own forms."""
        headers = {"Origin": self.url, **more}
        kept = {name: value for name, value in headers.items() if value}
        cookies = {} if "Cookie" in more else {self.guard.cookie: self.guard.secret}
        with httpx2.Client(base_url=self.url, headers=kept, cookies=cookies, timeout=30) as http:
            yield http

    def record(self, id_: str) -> Record:
        """A memory that is there."""
        found = self.memory.show(id_)
        assert found is not None
        return found

    def get(self, path: str) -> httpx2.Response:
        with self.client() as http:
            return http.get(path)

    def post(self, path: str, follow: bool = True, **form: str) -> httpx2.Response:
        """A form of the page's own, and the page that it leads to."""
        with self.client() as http:
            sent = {"csrf": self.guard.csrf, **form}
            return http.post(path, data=sent, follow_redirects=follow)


def hidden(page: str, name: str) -> str:
    """The first value that a page's forms send along under a name."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None, page
    return found[1]


def opened(path: Path, **context: Any) -> SharedMemory:
    """The store, with the scripted model."""
    who = ExecutionContext(clock=FixedClock(NOW), **context)
    return open_shared_memory(
        path, context=who, model=MODEL, embedder="none", summariser="extractive"
    )


@contextmanager
def looked_into(path: Path, **context: Any) -> Iterator[Site]:
    """The page of a store, while the block runs."""
    import socket

    shared = opened(path, **context)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        session, guard = Session(shared), Guard(port, TOKEN)
        try:
            with running(http_server(session, guard), listening):
                yield Site(port, session, guard)
        finally:
            shared.close()
