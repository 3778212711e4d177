"""Diagnostics: violations of a document, each with its code, place, message and hint.

The codes are part of the API; ``docs/error-codes.md`` is generated from them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from text2mem.ir.record import AsJson

CODES: dict[str, str] = {
    # structure
    "not-json": "The text is not JSON.",
    "not-a-program": "The document is not an instance and not a non-empty list of instances.",
    "too-deep": "The document is nested too deeply to be read.",
    "not-finite": "A number that is no finite one: NaN or infinity.",
    "not-unicode": "A text holds half of a character (a lone surrogate).",
    "unknown-op": "`op` is not one of the twelve verbs.",
    "unknown-key": "A key that this object does not have.",
    "missing-key": "A key that this object must have is absent.",
    "wrong-type": "A value of another JSON type than the field takes.",
    "not-allowed": "A value outside the field's list of values.",
    "out-of-range": "A number outside the field's bounds.",
    "bad-length": "A string, list or object that is too short or too long.",
    "bad-pattern": "A string that does not have the form that the field takes.",
    # one object
    "stage-mismatch": "`stage` is not the stage that the op belongs to.",
    "target-one-selector": "A target has exactly one of ids, filter, search, all.",
    "filter-empty": "A filter has at least one condition.",
    "intent-one": "A search intent has exactly one of query, vector.",
    "payload-one": "Content is exactly one of text, url, structured.",
    "label-empty": "Label names at least one tag or facet, unless it replaces.",
    "weight-one": "At most one of priority, weight, weight_delta.",
    "promote-empty": "Promote has a priority, weight, weight_delta or remind.",
    "demote-one": "Demote has exactly one of archive, priority, weight, weight_delta.",
    "expire-one-horizon": "Expire has exactly one horizon: ttl or until.",
    "update-one": "Update has exactly one of replace, set.",
    "update-empty": "Update sets at least one field.",
    "remind-one": "A reminder has at, rrule, or both.",
    "remind-start": "Only a reminder by a rule has a start.",
    "remind-until": "Only a reminder by a rule has an until.",
    # values
    "unreadable-time": "A time that is neither ISO 8601 nor a phrase that can be read.",
    "unreadable-duration": "A duration that is neither ISO 8601 nor a phrase that can be read.",
    "horizon-past": "A horizon that is not in the future.",
    "range-reversed": "A range whose end lies before its start.",
    "range-form": "A time range is start/end, or relative with amount and unit.",
    "unknown-priority": "A priority that is no level and no known alias.",
    "delta-sign": "A weight_delta whose sign does not suit the verb.",
    "bad-rrule": "A recurrence rule that RFC 5545 does not allow.",
    "rrule-exhausted": "A recurrence rule without an occurrence after now.",
    "blank-tag": "A tag without a visible character.",
    # several fields or steps
    "merge-one-memory": "Merge needs a primary and at least one other memory.",
    "split-params": "Split params that do not fit the strategy.",
    "policy-conflict": "A lock policy that allows and denies the same op.",
    "unlock-policy": "Unlocking (mode none) takes no policy.",
    "forward-reference": "A step reference that does not point backwards.",
    "search-needs-limit": "A write that searches says how many hits it may take.",
    # the request, where a planner compares a draft with it
    "unsupported-by-request": "The request asks for no such op, or not for that much.",
    # the draft, where a planner links and computes
    "several-fit": "Several memories fit the words of a step that means one.",
    "some-of-many": "A step means more memories than can be named one by one.",
    "words-not-found": "The memory does not say the words that are to go.",
    "not-the-next": "A reminder leaves out times that are not the next ones.",
    "rings-once": "A reminder of what recurs for which no rule can be written.",
    "says-already": "The memory says already what a step would have it say.",
    "nothing-found": "The store holds no memory of what a step names.",
    # the effect on the store, where a planner tries a draft
    "empty-selection": "The target selects nothing.",
    "selects-everything": "The target selects every memory, which was not asked for.",
    "refused-by-store": "The store would refuse the step.",
    # the caller
    "actor-mismatch": "`meta.actor` is not the actor of the execution context.",
}
"""The codes of ``Diagnostic`` and their meanings."""

REFUSALS: dict[str, str] = {
    "not-found": "An id that does not exist, or that the caller may not read.",
    "denied": "A fact that the policy does not keep, by its value.",
    "not-writable": "The caller may read the memory and may not change it.",
    "locked": "A lock stands in the way of the op.",
    "needs-confirmation": "A wide write: look at a dry run, then confirm.",
    "out-of-calendar": "A length that counts from the program's instant leads out of the calendar.",
    "over-cap": "One write would change more memories than the cap allows.",
    "merge-one-memory": "The target of a Merge holds no other memory than the primary.",
    "facts-not-mergeable": "Merge refuses facts.",
    "facts-not-splittable": "Split refuses facts.",
    "words-not-found": "Update replaces words that the text of a memory does not hold.",
    "nothing-left": "Update replaces words so that nothing would be left of the text.",
    "not-a-fact": "Update sets a value on a memory that is not a fact.",
    "fact-content": "Update sets another content than its value on a fact.",
    "superseded-fact": "Update sets a value on a past version of a fact.",
    "pending-fact": "Update sets a value on a fact that waits for confidence.",
    "fact-overlap": "Two versions of a fact would hold at the same time.",
    "value-type": "A value of another type than the registry declares for the attribute.",
    "no-embedder": "A search by a vector, on a store without vectors.",
    "vector-dimension": "A vector of another dimension than those of the store.",
    "no-splitter": "A custom Split, without a service that cuts.",
    "no-summariser": "A Summarize, without a summariser.",
    "store-moving": "The store changed under every preparation of the program.",
    "other-program": "The basis is that of another program, caller or time zone.",
    "store-moved": "The store has changed since the dry run whose basis the run is given.",
    "trace-taken": "The trace id that a program names is that of another caller's program.",
    "no-such-trace": "The journal has no program of this trace id.",
    "undo-conflict": "What an undo would restore has been changed since.",
    "undo-erased": "The program only erased or anonymised, which cannot be undone.",
}
"""The codes of ``ExecutionError``, for a legal program that is refused, and their meanings."""


@dataclass(frozen=True, slots=True)
class Diagnostic(AsJson):
    """One violation. ``pointer`` is a JSON Pointer (RFC 6901) into the document as written."""

    code: str
    pointer: str
    message: str
    hint: str = ""
    severity: Literal["error", "warning"] = "error"

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"undeclared diagnostic code '{self.code}'")


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """The diagnostics as text, one per line: for the repair prompt, command line and trace."""
    return "\n".join(
        f"{d.pointer or '/'}: {d.message}{f' — {d.hint}' if d.hint else ''} [{d.code}]"
        for d in diagnostics
    )
