"""Answer a question from the lines of a context alone.

A model's answer is accepted if it cites lines that support it, and says every value of the exact
state. Otherwise code answers: what the exact state says, or that it is not known.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from text2mem.errors import ModelOutputError
from text2mem.ir.record import Record
from text2mem.ir.times.written_dates import dates_in, read_date
from text2mem.ir.values import as_text
from text2mem.ir.words.likeness import alike
from text2mem.ir.words.mentions import denies
from text2mem.ir.words.segment import GRAMMATICAL, HAN, index_terms, query_terms
from text2mem.ledger.recall.exact import USER
from text2mem.ledger.recall.recalled import Answer, Line, Recalled, labels, one_line
from text2mem.messages import is_message, listed, message
from text2mem.prompts import load
from text2mem.providers.base import Provider, Request, Sampling

_MOST_CITED = 8
_MOST_TOKENS = 160
"""The most tokens that a model may write."""
_LONGEST = 300
"""The most characters of a question that a model is shown, and of an answer that is read."""
_WORD = "[0-9A-Za-z]"
_NAME = re.compile(r"[^\W_]*\d[\w.:/-]*|(?<=[^.!?\s]\s)[A-Z][\w'’-]*")
"""A number, or a word with a capital that begins no sentence."""
_SENTENCES = re.compile(r"(?<=[.!?;:])\s+|[。！？；：]")


@dataclass(frozen=True, slots=True)
class Deciding:
    """What lets a model decide which line a question means: who ``asked``, and when, and the facts
    that it is shown, by id."""

    asked: str
    shown: Mapping[str, Record]


def answered(
    recalled: Recalled, provider: Provider | None, deciding: Deciding | None = None
) -> Recalled:
    """The recall with an answer: the model's if it is accepted, else that of code. A model that
    decides may answer by another line than what code took for the exact state, and is believed if
    it finds no answer."""
    answer = _told(recalled)
    if provider is not None and recalled.lines:
        answer = _asked(recalled, answer, provider, deciding)
    return replace(recalled, answer=answer)


def _told(recalled: Recalled) -> Answer:
    """The answer of code: what the exact state says, or that it is not known."""
    words = recalled.question or f"{recalled.subject}{recalled.attribute}"
    if not recalled.values:
        return Answer(message("not-known", words), known=False)
    fact_ids = {record.id for record in recalled.facts}
    cited = labels([line for line in recalled.lines if fact_ids.intersection(line.records)])
    return Answer(_sentence(recalled, words), cited)


def _sentence(recalled: Recalled, words: str) -> str:
    """The exact state in a sentence, in the language of ``words``."""
    if recalled.attribute is None:
        facts = (f"{_name(fact.attribute or '')}: {_value(fact.value)}" for fact in recalled.facts)
        return message("told", words, what=message("told-next", words).join(facts))
    values = [_value(value) for value in recalled.values]
    if recalled.subject is None:
        return message("told", words, what=listed(list(map(_name, values)), words))
    value = listed(values, words)
    past = "past" if recalled.mode == "point-in-time" else "now"
    many = "-of-several" if len(values) > 1 else ""
    own = recalled.subject == USER
    who = message("the-user", words) if own else _name(recalled.subject).title()
    parts = [who, *map(_name, (*recalled.via, recalled.attribute))]
    what = message("of", words).join(parts if HAN.search(words) else reversed(parts))
    return message(f"is-{past}{many}", words, what=what, value=value)


def _value(value: Any) -> str:
    return one_line(as_text(value))


def _name(name: str) -> str:
    return name.replace("_", " ")


# --- a model's answer ----------------------------------------------------------------------


def _asked(
    recalled: Recalled, by_code: Answer, provider: Provider, deciding: Deciding | None
) -> Answer:
    """The model's answer if it is accepted, else that of code with the refused text."""
    question = one_line(recalled.question or _in_words(recalled))[:_LONGEST]
    whole = f"{question} (asked by {one_line(deciding.asked)})" if deciding else question
    turns = load("answer").filled(memories=recalled.context, question=whole)
    sampling = Sampling(max_tokens=min(_MOST_TOKENS, provider.profile.max_output))
    request = Request(turns, _schema(labels(recalled.lines)), sampling=sampling)
    try:
        completion = provider.complete(request)
    except ModelOutputError:
        return by_code
    text, cites = _parts(completion.data)
    used = [line for line in recalled.lines if cites.intersection(line.citations)]
    answer = by_code
    if text.strip():
        answer = replace(by_code, refused=text)
        if deciding and not cites and is_message(text, "not-known"):
            answer = Answer(message("not-known", question), known=False, by="model")
        elif used and _holds(text, used, question, recalled, deciding):
            cited = tuple(label for label in labels(used) if label in cites)
            answer = Answer(text, cited, by="model")
    usage = completion.usage
    return replace(answer, prompt=usage.prompt, output=usage.output)


def _holds(
    text: str, used: Sequence[Line], question: str, recalled: Recalled, deciding: Deciding | None
) -> bool:
    """Whether the cited lines support the text, and it says every value of the exact state, unless
    the model decides, and for another line. Lines that hold no longer count only if exact state
    answers, or the model decides."""
    exact = deciding is not None or recalled.found == "exact"
    lines = "\n".join(line.text for line in used if exact or not line.old)
    shown = deciding.shown if deciding else {}
    facts = [shown[id_] for line in used for id_ in line.records if id_ in shown]
    same = {fact.line for fact in recalled.facts}.intersection(fact.line for fact in facts)
    values = recalled.values if same or deciding is None else ()
    if not all(says(text, value) for value in values):
        return False
    borne_out = bears_out(lines, text, question)
    said = any(says(text, fact.value) for fact in facts)
    return borne_out or (said and bears_out(lines, text, question, freely=True))


def _parts(data: Any) -> tuple[str, set[str]]:
    """The text and the citations of a model's answer; empty where they are missing."""
    fields = data if isinstance(data, Mapping) else {}
    text, cites = fields.get("answer"), fields.get("citations")
    line = one_line(text)[:_LONGEST] if isinstance(text, str) else ""
    return line, {c for c in cites if isinstance(c, str)} if isinstance(cites, list) else set()


def _schema(cited: Sequence[str]) -> dict[str, Any]:
    """The JSON Schema of an answer: a text, and labels of this context."""
    return {
        "type": "object",
        "properties": {
            "answer": {"type": "string", "maxLength": _LONGEST},
            "citations": {
                "type": "array", "maxItems": _MOST_CITED,
                "items": {"type": "string", "enum": list(cited)},
            },
        },
        "required": ["answer", "citations"],
        "additionalProperties": False,
    }  # fmt: skip


def _in_words(recalled: Recalled) -> str:
    """The names that the caller gave as a question: ``mira.landlord.phone?``."""
    return ".".join(filter(None, (recalled.subject, *recalled.via, recalled.attribute))) + "?"


# --- what supports an answer ---------------------------------------------------------------


def says(text: str, value: Any) -> bool:
    """Whether a text contains a value, as it is written or as the same date."""
    written, folded = _folded(as_text(value)), _folded(text)
    if isinstance(value, str) and read_date(value) in _dates(text):
        return True
    if not written:
        return False
    # The value must not be part of a longer word or number.
    before = f"(?<!{_WORD})" if re.match(_WORD, written[0]) else ""
    after = f"(?!{_WORD})" if re.match(_WORD, written[-1]) else ""
    return re.search(f"{before}{re.escape(written)}{after}", folded) is not None


def bears_out(lines: str, text: str, question: str, *, freely: bool = False) -> bool:
    """Whether every word that an answer (``text``) adds to its question is in the lines, dates by
    the day; told ``freely``, every name and number.

    Only sentences that share a word with the question count, so a line that orders something to be
    said is no evidence of it. An answer that says nothing, or that has a negation while the lines
    have none, is not supported.
    """
    if denies(text) and not denies(lines):
        return False
    supported_days = _dates(lines)
    rest = text
    for start, end, day in reversed([*dates_in(text)]):
        if day not in supported_days:
            return False
        rest = f"{rest[:start]} {rest[end:]}"
    asked = set(index_terms(question))
    supported = asked.union(*map(index_terms, _about(lines, asked)))
    if freely:
        names = (term for name in _NAME.findall(rest) for term in index_terms(name))
        return all(alike(name, supported) for name in names)
    content_terms = 0
    for term in query_terms(rest):
        if term in GRAMMATICAL or alike(term, supported):
            content_terms += term not in GRAMMATICAL
        elif term.isascii() or not all(char in GRAMMATICAL or char in supported for char in term):
            return False  # a pair of Chinese characters counts if each of them is supported
    return content_terms > 0 or rest != text


def _about(lines: str, asked: set[str]) -> list[str]:
    """The sentences of the lines that share a content word with the question; all if none does. The
    head of a line (label, day and speaker) belongs to its first sentence."""
    sentences = []
    for line in lines.splitlines():
        head, mark, text = line.partition(": ")
        first, *others = _SENTENCES.split(text if mark else head)
        sentences += [f"{head}: {first}" if mark else first, *others]
    content = {term for term in asked if term not in GRAMMATICAL}
    sharing = [s for s in sentences if any(alike(term, content) for term in index_terms(s))]
    return sharing or sentences


def _dates(text: str) -> set[date]:
    return {day for _, _, day in dates_in(text)}


def _folded(text: str) -> str:
    """A text in lower case, normalised by NFKC, with single blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
