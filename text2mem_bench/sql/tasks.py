"""Tasks of text-to-SQL: a request, the query that it means, and which of its phrases leave it open.

A seed is written by hand; ``augment.py`` makes more of it, the query first. Of every seed there is
a request that says everything, and one with vague phrases, each linked to its fragment of the query
and to what the user answers when asked about it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from text2mem.errors import ConfigurationError
from text2mem_bench.sql.database import Database, read_database

Kind = Literal["READ", "WRITE"]
Ambiguity = Literal[
    "knowledge-linking", "semantic", "entity", "temporal", "aggregation", "sort", "intent",
    "join-path",
]  # fmt: skip
Text = Annotated[str, Field(min_length=1)]


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Part(_Written):
    """A phrase of the request and its fragment of the query.

    ``turned`` says the other direction of an order, ``column`` is the one that the fragment names
    (``table.column``); ``vague`` is said in place of ``says`` by somebody less precise, and
    ``answer`` when they are asked about it.
    """

    slot: Text
    sql: Text
    says: Text
    vague: Text | None = None
    type: Ambiguity | None = None
    answer: Text | None = None
    turned: Text | None = None
    column: Text | None = None

    @model_validator(mode="after")
    def _answered(self) -> Part:
        if self.vague is not None and (self.type is None or self.answer is None):
            raise ValueError("a vague phrase has a type and an answer")
        return self


class Phase(_Written):
    """A request with ``{slot}`` for each of its parts, and the query that it means."""

    kind: Kind
    sql: Text
    request: Text
    parts: tuple[Part, ...] = ()

    @model_validator(mode="after")
    def _linked(self) -> Phase:
        for part in self.parts:
            if f"{{{part.slot}}}" not in self.request:
                raise ValueError(f"the request has no {{{part.slot}}}")
            if part.sql not in self.sql:
                raise ValueError(f"the query has no '{part.sql}'")
        return self

    def said(self, *, vague: bool) -> str:
        """The request in words, vague where it can be or with everything said."""
        text = self.request
        for part in self.parts:
            phrase = part.vague if vague and part.vague is not None else part.says
            text = text.replace(f"{{{part.slot}}}", phrase)
        return text


class Seed(Phase):
    """A task as it was written, with what the same user says next."""

    id: Text
    then: Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One request to an agent, ``then`` with the one that follows it.

    ``open`` are the parts that the request is vague about, ``seed`` what it was made of: tasks of
    one seed never teach each other.
    """

    id: str
    seed: str
    database: Database
    kind: Kind
    request: str
    sql: str
    open: tuple[Part, ...] = ()
    then: Task | None = None


def task_of(seed: Seed, database: Database, *, vague: bool) -> Task:
    """The task that a seed, or what was made of one, gives."""
    name = f"{seed.id}.{'vague' if vague else 'full'}"
    then = Task(
        id=f"{name}.then", seed=seed.id, database=database, kind=seed.then.kind,
        request=seed.then.said(vague=False), sql=seed.then.sql,
    )  # fmt: skip
    return Task(
        id=name, seed=seed.id, database=database, kind=seed.kind, request=seed.said(vague=vague),
        sql=seed.sql, open=tuple(p for p in seed.parts if vague and p.vague is not None), then=then,
    )  # fmt: skip


def read_seeds(folder: Path) -> Iterator[tuple[Database, Sequence[Seed]]]:
    """Every database of a folder with its seeds. Raises ConfigurationError."""
    folders = sorted(path.parent for path in folder.glob("*/seeds.jsonl"))
    if not folders:
        raise ConfigurationError(f"{folder} has no folder with a seeds.jsonl")
    for each in folders:
        yield read_database(each), list(_seeds(each / "seeds.jsonl"))


def _seeds(path: Path) -> Iterator[Seed]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            yield Seed.model_validate(json.loads(line))
        except (ValueError, ValidationError) as error:
            raise ConfigurationError(f"{path}:{number}: {error}") from error
