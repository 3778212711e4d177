"""Statements that put right what was said before: 不对，是31日; 不是A，是B."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from text2mem.ir.naming import fold
from text2mem.ir.record import Record
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.chinese import values
from text2mem.ledger.extraction.chinese.amending import amended, whole
from text2mem.ledger.extraction.chinese.claims import Basis
from text2mem.ledger.extraction.chinese.piece import Piece
from text2mem.ledger.extraction.chinese.scene import Scene

CUE = re.compile(
    r"不对(?!劲|称|外|他|她|我|[\u4e00-\u9fff]{1,8}过敏)|说错|记错|写错|打错|弄错|搞错|输错|填错|"
    r"报错(?!信息|了?吗)|看错|听错|念错|讲错|发错|口误|笔误|手误|手滑|"
    r"打反|写反|说反|记反|更正|纠正|订正|改正|搞混|弄混|记混|搞反|不好意思.{0,4}是|"
    r"应该是.{1,20}才对|才对$|才是$|打漏|漏了一|写成了|说成了|记成了"
)
_NOT_BUT = re.compile(
    r"^我?(?:之前|上次|刚才|刚刚|早前|先前|上回)(?:跟你)?说(?:的是|的|是)?[^,。]{1,16},(?:其实|"
    r"实际上?|应该)|"
    r"^[^,。是]{1,10},(?:而)?不是[^,。]{1,10}$|"
    r"^[^,。]{0,6}?(?:并?不是|不叫|不姓)[^,。]{1,20},(?:而|应该|其实)*(?:是|叫|姓)"
)
_SORRY = re.compile(
    r"^(?:哦|啊|呃|哎呀?|噢)*(?:等等|等下|等一下|啊|哎呀?|哦|噢|呃|抱歉|对不起|不好意思|不|不是|"
    r"错了|不对)[,。!]?$"
)
_ELLIPTIC = re.compile(
    r"^(?:其实|确切地说|准确说|正确的?|我是说|我的意思是|那个|其实应该|也就是|而)?(?:应该|本来|"
    r"其实|确实|正确的?)?"
    r"(?:是|为|叫|改成|改为|换成|写|在|姓)(?:的是)?(?P<v>[^,。]{1,40}?)(?:才对|才是)?$"
)
_TAIL = re.compile(
    r"^[^,。]{0,6}?(?P<v>(?:最后|末尾|后|尾号|尾数).{0,4}?(?:应该)?(?:是|为)?\d{1,6})$"
)
_DENIED = re.compile(
    r"^(?P<before>[^,。]{0,14}?)(?:并)?(?:不是|不叫|不在|不姓|不为|非)(?P<v>[^,。]{1,30}?)$"
)
_BOTH = re.compile(
    r"^(?P<before>[^,。]{0,14}?)(?:是|叫)(?P<v>[^,。是]{1,30}?)[,]?(?:而)?不是(?P<old>[^,。]{1,30}"
    r")$"
)
_AFTERWARDS = re.compile(r",(?:而|并)?(?:不是|不叫|不在|不姓)(?P<v>[^,。是]{1,20})$")
_DENYING = re.compile(
    r"(?<=[^,。是]{2})(?:,)?(?:而|并|可)?(?:不是|不叫|不在)(?P<v>[^,。是]{2,20})$"
)
_DONE = re.compile(r"(?:出生|生日|(?<=[日年号月])生|开始|入职|搬来?|到期|截止|来|去|进)的?$|的$")
_LOOK_BACK = 6


def cued(sentence: str) -> bool:
    """Whether a sentence says of itself that it corrects something."""
    return CUE.search(sentence) is not None or _NOT_BUT.match(sentence.rstrip("。!")) is not None


def sorry(clause: str) -> bool:
    """Whether a clause does no more than take something back."""
    return _SORRY.match(clause.strip()) is not None


def only(clause: str) -> bool:
    """Whether a clause says that something was wrong, and not what is right."""
    return (
        len(clause) <= 12 and CUE.search(clause) is not None and not re.search("是|改成|叫", clause)
    )


def without_denial(clause: Piece) -> tuple[Piece, str | None]:
    """端口是8088不是8080 in its two halves."""
    found = _DENYING.search(clause.plain)
    if found is None or not re.search("是|叫|在|用", clause.plain[: found.start()]):
        return clause, None
    return clause.part(0, found.start()), values.cleaned(clause.words(*found.span("v")))


def denied_after(sentence: str) -> str | None:
    """成都 of 我住在绵阳，不是成都."""
    found = _AFTERWARDS.search(sentence.rstrip("。!"))
    return _DONE.sub("", values.cleaned(found["v"])) if found else None


def denied(clause: str) -> tuple[str, str] | None:
    """What stands before 不是, and the value that is denied."""
    found = _DENIED.match(clause)
    if found is None:
        return None
    return found["before"], _DONE.sub("", values.cleaned(found["v"]))


def elliptic(clause: str) -> tuple[str, str | None] | None:
    """是81号: the right value, and the wrong one where it is said."""
    if found := _BOTH.match(clause):
        if len(found["before"]) <= 3:
            return values.cleaned(found["v"]), _DONE.sub("", values.cleaned(found["old"]))
        return None
    for pattern in (_TAIL, _ELLIPTIC):
        if found := pattern.match(clause):
            return _DONE.sub("", values.cleaned(found["v"])), None
    return None


def correction(
    said: str, wrong: str | None, basis: Basis, made: Sequence[Candidate], subject: str | None
) -> Candidate | None:
    """The candidate of an elliptic correction; ``made`` are those of the turn so far."""
    scene = basis.scene
    for one in reversed(made):
        if (value := _value(one.value, said, wrong, scene)) is not None and one.kind == "state":
            return replace(one, value=value, quote=basis.clause.span)
    for exact in (True, False):
        for fact in _recent(scene, subject, wrong):
            value = amended(fact.value, said, scene.days) if exact else None
            if exact and value is None:
                value = _swapped(fact.value, said, wrong)
            if not exact and (wrong is None or _holds(fact.value, wrong, scene)):
                value = whole(fact.value, said)
            if value is None or (wrong is not None and not _holds(fact.value, wrong, scene)):
                continue
            assert fact.subject is not None and fact.attribute is not None
            return Candidate(
                subject=fact.subject, attribute=fact.attribute, value=value, kind="correct",
                type=fact.type or "fact", replaces=fact.value, confidence=basis.confidence,
                quote=basis.clause.span,
            )  # fmt: skip
    return None


def corrected(candidate: Candidate, scene: Scene, wrong: str | None, *, sure: bool) -> Candidate:
    """A full statement as a correction of what is held, where something else is.

    ``sure``: the sentence says that it corrects something, whatever that is.
    """
    held = scene.facts(candidate.subject, candidate.attribute)
    others = [f for f in held if fold(str(f.value)) != fold(str(candidate.value))]
    if wrong is not None:
        meant = [f for f in others if _holds(f.value, wrong, scene)]
        others = meant or (others if sure else [])
    if not others:
        return candidate
    return replace(candidate, kind="correct", replaces=others[0].value, valid_from=None)


def _value(old: object, said: str, wrong: str | None, scene: Scene) -> object:
    if wrong is not None and not _holds(old, wrong, scene):
        return None
    return _swapped(old, said, wrong) or amended(old, said, scene.days) or whole(old, said)


def _swapped(old: object, said: str, wrong: str | None) -> str | None:
    """The value with the words that were wrong replaced."""
    if wrong is None or len(wrong) < 2 or not isinstance(old, str) or old == wrong:
        return None
    return old.replace(wrong, said) if old.count(wrong) == 1 else None


def _holds(value: object, wrong: str, scene: Scene) -> bool:
    """Whether a value is, or has as a part, what was called wrong."""
    if fold(wrong) in fold(str(value)):
        return True
    changed = amended(value, wrong, scene.days)
    return changed is not None and str(changed) == str(value)


def _recent(scene: Scene, subject: str | None, wrong: str | None) -> Iterator[Record]:
    """Facts of the last turns, the latest first; then those of the subject, or all of a value."""
    for turn in list(reversed(scene.before))[:_LOOK_BACK]:
        yield from (f for f in reversed(turn.facts) if f.subject and f.attribute and not f.deleted)
    if subject is not None:
        yield from scene.facts(subject)
    elif wrong is not None:
        yield from scene.facts(scene.speaker)
        if (thing := scene.thing()) is not None:
            yield from scene.facts(thing)
