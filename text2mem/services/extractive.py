"""Services without a model: a summariser that selects sentences, and a splitter at sentences."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from text2mem.ir.ports import Digest
from text2mem.ir.words.segment import query_terms
from text2mem.ir.words.splitting import sentences
from text2mem.services.portions import tokens


class ExtractiveSummariser:
    """Selects sentences with the most frequent terms of the texts, and with terms of the focus."""

    def summarise(
        self, texts: Sequence[str], *, focus: str | None, max_tokens: int, lang: str | None
    ) -> Digest:
        """Return the best sentences, in the order of the texts and on a line per text, in about
        ``max_tokens`` tokens."""
        found_in: dict[str, int] = {}
        for number, text in enumerate(texts):
            for sentence in sentences(text):
                found_in.setdefault(sentence, number)
        pool = list(found_in)
        terms = [set(query_terms(sentence)) for sentence in pool]
        spread = Counter(term for found in terms for term in found)
        wanted = set(query_terms(focus)) if focus else set()
        scores = [
            sum(spread[t] for t in found) / math.sqrt(len(found) or 1) + 5 * len(found & wanted)
            for found in terms
        ]
        chosen: set[int] = set()
        left = max_tokens
        for index in sorted(range(len(pool)), key=lambda i: -scores[i]):
            if (cost := tokens(pool[index])) <= left:
                chosen.add(index)
                left -= cost
        if not chosen and pool:
            return Digest(pool[0][: max_tokens * 4], extractive=True)
        lines = groupby((pool[i] for i in sorted(chosen)), key=found_in.__getitem__)
        return Digest("\n".join(" ".join(line) for _, line in lines), extractive=True)


class SentenceSplitter:
    """Splits a text at sentences, and one sentence in the middle, whatever the instruction."""

    def split(self, text: str, *, instruction: str) -> Sequence[str]:
        """Return the parts, in order. A text of fewer than two characters is not split."""
        parts = sentences(text)
        if len(parts) > 1 or len(text) < 2:
            return parts or [text]
        return [text[: len(text) // 2], text[len(text) // 2 :]]
