"""The doors under the fuzz: tools of ``text2mem mcp``, and pages and forms of ``text2mem ui``."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

from text2mem.clock import SetClock
from text2mem.doors.agent.shared_memory import SharedMemory, open_shared_memory
from text2mem.doors.agent.talk import Talk
from text2mem.doors.agent.tools import TOOLS
from text2mem.doors.agent.verbs import Verbs
from text2mem.doors.agent.wording import ToolAnswer
from text2mem.errors import Text2MemError
from text2mem.ir.context import ExecutionContext
from text2mem.providers.base import Request
from text2mem.providers.function import FunctionProvider
from text2mem_bench.fuzz import drafts, grammar, values
from text2mem_bench.fuzz.conversations import LATEST, message
from text2mem_bench.fuzz.meter import Broken, Meter, strict
from text2mem_bench.fuzz.programs import NOW, STORES
from text2mem_bench.fuzz.stores import program
from text2mem_bench.fuzz.surfaces import Surface
from text2mem_bench.fuzz.tree import mutated

_ACTORS = (None, None, "Ana")
_LAST = "$last"
"""In place of the last token, trace or id that an answer gave."""
_IDS = ("1", "2", "m3", "e4", "99", "0", "-1", "9" * 20, "１", "x", "", "1\x00", "../1")
_PASSES = (1, 60, 601, 86_400, 400 * 86_400)
HOSTILE = "<zq onload=zq>\"'&lt;zq"
"""Stored text that must never be markup of a page."""
_BODY = re.compile(rb"<zq|&amp;lt;zq onload")
_PAGES = (
    "/", "/asked", "/memories", "/facts", "/episodes", "/pending", "/journal", "/queue",
    "/assets/ui.js", "/assets/..", "/nowhere",
)  # fmt: skip
_FORMS = (
    "/ask", "/afresh", "/asked/run", "/asked/choose", "/pending/approve", "/pending/reject",
    "/journal/undo", "/queue/retry",
)  # fmt: skip
_QUERY = ("words", "tag", "archived", "deleted", "page", "subject", "trace", "token")
_HELD, _LINKED = ("token", "trace", "id"), ("token", "trace")
"""Fields of forms, and of links, whose values a page gives out."""
_TOKEN = re.compile(
    rf'(?:name="(?:{"|".join(_HELD)})" value="|[?&](?:{"|".join(_LINKED)})=)([^"&\s]+)'
)


def surfaces() -> tuple[Surface, ...]:
    """The tools, and the pages."""
    return Surface("tools", make_calls, run_calls), Surface("pages", make_visits, run_visits)


@contextmanager
def _opened(held: Mapping[str, Any], clock: SetClock) -> Iterator[SharedMemory]:
    """A new store whose model answers as the case has it."""
    answers, actor = held.get("answers"), held.get("actor")
    given = itertools.cycle(answers if isinstance(answers, list) and answers else [""])

    def answer(request: Request) -> Any:
        return next(given)

    shared = open_shared_memory(
        held["store"] if held.get("store") in STORES else STORES[0],
        context=ExecutionContext(clock=clock, actor=actor if actor in _ACTORS else None),
        model=FunctionProvider(answer), embedder="none", summariser="extractive",
    )  # fmt: skip
    try:
        yield shared
    finally:
        if not shared.lock.locked():
            shared.close()


def _talk() -> Talk:
    numbers = itertools.count(1)
    return Talk(mint=lambda: f"token-{next(numbers)}")


def _acted(acts: list[Any], act: Callable[..., None], shared: SharedMemory) -> None:
    """Do one thing after another, of which none may hold the store. What is none is passed over."""
    for each in acts:
        if isinstance(each, list) and each:
            act(*each)
        if shared.lock.locked():
            raise Broken("the store is still held")


def _world(random: Random) -> dict[str, Any]:
    return {
        "store": random.choice(STORES), "actor": random.choice(_ACTORS),
        "answers": [_draft(random) for _ in range(random.randint(1, 4))],
    }  # fmt: skip


def _draft(random: Random) -> Any:
    made = drafts.draft(random)
    return made if random.random() < 0.8 else mutated(random, made, 1)


def _said(random: Random) -> str:
    if random.random() < 0.2:
        return HOSTILE
    filled = random.random() < 0.6
    return values.filled(random, "requests") if filled else values.text(random)


# --- tools ---------------------------------------------------------------------------------


def make_calls(random: Random) -> Any:
    """A store, what its model answers, and calls of tools one after another."""
    calls = [["remember", {"text": _said(random)}] for _ in range(random.randint(1, 3))]
    calls += [_call(random) for _ in range(random.randint(3, 10))]
    return {**_world(random), "calls": calls}


def _call(random: Random) -> list[Any]:
    kind = random.random()
    if kind < 0.05:
        return ["pass", random.choice(_PASSES)]
    if kind < 0.13:
        uri = random.choice(("memory://", "fact://", "text2mem://schema", "file:///", ""))
        named = random.choice((*_IDS, *values.words()["names"], values.text(random)))
        return ["read", uri + random.choice((named, quote(named, safe="", errors="replace")))]
    if kind < 0.17:
        return ["list"]
    name = random.choice((*TOOLS, "run_program", "run_program", "ask_memory"))
    given: Any = _arguments(random, name)
    return [name, given if random.random() < 0.85 else mutated(random, given, 1)]


def _arguments(random: Random, name: str) -> dict[str, Any]:
    token = random.choice((_LAST, _LAST, _LAST, values.text(random)))
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        "remember": lambda: {"text": _said(random), "tags": [values.text(random)]},
        "recall": lambda: {
            "question": values.filled(random, "questions"), "k": random.choice((1, 5, 50, 10**9)),
        },
        "ask_memory": lambda: {
            "request": random.choice((_said(random), *values.words()["replies"])),
            "confirm_token": random.choice((None, None, token)),
        },
        "preview": lambda: {"request": _said(random)},
        "confirm": lambda: {"token": token, "choice": random.choice((None, 0, 1, 2, 99))},
        "undo": lambda: {"trace_id": random.choice((None, _LAST, values.text(random)))},
        "history": lambda: {"id": random.choice((*_IDS, _LAST))},
        "run_program": lambda: {"program": program(random), "dry_run": random.random() < 0.3},
    }  # fmt: skip
    return makers[name]()


def run_calls(held: Any, meter: Meter) -> None:
    """Make the calls on a new store. What is no call is passed over."""
    from text2mem.doors.mcp import require

    if not isinstance(held, dict) or not isinstance(held.get("calls"), list):
        return
    require()
    clock = SetClock(NOW)
    with _opened(held, clock) as shared:
        tools = _Tools(Verbs(shared), clock, meter, _talk())
        _acted(held["calls"], tools.act, shared)


@dataclass
class _Tools:
    verbs: Verbs
    clock: SetClock
    meter: Meter
    talk: Talk
    last: str = "1"

    def act(self, what: Any, given: Any = None, *more: Any) -> None:
        """One call."""
        from text2mem.doors.mcp import reading

        if what == "pass" and type(given) is int and 0 <= given <= 10**9:
            self.clock.at = min(self.clock.at + timedelta(seconds=given), LATEST)
        elif what == "read" and isinstance(given, str):
            self.meter.call("read", lambda: reading.read(self.verbs.shared, given)[0].encode())
        elif what == "list":
            self.meter.call("list", lambda: reading.listed(self.verbs.shared))
        elif isinstance(what, str) and what in TOOLS and isinstance(given, dict):
            filled = {k: self.last if v == _LAST else v for k, v in given.items()}
            found = self.meter.call(what, lambda: self._answered(what, filled), _status)
            if isinstance(found, ToolAnswer):
                self.last = str(found.data.get("token") or _trace(found) or self.last)

    def _answered(self, name: str, given: Mapping[str, Any]) -> ToolAnswer:
        arguments = TOOLS[name].checked(given, handles=False)
        verb: Callable[..., ToolAnswer] = getattr(self.verbs, name)
        answer = verb(self.talk, **arguments)
        strict(answer.data)
        answer.text.encode()
        return answer


def _trace(answer: ToolAnswer) -> Any:
    result = answer.data.get("result")
    return result.get("trace_id") if isinstance(result, dict) else None


def _status(answer: ToolAnswer) -> str:
    return "refused" if answer.failed else str(answer.data.get("status", "?"))


# --- pages ---------------------------------------------------------------------------------


def make_visits(random: Random) -> Any:
    """A store, what its model answers, and what a browser sends one after another."""
    acts = [_filling(random) for _ in range(random.randint(1, 4))]
    acts += [_visit(random) for _ in range(random.randint(4, 10))]
    return {**_world(random), "acts": acts}


def _filling(random: Random) -> list[Any]:
    kind = random.random()
    if kind < 0.3:
        return ["observe", message(random), random.random() < 0.7]
    if kind < 0.4:
        structured = {"subject": HOSTILE, "attribute": "a", "value": HOSTILE}
        return ["observe", {"role": "tool", "structured": structured}, True]
    return ["execute", [grammar.encode(random)] if kind < 0.7 else program(random)]


def _visit(random: Random) -> list[Any]:
    kind = random.random()
    if kind < 0.05:
        return ["pass", random.choice(_PASSES)]
    if kind < 0.15:
        return _filling(random)
    if kind < 0.55:
        path = random.choice((*_PAGES, f"/memories/{random.choice(_IDS)}"))
        names = random.sample(_QUERY, random.choice((0, 1, 1, 2)))
        return ["get", path, [[name, _value(random, name)] for name in names]]
    path = random.choice((*_FORMS, "/ask", "/asked/run", "/asked/choose"))
    held = {
        "/ask": ("text", "answers"), "/asked/run": ("token",), "/afresh": (),
        "/asked/choose": ("token", "choice"), "/journal/undo": ("trace", "force"),
    }.get(path, ("id",))  # fmt: skip
    fields = [[name, _value(random, name)] for name in held if random.random() < 0.9]
    return ["post", path, fields if random.random() < 0.9 else mutated(random, fields, 1)]


def _value(random: Random, name: str) -> str:
    if random.random() < 0.1:
        return values.text(random, strange=0.9)
    return str({
        "text": _said(random), "words": _said(random), "force": "yes", "archived": "yes",
        "page": random.choice(("1", "2", "0", "-1", "400", "9" * 30, "²", "x")),
        "choice": random.choice(("1", "2", "0", "99", "１")), "id": random.choice((*_IDS, "all")),
        "subject": random.choice((*values.words()["names"], HOSTILE)), "deleted": "yes",
        "answers": random.choice(("", _LAST)),
    }.get(name, _LAST))  # fmt: skip


def run_visits(held: Any, meter: Meter) -> None:
    """Visit the pages of a new store. What is no visit is passed over."""
    from text2mem.doors.ui import require

    if not isinstance(held, dict) or not isinstance(held.get("acts"), list):
        return
    require()
    clock = SetClock(NOW)
    with _opened(held, clock) as shared, asyncio.Runner() as runner:
        browser = _Browser(shared, clock, meter, runner)
        _acted(held["acts"], browser.act, shared)


class _Browser:
    """A browser that was let in, and sends forms of the page's own."""

    def __init__(
        self, shared: SharedMemory, clock: SetClock, meter: Meter, runner: asyncio.Runner
    ) -> None:
        from text2mem.doors.ui.app import build
        from text2mem.doors.ui.guard import Guard
        from text2mem.doors.ui.visit import Session

        self._guard = Guard(8766, "a-token-of-the-fuzz")
        self._app = build(Session(shared, _talk()), self._guard)
        self._shared, self._clock, self._meter, self._runner = shared, clock, meter, runner
        self._last = "1"

    def act(self, what: Any, given: Any = None, more: Any = None, *_: Any) -> None:
        """One visit, or something that happens to the store meanwhile."""
        if what == "pass" and type(given) is int and 0 <= given <= 10**9:
            self._clock.at = min(self._clock.at + timedelta(seconds=given), LATEST)
        elif what in ("execute", "observe"):
            with self._shared as shared:
                calls: dict[str, Callable[[Any], object]] = {
                    "execute": shared.memory.execute,
                    "observe": partial(shared.memory.observe, extract=more is True),
                }
                self._meter.call(what, partial(calls[what], given))
        elif what in ("get", "post") and isinstance(given, str) and _are_fields(more):
            fields = [(name, self._last if held == _LAST else held) for name, held in more]
            self._visited(str(what), given, fields)

    def _visited(self, method: str, path: str, fields: list[tuple[str, str]]) -> None:
        if method == "post":
            fields = [("csrf", self._guard.csrf), *fields]
        sent = urlencode(fields, errors="surrogatepass").encode()
        query, body = (sent, b"") if method == "get" else (b"", sent)
        what = f"{method} {'/memories/1' if path.startswith('/memories/') else path}"

        def visit() -> tuple[int, bytes]:
            return self._runner.run(self._request(method.upper(), path, query, body))

        found = self._meter.call(what, visit, lambda answer: str(answer[0]))
        assert not isinstance(found, Text2MemError)
        status, page = found
        if status >= 500 and status != 502:
            raise Broken(f"{what}: {status}")
        if _BODY.search(page):
            raise Broken(f"{what}: a stored text is markup")
        token = _TOKEN.search(page.decode())
        self._last = token[1] if token else self._last

    async def _request(
        self, method: str, path: str, query: bytes, body: bytes
    ) -> tuple[int, bytes]:
        """The status; the body with the address that a redirect leads to."""
        host = f"127.0.0.1:{self._guard.port}"
        headers = {
            "host": host, "origin": f"http://{host}", "content-length": str(len(body)),
            "cookie": f"{self._guard.cookie}={self._guard.secret}",
            "content-type": "application/x-www-form-urlencoded",
        }  # fmt: skip
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method,
            "scheme": "http", "path": path, "query_string": query, "root_path": "",
            "raw_path": quote(path, errors="replace").encode(),
            "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
            "client": ("127.0.0.1", 1), "server": ("127.0.0.1", self._guard.port),
        }  # fmt: skip
        got: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(part: Any) -> None:
            got.append(part)

        await self._app(scope, receive, send)
        led = b"".join(v for k, v in got[0]["headers"] if k == b"location")
        return got[0]["status"], led + b"\n" + b"".join(part.get("body", b"") for part in got)


def _are_fields(given: Any) -> bool:
    return isinstance(given, list) and all(
        isinstance(each, list) and len(each) == 2 and all(isinstance(part, str) for part in each)
        for each in given
    )
