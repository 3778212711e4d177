"""An answer from the context alone: a model writes it, code checks it, and stands in for it.

A model's answer counts where it cites lines of the context, says nothing that these do not say,
and, where exact state answers, says that. Else the answer is what exact state says, or that it is
not known. Lines that read like orders are kept from the model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from text2mem.errors import ModelOutputError
from text2mem.ir.segment import HAN
from text2mem.ir.values import as_text
from text2mem.ledger.recall.context import labels, one_line
from text2mem.ledger.recall.recalled import Answer, Line, Recalled
from text2mem.ledger.recall.support import bears_out, is_unknown, says
from text2mem.prompts import load
from text2mem.providers.base import Provider, Request, Sampling

UNKNOWN, UNKNOWN_ZH = "I don't know", "不知道"
_MOST_CITED = 8
_MOST_TOKENS = 160
_LONGEST = 300
"""Characters of a question that are shown to a model, and of an answer that is taken."""
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|question|rule|prompt|above"
    r"|previous|everything|all)|\b(?:system|assistant|developer)\s*(?:prompt|message|note)?\s*[:：]"
    r"|\b(?:you (?:are now|must now|must answer|must reply)|from now on"
    r"|answer (?:to )?(?:every|all|any|each|with)"
    r"|(?:always|only) (?:say|answer|reply|respond)|(?:say|reply|respond) (?:only|with)|new rule)\b"
    r"|(?:忽略|无视|不要理会|忘掉).{0,16}(?:指令|指示|问题|规则|以上|之前|前面|提示)"
    r"|(?:从现在(?:起|开始)|一律|只能|必须|请)(?:你|都)?(?:回答|回复|说|答)|系统(?:提示|消息|指令)?[:：]"
    r"|你现在是|新规则",
    re.IGNORECASE,
)  # fmt: skip


def answered(recalled: Recalled, provider: Provider | None = None) -> Recalled:
    """The same with an answer: a model's where there is one and its lines bear it out."""
    by_code = told(recalled)
    if provider is None or not recalled.lines:
        return replace(recalled, answer=by_code)
    shown = [line for line in recalled.lines if not _ORDERS.search(line.text)]
    if not shown:
        return replace(recalled, answer=by_code)
    return replace(recalled, answer=_asked(recalled, shown, by_code, provider))


def told(recalled: Recalled) -> Answer:
    """What exact state says, in a sentence; that it is not known where that says nothing."""
    words = recalled.question or f"{recalled.subject}{recalled.attribute}"
    chinese = HAN.search(words) is not None
    if not recalled.values:
        return Answer(UNKNOWN_ZH if chinese else UNKNOWN, known=False)
    shown = {record.id for record in recalled.facts}
    cited = labels([line for line in recalled.lines if shown.intersection(line.records)])
    return Answer(_sentence(recalled, chinese), cited)


def _sentence(recalled: Recalled, chinese: bool) -> str:
    if recalled.attribute is None:
        said = (f"{_name(fact.attribute or '')}: {_value(fact.value)}" for fact in recalled.facts)
        return ("；" if chinese else "; ").join(said) + ("。" if chinese else ".")
    values = [_value(value) for value in recalled.values]
    if recalled.subject is None:
        values = [_name(value) for value in values]
    several = _listed(values, chinese)
    if recalled.subject is None:
        return f"{several}{'。' if chinese else '.'}"
    past = recalled.mode == "point-in-time"
    who = recalled.subject
    path = [*recalled.via, recalled.attribute]
    if chinese:
        owned = "的".join(_name(part) for part in (who, *path))
        return f"{owned}{'当时' if past else ''}是{several}。"
    verb = ("were" if past else "are") if len(values) > 1 else ("was" if past else "is")
    owner = "the user" if who == "user" else _name(who).title()
    path_said = "".join(f"{_name(part)} of " for part in reversed(path))
    return f"The {path_said}{owner} {verb} {several}."


def _listed(values: Sequence[str], chinese: bool) -> str:
    if chinese:
        return "、".join(values)
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"


def _value(value: Any) -> str:
    return one_line(as_text(value))


def _name(name: str) -> str:
    return name.replace("_", " ")


# --- a model's answer ----------------------------------------------------------------------


def _asked(
    recalled: Recalled, shown: Sequence[Line], by_code: Answer, provider: Provider
) -> Answer:
    """The model's answer where it holds, else what code says."""
    question = one_line(recalled.question or _in_words(recalled))[:_LONGEST]
    memories = "\n".join(line.text for line in shown)
    turns = load("answer").filled(memories=memories, question=question)
    sampling = Sampling(max_tokens=min(_MOST_TOKENS, provider.profile.max_output))
    request = Request(turns, _schema(labels(shown)), sampling=sampling)
    try:
        completion = provider.complete(request)
    except ModelOutputError:
        return by_code
    text, cites = _parts(completion.data)
    used = [line for line in shown if cites.intersection(line.citations)]
    answer = by_code
    if not is_unknown(text):
        answer = replace(by_code, refused=text)
        if used and _holds(text, used, question, recalled):
            cited = tuple(label for label in labels(used) if label in cites)
            answer = Answer(text, cited, by="model")
    usage = completion.usage
    return replace(answer, prompt=usage.prompt, output=usage.output)


def _holds(text: str, used: Sequence[Line], question: str, recalled: Recalled) -> bool:
    exact = recalled.found == "exact"
    lines = " ".join(line.text for line in used if exact or not line.old)
    if not bears_out(lines, text, question):
        return False
    return all(says(text, value) for value in recalled.values)


def _parts(data: Any) -> tuple[str, set[str]]:
    if not isinstance(data, Mapping):
        return "", set()
    text, cites = data.get("answer"), data.get("citations")
    said = one_line(text)[:_LONGEST] if isinstance(text, str) else ""
    return said, {cite for cite in cites if isinstance(cite, str)} if isinstance(
        cites, list
    ) else set()


def _schema(cited: Sequence[str]) -> dict[str, Any]:
    """What an answer looks like: a text, and labels of this context."""
    return {
        "type": "object",
        "properties": {
            "answer": {"type": "string", "maxLength": _LONGEST},
            "citations": {
                "type": "array", "maxItems": _MOST_CITED,
                "items": {"type": "string", "enum": list(cited)},
            },
        },
        "required": ["answer", "citations"],
        "additionalProperties": False,
    }  # fmt: skip


def _in_words(recalled: Recalled) -> str:
    """The question of a caller who named what is asked."""
    path = [name for name in (recalled.subject, *recalled.via, recalled.attribute) if name]
    return ".".join(path) + "?"
