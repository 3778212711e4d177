"""``text2mem bench``: one file a command, imported when it is called."""

from __future__ import annotations

import click

from text2mem.cli.loading import LazyGroup

COMMANDS = {
    "plan": "Score the programs that a model makes of utterances.",
    "ids": "Name a sample of a corpus.",
    "replay": "Run the gold programs of a corpus.",
    "execution": "Score what programs do to a store, on every backend.",
    "replay-episodes": "Play dialogues through a memory and score what it keeps.",
    "recall": "Score what a search finds of a long conversation.",
    "ledger": "Time observing and recalling at several sizes.",
    "wild": "Score requests as people make them, by what they do to a store.",
    "adversarial": "Score refusals, injections and wide requests.",
    "fuzz": "Look for inputs that break a promise of the package.",
    "experience": "Score what an agent gains by what it remembers.",
    "generate": "Make synthetic cases, programs first.",
    "report": "Write a page about planning and wild runs.",
    "compare": "Say what got better and worse between two runs.",
    "causes": "Say what the failed rows of a run are made of.",
    "stages": "Time the stages that ask no model.",
    "search": "Hold the search of a framework against ours.",
    "store": "Time a store at several sizes.",
    "doors": "Time the MCP server over HTTP.",
}
"""A command ``name`` is ``command`` of the module ``name_``, hyphens as underscores."""


@click.group("bench", cls=LazyGroup, package=__name__, helps=COMMANDS)
def command() -> None:
    """Measure."""
