"""Chinese pronouns, the focus and language of a summary, and conditions."""

from __future__ import annotations

import re

from text2mem.planner.evidence.flags_zh import NOTE, trimmed
from text2mem.planner.evidence.rows import Row, Words, constant
from text2mem.planner.evidence.text import CLOSING, HIDDEN, OPENING

_SUMMARY = re.compile("总结|概括|概述|摘要|归纳|小结|浓缩|汇总|提炼|要点|归结|写|回答|回复|说")

CHINESE_SPEECH = (
    # what a summary is about, and in which language
    Row(
        "focus",
        re.compile(
            "(?:(?<![为作的])重点(?:是|关注|放在|讲|看|说|突出|总结|概括|在)|着重(?:于|讲|看|"
            "说|总结|关注|在)?|侧重(?:于|讲|看)?|尤其(?:是|关注)?|特别(?:是|关注|注意|强调)|"
            "主要(?:看|讲|关注|是|围绕|说)|突出|聚焦(?:于|在)?|关注(?:一下)?|"
            rf"强调)(?P<said>[^,。;:!?\n{HIDDEN}]{{1,60}}?)(?=[,。;:!?\n{HIDDEN}]|$|吧)"
        ),
        Words(trimmed),
    ),
    Row("language", re.compile(r"用?(?:英文|英语)(?=[^版本的笔]|$)"), constant("en"), _SUMMARY),
    Row(
        "language",
        re.compile(r"用?(?:中文|汉语|简体|普通话)(?=[^版本的笔]|$)"),
        constant("zh"),
        _SUMMARY,
    ),
    # what was spoken of before
    Row("pronoun", re.compile(r"它们|(?<!其)它(?!们|其|本)"), lambda found: found[0]),
    Row(
        "pronoun",
        re.compile(
            "(?<![的关于])(?:这些|那些)(?=[,。;!?吧呢]|$|都|也|全|给|删|锁|归档|合|拆|改|忘|保|"
            "一|就|笔记(?!里|中|关于|带)(?!的)|记忆(?!里|中)(?!的)|记录(?!里|中)(?!的))"
        ),
        lambda found: found[0],
    ),
    Row(
        "pronoun",
        re.compile(
            f"(?<!原来)(?<!{CLOSING})(?<!的)(?<!有)(?<!为)(?<!充)(?<!存)(?:这|那|刚才那|刚刚那|上面那|前面那|"
            f"刚才的|上面的)(?:(?:两|三|四|五|几)?(?:条|份|篇|则){NOTE}?|"
            f"个{NOTE})(?=[,。;!?吧吗呢]|$|都|也|全|给|删|锁|归|标|合|拆|改|设|加|打|贴|忘|保|"
            "冻|提|降|恢|过|里|上|一|以|并|就|从|放|再|的(?:标签|优先级|重要|内容|权重|状态|"
            "提醒|地点))"
        ),
        lambda found: found[0],
    ),
    Row(
        "pronoun",
        re.compile(
            "最后(?:那|这)?一?条|上一?条|最新(?:的)?(?:那|这)?一?条|前者|后者|刚才(?:存|记|"
            "说)的(?:那(?:条|些))?|拆出来的(?:那|这)?(?:几条|几块|笔记)?|其余的|剩下的"
        ),
        lambda found: found[0],
    ),
    Row(
        "latest",
        re.compile(
            f"(?:最后|最新|最近)的?(?:那|这)?一条(?:{NOTE})?|上一?条(?:{NOTE})?|刚(?:才|"
            "刚)(?:存|记|说)的(?:那(?:条|个))?"
        ),
        constant("newest"),
    ),
    # conditions
    Row(
        "condition",
        re.compile(
            "(?<![能以])(?P<said>(?:如果|要是|假如|假使|倘若|若是?|除非|只要|万一|一旦|遇到|"
            "若有|的话)(?!能|可以|方便|可能|你(?:能|可以|方便)|您|"
            rf"有?{OPENING})[^。;!?\n{HIDDEN}]{{1,120}}?)(?=,|就|则|那就|的话|[。;!?\n{HIDDEN}]|"
            "$)"
        ),
        Words(trimmed),
    ),
)
