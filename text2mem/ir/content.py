"""The text form of a memory's content, which is shown and searched."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

from text2mem.ir.ops import Content

CONTENTS: tuple[Literal["text", "url", "structured"], ...] = ("text", "url", "structured")
"""The keys of a payload that hold its content, one in each payload."""


def rendered(content: Content) -> str:
    """The text or url as it is; a structured payload as lines ``key: value``."""
    return content.value if isinstance(content.value, str) else lines(content.value)


def beside(payload: Mapping[str, Any]) -> dict[str, Any]:
    """What a payload holds beside its content."""
    return {key: value for key, value in payload.items() if key not in CONTENTS}


def lines(structured: Mapping[str, Any]) -> str:
    """One line ``key: value`` for each key. Other values than strings are JSON with sorted keys."""
    dumps = partial(json.dumps, ensure_ascii=False, sort_keys=True)
    return "\n".join(
        f"{key}: {value if isinstance(value, str) else dumps(value)}"
        for key, value in structured.items()
    )
