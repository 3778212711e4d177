"""Which attribute a question asks for: by their names, and by the words that ask for them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from text2mem.ir.naming import fold, is_pattern
from text2mem.ir.registry import Registry
from text2mem.ir.segment import HAN
from text2mem.ledger.recall.lexicon import CONCEPTS, Asked, Meaning, asked

MASK = "\ue003"
"""What stands for a character that has been read already."""
HELD, DECLARED = 0.45, 0.75
"""How surely an attribute must be asked for that is in use, and one that is only declared."""
_IN_USE = 0.15
_OWN = 0.12
_AGREES = 0.2
_ELSEWHERE = 0.7
_CONTIGUOUS = 16
"""How long a cue without a gap is at most."""

_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?|[^\W\d_a-z]+")
_Kind = Literal["when", "where", "who", "how", "many"]
_ASKS: tuple[tuple[_Kind, re.Pattern[str]], ...] = (
    ("when", re.compile(
        r"\b(?:when|(?:which|what|by which|on which) (?:day|date|time|month|year)|how soon)\b"
        "|什么时候|哪一?天|何时|几号|几月|几点|哪年|多会儿|日期|时间")),
    ("where", re.compile(r"\bwhere\b|哪里|哪儿|在哪|到哪|何处|地方|什么地点")),
    ("who", re.compile(r"\bwho(?:m|se)?\b|谁|哪位")),
    ("many", re.compile(
        r"\bhow (?:many|much|long|tall|big|large|wide)\b|多少|多长|多大|几(?!号|点|月)")),
    ("how", re.compile(r"\bhow (?:do|does|did|can|should|to|is|are)\b|怎么|如何|怎样")),
)  # fmt: skip
_SORTED: dict[_Kind, str] = {
    "when": "deadline date day time birthday freeze start end since due year 日期 时间 生日 期限"
    " 截止日期 截止时间",
    "where": "address city place location spot venue room country site 地点 地址 城市 位置 住址",
    "who": "owner manager lead name contact partner person 负责人 联系人 经理",
    "many": "number count length size limit budget price seats 数量 长度 大小 价格 人数",
    "how": "command method channel style preference 命令 方式 方法 风格",
}
_SORTS = {kind: frozenset(words.split()) for kind, words in _SORTED.items()}
"""With what the names of attributes end that each kind of question asks for."""
_WEAK_WORDS = "preferred favorite favourite default main current max minimum maximum min my name"
_WEAK = frozenset(_WEAK_WORDS.split())
_ZH_PREFIX = re.compile("^(?:首选|默认|主要|当前|最喜欢的?|常用)")
_ZH_SORTS = sorted({s for sorts in _SORTS.values() for s in sorts if not s.isascii()}, key=len)
_STEMS = {
    "owned": "own", "own": "own's", "owner": "own", "owns": "own", "favorite": "favourit",
    "long": "length",
    "tall": "height", "wide": "width", "old": "age", "heavy": "weight", "costs": "cost",
    "children": "child", "wives": "wife", "licence": "license", "organisation": "organization",
    "managed": "manag", "runs": "run", "tests": "test", "testing": "test", "died": "death",
}  # fmt: skip
_MOST = re.compile(r"\b(?:best|most|favou?rite)\b|最喜欢|最爱")
_POLITE = re.compile(
    r"\bwould\b[^,;.?]{0,40}\b(?P<like>like)\b"
    r"|\b(?P<like_>likes?)\b(?=[^,;.?]*\b(?:best|most|better)\b)"
)
_ENDINGS = re.compile(r"(?:ies|ing|ers?|ors?|ed|es|s|e|y)$")


@dataclass(frozen=True, slots=True)
class Match:
    """An attribute that a text asks for: how surely, where it says so, and whether a person is."""

    name: str
    score: float
    spans: tuple[tuple[int, int], ...]
    relation: bool = False

    def masked(self, text: str) -> str:
        """The text without what this was read from."""
        for start, end in self.spans:
            text = text[:start] + MASK * (end - start) + text[end:]
        return text


@dataclass(frozen=True, slots=True)
class _Part:
    """A word of an attribute's name: what it weighs, and which question asks for such a thing."""

    stem: str
    weight: float
    content: bool
    kind: _Kind | None


@lru_cache(maxsize=4096)
def _parts(folded: str) -> tuple[_Part, ...]:
    words = folded.split("_")
    parts = []
    for place, word in enumerate(words):
        kind = next((kind for kind, sorts in _SORTS.items() if word in sorts), None)
        last = len(words) > 1 and place == len(words) - 1
        weight = 0.3 if word in _WEAK and len(words) > 1 else 0.5 if kind and last else 1.0
        content = weight > 0.5 or len(words) == 1
        parts.append(_Part(stem(word), weight, content, kind if last else None))
    return tuple(parts)


class Wording:
    """What a text, folded and masked, says of attributes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: Asked = asked(text)
        self.kinds = {kind for kind, pattern in _ASKS if pattern.search(text)}
        polite = {
            found.end("like") if found["like"] else found.end("like_")
            for found in _POLITE.finditer(text)
        }
        most = _MOST.search(text)
        self._stems: dict[str, tuple[int, int]] = {}
        if most is not None:
            self._stems[stem("favourite")] = most.span()
        for found in _WORD.finditer(text):
            word = found[0].removesuffix("'s").removesuffix("s'")
            if found.end() in polite:
                continue
            self._stems.setdefault(stem(word), (found.start(), found.start() + len(word)))

    def score(self, name: str) -> Match | None:
        """How surely the text asks for an attribute; None where nothing of it does."""
        folded = fold(name)
        said, spans = self._by_name(folded)
        meant = self.asked.of(folded)
        said *= _ELSEWHERE if spans and self._elsewhere(spans) else 1.0
        if meant is None:
            return Match(name, said, spans) if said else None
        sure, meaning = meant
        total = max(said, sure) + _AGREES * min(said, sure)
        where = spans if said >= sure and said >= 1 else (*spans, _place(meaning, self.text))
        return Match(name, total, where, meaning.concept.relation)

    def best(self, held: Iterable[str], declared: Iterable[str] = ()) -> Match | None:
        """The attribute that is asked for, of those in use and, less readily, of the others."""
        found: list[Match] = []
        in_use = {fold(name) for name in held}
        for names, least, more in ((held, HELD, _IN_USE), (declared, DECLARED, 0.0)):
            for name in names:
                one = self.score(name)
                own = more or _OWN * self._own(name)
                if one is not None and one.score >= least and (more or fold(name) not in in_use):
                    found.append(Match(one.name, one.score + own, one.spans, one.relation))
        return max(found, key=lambda one: one.score, default=None)

    def _elsewhere(self, spans: tuple[tuple[int, int], ...]) -> bool:
        """Whether a name stands within words that ask for something else: "mail address"."""
        return any(
            one.weight >= 1 and one.end - one.start <= _CONTIGUOUS
            and all(one.start <= start and end <= one.end for start, end in spans)
            and sum(end - start for start, end in spans) < one.end - one.start
            for one in self.asked.meanings
        )  # fmt: skip

    def _own(self, name: str) -> int:
        """Whether a name is in the language of the question: of those not in use it comes first."""
        return int((HAN.search(name) is None) == (HAN.search(self.text) is None))

    def _by_name(self, folded: str) -> tuple[float, tuple[tuple[int, int], ...]]:
        if not folded.isascii() and HAN.search(folded):
            return self._chinese(folded)
        total = said = 0.0
        spans: list[tuple[int, int]] = []
        content = False
        for part in _parts(folded):
            total += part.weight
            span = self._stems.get(part.stem)
            if span is not None:
                said += part.weight
                spans.append(span)
                content = content or part.content
            elif part.kind in self.kinds:
                said += part.weight
        if not content:
            return 0.0, ()
        return said / total, tuple(spans)

    def _chinese(self, folded: str) -> tuple[float, tuple[tuple[int, int], ...]]:
        text = self.text
        at = text.find(folded)
        if at >= 0:
            return 1.0, ((at, at + len(folded)),)
        core = _ZH_PREFIX.sub("", folded)
        at = text.find(core)
        if at >= 0 and core:
            return 0.85, ((at, at + len(core)),)
        for sort in _ZH_SORTS:
            rest = core.removesuffix(sort)
            at = text.find(rest) if rest and rest != core else -1
            if at >= 0:
                agrees = any(sort in words and kind in self.kinds for kind, words in _SORTS.items())
                return (0.9 if agrees else 0.55), ((at, at + len(rest)),)
        return 0.0, ()


def _place(meaning: Meaning, text: str) -> tuple[int, int]:
    """Where a meaning is said; of a cue with a gap only the end, what stands between is not."""
    if meaning.concept.relation or meaning.end - meaning.start <= _CONTIGUOUS:
        return meaning.start, meaning.end
    tail = re.search(r"[a-z0-9]+$|[^\s]{1,4}$", text[meaning.start : meaning.end])
    return (meaning.start + tail.start() if tail else meaning.start), meaning.end


@lru_cache(maxsize=16)
def declared(registry: Registry) -> tuple[str, ...]:
    """The attributes that a registry names, and those of the usual ones that a pattern covers."""
    named = [name for name in registry.attributes if not is_pattern(name)]
    usual = {name for concept in CONCEPTS for name in concept.names}
    covered = (registry.attribute(name) for name in sorted(usual))
    named += [one.name for one in covered if one.declared]
    return tuple(dict.fromkeys(named))


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """An English word without its usual endings, so that "owned" and "owner" are one."""
    known = _STEMS.get(word)
    if known is not None:
        return known
    if not word.isascii() or len(word) <= 3:
        return word
    cut = _ENDINGS.sub("", word)
    return cut if len(cut) >= 3 else word
