"""Providers by name: ``provider:model``, found by entry point, the built-in ones too."""

from __future__ import annotations

from typing import Any

from text2mem.errors import ConfigurationError
from text2mem.plugins import entry
from text2mem.providers.base import Provider
from text2mem.settings import DEFAULT_MODEL

GROUP = "text2mem.providers"


def named(spec: str) -> tuple[str, str]:
    """The provider and the model of a name, neither of which is opened.

    Raises ConfigurationError for what names none.
    """
    scheme, colon, model = spec.partition(":")
    if not colon or not model:
        raise ConfigurationError(
            f"{spec!r} does not name a model", hint=f"write provider:model, such as {DEFAULT_MODEL}"
        )
    entry(GROUP, "provider", scheme)
    return scheme, model


def open_provider(spec: str = DEFAULT_MODEL, **options: Any) -> Provider:
    """The provider that ``provider:model`` names. Options are the provider's own.

    Raises ConfigurationError for an unknown name, MissingExtra where its packages are absent.
    """
    scheme, model = named(spec)
    provider: Provider = entry(GROUP, "provider", scheme).load()(model, **options)
    return provider
