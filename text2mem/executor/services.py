"""Model services inside a program: prepared without a lock, handed out inside the transaction.

An attempt at a program asks for what it needs by content. What is not there yet ends the attempt
(``NotPrepared``): it is rolled back, the service is called with no lock held, and the next attempt
finds the answer. A store that changes in between changes the content, and so the key.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict, defaultdict
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
_Key = tuple[str, str]
"""A kind of question to a service, and the hash of what is asked."""
_KEPT = 1024
"""How many answers of a kind are kept: 1,024 vectors of 384 numbers are some 12 MB."""


class NotPrepared(Exception):
    """Raised where a program needs answers of a service; ``call`` fetches them, by key."""

    def __init__(self, call: Callable[[], Mapping[_Key, Any]]) -> None:
        self.call = call
        super().__init__()


@dataclass(frozen=True, slots=True)
class _Failed:
    """The error of a service, kept in place of its answer."""

    reason: str


class _Program(threading.local):
    """The answers for a thread's running program, and notes for its warnings.

    ``shown``: the program repeats a dry run.
    """

    def __init__(self) -> None:
        self.answers: dict[_Key, Any] = {}
        self.said: list[str] = []
        self.shown = False


class _Kept:
    """The last answers for all programs, by key, at most ``_KEPT`` of each kind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: defaultdict[str, OrderedDict[_Key, Any]] = defaultdict(OrderedDict)

    def get(self, key: _Key) -> Any:
        """An answer, or None."""
        with self._lock:
            held = self._held[key[0]]
            if key in held:
                held.move_to_end(key)
            return held.get(key)

    def put(self, answers: Mapping[_Key, Any]) -> None:
        """Keep answers, and drop the oldest of their kind where there are too many."""
        with self._lock:
            for key, answer in answers.items():
                held = self._held[key[0]]
                held[key] = answer
                if len(held) > _KEPT:
                    held.popitem(last=False)


@dataclass(slots=True)
class Prepared:
    """The services of programs, and their answers by a hash of what was asked.

    A run finds the answers of its dry run, so that it does what was shown. ``fetcher`` and
    ``embedder`` are optional; where one of them fails, the program goes on without it, and the
    step's result says so. Several threads may each run a program with it.
    """

    summariser: Summariser | None = None
    splitter: Splitter | None = None
    embedder: Embedder | None = None
    fetcher: Fetcher | None = None
    _kept: _Kept = field(default_factory=_Kept, repr=False, compare=False)
    _program: _Program = field(default_factory=_Program, repr=False, compare=False)

    def begin(self, ops: Sequence[Op], *, shown: bool = False) -> None:
        """Begin a program of this thread: embed beforehand the texts that its ops name.

        ``shown``: it repeats a dry run, and takes over a page that was fetched for that. Call it
        where no lock is held.
        """
        self._program.answers, self._program.said, self._program.shown = {}, [], shown
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
        """Fetch missing answers. Call it where no lock is held."""
        answers = missing.call()
        self._program.answers.update(answers)
        self._keep(answers)

    def notes(self) -> tuple[str, ...]:
        """The notes since the last call, for the warnings of a step."""
        said, self._program.said = tuple(dict.fromkeys(self._program.said)), []
        return said

    # --- the services ----------------------------------------------------------------------

    @property
    def embedding(self) -> Embedding | None:
        """The model and threshold of the embedder's vectors; None without an embedder."""
        if self.embedder is None:
            return None
        return Embedding(self.embedder.model, self.embedder.threshold)

    def vectors(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """A vector a text; None where the embedder failed."""
        return [None if isinstance(v, _Failed) else v for v in self._embedded(texts, "passage")]

    def ready(self, text: str) -> Vector | None:
        """The vector of a question, asked for at once if it is not kept: call it where no lock is
        held. None without an embedder, or where it fails."""
        if self.embedder is None:
            return None
        key = _key("vector", self.embedder.model, "query", text)
        found = self._kept.get(key)
        if found is None:
            made = _made(self.embedder, {key: text}, "query")
            self._keep(made)
            found = made[key]
        return None if isinstance(found, _Failed) else found

    def query_vector(self, text: str) -> Vector | None:
        """The vector of a question; None, and a note, where the embedder failed."""
        (found,) = self._embedded([text], "query")
        if isinstance(found, _Failed):
            self._program.said.append(f"searched by words alone: {found.reason}")
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

        found: str | _Failed = self._answer("fetch", (url,), call)
        if isinstance(found, _Failed):
            self._program.said.append(f"not fetched, stored as the url alone: {found.reason}")
            return None
        return found

    def split(self, text: str, instruction: str) -> Sequence[str]:
        """The parts of a text, split by an instruction in words, in the order of the text."""
        splitter = self.splitter
        if splitter is None:
            raise ExecutionError(
                "no-splitter",
                "splitting by an instruction needs a splitter and none is given",
                hint="use by_sentences or by_chunks, or give the executor a splitter",
            )
        parts: Sequence[str] = self._answer(
            "split",
            (text, instruction),
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
        digest: Digest = self._answer("summarise", (*texts, focus, max_tokens, lang), call)
        return digest

    # --- answers ---------------------------------------------------------------------------

    def _embedded(self, texts: Sequence[str], kind: Kind) -> list[Any]:
        embedder = self.embedder
        if embedder is None:
            return [_Failed("there is no embedder")] * len(texts)
        keys = [_key("vector", embedder.model, kind, text) for text in texts]
        found = [self._found(key) for key in keys]
        missing = {key: text for key, text, held in zip(keys, texts, found, strict=True)
                   if held is None}  # fmt: skip
        if not missing:
            return found

        raise NotPrepared(lambda: _made(embedder, missing, kind))

    def _answer(self, kind: str, parts: tuple[Any, ...], call: Callable[[], Any]) -> Any:
        key = _key(kind, *parts)
        found = self._found(key)
        if found is None:
            raise NotPrepared(lambda: {key: call()})
        return found

    def _found(self, key: _Key) -> Any:
        """An answer of the running program, else a kept one, which becomes the program's own; None
        without either. A page is fetched anew by every program that repeats no dry run."""
        program = self._program
        held = program.answers.get(key)
        if held is None and (program.shown or key[0] != "fetch"):
            held = self._kept.get(key)
            if held is not None:
                program.answers[key] = held
        return held

    def _keep(self, answers: Mapping[_Key, Any]) -> None:
        self._kept.put({k: v for k, v in answers.items() if not isinstance(v, _Failed)})


def _made(embedder: Embedder, texts: Mapping[_Key, str], kind: Kind) -> Mapping[_Key, Any]:
    """The vectors of texts, by their keys; ``_Failed`` in place of one that could not be made."""
    try:
        made = embedder.embed(list(texts.values()), kind=kind)
    except ServiceError as error:
        return dict.fromkeys(texts, _Failed(str(error)))
    except (ContextOverflow, ModelOutputError):
        return {key: _one(embedder, text, kind) for key, text in texts.items()}
    return dict(zip(texts, made, strict=True))


def _one(embedder: Embedder, text: str, kind: Kind) -> Any:
    """The vector of one text out of a batch that failed as a whole, or ``_Failed``."""
    try:
        (vector,) = embedder.embed([text], kind=kind)
    except (ServiceError, ContextOverflow, ModelOutputError) as error:
        return _Failed(str(error))
    return vector


def _key(kind: str, *parts: Any) -> _Key:
    try:
        told = hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()
    except UnicodeEncodeError:
        raise half_a_character() from None
    return kind, told
