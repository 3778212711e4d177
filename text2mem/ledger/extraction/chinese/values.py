"""Values as people say them: without particles, lists in parts, numbers and numbers of phones."""

from __future__ import annotations

import re
from typing import Any

from text2mem.ir import temporal_zh
from text2mem.ir.registry import Attribute
from text2mem.ir.written_dates import read_date
from text2mem.ledger.extraction.chinese.concepts import RELATION, Concept
from text2mem.ledger.extraction.chinese.when import Days

PHONE = r"(?<![\d.])\+?\d[\d ()\-]{5,18}\d(?![\d.])"
EMAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_TAIL = re.compile(
    r"(?:[了啦哦啊呀呢吧嘛哈喔噢哟]|就行|就好|就可以|即可|而已|那边|这边|那儿|这儿|这里|一带|附近|"
    r"来着|的话|(?<=[厅室厂馆楼层园])(?:上课?|开会?|见面?|举行|集合|碰头|排练|训练)|"
    r"才对|才是|(?<!目)的)+$"
)
_HEAD = re.compile(
    r"^(?:轻微的?|轻度的?|严重的?|有点儿?|是|为|:|=|的|了|叫|也|都|还|就|又|主要|大概|可能|好像|"
    r"应该|一家|一个叫|"
    r"一[名位款个](?!月|星期|小时|半|人)|名叫|叫做|"
    r"咱们?(?:的)?)+(?=.)"
)
_SPLIT = re.compile(r"、|,|/|(?<=.)(?:以及|还有|和|与|及|跟)(?=.)")
_MARKS = " \t：，,.。!;:“”\"'‘’「」『』`"
_OWN_PERSON = re.compile(
    rf"^(?:我(?:们|"
    rf"家)?的?)?(?P<relation>{RELATION})(?P<name>(?![师医们])[\u4e00-\u9fff]{{2,3}}|[A-Za-z]+)$"
)
_UNFIT = re.compile(
    r"什么|怎么|哪[里儿个]|多少|这样|那样|不是|不知|没有|^(?:我|你|他|她|它|这|那|很|太|不|没|挺|"
    r"非常|特别|更|最好)"
    r"|(?:的人|的事|的时候|问题|一样|地方)$|^(?:个|只|件|种|好|坏|对|错|行|可以|有|在|去|来)$"
)
_LONGEST = 40
_YEAR = re.compile(r"\d{4}|[一二][零〇九][零〇一二三四五六七八九]{2}年|[今去前]年")
_WRITTEN = {"素": "素食", "斋": "素食", "素食者": "素食", "素食主义者": "素食", "素食主义": "素食"}


def cleaned(words: str) -> str:
    """A value without the particles and marks around it."""
    words = words.strip(_MARKS)
    whole = words
    before = None
    while words and words != before:
        before = words
        words = _TAIL.sub("", words).strip(_MARKS)
    if re.fullmatch("[红黄蓝绿白黑紫灰粉橙银金甜咸辣酸苦冷热冰硬软]", words) and whole.endswith(
        words + "的"
    ):
        words += "的"
    words = _HEAD.sub("", words).strip(_MARKS)
    named = _OWN_PERSON.match(words)
    return named["name"] if named else words


def own_person(words: str) -> tuple[str, str] | None:
    """The relation and the name of 我室友彭越."""
    named = _OWN_PERSON.match(re.sub("[了吧呢啊]+$", "", words.strip(_MARKS)))
    return (named["relation"], named["name"]) if named else None


def fit(words: str) -> bool:
    """Whether words can be a value."""
    return 0 < len(words) <= _LONGEST and _UNFIT.search(words) is None


def parts(words: str) -> list[str]:
    """A list in its parts; each without what repeats the verb (喜欢游泳，也喜欢跑步)."""
    found = [cleaned(part) for part in _SPLIT.split(words)]
    return [part for part in found if part]


def valued(words: str, attribute: Attribute, concept: Concept | None, days: Days) -> Any:
    """What the words are as a value of an attribute; None where they cannot be one."""
    name = concept.names[0] if concept else attribute.name
    if attribute.value_type == "number":
        return number(words)
    if attribute.normaliser == "phone" or name == "电话":
        found = re.search(PHONE, words)
        return re.sub(r"[ ()\-]", "", found[0]) if found else None
    if attribute.normaliser == "email" or name == "邮箱":
        found = re.search(EMAIL, words)
        return found[0].lower() if found else None
    if dated(attribute, name):
        day = read_date(words)
        read = day.isoformat() if day else days.day(words)
        if name == "生日" and not _YEAR.search(words):
            read = None  # the year is nobody's guess
        if read is not None or attribute.value_type == "date":
            return read
    return _WRITTEN.get(words, words) if fit(words) else None


def dated(attribute: Attribute, name: str) -> bool:
    """Whether the values of an attribute are days."""
    return attribute.value_type == "date" or name.endswith(
        ("日期", "日", "截止时间", "期限", "期", "deadline", "_date")
    )


def number(words: str) -> int | float | None:
    """The number that words begin with: 8080, 1,280 分, 三十."""
    found = re.match(r"[-+]?\d[\d,]*(?:\.\d+)?", words.strip())
    if found:
        read = float(found[0].replace(",", ""))
        return int(read) if read.is_integer() else read
    numeral = re.match("[零〇一二两三四五六七八九十百]+", words.strip())
    try:
        return temporal_zh.number(numeral[0]) if numeral else None
    except ValueError:
        return None
