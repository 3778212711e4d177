"""Text that a request brings along: pasted, forwarded or quoted. It is data, not a request. The
reader sees a mark in its place, and in the draft the mark becomes the text again.

Layout shows what is data, in any language: fences, long quotations, quoted lines, markup, and what
follows a colon or the first line. A colon may also announce what is asked ("two things: …"). If no
step keeps the text behind it, the whole request is read, and ``Apart.beyond`` finds the steps whose
words only that text has.
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
"""What the reader sees in place of the text."""
_LOOSE = re.compile(r"\[?\"?text 1\"?\]?")
_LONG = 120
"""The number of characters from which a text behind a colon is more than one order."""
_CLAUSE = re.compile(r"[,，;；。]")
_COLON = r"(?<![\d\"'])[:：]"
_INTRODUCED = re.compile(
    rf"^(?P<own>[^\n]{{1,200}}?)(?:(?P<below>(?:{_COLON})?[^\S\n]*\n\s*)|{_COLON}\s*)"
    r"(?P<content>\S.*)$",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Apart:
    """A request without the text that it brings along."""

    own: str
    """The request with a mark in place of the text."""
    content: str
    """The text."""
    marked: bool
    """Whether the layout says that it is data."""
    below: bool = False
    """Whether it stands on lines of its own."""

    def filled(self, draft: Draft) -> Draft | None:
        """The draft with the text in place of its mark; None if no step keeps the text and the
        layout does not say that it is data."""
        kept, steps = self.marked, []
        for step in draft.steps:
            put = {
                key: _LOOSE.sub(lambda _: self.content, words, count=1)
                for key in (*step.traits.stores, "old")
                if _LOOSE.search(words := step.words(key))
            }
            kept = kept or bool(put)
            steps.append(replace(step, values={**step.values, **put}))
        return replace(draft, steps=tuple(steps)) if kept else None

    def may_say_more(self, draft: Draft) -> bool:
        """Whether a draft only keeps the text, which may be what the person says: "a new one:
        dentist on Friday at 3, remind me at 2"."""
        kept = len(draft.steps) == 1 and draft.steps[0].op == "Encode"
        alone = kept and _LOOSE.fullmatch(draft.steps[0].words("text").strip())
        return bool(alone) and not self.long

    def also(self, kept: Draft, more: object) -> Draft:
        """A draft that keeps the text, with what a second answer says of when; as it is if that is
        about anything else. Only the clause that says when to remind may be left out."""
        (step,) = kept.steps
        if not (isinstance(more, Draft) and [each.op for each in more.steps] == ["Encode"]):
            return kept
        (second,) = more.steps
        remind = fold(second.words("remind"))
        clauses = _CLAUSE.split(self.content)
        rest = [each for each in clauses if not (remind and remind in fold(each))]
        whole = {*query_terms(" ".join(rest))} <= {*query_terms(second.words("text"))}
        text = {} if whole else {"text": step.words("text")}
        return Draft((Step("Encode", {**step.values, **second.values, **text}),))

    def beyond(
        self, draft: Draft, links: Sequence[Link], spoken_of: Collection[str] = ()
    ) -> Iterator[tuple[int, str]]:
        """Yield the steps whose memories only the text names, with the words for them.

        ``spoken_of`` are the ids that earlier turns named. A short text behind a colon counts only
        if the draft keeps something.
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
                # The request names a picked memory only if it says one of the memory's terms.
                strange = not said & set(index_terms(search_text(record)))
                if strange and record.id not in spoken_of:
                    yield number, record.text

    def unused(self, draft: Draft, links: Sequence[Link]) -> Iterator[int]:
        """Yield the edits that do not write the text, if the layout says that it is data. A text
        that says which memory is meant counts as used."""
        if not self.marked or any(self.content in words for words in draft.words()):
            return
        for number, (step, link) in enumerate(zip(draft.steps, links, strict=False)):
            named = any(self.content in record.text for record in link.records)
            if step.op == "Update" and not named:
                yield number

    def _takes(self, step: Step) -> bool:
        """Whether the step writes the whole text, and overwrites only what the person has named."""
        overwritten = fold(step.words("old"))
        if step.op == "Update" and overwritten == fold(self.content):
            return True  # the text quotes what is to be replaced
        if step.op == "Update" and (step.words("text") or overwritten not in fold(self.own)):
            return False
        return any(self.content in step.words(key) for key in (*step.traits.stores, "old"))

    @property
    def long(self) -> bool:
        """Whether the text is more than a few words behind a colon."""
        several = SENTENCE.search(self.content) is not None
        return self.marked or self.below or len(self.content) > _LONG or several


def spoken(own: str) -> str:
    """The request without the mark, which stands for nobody's words."""
    return own.replace(MARK, " ")


def set_apart(utterance: str) -> Apart | None:
    """The request with a mark in place of the text that it brings along; None if it brings none."""
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
