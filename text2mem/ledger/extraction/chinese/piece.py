"""A stretch of an episode's text as the readers see it: folded, with parts left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from text2mem.ir.folding import fold as folded

_MARKS = re.compile("[\"“”‘’「」『』`']")
_SENTENCE = re.compile(r"[^。!?;\n…]+(?:[。!?;…]+|\n|$)")
_LEAD = re.compile(
    r"(?:(?:定|改|换|变|出来|更新|排好|约好)了|一下|一句|一条|历史|旧的|补充|更正|纠正|出来了?|"
    r"消息|这样的?|记住|记好|记着|注意|备忘|"
    r"对了|声明|信息|情况|如下|几点|两点|变化|改动|确认|决定|结论|更新|通知|变更|公告|同步|播报|交接|进展|"
    r"正确的是|修正)\s*$"
)
_GAP = re.compile(r"[,:]|——|—|(?<=[\u3400-\u9fff])\s+(?=[\u3400-\u9fff])|\s-\s")


@dataclass(frozen=True, slots=True)
class Piece:
    """``plain`` is folded, one character for each of ``places`` in the ``source``."""

    source: str
    plain: str
    places: tuple[int, ...]

    @classmethod
    def of(cls, source: str) -> Piece:
        """All of a text."""
        return cls(source, folded(source), tuple(range(len(source))))

    def part(self, start: int, end: int | None = None) -> Piece:
        """From ``start`` up to ``end``, without the blanks at both ends."""
        end = len(self.plain) if end is None else end
        words = self.plain[start:end]
        start += len(words) - len(words.lstrip())
        end = start + len(words.strip())
        return replace(self, plain=self.plain[start:end], places=self.places[start:end])

    def without(self, start: int, end: int) -> Piece:
        """All but what lies between."""
        plain = self.plain[:start] + self.plain[end:]
        return replace(self, plain=plain, places=self.places[:start] + self.places[end:]).part(0)

    def words(self, start: int = 0, end: int | None = None) -> str:
        """As it was written."""
        return "".join(self.source[place] for place in self.places[start:end]).strip()

    @property
    def span(self) -> tuple[int, int]:
        """From where to where it stands in the source."""
        return (self.places[0], self.places[-1] + 1) if self.places else (0, 0)

    def sentences(self) -> Iterator[Piece]:
        """Sentences with the marks that end them."""
        for found in _SENTENCE.finditer(self.plain):
            if found[0].strip():
                yield self.part(found.start(), found.end())

    def clauses(self) -> Iterator[Piece]:
        """Clauses without the marks between them. A colon after a noun is part of its clause."""
        place = 0
        bare = self.part(0, len(self.plain.rstrip("。!?;…\n ")))
        for gap in _GAP.finditer(bare.plain):
            if gap[0] == ":" and not _LEAD.search(bare.plain[place : gap.start()]):
                continue
            if bare.plain[place : gap.start()].strip():
                yield bare.part(place, gap.start())
            place = gap.end()
        if bare.plain[place:].strip():
            yield bare.part(place)

    def unquoted(self) -> Piece:
        """Without marks of quotation, which stand around names and values."""
        keep = [n for n, char in enumerate(self.plain) if not _MARKS.match(char)]
        return replace(
            self,
            plain="".join(self.plain[n] for n in keep),
            places=tuple(self.places[n] for n in keep),
        )
