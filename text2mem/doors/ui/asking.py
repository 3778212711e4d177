"""The first page, with a box for a request, and the pages that show its outcome before it runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from text2mem.conversation.reply import Question, Reply
from text2mem.doors.ui import layout
from text2mem.doors.ui.effects import code, effect, program_shown
from text2mem.doors.ui.journal import taken_back
from text2mem.doors.ui.visit import Elsewhere, Page, PageRefused, Visit
from text2mem.errors import NoSuchOption, RepairExhausted, Text2MemError
from text2mem.ir.effects import changes
from text2mem.ir.record import title_of
from text2mem.ir.result import ProgramResult
from text2mem.markup import Markup, join, tag
from text2mem.program import Program

_LONGEST, _CANDIDATES = 8_000, 12
"""The most characters of a request, and the most candidates that a question lists."""
_READ = "Nothing is changed by it. This is what it found:"
_WOULD = "Nothing has been changed yet. Run does exactly this:"
_CLOSED = (
    "What this page showed is closed: it has run, it is more than ten minutes old, or newer "
    "requests have taken its place."
)
_MOVED = "The store has changed since this was shown. This is what it would do now:"


# --- the box -------------------------------------------------------------------------------


def start(visit: Visit) -> Page:
    """The page with the box, the turns that a request is read with, and counts of the store. While
    it is read and the request is typed, the model reads the store."""
    visit.memory.warm()
    return Page("Ask the memory", "/", join(_box(visit), _said(visit), _standing(visit)))


def _box(
    visit: Visit, text: str = "", *, answers: str = "", label: str = "What should be done?"
) -> Markup:
    """The form for a request. ``answers`` is the token of the question that it answers, if any."""
    return layout.form(
        visit, "/ask", {"answers": answers} if answers else {},
        tag("label", label, for_="text"),
        tag("textarea", text, id="text", name_="text", rows="3", required=True, maxlength=_LONGEST,
            aria_describedby="how"),
        tag("p", "What would change something is shown before it runs.", id="how", class_="soft"),
        layout.button("Show what it would do", class_="first"),
        class_="ask", data_busy="Reading the request …",
    )  # fmt: skip


def _said(visit: Visit) -> Markup | None:
    """The earlier turns, with a button that forgets them; None if there are none."""
    said = visit.session.talk.said
    if not said:
        return None
    turns = layout.bullets((layout.short(each.text, 200) for each in said), "plain")
    afresh = layout.form(visit, "/afresh", {}, layout.button("Start afresh"))
    return layout.section("Read together with", turns, afresh)


def _standing(visit: Visit) -> Markup:
    counts = visit.memory.stats()
    facts = counts["facts"]["total"]
    rows = (
        ("Notes", "/memories", sum(counts["memories"].values())),
        ("Facts that hold", "/facts", facts["current"]),
        ("Facts of the past", "/facts", facts["past"]),
        ("Facts that wait", "/pending", counts["pending"]["count"]),
        ("Episodes", "/episodes", counts["episodes"]["total"]),
        ("Episodes to be read", "/queue", (counts["queue"] or {}).get("waiting", 0)),
    )
    items = (tag("a", tag("strong", count), " ", name, href=path) for name, path, count in rows)
    return layout.section("The store", layout.bullets(items, "counts"))


# --- outcomes ------------------------------------------------------------------------------


def ask(visit: Visit) -> Elsewhere:
    """Compile a request, and go to its outcome. Raises PageRefused, TokenRefused."""
    text = visit.form.get("text", "").replace("\r\n", "\n").strip()
    if not text:
        raise PageRefused(400, "there are no words in this request")
    if len(text) > _LONGEST:
        raise PageRefused(400, f"a request has {_LONGEST} characters at most")
    answers = visit.form.get("answers", "")
    return _asked(visit.session.ask(text, answers), answers)


def _asked(token: str, answers: str = "") -> Elsewhere:
    """The page of an outcome. ``answers`` names the question that can be answered again."""
    return Elsewhere(layout.address("/asked", token=token, answers=answers))


def asked(visit: Visit) -> Page:
    """The page of a request's outcome. Raises TokenRefused."""
    token = visit.query.get("token", "")
    shown = visit.session.outcome(token)
    said = tag("p", f"“{shown.request}”", class_="text whole")
    if isinstance(shown.outcome, Reply):
        came = join(_came_of(visit, token, shown.outcome), _draft(shown.outcome))
    else:
        came = _failed(visit, shown.request, shown.outcome)
    return Page("The request", "/", join(said, came))


def _came_of(visit: Visit, token: str, reply: Reply) -> Markup:
    """A reply: a question of the planner, an effect with a button that runs it, or a result."""
    if reply.question is not None and reply.question.clarification is not None:
        return _question(visit, token, reply.question)
    if reply.question is not None:
        (offer,) = reply.question.offers
        assert offer.shown is not None
        opening = _MOVED if reply.question.moved else _WOULD
        running = layout.form(
            visit, "/asked/run", {"token": token}, layout.button("Run", class_="first"),
            data_busy="Running …",
        )  # fmt: skip
        return _effect(
            visit, offer.shown, opening, offer.program, running, offer.undoes, reply.request,
            offer.effect,
        )  # fmt: skip
    if reply.result is None:
        return join(tag("p", str(reply), class_="notice"), _box(visit))
    return _effect(visit, reply.result, _READ, reply.program, None, reply.undid, reply.request)


def _effect(
    visit: Visit, result: ProgramResult, opening: str, program: Program | None,
    running: Markup | None, undoes: str, said: str, in_words: str = "",
) -> Markup:  # fmt: skip
    """The effect of a program, also in words, a line each, and the program itself; or the effect
    of an undo of the trace ``undoes``. ``running`` is the form that runs it."""
    warnings = (each.message for each in (program.warnings if program else ()))
    leave = tag("a", "Leave it" if running or not result.ok else "Ask something else", href="/")
    return join(
        layout.section(
            "Effect",
            tag("p", opening, class_="notice") if result.ok else None,
            layout.bullets(warnings, "warning"),
            layout.bullets(in_words.splitlines(), "plain"),
            effect(result, visit.tz, said),
            tag("div", running, leave, class_="answers"),
            id="effect",
        ),
        layout.section("Program", program_shown(program)) if program is not None
        else tag("p", "It takes back ", layout.trace_link(undoes), ".") if undoes else None,
    )  # fmt: skip


def _question(visit: Visit, token: str, asked: Question) -> Markup:
    """A question with a button for each option. A click on it shows the effect of that option."""
    options = [
        layout.form(
            visit, "/asked/choose", {"token": token, "choice": str(number)},
            layout.button(layout.short(offer.label, 300)),
            tag("span", layout.short(offer.effect, 300), class_="soft") if offer.effect else None,
        )
        for number, offer in enumerate(asked.offers, 1)
    ]  # fmt: skip
    # The options name the candidates already, if there are any.
    meant = () if options else map(_candidate, asked.candidates[:_CANDIDATES])
    return layout.section(
        "A question",
        tag("p", asked.text, class_="question"),
        layout.bullets(meant, "plain"),
        layout.bullets(options, "options", "ol"),
        _box(visit, answers=token, label="Or answer in words"),
        tag("p", tag("a", "Leave it", href="/")),
    )


def _candidate(row: Mapping[str, Any]) -> Markup:
    id_ = str(row.get("id", ""))
    link = layout.memory_link(id_) if id_ else None
    return join(link, " ", layout.short(title_of(row), 200))


def _failed(visit: Visit, request: str, error: Text2MemError) -> Markup:
    tries = len(error.attempts) if isinstance(error, RepairExhausted) else 0
    tried = layout.soft(f"{tries} drafts were tried") if tries else None
    answers = visit.query.get("answers", "")
    if answers and isinstance(error, NoSuchOption):
        again = _question(visit, answers, visit.session.outcome(answers).question)
    else:
        again = _box(visit, request, answers=answers, label="Say it otherwise")
    return join(layout.failure(error, tried, said=request), again)


def _draft(reply: Reply) -> Markup | None:
    if reply.trace is None or reply.trace.draft is None:
        return None
    text = json.dumps(reply.trace.draft.as_dict(), ensure_ascii=False, indent=1)
    read = layout.soft("What the model read out of the words.")
    return layout.section("Draft", read, code(text, "Draft"))


def closed(visit: Visit) -> Page:
    """The page in place of an outcome that is kept no longer, with the words of the form again."""
    return Page("Closed", "/", join(
        tag("div", tag("p", _CLOSED), tag("p", "What has run is in ",
            tag("a", "the journal", href="/journal"), "."), class_="notice failed", role="status"),
        _box(visit, visit.form.get("text", "")),
    ), 410)  # fmt: skip


# --- actions -------------------------------------------------------------------------------


def choose(visit: Visit) -> Elsewhere:
    """Choose an option, and go to its outcome. Raises TokenRefused, NoSuchOption."""
    given = visit.form.get("choice", "")
    number = int(given) if given.isascii() and given.isdecimal() and len(given) < 4 else 0
    return _asked(visit.session.choose(visit.form.get("token", ""), number))


def run(visit: Visit) -> Elsewhere:
    """Run what a token shows, or show its new effect. Raises TokenRefused, ExecutionError."""
    token = visit.form.get("token", "")
    done = visit.session.run(token)
    if isinstance(done, str):
        visit.say("Nothing was run: the store has changed since this was shown.", failed=True)
        return _asked(done)
    assert done.result is not None
    if done.program is None:
        return taken_back(visit, done.undid, done.result)
    if not changes(done.result):
        visit.say("Done: it changed nothing.")
        return Elsewhere("/")
    visit.say("Done. This is what it changed.")
    return Elsewhere(layout.address("/journal", trace=done.result.trace_id))


def afresh(visit: Visit) -> Elsewhere:
    """Forget the earlier turns of the conversation. The store is not changed."""
    visit.session.talk.said = []
    return Elsewhere("/")
