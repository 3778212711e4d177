"""What holds no longer, or never did: 不再, 离职, 注销, 从来不, 忘掉."""

from __future__ import annotations

import re
from collections.abc import Iterable

from text2mem.ir.naming import fold
from text2mem.ir.record import Record
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.explicit import ASKS_TO_FORGET
from text2mem.ledger.extraction.chinese.claims import Basis
from text2mem.ledger.extraction.chinese.concepts import ANIMALS, RELATIONS, concept_of
from text2mem.ledger.extraction.chinese.scene import Scene

_NO_LONGER = re.compile(
    r"不再|再也不|已经(?:不|没)|早就?不|早已不|不.{0,16}了$|没.{0,10}了$|戒了|戒掉|好了$|治好"
)
"""What ends a fact whose value is named with it."""
_OVER = re.compile(
    r"离开了?|退出|退群|离职|辞职|辞了|辞掉|被裁|炒了|跳出|"
    r"注销|停用|作废|失效|废弃|弃用|下线了|停机|打不通|不用.{0,8}了|别(?:再)?用|分开了|分手|"
    r"离婚|取消|"
    r"撤销|"
    r"黄了|泡汤|卖了|卖掉|退租|退掉|退了|送人|去世|过世|"
    r"走丢|搬走|搬出|搬离|不归|不由|不管|不干了|卸任|交出|免去|解约|到期了|毕业了|删(?:了|掉)|"
    r"关(?:了|掉|停)|停掉|停了|停药|不搞了|不办了"
)
"""What ends a fact, its attribute alone being named."""
_SO = {"公司": "工作|上班|任职|就职|待|干|入职|员工", "城市": "住|待|生活|定居|搬"}
"""What else is said where a place of work or a home is denied: 我从来没在上海住过."""
_NEVER = re.compile(
    r"从来(?:就|都|也|根本|没|不)*(?=不|没)|从来(?:就|都)?(?:不|没)|从未|从没|从不|压根(?:就|"
    r"儿)?(?:不|没)|根本(?:就)?(?:不|没)|本来就(?:不|没)|其实(?:并|就)?(?:不|没)|"
    r"并(?:不|没)|对[^,。]{1,12}?(?:并|其实|根本)?不过敏"
)
_WRONG = re.compile(r"弄错|搞错|记错|说错|弄混|搞混|误(?:会|诊|报|传)|看错|不是(?:真|那样)")
_THAT = re.compile(
    r"^(?:那|这|刚才|刚刚|上面|前面|之前|上一|最后)(?:说的|提的|记的)?(?:那|"
    r"这)?(?:一?[条个件句点]|些)?|^(?:它|这个|那个)"
)
_QUIT = re.compile("离职|辞职|辞了|辞掉|被裁|炒了|不干了")
_PARTED = re.compile("离婚|分手|分开了")
_STILL = re.compile(r"还(?:是|在)|仍|依然|没变|照旧|没动")
_MOST = 3


def read(plain: str, subject: str | None, basis: Basis, *, sentence: str) -> list[Candidate]:
    """The retractions of a clause: of facts that are held and that the clause mentions."""
    forget = ASKS_TO_FORGET.search(plain) is not None
    never = _NEVER.search(plain) is not None and not plain.rstrip().endswith("了")
    over = _OVER.search(plain) is not None
    if not (forget or never or over or _NO_LONGER.search(plain)):
        return []
    if _STILL.search(plain) and not forget:
        return []
    scene, until = basis.scene, basis.told.since or basis.told.until
    facts = _meant(plain, subject, scene, nouns=forget or over)
    if never and not forget:
        facts = [fact for fact in facts if _denied(plain, fact)]
    if (
        not facts
        and forget
        and (_THAT.match(ASKS_TO_FORGET.sub("", plain).lstrip("把,")) or _bare(plain))
    ):
        facts = _last(scene)
    if forget and not facts:
        return []
    wrong = never or (forget and _WRONG.search(sentence) is not None)
    return [
        Candidate(
            subject=fact.subject or "", attribute=fact.attribute or "", value=fact.value,
            kind="retract", type=fact.type or "fact", valid_to=None if wrong else until,
            never=wrong, confidence=basis.confidence, quote=basis.clause.span,
        )
        for fact in facts[:_MOST]
    ]  # fmt: skip


def _bare(plain: str) -> bool:
    """Whether nothing is said but that it is to be forgotten."""
    rest = ASKS_TO_FORGET.sub("", plain)
    return (
        re.fullmatch(
            r"(?:请|麻烦|你|您|都|就|也|帮我|给我|把|还是|算了|,|吧|了|它|掉|一?下|\s)*", rest
        )
        is not None
    )


def _denied(plain: str, fact: Record) -> bool:
    """Whether it is the fact that never was so, and not something that happened there."""
    said = next((words for name, words in _SO.items() if _is(fact, name)), "")
    return re.search(said, plain) is not None


def _meant(plain: str, subject: str | None, scene: Scene, *, nouns: bool) -> list[Record]:
    """Facts whose value, or with ``nouns`` whose attribute, a clause mentions."""
    pool = _pool(plain, subject, scene)
    text = fold(plain).replace("_", "")
    valued = [f for f in pool if _says(text, f.value)]
    if valued:
        best = [f for f in valued if _noun_said(plain, f)] or valued
        longest = max(len(str(f.value)) for f in best)
        return _one_each(
            f
            for f in best
            if len(str(f.value)) == longest or (len(best) > 1 and not _inside(f, best))
        )
    named = [f for f in pool if nouns and _noun_said(plain, f)]
    if not named and _QUIT.search(plain):
        named = [f for f in pool if _is(f, "公司")]
    if not named and _PARTED.search(plain):
        named = [f for f in pool if f.attribute in ("妻子", "丈夫", "配偶", "女朋友", "男朋友")]
    if len(named) > 1 and all(_is(fact, "宠物") for fact in named):
        return []
    groups = {(f.subject, f.attribute) for f in named}
    if len(groups) > 1:
        likeliest = max((a or "" for _, a in groups), key=lambda a: len(_common(a, plain)))
        named = [f for f in named if f.attribute == likeliest]
    return _one_each(named) if len({f.subject for f in named}) <= 1 else []


def _pool(plain: str, subject: str | None, scene: Scene) -> list[Record]:
    """Facts that a clause may be about: of its subject, of those that it names, and lately told."""
    found: list[Record] = []
    named = scene.within(plain)
    if subject is not None:
        found += scene.facts(subject)
        if scene.is_person(subject) and re.search("退出|离开|离职|退群|卸任|走了", plain):
            everywhere = [f for a in scene.attributes.values() for f in scene.facts(attribute=a)]
            in_group = [f for f in everywhere if fold(str(f.value)) == subject and f.subject]
            members = [f for f in in_group if _is(f, "成员")]
            found += members or in_group
        for other in named:
            found += [f for f in scene.facts(other) if fold(str(f.value)) == subject]
        return found
    for other in named:
        found += scene.facts(other)
    for turn in reversed(scene.before):
        for fact in turn.facts:
            if fact.subject and fact.attribute:
                found += [f for f in scene.facts(fact.subject) if f.attribute == fact.attribute]
    found += scene.facts(scene.speaker)
    if (thing := scene.thing()) is not None:
        found += scene.facts(thing)
    for noun in scene.attributes.values():
        if _common(noun, plain):
            found += scene.facts(attribute=noun)
    return found


def _says(text: str, value: object) -> bool:
    said = fold(str(value)).replace("_", "")
    if len(said) >= 2 and said in text:
        return True
    return len(said) >= 4 and not said.isascii() and said[:2] in text and said[-2:] in text


def _noun_said(plain: str, fact: Record) -> bool:
    return bool(fact.attribute) and bool(_common(fact.attribute or "", plain))


def _common(attribute: str, plain: str) -> str:
    """The longest name of an attribute that a clause has, or the event that it is of."""
    concept = concept_of(attribute)
    names = [attribute, *(concept.names + concept.english if concept else ())]
    names += [said for said, name in RELATIONS.items() if name == attribute and len(said) > 1]
    if concept is not None and concept.names[0] == "宠物":
        names += ANIMALS
        if any(animal in plain for animal in ANIMALS):
            return attribute
    stem = re.sub("(?:截止)?(?:日期|时间|地点|到期日)$", "", attribute)
    if len(stem) >= 2:
        names.append(stem)
    text = fold(plain)
    return max((n for n in names if len(n) > 1 and fold(n) in text), key=len, default="")


def _is(fact: Record, name: str) -> bool:
    concept = concept_of(fact.attribute or "")
    return concept is not None and concept.names[0] == name


def _inside(fact: Record, others: list[Record]) -> bool:
    return any(str(fact.value) != str(o.value) and str(fact.value) in str(o.value) for o in others)


def _one_each(facts: Iterable[Record]) -> list[Record]:
    return list({fact.id: fact for fact in facts}.values())


def _last(scene: Scene) -> list[Record]:
    """The facts of the last turn that had any."""
    for turn in reversed(scene.before):
        held = {f.id for fact in turn.facts for f in scene.facts(fact.subject or "")}
        if facts := [fact for fact in turn.facts if fact.id in held or fact.pending]:
            return facts
    return []
