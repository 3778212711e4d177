"""What a keeper asks of Letta's HTTP API (https://docs.letta.com/api-reference), and its errors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from text2mem.errors import (
    ConfigurationError,
    RateLimited,
    ServiceError,
    ServiceTimeout,
    ServiceUnreachable,
    needing,
)
from text2mem.providers.addresses import checked, shown
from text2mem.providers.transport import retry_after

SERVICE = "letta"
KEY = "LETTA_API_KEY"
TIMEOUT = 30.0
PAGE = 500
"""Passages that are asked for at a time; at least 2."""
MOST_FOUND = 100
"""As many hits as a search may ask for."""
_AGENT = re.compile("agent-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent, and the name of its embedder, if it says that."""

    id: str
    name: str
    embedding: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a passage says. Letta keeps its tags as a set."""

    text: str
    metadata: Mapping[str, Any]
    tags: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage(Content):
    """One that is held, without its vector."""

    id: str


class LettaApi:
    """The requests of one server.

    Each raises ServiceError and its kinds, and ConfigurationError where the key is not taken.
    None is sent again: what was not done is delivered with the next program.
    """

    def __init__(self, url: str, key: str) -> None:
        """Raises MissingExtra, and ConfigurationError for what is no address or no key."""
        with needing("Letta", extra="letta"):
            import httpx
        if not key.isascii():
            raise ConfigurationError("the key for Letta is not in ASCII", hint=f"check {KEY}")
        self._httpx = httpx
        self.where = f"Letta at {shown(url)}"
        self._client = httpx.Client(
            base_url=checked(url, setting="the place of a letta: store"),
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=TIMEOUT,
            # Reading the system's certificates takes long, and http has no use for them.
            verify=not url.startswith("http:"),
        )

    def agent(self, name: str) -> Agent:
        """The one agent of a name, or of an id ``agent-…``.

        Raises ConfigurationError where there is none, or more than one.
        """
        if _AGENT.fullmatch(name):
            one = self._asked("GET", f"/v1/agents/{name}", missing={})
            answered = [one] if one else []
        else:
            answered = self._asked("GET", "/v1/agents/", params={"name": name, "limit": 2})
        with self._reading("agents"):
            agents = [
                Agent(str(each["id"]), str(each["name"]), each.get("embedding"))
                for each in answered
            ]
        found = [each for each in agents if name in (each.name, each.id)]
        if len(found) != 1:
            raise ConfigurationError(
                f"{self.where} has {'more than one' if found else 'no'} agent '{name}'",
                hint="make it in Letta, or name another one: namespace=agent-…",
            )
        return found[0]

    def archive(self, agent: Agent) -> str:
        """The id of an agent's archive, its oldest one; made and attached where it has none.

        One that was made before and not attached, as Letta went away between the two, is taken.
        """
        first = {"order": "asc", "limit": 1}
        name = f"{agent.name} by text2mem, {agent.id}"
        found = self._asked("GET", "/v1/archives/", params={"agent_id": agent.id, **first})
        with self._reading("archives"):
            if found:
                return str(found[0]["id"])
            made = self._asked("GET", "/v1/archives/", params={"name": name, **first})
            # Of the agent's own embedder, so that Letta can search it as its own.
            wanted = {"name": name, "embedding": agent.embedding}
            archive = made[0] if made else self._asked("POST", "/v1/archives/", json=wanted)
            id_ = str(archive["id"])
        self._asked("PATCH", f"/v1/agents/{agent.id}/archives/attach/{id_}")
        return id_

    def passages(self, agent: str, after: str | None) -> Iterator[Passage]:
        """An agent's, oldest first, past one of them; none where that is not there any more.

        Letta lists nothing past one that is gone. So each page begins with the last one of the
        page before. Raises ServiceUnreachable where it does not.
        """
        last = None
        while True:
            asked = {"limit": PAGE, "ascending": "true", **({"after": after} if after else {})}
            found = self._asked("GET", f"/v1/agents/{agent}/archival-memory", params=asked)
            with self._reading("passages"):
                page = [_passage(each) for each in found]
            if last is not None:
                if not page or page[0].id != last:
                    raise ServiceUnreachable(
                        f"what {self.where} holds changed while it was listed", service=SERVICE,
                        hint="try again",
                    )  # fmt: skip
                page = page[1:]
            if not page:
                return
            yield from page
            after, last = page[-2].id if len(page) > 1 else last or after, page[-1].id

    def create(self, archive: str, content: Content) -> Passage:
        """One more passage; Letta gives it an id, and a vector by the archive's embedder."""
        sent = {"text": content.text, "metadata": content.metadata, "tags": content.tags}
        made = self._asked("POST", f"/v1/archives/{archive}/passages", json=sent)
        with self._reading("a passage"):
            return _passage(made)

    def delete(self, agent: str, passage: str) -> None:
        """For good. One that is gone is no error."""
        self._asked("DELETE", f"/v1/agents/{agent}/archival-memory/{passage}", missing={})

    def search(self, agent: str, query: str, limit: int) -> list[tuple[Passage, float]]:
        """Passages with Letta's scores, best first."""
        asked = {"agent_id": agent, "query": query, "limit": max(1, min(limit, MOST_FOUND))}
        found = self._asked("POST", "/v1/passages/search", json=asked)
        with self._reading("hits"):
            return [(_passage(each["passage"]), float(each["score"])) for each in found]

    def close(self) -> None:
        """Its connections."""
        self._client.close()

    def _asked(self, method: str, path: str, *, missing: Any = None, **sent: Any) -> Any:
        """The answer's JSON; ``missing`` where there is no such thing, if that is given."""
        try:
            answer = self._client.request(method, path, **sent)
        except self._httpx.TimeoutException:
            raise ServiceTimeout(f"{self.where} did not answer in time", service=SERVICE) from None
        except (self._httpx.HTTPError, self._httpx.InvalidURL, UnicodeError) as error:
            raise ServiceUnreachable(
                f"cannot reach {self.where}: {type(error).__name__}", service=SERVICE,
                hint="is it running, and is the address right?",
            ) from None  # fmt: skip
        if answer.status_code == 404 and missing is not None:
            return missing
        if not answer.is_success:
            raise self._refusal(answer, f"{method} {path}")
        if not answer.content:
            return None
        try:
            return answer.json()
        except ValueError:
            raise ServiceError(
                f"{self.where} answered {method} {path} with something that is no JSON",
                service=SERVICE, hint="is this the address of Letta itself?",
            ) from None  # fmt: skip

    @contextmanager
    def _reading(self, what: str) -> Iterator[None]:
        """Where an answer is taken apart: one of another shape is the service's fault."""
        try:
            yield
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ServiceError(
                f"{self.where} answered something else than {what}", service=SERVICE,
                hint="is this the address of Letta itself?",
            ) from None  # fmt: skip

    def _refusal(self, answer: Any, asked: str) -> Exception:
        """An answer that is none, by its status; what it says may quote memories, and is left."""
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
            return ServiceUnreachable(
                f"{self.where} failed at {asked}: status {status}", service=SERVICE,
                hint="Letta's own log says why",
            )  # fmt: skip
        return ServiceError(f"{self.where} refused {asked}: status {status}", service=SERVICE)


def _passage(answer: Mapping[str, Any]) -> Passage:
    return Passage(
        id=str(answer["id"]),
        text=str(answer["text"]),
        metadata=dict(answer.get("metadata") or {}),
        tags=[str(tag) for tag in answer.get("tags") or ()],
    )
