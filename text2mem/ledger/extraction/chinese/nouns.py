"""Clauses that name an attribute which is known, whatever their verb: 发票抬头写青禾文化."""

from __future__ import annotations

import re
from collections.abc import Iterator

from text2mem.ir.naming import fold
from text2mem.ledger.extraction.chinese import values
from text2mem.ledger.extraction.chinese.attributes import KINDS
from text2mem.ledger.extraction.chinese.claims import Claim
from text2mem.ledger.extraction.chinese.concepts import NAMES, RELATIONS
from text2mem.ledger.extraction.chinese.piece import Piece
from text2mem.ledger.extraction.chinese.scene import Scene
from text2mem.ledger.extraction.chinese.statements import ADVERBS

_BEFORE = re.compile(
    r"^(?:(?:的|那边|这边|这里|那个|这个|现在|目前|最新|新|整个|平台|项目|默认|以后|今后|统一|"
    r"一律|这[周月次]的?|本[周月次]的?|今[天晚]的?|家里?的?|每[天周月年]的?|"
    r"这[次趟回](?:去[^,。]{1,6}?的|[^,。]{0,4}?的)?)*)$"
)
_PREFIX = re.compile(r"^[\u4e00-\u9fffa-z ]{0,6}(?<![是在把对])$")
_VERB = re.compile(
    rf"(?:方面|这块|那栏|一栏|信息)?(?:我们?|咱们?|大家|这边)?(?:请|麻烦|都|就|给|先|暂时|统一|"
    rf"一律|默认|一般|反正|务必|最好|直接|从(?P<old>[^,。]{{1,14}}?))*{ADVERBS}(?:请|都|就|给|"
    rf"先|暂时|"
    r"统一|一律|默认|一般|最好|直接)*"
    r"(?:(?:[\u4e00-\u9fff]{1,3}?(?:到|成|为|至|作|在|于))(?:了)?|(?:写|填|选|开|用|走|坐|住|"
    r"报|订|买|办|"
    r"留|记|设|定|配|挂|跑|上|归|轮到|该|有|找|按|限|发|寄|送|打|叫|是|在|的是|换|改)(?:的是|的|了|"
    r"着|成|为|到|在|给|:)*|:|=)\s*"
)
_BARE = re.compile(rf"{ADVERBS}\s*")
_NO_VALUE = re.compile(
    r"^(?:[很太都也又还没不未超在了被要能会可得该让使给把对从向跟和与及的地着过吗呢吧啊什怎哪谁几多少"
    r"为因所但而且或再已正将刚才就更最挺真有是我你您他她它这那,。]|人$|[表单组室]|更新|提前|"
    r"推迟|延[后期]|顺延|"
    r"出|打|坏|丢|忘|掉|改|换|变|涨|降|"
    r"弄|搞|看|查|用|列表|功能|模块|页面|问题|方面|一下|文件|管理|设置|系统$)"
)
_PREDICATE = re.compile(r"[了吗呢吧啊]$|[很太好难快慢高低大小多少]$|过期|失效|错误|失败|成功|不")
_USED = re.compile(
    r"^(?:我们?|咱们?|大家|团队|全组|这边|请|都|就|现在|目前|以后|统一|一律|默认|一般)*(?:用|"
    r"拿|选|以|"
    r"采用|使用)\s*(?P<v>[^,。]{1,24}?)\s*(?:来?(?:做|当|作|当作|作为|当成|管|写|发)|来|为|的)?$"
)
_VERBAL = (
    "负责",
    "喜欢",
    "不喜欢",
    "讨厌",
    "过敏",
    "爱好",
    "兴趣",
    "学校",
    "公司",
    "单位",
    "城市",
    "邮件",
    "手机",
)
"""Names that stand as verbs, or for many a thing."""
_LONGEST = 30


def read(piece: Piece, scene: Scene, *, more: tuple[str, ...] = ()) -> Claim | None:
    """The claim of a clause without its subject, of a noun that is declared, in use or usual.

    ``more`` are further nouns.
    """
    plain = re.sub("[的了]+$", "", piece.plain)
    for noun in sorted({*_names(scene), *more}, key=lambda name: (-len(name), name)):
        at = plain.find(noun)
        if at < 0 or (noun.isascii() and re.match(r"[a-z0-9_@.]", plain[at + len(noun) :])):
            continue
        if plain.endswith(noun) and (found := _USED.match(plain[: -len(noun)].rstrip())):
            return Claim(noun, piece.words(*found.span("v")))
        end = at + len(noun)
        before = plain[:at]
        own = len(noun) > 3 and noun in _own(scene) and _PREFIX.match(before)
        if end == len(plain) or not (own or _BEFORE.match(before)):
            continue
        start = _value(plain, end)
        if start is None or (
            _dated(noun, scene) and not re.search(r"[\d一二三四五六七八九十底初末]", plain[start:])
        ):
            return None
        return Claim(noun, piece.words(start))
    return None


def _value(plain: str, end: int) -> int | None:
    """Where the value starts of a noun that ends there."""
    if found := _VERB.match(plain, end):
        if _good(plain[found.end() :]):
            return found.end()
        return None
    found = _BARE.match(plain, end)
    after = plain[found.end() :] if found else ""
    if found and _good(after) and not _PREDICATE.search(after):
        return found.end()
    return None


def _good(words: str) -> bool:
    return 0 < len(words) <= _LONGEST and _NO_VALUE.match(words) is None


def _names(scene: Scene) -> Iterator[str]:
    """Nouns as they stand in folded text: those declared first."""
    for name in (*scene.declared, *scene.attributes.values()):
        if len(name) > 1 and name not in _VERBAL and (not name.isascii() or name in scene.declared):
            yield name.casefold()
            for kind in KINDS:
                if name.endswith(kind) and len(name) > len(kind) + 1:
                    yield name.removesuffix(kind).casefold()
    for name in NAMES:
        if name not in RELATIONS and name not in _VERBAL and not name.isascii():
            yield fold(name)


def _own(scene: Scene) -> set[str]:
    return {name.casefold() for name in (*scene.declared, *scene.attributes.values())}


def _dated(noun: str, scene: Scene) -> bool:
    return values.dated(scene.known.registry.attribute(noun), noun)
