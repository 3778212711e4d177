"""``text2mem repl``: a conversation with a store."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import click

from text2mem.clarification import Clarification
from text2mem.cli import options, show
from text2mem.cli.inputs import require_unicode
from text2mem.cli.options import Caller
from text2mem.cli.questions import agreed, read_reply, show_outcome, show_question
from text2mem.cli.services import PLANNING_SUMMARISER, Services, service_options
from text2mem.errors import ConfigurationError, NoSuchOption, ServiceError, Text2MemError
from text2mem.ir.ops import READS
from text2mem.ir.turn import Turn
from text2mem.outcome import Nothing, Undo

if TYPE_CHECKING:
    from collections.abc import Callable

    from text2mem.ir.result import ProgramResult
    from text2mem.memory import Memory
    from text2mem.planner import Budget
    from text2mem.program import Program

_HELP = """\
Say something about your memories: "remember that …", "forget …", "what do I know about …".
A program that changes something is shown with its effect, and run when you agree.
What is not clear is asked back: answer with a number or in words; an empty line drops it.
/undo   take back the last program of this conversation; "undo that" does the same
/log    the last programs       /tick   carry out what is due, and fire reminders
/tags   the tags in use         /help   this text
/quit   leave (or Ctrl-D)"""
_REMEMBERED = 4
_LOGGED = 10
_ANSWER = "answer › "
_MOVED = "store-moved"


@click.command("repl")
@options.model_options
@options.caller_options(dry_run=True, yes=True)
@service_options(PLANNING_SUMMARISER)
def command(model: str | None, seed: int, attempts: int, caller: Caller, services: Services) -> int:
    """Talk to a store: see a program and its effect before it runs. --yes does not ask.

    From a pipe, the line after a program that changes something is the answer: y or n. So is the
    line after a question: the number of an option, other words, or "no" and an empty line to drop
    it.
    """
    from text2mem.planner import Budget

    failed = 0
    with services.memory(caller, model) as memory:
        context = caller.context
        talk = Talk(
            memory, seed, Budget(attempts=attempts), ask=not (context.confirmed or context.dry_run)
        )
        if _talking():
            with suppress(ImportError):
                import readline  # noqa: F401  (gives ``input`` a history and keys that edit)
            click.echo(_HELP, err=True)
        while (line := _next_line("› " if talk.open is None else _ANSWER)) is not None:
            if line[:1] in ("/", ":") and line[1:] in ("quit", "q"):
                break
            if line or talk.open is not None:
                failed += not talk.turn(line)
    return 1 if failed and not _talking() else 0


def _talking() -> bool:
    """Whether a person sits there, who sees an error and goes on."""
    return sys.stdin.isatty()


def _next_line(prompt: str) -> str | None:
    try:
        return _input(prompt if _talking() else "")
    except EOFError:
        if _talking():
            click.echo("", err=True)
        return None
    except KeyboardInterrupt:
        click.echo("", err=True)
        return ""


def _input(prompt: str) -> str:
    """A line of stdin; where stdout is data, the prompt goes to stderr."""
    if not show.on_terminal():
        click.echo(prompt, nl=False, err=True)
        prompt = ""
    return input(prompt).removeprefix("\ufeff").strip()


def _ids(result: ProgramResult) -> tuple[str, ...]:
    """The memories that a program affected, returned or made; of a dry run those that it read."""
    return tuple(dict.fromkeys(
        id_
        for step in result.results
        if step.op in READS or not step.dry_run
        for id_ in (*step.affected, *step.created)
    ))  # fmt: skip


def _agreed() -> bool:
    try:
        return agreed(_input("run it? [y/N] "))
    except (EOFError, KeyboardInterrupt):
        click.echo("", err=True)
        return False


@dataclass(frozen=True, slots=True)
class _Open:
    """A question that waits for its answer, and the turns up to it."""

    asked: Clarification
    turns: tuple[Turn, ...]


@dataclass(slots=True)
class Talk:
    """A conversation: what was said last, the question that is open, and the traces of what was
    changed, the last one last.

    ``ask``: a program that changes something is shown, and run when ``agree`` says so.
    """

    memory: Memory
    seed: int
    budget: Budget
    ask: bool
    agree: Callable[[], bool] = _agreed
    said: list[Turn] = field(default_factory=list)
    open: _Open | None = None
    traces: list[str] = field(default_factory=list)

    def turn(self, line: str) -> bool:
        """One line; False where it failed, True too where the person did not agree.

        A line without a word is the answer to a question.
        """
        try:
            require_unicode(line)
            if line[:1] in ("/", ":"):
                return self._command(line[1:])
            if self.open is not None:
                return self._answer(line, self.open)
            return self._utterance(line, tuple(self.said))
        except (ConfigurationError, ServiceError) as error:
            if not _talking():
                raise
            show.complain(error.message, error.hint)
            return False
        except Text2MemError as error:
            show.complain(error.message, error.hint)
            return False
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            return False

    def _utterance(self, line: str, context: tuple[Turn, ...]) -> bool:
        self.said = [*self.said, Turn(line)][-_REMEMBERED:]
        compiled = self.memory.compile(line, context=context, seed=self.seed, budget=self.budget)
        if isinstance(compiled, Undo):
            return self._undo()
        if isinstance(compiled, Nothing):
            show_outcome(compiled, form="text")
            return True
        if not isinstance(compiled, Clarification):
            return self._carry_out(compiled)
        self.open = _Open(compiled, (*context, *compiled.turns))
        show_question(compiled)
        return True

    def _answer(self, line: str, question: _Open) -> bool:
        """The line after a question; a person who names no option may try again."""
        self.open = None
        try:
            reply = read_reply(line, question.asked)
        except NoSuchOption:
            self.open = question if _talking() else None
            raise
        if reply is None:
            return True
        if isinstance(reply, str):
            return self._utterance(reply, question.turns)
        return self._carry_out(reply)

    def _carry_out(self, program: Program) -> bool:
        """Show a program and run it, one that changes something when the person agrees."""
        show.show_program(program)
        if all(op.name in READS for op in program.ops):
            result = self._run(program)
            show.show_result(result)
            return result.ok
        return self._changed(
            lambda: self.memory.preview(program), lambda shown: self._run(program, shown)
        )

    def _run(self, program: Program, shown: ProgramResult | None = None) -> ProgramResult:
        """Run; who was shown the effect and agreed has confirmed a wide write, too, and no more
        than what was shown."""
        asked_as = self.memory.context
        self.memory.context = replace(asked_as, confirmed=asked_as.confirmed or self.ask)
        try:
            result = self.memory.execute(program, basis=shown.basis if shown else None)
        finally:
            self.memory.context = asked_as
        if result.ok and not result.dry_run and any(step.changes for step in result.results):
            self.traces.append(result.trace_id)
        if result.ok:
            self.said[-1] = Turn(self.said[-1].text, _ids(result))
        return result

    def _changed(
        self,
        preview: Callable[[], ProgramResult],
        run: Callable[[ProgramResult | None], ProgramResult],
    ) -> bool:
        """Show the effect, and have it when the person agrees; what has moved since is shown
        again."""
        while True:
            shown = None
            if self.ask:
                shown = preview()
                show.show_result(shown)
                if not shown.ok or not self.agree():
                    return shown.ok
            result = run(shown)
            show.show_result(result)
            if result.error is None or result.error.code != _MOVED or shown is None:
                return result.ok

    def _command(self, name: str) -> bool:
        from text2mem.cli.past import show_log, show_tick

        match name:
            case "help":
                click.echo(_HELP, err=True)
            case "tags":
                click.echo(show.visible(", ".join(self.memory.view().tags())) or "none yet")
            case "log":
                show_log(self.memory.log(limit=_LOGGED))
            case "tick":
                show_tick(self.memory.tick())
            case "undo":
                return self._undo()
            case _:
                show.complain(f"there is no command '/{name}'", "/help lists them")
        return True

    def _undo(self) -> bool:
        if not self.traces:
            show.complain(
                "this conversation has changed nothing that could be taken back",
                "text2mem undo TRACE takes back an earlier program; /log lists them",
            )
            return False
        trace = self.traces[-1]
        asked_as = self.memory.context

        def preview() -> ProgramResult:
            self.memory.context = asked_as.dry()
            try:
                return self.memory.undo(trace)
            finally:
                self.memory.context = asked_as

        def run(_: ProgramResult | None) -> ProgramResult:
            result = self.memory.undo(trace)
            if result.ok and not result.dry_run:
                self.traces.pop()
            return result

        return self._changed(preview, run)
