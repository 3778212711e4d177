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
    "Remember that lunch with Ana moved to Friday at noon.",
    "记住：我对花生过敏。",
    "Save the skating pass number 4711, and tag the lunch note as food.",
    "What do I know about lunch?",
    "关于花生，我说过什么？",
    "把花生过敏这条设为最高优先级。",
    "Let the skating pass expire at the end of winter.",
    "Forget everything about lunch.",
)


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
                show.show_result(result)
                failed += not result.ok
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
