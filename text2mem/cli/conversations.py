"""Options and functions of the commands of typed memory: they show outcomes and failures."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import tzinfo
from typing import TYPE_CHECKING

import click

from text2mem.cli import show
from text2mem.cli.main import FAILED, UNREACHABLE
from text2mem.cli.options import model_option
from text2mem.ir.values import as_text

if TYPE_CHECKING:
    from text2mem.ledger.candidate import Outcome

policy_option = click.option(
    "--policy", metavar="NAME|FILE",
    help="What may be remembered: assistant, support-desk, coding-agent, or a JSON file. "
    "[TEXT2MEM_POLICY, assistant]",
)  # fmt: skip
reader_option = model_option("Which model reads texts; none for structured messages alone.")

_SERVICES = {
    "ServiceUnreachable": "the model cannot be reached",
    "ServiceTimeout": "the model takes too long",
    "RateLimited": "the model has had too many questions",
    "WeightsUnavailable": "the model's weights could not be fetched",
    "ServiceError": "the model's service failed",
}
"""The classes of errors that mean a failed service, with a text for people."""
_WAITS = "it waits in the queue: name a model with --model, or pip install '.[local]'"
_DOCTOR = "text2mem doctor asks the model that TEXT2MEM_MODEL names, and says what is wrong"
NO_READER = "no model is there that reads what is said"
_OTHERS = {
    "ConfigurationError": ("the model cannot be used as it is set up", _DOCTOR),
    "RequestRejected": ("the model's service rejected the request", _DOCTOR),
    "NoReader": (NO_READER, _WAITS),
    "MissingExtra": ("the packages of the model are not installed", _WAITS),
}
"""The classes of other errors, each with a text for people and a hint."""


def complain_of_failure(kind: str, episode: str) -> int:
    """Print to stderr why an episode was stored but not read. Return the exit code."""
    again = "a worker tries again; --model names another one"
    words, hint = _OTHERS.get(kind, (_SERVICES.get(kind, kind), again))
    show.complain(f"episode {episode} was stored and not read: {words}", hint)
    return UNREACHABLE if kind in _SERVICES else FAILED


def show_outcomes(outcomes: Iterable[Outcome], tz: tzinfo) -> None:
    """Print the outcome of each candidate on a line, with its validity in the time zone ``tz``."""
    from text2mem.ledger.words import validity

    for outcome in outcomes:
        fact = outcome.candidate
        what = f"{fact.subject}.{fact.attribute}"
        value = "" if fact.value is None else f" = {as_text(fact.value)}"
        when = validity(fact.valid_from, fact.valid_to, tz)
        ids = f" [{', '.join(outcome.ids)}]" if outcome.ids else ""
        why = f": {outcome.reason}" if outcome.reason else ""
        show.line(f"  {outcome.became:<9} {what}{value}{when}{ids}{why}")
