"""A local page to look into a store (docs/ui.md).

The pages know no web framework: a visit comes in, markup goes out. ``app`` and ``serving`` are
imported by whoever serves.
"""

from __future__ import annotations

import importlib.util

from text2mem.errors import MissingExtra


def require() -> None:
    """Raises MissingExtra where the web framework or the server is not installed."""
    for package in ("starlette", "uvicorn"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtra("the page", extra="ui")
