"""The shipped registry, which a tenant has until another one is set."""

from __future__ import annotations

import json
from functools import cache

from text2mem.ir.registry import Registry
from text2mem.resources import read_text


@cache
def shipped_registry() -> Registry:
    """``schema/registry.v1.json``, read once."""
    return Registry.load(json.loads(read_text("schema", "registry.v1.json")))
