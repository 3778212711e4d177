"""Find texts that are pasted, forwarded or quoted within a text, by their layout, in any language.

These are fenced blocks, quoted lines, comments, markup, JSON, long quotations, everything below a
line such as "---- Forwarded message ----", and a text behind a colon that looks like a record, the
head of a message or a long passage. They are data, and nothing that the person says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from text2mem.ir.words.quotations import quotations

Span = tuple[int, int]

LEAST, _QUOTE = 24, 40
"""The least lengths of a block, and of a quotation of one sentence, that count as texts."""
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
"""The source of a pattern for a word with a colon, as in "From:"."""
_MESSAGE = re.compile(
    rf"[:：](?:[ \t]*\n\s*(?P<below>{_KEY}\s*\S.*)"
    rf"|[ \t]*(?P<beside>{_KEY}[ \t]*\S[^\n]*\n[ \t]*{_KEY}.*))\Z",
    re.DOTALL,
)
"""A record or the head of a message behind a colon. Below a line that ends in a colon one key is
enough; in the same line there have to be two keys."""
_PASSAGE = re.compile(r"\A[^\n:：]{1,60}[:：][ \t]*(?P<text>\S.*)\Z", re.DOTALL)
_LONG, _SENTENCES = 160, 5
"""The least number of characters, and of ends of sentences, of a passage behind a few words and a
colon that counts as a text within the text. A person hardly says that much at once."""
SENTENCE = re.compile(r"[.!?](?=\s+\S)|[。！？](?=\s*\S)|\n\s*(?=\S)")
"""The end of a sentence or line that another one follows."""


def cuts(text: str) -> tuple[int, ...]:
    """The positions at which the sentences of a text begin, and its length."""
    return (0, *(found.end() for found in SENTENCE.finditer(text)), len(text))


def around(text: str, span: Span) -> Span:
    """The span of the sentence, or sentences, of a text that contain a span of it."""
    ends = cuts(text)
    return max(end for end in ends if end <= span[0]), min(end for end in ends if end >= span[1])


def given(text: str) -> Span | None:
    """The span from the first text within a text to the last, with its marks; None without one."""
    spans = list(_spans(text))
    return (min(a for a, _ in spans), max(b for _, b in spans)) if spans else None


def without_given(text: str) -> str:
    """The text, of the same length, with every text within it overwritten by full stops."""
    for start, end in _spans(text):
        text = f"{text[:start]}{'.' * (end - start)}{text[end:]}"
    return text


def _spans(text: str) -> Iterator[Span]:
    """Yield the spans of the texts within a text. They may overlap."""
    for block in _BLOCKS:
        for found in block.finditer(text):
            if len(found[0].strip()) >= LEAST:
                yield found.span()
    for quoted in quotations(text):
        if len(quoted.value) >= _QUOTE or SENTENCE.search(quoted.value):
            yield quoted.start, quoted.end
    passage = _PASSAGE.match(text)
    said = passage["text"] if passage else ""
    if passage and len(said) >= _LONG and len(SENTENCE.findall(said)) >= _SENTENCES:
        yield passage.span("text")
    if message := _MESSAGE.search(text):
        yield message.span("below" if message["below"] else "beside")


def bare(content: str) -> str:
    """A text found within a text, without its fence or its quotation marks."""
    for fence in ("```", '"""', "'''"):
        content = content.strip().removeprefix(fence).removesuffix(fence).strip()
    for quoted in quotations(content)[:1]:
        if (quoted.start, quoted.end) == (0, len(content)):
            return quoted.value
    return content
