"""Text that a request brings along: pasted, forwarded, quoted. It is data, and no one reads it as a
request: the reader sees a mark in its place, and the mark becomes the text again in the draft.

What is data shows by layout, in any language: fences, long quotations, quoted lines, markup, and
what follows a colon. A colon also announces what is asked ("two things: …"): where no step keeps
the text behind it, the whole request is read, and ``Apart.beyond`` says which words stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from text2mem.ir.quotations import quotations
from text2mem.planner.draft import Draft, Step

MARK = "[text 1]"
_LOOSE = re.compile(r"\[?\"?text 1\"?\]?")
_KEEPS = {"Encode": ("text",), "Update": ("text", "new", "add", "old")}
_LEAST, _LONG = 24, 120
"""From how many characters on what follows a colon may be data, and is more than one order."""
_QUOTE = 40
_INTRODUCED = re.compile(r"^(?P<own>[^\n]{1,200}?)(?<!\d)[:：]\s*(?P<content>\S.*)$", re.DOTALL)
_BLOCKS = (
    re.compile(r"(```|\"\"\"|''').*?(?:\1|$)", re.DOTALL),
    re.compile(r"(?:^[ \t]*>.*(?:\n|$))+", re.MULTILINE),
    re.compile(r"<[a-zA-Z!/|?][^\n]*>", re.DOTALL),
)
_SENTENCE = re.compile(r"[.!?](?=\s+\S)|[。！？](?=\s*\S)|\n\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class Apart:
    """A request without the text that it brings along.

    ``marked``: the layout says that it is data.
    """

    own: str
    content: str
    marked: bool

    def filled(self, draft: Draft) -> Draft | None:
        """The draft with the text in place of its mark; None where no step keeps the text."""
        kept = False
        steps = []
        for step in draft.steps:
            values = dict(step.values)
            for key in _KEEPS.get(step.op, ()):
                words = step.words(key)
                if _LOOSE.search(words):
                    values[key] = _LOOSE.sub(lambda _: self.content, words, count=1)
                    kept = True
            steps.append(Step(step.op, values))
        return Draft(tuple(steps), draft.ask, draft.undo) if kept or self.marked else None

    def beyond(self, draft: Draft) -> Iterator[tuple[int, str]]:
        """The steps that change what only the text names, with their words.

        Of a short text behind a colon only where a step keeps it, or the draft was read without it.
        """
        keeps = any(step.op == "Encode" for step in draft.steps)
        if not (keeps or self.marked or len(self.content) > _LONG or self._several):
            return
        own = self.own.casefold()
        for number, step in enumerate(draft.steps):
            words = step.words("about") or " ".join(map(str, step.values.get("tags", ())))
            if step.op != "Encode" and words and words.casefold() not in own:
                yield number, words

    @property
    def _several(self) -> bool:
        return _SENTENCE.search(self.content) is not None


def set_apart(utterance: str) -> Apart | None:
    """The request with a mark in place of the text that it brings along; None without one."""
    for block in _BLOCKS:
        found = block.search(utterance)
        if found is not None and len(found[0].strip()) >= _LEAST:
            return _cut(utterance, found.start(), found.end(), marked=True)
    for quoted in quotations(utterance):
        if len(quoted.value) >= _QUOTE or _SENTENCE.search(quoted.value):
            return _cut(utterance, quoted.start, quoted.end, marked=True)
    introduced = _INTRODUCED.match(utterance.strip())
    if introduced is not None and len(introduced["content"]) >= _LEAST:
        own = f"{introduced['own']}: {MARK}"
        return Apart(own, introduced["content"].rstrip(), marked=False)
    return None


def _cut(utterance: str, start: int, end: int, *, marked: bool) -> Apart:
    """The text from the first mark to the last one: two blocks, and what lies between, are one."""
    content = utterance[start:end]
    own = " ".join(f"{utterance[:start].rstrip()} {MARK} {utterance[end:].lstrip()}".split())
    for fence in ("```", '"""', "'''"):
        content = content.strip().removeprefix(fence).removesuffix(fence).strip()
    if len(content) > 1 and quotations(content) and quotations(content)[0].end == len(content):
        content = quotations(content)[0].value
    return Apart(own, content, marked)
