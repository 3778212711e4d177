"""Services that ask a model through the same provider layer as the planner."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache

from text2mem.errors import ContextOverflow, MalformedOutput, ModelOutputError, Text2MemError
from text2mem.ir.ports import Digest, Splitter, Summariser
from text2mem.ir.words.segment import HAN, index_terms, query_terms
from text2mem.prompts import load
from text2mem.providers.base import Message, Provider, Request, Sampling
from text2mem.services.portions import clipped, portions, tokens, wide

_PARTS = {
    "type": "object",
    "properties": {
        "parts": {"type": "array", "minItems": 1, "maxItems": 50, "items": {"type": "string"}}
    },
    "required": ["parts"],
    "additionalProperties": False,
}
_SUMMARY = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}
_MOST_PARTS = 4
"""A digest takes one call a part, and one more for the digest of their digests."""
_LEAST_ROOM = 64
_LEAKED = 3
"""So many words of the prompt's examples that no memory holds show that they were repeated."""
_MARK = re.compile(r"<(?=\s*/?\s*memories)", re.IGNORECASE)
_LANGUAGES = {"en": "English", "zh": "Chinese"}
_LOST = 0.2
"""The share of a text's terms that its parts may leave out."""


class ModelSplitter:
    """Cuts a text by an instruction in words. Parts that the text does not hold are refused, and so
    are those that leave out or repeat some of it.

    What a model cannot cut, and all that a small one is asked, ``fallback`` cuts: the small model
    of the demo gets 3 of 36 notes right, the clauses of the note 20 (docs/models.md).
    """

    def __init__(self, provider: Callable[[], Provider], fallback: Splitter | None = None) -> None:
        self._provider = provider  # opened when a text is really to be split
        self._fallback = fallback

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        """The parts in the order of the model. Raises MalformedOutput where words were invented,
        lost, or said more often than the text says them, and nothing else can cut the text."""
        provider = self._provider()
        if self._fallback is None:
            return self._asked(provider, text, instruction)
        if not provider.profile.small:
            with suppress(ModelOutputError):
                return self._asked(provider, text, instruction)
        return self._fallback.split(text, instruction=instruction)

    def _asked(self, provider: Provider, text: str, instruction: str) -> Sequence[str]:
        turns = load("split").filled(instruction=instruction, text=text)
        sampling = Sampling(max_tokens=provider.profile.max_output)
        answer = provider.complete(Request(turns, _PARTS, sampling=sampling))
        found = answer.data.get("parts") if isinstance(answer.data, dict) else None
        if not isinstance(found, list) or not all(isinstance(part, str) for part in found):
            raise MalformedOutput("the model gave no parts", raw=answer.text, model=answer.model)
        parts = [part.strip() for part in found if part.strip()]
        for fault, terms in _faults(text, parts).items():
            if terms:
                raise MalformedOutput(
                    f"the model's parts {fault}: {', '.join(sorted(terms)[:5])}",
                    raw=answer.text, model=answer.model,
                    hint="split by sentences or by chunks instead",
                )  # fmt: skip
        return parts


def _faults(text: str, parts: Sequence[str]) -> dict[str, set[str]]:
    """What is wrong with parts of a text, and the terms by which it is told. A word that only joins
    may be left out, but no number, and not much."""
    held = Counter(index_terms(text))
    made = Counter(term for part in parts for term in index_terms(part))
    wanted = query_terms(text)
    # A cut goes between two characters, so that their pair is lost and they are not.
    lost = {t for t in wanted if t not in made and not (HAN.search(t) and {*t} <= made.keys())}
    much = len(lost) > _LOST * len(wanted) or any(re.search(r"\d", term) for term in lost)
    return {
        "hold words that the memory does not": made.keys() - held.keys(),
        "leave out words of the memory": lost if much else set(),
        "repeat words of the memory": {term for term in held if made[term] > held[term]},
    }


class ModelSummariser:
    """Has a model write digests; where it cannot, ``fallback`` makes them and a note says why.

    Texts that are longer than the model's context are read in parts, four at most, and the digest
    is one of the parts' digests. What even the parts do not hold is cut off, and a note says so.
    """

    def __init__(self, provider: Callable[[], Provider], fallback: Summariser) -> None:
        self._provider = provider  # opened when a digest is really asked for
        self._fallback = fallback

    def summarise(
        self, texts: Sequence[str], *, focus: str | None, max_tokens: int, lang: str | None
    ) -> Digest:
        """The model's digest, or the fallback's where no usable one came."""
        held = [_line(text) for text in texts if text.strip()]
        why: tuple[str, ...] = ()
        if held:
            try:
                return _Writer(self._provider(), focus, lang).digest(held, max_tokens)
            except Text2MemError as error:
                why = (f"no model wrote this digest: {error.message}",)
        digest = self._fallback.summarise(texts, focus=focus, max_tokens=max_tokens, lang=lang)
        return replace(digest, notes=(*why, *digest.notes))


@dataclass(frozen=True, slots=True)
class _Writer:
    """What is asked of the model; every method raises what the provider raises."""

    provider: Provider
    focus: str | None
    lang: str | None

    def digest(self, texts: Sequence[str], size: int) -> Digest:
        """The digest: of one call, or of one call for each part and one for the parts' digests."""
        profile = self.provider.profile
        fixed = sum(tokens(turn.content) for turn in self._turns((), size))
        # A third stays free: how many tokens a text has is a guess.
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
        """What the model makes of the lines, cut to the size. MalformedOutput where no digest."""
        # A digest somewhat too long is cut; one that does not come to its end is not waited for.
        most = min(self.provider.profile.max_output, size + size // 2 + 32)
        request = Request(self._turns(lines, size), _SUMMARY, sampling=Sampling(max_tokens=most))
        answer = self.provider.complete(request)
        found = answer.data.get("summary") if isinstance(answer.data, dict) else None
        fault = self._fault(found, lines) if isinstance(found, str) else "is not a text"
        if fault:
            raise MalformedOutput(f"its answer {fault}", raw=answer.text, model=answer.model)
        return clipped(str(found), size)

    def _fault(self, summary: str, lines: Sequence[str]) -> str:
        """What shows that an answer is no digest of the lines; empty where nothing does."""
        terms = set(query_terms(summary))
        if not terms or summary.rstrip().endswith((":", "：")):
            return "says nothing"
        wanted = _language(self.lang)
        # A Chinese digest may be full of Latin names; of other languages the letters tell nothing.
        chinese = wide(summary) > len(summary) / (2 if wanted == _LANGUAGES["en"] else 10)
        if wanted in _LANGUAGES.values() and chinese != (wanted == _LANGUAGES["zh"]):
            return f"is not in {wanted}"
        held = [set(query_terms(line)) for line in lines]
        if len(terms & _example_terms() - set().union(*held)) >= _LEAKED:
            return "repeats the examples of the prompt"
        # A memory that gives orders is obeyed by the smallest models: then the rest is missing.
        # Under a focus, or in another language, a good digest may look like that too.
        taken_up = sum(not terms.isdisjoint(line) for line in held)
        if not self.focus and not self.lang and taken_up < min(2, len(lines)):
            return f"takes up {taken_up} of {len(lines)} memories"
        return ""

    def _turns(self, lines: Sequence[str], size: int) -> tuple[Message, ...]:
        language = _language(self.lang)
        if language is None:
            said = "".join(lines)
            mostly_wide = 2 * wide(said) > len(said)
            language = _LANGUAGES["zh"] if mostly_wide else "that of the memories"
        chinese = language == _LANGUAGES["zh"]
        return load("summarise").filled(
            memories="\n".join(lines),
            language=_line(language),
            length=f"at most {size} characters" if chinese else f"at most {size * 3 // 4} words",
            focus=_line(self.focus or "none"),
        )


def _language(lang: str | None) -> str | None:
    """The name of a language by its tag; the tag itself where it is not known."""
    return _LANGUAGES.get(lang.lower().partition("-")[0], lang) if lang else None


@cache
def _example_terms() -> frozenset[str]:
    """What the digests of the prompt's examples say: small models repeat it under long texts."""
    examples = (turn.content for turn in load("summarise").turns if turn.role == "assistant")
    return frozenset(query_terms(" ".join(json.loads(text)["summary"] for text in examples)))


def _line(text: str) -> str:
    """A text as one line of data that does not end the block it stands in."""
    return _MARK.sub("(", " ".join(text.split()))


def _numbered(texts: Sequence[str]) -> list[str]:
    return [f"{number}: {text}" for number, text in enumerate(texts, 1)]


def _notes(cut: int, left_out: int) -> tuple[str, ...]:
    """What of the texts the model has not seen."""
    notes = []
    if cut:
        notes.append(f"{cut} memories are too long for the model: it read the beginnings of them")
    if left_out:
        notes.append(f"the last {left_out} memories do not fit and are not in the digest")
    return tuple(notes)
