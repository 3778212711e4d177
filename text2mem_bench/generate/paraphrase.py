"""Requests put differently by a model, kept only where every value of theirs is still there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from text2mem.errors import ModelOutputError
from text2mem.prompts import load
from text2mem.providers.base import Provider, Request, Sampling
from text2mem_bench.generate.cases import Case, Said
from text2mem_bench.generate.check import leaks
from text2mem_bench.generate.marks import Marked
from text2mem_bench.generate.model import Lang

_SCHEMA = {
    "type": "object",
    "properties": {"request": {"type": "string", "maxLength": 600}},
    "required": ["request"],
    "additionalProperties": False,
}
_LANGUAGES: dict[Lang, str] = {"en": "English", "zh": "Chinese"}
_CHINESE = re.compile("[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Paraphraser:
    """Asks a model to put requests differently."""

    provider: Provider
    seed: int = 0

    def put(self, text: str, keep: Sequence[str], lang: Lang) -> str | None:
        """The request in other words that still has what is to be kept; None where it has not.

        Raises ServiceError and its kinds.
        """
        turns = load("paraphrase").filled(
            language=_LANGUAGES[lang],
            keep="\n".join(f"- {phrase}" for phrase in keep),
            request=text,
        )
        sampling = Sampling(
            temperature=0.7, seed=self.seed, max_tokens=self.provider.profile.max_output
        )
        try:
            answer = self.provider.complete(Request(turns, _SCHEMA, sampling=sampling)).data
        except ModelOutputError:
            return None
        said = answer.get("request") if isinstance(answer, dict) else None
        said = " ".join(said.split()) if isinstance(said, str) else ""
        return said if preserves(said, text, keep, lang) else None


def preserves(said: str, text: str, keep: Sequence[str], lang: Lang) -> bool:
    """Whether a paraphrase is one: other words, every value, the language, nothing leaked."""
    return (
        said != text
        and len(text) / 2 < len(said) < len(text) * 2
        and all(said.count(phrase) == text.count(phrase) for phrase in keep)
        and bool(_CHINESE.search(said)) == (lang == "zh")
        and not leaks(said)
    )


def paraphrased(case: Case, paraphraser: Paraphraser, lang: Lang) -> Case:
    """The case with its request in other words where the model finds some, else as it was."""
    text, marked = case.said.utterance, case.said.marked[-1]
    phrases = [text[one.start : one.end] for one in marked]
    if any(text.count(phrase) != 1 for phrase in phrases if phrase):
        return case  # a phrase that stands twice could not be found again
    said = paraphraser.put(text, [phrase for phrase in phrases if phrase], lang)
    if said is None:
        return case
    moved = tuple(_moved(one, text, said) for one in marked)
    turns = Said((*case.said.turns[:-1], said), (*case.said.marked[:-1], moved))
    return replace(case, said=turns, paraphrased_by=paraphraser.provider.name)


def _moved(one: Marked, text: str, said: str) -> Marked:
    start = said.find(text[one.start : one.end])
    return replace(one, start=start, end=start + one.end - one.start)
