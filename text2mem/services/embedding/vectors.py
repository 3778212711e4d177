"""What vectors of a model are worth: counted, measured, and brought to unit length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from text2mem.errors import MalformedOutput

Vector = tuple[float, ...]


def unit_vectors(
    answer: Any, *, count: int, dimension: int | None, model: str
) -> tuple[Vector, ...]:
    """The answer's vectors, in order, each of Euclidean length 1.

    Raises MalformedOutput unless they are ``count`` lists of finite numbers, all of one dimension
    (``dimension``, where it is known) and none of them zero.
    """
    rows = _rows(answer)
    if rows is None:
        raise MalformedOutput("the model's answer holds no vectors", model=model)
    if len(rows) != count:
        raise MalformedOutput(
            f"the model was given {count} texts and answered {len(rows)} vectors", model=model
        )
    vectors = tuple(_unit(row, model) for row in rows)
    expected = dimension or (len(vectors[0]) if vectors else 0)
    for vector in vectors:
        if len(vector) != expected:
            raise MalformedOutput(
                f"the model's vectors had {expected} numbers, and now one has {len(vector)}",
                model=model, hint="does another model answer under the same name?",
            )  # fmt: skip
    return vectors


def _unit(row: Any, model: str) -> Vector:
    numbers = _rows(row)
    if not numbers or not all(isinstance(n, int | float) for n in numbers):
        raise MalformedOutput("the model answered a vector that is no list of numbers", model=model)
    try:
        length = math.hypot(*numbers)
    except OverflowError:  # an integer beyond every float
        length = math.inf
    if not math.isfinite(length):
        raise MalformedOutput("the model answered a vector that is not finite", model=model)
    if length == 0:
        raise MalformedOutput("the model answered a vector of zeros", model=model)
    return tuple(number / length for number in numbers)


def _rows(value: Any) -> Sequence[Any] | None:
    """The value, if it is a sequence and no text."""
    is_rows = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    return value if is_rows else None
