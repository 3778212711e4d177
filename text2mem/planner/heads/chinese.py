"""Heads in Chinese.

What stands in front is taken off (greetings, politeness, if-parts); conditions and topics are
hidden. Then phrases and verbs are met in their order, and the earliest decides.
"""

from __future__ import annotations

import re

from text2mem.planner.evidence.text import HIDDEN
from text2mem.planner.heads import chinese_verbs as verbs
from text2mem.planner.heads.chinese_openers import main_parts, opened
from text2mem.planner.heads.chinese_rules import QUESTIONS, RULES
from text2mem.planner.heads.model import NONE, QUOTED, Head

_BY_WORD = {word: op for op, words in verbs.VERBS.items() for word in words.split()}
_VERB = re.compile("|".join(sorted(map(re.escape, _BY_WORD), key=len, reverse=True)))
_NAMES = rf"{QUOTED}(?:(?:和|或|、|以及|或者|及|与),?{QUOTED})*"
_MEANT = re.compile(
    rf"(?:(?:不|没)?(?:带|含|挂|有|打|贴|加)(?:有|了|着|上)?(?:标签)?{_NAMES}(?:的|这个|"
    rf"这些)?标签(?=的|、|,[不没]|[的]?(?:笔记|记录|记忆))|(?:不|没)?(?:标|归|打|贴|加)(?:了|有|"
    rf"在|着|过|上|记为|为|成){_NAMES}(?:标签|下面|之下|底下|下|里|类)?(?=的(?!标签)|、|,[不没])|"
    rf"(?:标记|标注|标识|归类)(?:为|成|了|在)[^,。;]{{1,10}}?的(?=笔记|记录|记忆|任务|文档|邮件|"
    rf"条目|[那这都全])"
    r"|(?:归档|存档|删除|删掉|删|锁定|锁住|合并|拆分|标记|过期|失效|置顶|保存|记录|收藏|更新|"
    r"修改)(?:了|过|好|掉)的(?![,。]|$)|从[^,。;]{1,16}?(?=改|降|调|变|换|提|升)"
    rf"|(?:状态|地点|类型)(?:为|是|在)(?:{QUOTED}|[^,。;、的]{{1,8}})(?=的|、))"
)
_TOPIC = re.compile(
    r"(?:关于|有关|涉及|围绕|对于)(?!的)(?P<topic>[^,。;!?、的我你]{1,30})(?=[的、我你])|(?:和|"
    r"与|跟)(?P<other>[^,。;!?、的]{1,12})(?=有关|相关)"
)
_DEEPEST, _MOST_PARTS = 2, 4
"""How many if-parts may stand in each other, and after how many commas a main part may start."""
_NOT = frozenset("不别没莫勿")
_HANDS = "把将给让为"
"""What hands its object to the verb of a request."""
_NEEDS = re.compile("我(?:们)?(?:很|还|急)?(?:需要|要|想要|求)|给我")
_SEGMENT = re.compile(r"[,。;:!?]")
_AFTER = re.compile(
    r"(?:[,。;]\s?)(?:也|请|就|都|把它?|给我|帮我|麻烦)*(?P<said>存一?下|记下来?|记住|存起来|"
    r"记一下|保存|存档备查|记录在案)(?=[吧了啊]?[。!?]?$)"
)


def find(text: str) -> Head:
    """The head of a folded clause whose quotations are masked."""
    return _found(text, 0, 0)


def _found(text: str, start: int, depth: int) -> Head:
    place = opened(text, start)
    if depth < _DEEPEST:
        # "如果有…的，就锁定它们": the if-part asks for nothing.
        for main in main_parts(text, place)[:_MOST_PARTS]:
            head = _found(text, main, depth + 1)
            if head.ops:
                return head
    if chore := verbs.CHORE.match(text, start) or verbs.CHORE.match(text, place):
        if not verbs.STORED.search(text, chore.end()):
            return Head(("Encode",), start, chore.end(), first=True)
        place = opened(text, chore.end())
    if content := verbs.CONTENT.match(text, place):
        return Head(("Encode",), start, content.end(), first=True)
    said = _TOPIC.sub(_without_topic, _MEANT.sub(_hidden, text))
    cut = _SEGMENT.search(said, place + 1)
    after = _AFTER.search(text, place)
    for end in (cut.start() if cut else len(said), len(said)):
        ops, at, own = _met(said[:end], place) or ((), place, 0)
        if after and end == len(said) and ops in ((), ("Encode",)):
            return Head(("Encode",), *after.span("said"))
        if ops:
            first = at == place or text[place] in _HANDS
            return Head(ops, start, own, first) if at == place and own else Head(ops, first=first)
    asked = next((one.ops for one in QUESTIONS if one.pattern.search(said, place)), ())
    if not asked and _NEEDS.search(text, start, place):
        asked = ("Retrieve",)
    return Head(asked) if asked else NONE


def _met(said: str, place: int) -> tuple[tuple[str, ...], int, int] | None:
    """What is met first: its ops, its place, and where its own words end (0 if not known)."""
    best: tuple[tuple[str, ...], int, int] | None = None
    for one in RULES:
        found = one.pattern.search(said, place)
        if found and (best is None or found.start() < best[1]):
            best = one.ops, found.start(), 0
    for found in _VERB.finditer(said, place):
        if best is not None and found.start() > best[1]:
            break
        if not _asks(said, found, place):
            continue
        op = _BY_WORD[found.group()]
        if best is None or found.start() < best[1]:
            return (op,), found.start(), found.end()
        # A phrase that starts with the verb itself says more; its own words are the verb's.
        return best[0], best[1], found.end()
    return best


def _asks(said: str, found: re.Match[str], place: int) -> bool:
    """Whether a word is a verb that asks where it stands."""
    after = said[found.end() :]
    if verbs.NO_VERBS.match(said, found.start()):
        return False
    if found.start() == place:
        return not verbs.DESCRIBES.match(after) or (
            len(found.group()) > 1 and not after.startswith("的")
        )
    before = said[place : found.start()]
    if verbs.DESCRIBES.match(after) or (
        before[-1:] in _NOT and _BY_WORD[found.group()] == "Delete"
    ):
        return False
    if verbs.LEADS.search(before):
        return True
    return bool(verbs.TAKES.match(after)) and (
        found.group() not in verbs.AT_START_ONLY
        or bool(re.match(r"一下|下来|起来|下$|好|了(?=[吧,。!]|$)|到|\d|低|一点", after))
    )


def _hidden(found: re.Match[str]) -> str:
    return HIDDEN * len(found.group())


def _without_topic(found: re.Match[str]) -> str:
    start, end = found.span("topic") if found["topic"] else found.span("other")
    first, last = start - found.start(), end - found.start()
    words = found.group()
    return words[:first] + HIDDEN * (last - first) + words[last:]
