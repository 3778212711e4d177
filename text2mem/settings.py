"""Settings from the environment. Secrets are read where they are used and not kept here."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from text2mem.errors import ConfigurationError

DEFAULT_MODEL = "local:qwen2.5-coder-0.5b"
DEFAULT_STORE = "memory.db"
DEFAULT_EMBEDDER = "auto"
"""The local embedder where its package is installed, else none."""
NO_EMBEDDER = "none"
CODE = "none"
"""Stands for no model. Code alone reads structured messages."""
EXACT = "exact"
VECTOR_INDEXES = (EXACT, "usearch")


@dataclass(frozen=True, slots=True)
class Settings:
    """TEXT2MEM_MODEL, _DB, _TZ, _EMBEDDER, _SUMMARISER, _POLICY, _VECTOR_INDEX.

    Each has a default. ``summariser`` is empty if none is named: then whoever runs the programs
    decides. ``policy`` is empty for the default profile.
    """

    model: str = DEFAULT_MODEL
    store: str = DEFAULT_STORE
    tz: str = ""
    embedder: str = DEFAULT_EMBEDDER
    summariser: str = ""
    policy: str = ""
    vector_index: str = EXACT

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """The settings of the environment. An empty variable counts as unset."""
        return cls(
            model=environment.get("TEXT2MEM_MODEL") or DEFAULT_MODEL,
            store=environment.get("TEXT2MEM_DB") or DEFAULT_STORE,
            tz=environment.get("TEXT2MEM_TZ", ""),
            embedder=environment.get("TEXT2MEM_EMBEDDER") or DEFAULT_EMBEDDER,
            summariser=environment.get("TEXT2MEM_SUMMARISER", ""),
            policy=environment.get("TEXT2MEM_POLICY", ""),
            vector_index=environment.get("TEXT2MEM_VECTOR_INDEX") or EXACT,
        )


def read_zone(name: str) -> tzinfo:
    """The zone of an IANA name. Empty means the machine's own, or UTC if it has none."""
    if not name:
        import tzlocal

        try:
            return tzlocal.get_localzone()
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigurationError(
            f"there is no time zone '{name}'", hint="an IANA name such as Europe/Oslo"
        ) from error


def cores() -> int:
    """How many processors this process may use, or the machine has if the system does not tell."""
    allowed = getattr(os, "sched_getaffinity", None)
    return (os.cpu_count() or 1) if allowed is None else len(allowed(0))


@contextmanager
def environment(variables: Mapping[str, str], *, unless: Collection[str] = ()) -> Iterator[None]:
    """Set variables of the environment for a while, unless the user has set one of ``unless``;
    restore them afterwards."""
    if not set(unless).isdisjoint(os.environ):
        variables = {}
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
