"""The frame of every page, and markup that several pages share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any
from urllib.parse import urlencode

from text2mem.doors.ui.visit import Page, Visit
from text2mem.errors import Text2MemError
from text2mem.ir.effects import short as short
from text2mem.ir.patch import INSTANTS
from text2mem.ir.record import Record
from text2mem.ir.result import Failure
from text2mem.ir.times.temporal import format_instant, format_local
from text2mem.ir.values import as_text
from text2mem.ledger.holdings import state_of
from text2mem.ledger.ledger import AT_MOST
from text2mem.markup import Child, Markup, join, tag
from text2mem.messages import complaint

NAV = (
    ("/", "Ask"), ("/memories", "Memories"), ("/facts", "Facts"), ("/episodes", "Episodes"),
    ("/pending", "Pending"), ("/journal", "Journal"), ("/queue", "Queue"),
)  # fmt: skip
_LONG = 1_500
"""The most characters of a value, with its markup, that are shown unfolded."""
CSRF = "csrf"
"""The field of a form that holds the token of this site's forms."""
SHORT = 90
"""The most characters of a value on one line."""


def document(page: Page, *, notices: Iterable[Markup], counts: Mapping[str, int]) -> Markup:
    """Return a whole page. ``counts`` are shown as badges in the navigation, by path."""
    scheme = tag("meta", name_="color-scheme", content="light dark")
    script = tag("script", src="/assets/ui.js", defer=True)
    header = tag(
        "header",
        tag("a", "Skip to the content", href="#content", class_="skip"),
        tag("nav", _places(page.here, counts), aria_label="Pages"),
    )
    main = tag("main", *notices, tag("h1", page.title), page.body, id="content", tabindex="-1")
    return _html(page.title, [scheme, script], header, main)


def bare(title: str, *parts: Child, refresh: str | None = None) -> Markup:
    """Return a page without navigation, which leads to the path ``refresh`` at once."""
    leads = tag("meta", http_equiv="refresh", content=f"0; url={refresh}") if refresh else None
    return _html(title, [leads], tag("main", tag("h1", title), *parts, id="content"))


def _html(title: str, more: Iterable[Child], *body: Child) -> Markup:
    """A document; ``more`` ends its head."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{title} · text2mem"),
        tag("link", rel="icon", href="/assets/icon.svg", type="image/svg+xml"),
        tag("link", rel="stylesheet", href="/assets/ui.css"),
        more,
    )
    return Markup(f"<!doctype html>{tag('html', head, tag('body', *body), lang='en')}")


def _places(here: str, counts: Mapping[str, int]) -> Markup:
    """The links of the navigation; ``here`` is the path of the current page."""
    items = []
    for path, name in NAV:
        badge = [" ", tag("span", counts[path], class_="badge")] if counts.get(path) else []
        current = "page" if path == here else None
        items.append(tag("li", tag("a", name, *badge, href=path, aria_current=current)))
    return tag("ul", items)


# --- links, times, values ------------------------------------------------------------------


def address(path: str, **query: Any) -> str:
    """Return a path with a query. Parameters that are None, empty or false are left out."""
    given = {name: value for name, value in query.items() if value not in (None, "", False)}
    return f"{path}?{urlencode(given)}" if given else path


def memory_link(id_: str, mark: str = "m") -> Markup:
    """Return a link to a memory, with a mark before its id: e for an episode."""
    return tag("a", f"{mark}{id_}", href=f"/memories/{id_}", class_="id")


def trace_link(trace: str) -> Markup:
    """Return a link to a program in the journal."""
    shown = trace if len(trace) <= 14 else f"{trace[:12]}…"
    return tag("a", shown, href=address("/journal", trace=trace), class_="id", title=trace)


def subject_link(subject: str) -> Markup:
    """Return a link to the page of a subject's facts."""
    return tag("a", short(subject, 60), href=address("/facts", subject=subject))


def moment(at: datetime | None, tz: tzinfo) -> Markup:
    """Return an instant to the minute, in a time zone; a dash for None."""
    if at is None:
        return tag("span", "–", class_="soft")
    exact = format_instant(at)
    shown = at.astimezone(tz).strftime("%Y-%m-%d %H:%M") if _shows(at) else exact
    return tag("time", shown, datetime=exact, title=exact)


def day(at: datetime | None, tz: tzinfo) -> Markup:
    """Return an instant as a date if it is a midnight of the time zone, else as ``moment`` does."""
    if at is not None and _shows(at) and " " not in (shown := format_local(at, tz)):
        return tag("time", shown, datetime=format_instant(at))
    return moment(at, tz)


def _shows(at: datetime) -> bool:
    """Whether an instant exists in every time zone: near the ends of the calendar it may not."""
    return 1000 < at.year < 9999


def shown(value: Any, limit: int | None = None) -> Markup:
    """Return the value of a field, with a ``limit`` on one line; a dash for an empty one."""
    if value in (None, "", [], {}):
        return tag("span", "–", class_="soft")
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        value = ", ".join(value)
    text = as_text(value) if limit is None else short(value, limit)
    return tag("span", text, class_="value")


def held(name: str, value: Any, tz: tzinfo, limit: int | None = None) -> Markup:
    """Return the value of a memory's field: an instant in a time zone, all else as ``shown``."""
    if name in INSTANTS and isinstance(value, str):
        return day(datetime.fromisoformat(value), tz)
    return shown(value, limit)


def folded(name: str, value: Any, tz: tzinfo) -> Markup:
    """Return the value of a memory's field; of a long one its beginning, which opens."""
    whole = held(name, value, tz)
    if len(whole) <= _LONG:
        return whole
    return tag("details", tag("summary", short(value, SHORT)), whole, class_="long")


def memory_links(ids: Iterable[str], mark: str = "m") -> Markup:
    """Return links to memories, as ``memory_link``."""
    return join(*(join(memory_link(id_, mark), " ") for id_ in ids))


def tags_of(record: Record) -> Markup:
    """Return a memory's tags, each as a link to the memories that have it."""
    links = (
        tag("a", f"#{short(name, SHORT)}", href=address("/memories", tag=name), class_="tag")
        for name in record.tags
    )
    return join(*(join(link, " ") for link in links))


def state(record: Record, now: datetime) -> str:
    """Return the state of a memory: "active", "archived", "deleted", or that of a fact."""
    if record.is_fact and not record.archived:
        return state_of(record, now)
    return "deleted" if record.deleted else "archived" if record.archived else "active"


def mark(name: str) -> Markup | None:
    """Return a label for a state; None for "active"."""
    return tag("span", name, class_=f"state {name}") if name != "active" else None


# --- forms and tables ----------------------------------------------------------------------


def searching(action: str, label: str, *fields: Child) -> Markup:
    """Return a form that searches: its fields, and a button with a label."""
    return tag(
        "form", *fields, button(label), action=action, method="get", role="search", class_="filter"
    )


def field(
    label: str, name: str, value: str, *more: Child, type: str | None = "search", **attributes: Any
) -> Markup:
    """Return a labelled box of such a form; ``more`` stands behind it."""
    box = tag("input", type=type, id=name, name_=name, value=value, **attributes)
    return tag("div", tag("label", label, for_=name), box, *more)


def form(
    visit: Visit, action: str, sends: Mapping[str, str], *parts: Child, **attributes: Any
) -> Markup:
    """Return a form that sends values and the token of this site's forms. With ``data_busy``, it
    has a place where a script says so when it is on its way."""
    hidden = [
        tag("input", type="hidden", name_=name, value=value)
        for name, value in {CSRF: visit.csrf, **sends}.items()
    ]
    told = tag("p", class_="busy", role="status") if "data_busy" in attributes else None
    return tag("form", *hidden, *parts, told, method="post", action=action, **attributes)


def button(label: str, *, about: str = "", class_: str | None = None) -> Markup:
    """Return a submit button. ``about`` completes its label for screen readers."""
    named = f"{label} {about}" if about else None
    return tag("button", label, type="submit", aria_label=named, class_=class_)


def table(
    caption: str, heads: Sequence[str], rows: Iterable[Iterable[Child]], *, class_: str = ""
) -> Markup:
    """Return a table. Each cell has its column's header as an attribute, for narrow windows."""
    body = [
        tag("tr", *(tag("td", cell, data_head=head) for head, cell in zip(heads, row, strict=True)))
        for row in rows
    ]
    return tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *(tag("th", head, scope="col") for head in heads))),
        tag("tbody", *body),
        class_=f"rows {class_}".strip(),
    )


def section(title: str, *parts: Child | Iterable[Child], **attributes: Any) -> Markup:
    """Return a part of a page with its heading."""
    return tag("section", tag("h2", title), *parts, **attributes)


def soft(*parts: Child) -> Markup:
    """Return a paragraph in small print."""
    return tag("p", *parts, class_="soft")


def nothing(words: str) -> Markup:
    """Return the text that replaces an empty list."""
    return tag("p", words, class_="none")


def listed(items: Iterable[Child], *, empty: str, class_: str = "cards", page: int = 1) -> Markup:
    """Return a list, or the text ``empty`` if there are no items on the first page."""
    return bullets(items, class_) or nothing(
        empty if page == 1 else "There is nothing on this page."
    )


def bullets(items: Iterable[Child], class_: str, kind: str = "ul") -> Markup | None:
    """Return a list; None if there are no items."""
    entries = [tag("li", each) for each in items]
    return tag(kind, *entries, class_=class_) if entries else None


def counted(number: int, one: str, several: str) -> str:
    """Return a number with its noun, in the singular or the plural."""
    return f"{number} {one if number == 1 else several}"


def more(left: int) -> Markup | None:
    """Return a line with the number of items that are left out; None if there are none."""
    return soft(f"and {left} more") if left > 0 else None


def capped(count: int) -> Markup | None:
    """Return a line that says that a list may go on; None if it is shorter than such lists are."""
    return soft(f"{AT_MOST} are shown, and there may be more.") if count >= AT_MOST else None


def meta(*parts: Child) -> Markup:
    """Return a line of details in small print. Empty parts are left out."""
    return tag("p", *(tag("span", part) for part in parts if part), class_="meta")


def failure(error: Failure | Text2MemError, *more: Child, said: str = "") -> Markup:
    """Return an error as a notice; ``more`` stands below its message."""
    return tag("div", why(error, said), *more, class_="notice failed", role="status")


def why(error: Failure | Text2MemError, said: str = "") -> Markup:
    """Return the message and the hint of an error, in the language of ``said``."""
    told, hint = complaint(error, said)
    return join(tag("p", told), soft(hint) if hint else None)


def pages(path: str, number: int, *, more: bool, most: int, **query: Any) -> Markup | None:
    """Return links to the page before and after, if there are any; ``most`` is the last one's
    number, and ``more`` says whether anything is left."""
    links = []
    if number > 1:
        before = address(path, **query, page=number - 1 if number > 2 else None)
        links.append(tag("a", "← newer", href=before, rel="prev"))
    if more and number < most:
        after = address(path, **query, page=number + 1)
        links.append(tag("a", "older →", href=after, rel="next"))
    elif more:
        links.append(tag("span", "What is older has no page here.", class_="soft"))
    return tag("nav", *links, class_="pages", aria_label="More") if links else None
