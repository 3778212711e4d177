"""``text2mem`` and ``python -m text2mem``: the command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line. Ctrl-C ends it in one line, also while its modules are imported."""
    try:
        from text2mem.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
