"""How English speaks of memories: noun phrases, back-references, sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from text2mem_bench.generate.model import Slot, Target

_AROUND = {
    "topic": "about {}", "tagged": "{}", "tagged_any": "{}", "marked": "tagged {}",
    "not_tagged": "that aren't tagged {}", "subject": "about {}", "location": "from {}",
    "in_status": "with the status {}", "range": "from {}",
}  # fmt: skip


def forms(target: Target, text: Callable[[Slot], str]) -> dict[str, str]:
    """The phrases that templates take of a target; ``text`` writes a part of it."""
    parts = {name: text(slot) for name, slot in target.parts.items()}
    agreement = _agreement(target.single)
    if "query" in parts:
        return {"query": parts["query"], **agreement}
    if "about" in parts:
        return {"target": f"the note about {parts['about']}", **agreement}
    if target.noun == "report":
        return {"target": f"the report on {parts['topic']}", **agreement}
    if "all" in parts:
        return {"target": parts["all"], **_agreement(True)}
    post = _post(parts, leave_out=target.condition)
    noun = parts.get("type", target.noun)
    found = {
        "target": f"{target.determiner} {noun} {_post(parts)}", "noun": noun, "post": _post(parts),
        "any": f"any {noun} {_post(parts)}", "some": f"some {noun} {_post(parts)}",
        "base": f"my {noun} {post}", **agreement,
    }  # fmt: skip
    if target.condition:
        found["cond"] = _predicate(target.condition, parts[target.condition])
    if "count" in parts:
        noun = _singular(target.noun) if target.single else noun
        found["latest"] = f"the {parts['count']} {noun} {_post(parts)}"
        found["latest_one"] = f"the {parts['count']}" + (" one" if target.single else "")
    return found


def _singular(noun: str) -> str:
    return noun[:-3] + "y" if noun.endswith("ies") else noun[:-1]


def _post(parts: Mapping[str, str], *, leave_out: str = "") -> str:
    """What follows the noun."""
    said = [
        form.format(parts[name])
        for name, form in _AROUND.items()
        if name in parts and name != leave_out
    ]
    return " ".join(said)


def _predicate(name: str, part: str) -> str:
    return {
        "marked": "are tagged {}", "not_tagged": "aren't tagged {}", "range": "are from {}",
        "in_status": "have the status {}",
    }[name].format(part)  # fmt: skip


def pronoun(refers: str, text: Callable[[str], str]) -> dict[str, str]:
    """The phrases of what was spoken of before: one memory, several, or the parts of one."""
    said = {"memory": "it", "memories": "them", "parts": "the parts"}[refers]
    return {"target": text(said), **_agreement(refers == "memory")}


def _agreement(single: bool) -> dict[str, str]:
    return (
        {"them": "it", "they": "it", "are": "is", "have": "has", "s": "s"}
        if single
        else {"them": "them", "they": "they", "are": "are", "have": "have", "s": ""}
    )


_IT = "([\ue001-\uf8ff](?:it|them)\ue000)"
_ORDER: Sequence[tuple[re.Pattern[str], Any]] = (
    (re.compile(rf"\b(show|read) (me) {_IT}", re.IGNORECASE), r"\1 \3 to \2"),
    (re.compile(rf"\b(get) (me) {_IT}", re.IGNORECASE), r"\1 \3 for \2"),
    (re.compile(rf"\b(\w+) (away|back|up|down|out|together) {_IT}", re.IGNORECASE), r"\1 \3 \2"),
    (
        re.compile(rf"\bthe (\w+(?: date)?) (?:of|on) {_IT}"),
        lambda found: (
            f"{found[2][0]}{'its' if found[2][1:3] == 'it' else 'their'}\ue000 {found[1]}"
        ),
    ),
)
"""Where pronouns stand in English: "throw them away", "show them to me", "their date"."""


def finish(text: str) -> str:
    """A sentence with its capitals and blanks in place; marks stay where they are."""
    text = re.sub(r" {2,}", " ", text)
    for pattern, order in _ORDER:
        text = pattern.sub(order, text)
    text = re.sub(r" +([\ue000-\uf8ff]*[,.;:?!])", r"\1", text)
    text = re.sub(r"([.?!][\ue000-\uf8ff]*)\.(?=\s|$)", r"\1", text)
    return re.sub(
        r"(^|[.?!] )((?:[\ue000-\uf8ff])*)([a-z])",
        lambda found: found[1] + found[2] + found[3].upper(),
        text,
    )
