"""The text that a memory's content is read and searched by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from text2mem.ir.ops import Content


def rendered(content: Content) -> str:
    """A text or url as it is; a structured payload as lines ``key: value``."""
    return content.value if isinstance(content.value, str) else lines(content.value)


def lines(structured: Mapping[str, Any]) -> str:
    """A line a key; what is no string as JSON with its keys in order."""
    dumps = partial(json.dumps, ensure_ascii=False, sort_keys=True)
    return "\n".join(
        f"{key}: {value if isinstance(value, str) else dumps(value)}"
        for key, value in structured.items()
    )
