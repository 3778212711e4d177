"""A summariser without a model: it picks sentences of the memories themselves, and says so."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from text2mem.ir.ports import Digest
from text2mem.ir.segment import query_terms
from text2mem.ir.splitting import sentences
from text2mem.services.portions import tokens


class ExtractiveSummariser:
    """Ranks sentences by how many of the texts' (and the focus's) telling terms they hold."""

    def summarise(
        self,
        texts: Sequence[str],
        *,
        focus: str | None,
        max_tokens: int,
        lang: str | None,
    ) -> Digest:
        """The best sentences in their own order, about ``max_tokens`` tokens of them at most."""
        pool = list(dict.fromkeys(s for text in texts for s in sentences(text)))
        terms = [set(query_terms(sentence)) for sentence in pool]
        spread = Counter(term for found in terms for term in found)
        wanted = set(query_terms(focus)) if focus else set()
        scores = [
            sum(spread[t] for t in found) / math.sqrt(len(found) or 1) + 5 * len(found & wanted)
            for found in terms
        ]
        chosen: set[int] = set()
        left = max_tokens
        for index in sorted(range(len(pool)), key=lambda i: (-scores[i], i)):
            cost = tokens(pool[index])
            if cost <= left:
                chosen.add(index)
                left -= cost
        if not chosen and pool:
            return Digest(pool[0][: max_tokens * 4], extractive=True)
        return Digest(" ".join(pool[i] for i in sorted(chosen)), extractive=True)
