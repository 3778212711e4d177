"""Memories with content that stands nowhere else, and the search for it in the bytes of a store."""

from __future__ import annotations

import random
import re
import struct
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.store.programs import WordHashes

_RARE = range(0x3400, 0x4DB0)
"""Characters of an extension of Chinese: no other text of these tests has them."""
_LATIN = re.compile(rb"z[0-9a-f]{12}")
_PAIR = re.compile(rb"(?=((?:\xe3[\x90-\xbf][\x80-\xbf]|\xe4[\x80-\xb6][\x80-\xbf]){2}))")


@dataclass
class Secrets:
    """Makes words that occur once, and looks for them.

    Of a Latin word the end is looked for, because an index leaves out what a word shares with the
    one before it; of a Chinese one every pair of characters; of a vector any four numbers.
    """

    seed: int
    words: dict[bytes, str] = field(default_factory=dict)
    vectors: dict[bytes, str] = field(default_factory=dict)
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def latin(self, where: str) -> str:
        end = f"z{self._random.randrange(16**12):012x}"
        self.words[end.encode()] = where
        return f"q{self._random.randrange(16**4):04x}{end}"

    def chinese(self, where: str) -> str:
        word = "".join(chr(c) for c in self._random.sample(_RARE, 4))
        for place in range(3):
            self.words[word[place : place + 2].encode()] = where
        return word

    def both(self, where: str) -> str:
        return f"{self.latin(where)} {self.chinese(where)}"

    def vector(self, text: str, embedder: WordHashes) -> None:
        """The vector of a text."""
        blob = struct.pack(f"<{embedder.dimension}f", *embedder.vector(text))
        for start in range(0, len(blob), 16):
            self.vectors[blob[start : start + 16]] = f"vector of {text[:12]}"

    def fields(self, mark: str) -> dict[str, Any]:
        """The arguments of an Encode that holds a secret wherever it can."""
        return {
            "tags": [self.both(f"{mark} tag"), "common"],
            "facets": {self.latin(f"{mark} facet name"): [{"x": self.both(f"{mark} facet")}]},
            "subject": self.both(f"{mark} subject"),
            "location": self.both(f"{mark} location"),
            "topic": self.both(f"{mark} topic"),
            "source": self.both(f"{mark} source"),
            "type": self.latin(f"{mark} type"),
        }

    def drop(self, unwanted: Callable[[str], bool]) -> None:
        """What need not go is looked for no longer."""
        self.words = {word: where for word, where in self.words.items() if not unwanted(where)}

    def left(self, path: Path) -> list[str]:
        """Where the words and vectors came from that are still in a store's files, and in which."""
        return sorted(f"{where} in {name}" for name, where in set(self._found(path)))

    def _found(self, path: Path) -> Iterator[tuple[str, str]]:
        for name, data in bytes_of(path).items():
            for pattern in (_LATIN, _PAIR):
                for word in set(pattern.findall(data)) & self.words.keys():
                    yield name, self.words[word]
            for blob, where in self.vectors.items():
                if blob in data:
                    yield name, where


def bytes_of(path: Path) -> dict[str, bytes]:
    """The bytes of a database, its log and its shared memory, by name.

    The files are copied by another process: one that opens and closes a database beside SQLite
    gives up every lock that SQLite holds for it.
    """
    names = sorted(file for file in path.parent.glob(f"{path.name}*") if file.is_file())
    with TemporaryDirectory() as folder:
        subprocess.run(["cp", *map(str, names), folder], check=True)
        return {file.name: (Path(folder) / file.name).read_bytes() for file in names}
