"""The text of HTML pages: what is shown, what is not, and that hostile pages cost no time."""

from __future__ import annotations

import time

import pytest

from text2mem.services.readable import readable

PAGE = """<!DOCTYPE html>
<html lang="en"><head>
<meta charset="utf-8"><TITLE>
  Opening hours &amp; prices </TITLE>
<style>body { color: red }</style>
<script>if (1 < 2) document.write("<p>no</p>")</script>
</head><body class="a>b" data-json='{"x": "<p>no</p>"}'>
<!-- <p>no</p> -->
<h1>The   museum</h1>
<p>Open from 9:00
to 17:00,<br>on <b>Mon</b>days&nbsp;too.</p>
<ul><li>Adults: 8&euro;<li>Children: 3 &lt; 4</ul>
<table><tr><td>May</td><td>closed</td></tr></table>
<noscript>no</noscript><svg><title>no</title></svg><template><p>no</template>
<SCRIPT src=x></SCRIPT ><p>Ask at the desk.
</body></html>
"""


def test_a_page_becomes_its_title_and_its_blocks() -> None:
    assert readable(PAGE).splitlines() == [
        "Opening hours & prices",
        "The museum",
        "Open from 9:00 to 17:00,",
        "on Mondays too.",
        "Adults: 8€",
        "Children: 3 < 4",
        "May closed",
        "Ask at the desk.",
    ]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("no markup", "no markup"),
        ("<title>Same</title><h1>Same</h1>more", "Same\nmore"),
        ("<title>One</title><title>Two</title>", "One"),
        ("<p>猫粮<p>买了", "猫粮\n买了"),
        ("a < b and c > d", "a < b and c > d"),
        ("1<2", "1<2"),
        ("ends <", "ends <"),
        ("<?xml version='1.0'?><p>x</p>", "x"),
        ("</>a</ b>c", "ac"),
        ("a<!-- never closed <p>b", "a"),
        ("a<script>never closed", "a"),
        ("a<p title='never closed", "a"),
        ("a<script/><p>xhtml</p>", "a\nxhtml"),
        ('<a title="a > b">link</a>', "link"),
        ("<a href=it's>one</a> <a href=it's>two</a>", "one two"),
        ("&#65;&#x42;&#xD800;&#99999999;&bogus;", "AB\ufffd\ufffd&bogus;"),
        ("a\x00b\x1b[31mc&#27;", "ab[31mc"),
        ("<script>a</scripty>b</script>c", "c"),
    ],
)
def test_pieces_of_pages(html: str, text: str) -> None:
    assert readable(html) == text


@pytest.mark.parametrize(
    "piece",
    ["<", "<a ", "</", "<!--", "<![CDATA[", "<?", "<a x='", '<a x="', "<a a=b ", "<a ==", "<a = ",
     "<aaaaaaaaaaaaaaaa", "<script>", "<script></", "<script></script ", "</script ", "<title>",
     "<title></title ", "&#", "&a", "&#9999999999", "<b>", "<a 'b\"", "<style></style>"],
)  # fmt: skip
def test_a_hostile_page_costs_no_more_than_its_length(piece: str) -> None:
    # Where the time grew with the square, these 200 kB would take minutes.
    html = (piece * 200_000)[:200_000]
    started = time.perf_counter()
    readable(html)
    readable(f"<script>{html}")
    assert time.perf_counter() - started < 10
