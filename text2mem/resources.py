"""The text files of the package: prompts, grammars, schema. Only this module reads them."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path


@cache
def read_text(folder: str, name: str) -> str:
    """The content of ``folder/name``: from the installed package, else from the checkout.

    ``folder`` is prompts, grammars, schema, or schema/ and sql, postgres or policies.
    """
    return _root().joinpath(folder, name).read_text(encoding="utf-8")


def names(folder: str) -> list[str]:
    """The names in a folder, sorted."""
    return sorted(entry.name for entry in _root().joinpath(folder).iterdir())


@cache
def _root() -> Path:
    package = Path(str(resources.files("text2mem")))
    data = package / "_data"
    return data if data.is_dir() else package.parent
