"""Model services inside a program: prepared without a lock, handed out inside the transaction.

An attempt at a program asks for what it needs by content. What is not there yet ends the attempt
(``NotPrepared``): it is rolled back, the service is called with no lock held, and the next attempt
finds the answer. A store that changes in between changes the content, and so the key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from text2mem.adapters.base import Embedding, Vector
from text2mem.adapters.ranking import question
from text2mem.errors import (
    ContextOverflow,
    ExecutionError,
    FetchRefused,
    ModelOutputError,
    ServiceError,
)
from text2mem.ir.content import rendered
from text2mem.ir.json_values import half_a_character
from text2mem.ir.ops import BySearch, Content, Encode, Op, TargetedOp, Update
from text2mem.ir.ports import Digest, Embedder, Fetcher, Splitter, Summariser
from text2mem.services.extractive import ExtractiveSummariser

Kind = Literal["passage", "query"]


class NotPrepared(Exception):
    """Answers are missing; ``call`` fetches them, by key."""

    def __init__(self, call: Callable[[], Mapping[str, Any]]) -> None:
        self.call = call
        super().__init__()


@dataclass(frozen=True, slots=True)
class _Failed:
    """What a service said in place of an answer."""

    reason: str


@dataclass(slots=True)
class Prepared:
    """Service answers by content hash: those of the running program and of the one before it.

    So a run finds what its dry run prepared. ``fetcher`` and ``embedder`` are optional; where one
    of them fails, the program goes on without, and the step's result says so.
    """

    summariser: Summariser | None = None
    splitter: Splitter | None = None
    embedder: Embedder | None = None
    fetcher: Fetcher | None = None
    answers: dict[str, Any] = field(default_factory=dict)
    earlier: dict[str, Any] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)

    def begin(self, ops: Sequence[Op]) -> None:
        """A new program: its texts are embedded at once, and older answers are dropped."""
        kept = {key: held for key, held in self.answers.items() if not isinstance(held, _Failed)}
        self.earlier, self.answers, self.said = kept, {}, []
        self.expect(ops)

    def expect(self, ops: Sequence[Op]) -> None:
        """Embed what ops will need as far as it can be told beforehand. Holds no lock."""
        if self.embedder is None:
            return
        wanted: dict[Kind, list[str]] = {"passage": [], "query": []}
        for op in ops:
            if isinstance(op, Encode) and op.content.kind != "url" and not op.skip_embedding:
                wanted["passage"].append(rendered(op.content))
            if isinstance(op, Update) and "text" in op.edits:
                wanted["passage"].append(rendered(Content("text", op.edits["text"])))
            if isinstance(op, TargetedOp) and isinstance(op.target, BySearch) and op.target.query:
                wanted["query"].append(question(op.target.query, op.target.context))
        for kind, texts in wanted.items():
            try:
                self._embedded([text for text in texts if text], kind)
            except NotPrepared as missing:
                self.fulfil(missing)

    def fulfil(self, missing: NotPrepared) -> None:
        """Call the service for missing answers. Holds no lock."""
        self.answers.update(missing.call())

    def notes(self) -> tuple[str, ...]:
        """What services said since the last call, for the step's warnings."""
        said, self.said = tuple(dict.fromkeys(self.said)), []
        return said

    # --- the services ----------------------------------------------------------------------

    @property
    def embedding(self) -> Embedding | None:
        """Whose vectors the embedder makes."""
        if self.embedder is None:
            return None
        return Embedding(self.embedder.model, self.embedder.threshold)

    def vectors(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """A vector a text; None where the embedder failed."""
        return [None if isinstance(v, _Failed) else v for v in self._embedded(texts, "passage")]

    def ready(self, text: str) -> Vector | None:
        """The vector of a question, made now where it has to be; for use where no lock is held."""
        try:
            return self.query_vector(text)
        except NotPrepared as missing:
            self.answers.update(missing.call())
            return self.query_vector(text)

    def query_vector(self, text: str) -> Vector | None:
        """The vector of a question; None, and a note, where the embedder failed."""
        (found,) = self._embedded([text], "query")
        if isinstance(found, _Failed):
            self.said.append(f"searched by words alone: {found.reason}")
            return None
        vector: Vector = found
        return vector

    def fetch(self, url: str) -> str | None:
        """The text behind a url; None, and a note, where it is not to be had."""
        fetcher = self.fetcher
        if fetcher is None:
            return None

        def call() -> str | _Failed:
            try:
                return fetcher.fetch(url).text
            except (FetchRefused, ServiceError) as error:
                return _Failed(str(error))

        found: str | _Failed = self._answer(("fetch", url), call)
        if isinstance(found, _Failed):
            self.said.append(f"not fetched, stored as the url alone: {found.reason}")
            return None
        return found

    def split(self, text: str, instruction: str) -> Sequence[str]:
        """The parts of a text under an instruction in words; their order is that of the text."""
        splitter = self.splitter
        if splitter is None:
            raise ExecutionError(
                "no-splitter",
                "splitting by an instruction needs a splitter and none is given",
                hint="use by_sentences or by_chunks, or give the executor a splitter",
            )
        parts: Sequence[str] = self._answer(
            ("split", text, instruction),
            lambda: list(splitter.split(text, instruction=instruction)),
        )
        return parts

    def summarise(
        self, texts: Sequence[str], *, focus: str | None, max_tokens: int, lang: str | None
    ) -> Digest:
        """A digest of the texts."""
        summariser = self.summariser
        if summariser is None:
            raise ExecutionError(
                "no-summariser", "summarising needs a service and none is configured",
                hint="give the executor a summariser; an extractive one is built in",
            )  # fmt: skip

        def call() -> Digest:
            return summariser.summarise(texts, focus=focus, max_tokens=max_tokens, lang=lang)

        if isinstance(summariser, ExtractiveSummariser):
            return call()  # code alone: it is done before anybody could wait for it
        digest: Digest = self._answer(("summarise", *texts, focus, max_tokens, lang), call)
        return digest

    # --- answers ---------------------------------------------------------------------------

    def _embedded(self, texts: Sequence[str], kind: Kind) -> list[Any]:
        embedder = self.embedder
        if embedder is None:
            return [_Failed("there is no embedder")] * len(texts)
        keys = [_key((embedder.model, kind, text)) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if not self._has(key)}
        if not missing:
            return [self.answers[key] for key in keys]

        def call() -> Mapping[str, Any]:
            try:
                made = embedder.embed(list(missing.values()), kind=kind)
            except ServiceError as error:
                return dict.fromkeys(missing, _Failed(str(error)))
            except (ContextOverflow, ModelOutputError):
                return {key: _one(embedder, text, kind) for key, text in missing.items()}
            return dict(zip(missing, made, strict=True))

        raise NotPrepared(call)

    def _answer(self, parts: tuple[Any, ...], call: Callable[[], Any]) -> Any:
        key = _key(parts)
        if not self._has(key):
            raise NotPrepared(lambda: {key: call()})
        return self.answers[key]

    def _has(self, key: str) -> bool:
        if key not in self.answers and key in self.earlier:
            self.answers[key] = self.earlier[key]
        return key in self.answers


def _one(embedder: Embedder, text: str, kind: Kind) -> Any:
    """One of several texts, of which one at least was too long or badly answered."""
    try:
        (vector,) = embedder.embed([text], kind=kind)
    except (ServiceError, ContextOverflow, ModelOutputError) as error:
        return _Failed(str(error))
    return vector


def _key(parts: tuple[Any, ...]) -> str:
    try:
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()
    except UnicodeEncodeError:
        raise half_a_character() from None
