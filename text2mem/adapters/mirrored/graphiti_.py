"""The keeper for Graphiti with Kuzu in a file: entity nodes of one group, without its models.

A memory is an entity node. Its text is the node's name, which Graphiti searches by the node's
vector; our metadata are among the attributes. ``add_episode``, which asks a model, is never used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from text2mem.adapters.mirrored.graphiti_graph import Graph, shared
from text2mem.adapters.mirrored.items import OURS, item_of
from text2mem.adapters.mirrored.keeper import Item, OwnVectors
from text2mem.adapters.mirrored.place import Place, PlacedAdapter
from text2mem.adapters.mirrored.vectors import Vectors, opened_vectors
from text2mem.errors import AdapterError, ConfigurationError

if TYPE_CHECKING:
    from datetime import datetime

    from graphiti_core.nodes import EntityNode

_GROUP = re.compile(r"[A-Za-z0-9_-]+")
_LABEL = "Entity"
"""The label of every node."""


class GraphitiKeeper(OwnVectors):
    """The keeper of one group of a graph."""

    name: ClassVar[str] = "graphiti"

    def __init__(
        self, graph: Graph, group: str, vectors: Vectors, release: Callable[[], None] | None = None
    ) -> None:
        self._graph = graph
        self._nodes = graph.graphiti.nodes.entity
        super().__init__(group, vectors, release)

    def put(self, items: Sequence[Item]) -> None:
        present, now = self._present([item.key for item in items]), self._clock.now()
        vectors = self._vectors.passages([item.text for item in items])
        nodes = [
            as_node(item, present.get(item.key), self._place, vector, now)
            for item, vector in zip(items, vectors, strict=True)
        ]
        self._graph.write(self._nodes.save_bulk(nodes))

    def remove(self, keys: Sequence[str]) -> None:
        """Delete nodes; Graphiti deletes the facts that begin at them, too."""
        self._graph.write(self._nodes.delete_by_uuids(list(self._present(keys))))

    def scan(self) -> Sequence[Item]:
        nodes = self._graph.run(self._nodes.get_by_group_ids([self._place]))
        return [as_item(node) for node in nodes]

    def search(self, text: str, k: int) -> Sequence[tuple[str, float]]:
        """Search by Graphiti's search for similar nodes. The nth hit has the score 1/n. Graphiti's
        search by words is not used, because it picks the best of all groups before it selects the
        group. Raises AdapterError if the vectors of a group differ in length."""
        from graphiti_core.search import search_config as config

        method = config.NodeSearchMethod.cosine_similarity
        alike = config.NodeSearchConfig(search_methods=[method], sim_min_score=0.0)
        try:
            hits = self._graph.run(
                self._graph.graphiti.search_(
                    text, config.SearchConfig(node_config=alike, limit=k),
                    group_ids=[self._place], query_vector=self._vectors.query(text),
                )
            )  # fmt: skip
        except RuntimeError as error:
            why = f"Graphiti's search of the group {self._place} fails"
            hint = "if others' nodes have vectors of another length, leave search=framework out"
            raise AdapterError(why, hint=hint) from error
        return list(zip((n.uuid for n in hits.nodes), hits.node_reranker_scores, strict=True))

    def erase(self) -> None:
        self._graph.rewrite()

    def _present(self, keys: Sequence[str]) -> Mapping[str, EntityNode]:
        """The nodes of the group with these keys that exist, by key."""
        nodes = self._graph.run(self._nodes.get_by_uuids(list(keys)))
        return {node.uuid: node for node in nodes if node.group_id == self._place}


def as_node(
    item: Item, there: EntityNode | None, group: str, vector: list[float], now: datetime
) -> EntityNode:
    """An item as a node, in place of the present node ``there``, if there is one. The present
    node's labels, instant and other attributes are kept. If its text is ``name: summary`` and the
    name has not changed, name and summary stay apart."""
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
    """A node as an item. The text of a node with a summary is ``name: summary``."""
    labels = sorted(set(node.labels) - {_LABEL})
    values = {**({"labels": labels} if labels else {}), **node.attributes}
    text = f"{node.name}: {node.summary}" if node.summary else node.name
    return item_of(node.uuid, text, values)


class GraphitiAdapter(PlacedAdapter):
    """The adapter of ``graphiti:FILE``: a Graphiti whose Kuzu is in a file, and a sidecar."""

    name: ClassVar[str] = "graphiti"
    namespace: ClassVar[str] = "{tenant}"

    @staticmethod
    def open_keeper(at: Place, vectors: Vectors | None = None) -> GraphitiKeeper:
        # ``plain`` encodes "_", too, so "_" can replace its "=" and all names stay different.
        group = "/".join(at.namespace).replace("=", "_")
        if not _GROUP.fullmatch(group):
            hint = "namespace= takes letters, digits, hyphens and underscores"
            raise ConfigurationError(f"'{group}' is no group of Graphiti", hint=hint)
        if at.is_remote:
            raise ConfigurationError(
                f"'{at.shown}' is not a file", hint="graphiti:FILE, with Kuzu embedded"
            )
        vectors = vectors or opened_vectors(at)
        graph, release = shared(at.path)
        return GraphitiKeeper(graph, group, vectors, release)
