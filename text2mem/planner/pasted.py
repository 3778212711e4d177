"""Text that a request brings along: pasted, forwarded, quoted. It is data, and no one reads it as a
request: the reader sees a mark in its place, and the mark becomes the text again in the draft.

What is data shows by layout, in any language: fences, long quotations, quoted lines, markup, and
what follows a colon or the first line. A colon also announces what is asked ("two things: …"):
where no step keeps the text behind it, the whole request is read, and ``Apart.beyond`` says which
words stand there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from text2mem.ir.ops import READS
from text2mem.ir.words.folding import fold
from text2mem.ir.words.given import LEAST, SENTENCE, bare, given
from text2mem.ir.words.segment import index_terms, query_terms, search_text
from text2mem.planner.draft import Draft, Step
from text2mem.planner.linked import Link

MARK = "[text 1]"
_LOOSE = re.compile(r"\[?\"?text 1\"?\]?")
_LONG = 120
"""From how many characters on what follows a colon is more than one order."""
_COLON = r"(?<![\d\"'])[:：]"
_INTRODUCED = re.compile(
    rf"^(?P<own>[^\n]{{1,200}}?)(?:(?P<below>(?:{_COLON})?[^\S\n]*\n\s*)|{_COLON}\s*)"
    r"(?P<content>\S.*)$",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Apart:
    """A request without the text that it brings along.

    ``marked``: the layout says that it is data. ``below``: it stands on lines of its own.
    """

    own: str
    content: str
    marked: bool
    below: bool = False

    def filled(self, draft: Draft) -> Draft | None:
        """The draft with the text in place of its mark; None where no step keeps the text."""
        kept = False
        steps = []
        for step in draft.steps:
            values = dict(step.values)
            for key in (*step.traits.stores, "old"):
                words = step.words(key)
                if _LOOSE.search(words):
                    values[key] = _LOOSE.sub(lambda _: self.content, words, count=1)
                    kept = True
            steps.append(replace(step, values=values))
        return Draft(tuple(steps), draft.ask, draft.undo) if kept or self.marked else None

    def beyond(
        self, draft: Draft, links: Sequence[Link], spoken_of: Collection[str] = ()
    ) -> Iterator[tuple[int, str]]:
        """The steps that change what only the text names, with their words; ``spoken_of`` are the
        ids that turns before named.

        Of a short text behind a colon only where a step keeps it, or the draft was read without it.
        """
        if not (self.long or any(step.op == "Encode" for step in draft.steps)):
            return
        own, said = self.own.casefold(), set(query_terms(spoken(self.own)))
        for number, (step, link) in enumerate(zip(draft.steps, links, strict=True)):
            words = step.words("about") or " ".join(map(str, step.values.get("tags", ())))
            if step.op != "Encode" and words and words.casefold() not in own:
                yield number, words
            if not link.picked or step.op in READS or self._takes(step):
                continue
            for record in link.records:
                # A memory that was picked has no words; whoever asks has to have said one of its.
                strange = not said & set(index_terms(search_text(record)))
                if strange and record.id not in spoken_of:
                    yield number, record.text

    def unused(self, draft: Draft, links: Sequence[Link]) -> Iterator[int]:
        """The edits that write something else, where the layout says that a text is given; one that
        is given to say which memory is meant is used."""
        if not self.marked or any(self.content in words for words in draft.words()):
            return
        for number, (step, link) in enumerate(zip(draft.steps, links, strict=False)):
            named = any(self.content in record.text for record in link.records)
            if step.op == "Update" and not named:
                yield number

    def _takes(self, step: Step) -> bool:
        """Whether the whole text goes where the step says, and overwrites nothing that whoever asks
        has not named."""
        overwritten = fold(step.words("old"))
        if step.op == "Update" and overwritten == fold(self.content):
            return True  # what the memory says is quoted, so that something else takes its place
        if step.op == "Update" and (step.words("text") or overwritten not in fold(self.own)):
            return False
        return any(self.content in step.words(key) for key in (*step.traits.stores, "old"))

    @property
    def long(self) -> bool:
        """Whether it is more than a few words behind a colon."""
        several = SENTENCE.search(self.content) is not None
        return self.marked or self.below or len(self.content) > _LONG or several


def spoken(own: str) -> str:
    """What is said besides a text that is brought along; the mark of it is nobody's words."""
    return own.replace(MARK, " ")


def set_apart(utterance: str) -> Apart | None:
    """The request with a mark in place of the text that it brings along; None without one."""
    span = given(utterance)
    if span is not None:
        start, end = span
        own = f"{utterance[:start].rstrip()} {MARK} {utterance[end:].lstrip()}"
        return Apart(" ".join(own.split()), bare(utterance[start:end]), marked=True)
    introduced = _INTRODUCED.match(utterance.strip())
    if introduced is not None and len(introduced["content"]) >= LEAST:
        own = f"{introduced['own']}: {MARK}"
        below = introduced["below"] is not None
        return Apart(own, introduced["content"].rstrip(), marked=False, below=below)
    return None
