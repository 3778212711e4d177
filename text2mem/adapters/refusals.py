"""The errors by which a backend refuses an op. Their texts are the same on every backend."""

from __future__ import annotations

from collections.abc import Sequence

from text2mem.adapters.base import Env
from text2mem.errors import ConfigurationError, ExecutionError
from text2mem.ir.ops import ByIds, Update
from text2mem.ir.record import Record
from text2mem.ir.rights import lock_permits, may_write
from text2mem.messages import told


def superseded(record: Record) -> ExecutionError:
    """For a new value of a version that was over before the value would begin."""
    why = f"memory {record.id} is a past version of a fact, so it takes no new value"
    hint = "update the current version; Retrieve finds it by subject and attribute"
    return ExecutionError("superseded-fact", why, hint=hint)


def refuse_new_value(record: Record) -> None:
    """Raise ExecutionError for a new value of a memory that is not a fact, or a pending one."""
    if not record.is_fact:
        why = f"memory {record.id} is not a fact, so it has no value to update"
        hint = "set its text, or encode a structured payload with subject, attribute, value"
        raise ExecutionError("not-a-fact", why, hint=hint)
    if record.pending:
        why = f"memory {record.id} waits for confidence, so it takes no new value"
        hint = "raise its confidence with Update, or encode the other value"
        raise ExecutionError("pending-fact", why, hint=hint)


def fact_overlap(record: Record, other: Record | None = None) -> ExecutionError:
    """For a fact whose validity would overlap that of another version (``other``, if known)."""
    whom = "another one" if other is None else f"memory {other.id}"
    why = f"fact {record.id} would hold at the same time as {whom}"
    hint = "end one where the other begins, with valid_to; a new value closes the old one itself"
    return ExecutionError("fact-overlap", why, hint=hint)


def refuse_to_close(holder: Record, env: Env) -> None:
    """Raise ExecutionError if the caller may not close a version or add a source to it. The caller
    may do so if rights and lock would let them Update that version."""
    edit = Update(target=ByIds((holder.id,)), edits={})
    if not may_write(holder, env.context):
        why = f"what holds of {holder.attribute} is not this caller's to change"
        hint = "its owner may, or grant write access with Update"
        raise ExecutionError("not-writable", why, hint=hint)
    if not lock_permits(holder, edit, env.context, env.now):
        why = f"what holds of {holder.attribute} is locked ({holder.lock_mode})"
        hint = "unlock it first: Lock with mode none, by its owner or a reviewer"
        raise ExecutionError("locked", why, hint=hint)


def unfit_value(attribute: str, takes: str) -> ExecutionError:
    """For a value that the attribute's type does not allow; ``takes`` says what it allows."""
    return ExecutionError(
        "value-type", takes, hint=f"the registry declares what '{attribute}' takes"
    )


def nothing_to_merge(primary_id: str) -> ExecutionError:
    """For a Merge whose target holds only the primary."""
    why = told("nothing-to-merge", id=primary_id)
    hint = "the target must hold at least two memories"
    return ExecutionError("merge-one-memory", why, hint=hint)


def no_embedder() -> ExecutionError:
    """For a search by a vector in a store that has no vectors."""
    why = "this store has no vectors, so it cannot search by one"
    return ExecutionError("no-embedder", why, hint="search with intent.query")


def vector_dimension(found: int, held: int) -> ExecutionError:
    """For a vector whose length ``found`` differs from the length ``held`` of the store's."""
    why = f"a vector of {found} components, and the store's have {held}"
    hint = "give a vector of the model that made the store's, or search with intent.query"
    return ExecutionError("vector-dimension", why, hint=hint)


def other_vectors(store_model: str, model: str) -> ConfigurationError:
    """For an embedder of another model than the one that made the store's vectors."""
    why = f"the store's vectors were made by '{store_model}', and the embedder is '{model}'"
    hint = "take the same embedder, or make them anew: text2mem reindex --afresh"
    return ConfigurationError(why, hint=hint)


def older_registry(version: int, held: int) -> ConfigurationError:
    """For a registry whose version is not greater than the store's (``held``)."""
    why = f"the registry's version {version} is not greater than the store's, {held}"
    return ConfigurationError(why, hint=f"give it a version from {held + 1} on")


def refuse_facts(rows: Sequence[Record], code: str, op: str) -> None:
    """Raise ExecutionError if a row is a fact: Merge and Split are for memories of text."""
    for row in rows:
        if row.is_fact:
            why = f"memory {row.id} is a fact, and {op} refuses facts"
            raise ExecutionError(code, why, hint="a fact changes through Update")


MOST_PARTS = 1_000
"""The most memories into which one Split divides a memory."""


def refuse_parts(record: Record, parts: Sequence[str]) -> None:
    """Raise ExecutionError if a Split would make more than ``MOST_PARTS`` memories."""
    if len(parts) > MOST_PARTS:
        why = f"Split would make more memories of memory {record.id} than the cap of {MOST_PARTS}"
        hint = "cut it into larger parts: max_sentences, chunk_size"
        raise ExecutionError("over-cap", why, hint=hint)
