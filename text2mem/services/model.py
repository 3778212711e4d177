"""Services that ask a model: a splitter and a summariser."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from text2mem.errors import ContextOverflow, MalformedOutput, ModelOutputError, Text2MemError
from text2mem.ir.ports import Digest, Splitter, Summariser
from text2mem.ir.words.segment import HAN, index_terms, query_terms
from text2mem.prompts import load
from text2mem.providers.base import Completion, Message, Provider, Request, Sampling
from text2mem.services.portions import clipped, portions, tokens, wide

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "minItems": 1, "maxItems": 50, "items": _TEXT}
_MOST_PARTS = 4
"""The most parts in which long texts are read, each by a call; one more joins their digests."""
_LEAST_ROOM = 64
"""The fewest tokens of a context that must be left for the texts."""
_LEAKED = 3
"""With so many terms of the prompt's examples that no memory has, a digest repeats the examples."""
_MARK = re.compile(r"<(?=\s*/?\s*memories)", re.IGNORECASE)
_LANGUAGES = {"en": "English", "zh": "Chinese"}
_LOST = 0.2
"""The share of a text's terms that its parts may lack."""


class ModelSplitter:
    """Splits a text by an instruction in words.

    ``fallback`` splits a text where the model fails, or its parts add, lose or repeat words. It
    splits all texts if the model is small: the default model splits 3 of 36 notes right,
    ``ClauseSplitter`` 20 (docs/models.md).
    """

    def __init__(self, provider: Callable[[], Provider], fallback: Splitter) -> None:
        self._provider = provider  # called when a text is split, not before
        self._fallback = fallback

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        """Return the parts, in the order of the model. Raises ServiceError if it cannot be asked,
        ContextOverflow for a text that is too long for it."""
        provider = self._provider()
        if provider.profile.echo_answer:
            turns = load("split").filled(instruction=instruction, text=text)
            with suppress(ModelOutputError):
                found, _ = _entry(provider, turns, "parts", _TEXTS, provider.profile.max_output)
                if isinstance(found, list) and all(isinstance(part, str) for part in found):
                    parts = [part.strip() for part in found if part.strip()]
                    if _are_parts(text, parts):
                        return parts
        return self._fallback.split(text, instruction=instruction)


def _entry(
    provider: Provider, turns: tuple[Message, ...], name: str, schema: Mapping[str, Any], most: int
) -> tuple[Any, Completion]:
    """Ask a model for an object of one entry; its value, None without it, and the whole answer."""
    whole = {"type": "object", "properties": {name: schema}, "required": [name],
             "additionalProperties": False}  # fmt: skip
    answer = provider.complete(Request(turns, whole, sampling=Sampling(max_tokens=most)))
    return answer.data.get(name) if isinstance(answer.data, dict) else None, answer


def _are_parts(text: str, parts: Sequence[str]) -> bool:
    """Whether texts hold the words of another, each as often at most. They may lack a few of its
    terms, such as conjunctions, but no number."""
    held = Counter(index_terms(text))
    made = Counter(term for part in parts for term in index_terms(part))
    wanted = query_terms(text)
    # Han characters are indexed in pairs. A split between two loses the pair, but neither of them.
    lost = {t for t in wanted if t not in made and not (HAN.search(t) and {*t} <= made.keys())}
    much = len(lost) > _LOST * len(wanted) or any(re.search(r"\d", term) for term in lost)
    return made <= held and not much


class ModelSummariser:
    """Asks a model for digests. If it fails, ``fallback`` makes the digest, and a note says why.

    Texts longer than the model's context are read in up to four parts, and the digest is made of
    the parts' digests. Texts that do not fit even then are cut off or left out, with a note.
    """

    def __init__(self, provider: Callable[[], Provider], fallback: Summariser) -> None:
        self._provider = provider  # called when a digest is asked for, not before
        self._fallback = fallback

    def summarise(
        self, texts: Sequence[str], *, focus: str | None, max_tokens: int, lang: str | None
    ) -> Digest:
        """Return the model's digest, or that of the fallback."""
        filled = [_line(text) for text in texts if text.strip()]
        why: tuple[str, ...] = ()
        if filled:
            try:
                return _Writer(self._provider(), focus, lang).digest(filled, max_tokens)
            except Text2MemError as error:
                why = (f"no model wrote this digest: {error.message}",)
        digest = self._fallback.summarise(texts, focus=focus, max_tokens=max_tokens, lang=lang)
        return replace(digest, notes=(*why, *digest.notes))


@dataclass(frozen=True, slots=True)
class _Writer:
    """Asks a model for one digest. Every method raises what the provider raises."""

    provider: Provider
    focus: str | None
    lang: str | None

    def digest(self, texts: Sequence[str], size: int) -> Digest:
        """The digest of the texts, in about ``size`` tokens. Raises ContextOverflow, too."""
        profile = self.provider.profile
        fixed = sum(tokens(turn.content) for turn in self._turns((), size))
        # A third stays free, since the number of tokens of a text is an estimate.
        room = (profile.context - profile.max_output) * 2 // 3 - fixed
        if room < _LEAST_ROOM:
            raise ContextOverflow(
                f"a context of {profile.context} tokens is too small for a digest",
                available=profile.context,
            )
        lines = _numbered(texts)
        parts = portions(lines, room, _MOST_PARTS)
        read = [line for part in parts for line in part]
        cut = sum(a != b for a, b in zip(read, lines, strict=False))
        notes = _notes(cut, len(lines) - len(read))
        if len(parts) > 1:
            share = min(max(size, _LEAST_ROOM), room // (len(parts) + 1))
            read = _numbered([_line(self._written(part, share)) for part in parts])
        return Digest(self._written(read, size), extractive=False, notes=notes)

    def _written(self, lines: Sequence[str], size: int) -> str:
        """The model's digest of the lines, cut to the size. Raises MalformedOutput."""
        # A digest that is a little too long is cut. A model that does not stop is stopped.
        most = min(self.provider.profile.max_output, size + size // 2 + 32)
        found, answer = _entry(self.provider, self._turns(lines, size), "summary", _TEXT, most)
        fault = self._fault(found, lines) if isinstance(found, str) else "is not a text"
        if fault:
            raise MalformedOutput(f"its answer {fault}", raw=answer.text, model=answer.model)
        return clipped(found, size)

    def _fault(self, summary: str, lines: Sequence[str]) -> str:
        """The reason why an answer is no digest of the lines; empty if there is none."""
        terms = set(query_terms(summary))
        if not terms or summary.rstrip().endswith((":", "：")):
            return "says nothing"
        wanted = _language(self.lang)
        # A Chinese digest may have many Latin names. Other languages cannot be told by characters.
        chinese = wide(summary) > len(summary) / (2 if wanted == _LANGUAGES["en"] else 10)
        if wanted in _LANGUAGES.values() and chinese != (wanted == _LANGUAGES["zh"]):
            return f"is not in {wanted}"
        held = [set(query_terms(line)) for line in lines]
        if len(terms & _example_terms() - set().union(*held)) >= _LEAKED:
            return "repeats the examples of the prompt"
        # The smallest models obey instructions in a memory, and then leave out the other memories.
        # With a focus, or in another language, a good digest may do so, too.
        taken_up = sum(not terms.isdisjoint(line) for line in held)
        if not self.focus and not self.lang and taken_up < min(2, len(lines)):
            return f"takes up {taken_up} of {len(lines)} memories"
        return ""

    def _turns(self, lines: Sequence[str], size: int) -> tuple[Message, ...]:
        said = "".join(lines)
        by_script = _LANGUAGES["zh"] if 2 * wide(said) > len(said) else "that of the memories"
        language = _language(self.lang) or by_script
        chinese = language == _LANGUAGES["zh"]
        return load("summarise").filled(
            memories="\n".join(lines),
            language=_line(language),
            length=f"at most {size} characters" if chinese else f"at most {size * 3 // 4} words",
            focus=_line(self.focus or "none"),
        )


def _language(lang: str | None) -> str | None:
    """The name of a language by its tag; the tag itself if it is not known."""
    return _LANGUAGES.get(lang.lower().partition("-")[0], lang) if lang else None


@cache
def _example_terms() -> frozenset[str]:
    """The terms of the prompt's example digests, which small models repeat for long texts."""
    examples = (turn.content for turn in load("summarise").turns if turn.role == "assistant")
    return frozenset(query_terms(" ".join(json.loads(text)["summary"] for text in examples)))


def _line(text: str) -> str:
    """A text on one line, in which the tag that ends the prompt's block of memories is escaped."""
    return _MARK.sub("(", " ".join(text.split()))


def _numbered(texts: Sequence[str]) -> list[str]:
    return [f"{number}: {text}" for number, text in enumerate(texts, 1)]


def _notes(cut: int, left_out: int) -> tuple[str, ...]:
    notes = {
        f"{cut} memories are too long for the model: it read the beginnings of them": cut,
        f"the last {left_out} memories do not fit and are not in the digest": left_out,
    }
    return tuple(note for note, count in notes.items() if count)
