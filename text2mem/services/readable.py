"""Extract the visible text of an HTML page: without scripts and styles, and with the title first.

Pages are untrusted, and Python's ``html.parser`` takes time quadratic in the size of unclosed
markup (hours for a megabyte). So tags are found here, in one pass that never goes back. Unclosed
markup includes the rest of the page, as in a browser (HTML Living Standard, section 13.2.5).
"""

from __future__ import annotations

import re
from html import unescape

_TAG = re.compile(
    r"""<(?P<close>/)?(?P<name>[a-zA-Z][^\s/>]*+)(?:[^>=]|=\s*+"[^"]*"|=\s*+'[^']*'|=)*+>"""
)
_UNSEEN = "script style noscript template svg math iframe object noembed noframes xmp textarea"
_BLOCKS = """
address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure
footer form h1 h2 h3 h4 h5 h6 head header hr li main nav ol option p pre section summary table tbody
tfoot thead tr ul
"""
_UNSEEN_TAGS = frozenset(_UNSEEN.split())
_BLOCK_TAGS = frozenset(_BLOCKS.split())
# No character has so many digits, and Python refuses to read a number with thousands of them.
_NO_CHARACTER = re.compile(r"&#[0-9]{8,}")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def readable(html: str) -> str:
    """Return the title of a page, and then its text, with a line for each block."""
    title = ""
    pieces: list[str] = []
    at = 0
    while (start := html.find("<", at)) >= 0:
        pieces.append(_text(html[at:start]))
        tag = _TAG.match(html, start)
        if tag is None:
            at, literal = _past(html, start)
            pieces.append(literal)
            continue
        at = tag.end()
        name = tag["name"].lower()
        opens = not tag["close"] and not tag.group().endswith("/>")
        if opens and (name in _UNSEEN_TAGS or name == "title"):
            inside, at = _inside(html, name, at)
            if name == "title":
                title = title or _text(inside).strip()
        elif name in _BLOCK_TAGS:
            pieces.append("\n")
        elif name in ("td", "th"):
            pieces.append(" ")
    pieces.append(_text(html[at:]))
    lines = (" ".join(line.split()) for line in "".join(pieces).split("\n"))
    body = [line for line in lines if line]
    if title and body[:1] != [title]:
        body.insert(0, title)
    return "\n".join(body)


def plain(text: str) -> str:
    """Return a text without control characters, and with ``\\n`` as its line breaks."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _text(raw: str) -> str:
    """The visible text of characters between tags: entities decoded, white space collapsed."""
    if "&" in raw:
        raw = unescape(_NO_CHARACTER.sub("&#xfffd", raw))
    return re.sub(r"\s+", " ", plain(raw))


def _inside(html: str, name: str, at: int) -> tuple[str, int]:
    """The content of an element up to its closing tag, and the place after that tag."""
    closing = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(html, at)
    if closing is None:
        return html[at:], len(html)
    return html[at : closing.start()], _after(html, ">", closing.end())


def _past(html: str, start: int) -> tuple[int, str]:
    """Skip a "<" that starts no tag, such as a comment. Return the place after it, and its text."""
    following = html[start + 1 : start + 2]
    if html.startswith("<!--", start):
        return _after(html, "-->", start + 4), ""
    if following in ("!", "?", "/"):
        return _after(html, ">", start), ""
    if following.isascii() and following.isalpha():
        return len(html), ""  # a tag that is never closed
    return start + 1, "<"


def _after(html: str, mark: str, at: int) -> int:
    """The place after the next ``mark``; the end of the page if there is none."""
    end = html.find(mark, at)
    return end + len(mark) if end >= 0 else len(html)
