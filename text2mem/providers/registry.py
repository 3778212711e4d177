"""Providers by name: ``provider:model``, found by entry point, the built-in ones too."""

from __future__ import annotations

import difflib
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from text2mem.errors import ConfigurationError
from text2mem.providers.base import Provider
from text2mem.settings import DEFAULT_MODEL

GROUP = "text2mem.providers"


@cache
def available() -> dict[str, EntryPoint]:
    """The registered providers by name."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def open_provider(spec: str = DEFAULT_MODEL, **options: Any) -> Provider:
    """The provider that ``provider:model`` names. Options are the provider's own.

    Raises ConfigurationError for an unknown name, MissingExtra where its packages are absent.
    """
    scheme, colon, model = spec.partition(":")
    if not colon or not model:
        raise ConfigurationError(
            f"{spec!r} does not name a model", hint=f"write provider:model, such as {DEFAULT_MODEL}"
        )
    if scheme not in available():
        close = difflib.get_close_matches(scheme, list(available()), n=1)
        known = ", ".join(sorted(available()))
        raise ConfigurationError(
            f"there is no provider '{scheme}'",
            hint=f"did you mean '{close[0]}'?" if close else f"known providers: {known}",
        )
    provider: Provider = available()[scheme].load()(model, **options)
    return provider
