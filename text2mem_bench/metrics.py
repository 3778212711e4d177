"""The measures of the planning layer: pure functions of programs and of checked assertions.

Programs are lists of instances in the canonical form (``Program.to_list``), so that two spellings
of one program do not differ. Every measure is 0 to 1, and 1 is best.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from text2mem.ir.pointers import escape

if TYPE_CHECKING:
    from text2mem.ir.ports import Embedder

Instance = Mapping[str, Any]
Pair = tuple[int | None, int | None]
NONE = "none"
"""Stands in a confusion matrix for a step that one side does not have."""
_GRAM = 3
CHARACTERS = f"characters, {_GRAM}-grams"
"""What ``sma_cos`` compares where no embedder is given."""


class Shares(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f1: float


def shares(both: int, wanted: int, given: int) -> Shares:
    """Of what is wanted and what is given, the shares that are both.

    Where nothing is wanted and nothing given, all three are 1; where one side is empty, all are 0.
    """
    if not wanted and not given:
        return Shares(1.0, 1.0, 1.0)
    precision = both / given if given else 0.0
    recall = both / wanted if wanted else 0.0
    return Shares(precision, recall, 2 * both / (wanted + given))


# --- ops -----------------------------------------------------------------------------------


def ops_of(program: Sequence[Any]) -> list[str]:
    """The ops of a program in order; what names none is "?"."""
    return [str(step.get("op", "?")) if isinstance(step, Mapping) else "?" for step in program]


def op_f1(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """F1 of the ops, each counted as often as it stands there, whatever their order."""
    both = (Counter(gold) & Counter(predicted)).total()
    return shares(both, len(gold), len(predicted)).f1


def aligned(gold: Sequence[str], predicted: Sequence[str]) -> list[Pair]:
    """Which step answers which: places of the two sequences of ops, None where there is none.

    Steps of the same op at the same place belong together; then each step that is left, in order,
    takes the first that is left of its op. Steps of different ops are never paired.
    """
    pairs: dict[int, int] = {
        place: place
        for place, (left, right) in enumerate(zip(gold, predicted, strict=False))
        if left == right
    }
    free = [place for place in range(len(predicted)) if place not in pairs]
    for place, op in enumerate(gold):
        if place not in pairs:
            match = next((other for other in free if predicted[other] == op), None)
            if match is not None:
                pairs[place] = match
                free.remove(match)
    return [
        *((place, pairs.get(place)) for place in range(len(gold))),
        *((None, place) for place in free),
    ]


def step_pairs(gold: Sequence[str], predicted: Sequence[str]) -> list[Pair]:
    """As ``aligned``; what is left on both sides is then paired in order, as mistaken for it."""
    pairs = aligned(gold, predicted)
    missed = [left for left, right in pairs if right is None]
    extra = [right for left, right in pairs if left is None]
    most = max(len(missed), len(extra))
    return [
        *(pair for pair in pairs if None not in pair),
        *zip(
            [*missed, *[None] * (most - len(missed))],
            [*extra, *[None] * (most - len(extra))],
            strict=True,
        ),
    ]


# --- slots ---------------------------------------------------------------------------------


def slots(step: Any) -> dict[str, Any]:
    """The slots of an instance: key paths of its target and args (JSON Pointers), and their values.

    A list of plain values is one slot, and its order does not matter; of a list of objects every
    key is a slot, addressed by the object's place. What is empty is a slot as well.
    """
    parts = {k: step[k] for k in ("target", "args") if step.get(k)} if _is_object(step) else {}
    return {path: _value(path, value) for path, value in _leaves(parts)}


def slot_accuracy(gold: Sequence[Any], predicted: Sequence[Any]) -> float | None:
    """The share of the gold's slots that the aligned step fills alike; None where it has none."""
    total = equal = 0
    for left, right in _steps(gold, predicted):
        given = slots(right)
        for path, value in slots(left).items():
            total += 1
            equal += path in given and given[path] == value
    return equal / total if total else None


def key_values(gold: Sequence[Any], predicted: Sequence[Any]) -> Shares:
    """Precision, recall and F1 of key-value pairs, over the aligned steps.

    The pairs of a step are its op, every plain value with its key path, and every item of a list
    with the path of the list, so that three of four right tags count as three.
    """
    both = wanted = given = 0
    for left, right in _steps(gold, predicted):
        asked, got = _pairs(left), _pairs(right)
        both += (asked & got).total()
        wanted += asked.total()
        given += got.total()
    return shares(both, wanted, given)


def _steps(gold: Sequence[Any], predicted: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    for left, right in aligned(ops_of(gold), ops_of(predicted)):
        yield (None if left is None else gold[left], None if right is None else predicted[right])


def _pairs(step: Any) -> Counter[tuple[str, Any]]:
    if not _is_object(step):
        return Counter()
    pairs: Counter[tuple[str, Any]] = Counter([("/op", step.get("op"))])
    for path, value in slots(step).items():
        pairs.update((path, item) for item in (value if isinstance(value, tuple) else (value,)))
    return pairs


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if _is_object(value) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}/{escape(str(key))}")
    elif isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
        for place, inner in enumerate(value):
            yield from _leaves(inner, f"{path}/{place}")
    elif path:
        yield path, value


def _value(path: str, value: Any) -> Any:
    """A plain value as text that is equal where the values are; a list as a sorted tuple of them.

    1 equals 1.0 and differs from true; an id is the same as a number and as text.
    """
    if isinstance(value, list) and value:
        return tuple(sorted(_value(path, item) for item in value))
    if path.endswith("/ids") and isinstance(value, int):
        value = str(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False)


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


# --- whole programs as text ----------------------------------------------------------------


def canonical_json(program: Sequence[Any]) -> str:
    """A program as one text: keys in order, no spaces, no escapes of non-ASCII characters."""
    return json.dumps(program, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def sma_lev(gold: Sequence[Any], predicted: Sequence[Any]) -> float:
    """1 less the edit distance of the two texts by the length of the longer one."""
    left, right = canonical_json(gold), canonical_json(predicted)
    return 1 - levenshtein(left, right) / max(len(left), len(right))


def levenshtein(left: str, right: str) -> int:
    """How many insertions, deletions and replacements of characters make one text the other.

    Myers 1999 in the form of Hyyrö 2003: a column of the matrix is two integers of ``len(left)``
    bits, so that a column costs a few operations on integers, not one a cell.
    """
    if not left or not right:
        return max(len(left), len(right))
    where: dict[str, int] = {}
    for place, character in enumerate(left):
        where[character] = where.get(character, 0) | 1 << place
    every, last = (1 << len(left)) - 1, 1 << (len(left) - 1)
    rises, falls, distance = every, 0, len(left)
    for character in right:
        equal = where.get(character, 0)
        diagonal = (((equal & rises) + rises) ^ rises) | equal | falls
        up = falls | (~(diagonal | rises) & every)
        down = diagonal & rises
        distance += bool(up & last) - bool(down & last)
        up = up << 1 | 1
        rises = (down << 1 | ~(diagonal | up)) & every
        falls = up & diagonal & every
    return distance


def sma_cos(gold: Sequence[Any], predicted: Sequence[Any], embedder: Embedder | None) -> float:
    """The cosine of the two texts' embeddings, below 0 as 0; of their 3-grams without an embedder.

    Raises what the embedder raises.
    """
    left, right = canonical_json(gold), canonical_json(predicted)
    if embedder is None:
        return cosine(grams(left), grams(right))
    one, other = embedder.embed([left, right], kind="passage")
    return min(max(sum(a * b for a, b in zip(one, other, strict=True)), 0.0), 1.0)


def grams(text: str, sizes: Sequence[int] = (_GRAM,)) -> Counter[str]:
    """How often each run of so many characters stands in a text; a shorter text is one run."""
    return Counter(
        text[start : start + size]
        for size in sizes
        for start in range(max(len(text) - size, 0) + 1)
    )


def cosine(left: Mapping[str, float], right: Mapping[str, float]) -> float:
    """The cosine of two sparse vectors; 0 where one of them is 0."""
    norms = math.sqrt(
        sum(v * v for v in left.values()) * sum(v * v for v in right.values())
    )  # fmt: skip
    product = sum(value * right[key] for key, value in left.items() if key in right)
    return min(product / norms, 1.0) if norms else 0.0


# --- what the program brought about --------------------------------------------------------


def ran(status: str, predicted: Sequence[Any] | None) -> bool:
    """Whether a prediction's effect counts: it was executed, or has no step that could be.

    A program that was refused, or never came, brought nothing about, however many assertions the
    untouched store satisfies. The empty program is not legal either; what it scores is the floor.
    """
    return status == "executed" or (predicted is not None and not predicted)


def share(held: Sequence[bool]) -> float | None:
    """The share that holds; None of nothing."""
    return sum(held) / len(held) if held else None
