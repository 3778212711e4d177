"""Arguments: what a request tells of an op's args, by code; only what it leaves open is asked for.

One function an op, from a step to ``Told``. What tells an argument ("as 'urgent'", "in three days")
is not part of what the request is about, so its place is told, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from text2mem.ir.segment import HAN
from text2mem.ir.temporal import read_duration
from text2mem.planner.evidence import Mention
from text2mem.planner.labels import labels
from text2mem.planner.reads import fields
from text2mem.planner.requests import Span, Step
from text2mem.planner.told import Raw, Told, spans

__all__ = ["Told", "told"]


def told(op: str, step: Step) -> Told:
    """What a step tells of the args of an op that takes a target."""
    return _BY_OP[op](step)


# --- importance ----------------------------------------------------------------------------

_MOST = re.compile(
    r"\b(?:top|highest|urgent|urgency|critical|max\w*|p0|most important)\b"
    r"|最高|最优先|最重要|紧急|首要|置顶|第一|首位",
    re.IGNORECASE,
)


def _promote(step: Step) -> Told:
    rules, exact = step.own("recurrence"), _weight(step)
    levels = [m for m in step.own("priority") if m.value in ("high", "urgent")]
    if not (rules or exact or levels):
        rules = step.of("recurrence")
        exact = _told_weight(step.of("weight", "weight_delta"))
        levels = [m for m in step.of("priority") if m.value in ("high", "urgent")]
    args: Raw = {"remind": rules[0].value} if rules else {}
    if exact:
        args[exact.kind] = abs(exact.value)
    elif levels:
        args["priority"] = levels[0].value
    elif not rules:
        args["priority"] = "urgent" if _MOST.search(step.words) else "high"
    return Told(args, (*spans(*rules, *levels), *((exact.at,) if exact else ())))


@dataclass(frozen=True, slots=True)
class _Weight:
    """A weight, or by how much it changes, and where that is said."""

    kind: str
    value: float
    at: Span


_NUMBER = re.compile(r"(?<![\d.])(?:0?\.\d{1,3}|1\.0)(?!\d)")
_WEIGHS = re.compile(r"\bweigh\w*|权重", re.IGNORECASE)


def _weight(step: Step) -> _Weight | None:
    """The weight that a step tells; a bare number where it is asked for one."""
    if found := _told_weight(step.own("weight", "weight_delta")):
        return found
    number = _NUMBER.search(step.words)
    if number is None or not (step.answers or _WEIGHS.search(step.words)):
        return None
    place = step.clause.start
    kind = "weight_delta" if step.answers else "weight"
    return _Weight(kind, float(number[0]), (place + number.start(), place + number.end()))


def _told_weight(mentions: Sequence[Mention]) -> _Weight | None:
    if not mentions:
        return None
    first = mentions[0]
    return _Weight(first.kind, first.value, (first.start, first.end))


_ARCHIVE = re.compile(
    r"\b(?:storage|shel[fv]\w*|mothball\w*|retire|away|out of (?:the way|sight|my sight))\b"
    r"|归档|存档|档案|封存|用不上|用不到|收起来",
    re.IGNORECASE,
)


def _demote(step: Step) -> Told:
    exact = _weight(step)
    levels = [m for m in step.own("priority") if m.value in ("low", "normal")]
    archives = any(m.value == "archive" for m in step.own("flag"))
    if not (exact or levels or archives):
        exact = _told_weight(step.of("weight", "weight_delta"))
        levels = [m for m in step.of("priority") if m.value in ("low", "normal")]
        archives = step.flagged("archive")
    if exact:
        size = -abs(exact.value) if exact.kind == "weight_delta" else exact.value
        return Told({exact.kind: size}, (exact.at,))
    if archives or (not levels and _ARCHIVE.search(step.words)):
        return Told({"archive": True}, spans(*levels))
    return Told({"priority": levels[0].value if levels else "low"}, spans(*levels))


# --- taking apart, putting together --------------------------------------------------------


def _merge(step: Step) -> Told:
    args: Raw = {"strategy": "merge_into_primary"}
    if step.flagged("keep-original"):
        args["soft_delete_children"] = False
    return Told(args)


_CUSTOM = re.compile(
    r"\b(?:topics?|subjects?|themes?|speakers?|categor\w+|by\s+(?!sentence|paragraph|line))\b|主题|"
    r"话题|类别|按(?!句|段)",
    re.IGNORECASE,
)
_CHUNKS = re.compile(r"\b(?:paragraphs?|chunks?|characters?)\b|段落|按段|每段|分段", re.IGNORECASE)


def _split(step: Step) -> Told:
    sentences, characters = step.of("sentences"), step.of("characters")
    overlap = step.of("overlap")
    args: Raw
    if sentences and not characters:
        args = {"strategy": "by_sentences", "params": {"max_sentences": sentences[-1].value}}
    elif characters:
        args = {"strategy": "by_chunks", "params": {"chunk_size": characters[0].value}}
        if overlap:
            args["params"]["overlap"] = overlap[0].value
    elif _CUSTOM.search(step.words):
        args = {"strategy": "custom", "params": {"instruction": step.words}}
    elif _CHUNKS.search(step.words):
        args = {"strategy": "by_chunks"}
    else:
        args = {"strategy": "by_sentences"}
    if step.flagged("keep-original"):
        args["keep_parent"] = True
    return Told(args, spans(*sentences, *characters, *overlap))


# --- ends, locks ---------------------------------------------------------------------------


def _delete(step: Step) -> Told:
    args: Raw = {}
    ages = step.of("age")
    if ages:
        args.update(ages[0].value)
    if step.flagged("permanent"):
        args["soft"] = False
    return Told(args, spans(*ages))


_UNLOCK = re.compile(
    r"\bunlock|\bunfreeze|\bunprotect|\b(?:remove|lift|release|drop|take off|take|undo|"
    r"end)\b.{0,40}?"
    r"\b(?:lock|protection)|解锁|(?:解除|取消|去掉|撤销|撤掉|松开).{0,40}?(?:锁|保护|限制)",
    re.IGNORECASE,
)
_APPEND = re.compile(
    r"append|add(?:ed)? (?:to|but)|\badditions?\b|追加|只许加|只能(?:往里)?加|往里加", re.IGNORECASE
)


def _lock(step: Step) -> Told:
    modes = step.own("lock_mode") or step.of("lock_mode")
    reviewers, ends = step.of("reviewer"), step.of("deadline", "duration")
    modes = tuple(m for m in modes if not any(_may(one, m, step) for one in reviewers))
    if _APPEND.search(step.words) and all(m.value != "none" for m in modes):
        mode = "append_only"
    elif modes:
        mode = modes[0].value
    elif _UNLOCK.search(step.words) and not reviewers:
        mode = "none"
    else:
        mode = "read_only"
    args: Raw = {"mode": mode}
    policy: Raw = {}
    if reviewers:
        policy["reviewers"] = list(dict.fromkeys(m.value for m in reviewers))
    if ends and mode != "none":
        policy["expires"] = _end(ends[0].kind, ends[0].value)
    if policy:
        args["policy"] = policy
    return Told(args, spans(*reviewers, *ends[:1]))


def _may(reviewer: Mention, mode: Mention, step: Step) -> bool:
    """Whether "unlock" is said of who may do it: "with Jonas as the one to unlock it"."""
    between = step.evidence.utterance[reviewer.end : mode.start]
    return (
        mode.value == "none"
        and mode.start >= reviewer.end
        and not re.search(r"[,.;，。；]", between)
    )


_UNITS = {"D": "days", "W": "weeks", "M": "months", "Y": "years"}
_PLAIN = re.compile(r"P(\d+)([DWMY])|PT(\d+)([HM])")


def _end(kind: str, value: str) -> str:
    """An instant as a lock takes it, also for a length from now."""
    found = _PLAIN.fullmatch(value)
    if kind == "deadline" or found is None:
        return value
    if found[1]:
        return f"in {found[1]} {_UNITS[found[2]]}"
    return f"in {found[3]} {'hours' if found[4] == 'H' else 'minutes'}"


_ENDINGS: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("anonymise", re.compile(r"anonymi[sz]|personal (?:data|details|"
                             r"information)|匿名|脱敏", re.I), "anonymize"),
    ("permanent", re.compile(r"permanent|for good|no trace|irrevocabl|"
                             r"wiped?|彻底|永久|不留", re.I), "hard_delete"),
    ("archive", re.compile(r"archiv|demot|less important|归档|存档|降低|降级", re.I), "demote"),
)  # fmt: skip


_WHEN = re.compile(
    r"\b(?:expires?|lapses?|runs? out|disappears?|ends?)\b.*$|\b(?:until|till|by|at|"
    r"after)\b[^,.;]*$"
    r"|(?:到|至|等到|在)?[^，。；]{1,12}(?:之后|以后|后|时候?)(?:就|再|自动)?(?:过期|失效|到期|作废).*$",
    re.IGNORECASE,
)


def _expire(step: Step) -> Told:
    when = step.own("deadline", "duration") or step.of("deadline", "duration", "moment")
    args: Raw = {}
    for flag, pattern, ending in _ENDINGS:
        if step.flagged(flag) or pattern.search(step.words):
            args["on_expire"] = ending
            break
    if not when and (length := _length(step, args)):
        return length
    if not when:
        # What is left after the asking words tells when, in words that only a model may know.
        found = _WHEN.search(step.words)
        place = step.clause.start
        spoken = ((place + found.start(), place + found.end()),) if found else ()
        return Told(args, spoken, complete=False)
    args["ttl" if when[0].kind == "duration" else "until"] = when[0].value
    return Told(args, spans(when[0]))


_LENGTH = re.compile(
    r"\b(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) "
    r"(?:minutes?|hours?|days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)


def _length(step: Step, args: Raw) -> Told | None:
    """A length that is the only one of its step: "give the note three months"."""
    found = list(_LENGTH.finditer(step.words))
    if len(found) != 1:
        return None
    place = step.clause.start
    length = read_duration(found[0].group()).isoformat()
    return Told({"ttl": length, **args}, ((place + found[0].start(), place + found[0].end()),))


# --- reads ---------------------------------------------------------------------------------


def _read(step: Step) -> Told:
    args: Raw = {}
    if step.flagged("include-archived"):
        args["include_archived"] = True
    if step.flagged("include-deleted"):
        args["include_deleted"] = True
    instants = step.of("as_of")
    if instants:
        args["as_of"] = instants[0].value
    return Told(args, spans(*instants))


def _retrieve(step: Step) -> Told:
    read = _read(step)
    names, places = fields(step)
    if names:
        read.args["include"] = list(names)
    return Told(read.args, (*read.spans, *places))


def _summarize(step: Step) -> Told:
    read = _read(step)
    focus, tokens, words = step.of("focus"), step.of("tokens"), step.of("words")
    languages = step.of("language")
    args = dict(read.args)
    if focus:
        args["focus"] = focus[0].value
    if tokens:
        args["max_tokens"] = tokens[0].value
    elif words:
        args["max_tokens"] = _tokens(words[0].value, step.words)
    if languages:
        args["lang"] = languages[0].value
    return Told(args, read.spans + spans(*focus, *tokens, *words, *languages))


def _tokens(words: int, said: str) -> int:
    """About how many tokens so many words have; a Chinese character is one."""
    return words if HAN.search(said) else ceil(words * 4 / 3)


_BY_OP: dict[str, Callable[[Step], Told]] = {
    "Label": labels,
    "Promote": _promote,
    "Demote": _demote,
    "Merge": _merge,
    "Split": _split,
    "Delete": _delete,
    "Lock": _lock,
    "Expire": _expire,
    "Retrieve": _retrieve,
    "Summarize": _summarize,
}
