"""Chinese amounts: priorities, weights, sizes of pieces and summaries, limits and orders."""

from __future__ import annotations

import re

from text2mem.ir import temporal_zh
from text2mem.planner.evidence.amounts import less, level, share
from text2mem.planner.evidence.rows import Row, constant

_N = r"(?P<n>\d{1,5}|[一二两三四五六七八九十百]{1,5})"
_DECIMAL = r"(?P<x>0?\.\d{1,3}|1\.0|0\.0|[01](?![\d.]))"
_NOTE = r"(?:笔记|记忆|记录|条目|备忘|想法|任务|决定|日程|内容|结果|信息)"


def _count(found: re.Match[str]) -> int | None:
    try:
        return temporal_zh.number(found["n"]) if not found["n"].isdigit() else int(found["n"])
    except ValueError:
        return None


def _level(found: re.Match[str]) -> str | None:
    return level(_SAID.get(found["level"], found["level"]))


_SAID = {
    "首要": "最高",
    "最优": "最高",
    "次要": "低",
    "一般": "普通",
    "默认": "普通",
    "中等": "中",
    "加急": "紧急",
}


def _more(found: re.Match[str]) -> float | None:
    return share(found) or None


def _several(found: re.Match[str]) -> int | None:
    """A count that is no 一 of 最后一条."""
    return None if found["n"] == "一" else _count(found)


_SUMMARY = re.compile("总结|概括|概述|摘要|归纳|小结|浓缩|汇总|提炼|要点|归结")
_CUT = re.compile("拆|切|分成|分割|每条|每段|每块|短笔记|小块|小段")
_LEVEL = (
    "(?P<level>最高|较高|更高|(?<![提升调增])高|最低|较低|更低|(?<![降调减])低|普通|"
    "一般|中等|中|正常|紧急|默认|首要|次要|最优先)"
)
_UP = r"(?:上调|提高|提升|调高|增加|加|升高|上升|往上调|升|加大|增大|高)"
_DOWN = r"(?:下调|降低|调低|减少|减|下降|往下调|降|减小|低)"
_MOST = r"(?:最多|不超过|至多|不多于|控制在|大约|约|上限|小于|少于|限)?"

CHINESE_AMOUNTS = (
    # priorities
    Row("priority", re.compile(rf"{_LEVEL}(?:的)?优先级?(?!地)"), _level),
    Row(
        "priority",
        re.compile(
            "(?:优先级|重要(?:性|程度|度)|优先度)(?:都|全|也)?(?:改为|改成|设为|设成|设置为|"
            "调到|调为|调成|降到|降为|升到|升为|提到|提高到|提升到|降低到|变更为|更新为|为|是|"
            f"定为|:|=)?(?P<said>{_LEVEL})(?!于|级)"
        ),
        _level,
    ),
    Row("priority", re.compile(r"最(?:优先|要紧|重要)(?!的(?:部分|内容))"), constant("urgent")),
    Row(
        "priority",
        re.compile(
            "(?:设为|设成|标记为|标为|列为|当作|视为|改为|标成|作为|算)(?P<said>(?P<level>紧急|"
            "重要|特急|最高|首要))(?!性|的(?:部分|内容))"
        ),
        _level,
    ),
    Row(
        "priority",
        re.compile(r"(?:很|非常|特别|十分|比较|挺)(?P<said>(?P<level>紧急))(?!的(?:部分|内容))"),
        _level,
    ),
    Row(
        "priority",
        re.compile(
            "不(?:太|那么|是很|怎么)?(?:着?急|紧急|要紧|重要)|没那么(?:重要|紧急|急)|无关紧要|"
            "可以缓(?:一缓|缓)|不用急|次要"
        ),
        constant("low"),
    ),
    Row(
        "priority",
        re.compile(
            r"(?<![a-z\d])(?P<said>p(?P<level>[0-4]))(?:优先级|级(?!别?(?:事件|故障|事故)))"
        ),
        lambda m: level("p" + m["level"]),
    ),
    Row(
        "priority",
        re.compile(
            r"(?:优先级|设为|设成|为|是|到|成|按|:)\s?(?P<said>p(?P<level>[0-4]))(?![a-z\d]|"
            "级?(?:事件|故障|事故))"
        ),
        lambda m: level("p" + m["level"]),
    ),
    # weights
    Row(
        "weight",
        re.compile(
            "(?:权重|重要(?:性|程度|度))(?:都|全)?(?:改为|改成|设为|设成|设置为|调到|调为|调成|"
            rf"定为|为|是|到|:|=)?\s?(?P<said>{_DECIMAL})"
        ),
        share,
    ),
    Row(
        "weight",
        re.compile(
            rf"(?:权重|重要(?:性|程度|度))(?:[^,。;!?\d]{{0,8}})(?:提高到|提升到|上调到|降到|"
            rf"降低到|下调到|调到|升到|到)\s?(?P<said>{_DECIMAL})"
        ),
        share,
    ),
    Row("weight_delta", re.compile(rf"(?P<said>{_UP}了?\s?{_DECIMAL})"), _more),
    Row("weight_delta", re.compile(rf"(?P<said>{_DOWN}了?\s?{_DECIMAL})"), less),
    Row("weight_delta", re.compile(r"(?<![\d.\w+])(?P<said>\+\s?(?P<x>0?\.\d{1,3}))(?!\d)"), _more),
    Row(
        "weight_delta", re.compile(r"(?<![\d.\w-])(?P<said>[-−]\s?(?P<x>0?\.\d{1,3}))(?!\d)"), less
    ),
    # sizes of pieces
    Row(
        "sentences",
        re.compile(
            f"(?<!不止)(?<!超过)(?<!多于)(?P<said>{_N}[个]?句(?:话|子)?)(?=一?条|一?段|一?个|成|"
            "为|的|一|[,。;!?、]|$|以内|就|内|更|总|概)"
        ),
        _count,
    ),
    Row(
        "sentences",
        re.compile(rf"(?:每条|每段|每块|每个|各)(?:笔记)?{_MOST}(?P<said>{_N}[个]?句(?:话|子)?)"),
        _count,
    ),
    Row(
        "sentences",
        re.compile(
            "(?:按|一)句(?:子|话)?(?:一句)?(?:地)?(?=拆|分|切|来拆)|按句(?:子|话)?|逐句|"
            "每句(?:话)?(?:一条|单独|成)"
        ),
        constant(1),
        _CUT,
    ),
    Row(
        "characters",
        re.compile(
            "(?:每条|每段|每块|每个|每|各)(?:笔记)?(?:的?(?:长度|"
            f"字数))?(?:为)?{_MOST}(?P<said>{_N}个?(?:字符?|汉字|字母))"
        ),
        _count,
    ),
    Row(
        "characters",
        re.compile(
            f"(?<!重叠)(?<!重合)(?P<said>{_N}个?(?:字符?|汉字|字母))(?:以内|之内|左右|"
            "内)?的?(?:一?条|一?段|一?块|小段|小块|短笔记|片段)"
        ),
        _count,
    ),
    Row(
        "characters",
        re.compile(
            rf"(?<!重叠)(?<!重合)(?<![\d])(?P<said>{_N}个?(?:字符?|汉字|字母))(?=的(?!重)|一|"
            "以内|之内|内|[,。;!?、]|$)"
        ),
        _count,
        re.compile("拆|切|分成|分割|每条|每段|每块"),
    ),
    Row(
        "overlap",
        re.compile(rf"重[叠合](?:部分)?(?:为|是|:|有)?(?P<said>{_N}个?(?:字符?|汉字)?)"),
        _count,
    ),
    Row("overlap", re.compile(rf"(?P<said>{_N}个?(?:字符?|汉字)?)的?重[叠合]"), _count),
    # sizes of summaries
    Row("tokens", re.compile(rf"(?P<said>{_N}\s?个?\s?(?:tokens?|词元|令牌))"), _count),
    Row(
        "words",
        re.compile(
            f"(?:{_MOST})(?P<said>{_N}个?(?:字|词|单词))(?:以内|之内|内|左右|的|,|。|$|总结|概括)"
        ),
        _count,
        _SUMMARY,
    ),
    Row(
        "words",
        re.compile(rf"(?<![每条段块各])(?P<said>{_N}个?(?:字|词|单词))(?:以内|之内)"),
        _count,
        unless=_CUT,
    ),
    # limits and orders
    Row(
        "limit",
        re.compile(
            "(?:最近|最新|最早|最老|最旧|最相关|最匹配|最接近|前|头|最后|"
            f"最先)的?(?P<said>{_N})(?:条|个|篇|则|项|份)(?!月|星期|礼拜|季|小时|钟头)"
        ),
        _several,
    ),
    Row(
        "limit",
        re.compile(
            "(?:最多|只要|只|仅|不超过|限|给我|找出?|列出|看|显示|返回|取)(?:给我|看|显示|列出|"
            f"返回|要|取)?(?P<said>{_N})(?:条|篇|则|份|个结果|项)(?!标签|合)"
        ),
        _several,
    ),
    Row(
        "limit",
        re.compile(r"(?P<said>最新|最近|最后|上)的?(?:那|这)?一?条(?!件)(?!记录里)"),
        constant(1),
    ),
    Row(
        "limit",
        re.compile(r"(?P<said>最早|最老|最旧|第一)的?(?:那|这)?(?:一?条)(?!件)"),
        constant(1),
    ),
    Row(
        "order",
        re.compile(
            f"(?P<said>最新|最近|最后)(?=的?(?:{_N}|那|这|几)?(?:条|个(?!月|星期|礼拜|季|小时)|篇|则|"
            f"份)|的?{_NOTE})|按(?:时间|日期)(?:倒序|从新到旧|排)?|从新到旧|时间倒序"
        ),
        constant("newest"),
    ),
    Row("order", re.compile(r"最早|最老|最旧|从旧到新|时间顺序|按时间正序"), constant("oldest")),
    Row(
        "order",
        re.compile(r"最相关|最匹配|最接近|最相似|按相关(?:性|度)|相关(?:性|度)排序"),
        constant("relevance"),
    ),
)
