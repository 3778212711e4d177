"""The networks that weigh what a question means: ``networks.json``, made by
``training/recalling.py`` and no hand."""

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
"""Where a question's vector is put near to what answers it, where it is not, and without one."""


@dataclass(frozen=True, slots=True)
class Network:
    """A network with one hidden layer over the features of a line (``weighing.NAMES``).

    ``sure`` is the probability from which on a line answers a question.
    """

    hidden: Sequence[Sequence[float]]
    biases: Sequence[float]
    out: Sequence[float]
    bias: float
    sure: float

    def score(self, row: Sequence[float]) -> float:
        """The score of a line by its features; that no line is meant has the score 0."""
        units = (
            math.tanh(dot(weights, row) + bias)
            for weights, bias in zip(self.hidden, self.biases, strict=True)
        )
        return dot(self.out, tuple(units)) + self.bias


@cache
def network(kind: Kind) -> Network:
    """The network for a kind of question."""
    return Network(**json.loads(FILE.read_text(encoding="utf-8"))[kind])
