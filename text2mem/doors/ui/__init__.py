"""A local page to look into a store (docs/ui.md).

Only ``app``, ``guard`` and ``serving`` use the web framework. The modules of the pages take a
``Visit`` and return markup. Call ``require`` before importing those three.
"""

from __future__ import annotations

import importlib.util

from text2mem.errors import MissingExtra


def require() -> None:
    """Raise MissingExtra if the web framework or the server is not installed."""
    for package in ("starlette", "uvicorn"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtra("the page", extra="ui")
