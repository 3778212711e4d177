"""The server: the tools, resources and prompts of the protocol, carried out by ``Verbs``."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from text2mem import __version__
from text2mem.conversation.reply import DROP
from text2mem.doors.agent.talk import Talk, Talks
from text2mem.doors.agent.tools import HANDLE, INSTRUCTIONS, TOOLS, Tool, validator
from text2mem.doors.agent.verbs import Verbs
from text2mem.doors.agent.wording import Form, ToolAnswer, failure
from text2mem.doors.mcp import reading
from text2mem.errors import Text2MemError, log_unexpected
from text2mem.shared import check_cancelled

NAME = "text2mem"
_THREADS = 16
"""The most calls that run at once."""
_ROUNDS = 3
"""The most questions that one call puts to a person, again each time the store has changed."""
_ANSWER = "answer"
"""The name of the form's field."""
_SESSION = "mcp-session-id"
_log = logging.getLogger(__name__)
Context = ServerRequestContext[Any, Any]
P = ParamSpec("P")
T = TypeVar("T")


class Door:
    """The handlers of one server. Each call to the store is made in a thread."""

    def __init__(self, verbs: Verbs, talks: Talks) -> None:
        self._verbs = verbs
        self._talks = talks
        self._limiter = anyio.CapacityLimiter(_THREADS)

    # --- tools -----------------------------------------------------------------------------

    async def list_tools(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """All tools. If the protocol has no sessions, each takes a conversation's handle."""
        handles = _stateless(ctx)
        return types.ListToolsResult(tools=[_described(tool, handles) for tool in TOOLS.values()])

    async def call_tool(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """One call. An error becomes an answer, so that the model can correct its call."""
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool '{params.name[:80]}'")
        try:
            return await self._call(ctx, tool, params)
        except Text2MemError as error:
            return _result(failure(error))
        except MCPError:
            raise
        except Exception as error:
            log_unexpected(error, tool.name)
            return _result(ToolAnswer(f"unexpected {type(error).__name__}", failed=True))

    async def _call(
        self, ctx: Context, tool: Tool, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        """One call of a tool, whose question is put to the person if the client can.

        Without sessions the question is a result of its own, and the client repeats the call with
        the person's reply and the ``request_state``: the handle and the token.
        """
        arguments = tool.checked(params.arguments or {}, handles=_stateless(ctx))
        handle = arguments.pop(HANDLE, None)
        if params.request_state is not None:
            handle, _, token = params.request_state.partition(" ")
            talk = self._talk(ctx, handle or None)
            reply = (params.input_responses or {}).get(_ANSWER)
            answer = await self._in_thread(self._take_reply, talk, token, reply)
        else:
            talk = self._talk(ctx, handle)
            verb: Callable[..., ToolAnswer] = getattr(self._verbs, tool.name)
            answer = await self._in_thread(verb, talk, **arguments)
        if answer.form is None or not _has_forms(ctx):
            return _result(answer, talk.handle)
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            form = types.ElicitRequest(params=_form(answer.form))
            state = f"{talk.handle} {answer.form.token}"
            return types.InputRequiredResult(input_requests={_ANSWER: form}, request_state=state)
        return _result(await self._put_to_person(ctx, talk, answer))

    async def _put_to_person(self, ctx: Context, talk: Talk, answer: ToolAnswer) -> ToolAnswer:
        """The answer after the person's reply; the question if the client fails to put it."""
        for _ in range(_ROUNDS):
            if answer.form is None:
                break
            form = _form(answer.form)
            try:
                reply = await ctx.session.elicit_form(
                    form.message, form.requested_schema, ctx.request_id
                )
            except (MCPError, NoBackChannelError, ValidationError) as error:
                _log.warning("a question was not put: %s", type(error).__name__)
                break
            answer = await self._in_thread(self._take_reply, talk, answer.form.token, reply)
        return answer

    def _take_reply(self, talk: Talk, token: str, reply: object) -> ToolAnswer:
        """The answer after a reply to a form; any but an acceptance drops the question."""
        said = None
        if isinstance(reply, types.ElicitResult) and reply.action == "accept":
            said = (reply.content or {}).get(_ANSWER)
        if said is None:
            return self._verbs.confirm(talk, token, DROP)
        return self._verbs.ask_memory(talk, str(said), token)

    # --- resources and prompts -------------------------------------------------------------

    async def list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        found = await self._in_thread(reading.listed, self._verbs.shared)
        return types.ListResourcesResult(resources=found)

    async def list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=reading.TEMPLATES)

    async def read_resource(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            text, mime = await self._in_thread(reading.read, self._verbs.shared, params.uri)
        except Text2MemError as error:
            raise MCPError(types.INVALID_PARAMS, str(error), {"uri": params.uri[:200]}) from None
        held = types.TextResourceContents(uri=params.uri, mime_type=mime, text=text)
        return types.ReadResourceResult(contents=[held])

    async def list_prompts(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=reading.PROMPTS)

    async def get_prompt(
        self, ctx: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        found = next((each for each in reading.PROMPTS if each.name == params.name), None)
        if found is None:
            raise MCPError(types.INVALID_PARAMS, "there is no such prompt")
        given = params.arguments or {}
        for each in found.arguments or ():
            if not given.get(each.name, "").strip():
                raise MCPError(types.INVALID_PARAMS, f"{found.name} needs '{each.name}'")
        text = reading.WORDS[found.name].format(**given)
        said = types.PromptMessage(role="user", content=types.TextContent(text=text))
        return types.GetPromptResult(description=found.title, messages=[said])

    # --- talks, threads --------------------------------------------------------------------

    def _talk(self, ctx: Context, handle: str | None) -> Talk:
        """The talk of a call: over stdio the only one; over HTTP that of its handle if the
        protocol has no sessions, else that of the session's header."""
        if ctx.request is None:
            return self._talks.of_session("")
        if _stateless(ctx):
            return self._talks.of_handle(handle)
        session = ctx.request.headers.get(_SESSION)
        if not session:
            raise MCPError(types.INVALID_REQUEST, "there is no session")
        return self._talks.of_session(session)

    async def _in_thread(self, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Call a function in a thread. If it is cancelled before it has written, it never will."""

        def work() -> T:
            check_cancelled.set(anyio.from_thread.check_cancelled)
            return call(*args, **named)

        return await anyio.to_thread.run_sync(work, limiter=self._limiter)


def _stateless(ctx: Context) -> bool:
    """Whether the call came over HTTP in a version of the protocol that has no sessions."""
    return ctx.request is not None and ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def _has_forms(ctx: Context) -> bool:
    capabilities = ctx.session.client_capabilities
    asking = capabilities.elicitation if capabilities is not None else None
    return asking is not None and (asking.form is not None or asking.url is None)


def _form(form: Form) -> types.ElicitRequestFormParams:
    """A question as a form with one field: the number of an option, or text if it has none."""
    field: dict[str, Any] = {"type": "string", "title": form.title}
    if form.options:
        field["enum"] = [str(number) for number in range(1, len(form.options) + 1)]
        field["enumNames"] = list(form.options)
    schema = {"type": "object", "properties": {_ANSWER: field}, "required": [_ANSWER]}
    return types.ElicitRequestFormParams(message=form.text, requested_schema=schema)


def _described(tool: Tool, handles: bool) -> types.Tool:
    reads, destroys, repeatable = tool.hints
    return types.Tool(
        name=tool.name, title=tool.title, description=tool.description,
        input_schema=tool.schema(handles=handles),
        annotations=types.ToolAnnotations(
            title=tool.title, read_only_hint=reads, destructive_hint=destroys,
            idempotent_hint=repeatable, open_world_hint=False,
        ),
    )  # fmt: skip


def _result(answer: ToolAnswer, handle: str = "") -> types.CallToolResult:
    data = {**answer.data, **({HANDLE: handle} if handle else {})}
    text = f'{answer.text}\n{HANDLE} "{handle}"' if handle else answer.text
    return types.CallToolResult(
        content=[types.TextContent(text=text)], structured_content=data, is_error=answer.failed
    )


def build(verbs: Verbs, talks: Talks | None = None) -> Server[Any]:
    """Return the server of a store, for any transport."""
    door = Door(verbs, talks or Talks())
    server: Server[Any] = Server(
        NAME, version=__version__, title="text2mem", instructions=INSTRUCTIONS,
        on_list_tools=door.list_tools, on_call_tool=door.call_tool,
        on_list_resources=door.list_resources, on_read_resource=door.read_resource,
        on_list_resource_templates=door.list_templates, on_list_prompts=door.list_prompts,
        on_get_prompt=door.get_prompt,
        # Without it, the SDK lists all tools before every call.
        get_tool_input_schema={name: tool.schema(handles=True) for name, tool in TOOLS.items()}.get,
    )  # fmt: skip
    for name in TOOLS:  # load jsonschema now, so that the first call does not wait for it
        for handles in (False, True):
            validator(name, handles=handles)
    server.middleware.append(
        RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=NAME)
    )
    return server
