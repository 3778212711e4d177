"""Fold texts before patterns of times and recurrences are applied, character by character, so that
positions in a folded text are positions in the text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache

_APOSTROPHES = {"’": "'", "‘": "'", "`": "'", "´": "'", "ʼ": "'"}
SIMPLIFIED = dict(
    zip(
        "標籤記憶筆條為鎖檔優級總結過關內時間從當禮來幾週後點個兩這鐘號還給刪編輯權設歸類備錄處"
        "發現開閉並對應讓請幫麼嗎們別於與無沒貼帶頭項數舊長語節臘聖誕慶陽勞動兒婦師親復驚蟄穀滿"
        "曆陰國雙萬種龍農聽尋晝淩緊較億裡裏單遲續連爲飯",
        "标签记忆笔条为锁档优级总结过关内时间从当礼来几周后点个两这钟号还给删编辑权设归类备录处"
        "发现开闭并对应让请帮么吗们别于与无没贴带头项数旧长语节腊圣诞庆阳劳动儿妇师亲复惊蛰谷满"
        "历阴国双万种龙农听寻昼凌紧较亿里里单迟续连为饭",
        strict=True,
    )
)
"""The simplified form of traditional characters that occur in times and commands."""


def fold(utterance: str) -> str:
    """The text in lower case, with compatibility forms and apostrophes normalised, traditional
    characters simplified, and blanks other than newlines as spaces."""
    return "".join(map(_folded, utterance))


@lru_cache(maxsize=8192)
def _folded(char: str) -> str:
    if char < "\x7f":
        return " " if char in "\t\r\f\v" else char.lower()
    if char in _APOSTROPHES:
        return _APOSTROPHES[char]
    normal = unicodedata.normalize("NFKC", char).lower()
    if len(normal) != 1:
        return char
    return " " if normal.isspace() else SIMPLIFIED.get(normal, normal)


def phrase(source: str) -> re.Pattern[str]:
    """Compile a pattern in which a blank matches one to three blanks, and " ?" up to three."""
    return re.compile(source.replace(" ?", r"\s{0,3}").replace(" ", r"\s{1,3}"))


class Rewriting:
    """Applies substitutions, rows of a pattern and its replacement, one after the other."""

    def __init__(self, *rows: tuple[str, str | Callable[[re.Match[str]], str]]) -> None:
        self._rows = [(re.compile(pattern), to) for pattern, to in rows]

    def __call__(self, text: str) -> str:
        for pattern, to in self._rows:
            text = pattern.sub(to, text)
        return text


def any_of(words: Iterable[str]) -> str:
    """The source of a pattern that matches one of the words. Longer ones are tried first."""
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"
