"""The services of a case: they do what the case says, and nothing by chance.

See ``services`` and ``down`` in ``fixtures/exec/case.schema.json``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import hypot
from typing import Any, Literal

from text2mem.errors import FetchRefused, ServiceUnreachable
from text2mem.executor import Prepared
from text2mem.ir.ports import Digest


@dataclass(slots=True)
class Outage:
    """Which services do not answer at present."""

    down: frozenset[str] = frozenset()

    def check(self, service: str) -> None:
        """Raises ServiceUnreachable where the service is down."""
        if service in self.down:
            raise ServiceUnreachable(f"the {service} does not answer", service=service)


class AtSemicolons:
    """A splitter: the parts between semicolons."""

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        return [part.strip() for part in text.split(";")]


class Joined:
    """A summariser: the texts in a row, after the focus in brackets."""

    def summarise(
        self, texts: Sequence[str], *, focus: str | None, max_tokens: int, lang: str | None
    ) -> Digest:
        return Digest((f"[{focus}] " if focus else "") + " / ".join(texts), extractive=False)


@dataclass(frozen=True, slots=True)
class WordVectors:
    """An embedder: the sum of the vectors of the words that stand in a text, at unit length."""

    words: Mapping[str, Sequence[float]]
    other: Sequence[float]
    threshold: float
    outage: Outage
    model: str = "toy:words"

    @property
    def dimension(self) -> int | None:
        return len(self.other)

    def embed(
        self, texts: Sequence[str], *, kind: Literal["passage", "query"]
    ) -> Sequence[Sequence[float]]:
        self.outage.check("embedder")
        return [self._vector(text.lower()) for text in texts]

    def _vector(self, text: str) -> Sequence[float]:
        found = [vector for word, vector in self.words.items() if word in text] or [self.other]
        total = [sum(parts) for parts in zip(*found, strict=True)]
        return [part / hypot(*total) for part in total]


@dataclass(frozen=True, slots=True)
class Page:
    """What is behind a url."""

    text: str


@dataclass(frozen=True, slots=True)
class Pages:
    """A fetcher of these pages; every other url is refused."""

    pages: Mapping[str, str]
    outage: Outage

    def fetch(self, url: str) -> Page:
        self.outage.check("fetcher")
        if url not in self.pages:
            raise FetchRefused("host", f"{url} is on no list")
        return Page(self.pages[url])


@dataclass(slots=True)
class Toys:
    """The services of one case, kept from step to step like those of a ``Memory``."""

    prepared: Prepared
    outage: Outage = field(default_factory=Outage)


def toys(services: Mapping[str, Any]) -> Toys:
    """What the ``services`` of a case describe."""
    outage = Outage()
    without = services.get("without", [])
    prepared = Prepared(
        summariser=None if "summariser" in without else Joined(),
        splitter=None if "splitter" in without else AtSemicolons(),
        embedder=WordVectors(**services["embedder"], outage=outage)
        if "embedder" in services
        else None,
        fetcher=Pages(services["fetcher"], outage) if "fetcher" in services else None,
    )
    return Toys(prepared, outage)
