"""Texts within a text: what somebody pastes, forwards or quotes, by its layout, in any language.

Fences, quoted lines, comments, markup, JSON, long quotations, what a rule with words announces, and
what stands behind a colon and looks like a record, the head of a message or a whole passage. All of
it is data: nobody's request, and nobody's word on facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from text2mem.ir.words.quotations import quotations

Span = tuple[int, int]

LEAST, _QUOTE = 24, 40
"""From how many characters on a block, and a quotation, is a text of its own."""
_BLOCKS = (
    re.compile(r"(```|\"\"\"|''').*?(?:\1|\Z)", re.DOTALL),
    re.compile(r"(?:^[ \t]*>.*(?:\n|\Z))+", re.MULTILINE),
    re.compile(r"(?:^[ \t]*(?://|/\*).*(?:\n|\Z))+", re.MULTILINE),
    re.compile(r"<[a-zA-Z!/|?][^\n]*>"),
    re.compile(r"\{\s*\"[^\"\n]{1,60}\"\s*[:：].*\}", re.DOTALL),
    re.compile(  # ---- Forwarded message ----
        r"^[ \t]*(?=[^\n]{0,80}[^\W_])[-_=*]{3,20}[^\n]{1,60}?[-_=*]{3,20}[ \t]*\n.*",
        re.MULTILINE | re.DOTALL,
    ),
)
_KEY = r"[^\s:：]{1,20}[ \t]?[:：]"
_MESSAGE = re.compile(
    rf"[:：](?:[ \t]*\n\s*(?P<below>{_KEY}\s*\S.*)"
    rf"|[ \t]*(?P<beside>{_KEY}[ \t]*\S[^\n]*\n[ \t]*{_KEY}.*))\Z",
    re.DOTALL,
)
"""Below a line that ends in a colon one key is enough; beside it there are two."""
_PASSAGE = re.compile(r"\A[^\n:：]{1,60}[:：][ \t]*(?P<text>\S.*)\Z", re.DOTALL)
_LONG, _SENTENCES = 160, 5
"""What a few words with a colon introduce is a text of its own from so many characters and ends of
sentences on: nobody says so much of themselves in one breath."""
SENTENCE = re.compile(r"[.!?](?=\s+\S)|[。！？](?=\s*\S)|\n\s*(?=\S)")
"""Where a sentence or a line ends and another one begins."""


def cuts(text: str) -> tuple[int, ...]:
    """Where each sentence of a text begins, and where the last one ends."""
    return (0, *(found.end() for found in SENTENCE.finditer(text)), len(text))


def around(text: str, span: Span) -> Span:
    """The sentence of a text in which a span of it stands, or the sentences."""
    ends = cuts(text)
    return max(end for end in ends if end <= span[0]), min(end for end in ends if end >= span[1])


def given(text: str) -> Span | None:
    """From the first text within a text to the last one, marks and all; None where none is."""
    found = list(_spans(text))
    return (min(a for a, _ in found), max(b for _, b in found)) if found else None


def without_given(text: str) -> str:
    """The text with full stops in place of every text within it; no character moves."""
    for start, end in _spans(text):
        text = f"{text[:start]}{'.' * (end - start)}{text[end:]}"
    return text


def _spans(text: str) -> Iterator[Span]:
    for block in _BLOCKS:
        for found in block.finditer(text):
            if len(found[0].strip()) >= LEAST:
                yield found.span()
    for quoted in quotations(text):
        if len(quoted.value) >= _QUOTE or SENTENCE.search(quoted.value):
            yield quoted.start, quoted.end
    passage = _PASSAGE.match(text)
    long = passage is not None and len(passage["text"]) >= _LONG
    if passage is not None and long and len(SENTENCE.findall(passage["text"])) >= _SENTENCES:
        yield passage.span("text")
    message = _MESSAGE.search(text)
    if message is not None:
        yield message.span("below" if message["below"] else "beside")


def bare(content: str) -> str:
    """A text within a text without its fence or its quotation marks."""
    for fence in ("```", '"""', "'''"):
        content = content.strip().removeprefix(fence).removesuffix(fence).strip()
    for quoted in quotations(content)[:1]:
        if (quoted.start, quoted.end) == (0, len(content)):
            return quoted.value
    return content
