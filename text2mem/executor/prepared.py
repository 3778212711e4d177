"""Model services of a program: called while no lock is held, used inside the transaction.

Answers are kept under a hash of what was asked. An attempt at a program that needs another one ends
with ``NotPrepared`` and is rolled back; the service is called, and the next attempt finds its
answer, unless the store has changed so that the hash differs.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from text2mem.adapters.base import Embedding, Vector
from text2mem.adapters.ranking import question
from text2mem.errors import (
    ConfigurationError,
    ContextOverflow,
    ExecutionError,
    FetchRefused,
    ModelOutputError,
    ServiceError,
)
from text2mem.ir.json_values import half_a_character
from text2mem.ir.ops import BySearch, Encode, Op, TargetedOp, Update
from text2mem.ir.ports import Digest, Embedder, Fetcher, Splitter, Summariser
from text2mem.messages import told
from text2mem.services.extractive import ExtractiveSummariser

T = TypeVar("T")
Kind = Literal["passage", "query"]
_Key = tuple[str, str]
"""The kind of a call ("vector", "fetch", "split", "summarise"), and the hash of its input."""
_KEPT = 1024
"""The most answers of one kind that are kept. 1,024 vectors of 384 numbers take about 12 MB."""


class NotPrepared(Exception):
    """A program needs answers of a service: ``call`` returns them by key."""

    def __init__(self, call: Callable[[], Mapping[_Key, Any]]) -> None:
        self.call = call
        super().__init__()


@dataclass(frozen=True, slots=True)
class _Failed:
    """The error of a service, kept in place of its answer."""

    reason: str


class _Program(threading.local):
    """The program that a thread runs: the ``answers`` that it has used, the ``notes`` that become
    warnings of its steps, and whether it repeats a dry run (``shown``)."""

    def __init__(self) -> None:
        self.answers: dict[_Key, Any] = {}
        self.notes: list[str] = []
        self.shown = False


class _Kept:
    """The last used answers for all programs, without failures, at most ``_KEPT`` of each kind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._by_kind: defaultdict[str, OrderedDict[_Key, Any]] = defaultdict(OrderedDict)

    def get(self, key: _Key) -> Any:
        with self._lock:
            answers = self._by_kind[key[0]]
            if key in answers:
                answers.move_to_end(key)
            return answers.get(key)

    def put(self, answers: Mapping[_Key, Any]) -> None:
        with self._lock:
            for key, answer in answers.items():
                if isinstance(answer, _Failed):
                    continue
                of_kind = self._by_kind[key[0]]
                of_kind[key] = answer
                if len(of_kind) > _KEPT:
                    of_kind.popitem(last=False)


@dataclass(slots=True)
class Prepared:
    """The services of programs, and their answers, which a run shares with its dry run so that it
    does what was shown. A program goes on without a ``fetcher`` or ``embedder`` that fails, with a
    warning. Several threads may each run a program with one object."""

    summariser: Summariser | None = None
    splitter: Splitter | None = None
    embedder: Embedder | None = None
    fetcher: Fetcher | None = None
    _kept: _Kept = field(default_factory=_Kept, repr=False, compare=False)
    _program: _Program = field(default_factory=_Program, repr=False, compare=False)

    @classmethod
    def of(
        cls, summariser: Summariser | None = None, splitter: Splitter | None = None,
        embedder: Embedder | None = None, fetcher: Fetcher | None = None,
    ) -> Prepared:  # fmt: skip
        """The services of a caller; without a summariser, the extractive one. Raise
        ConfigurationError for an object that lacks the method of its service."""
        parts = {"summarise": summariser, "split": splitter, "embed": embedder, "fetch": fetcher}
        for does, given in parts.items():
            able = given is None or callable(getattr(given, does, None))
            if not able or isinstance(given, str):
                raise ConfigurationError(
                    f"{given!r:.80} is no service that can {does}", hint=f"give one with {does}()"
                )
        return cls(summariser or ExtractiveSummariser(), splitter, embedder, fetcher)

    def begin(self, ops: Sequence[Op], *, shown: bool = False) -> None:
        """Begin a program in this thread, and embed the texts that its ops contain. Call this while
        no lock is held. ``shown``: it repeats a dry run, and reuses a page fetched for that."""
        self._program.answers, self._program.notes, self._program.shown = {}, [], shown
        if self.embedder is None:
            return
        wanted: dict[Kind, list[str]] = {"passage": [], "query": []}
        for op in ops:
            if isinstance(op, Encode) and op.content.kind != "url" and not op.skip_embedding:
                wanted["passage"].append(op.content.text)
            if isinstance(op, Update) and "text" in op.edits:
                wanted["passage"].append(op.edits["text"])
            if isinstance(op, TargetedOp) and isinstance(op.target, BySearch) and op.target.query:
                wanted["query"].append(question(op.target.query, op.target.context))
        for kind, texts in wanted.items():
            try:
                self._embedded([text for text in texts if text], kind)
            except NotPrepared as missing:
                self.fulfil(missing)

    def fulfil(self, missing: NotPrepared) -> None:
        """Call the service for missing answers, and keep them. Call this while no lock is held."""
        answers = missing.call()
        self._program.answers.update(answers)
        self._kept.put(answers)

    def notes(self) -> tuple[str, ...]:
        """The notes since the last call, for the warnings of a step. They are cleared."""
        notes, self._program.notes = tuple(dict.fromkeys(self._program.notes)), []
        return notes

    @property
    def embedding(self) -> Embedding | None:
        """The embedder's model and threshold; None without an embedder."""
        if self.embedder is None:
            return None
        return Embedding(self.embedder.model, self.embedder.threshold)

    def vectors(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """A vector for each text; None where the embedder failed. May raise NotPrepared."""
        return [None if isinstance(v, _Failed) else v for v in self._embedded(texts, "passage")]

    def ready(self, text: str) -> Vector | None:
        """The vector of a question, for a caller outside a program; None without an embedder, or if
        it fails. Call this while no lock is held: a vector that is not kept is made at once."""
        if self.embedder is None:
            return None
        key = _key("vector", self.embedder.model, "query", text)
        vector = self._kept.get(key)
        if vector is None:
            made = _made(self.embedder, {key: text}, "query")
            self._kept.put(made)
            vector = made[key]
        return None if isinstance(vector, _Failed) else vector

    def query_vector(self, text: str) -> Vector | None:
        """The vector of a question; None, with a note, if the embedder failed. May raise
        NotPrepared."""
        (answer,) = self._embedded([text], "query")
        if isinstance(answer, _Failed):
            self._program.notes.append(told("by-words-alone", reason=answer.reason))
            return None
        return answer

    def fetch(self, url: str) -> str | None:
        """The text of the page at a url; None without a fetcher. If it cannot be fetched, add a
        note and return None. Raise NotPrepared if it is missing."""
        fetcher = self.fetcher
        if fetcher is None:
            return None

        def call() -> str | _Failed:
            try:
                return fetcher.fetch(url).text
            except (FetchRefused, ServiceError) as error:
                return _Failed(str(error))

        answer = self._answer("fetch", (url,), call)
        if isinstance(answer, _Failed):
            self._program.notes.append(f"not fetched, stored as the url alone: {answer.reason}")
            return None
        return answer

    def split(self, text: str, instruction: str) -> Sequence[str]:
        """The parts of a text, in its order, split by an instruction in words. Raise ExecutionError
        "no-splitter" without a splitter, and NotPrepared if the answer is missing."""
        splitter = self.splitter
        if splitter is None:
            why = "splitting by an instruction needs a splitter and none is given"
            hint = "use by_sentences or by_chunks, or give the executor a splitter"
            raise ExecutionError("no-splitter", why, hint=hint)

        return self._answer(
            "split",
            (text, instruction),
            lambda: list(splitter.split(text, instruction=instruction)),
        )

    def summarise(
        self, texts: Sequence[str], *, focus: str | None, max_tokens: int, lang: str | None
    ) -> Digest:
        """A digest of the texts. Raise ExecutionError "no-summariser" without a summariser, and
        NotPrepared if the answer is missing."""
        summariser = self.summariser
        if summariser is None:
            why = "summarising needs a service and none is configured"
            hint = "give the executor a summariser; an extractive one is built in"
            raise ExecutionError("no-summariser", why, hint=hint)

        def call() -> Digest:
            return summariser.summarise(texts, focus=focus, max_tokens=max_tokens, lang=lang)

        if isinstance(summariser, ExtractiveSummariser):
            return call()  # it calls no model, so it is fast enough to run under the lock
        return self._answer("summarise", (*texts, focus, max_tokens, lang), call)

    def _embedded(self, texts: Sequence[str], kind: Kind) -> list[Vector | _Failed]:
        """A vector for each text, or ``_Failed``. Raise NotPrepared if one is missing."""
        embedder = self.embedder
        if embedder is None:
            return [_Failed("there is no embedder")] * len(texts)
        keys = [_key("vector", embedder.model, kind, text) for text in texts]
        vectors = [self._found(key) for key in keys]
        missing = {k: text for k, text, v in zip(keys, texts, vectors, strict=True) if v is None}
        if missing:
            raise NotPrepared(lambda: _made(embedder, missing, kind))
        return vectors

    def _answer(self, kind: str, parts: tuple[Any, ...], call: Callable[[], T]) -> T:
        """The answer to ``parts``. Raise NotPrepared, with ``call`` to be made, without one."""
        key = _key(kind, *parts)
        answer: T | None = self._found(key)
        if answer is None:
            raise NotPrepared(lambda: {key: call()})
        return answer

    def _found(self, key: _Key) -> Any:
        """The answer under a key, if there is one; a kept page only for the run after a dry run."""
        program = self._program
        answer = program.answers.get(key)
        if answer is None and (program.shown or key[0] != "fetch"):
            answer = self._kept.get(key)
            if answer is not None:
                program.answers[key] = answer
        return answer


def _made(
    embedder: Embedder, texts: Mapping[_Key, str], kind: Kind, *, again: bool = True
) -> Mapping[_Key, Any]:
    """The vectors of texts, by key, or ``_Failed``. If the model fails, each is tried ``again``."""
    try:
        made = embedder.embed(list(texts.values()), kind=kind)
    except ServiceError as error:
        return dict.fromkeys(texts, _Failed(str(error)))
    except (ContextOverflow, ModelOutputError) as error:
        if not again:
            return dict.fromkeys(texts, _Failed(str(error)))
        singly = [_made(embedder, {key: texts[key]}, kind, again=False) for key in texts]
        return {key: answer for each in singly for key, answer in each.items()}
    return dict(zip(texts, made, strict=True))


def _key(kind: str, *parts: Any) -> _Key:
    """The key of a call with this input. Raise ConfigurationError for a lone surrogate in it."""
    try:
        digest = hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()
    except UnicodeEncodeError:
        raise half_a_character() from None
    return kind, digest
