"""Sentences that pass the gate and of which no table reads anything: from where to where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from text2mem.ir.segment import HAN
from text2mem.ledger.candidate import Reading
from text2mem.ledger.episode import Episode
from text2mem.ledger.explicit import ASKS_TO_FORGET
from text2mem.ledger.extraction.chinese import gate as chinese
from text2mem.ledger.extraction.chinese.piece import Piece
from text2mem.ledger.extraction.chinese.who import lead
from text2mem.ledger.extraction.english import gate as english
from text2mem.ledger.extraction.english import text as words

Span = tuple[int, int]
_LEAST_WORDS = 4
_LEAST_CHARACTERS = 5
_MOST = 240
_SURE, _HEARD = 0.5, 0.3
"""What is told by others is less sure than the second, what is hedged than the first."""


FIRST_PERSON = re.compile(
    r"(?<![\w'])(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|us|our|ours)(?![\w])|[我咱俺]|本人",
    re.IGNORECASE,
)


def of_speaker(episode: Episode) -> bool:
    """Whether a text tells of who says it, by the gate alone: nothing is read, which is quick."""
    text = episode.text
    if HAN.search(text):
        spans: Iterator[Span] = of_chinese(episode, Reading())
    else:
        every = [(one.start, one.end) for one in words.sentences(words.plain(text))]
        spans = of_english(episode, Reading(), every)
    return any(FIRST_PERSON.search(text[start:end]) for start, end in spans)


def of_english(episode: Episode, reading: Reading, opened: Sequence[Span]) -> Iterator[Span]:
    """The statements with a clause that was left open and none that was read."""
    plain = words.plain(episode.text)
    for one in words.sentences(plain):
        said = plain[one.start : one.end]
        if one.asks or not any(one.start <= start < one.end for start, _ in opened):
            continue
        if _taken(reading, one.start, one.end) or len(said) > _MOST or words.HIDDEN in said:
            continue
        if len(said.split()) >= _LEAST_WORDS and english.reason(said, asks=False) is None:
            yield one.start, one.end


def of_chinese(episode: Episode, reading: Reading) -> Iterator[Span]:
    """The sentences that no clause's gate stops and of which nothing was read."""
    text = Piece.of(episode.text)
    if chinese.of_turn(text.plain) or ASKS_TO_FORGET.search(text.plain):
        return
    for sentence in text.sentences():
        start, end = sentence.span
        if _taken(reading, start, end) or end - start > _MOST:
            continue
        if len(HAN.findall(sentence.plain)) >= _LEAST_CHARACTERS and _states(sentence):
            yield start, end


def _states(sentence: Piece) -> bool:
    """Whether neither the sentence nor one of its clauses is stopped by the gate."""
    if chinese.of_sentence(sentence.plain) or chinese.confidence(sentence.plain) < _HEARD:
        return False
    asked = sentence.plain.rstrip().endswith("?")
    pieces = [lead(piece.unquoted()) for piece in sentence.clauses()]
    return not asked and not any(
        chinese.is_tag(piece.plain) or chinese.of_clause(piece.plain, last=False, asked=False)
        for piece in pieces
    )


def _taken(reading: Reading, start: int, end: int) -> bool:
    return any(c.quote[0] < end and start < c.quote[1] for c in reading.candidates)


def hedged(said: str) -> bool:
    """Whether the speaker of a sentence is not sure of it."""
    if HAN.search(said):
        return chinese.confidence(said) < _SURE
    return english.HEDGE.search(said) is not None
