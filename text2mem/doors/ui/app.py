"""The ASGI application: it makes visits of requests, and responses of pages."""

from __future__ import annotations

from functools import partial
from importlib import resources
from urllib.parse import parse_qsl

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from text2mem.doors.agent.talk import TokenRefused
from text2mem.doors.listening import BODY
from text2mem.doors.ui import asking, episodes, facts, journal, layout, memories, pending, queue
from text2mem.doors.ui.guard import HEADERS, TOKEN, Guard
from text2mem.doors.ui.visit import Elsewhere, Handler, Page, PageRefused, Session, Visit
from text2mem.errors import (
    ExecutionError,
    NoSuchOption,
    ServiceError,
    StoreError,
    Text2MemError,
    log_unexpected,
)
from text2mem.ledger.pending import NothingWaits
from text2mem.ledger.working import tasks
from text2mem.markup import Markup, tag

_GET: dict[str, Handler] = {
    "/": asking.start, "/asked": asking.asked,
    "/memories": memories.listing, "/memories/{id}": memories.single,
    "/facts": facts.facts, "/episodes": episodes.episodes, "/pending": pending.pending,
    "/journal": journal.journal, "/queue": queue.queue,
}  # fmt: skip
_POST: dict[str, Handler] = {
    "/ask": asking.ask, "/afresh": asking.afresh,
    "/asked/run": asking.run, "/asked/choose": asking.choose,
    "/pending/approve": pending.approve, "/pending/reject": pending.reject,
    "/journal/undo": journal.undo, "/queue/retry": queue.retry,
}  # fmt: skip
ASSETS = {"ui.css": "text/css", "ui.js": "text/javascript", "icon.svg": "image/svg+xml"}
"""The files that are served, by name; no other path reaches a file."""
_THREADS, _FIELDS = 8, 50
"""The most requests that are handled at once, and the most fields of a form."""
_FAILED = "That did not work"
_STATUS: tuple[tuple[type[Text2MemError], int], ...] = (
    (NothingWaits, 404), (NoSuchOption, 400), (ExecutionError, 409), (ServiceError, 502),
    (StoreError, 503),
)  # fmt: skip
"""The HTTP status of each class of error. The first class that fits counts; others give 400."""


def build(session: Session, guard: Guard) -> Starlette:
    """Return the application with the pages of a store. ``guard`` checks each request."""
    door = _Door(session, guard)
    routes = [
        Route(path, partial(door.answer, handler), methods=[method])
        for method, handlers in (("GET", _GET), ("POST", _POST))
        for path, handler in handlers.items()
    ]
    routes.append(Route("/assets/{name}", door.asset, methods=["GET"]))
    refusals = dict.fromkeys((HTTPException, PageRefused), door.refused)
    app = Starlette(routes=routes, exception_handlers=refusals)
    app.router.redirect_slashes = False  # a redirect would be sent before the Host is checked
    return app


class _Door:
    """The endpoints. They check a request, run its handler in a thread, and render the result."""

    def __init__(self, session: Session, guard: Guard) -> None:
        self._session = session
        self._guard = guard
        self._limiter = anyio.CapacityLimiter(_THREADS)

    async def asset(self, request: Request) -> Response:
        """Return a static file: the style, the script or the icon."""
        name = request.path_params["name"]
        self._guard.check_host(request.headers)
        if name not in ASSETS:
            raise PageRefused(404, "there is no such file")
        content = (resources.files("text2mem.doors.ui") / "assets" / name).read_bytes()
        return Response(content, media_type=ASSETS[name], headers=HEADERS)

    async def refused(self, request: Request, error: Exception) -> Response:
        """Return the page that says why a request is refused."""
        if isinstance(error, HTTPException):  # of the router
            wrong = error.status_code == 405
            said = "this takes another method" if wrong else "there is no such page"
            error = PageRefused(error.status_code, said)
        assert isinstance(error, PageRefused)
        known = self._guard.knows(request.headers)
        back = tag("p", tag("a", "Go to the first page", href="/")) if known else None
        page = layout.bare(f"{error.status}", layout.why(error), back)
        return HTMLResponse(page, error.status, headers=HEADERS)

    # --- one visit -------------------------------------------------------------------------

    async def answer(self, handler: Handler, request: Request) -> Response:
        """Check a request, and return the page of its handler. Raises PageRefused."""
        headers = request.headers
        self._guard.check_host(headers)
        if request.url.path == "/" and TOKEN in request.query_params and request.method == "GET":
            if self._guard.knows(headers):  # the address is opened again
                return RedirectResponse("/", 303, headers=HEADERS)
            return self._let_in(request.query_params[TOKEN])
        self._guard.check_cookie(headers)
        form: dict[str, str] = {}
        if request.method == "POST":
            self._guard.check_origin(headers)
            form = await _form(request)
            self._guard.check_form(form.get(layout.CSRF, ""))
        visit = Visit(
            session=self._session, csrf=self._guard.csrf, path=request.path_params,
            query=dict(request.query_params), form=form,
        )  # fmt: skip
        answer = partial(self._handle, visit, handler)
        try:
            return await anyio.to_thread.run_sync(answer, limiter=self._limiter)
        except anyio.get_cancelled_exc_class() as error:
            raise PageRefused(503, "the server ended before this was answered") from error

    def _let_in(self, token: str) -> Response:
        """Spend the token, set the cookie, and return a page that leads to the first page.

        A redirect would not do: a browser does not send a strict cookie with a request that comes
        from a link of another site. Raises PageRefused.
        """
        self._guard.admit(token)
        onward = tag("p", tag("a", "Go on to the memory", href="/"))
        page = layout.bare("You are let in", onward, refresh="/")
        return HTMLResponse(page, headers={**HEADERS, "Set-Cookie": self._guard.cookie_line})

    def _handle(self, visit: Visit, handler: Handler) -> Response:
        """Run a handler while the store is locked. An error becomes a page with its status."""
        with self._session.shared:
            reply: Page | Elsewhere
            try:
                reply = handler(visit)
            except TokenRefused:
                reply = asking.closed(visit)
            except Text2MemError as error:
                reply = _failed(error)
            except Exception as error:
                log_unexpected(error, "on a page")
                reply = Page(_FAILED, "", tag("p", "A mistake of text2mem's own."), 500)
            if isinstance(reply, Elsewhere):
                return RedirectResponse(reply, 303, headers=HEADERS)
            return HTMLResponse(self._document(visit, reply), reply.status, headers=HEADERS)

    def _document(self, visit: Visit, page: Page) -> Markup:
        """The whole document of a page, with the counts of the navigation."""
        try:
            waiting, dead = visit.memory.pending(), tasks(visit.memory.ledger, dead=True)
            counts = {"/pending": len(waiting), "/queue": len(dead)}
        except Text2MemError:
            counts = {}  # the page itself reports the error
        return layout.document(page, notices=self._session.take_notices(), counts=counts)


def _failed(error: Text2MemError) -> Page:
    if isinstance(error, PageRefused):
        status = error.status
    else:
        status = next((code for kind, code in _STATUS if isinstance(error, kind)), 400)
    title = "Not found" if status == 404 else _FAILED
    return Page(title, "", tag("div", layout.why(error), class_="notice failed"), status)


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form. Raises PageRefused: 413 if it is too large, 400 if unreadable."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdecimal() or int(declared) > BODY:
        raise PageRefused(413, f"a form has {BODY} bytes at most")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY:
            raise PageRefused(413, f"a form has {BODY} bytes at most")
    try:
        pairs = parse_qsl(
            body.decode("utf-8"), keep_blank_values=True, max_num_fields=_FIELDS, errors="strict"
        )
    except ValueError as error:
        raise PageRefused(400, "this form cannot be read") from error
    return dict(pairs)
