"""The keeper for Letta: the archival memory of one agent, over the HTTP API.

Letta assigns the ids and cannot change a passage. So a change makes a new passage and deletes the
old one. Our key is in the metadata of each. This process keeps a list of the passages. Before it
writes, it asks for those that were added since, so that no memory is stored twice.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import ClassVar

from text2mem.adapters.base import Support
from text2mem.adapters.mirrored.items import OURS, item_of, tags_beside
from text2mem.adapters.mirrored.keeper import Item, Keeper, supporting
from text2mem.adapters.mirrored.letta_api import KEY, Content, LettaApi, Passage
from text2mem.adapters.mirrored.place import Place, PlacedAdapter
from text2mem.adapters.mirrored.vectors import Vectors
from text2mem.errors import ConfigurationError

MARK = "text2mem_key"
"""The name of our key in the metadata of a passage."""


class LettaKeeper(Keeper):
    """The keeper of the archival memory of one agent. The agent is looked up at the first use."""

    name: ClassVar[str] = "letta"

    def __init__(self, api: LettaApi, agent: str) -> None:
        """``agent`` is a name, or an id ``agent-…``. The ``api`` is closed with the keeper."""
        self._api = api
        self._named = agent
        self._agent = ""
        self._archive = ""
        # Passages by id: those listed, in Letta's order, and those made here and not listed yet.
        self._listed: dict[str, Passage] = {}
        self._made: dict[str, Passage] = {}

    @property
    def place(self) -> str:
        """The server's address and the agent."""
        return f"{self._api.where}, {self._named}"

    def put(self, items: Sequence[Item]) -> None:
        """Store items one by one. A new passage is made before the old one is deleted, so that a
        text is never missing."""
        self._list()
        there = self._by_key()
        for item in items:
            older = there.get(item.key, [])
            content = as_content(item, older[-1] if older else None)
            kept = next((passage for passage in older if _equals(passage, content)), None)
            if kept is None:
                made = self._api.create(self._archive, content)
                self._made[made.id] = made
            for passage in older:
                if passage is not kept:
                    self._delete(passage)

    def remove(self, keys: Sequence[str]) -> None:
        """Delete passages. Letta keeps no trace of them."""
        self._list()
        there = self._by_key()
        for key in dict.fromkeys(keys):
            for passage in there.get(key, []):
                self._delete(passage)

    def scan(self) -> Sequence[Item]:
        """The newest passage of each key, after listing all passages again."""
        self._list(anew=True)
        return [as_item(passages[-1]) for passages in self._by_key().values()]

    def search(self, text: str, k: int) -> Sequence[tuple[str, float]]:
        """Search by Letta's search. If it gives no score, the nth hit has the score 1/n."""
        self._find_agent()
        scores: dict[str, float] = {}
        for place, (passage, score) in enumerate(self._api.search(self._agent, text, k), start=1):
            scores.setdefault(_key(passage), score or 1 / place)
        return sorted(scores.items(), key=lambda pair: -pair[1])

    def close(self) -> None:
        self._api.close()

    def _find_agent(self) -> None:
        """Look up the ids of the agent and its archive, once."""
        if not self._agent:
            agent = self._api.agent(self._named)
            self._archive = self._api.archive(agent)
            self._agent = agent.id

    def _list(self, *, anew: bool = False) -> None:
        """Update the list of passages by those after the last known one; with ``anew``, by all."""
        self._find_agent()
        newest = [] if anew else list(islice(reversed(self._listed), 2))
        if len(newest) == 2:
            last, before = newest
            added = self._passages(before)
            # Letta lists nothing after a passage that is gone. So the list is asked for from the
            # last but one on, and must begin with the last one.
            if next(iter(added), None) == last:
                self._listed |= added
                self._made = {id_: made for id_, made in self._made.items() if id_ not in added}
                return
        self._listed, self._made = self._passages(None), {}

    def _passages(self, after: str | None) -> dict[str, Passage]:
        """The passages after one, or all, by id."""
        return {passage.id: passage for passage in self._api.passages(self._agent, after)}

    def _by_key(self) -> dict[str, list[Passage]]:
        """The known passages of each key, oldest first."""
        grouped: dict[str, list[Passage]] = {}
        for passage in (*self._listed.values(), *self._made.values()):
            grouped.setdefault(_key(passage), []).append(passage)
        return grouped

    def _delete(self, passage: Passage) -> None:
        self._api.delete(self._agent, passage.id)
        self._listed.pop(passage.id, None)
        self._made.pop(passage.id, None)


def as_content(item: Item, there: Passage | None) -> Content:
    """The content of an item's new passage. Others' metadata and tags of the present passage
    ``there`` are kept."""
    held = {OURS: dict(item.metadata), MARK: item.key}
    if there is None:
        return Content(text=item.text, metadata=held, tags=tags_beside(item, None, ()))
    tags = tags_beside(item, as_item(there), there.tags)
    return Content(text=item.text, metadata={**there.metadata, **held}, tags=tags)


def as_item(passage: Passage) -> Item:
    return item_of(_key(passage), passage.text, passage.metadata, (MARK,), passage.tags)


def _key(passage: Passage) -> str:
    """Our key of a passage; the id of a passage of others."""
    return str(passage.metadata.get(MARK) or passage.id)


def _equals(passage: Passage, content: Content) -> bool:
    """Whether a passage has this content; tags are compared as sets."""
    same = passage.text == content.text and passage.metadata == content.metadata
    return same and set(passage.tags) == set(content.tags)


class LettaAdapter(PlacedAdapter):
    """The adapter of ``letta:URL?sidecar=FILE``: an agent of a Letta server, and a sidecar. The
    server's key is in the environment variable LETTA_API_KEY."""

    name: ClassVar[str] = "letta"
    namespace: ClassVar[str] = "text2mem-{tenant}"
    support: ClassVar[Mapping[str, Support]] = supporting(native=("Encode", "Delete"))

    @staticmethod
    def open_keeper(at: Place, vectors: Vectors | None = None) -> LettaKeeper:
        if not at.is_remote or "?" in at.path:
            why = f"'{at.shown}' is not the address of a Letta server"
            raise ConfigurationError(why, hint="letta:http://localhost:8283?sidecar=FILE")
        if at.embedder or vectors is not None:
            why = "Letta makes its vectors itself, by the embedder of the agent"
            raise ConfigurationError(why, hint="leave the option embedder out")
        return LettaKeeper(LettaApi(at.path, os.environ.get(KEY, "")), "/".join(at.namespace))
