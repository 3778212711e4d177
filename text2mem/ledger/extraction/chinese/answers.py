"""Answers to what the assistant asked: a yes or a no to what waits, or the value itself."""

from __future__ import annotations

import re

from text2mem.ir.record import Record
from text2mem.ledger.candidate import Candidate
from text2mem.ledger.extraction.chinese import copula, values
from text2mem.ledger.extraction.chinese.claims import Basis, Claim, candidates
from text2mem.ledger.extraction.chinese.concepts import ANIMALS, NAMES, RELATION, RELATIONS, any_of
from text2mem.ledger.extraction.chinese.scene import Scene

_YES = re.compile(
    r"^(?:(?:对|是|好|嗯|行|可以|没错|没问题|当然|同意|确认|确定|记吧|存吧|记下|保存|留着|记|存|"
    r"要|需要|麻烦了?|请)(?:的|了|呀|啊|吧|呢|下来?|着|上|一下|好|你|您|帮我)*[,。!\s]*)+$"
)
_NO = re.compile(
    r"^(?:[^,。]{0,4}[,。!]?)?(?:不用|不要|别|不必|不需要|算了|不行|不可以|不好|不了|不想|先别|"
    r"还是别|无需|不同意|拒绝)"
    r"(?:了|再|帮我|把|这个|那个|它)*(?:记|存|留|保存|写|录|$|,|。|吧)"
)
_ASKED_TO_KEEP = re.compile(
    r"(?:记|存|保存|留|写).{0,12}(?:吗|么|\?|吧)|(?:需要|要|可以|是否|能).{0,16}(?:记|存|保存|留)|"
    r"确认|同意"
)
_WORDS = (
    *NAMES, *RELATIONS, "住在哪", "哪个城市", "在哪住", "在哪里住", "怎么称呼", "在哪工作",
    "在哪里工作", "哪家公司", "名字", "对什么过敏", "喜欢什么",
)  # fmt: skip
_NOUNS = re.compile(any_of(_WORDS))
_ASKS = {
    "住在哪": "城市", "哪个城市": "城市", "在哪住": "城市", "在哪里住": "城市",
    "怎么称呼": "称呼", "在哪工作": "公司", "在哪里工作": "公司", "哪家公司": "公司",
    "对什么过敏": "过敏", "喜欢什么": "喜欢",
}  # fmt: skip
_REPLY = re.compile(
    r"^(?:嗯|哦|好的?|是的?|对)?[,。]?(?:(?:我|他|她|它)(?:的)?)?(?:就|现在|目前|应该)?(?:是|"
    r"叫|改成|改到|换成|定在|约在|"
    r"在|住在?|用|填|写|寄到|送到|发到|在的是|姓)?(?P<v>[^。?!]{1,40})$"
)
_WELL = re.compile(
    r"^(?:(?:嗯+|哦|好的?|是的?|对的?|没错|可以)[,。]\s*)?(?:(?:那?就|还是)(?=用|要|选|在|是|"
    r"叫))?(?=.)"
)
_EVENT = re.compile(
    r"(?P<noun>[\u4e00-\u9fff]{2,8}?)(?:现在|目前|是|定|安排|约|放|改|到)*(?:在|"
    r"到)?(?:什么时候|几点|哪天|几号|什么时间|周几|哪里|在哪)"
)
_ANIMAL = re.compile(any_of(ANIMALS))
_SHORT = 40
_NO_VALUE = re.compile(
    r"^(?:不|没|好|是(?:的|啊|呀|吧|$)|对|嗯|行|可以|谢|算|随便|都|无|忘|等|稍|这|那|为什么|"
    r"怎么|你|您|有|就)"
)
_RELATED = re.compile(rf"(?P<relation>{RELATION})(?:的)?(?:叫什么|名字|怎么称呼|姓名)")
_OWNER = re.compile(rf"(?:您|你)(?:的)?(?P<relation>{RELATION})(?:的)?")


def read(plain: str, basis: Basis) -> list[Candidate]:
    """What a turn answers that is no more than an answer."""
    bare = plain.strip(" 。!,")
    if found := consent(bare, basis.scene, basis):
        return found
    bare = _WELL.sub("", bare)
    return value(bare, basis)


def value(bare: str, basis: Basis) -> list[Candidate]:
    """The value that was asked for, where a text is no more than one."""
    if len(bare) > _SHORT or re.search("[,;。?]", bare) or re.match("我|他|她|不|没|别|是我", bare):
        return []
    return answer(bare, basis)


def consent(plain: str, scene: Scene, basis: Basis) -> list[Candidate]:
    """Candidates of a bare yes or no to what waits."""
    waiting = _asked_about(scene)
    bare = plain.strip(" 。!,")
    if not waiting:
        return []
    kind = "reject" if _NO.match(bare) else "confirm" if _YES.match(bare) else None
    if kind is None:
        return []
    return [
        Candidate(
            subject=fact.subject or "", attribute=fact.attribute or "", value=fact.value,
            kind="confirm" if kind == "confirm" else "reject", type=fact.type or "fact",
            quote=basis.clause.span,
        )
        for fact in waiting
    ]  # fmt: skip


def _asked_about(scene: Scene) -> list[Record]:
    """What waits and was spoken of last; nothing where the assistant did not ask."""
    waiting = list(scene.known.waiting())
    last = scene.before[-1] if scene.before else None
    if not waiting or last is None:
        return []
    asks = last.episode.role == "assistant" and _ASKED_TO_KEEP.search(last.episode.text)
    if not asks:
        return []
    for turn in reversed(scene.before):
        ids = {fact.id for fact in turn.facts}
        if met := [fact for fact in waiting if fact.id in ids]:
            return met
    return waiting[:1]


def asked_for(scene: Scene) -> str | None:
    """The noun that the assistant's last turn spoke of, in its last sentence."""
    last = scene.before[-1].episode if scene.before else None
    if last is None or last.role != "assistant":
        return None
    question = re.split(r"[。!;\n]", last.text.strip().rstrip("。!?？"))[-1]
    found = _spoken_of(question, scene)
    return _ASKS.get(found[-1], found[-1]) if found else None


def _spoken_of(question: str, scene: Scene) -> list[str]:
    """The nouns of a question that name attributes, the last one last."""
    usual = [(one.end(), one[0]) for one in _NOUNS.finditer(question) if one[0] not in RELATIONS]
    own = [
        (question.rindex(name) + len(name), name)
        for name in (*scene.declared, *scene.attributes.values())
        if len(name) > 1 and name in question
    ]
    return [name for _, name in sorted([*usual, *own], key=lambda one: (one[0], len(one[1])))]


def answer(plain: str, basis: Basis) -> list[Candidate]:
    """The value that the assistant's last turn asked for, where a turn is no more than that."""
    scene = basis.scene
    last = scene.before[-1].episode if scene.before else None
    if last is None or last.role != "assistant" or _NO_VALUE.match(plain):
        return []
    question = re.split(r"[。!;\n]", last.text.strip().rstrip("。!?？"))[-1]
    found = _REPLY.match(plain.strip(" 。!"))
    if found is None or not question:
        return []
    said = values.cleaned(found["v"])
    subject: str | None = scene.speaker
    if related := _RELATED.search(question):
        return candidates(Claim(RELATIONS[related["relation"]], said), subject, basis)
    if owner := _OWNER.search(question):
        relation = RELATIONS[owner["relation"]]
        held = scene.facts(subject, relation)
        subject = str(held[0].value) if held else f"{subject}_{relation}"
        question = question[owner.end() :]
    elif not re.search("[你您]", question):
        subject = next(iter(scene.within(question)), None)
    start = basis.clause.plain.find(said.lower())
    written = basis.clause.words(start, start + len(said)) if start >= 0 else said
    nouns = _spoken_of(question, scene)
    if _ANIMAL.search(question) and re.search("叫|名字", question):
        nouns = ["宠物"]
    if not nouns:
        event, kind = _EVENT.search(question), copula.event_kind(said)
        if event is None or kind is None:
            return []
        noun = re.sub("^(?:那么?|请问|你们?|您|的|这个)+", "", event["noun"])
        return candidates(Claim(noun, written, event=kind), subject, basis)
    noun = _ASKS.get(nouns[-1], "姓名" if nouns[-1] == "名字" else nouns[-1])
    return candidates(Claim(noun, written), subject, basis)
