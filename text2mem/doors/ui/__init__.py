"""A local page to look into a store (docs/ui.md).

Only ``app``, ``guard`` and ``serving`` use the web framework. The modules of the pages take a
``Visit`` and return markup. Call ``require`` before importing those three.
"""

from __future__ import annotations

from text2mem.errors import require_installed


def require() -> None:
    """Raise MissingExtra if the web framework or the server is not installed."""
    require_installed("the page", "starlette", "uvicorn", extra="ui")
