"""A store for clients of the Model Context Protocol (docs/mcp.md).

Importing this package imports no SDK: ``require`` says whether it is there, and ``server`` and
``transports`` are imported by whoever serves.
"""

from __future__ import annotations

import importlib.util

from text2mem.errors import MissingExtra


def require() -> None:
    """Raises MissingExtra where the SDK of the protocol is not installed."""
    if importlib.util.find_spec("mcp") is None:
        raise MissingExtra("the MCP server", extra="mcp")
