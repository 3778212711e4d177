"""The text that a memory's content is read and searched by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from text2mem.ir.ops import Content


def rendered(content: Content) -> str:
    """A text or url as it is; a structured payload as lines ``key: value``."""
    return content.value if isinstance(content.value, str) else lines(content.value)


def lines(structured: Mapping[str, Any]) -> str:
    """A line a key; what is no string as JSON with its keys in order."""
    return "\n".join(
        f"{key}: {value if isinstance(value, str) else _compact(value)}"
        for key, value in structured.items()
    )


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
