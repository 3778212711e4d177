"""A store for clients of the Model Context Protocol (docs/mcp.md).

Its modules ``server``, ``reading`` and ``transports`` import the SDK: call ``require`` before.
"""

from __future__ import annotations

from text2mem.errors import require_installed


def require() -> None:
    """Raise MissingExtra if the SDK of the protocol is not installed."""
    require_installed("the MCP server", "mcp", extra="mcp")
