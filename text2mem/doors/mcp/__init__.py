"""A store for clients of the Model Context Protocol (docs/mcp.md).

Its modules ``server``, ``reading`` and ``transports`` import the SDK: call ``require`` before.
"""

from __future__ import annotations

import importlib.util

from text2mem.errors import MissingExtra


def require() -> None:
    """Raise MissingExtra if the SDK of the protocol is not installed."""
    if importlib.util.find_spec("mcp") is None:
        raise MissingExtra("the MCP server", extra="mcp")
