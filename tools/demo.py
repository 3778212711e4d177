"""The main job, eight times: an utterance, its program, its effect, on a new database.

Run it with ``make demo``. It needs the weights of the default local model, and no network.
"""

from __future__ import annotations

import sys
import tempfile
from datetime import UTC
from pathlib import Path

from text2mem import ExecutionContext, Memory, Text2MemError
from text2mem.cli import show

UTTERANCES = (
    "Make a note: the beehive inspector is coming on 14 June.",
    "记住，阳台的薄荷每周三浇一次水。",
    "The spare ladder is behind Wiktor's garage, and mark that note with the tag tools.",
    "The beehive inspector is coming on 21 June now, not 14 June.",
    "Lock the note about the spare ladder.",
    "Where is the spare ladder?",
    "When is the beehive inspector coming?",
    "薄荷多久浇一次？",
)
"""None of them stands in the training data of the adapter."""


def main() -> int:
    """Compile and run each utterance; exit code 1 where one did not become a program."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "demo.db"
        with Memory(store, context=ExecutionContext(tz=UTC)) as memory:
            for utterance in UTTERANCES:
                show.console().print(f"\n› {utterance}", style="bold")
                try:
                    program, result = memory.run(utterance)
                except Text2MemError as error:
                    show.console().print(f"  ✗ {error}", style="red")
                    failed += 1
                    continue
                show.show_program(program)
                show.show_result(result, UTC, utterance)
                failed += not result.ok
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
