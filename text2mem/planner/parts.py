"""Parts: the pieces in which a draft is made and redrafted, and the program that they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from text2mem.errors import MalformedOutput
from text2mem.ir.surface import STAGES
from text2mem.planner.asking import Question
from text2mem.planner.lowering import Lowered
from text2mem.planner.slots import Form
from text2mem.providers.base import Completion, Message


@dataclass(slots=True)
class Part:
    """A piece of a draft that is redrafted as one: what was asked, and what came of it.

    ``instances`` may hold a relative reference ``"$-1"``: the instance just before. ``question``
    stands in place of all of them; ``absent`` is what it names and the store does not hold.
    ``spare`` makes the form of an op that code could write alone, for when what it wrote is
    refused; ``doubt`` says whether an answer needs the person's word.
    """

    op: str
    lowered: Lowered
    turns: tuple[Message, ...]
    year: str
    instances: list[Any] = field(default_factory=list)
    answer: str = ""
    data: Any = None
    form: Form | None = None
    question: Question | None = None
    absent: str = ""
    spare: Callable[[], Form] | None = None
    doubt: Callable[[Sequence[Any]], Question | None] | None = None

    @property
    def asked(self) -> bool:
        """Whether a model wrote any of it; code alone writes what has a form without slots."""
        return self.form is None or self.form.asks

    def wrote(self, pointer: str) -> bool:
        """Whether a model wrote what a pointer into the program addresses, and can mend it."""
        return self.form is None or bool(self.form.blamed(within(pointer)))


def within(pointer: str) -> str:
    """A pointer into a program as one into its instance."""
    return "/" + pointer.partition("/")[2].partition("/")[2]


def by_op(whole: Part) -> list[tuple[str, Any]]:
    """The instances with their ops; a program with a stranger among them, or with nothing in it,
    stays in one piece."""
    found = [(item.get("op") if isinstance(item, dict) else None, item) for item in whole.instances]
    if not found or any(not isinstance(op, str) or op not in STAGES for op, _ in found):
        return [("", None)]
    return [(str(op), item) for op, item in found]


def assembled(parts: Sequence[Part]) -> tuple[list[Any], list[int]]:
    """The program that the parts make, and for each of its instances the index of its part."""
    program: list[Any] = []
    origin: list[int] = []
    for index, part in enumerate(parts):
        for instance in part.instances:
            program.append(_absolute(instance, len(program)))
            origin.append(index)
    return program, origin


def _absolute(instance: Any, before: int) -> Any:
    """Relative references ("$-1") as absolute ones, for an instance with ``before`` ahead of it.

    Only where ids stand: a text that reads "$-1" is a text.
    """
    if not isinstance(instance, dict):
        return instance
    previous = f"${before}"
    out = dict(instance)
    target, args = out.get("target"), out.get("args")
    if isinstance(target, dict) and isinstance(target.get("ids"), list):
        out["target"] = {**target, "ids": [previous if i == "$-1" else i for i in target["ids"]]}
    if isinstance(args, dict) and args.get("primary_id") == "$-1":
        out["args"] = {**args, "primary_id": previous}
    return out


def restored(lowered: Lowered, answer: Completion) -> list[Any]:
    """What an answer says, or the error that it has not the shape that was asked for."""
    try:
        return lowered.restore(answer.data)
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise MalformedOutput(
            f"the answer does not have the shape that was asked for: {error!r}",
            raw=answer.text, model=answer.model,
        ) from error  # fmt: skip
