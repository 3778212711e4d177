"""Open providers by their name ``provider:model``. All of them are found by entry point."""

from __future__ import annotations

from typing import Any

from text2mem.errors import ConfigurationError
from text2mem.plugins import entry
from text2mem.providers.base import Provider
from text2mem.settings import DEFAULT_MODEL

GROUP = "text2mem.providers"


def named(spec: str) -> tuple[str, str]:
    """Split ``provider:model``. Raises ConfigurationError for another form or provider."""
    scheme, colon, model = spec.partition(":")
    if not colon or not model:
        raise ConfigurationError(
            f"{spec!r} does not name a model", hint=f"write provider:model, such as {DEFAULT_MODEL}"
        )
    entry(GROUP, "provider", scheme)
    return scheme, model


def open_provider(spec: str = DEFAULT_MODEL, **options: Any) -> Provider:
    """Open the provider of ``provider:model`` with its options.

    Raises ConfigurationError for an unknown name, and MissingExtra if its packages are missing.
    """
    scheme, model = named(spec)
    provider: Provider = entry(GROUP, "provider", scheme).load()(model, **options)
    return provider
