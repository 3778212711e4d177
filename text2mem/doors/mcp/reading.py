"""The resources (memories, current facts, the schema of programs) and the two prompts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

import mcp_types as types

from text2mem import resources
from text2mem.doors.agent.shared_memory import SharedMemory
from text2mem.doors.agent.wording import cited, line
from text2mem.errors import ExecutionError
from text2mem.ir.record import as_row
from text2mem.ir.words.naming import name_key
from text2mem.ledger.holdings import held_on, state_of

MEMORY, FACT, SCHEMA = "memory://", "fact://", "text2mem://schema"
JSON, SCHEMA_JSON = "application/json", "application/schema+json"
_LISTED = 20
"""The most memories, and the most subjects, in the list of resources."""
_FACT = ("id", "attribute", "value", "valid_from", "valid_to", "confidence", "sources")

TEMPLATES = [
    types.ResourceTemplate(
        uri_template=f"{MEMORY}{{id}}", name="memory", description="A memory, every field.",
        mime_type=JSON,
    ),
    types.ResourceTemplate(
        uri_template=f"{FACT}{{subject}}", name="facts",
        description="What is so now of a subject.", mime_type=JSON,
    ),
]  # fmt: skip
PROMPTS = [
    types.Prompt(
        name="what_do_you_know", title="What do you know about …?",
        arguments=[types.PromptArgument(
            name="subject", description="Whom or what it is about.", required=True
        )],
    ),
    types.Prompt(name="tidy_up", title="Tidy up the memories", arguments=[]),
]  # fmt: skip
WORDS = {
    "what_do_you_know": "What do you know about {subject}? Use `recall`, name the source of each "
    "statement, and say plainly what is not known.",
    "tidy_up": "Look through the memories with `recall` and `ask_memory`. Propose what is said "
    "twice, is over, or contradicts something newer. Show each change with `preview` first, and "
    "run one with `confirm` only when I have agreed to it.",
}
"""The text of each prompt, by its name."""


def listed(shared: SharedMemory) -> list[types.Resource]:
    """Return the resources: the schema, the newest memories, and the most frequent subjects."""
    with shared:
        view = shared.memory.view()
        recent = view.recent(_LISTED)
        subjects = view.vocabulary(_LISTED).subjects[:_LISTED]
    return [
        _source(SCHEMA, "schema", "The JSON Schema of run_program's programs.", SCHEMA_JSON),
        *(_source(f"{MEMORY}{each.id}", f"memory {each.id}", line(each.text)) for each in recent),
        *(_source(f"{FACT}{quote(each, safe='')}", line(each), "Facts.") for each in subjects),
    ]


def _source(uri: str, name: str, description: str, mime: str = JSON) -> types.Resource:
    return types.Resource(uri=uri, name=name, description=description, mime_type=mime)


def read(shared: SharedMemory, uri: str) -> tuple[str, str]:
    """Return the text and the media type of a resource. Raises ExecutionError "not-found"."""
    if uri == SCHEMA:
        return resources.read_text("schema", "ir.v1.schema.json"), SCHEMA_JSON
    with shared:
        if uri.startswith(MEMORY):
            held = _memory(shared, cited(unquote(uri.removeprefix(MEMORY))))
        elif uri.startswith(FACT):
            held = _facts(shared, unquote(uri.removeprefix(FACT)))
        else:
            raise ExecutionError("not-found", f"there is no resource {line(uri)}")
    return json.dumps(held, ensure_ascii=False, indent=1), JSON


def _memory(shared: SharedMemory, id_: str) -> Mapping[str, Any]:
    record = shared.memory.show(id_)
    if record is None or record.deleted:
        raise ExecutionError("not-found", f"there is no memory {line(id_)} to read")
    return record.as_dict()


def _facts(shared: SharedMemory, subject: str) -> Mapping[str, Any]:
    """The current facts of a subject that are not archived."""
    ledger = shared.memory.ledger.still()
    facts = [
        as_row(fact, _FACT) for fact in held_on(ledger, subject).facts
        if state_of(fact, ledger.now()) == "current" and not fact.archived
    ]  # fmt: skip
    return {"subject": name_key(subject), "facts": facts}
