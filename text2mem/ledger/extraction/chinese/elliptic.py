"""Clauses that say only half, and lean on what was said before them."""

from __future__ import annotations

import re
from dataclasses import replace

from text2mem.ir.naming import fold
from text2mem.ir.record import Record
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.chinese import answers, attributes, corrections, values
from text2mem.ledger.extraction.chinese.amending import amended, whole
from text2mem.ledger.extraction.chinese.claims import Basis, Claim, candidates
from text2mem.ledger.extraction.chinese.concepts import ANIMALS, NAMES, RELATIONS, any_of
from text2mem.ledger.extraction.chinese.piece import Piece
from text2mem.ledger.extraction.chinese.scene import Scene
from text2mem.ledger.extraction.chinese.turn import Heard
from text2mem.ledger.extraction.chinese.who import Who

_CHANGES = re.compile(
    r"^(?P<noun>[^,。:是]{1,10}?)(?:也|都|要|得|需要|又|刚|已经|最近|今天|昨天)*(?:改|换|变|更新|"
    r"调整|更换|变更|没变|不变|没动|没改|照旧|提前|推迟|延后|延期|顺延)"
    r"(?:一下|了|过|动了?|掉了?|人|新的|[一二两三四五六七八九十半\d]+个?[天周月日年])*$"
)
_CHANGED = re.compile(
    r"^(?:也|刚|又|最近|已经|上周|昨天|今天)*(?:改|换|更换|变更)(?:了)?(?:个|新|"
    r"一个)*(?P<noun>[^,。了]{2,8}?)(?:了)?$"
)
_SETTLED = re.compile(
    r"^(?P<noun>[\u4e00-\u9fff]{2,8}?)(?:的)?(?:时间|日期|日子)?(?:已经|终于|总算|刚|都|也)*"
    r"(?:定|确定|敲定|安排好|约好|排好|改)(?:下来)?了$"
)
_TOPIC_CHANGED = re.compile(
    r"^(?P<topic>[^,。]{2,6}?)(?:也|又|刚|已经|最近)*(?:换|改|变|调整?)(?:了)?(?:个|新)*"
    r"(?P<noun>[^,。了]{2,4})(?:了)?$"
)
_NEW = re.compile(
    r"^(?:新的?|现在的?|目前|以后|今后|改成|改为|换成|变成|改用|用|在|坐在?|搬到|调到|转到|是|"
    r"为|叫|就是|还是|仍是|"
    r"依然是|:|的)+(?:号码?|地址)?(?:是|为|:)?\s*(?P<v>[^,。]{1,40})$"
)
_BEFORE = re.compile(
    r"^(?:那时候?|当时|我们?|以前|之前|都|一直)*(?:用的是|用的|用|是|叫|在|住在?|"
    r"为)(?P<v>[^,。]{1,30})$"
)
_MOVED = re.compile(
    r"^(?:又|再|已经|现在|刚|被|就|可能|好像|还是|决定)*(?:改成|改为|改到|改在|换成|换到|推迟到|"
    r"延期到|延到|提前到|挪到|移到|调到|调整到|变成|变为|升到|降到|涨到|推到|顺延到)"
    r"(?:了)?(?P<v>[^,。]{1,30})$"
)
_ONE = re.compile(
    r"^(?:一|另|另外一?|还有一|其中一|大的|小的|老大|老二|哥哥|弟弟|姐姐|妹妹)(?:只|条|个|"
    r"位)?(?:是)?(?:叫|名叫)(?P<v>[^,。]{1,8})$"
)
_CANNOT = re.compile(
    r"^(?P<v>[^,。]{1,8}?)(?:还是|仍然?|也|都|依然|依旧|照样|一直|还|绝对)*(?:碰不得|不能碰|"
    r"不能吃|吃不得|吃不了|不能沾|沾不得|碰不了|忌口?)$"
)
_PERSON = re.compile("(?<![其吉])[他她](?!们|人)")
_STUDIES = re.compile("(?:学|读|念|主修)(?:的)?(?:是)?(?P<v>[^,。了]{2,8})$")
_KIND_OF = re.compile("是(?:一?[只个位条]|男|女)")
_TOO = re.compile("^(?:也|同样)(?:是|一样|如此|这样)(?:的|了)?$")
_PETS = re.compile(any_of(ANIMALS))
_CHILDREN = re.compile("儿子|女儿|孩子")
_BY_CALL = re.compile(
    r"(?:以后|今后|有事|联系|找|通知|有消息|最好|请|优先|尽量|直接|"
    r"首选)[^,。]{0,8}?(?<!不)(?<!别)(?<!勿)(?<!不要)(?P<v>打电话|电话联系|电话|发短信|短信|"
    r"发邮件|"
    r"邮件|发微信|微信|钉钉|飞书|企业微信|whatsapp|telegram|slack)(?:联系|通知|沟通|找我|就行|"
    r"就好|即可|给?我?|上?说|吧)*$"
)
_REFUSED = re.compile(r"不要|别|勿|不用|不能|不想")


def within(plain: str, scene: Scene) -> str | None:
    """Whom 他 and 她 stand for in the middle of a clause."""
    found = _PERSON.search(plain)
    return scene.person(found[0]) if found else None


def leaning(bare: Piece, named: Who, heard: Heard, basis: Basis) -> list[Candidate]:
    """What a clause says of what was named before it: 新的是159…, 推迟到20日, 一只叫年糕."""
    scene, plain = heard.scene, named.rest.plain
    subject = named.subject or heard.subject
    found = _BY_CALL.search(bare.plain)
    if found and not _REFUSED.search(bare.plain[: found.start("v")]):
        claim = Claim("首选联系方式", _CALLS.get(found["v"], found["v"]))
        return candidates(claim, subject or scene.speaker, basis)
    if named.subject is not None and _TOO.match(plain) and heard.found:
        return [replace(heard.found[-1], subject=named.subject, quote=basis.clause.span)]
    if found := _CANNOT.match(plain):
        return _again("过敏", found["v"], subject or scene.speaker, basis)
    if (found := _CHANGES.match(plain) or _CHANGED.match(plain)) and is_noun(found["noun"], scene):
        heard.noun = found["noun"]
        return []
    if (found := _SETTLED.match(plain)) and named.subject is None:
        heard.topic = found["noun"]
        return []
    if (found := _TOPIC_CHANGED.match(plain)) and is_noun(found["topic"] + found["noun"], scene):
        heard.noun = found["topic"] + found["noun"]
        return []
    noun = heard.noun or answers.asked_for(scene)
    if (
        noun is not None
        and not _KIND_OF.match(plain)
        and (found := _NEW.match(basis.told.piece.plain))
    ):
        words = basis.told.piece.words(*found.span("v"))
        return candidates(Claim(noun, words), subject, basis)
    schooled = bool(heard.found) and heard.found[-1].attribute in ("学校", "毕业院校")
    if schooled and (found := _STUDIES.match(plain)):
        claim = Claim("专业", named.rest.words(*found.span("v")))
        return candidates(claim, heard.found[-1].subject, basis)
    if found := _ONE.match(plain):
        noun = "宠物" if _PETS.search(basis.clause.source) else None
        if children := _CHILDREN.search(basis.clause.source):
            noun = children[0]
        words = named.rest.words(*found.span("v"))
        return candidates(Claim(noun, words), named.subject or scene.speaker, basis) if noun else []
    if (said := corrections.elliptic(bare.plain)) and said[1] is not None:
        one = corrections.correction(written(bare, said[0]), said[1], basis, heard.found, subject)
        return [one] if one else []
    return _moved(plain, named, basis) or _then(basis)


_CALLS = {
    "打电话": "电话", "电话联系": "电话", "发短信": "短信", "发邮件": "邮件", "发微信": "微信",
}  # fmt: skip


def written(piece: Piece, said: str) -> str:
    """Words of a clause as they stand in the source."""
    start = piece.plain.find(said.lower())
    return piece.words(start, start + len(said)) if start >= 0 else said


def is_noun(noun: str, scene: Scene) -> bool:
    """Whether a noun is known as the name of an attribute."""
    return (
        noun in NAMES
        or fold(noun) in scene.attributes
        or attributes.attribute(scene, noun, None).sure
    )


def _again(noun: str, said: str, subject: str, basis: Basis) -> list[Candidate]:
    """A value that is held, in other words."""
    name = attributes.attribute(basis.scene, noun, subject).name
    for fact in basis.scene.facts(subject, name):
        if fold(str(fact.value)) == fold(said.strip()):
            return candidates(Claim(noun, str(fact.value)), subject, basis)
    return []


def _moved(plain: str, named: Who, basis: Basis) -> list[Candidate]:
    """推迟到20日, of what was last spoken of."""
    found = _MOVED.match(plain)
    if found is None or named.subject is not None:
        return []
    said = values.cleaned(named.rest.words(*found.span("v")))
    for fact in _last(basis.scene):
        value = amended(fact.value, said, basis.scene.days) or whole(fact.value, said)
        if value is not None:
            return candidates(Claim(fact.attribute or "", str(value)), fact.subject, basis)
    return []


def _then(basis: Basis) -> list[Candidate]:
    """2024年到2025年用的是 SQLite, of what was last spoken of."""
    piece = basis.told.piece
    found = _BEFORE.match(piece.plain)
    if found is None or basis.told.until is None:
        return []
    words = piece.words(*found.span("v"))
    for fact in _last(basis.scene):
        if whole(fact.value, values.cleaned(words)) is not None and fact.attribute not in RELATIONS:
            return candidates(Claim(fact.attribute or "", words), fact.subject, basis)
    return []


def _last(scene: Scene) -> list[Record]:
    """The facts of the last turn that had any, the latest first."""
    for turn in reversed(scene.before[-4:]):
        if turn.facts:
            return [fact for fact in reversed(turn.facts) if fact.subject and fact.attribute]
    return []
