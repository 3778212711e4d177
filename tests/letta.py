"""A server that answers as Letta's documented API does, as far as a keeper asks it.

Written from the API reference and the routes of Letta 0.16: ids are the server's, passages are
listed by their instant and then by id, nothing is listed past one that is gone, a search without
an embedder scores nothing. ``python -m tests.letta PORT AGENT …`` serves agents without a key.
"""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from uuid import uuid4

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.doors.serving import running

Row = dict[str, Any]


@dataclass
class Letta:
    """Agents, archives and passages. ``refusing`` is a status that answers every request whose line
    holds ``refused``."""

    key: str = ""
    agents: dict[str, Row] = field(default_factory=dict)
    archives: dict[str, Row] = field(default_factory=dict)
    passages: dict[str, Row] = field(default_factory=dict)
    refusing: int = 0
    refused: str = ""
    asked: list[str] = field(default_factory=list)
    port: int = 0
    _lock: Any = field(default_factory=threading.Lock)
    _instant: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def add_agent(self, name: str) -> str:
        """A new agent, as one is made in Letta."""
        id_ = f"agent-{uuid4()}"
        self.agents[id_] = {"id": id_, "name": name, "embedding": "openai/none", "archives": []}
        return id_

    def of(self, agent: str) -> list[Row]:
        """An agent's passages in Letta's order."""
        held = self.agents[agent]["archives"]
        found = [each for each in self.passages.values() if each["archive_id"] in held]
        return sorted(found, key=_place)

    def add_passage(self, archive: str, body: Row) -> Row:
        """A new passage; the tags lose their order, as they do there."""
        with self._lock:
            self._instant += 1
            passage = {
                "id": f"passage-{uuid4()}", "archive_id": archive, "text": body["text"],
                "metadata": body.get("metadata") or {},
                "tags": sorted(set(body.get("tags") or ()), key=hash),
                "created_at": f"2026-01-01T00:00:00.{self._instant:09d}Z",
                "embedding": [0.0] * 8, "is_deleted": False,
            }  # fmt: skip
            self.passages[passage["id"]] = passage
        return passage

    def app(self) -> Starlette:
        """The routes."""
        agent, archive = "/v1/agents/{agent}", "/v1/archives/{archive}"
        routes: list[tuple[str, str, Any]] = [
            ("GET", "/v1/agents/", self._agents),
            ("GET", agent, self._agent),
            ("GET", f"{agent}/archival-memory", self._list),
            ("POST", f"{agent}/archival-memory", self._insert),
            ("DELETE", f"{agent}/archival-memory/{{passage}}", self._delete),
            ("PATCH", f"{agent}/archives/attach/{{archive}}", self._attach),
            ("GET", "/v1/archives/", self._archives),
            ("POST", "/v1/archives/", self._make_archive),
            ("POST", f"{archive}/passages", self._create),
            ("POST", "/v1/passages/search", self._search),
        ]
        return Starlette(
            routes=[
                Route(path, self._guarded(answer), methods=[method])
                for method, path, answer in routes
            ]
        )

    def _guarded(self, answer: Any) -> Any:
        async def endpoint(request: Request) -> Response:
            self.asked.append(f"{request.method} {request.url.path}")
            if self.refusing and self.refused in self.asked[-1]:
                return JSONResponse({"detail": "no"}, self.refusing, {"Retry-After": "7"})
            if self.key and request.headers.get("Authorization") != f"Bearer {self.key}":
                return JSONResponse({"detail": "Unauthorized"}, 401)
            body = await request.json() if request.method == "POST" else {}
            try:
                found = answer(request, body)
            except KeyError:
                raise HTTPException(404, "not found") from None
            return JSONResponse(found)

        return endpoint

    def _agents(self, request: Request, body: Row) -> Any:
        asked = request.query_params
        found = [each for each in self.agents.values() if each["name"] == asked["name"]]
        return found[: int(asked.get("limit", 50))]

    def _agent(self, request: Request, body: Row) -> Any:
        return self.agents[request.path_params["agent"]]

    def _archives(self, request: Request, body: Row) -> Any:
        asked = request.query_params
        found = [*self.archives.values()]
        if "agent_id" in asked:
            found = [self.archives[each] for each in self.agents[asked["agent_id"]]["archives"]]
        if "name" in asked:
            found = [each for each in found if each["name"] == asked["name"]]
        return found if asked.get("order") == "asc" else found[::-1]

    def _make_archive(self, request: Request, body: Row) -> Any:
        made = {"id": f"archive-{uuid4()}", "name": body["name"], "embedding": body["embedding"]}
        self.archives[made["id"]] = made
        return made

    def _attach(self, request: Request, body: Row) -> Any:
        archive = self.archives[request.path_params["archive"]]
        self.agents[request.path_params["agent"]]["archives"].append(archive["id"])
        return None

    def _insert(self, request: Request, body: Row) -> Any:
        agent = self.agents[request.path_params["agent"]]
        if not agent["archives"]:
            made = self._make_archive(request, {"name": "its own", "embedding": "openai/none"})
            agent["archives"].append(made["id"])
        return [self.add_passage(agent["archives"][0], {**body, "metadata": {}})]

    def _create(self, request: Request, body: Row) -> Any:
        return self.add_passage(self.archives[request.path_params["archive"]]["id"], body)

    def _list(self, request: Request, body: Row) -> Any:
        asked = request.query_params
        found = self.of(self.agents[request.path_params["agent"]]["id"])
        if "after" in asked:
            last = self.passages.get(asked["after"])
            found = [each for each in found if last is not None and _place(each) > _place(last)]
        return found[: int(asked.get("limit", 100))]

    def _delete(self, request: Request, body: Row) -> Any:
        del self.passages[request.path_params["passage"]]
        return {"message": "deleted"}

    def _search(self, request: Request, body: Row) -> Any:
        if not 1 <= body.get("limit", 50) <= 100:
            raise HTTPException(422, "limit")
        found = self.of(self.agents[body["agent_id"]]["id"])
        wanted = body["query"].lower()
        hits = [each for each in found if wanted in each["text"].lower()]
        return [{"passage": each, "score": 0.0, "metadata": {}} for each in hits[: body["limit"]]]


def _place(passage: Row) -> tuple[str, str]:
    return passage["created_at"], passage["id"]


@contextmanager
def served(key: str = "") -> Iterator[Letta]:
    """A server on the loopback, while a block runs."""
    letta = Letta(key)
    listening = socket.create_server(("127.0.0.1", 0))
    letta.port = listening.getsockname()[1]
    config = uvicorn.Config(letta.app(), log_config=None, access_log=False, ws="none")
    with running(uvicorn.Server(config), listening):
        yield letta


_RUNNING = ExitStack()


@cache
def server() -> Letta:
    """The session's server, which asks for no key."""
    return _RUNNING.enter_context(served())


def stop() -> None:
    """End it, where there is one."""
    _RUNNING.close()
    server.cache_clear()


if __name__ == "__main__":
    served_here = Letta()
    for given in sys.argv[2:]:
        served_here.add_agent(given)
    uvicorn.run(served_here.app(), port=int(sys.argv[1]), log_level="error")
