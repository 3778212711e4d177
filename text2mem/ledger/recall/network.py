"""The networks that score the lines that a question could mean. ``training/recalling.py`` writes
their weights to ``networks.json``."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from text2mem.ir.words.likeness import dot

FILE = Path(__file__).with_name("networks.json")
Kind = Literal["moved", "plain", "blind"]
"""For a question with a vector that ``space`` has moved, with another vector, and with none."""


@dataclass(frozen=True, slots=True)
class Network:
    """A network with one hidden layer over the features of a line (``weighing.NAMES``)."""

    hidden: Sequence[Sequence[float]]
    """The weights of each hidden unit."""
    biases: Sequence[float]
    out: Sequence[float]
    """The weights of the output, to which ``bias`` is added."""
    bias: float
    sure: float
    """The least probability of a line that answers a question exactly."""

    def score(self, row: Sequence[float]) -> float:
        """The score (logit) of a line by its features. That no line is meant has the score 0."""
        units = (
            math.tanh(dot(weights, row) + bias)
            for weights, bias in zip(self.hidden, self.biases, strict=True)
        )
        return dot(self.out, tuple(units)) + self.bias


@cache
def network(kind: Kind) -> Network:
    return Network(**json.loads(FILE.read_text(encoding="utf-8"))[kind])
