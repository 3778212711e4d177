"""The requests of a keeper to Letta's HTTP API (https://docs.letta.com/api-reference)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from text2mem.errors import (
    ConfigurationError,
    RateLimited,
    ServiceError,
    ServiceTimeout,
    ServiceUnreachable,
    needing,
)
from text2mem.providers.secrecy import checked, shown
from text2mem.providers.transport import made, retry_after

SERVICE = "letta"
KEY = "LETTA_API_KEY"
TIMEOUT = 30.0
PAGE = 500
"""How many passages are listed by one request; at least 2."""
MOST_FOUND = 100
"""The most hits that Letta allows a search to ask for."""
_AGENT = re.compile("agent-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent of a Letta server."""

    id: str
    name: str
    embedding: str | None
    """The name of its embedder, if the server says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The content of a passage. Letta does not keep the order of the tags."""

    text: str
    metadata: Mapping[str, Any]
    tags: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage(Content):
    """A passage that Letta holds, without its vector."""

    id: str


class LettaApi:
    """The requests to one server. Each raises ServiceError or a subclass, and ConfigurationError if
    the key is not accepted. No request is repeated: what failed is delivered with the next
    program."""

    def __init__(self, url: str, key: str) -> None:
        """Make a client. Raises MissingExtra, and ConfigurationError for an invalid url or key."""
        with needing("Letta", extra="letta"):
            import httpx
        if not key.isascii():
            raise ConfigurationError("the key for Letta is not in ASCII", hint=f"check {KEY}")
        self._httpx = httpx
        self.where = f"Letta at {shown(url)}"
        make = partial(
            httpx.Client,
            base_url=checked(url, setting="the place of a letta: store"),
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=TIMEOUT,
            # Without TLS, the system's certificates need not be read, which takes long.
            verify=not url.startswith("http:"),
        )
        self._client = made(make, self.where)

    def agent(self, name: str) -> Agent:
        """The agent with a name, or with an id ``agent-…``. Raises ConfigurationError if there is
        none, or more than one."""
        if _AGENT.fullmatch(name):
            answer = self._request("GET", f"/v1/agents/{name}", missing={})
            answers = [answer] if answer else []
        else:
            answers = self._request("GET", "/v1/agents/", params={"name": name, "limit": 2})
        with self._reading("agents"):
            agents = [Agent(str(a["id"]), str(a["name"]), a.get("embedding")) for a in answers]
        matching = [agent for agent in agents if name in (agent.name, agent.id)]
        if len(matching) != 1:
            why = f"{self.where} has {'more than one' if matching else 'no'} agent '{name}'"
            hint = "make it in Letta, or name another one: namespace=agent-…"
            raise ConfigurationError(why, hint=hint)
        return matching[0]

    def archive(self, agent: Agent) -> str:
        """The id of an agent's oldest archive. If it has none, one is made and attached. If an
        earlier call has made one and failed before attaching it, that one is used."""
        first = {"order": "asc", "limit": 1}
        name = f"{agent.name} by text2mem, {agent.id}"
        attached = self._request("GET", "/v1/archives/", params={"agent_id": agent.id, **first})
        with self._reading("archives"):
            if attached:
                return str(attached[0]["id"])
            made = self._request("GET", "/v1/archives/", params={"name": name, **first})
            # With the agent's embedder, so that the agent can search the archive.
            new = {"name": name, "embedding": agent.embedding}
            archive = made[0] if made else self._request("POST", "/v1/archives/", json=new)
            id_ = str(archive["id"])
        self._request("PATCH", f"/v1/agents/{agent.id}/archives/attach/{id_}")
        return id_

    def passages(self, agent: str, after: str | None) -> Iterator[Passage]:
        """Yield an agent's passages after one (None: all), oldest first. Letta lists nothing after
        a passage that is gone. So each page is asked for from the last but one passage on, and must
        begin with the last one, and no other may come twice; otherwise raises
        ServiceUnreachable."""
        last = None
        seen: set[str] = set()
        while True:
            asked = {"limit": PAGE, "ascending": "true"} | ({"after": after} if after else {})
            answers = self._request("GET", f"/v1/agents/{agent}/archival-memory", params=asked)
            with self._reading("passages"):
                if not isinstance(answers, list):  # {} is no empty list: nothing is gone
                    raise TypeError
                page = [_passage(answer) for answer in answers]
            continued = last is None or (page and page[0].id == last)
            page = page if last is None else page[1:]
            ids = {passage.id for passage in page}
            if not continued or len(ids) < len(page) or ids & seen:
                why = f"what {self.where} holds changed while it was listed"
                raise ServiceUnreachable(why, service=SERVICE, hint="try again")
            seen |= ids
            if not page:
                return
            yield from page
            after, last = page[-2].id if len(page) > 1 else last or after, page[-1].id

    def create(self, archive: str, content: Content) -> Passage:
        """Make a passage. Letta gives it an id, and a vector by the archive's embedder."""
        sent = {"text": content.text, "metadata": content.metadata, "tags": content.tags}
        made = self._request("POST", f"/v1/archives/{archive}/passages", json=sent)
        with self._reading("a passage"):
            return _passage(made)

    def delete(self, agent: str, passage: str) -> None:
        """Delete a passage permanently. A missing one is no error."""
        self._request("DELETE", f"/v1/agents/{agent}/archival-memory/{passage}", missing={})

    def search(self, agent: str, query: str, limit: int) -> list[tuple[Passage, float]]:
        """The best ``limit`` passages with Letta's scores, best first; at most ``MOST_FOUND``."""
        asked = {"agent_id": agent, "query": query, "limit": max(1, min(limit, MOST_FOUND))}
        hits = self._request("POST", "/v1/passages/search", json=asked)
        with self._reading("hits"):
            return [(_passage(hit["passage"]), float(hit["score"])) for hit in hits]

    def close(self) -> None:
        self._client.close()

    def _request(self, method: str, path: str, *, missing: Any = None, **sent: Any) -> Any:
        """Send a request; the JSON of the answer. For status 404, ``missing`` if it is given."""
        try:
            answer = self._client.request(method, path, **sent)
        except self._httpx.TimeoutException:
            raise ServiceTimeout(f"{self.where} did not answer in time", service=SERVICE) from None
        except (self._httpx.HTTPError, self._httpx.InvalidURL, UnicodeError) as error:
            why = f"cannot reach {self.where}: {type(error).__name__}"
            hint = "is it running, and is the address right?"
            raise ServiceUnreachable(why, service=SERVICE, hint=hint) from None
        if answer.status_code == 404 and missing is not None:
            return missing
        if not answer.is_success:
            raise self._refusal(answer, f"{method} {path}")
        if not answer.content:
            return None
        try:
            return answer.json()
        except ValueError:
            why = f"{self.where} answered {method} {path} with something that is no JSON"
            hint = "is this the address of Letta itself?"
            raise ServiceError(why, service=SERVICE, hint=hint) from None

    @contextmanager
    def _reading(self, what: str) -> Iterator[None]:
        """Raise ServiceError if the body fails to read an answer because of its shape."""
        try:
            yield
        except (AttributeError, KeyError, TypeError, ValueError):
            why = f"{self.where} answered something else than {what}"
            hint = "is this the address of Letta itself?"
            raise ServiceError(why, service=SERVICE, hint=hint) from None

    def _refusal(self, answer: Any, asked: str) -> Exception:
        """The error for an answer's status. Its text is left out, since it may quote memories."""
        status = answer.status_code
        if status in (401, 403):
            return ConfigurationError(
                f"{self.where} does not accept the key (status {status})", hint=f"check {KEY}"
            )
        if status == 429:
            return RateLimited(
                f"{self.where} limits the rate", service=SERVICE,
                retry_after=retry_after(answer.headers),
            )  # fmt: skip
        if status >= 500:
            why = f"{self.where} failed at {asked}: status {status}"
            return ServiceUnreachable(why, service=SERVICE, hint="Letta's own log says why")
        return ServiceError(f"{self.where} refused {asked}: status {status}", service=SERVICE)


def _passage(answer: Mapping[str, Any]) -> Passage:
    return Passage(
        id=str(answer["id"]),
        text=answer["text"],
        metadata=dict(answer.get("metadata") or {}),
        tags=[str(tag) for tag in answer.get("tags") or ()],
    )
