"""Arguments: what a request tells of an op's args, by code; only what it leaves open is asked for.

One function an op, from a step to ``Told``. What tells an argument ("as 'urgent'", "in three days")
is not part of what the request is about, so its place is told, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from text2mem.planner.evidence import Mention
from text2mem.planner.requests import Span, Step

Raw = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """The args that a request tells, and where. ``complete``: there is nothing left to ask for."""

    args: Raw
    spans: tuple[Span, ...] = ()
    complete: bool = True


def told(op: str, step: Step) -> Told:
    """What a step tells of the args of an op that takes a target."""
    return _BY_OP[op](step)


def _spans(*mentions: Mention) -> tuple[Span, ...]:
    return tuple((mention.start, mention.end) for mention in mentions)


# --- importance ----------------------------------------------------------------------------

_MOST = re.compile(
    r"\b(?:top|highest|urgent|urgency|critical|max\w*|p0|most important)\b|最高|最优先|最重要|紧急|首要|置顶|第一|首位",
    re.IGNORECASE,
)


def _promote(step: Step) -> Told:
    rules = step.of("recurrence")
    if rules:
        return Told({"remind": rules[0].value}, _spans(*rules))
    exact = step.of("weight") or step.of("weight_delta")
    if exact:
        return Told({exact[0].kind: abs(exact[0].value)}, _spans(*exact))
    levels = [m for m in step.of("priority") if m.value in ("high", "urgent")]
    if levels:
        return Told({"priority": levels[0].value}, _spans(*levels))
    found = _MOST.search(step.words)
    return Told({"priority": "urgent" if found else "high"})


_ARCHIVE = re.compile(r"archiv|\b(?:storage|shel[fv]|mothball|retire|away)|归档|存档|档案|封存", re.IGNORECASE)  # fmt: skip


def _demote(step: Step) -> Told:
    exact = [m for m in step.of("weight", "weight_delta")]
    if _ARCHIVE.search(step.words) or step.flagged("archive"):
        return Told({"archive": True})
    if exact:
        value = exact[0].value
        return Told({exact[0].kind: -abs(value) if exact[0].kind == "weight_delta" else value},
                    _spans(*exact))  # fmt: skip
    levels = [m for m in step.of("priority") if m.value in ("low", "normal")]
    return Told({"priority": levels[0].value if levels else "low"}, _spans(*levels))


# --- tags ----------------------------------------------------------------------------------

_REMOVE = re.compile(
    r"^\W*(?:\w+\W+){0,3}?(?:remove|drop|delete|take|untag|unlabel|strip|peel|clear|stop|detach|erase|get rid)\b"
    r"|去掉|移除|删除|删掉|取消|撕掉|拿掉|摘掉",
    re.IGNORECASE,
)
_REPLACE = re.compile(
    r"\b(?:exchange|replace|swap|only|instead of|nothing but|switch)\b|换成|替换|只(?:留|有|要|剩)|改成只|全部换",
    re.IGNORECASE,
)
_AS = re.compile(
    r"\b(?:as|with|under|to|into|for|by|be)\s+(?:being |a |an |the |category |tag |label )?(?P<name>[^.,;:!?\"'“”‘’]{2,40}?)"
    r"(?=\s+(?:for|to|so|since|because|in order|and|in the|on|by|when|until)\b|[.,;:!?]|$)",
    re.IGNORECASE,
)
_AS_ZH = re.compile(
    r"(?:标记|标注|标识|归类|分类|标|归|设)(?:为|成|到|作|在)(?:一个|“|‘)?(?P<name>[^，。；！？“”‘’\"']{2,16}?)(?:标签|类别?|之列)?(?=[，。；！？吗吧]|$)|"
    r"(?:打上?|加上?|贴上?|添加|加个|打个|贴个)(?:个|一个)?(?P<other>[^，。；！？“”‘’\"'的]{2,12}?)(?:的)?标签"
)


def _label(step: Step) -> Told:
    quotes = [q for q in step.own("quote") if not _names_target(step, q)]
    mode = "add"
    if _REMOVE.search(step.words):
        mode = "remove"
    elif _REPLACE.search(step.words):
        mode = "replace"
    if quotes:
        return Told({"tags": [q.value for q in quotes], "mode": mode}, _spans(*quotes))
    pattern = _AS_ZH if re.search(r"[\u3400-\u9fff]", step.words) else _AS
    matches = list(pattern.finditer(step.words))
    if matches:
        found = matches[-1] if pattern is _AS else matches[0]
        group = "name" if found.group("name") else "other"
        start, end = found.span(group)
        place = step.clause.start
        return Told(
            {"tags": [found.group(group).strip()], "mode": mode}, ((place + found.start(), place + end),)
        )  # fmt: skip
    return Told({"mode": mode}, (), complete=False)


def _names_target(step: Step, quote: Mention) -> bool:
    """Whether a quotation says which memories are meant, not what they get."""
    tagged = [m for m in step.own("tag", "facet") if m.start <= quote.start and quote.end <= m.end]
    if not tagged:
        return False
    before = step.evidence.utterance[step.clause.start : tagged[0].start]
    # "Tag the notes labelled 'x' as 'y'": a mention of a noun; "tag it 'x'": the request itself.
    return bool(re.search(r"[A-Za-z]{2,}\W+(?:\w+\W+)+|[\u3400-\u9fff]{2,}", before)) or not _gives(step)


def _gives(step: Step) -> bool:
    return bool(re.match(r"(?:un)?(?:tag|label|mark|flag|classif|categor|file)", step.words[step.head.start :].lstrip(), re.I))  # fmt: skip


# --- taking apart, putting together --------------------------------------------------------


def _merge(step: Step) -> Told:
    args: Raw = {"strategy": "merge_into_primary"}
    if step.flagged("keep-original"):
        args["soft_delete_children"] = False
    return Told(args)


_CUSTOM = re.compile(r"\b(?:topics?|subjects?|themes?|speakers?|categor\w+|by\s+(?!sentence|paragraph|line))\b|主题|话题|类别|按(?!句|段)", re.I)  # fmt: skip
_CHUNKS = re.compile(r"\b(?:paragraphs?|chunks?|characters?|pieces of)\b|段落|按段|每段|分段", re.IGNORECASE)


def _split(step: Step) -> Told:
    sentences, characters = step.of("sentences"), step.of("characters")
    overlap = step.of("overlap")
    args: Raw
    if sentences:
        args = {"strategy": "by_sentences", "params": {"max_sentences": sentences[0].value}}
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
    return Told(args, _spans(*sentences, *characters, *overlap))


# --- ends, locks ---------------------------------------------------------------------------


def _delete(step: Step) -> Told:
    args: Raw = {}
    ages = step.of("age")
    if ages:
        args.update(ages[0].value)
    if step.flagged("permanent"):
        args["soft"] = False
    return Told(args, _spans(*ages))


_UNLOCK = re.compile(
    r"\bunlock|\bunfreeze|\bunprotect|\b(?:remove|lift|release|drop|take off|take|undo|end)\b.{0,40}?\b(?:lock|protection)|"
    r"解锁|(?:解除|取消|去掉|撤销|撤掉|松开).{0,40}?(?:锁|保护|限制)",
    re.IGNORECASE,
)
_APPEND = re.compile(r"append|add(?:ed)? (?:to|but)|追加|只许加|只能加", re.IGNORECASE)


def _lock(step: Step) -> Told:
    modes = step.of("lock_mode")
    if modes:
        mode = modes[0].value
    elif _UNLOCK.search(step.words):
        mode = "none"
    else:
        mode = "append_only" if _APPEND.search(step.words) else "read_only"
    args: Raw = {"mode": mode}
    reviewers, ends = step.of("reviewer"), step.of("deadline", "duration")
    policy: Raw = {}
    if reviewers:
        policy["reviewers"] = [m.value for m in reviewers]
    if ends and ends[0].kind == "deadline" and mode != "none":
        policy["expires"] = ends[0].value
    if policy:
        args["policy"] = policy
    return Told(args, _spans(*reviewers, *ends[:1]))


_ENDINGS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"anonymi[sz]|匿名|脱敏", re.I), "anonymize"),
    (re.compile(r"permanent|for good|no trace|irrevocabl|wiped?|彻底|永久|不留", re.I), "hard_delete"),
    (re.compile(r"archiv|demot|lower|less important|归档|存档|降", re.I), "demote"),
)


def _expire(step: Step) -> Told:
    when = step.own("deadline", "duration") or step.of("deadline", "duration", "moment")
    args: Raw = {}
    for pattern, ending in _ENDINGS:
        if pattern.search(step.words):
            args["on_expire"] = ending
            break
    if not when:
        return Told(args, complete=False)
    args["ttl" if when[0].kind == "duration" else "until"] = when[0].value
    return Told(args, _spans(when[0]))


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
    return Told(args, _spans(*instants))


def _summarize(step: Step) -> Told:
    read = _read(step)
    focus, tokens, languages = step.of("focus"), step.of("tokens"), step.of("language")
    args = dict(read.args)
    if focus:
        args["focus"] = focus[0].value
    if tokens:
        args["max_tokens"] = tokens[0].value
    if languages:
        args["lang"] = languages[0].value
    return Told(args, read.spans + _spans(*focus, *tokens, *languages))


_BY_OP: dict[str, Callable[[Step], Told]] = {
    "Label": _label,
    "Promote": _promote,
    "Demote": _demote,
    "Merge": _merge,
    "Split": _split,
    "Delete": _delete,
    "Lock": _lock,
    "Expire": _expire,
    "Retrieve": _read,
    "Summarize": _summarize,
}
