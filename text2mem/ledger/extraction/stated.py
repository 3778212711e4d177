"""What a model reads of sentences of which code reads nothing: the telling words, and of what.

It copies the words and then names what they are. Whom they are about, how the attribute is called
here, since when and until when is read by code, and what does not fit its attribute is dropped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from text2mem.ir.naming import fold
from text2mem.ir.segment import HAN
from text2mem.ledger.candidate import Candidate, Known
from text2mem.ledger.episode import Episode, speaker
from text2mem.ledger.extraction.about import about
from text2mem.ledger.extraction.asking import Counts, asked, data, schema
from text2mem.ledger.extraction.offers import offered, told
from text2mem.ledger.extraction.reckoned import Told, reckoned
from text2mem.prompts import load
from text2mem.providers.base import Provider

_MOST_ASKED = 3
_LEAST = 3
"""More words than that, or characters, may state something."""
_NOTHING, _NOTHING_CHINESE = "nothing", "无"
_OVER = re.compile(
    r"\b(?:no longer|any ?more|any longer|used to|(?:been|am|'m|is|'s|came|come|went) off|"
    r"stopped|finished|quit|gave up|gave away|given up|forget|strike|never was|wrong|mixed|"
    r"misread|mistaken|password|passphrase|pin code|token|api key|secret)\b"
    r"|不再|已经不|忘掉|忘了|离开|注销|戒了|不归|从来|从不|弄错|记错|说错|搞错|打错|打反|不对|更正|"
    r"分手|离婚|辞职|搬走|送人|送走|停用|停药|密码|密钥|口令",
    re.IGNORECASE,
)
"""What ends, was wrong or is secret: none of it is stated by its telling words."""
_JOINT = re.compile(r"[\s,;:.，；：、。]*(?:\b(?:and|but|while|so)\b|而且|并且|也|还|又)?[\s,，]*")
_MARKS = " \t\n.,;:!?。，！？；：、\"'“”「」"


def stated(
    episode: Episode,
    known: Known,
    spans: Sequence[tuple[int, int]],
    provider: Provider,
    *,
    seed: int,
    counts: Counts,
) -> list[Candidate]:
    """The candidates of several sentences; three questions at most.

    Where a sentence states something, what follows on it is asked about, too.
    """
    found: list[Candidate] = []
    for start, end in spans:
        begin, who = start, about(episode, known, (start, end))
        while counts.asked < _MOST_ASKED and _worth(episode.text[begin:end]):
            one = _asked(episode, known, (begin, end), provider, seed, counts)
            if one is None:
                break
            made, last = reckoned(episode, known, who, one)
            found += [each for each in made if each not in found]
            joint = _JOINT.match(episode.text, last, end)
            begin = joint.end() if joint else last
            if not made or not _another(episode.text[begin:end]):
                break
            who = about(episode, known, (begin, end)) if _named(episode, begin) else who
    return found


def _worth(said: str) -> bool:
    return _OVER.search(said) is None and len(said.strip(_MARKS)) > _LEAST


def _another(rest: str) -> bool:
    """Whether what follows on a value is long enough to state something."""
    return len(HAN.findall(rest)) > _LEAST or len(rest.split()) > _LEAST


def _named(episode: Episode, begin: int) -> bool:
    """Whether a stretch begins with who it is about."""
    return re.match(r"[A-Z]|I\b|my\b|we\b|our\b|[我她他]", episode.text[begin:]) is not None


def _asked(
    episode: Episode,
    known: Known,
    span: tuple[int, int],
    provider: Provider,
    seed: int,
    counts: Counts,
) -> Told | None:
    """The words that tell the most of a stretch, and what they are; None where that is nothing.

    A stretch without a sign of any attribute is not asked about.
    """
    said = episode.text[slice(*span)]
    names, own = offered(known, said)
    if not any(told(known, name, said) for name in names.values()):
        return None
    chinese = bool(HAN.search(said))
    none = _NOTHING_CHINESE if chinese else _NOTHING
    shape = schema(
        value={"type": "string", "minLength": 1, "maxLength": 40}, what=[*names, none]
    )  # fmt: skip
    turns = load("extract_stated_zh" if chinese else "extract_stated").filled(
        also=f"also: {', '.join(own)}\n" if own else "", said=data(said)
    )

    def check(answer: Mapping[str, Any]) -> str | None:
        what, value = str(answer.get("what")), str(answer.get("value"))
        if what == none:
            return None
        if what not in names:
            return f"'what' has to be one of: {', '.join([*names, none])}"
        return None if place(said, value) else "'value' has to be words of the message"

    answer = asked(provider, turns, shape, check, seed, counts)
    at = place(said, str(answer["value"])) if answer is not None else None
    if answer is None or answer["what"] == none or at is None:
        return None
    if _unlikely(speaker(episode), said, at):
        return None
    return Told(names[str(answer["what"])], span, (span[0] + at[0], span[0] + at[1]))


def place(said: str, value: str) -> tuple[int, int] | None:
    """Where the words of a value stand in a sentence, as whole words; None where they do not.

    An accent that was left out is none too little.
    """
    words = _plain(value.strip(_MARKS)).split()
    if not words:
        return None
    pattern = r"\s+".join(re.escape(word) for word in words)
    edged = (
        pattern
        if HAN.search(value)
        else rf"(?<![^\W_\u3400-\u9fff]){pattern}(?![^\W_\u3400-\u9fff])"
    )
    found = re.search(edged, _plain(said), re.IGNORECASE)
    return found.span() if found else None


def _plain(text: str) -> str:
    """A text of the same length without accents."""
    return "".join(unicodedata.normalize("NFD", each)[0] for each in text)


_EMPTY = re.compile(
    r"(?:i|me|my|mine|you|we|us|our|ours|he|she|it|they|this|that|there|here|now|today|then|one|"
    r"him|her|them|none|no|yes|something|nothing|someone|我|你|他|她|它|这|那|我们|这个|那个|user)",
    re.IGNORECASE,
)


def _unlikely(own: str, said: str, at: tuple[int, int]) -> bool:
    """Whether the words can hardly be a value: a pronoun, the speaker, nearly all that is said."""
    value = said[slice(*at)]
    most = 0.9 if HAN.search(value) else 0.8
    if _EMPTY.fullmatch(value.split()[-1]) or len(value) > most * len(said.strip(_MARKS)):
        return True
    return fold(value) == own
