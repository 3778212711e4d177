"""What a model may say that a sentence tells: plain words, each for an attribute."""

from __future__ import annotations

import re
from collections.abc import Mapping

from text2mem.adapters.shipped import shipped_registry as shipped
from text2mem.ir.naming import fold, is_pattern
from text2mem.ir.registry import Attribute
from text2mem.ir.segment import HAN
from text2mem.ledger.candidate import Known
from text2mem.ledger.extraction.cues import cue

ENGLISH: Mapping[str, str] = {
    "home": "city", "address": "address", "name": "name", "birthday": "birthday",
    "company": "employer", "job": "job_title", "language": "languages", "like": "likes",
    "dislike": "dislikes", "hobby": "hobbies", "allergy": "allergies", "diet": "diet",
    "medicine": "medication", "illness": "diagnosis", "wife or husband": "spouse",
    "partner": "partner", "child": "children", "pet": "pets", "phone": "phone", "email": "email",
    "boss": "manager", "team": "team", "school": "school", "owner": "owner",
    "deadline": "deadline", "venue": "venue",
}  # fmt: skip
"""Words whose first token tells them apart, which is what a small model chooses by."""
CHINESE: Mapping[str, str] = {
    name: name
    for name in (
        "城市", "地址", "姓名", "生日", "公司", "职位", "语言", "喜欢", "不喜欢", "过敏", "饮食",
        "妻子", "丈夫", "儿子", "女儿", "宠物", "电话", "邮箱", "学校", "负责人", "截止日期",
        "地点",
    )
}  # fmt: skip
_MOST_OWN = 4


def offered(known: Known, said: str) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """The words to choose from with their attributes, and which of them are the tenant's own.

    Of its own only those are offered that a word of the sentence speaks for. What cannot be, as
    no value of its type stands in the sentence, is not offered.
    """
    chinese = bool(HAN.search(said))
    usual = CHINESE if chinese else ENGLISH
    registry = known.registry
    own = [
        (-cue(name, said), name.replace("_", " "), name)
        for name in owned(known)
        if name not in usual.values() and bool(HAN.search(name)) == chinese
    ]
    best = sorted(each for each in own if each[0] < 0 and _typed(registry.attribute(each[2]), said))
    named = {shown: name for _, shown, name in best[:_MOST_OWN]}
    fits = {w: name for w, name in usual.items() if _typed(registry.attribute(name), said)}
    return {**fits, **named}, tuple(named)


def owned(known: Known) -> list[str]:
    """The attributes that the tenant declares or uses, without those of everybody and secrets."""
    usual = shipped().attributes
    names = dict.fromkeys([*known.registry.attributes, *known.attributes()])
    return [
        name
        for name in names
        if not is_pattern(name)
        and fold(name) not in usual
        and known.registry.attribute(name).sensitivity != "secret"
    ]


def told(known: Known, attribute: str, said: str) -> int:
    """How many signs of an attribute stand in a sentence."""
    one = known.registry.attribute(attribute)
    typed = one.value_type in ("number", "date") or one.normaliser in ("email", "phone", "url")
    return cue(attribute, said) + (typed and _typed(one, said))


def _typed(one: Attribute, said: str) -> bool:
    """Whether a value of the attribute's type may stand in the words."""
    if one.normaliser == "email":
        return "@" in said
    if one.normaliser == "phone":
        return re.search(r"\d[\d ()./-]{4,}\d", said) is not None
    if one.normaliser == "url":
        return re.search(r"\w\.\w", said) is not None
    if one.value_type in ("number", "date"):
        return (
            re.search(r"\d|[一二三四五六七八九十百]|\b[a-z]+(?:teen|ty)\b|day\b", said) is not None
        )
    return True
