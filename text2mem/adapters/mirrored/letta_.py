"""Letta as a keeper: the archival memory of one agent, over its HTTP API.

Letta gives the ids, and changes no passage: what is changed becomes a new passage, and the old one
goes. Our key stands in the metadata of each, and this process remembers which passages are there.
Before it writes it asks for those that came later, so that nothing is there twice.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import ClassVar

from text2mem.adapters.base import Support
from text2mem.adapters.mirrored.items import OURS, item_of, tags_beside, with_tags
from text2mem.adapters.mirrored.keeper import Item, Keeper, supporting
from text2mem.adapters.mirrored.letta_api import KEY, Content, LettaApi, Passage
from text2mem.adapters.mirrored.place import Place
from text2mem.adapters.mirrored.placed import PlacedAdapter
from text2mem.adapters.mirrored.vectors import Vectors
from text2mem.errors import ConfigurationError

MARK = "text2mem_key"
"""Where our key stands in the metadata of a passage."""


class LettaKeeper(Keeper):
    """The archival memory of one agent. It is first asked for when something is to be done."""

    name: ClassVar[str] = "letta"

    def __init__(self, api: LettaApi, agent: str) -> None:
        """``agent`` is a name, or an id ``agent-…``; the ``api`` is closed with the keeper."""
        self._api = api
        self._named = agent
        self._agent = ""
        self._archive = ""
        self._listed: dict[str, Passage] = {}
        """By id, as Letta lists them."""
        self._made: dict[str, Passage] = {}
        """By id: those of ours that were not listed yet."""

    @property
    def place(self) -> str:
        """The server and the agent."""
        return f"{self._api.where}, {self._named}"

    def put(self, items: Sequence[Item]) -> None:
        """One by one: the new passage first, so that no text is ever missing."""
        self._look()
        there = self._by_key()
        for item in items:
            older = there.get(item.key, [])
            wanted = as_content(item, older[-1] if older else None)
            kept = next((each for each in older if _says(each, wanted)), None)
            if kept is None:
                made = self._api.create(self._archive, wanted)
                self._made[made.id] = made
            for each in older:
                if each is not kept:
                    self._delete(each)

    def remove(self, keys: Sequence[str]) -> None:
        """For good: Letta keeps no deleted passage."""
        self._look()
        there = self._by_key()
        for key in dict.fromkeys(keys):
            for each in there.get(key, []):
                self._delete(each)

    def scan(self) -> Sequence[Item]:
        """The newest of each key, out of all that are there now."""
        self._look(anew=True)
        return [as_item(found[-1]) for found in self._by_key().values()]

    def search(self, text: str, k: int) -> Sequence[tuple[str, float]]:
        """By Letta's search. Where it gives no scores, the place in its order makes them."""
        if not text.strip():
            return []
        self._find()
        found: dict[str, float] = {}
        for place, (passage, score) in enumerate(self._api.search(self._agent, text, k), start=1):
            found.setdefault(_key(passage), score or 1 / place)
        return sorted(found.items(), key=lambda pair: -pair[1])

    def close(self) -> None:
        self._api.close()

    def _find(self) -> None:
        if not self._agent:
            agent = self._api.agent(self._named)
            self._archive = self._api.archive(agent)
            self._agent = agent.id

    def _look(self, *, anew: bool = False) -> None:
        """Ask which passages are there: those after the last one that is known, or all."""
        self._find()
        newest = [] if anew else list(islice(reversed(self._listed), 2))
        if len(newest) == 2:
            last, before = newest
            found = self._asked(before)
            # Letta lists nothing past a passage that is gone; so the next one has to be there.
            if next(iter(found), None) == last:
                self._listed |= found
                self._made = {id_: each for id_, each in self._made.items() if id_ not in found}
                return
        self._listed, self._made = self._asked(None), {}

    def _asked(self, after: str | None) -> dict[str, Passage]:
        return {each.id: each for each in self._api.passages(self._agent, after)}

    def _by_key(self) -> dict[str, list[Passage]]:
        """The passages of each key, oldest first."""
        found: dict[str, list[Passage]] = {}
        for passage in (*self._listed.values(), *self._made.values()):
            found.setdefault(_key(passage), []).append(passage)
        return found

    def _delete(self, passage: Passage) -> None:
        self._api.delete(self._agent, passage.id)
        self._listed.pop(passage.id, None)
        self._made.pop(passage.id, None)


def as_content(item: Item, there: Passage | None) -> Content:
    """An item as it is put; what others have written beside the text of its passage stays."""
    metadata = {} if there is None else there.metadata
    older = None if there is None else as_item(there)
    return Content(
        text=item.text,
        metadata={**metadata, OURS: dict(item.metadata), MARK: item.key},
        tags=tags_beside(item, older, () if there is None else there.tags),
    )


def as_item(passage: Passage) -> Item:
    """A passage; the tags of somebody else's are taken for a memory's."""
    found = item_of(_key(passage), passage.text, passage.metadata, (MARK,))
    return with_tags(found, passage.tags)


def _key(passage: Passage) -> str:
    return str(passage.metadata.get(MARK) or passage.id)


def _says(passage: Passage, wanted: Content) -> bool:
    alike = passage.text == wanted.text and passage.metadata == wanted.metadata
    return alike and set(passage.tags) == set(wanted.tags)


class LettaAdapter(PlacedAdapter):
    """``letta:URL?sidecar=FILE``: an agent of a Letta server, by the key in LETTA_API_KEY."""

    name: ClassVar[str] = "letta"
    namespace: ClassVar[str] = "text2mem-{tenant}"
    support: ClassVar[Mapping[str, Support]] = supporting(native=("Encode", "Delete"))

    @staticmethod
    def open_keeper(at: Place, vectors: Vectors | None = None) -> LettaKeeper:
        """The agent of a server. Raises ConfigurationError and MissingExtra."""
        if not at.is_remote or "?" in at.path:
            raise ConfigurationError(
                f"'{at.shown}' is not the address of a Letta server",
                hint="letta:http://localhost:8283?sidecar=FILE",
            )
        if at.embedder or vectors is not None:
            raise ConfigurationError(
                "Letta makes its vectors itself, by the embedder of the agent",
                hint="leave the option embedder out",
            )
        return LettaKeeper(LettaApi(at.path, os.environ.get(KEY, "")), "/".join(at.namespace))
