"""A clause that states something in full: by its verb, or of a noun."""

from __future__ import annotations

import re
from dataclasses import replace

from text2mem.ir.naming import fold
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.chinese import attributes, copula, nouns, statements, values
from text2mem.ledger.extraction.chinese.attributes import attribute
from text2mem.ledger.extraction.chinese.claims import Basis, Claim, candidates
from text2mem.ledger.extraction.chinese.concepts import (
    ANIMALS,
    GENDERS,
    RELATION,
    RELATIONS,
    any_of,
)
from text2mem.ledger.extraction.chinese.piece import Piece
from text2mem.ledger.extraction.chinese.scene import Scene
from text2mem.ledger.extraction.chinese.turn import Clause, Heard
from text2mem.ledger.extraction.chinese.when import Told
from text2mem.ledger.extraction.chinese.who import Who, unknown_name

_BY = re.compile(
    r"^(?P<what>[^,。]{0,16}?)(?:这个项目|项目)?\s*(?:现在|目前|以后|已经|改|就|都|也)*(?:由|归|"
    r"交给|转给|移交给)(?P<who>[^,。]{1,8}?)"
    r"(?:来)?(?:负责|管|接手|主管|跟进|带)(?P<more>[^,。]{0,12})$"
)
_JOINS = re.compile(
    rf"^(?P<who>[\u4e00-\u9fff]{{2,3}}?|[a-z]+)?{statements.ADVERBS}(?:加入|进入|进|来|参加)(?:了|"
    rf"到)?(?:我们)?(?P<group>[^,。了]{{1,12}}?)(?:了)?$"
)
_GROUP = re.compile("(?:组|队|团队|社|乐队|课题组|俱乐部|工作组)$")
_STATUS = re.compile(
    r"^(?P<id>[a-z]+[-_]?\d[\w-]*)?\s*(?:现在|目前|刚刚?|都|是)*(?P<done>已经?)?(?:被)?(?P<v>签收|"
    r"发货|退款|取消|关闭|完成|解决|付款|支付|退回|归档|"
    r"上线|下线|合并|修复|处理中|进行中|待审核|待付款|审核通过|待发货)(?:了|的)?$"
)
_BARE = ("地点", "时间", "日期", "地址")
_IN = re.compile(rf"{statements.ADVERBS}在\s*")
_PLACES = ("公司", "城市", "学校")
_NAMEABLE = re.compile(
    rf"{RELATION}(?![^,，。]*(?:园|学|店|校|院|班|组))|姓|[位个名]|"
    rf"[。！？!?]\s*$|\w人|^我|对了|呀|好|自我介绍"
)
_PET = re.compile(any_of(ANIMALS))
_CALLED = re.compile(r"^(?:叫|名叫|是|名字)")


def introduce(named: Who, heard: Heard, basis: Basis) -> None:
    """我妻子林晓 says who she is."""
    if named.related is None:
        return
    owner, relation, name, span = named.related
    scene, gender = heard.scene, GENDERS.get(named.related[1])
    if all(fold(str(fact.value)) != fold(name) for fact in scene.facts(owner)):
        made = candidates(Claim(relation, name), owner, replace(basis, told=Told(basis.clause)))
        heard.add([replace(one, quote=span) for one in made])
    scene.name(fold(name), person=True, gender=gender)


def stated(named: Who, clause: Clause, heard: Heard, basis: Basis) -> list[Candidate]:
    """What a clause states of its subject, or of the one of the clause before."""
    rest = basis.told.piece
    scene = heard.scene
    subject = named.subject or heard.subject
    if (
        named.subject is None
        and clause.bare.plain.startswith(("我们", "咱们"))
        and _CALLED.match(rest.plain)
    ):
        return []
    whole = named.whole or rest
    if (claim := statements.dated(whole.plain, whole.words)) is not None:
        return candidates(claim, subject or scene.speaker, replace(basis, told=Told(rest)))
    if found := _joined(rest, subject, basis):
        return found
    if found := _status(rest, subject, basis):
        return found
    if found := _by_someone(rest, subject, heard, basis):
        return found
    by_verb = not named.owned or statements.of_nouns(rest.plain)
    if by_verb and (found := _verbs(rest, subject, heard, basis, named)):
        return found
    for piece in (whole, rest):
        claim = copula.read(
            piece.plain,
            piece.words,
            owned=named.owned,
            own=named.subject is not None,
            told=subject is not None,
        )
        if claim is not None:
            claim = _of_last_event(claim, heard, clause.sentence)
            if claim.noun in _BARE and named.subject is None and not named.owned:
                continue
            whose = named.subject or _carried(claim, heard)
            if made := candidates(claim, whose, basis):
                if claim.event is not None and claim.noun not in _BARE:
                    heard.event = re.sub("(?:时间|日期)$", "", claim.noun)
                return made
    claim = nouns.read(rest, scene, more=_BARE[:3] if heard.event else ())
    if claim is not None:
        claim = _of_last_event(claim, heard, clause.sentence)
        whose = named.subject or _carried(claim, heard)
        if made := candidates(claim, whose, basis):
            return made
    return _inverted(basis.clause, scene, basis)


def _joined(rest: Piece, subject: str | None, basis: Basis) -> list[Candidate]:
    """宋词加入了青藤组."""
    found = _JOINS.match(rest.plain)
    if found is None:
        return []
    scene, who_ = basis.scene, subject
    if found["who"]:
        who_ = fold(rest.words(*found.span("who")))
    group = fold(rest.words(*found.span("group")))
    held = any(
        attributes.attribute(scene, "成员", group).name == f.attribute for f in scene.facts(group)
    )
    if who_ is None or not (held or _GROUP.search(group)):
        return []
    return candidates(Claim("成员", who_), group, basis)


def _status(rest: Piece, subject: str | None, basis: Basis) -> list[Candidate]:
    """订单 B-2210 已经签收."""
    found = _STATUS.match(rest.plain)
    if found is None or (subject is not None and basis.scene.is_person(subject)):
        return []
    subject = fold(found["id"]) if found["id"] else subject
    said = ("已" if found["done"] else "") + rest.words(*found.span("v"))
    return candidates(Claim("状态", said), subject, basis) if subject else []


def _of_last_event(claim: Claim, heard: Heard, sentence: str) -> Claim:
    """答辩在3月25日，地点是B楼301: the place of what was settled before."""
    if claim.noun in _BARE and (event := heard.event or copula.event_in(sentence)) is not None:
        return replace(claim, noun=event + claim.noun, sure=True)
    return claim


def _by_someone(rest: Piece, subject: str | None, heard: Heard, basis: Basis) -> list[Candidate]:
    """由麦朵负责模型; 青藤这个项目归她管: whose a task or a project is."""
    found = _BY.match(rest.plain)
    if found is None:
        return []
    scene = heard.scene
    name = values.cleaned(rest.words(*found.span("who")))
    person = scene.person(name) if name in ("他", "她") else fold(name)
    what = rest.words(*found.span("what")).strip() or rest.words(*found.span("more")).strip()
    if person is None:
        return []
    if not what:
        if subject is None or scene.is_person(subject):
            return []
        return candidates(Claim("负责人", name), subject, basis)
    if subject is None and fold(what) in scene.subjects and not scene.is_person(fold(what)):
        return candidates(Claim("负责人", name), fold(what), basis)
    scene.name(person, person=True)
    return candidates(Claim("分工", what), person, basis)


def _verbs(
    rest: Piece, subject: str | None, heard: Heard, basis: Basis, named: Who
) -> list[Candidate]:
    scene = heard.scene
    if found := _place(rest, subject or scene.speaker, basis):
        return found
    made = _of(rest, subject or scene.speaker, basis)
    if named.subject is None and _CALLED.match(rest.plain):
        made = _called(made, basis)
    if named.subject is None and (name := unknown_name(rest)):
        after = rest.part(name.end())
        who = fold(rest.words(0, name.end()))
        if by_name := _of(after, who, basis):
            scene.name(who, person=True)
            heard.subject = who
            return by_name
    return made


def _called(made: list[Candidate], basis: Basis) -> list[Candidate]:
    """叫阿福: a name of whom or what the clause before spoke of."""
    named = [one for one in made if one.attribute in ("姓名", *RELATIONS)]
    source = basis.clause.source
    before = source[max(0, basis.clause.span[0] - 12) : basis.clause.span[0]]
    if not named or not before.strip():
        return made
    if _PET.search(before):
        if re.search("过|以前|曾", before):
            return []
        return candidates(Claim("宠物", str(named[0].value)), basis.scene.speaker, basis)
    return made if _NAMEABLE.search(before) else []


def _of(rest: Piece, subject: str, basis: Basis) -> list[Candidate]:
    return [
        one
        for claim in statements.read(rest.plain, rest.words)
        for one in candidates(claim, subject, basis)
    ]


def _place(rest: Piece, subject: str, basis: Basis) -> list[Candidate]:
    """还在蜀光科技: a place of work or a home that is known by its name."""
    scene = basis.scene
    found = _IN.match(rest.plain)
    if found is None:
        return []
    after = fold(rest.plain[found.end() :])
    for noun in _PLACES:
        name = attribute(scene, noun, subject).name
        known = scene.facts(attribute=name) if noun == "公司" else scene.facts(subject, name)
        for fact in known:
            if len(str(fact.value)) > 1 and after.startswith(fold(str(fact.value))):
                return candidates(Claim(noun, str(fact.value)), subject, basis)
    return []


def _carried(claim: Claim, heard: Heard) -> str | None:
    """The subject of the clause before, where the noun can be its, too."""
    subject, scene = heard.subject, heard.scene
    if subject is None:
        return None
    if claim.event is not None:
        named = attributes.of_event(scene, claim.noun, subject, claim.event)
    else:
        named = attribute(scene, claim.noun, subject)
    if any(fact.attribute == named.name for fact in scene.facts(subject)):
        return subject
    if scene.holder(named.name) is not None and subject != scene.speaker:
        return None if scene.is_person(subject) else subject
    if named.concept is not None and named.personal != scene.is_person(subject):
        return None
    return subject


def _inverted(clause: Piece, scene: Scene, basis: Basis) -> list[Candidate]:
    """林晓是我妻子."""
    found = copula.inverse(clause.plain, clause.words)
    if found is None:
        return []
    owner, claim = found
    subject = scene.speaker if owner == "我" else fold(owner)
    if subject != scene.speaker and subject not in scene.subjects:
        return []
    return candidates(replace(claim, words=values.cleaned(claim.words)), subject, basis)
