"""Graphiti as a keeper, with Kuzu in a file: nodes of one group, and none of its models.

A memory is an entity node. Its text is the name, which Graphiti searches by the node's vector;
our metadata are among its attributes. Nothing goes through ``add_episode``, which asks a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from text2mem.adapters.mirrored.graphiti_graph import Graph, shared
from text2mem.adapters.mirrored.items import OURS, item_of
from text2mem.adapters.mirrored.keeper import Item, OwnVectors
from text2mem.adapters.mirrored.place import Place
from text2mem.adapters.mirrored.placed import PlacedAdapter
from text2mem.adapters.mirrored.vectors import Vectors, opened_vectors
from text2mem.errors import AdapterError, ConfigurationError

if TYPE_CHECKING:
    from datetime import datetime

    from graphiti_core.nodes import EntityNode

_GROUP = re.compile(r"[A-Za-z0-9_-]+")
_LABEL = "Entity"
"""The label that every node has."""


class GraphitiKeeper(OwnVectors):
    """One group of a graph."""

    name: ClassVar[str] = "graphiti"

    def __init__(
        self, graph: Graph, group: str, vectors: Vectors, release: Callable[[], None] | None = None
    ) -> None:
        """``release`` gives the graph back; without one, it stays the caller's."""
        self._graph = graph
        self._nodes = graph.graphiti.nodes.entity
        self._group = group
        super().__init__(vectors, release)

    @property
    def place(self) -> str:
        return self._group

    def put(self, items: Sequence[Item]) -> None:
        there, now = self._found([item.key for item in items]), self._clock.now()
        made = self._vectors.passages([item.text for item in items])
        nodes = [
            as_node(item, there.get(item.key), self._group, vector, now)
            for item, vector in zip(items, made, strict=True)
        ]
        self._graph.write(self._nodes.save_bulk(nodes))

    def remove(self, keys: Sequence[str]) -> None:
        """With the facts that begin at them, as Graphiti does it."""
        self._graph.write(self._nodes.delete_by_uuids(list(self._found(keys))))

    def scan(self) -> Sequence[Item]:
        nodes = self._graph.run(self._nodes.get_by_group_ids([self._group]))
        return [as_item(node) for node in nodes]

    def search(self, text: str, k: int) -> Sequence[tuple[str, float]]:
        """By Graphiti's search for nodes like the words: the nth has the score 1/n.

        Its search by words is left out: it takes the best of all groups before it looks whose they
        are. Raises AdapterError where the vectors of a group are of several lengths.
        """
        if not text.strip():
            return []
        from graphiti_core.search.search_config import (
            NodeSearchConfig,
            NodeSearchMethod,
            SearchConfig,
        )

        alike = NodeSearchConfig(
            search_methods=[NodeSearchMethod.cosine_similarity], sim_min_score=0.0
        )
        try:
            found = self._graph.run(
                self._graph.graphiti.search_(
                    text,
                    SearchConfig(node_config=alike, limit=k),
                    group_ids=[self._group],
                    query_vector=self._vectors.query(text),
                )
            )
        except RuntimeError as error:
            raise AdapterError(
                f"Graphiti's search of the group {self._group} fails",
                hint="if others' nodes have vectors of another length, leave search=framework out",
            ) from error
        scores = zip(found.nodes, found.node_reranker_scores, strict=True)
        return [(node.uuid, score) for node, score in scores]

    def erase(self) -> None:
        """Writes the file anew."""
        self._graph.rewrite()

    def _found(self, keys: Sequence[str]) -> Mapping[str, EntityNode]:
        """The nodes of the group that are there, by key."""
        nodes = self._graph.run(self._nodes.get_by_uuids(list(keys)))
        return {node.uuid: node for node in nodes if node.group_id == self._group}


def as_node(
    item: Item, there: EntityNode | None, group: str, vector: list[float], now: datetime
) -> EntityNode:
    """An item as a node; what others have written beside the text of theirs stays."""
    from graphiti_core.nodes import EntityNode

    node = EntityNode(
        uuid=item.key, name=item.text, group_id=group, name_embedding=vector, created_at=now,
        attributes={**(there.attributes if there else {}), OURS: dict(item.metadata)},
    )  # fmt: skip
    if there is not None:
        node.labels, node.created_at = there.labels, there.created_at
        before = f"{there.name}: "
        if there.summary and item.text.startswith(before) and item.text != before:
            node.name, node.summary = there.name, item.text.removeprefix(before)
    return node


def as_item(node: EntityNode) -> Item:
    """A node; the text of one with a summary is both."""
    labels = sorted(set(node.labels) - {_LABEL})
    held = {**({"labels": labels} if labels else {}), **node.attributes}
    return item_of(node.uuid, f"{node.name}: {node.summary}" if node.summary else node.name, held)


class GraphitiAdapter(PlacedAdapter):
    """``graphiti:FILE``: a Graphiti whose Kuzu is in a file, and a sidecar beside it."""

    name: ClassVar[str] = "graphiti"
    namespace: ClassVar[str] = "{tenant}"

    @staticmethod
    def open_keeper(at: Place, vectors: Vectors | None = None) -> GraphitiKeeper:
        """The group of a file. Raises ConfigurationError, MissingExtra and StoreError."""
        # "=" opens the code of another character there, and "_" is never left as it is.
        group = "/".join(at.namespace).replace("=", "_")
        if not _GROUP.fullmatch(group):
            raise ConfigurationError(
                f"'{group}' is no group of Graphiti",
                hint="namespace= takes letters, digits, hyphens and underscores",
            )
        if at.is_remote:
            raise ConfigurationError(
                f"'{at.shown}' is not a file", hint="graphiti:FILE, with Kuzu embedded"
            )
        vectors = vectors or opened_vectors(at)
        graph, release = shared(at.path)
        return GraphitiKeeper(graph, group, vectors, release)
