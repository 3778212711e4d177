"""Open providers by their name ``provider:model``. All of them are found by entry point."""

from __future__ import annotations

from threading import Lock
from typing import Any

from text2mem.errors import ConfigurationError
from text2mem.plugins import entry
from text2mem.providers.base import Provider
from text2mem.settings import CODE, DEFAULT_MODEL, Settings

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


_open: dict[str, Provider] = {}
_opening = Lock()


def opened_provider(model: str | Provider | None) -> Provider:
    """A provider by name, opened once per process, since loading weights takes seconds; or the
    provider itself. Raises ConfigurationError for anything else, ``none`` among it."""
    if model is not None and not isinstance(model, str):
        if not callable(getattr(model, "complete", None)):
            kind = type(model).__name__
            raise ConfigurationError(
                f"a model is a name such as local:NAME, or a provider; this is a {kind}",
                hint="FunctionProvider(f) is a provider that asks a function of yours",
            )
        return model
    spec = model or Settings.from_environment().model
    if spec == CODE:
        raise ConfigurationError(
            "no model is there that reads requests",
            hint="name one with --model or TEXT2MEM_MODEL; what is stored as it is needs none",
        )
    with _opening:
        if spec not in _open:
            _open[spec] = open_provider(spec)
        return _open[spec]
