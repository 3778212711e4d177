"""Chinese words for edits."""

from __future__ import annotations

import re

from text2mem.planner.edits.model import EditWords

_QUOTED = r"[“‘「『\"'][^”’」』\"]{1,200}?[”’」』\"']"
_OLD = rf"(?P<old>{_QUOTED}|[^，。；！？,;!?“”]{{1,30}}?)"
_NEW = rf"(?P<new>{_QUOTED}|[^，。；！？,;!?“”]{{1,40}}?)"
_STOP = r"(?=(?:才对|就对了|就好|就行|了|吧|吗|呢|啊)*(?:[，。；！？,;!?]|$))"
_CHANGE = r"(?:替换|更换|改写|修改|更改|变更|更正|修正|更新|调整|纠正|改|换|调|变)"
_TO = r"(?:为|成|到|至)"
_NOTE = r"(?:那条|这条|笔记|记录|记忆)"
_IN = rf"(?:{_NOTE}?(?:里面?|中|上)的?|{_NOTE}的)"
_SHOULD = r"(?:应该|应|该|其实|实际上?|现在)"


def _compiled(*sources: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(source) for source in sources)


def _field(names: str) -> tuple[re.Pattern[str], ...]:
    value = rf"(?P<value>{_QUOTED}|[^，。；！？,;!?“”]{{1,40}}?){_STOP}"
    return _compiled(
        rf"的?(?:{names})(?P<of>)(?:应该|应|要|该|现在|其实|都|全)*"
        rf"(?:{_CHANGE}{_TO}|设{_TO}|设置{_TO}|写成?|是|为|填){value}"
    )


CHINESE = EditWords(
    pairs=_compiled(
        rf"{_IN}{_OLD}(?:都|全)?{_CHANGE}{_TO}{_NEW}{_STOP}",
        rf"{_SHOULD}?(?:明明|原本)?(?:写成?|是|为){_NEW}[，,]?(?:而|并)?不(?:是|该是|应该是){_OLD}{_STOP}",
        rf"不(?:是|该是|应该是){_OLD}[，,]?(?:而|应该|应|其实)?(?:是|为|写成?){_NEW}{_STOP}",
        rf"从{_OLD}{_CHANGE}{_TO}{_NEW}{_STOP}",
        rf"用{_NEW}(?:替换|代替|取代|换)(?:掉|下)?(?:[^，。；]{{0,20}}?{_IN}|原来的)?{_OLD}{_STOP}",
        rf"(?:把|将){_OLD}(?:都|全)?{_CHANGE}{_TO}{_NEW}{_STOP}",
        rf"{_OLD}(?:写|记|弄)?错了[，,]{_SHOULD}?(?:写成?|是|为){_NEW}{_STOP}",
    ),
    says=_compiled(
        rf"(?:内容|文字|正文|全文|原文)(?:都|全)?(?:{_CHANGE}{_TO}|应该(?:是|写成?)|写成?)[:：]?"
        rf"(?P<new>{_QUOTED}|[^。；！？]{{2,120}}?){_STOP}",
        rf"(?:{_CHANGE}{_TO}|写成?)[:：]?(?P<new>{_QUOTED}){_STOP}",
        rf"(?:{_CHANGE}{_TO}|写成?)[:：](?P<new>[^。；！？]{{2,120}}?){_STOP}",
    ),
    news=_compiled(
        rf"{_SHOULD}(?:写成?|是|为|改{_TO}){_NEW}{_STOP}",
        rf"(?:{_CHANGE}|延期|推迟|提前|延|挪|移|推)(?:{_TO}|在)了?{_NEW}{_STOP}",
        rf"(?:修改|更改|变更|更新|设置|设定|改)[^，。；]{{1,24}}?(?:为|成){_NEW}{_STOP}",
        rf"(?:预计|将|会)?(?:翻倍|增加|减少|上升|下降|涨|降){_TO}{_NEW}{_STOP}",
    ),
    fields={
        "location": _field("地点|位置"),
        "type": _field("类型|类别"),
        "subject": _field("主体|人物|对象"),
        "topic": _field("主题"),
        "source": _field("来源"),
        "time": _field("时间|日期"),
    },
    dated=re.compile(
        r"(?:改|换|调整|修改|更正|更新)(?:一下|下)?(?:它|其)?的?(?:日期|时间)(?:[，。！]|$)"
    ),
    cancelled=re.compile(
        r"(?P<remind>提醒)(?:都|就|可以|不)?(?:不要了|撤了|停了|免了|没必要)"
        r"|(?P<expire_at>有效期|期限)(?:都|就|可以)?(?:不要了|撤了|免了)"
    ),
)
