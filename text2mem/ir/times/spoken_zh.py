"""Rewrite colloquial Chinese words for times into words that the readers know.

明儿个 becomes 明天, 俩礼拜 两个礼拜, 早七点 早上七点. The text has to be folded.

In a reminder, meals and the like without an hour stand for a usual one, if they end the words:
breakfast 7:30, lunch noon, supper 18:30, half an hour before and an hour after them; 起床 is 7:00,
下班 18:00, 下班前 17:30, 睡前 22:00. A date or an end (周五下班前) needs no hour.
"""

from __future__ import annotations

import re
from contextlib import suppress

from text2mem.ir.times import phrases_en as en
from text2mem.ir.times import phrases_zh as zh
from text2mem.ir.times.temporal_zh import number
from text2mem.ir.words.calendar_names import HAN_WEEKDAYS, month, weekday
from text2mem.ir.words.folding import Rewriting, any_of

_NUM = r"(?:\d{1,2}|[一二两三四五六七八九十]{1,3})"
_TWELVE = r"(?:1[0-2]|[1-9]|十[一二]?|[一二两三四五六七八九])"
_PART = r"(?:凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|夜里)"
_OF_WEEK = rf"{zh.WEEKS}{zh.OF_WEEK}(?![一二三四五六日天和、至到])"
"""A weekday that may stand beside its date: 3月15日周日 is 3月15日(周日)."""
_FORMAL = str.maketrans("壹贰叁肆伍陆", "一二三四五六")
_PAIRS = {"俩": "两", "仨": "三"}
_REGIONAL = {
    "听日": "明天", "听晚": "明晚", "听朝": "明早", "寻日": "昨天", "琴日": "昨天", "寻晚": "昨晚",
    "琴晚": "昨晚", "今朝": "今早", "今晨": "今早", "明晨": "明早",
    "朝早": "早上", "上晌": "上午", "头晌": "上午", "下晌": "下午",
    "头午": "上午", "前晌": "上午", "后晌": "下午", "上昼": "上午", "下昼": "下午", "晏昼": "下午",
    "天天": "每天", "来年": "明年", "同埋": "和", "嗰日": "那天",
}  # fmt: skip
_AWAY = {
    "明天": "一天", "后天": "两天", "大后天": "三天", "下周": "一周", "下星期": "一周",
    "下个星期": "一周", "下礼拜": "一周", "下个礼拜": "一周", "下月": "一个月", "下个月": "一个月",
    "明年": "一年",
}  # fmt: skip
_USUAL = {
    "早": ("早上七点", "早上七点半", "早上八点半"),
    "中": ("上午十一点半", "中午十二点", "下午一点"),
    "晚": ("下午六点", "晚上六点半", "晚上七点半"),
    "起": ("早上七点",) * 3,
    "下": ("下午五点半", "下午六点", "下午六点"),
    "睡": ("晚上十点",) * 3,
}
"""For the first character of a meal or the like: the times before, at and after it."""
_SAME = {"午": "中", "夜": "晚", "收": "下", "放": "下", "临": "睡", "入": "睡"}
_DATE = r"(?P<month>1[0-2]|0?[1-9]){0}(?P<day>3[01]|[12]\d|0?[1-9])(?![\d./:%])"
_IS_DATE = (
    rf"{zh.DATED}|{zh.PART}|起|开始|为止"
    rf"|[到至](?:[\d./]{{3,5}}(?![\d./]){zh.NO_AMOUNT}|\d+[日号月])|[-~][\d./]{{3,5}}(?=[一-龥]){zh.NO_AMOUNT}"
)
"""What makes a date of 12.3, which stands alone."""
_ABOUT = "(?:大概|大约|差不多|估摸着?)"
_HEAD = r"(?:^|(?<=[到至从在,]))"
_UNITS_OF_DAY = "[点时半刻分]"


def _less(found: re.Match[str]) -> str:
    """The time for some minutes before an hour: 差一刻三点 is 两点四十五分."""
    with suppress(ValueError):  # no numeral
        hour, less = number(found["hour"]), number(found["less"] or "15")
        return f"{(hour - 1) or 12}点{60 - less}分"
    return found[0]


def _usual(found: re.Match[str]) -> str:
    """The usual time of a meal or the like: 晚饭后 is 晚上七点半."""
    what, side = found["what"][0], found["side"] or ""
    place = 0 if side.endswith("前") else 2 if found["had"] or side.endswith("后") else 1
    time = _USUAL[_SAME.get(what, what)][place]
    return time if (found["part"] or time)[0] in time else found[0]


with_usual_hours = Rewriting(
    (r"(?<=[今明])(?=[早午晚][饭餐])", "天"),
    (
        r"(?:^|(?<=[天日号每今明昨一二三四五六七八九十末底前,、]))的?"
        r"(?P<part>[早晚](?![饭餐])上?)?(?P<had>吃[完好过了]{1,2})?"
        r"(?P<what>(?:早|午|中|晚|夜)[饭餐]|起床|下班|收工|放工|(?:临|入)?睡(?=前|觉前))觉?"
        r"(?P<side>[之以]?[前后]|的?时候?|那会儿?)?(?=$|[,、]|(?:一直|直)?[到至从]|持续|连续|为期|一?共)",
        _usual,
    ),
)
"""The folded text of a reminder, with the usual times of meals and the like at its end."""

plain = Rewriting(
    (r"(?<=[^\x00-\x7f])\s+|\s+(?=[^\x00-\x7f])", ""),
    (r"(?<![a-z])(?:tmrw|tmr|tomorrow)(?![a-z])", "明天"),
    (r"[俩仨](?=周|天|年|日)", lambda found: _PAIRS[found[0]]),
    (r"[俩仨](?=月|礼拜|星期|小时|钟头|季度)", lambda found: f"{_PAIRS[found[0]]}个"),
    (r"(?<![赶这那])([今明后昨]|(?<![一-龥])前)儿个?(?![子女童])", r"\1天"),
    (r"([今明昨])夜[里间]", r"\1天夜里"),
    (rf"明朝(?={_PART})", "明天"),
    (r"^[打自](?=.+[起始])", "从"),
    (rf"({zh.FIGURES})[(]({zh.OF_WEEK})[)]", r"\1(周\2)"),
    (
        rf"(?<![\d./]){_DATE.format('[.]')}号?,?(?:[(]({_OF_WEEK})[)]|({_OF_WEEK}))",
        lambda found: f"{found[1]}月{found[2]}日({found[3] or found[4]})",
    ),
    (
        rf"({zh.FIGURES})号?,?(?:[(]({_OF_WEEK})[)]|({_OF_WEEK}))(?P<clock>(?=\d))?",
        lambda found: f"{found[2] or found[3]}{found[1]}{'的' if found['clock'] == '' else ''}",
    ),
    (rf"({_OF_WEEK}),?[(]({zh.FIGURES})[)]", r"\1\2的"),
    (rf"({_OF_WEEK},?{zh.FIGURES})\s+(?=\d)", r"\1的"),
    (rf"({_OF_WEEK}),?[(]({zh.BARE_DAY})[)]", r"\1\2"),
    (rf"{_HEAD}{_DATE.format('/')}(?=$|{_PART}|[,前起]|开始|之前|\s\d)", r"\g<month>月\g<day>日"),
    (rf"{_HEAD}{_DATE.format('[./]')}(?:[日号]|(?={_IS_DATE}))", r"\g<month>月\g<day>日"),
    (rf"^(截[止至]到?|最[晚迟]|直?到){_DATE.format('[./]')}$", r"\1\g<month>月\g<day>日"),
    (rf"(?<=[日号][-~到至]){_DATE.format('[./]')}[日号]?(?=$|[一-龥])", r"\g<month>月\g<day>日"),
    (r"(?<=[月度季年])的?头一(?=[个天])", "第一"),
    (r"(?<![中正上下端晌])午([前后])(?!后)", lambda found: "上午" if found[1] == "前" else "下午"),
    (rf"早上?[和、,跟]?晚上?(?=({_TWELVE}(?:点(?:钟|半|{_NUM}分?)?|:\d\d))$)", r"早上\1和晚上"),
    (r"[擦傍]黑(?!板)", "傍晚"),
    (r"今个(?=月|周|星期|礼拜)", "这个"),
    (r"(?<![礼])拜(?=[一二三四五六日天])", "礼拜"),
    (r"廿(?=[一二三四五六七八九]?[号日])", "二十"),
    (rf"({zh.MONTH}{zh.BARE_DAY}),?({_OF_WEEK})", r"\1(\2)"),
    (rf"({zh.MONTH}{zh.BARE_DAY})[(]({zh.OF_WEEK})[)]", r"\1(周\2)"),
    (rf"(?<![上下本这个])({_OF_WEEK}),?[(]?(\d{{1,2}}月{zh.BARE_DAY})[)]?", r"\2(\1)"),
    (rf"(?<![月\d一二三四五六七八九十])({zh.BARE_DAY}),?[(]({_OF_WEEK})[)]", r"\1\2"),
    (
        r"(?:(?<=[日号])|(?<=[周期拜][一二三四五六日天]))的?头一?(?=[天日晚夜])"
        r"|(?<=[一-龥])头一?(?=[天日][晚夜傍])",
        "前一",
    ),
    (r"晌午头?", "中午"),
    (any_of(_REGIONAL), lambda found: _REGIONAL[found[0]]),
    (r"(?<=[一二三四五六日天号点半])同(?=周|星期|礼拜|月[底末尾]|[早上下中晚]|\d)", "和"),
    (r"夜晚(?!上)", "晚上"),
    (rf"(?<=[周期拜初]一)([早晚])(?={_NUM}[点时:])", r"\1上"),
    (rf"(?<![周期拜初])(?:一大?早|早起|起早)[上儿]?(?={_NUM}[点时:])", "早上"),
    (r"(?<![周期拜初])一大?早[上儿]?$", "早上"),
    (rf"^({any_of(_AWAY)})的?(?:今天|这?个?时候|同一?时间)$", lambda found: f"{_AWAY[found[1]]}后"),
    (r"(?<=[今明昨])夜(?![里间晚])", "晚上"),
    (rf"(?:下班|收工|放工)(?:[之以]?后)?(?={_NUM}[点时:])", "下午"),
    (rf"(?<=[周期拜][一二三四五六日天])[晚夜](?=$|{_NUM}[点时:])", "晚上"),
    (r"(?<=月)(?:底?的?)最后一天", "底"),
    (r"(?<=月)的?第一天", "初"),
    (r"^午夜$", "零点"),
    (r"[大后]?半夜(?:里|三更)?$", "晚上十二点"),
    (rf"深夜(?={_NUM}[点时:])", "晚上"),
    (r"(?<=.)(?:过期|到期|失效|作废)$", ""),
    (r"(?<=[天周月年期拜])后的?今天$", "后"),
    (r"(?<=月)中$", "中旬"),
    (r"(?<=[年月周])尾$", "底"),
    (r"^本?季度?[末底]$", "本季度底"),
    (r"^月低$", "月底"),
    (r"(?<=月)头$", "初"),
    (rf"(?<={_UNITS_OF_DAY})(?:左右|上下)$|(?<=[点时:]\d\d)(?:左右|上下)$", ""),
    (
        rf"({_PART}|[今明后]天|[今明][早晚]|{_OF_WEEK})(?:{_ABOUT}|约)?([1-9]|1\d|2[0-3])([0-5][05])$",
        r"\1\2:\3",
    ),
    (rf"{_ABOUT}在?(?=.*[点时:午])|(?<!预)约(?=(?:{_PART})?{_NUM}[点时:])", ""),
    (rf"差(?:一刻|(?P<less>{_NUM})分钟?)(?P<hour>{_NUM})点", _less),
    (rf"(?P<hour>{_NUM})点差(?:一刻|(?P<less>{_NUM})分钟?)", _less),
    (rf"点过(?={_NUM}[分刻])", "点"),
    (
        r"^再?过(?=[\d一二两三四五六七八九十半])(.+?(?:天|周|月|年|小时|钟头|分钟|星期|礼拜))(?:之?后)?$",
        r"\1后",
    ),
    (r"(?<![第\d一二三四])([一二三四1-4])季度", r"第\1季度"),
    (r"^最[迟晚](?:在|到|于)?(.+)$", r"\1为止"),
    (rf"({_PART}{_NUM})店$", r"\1点"),
    (rf"(?<![今明昨当每前提一傍朝])([早晚])(?={_NUM}[点时:])", r"\1上"),
    (rf"((?:这|本|下|上)个?月)({_NUM})$", r"\1\2号"),
    (r"入了(?=[春夏秋冬])", "入"),
    (r"(?<=[春夏秋冬])了$", ""),
    (r"后头$", "后"),
    (r"(?:(?<=.)前一?|^前一)[晚夜][上里]?", "前一天晚上"),
    (r"^进了?([正冬腊]月)$", r"\1开始"),
    (r"(?<=[周期拜])[壹贰叁肆伍陆]", lambda found: found[0].translate(_FORMAL)),
    (
        r"(?<![a-z])(mon|tue|wed|thu|fri|sat|sun)(?:s|r|rs|nes|ur)?(?:day)?(?![a-z])",
        lambda found: f"周{HAN_WEEKDAYS[weekday(found[1])]}",
    ),
    (
        rf"(?:^|(?<=[在到至从]))(?:(?P<day>\d{{1,2}})(?:{en.ENDING})? ?(?P<month>{en.MONTH})"
        rf"|(?P<month_>{en.MONTH}) ?(?P<day_>\d{{1,2}})(?:{en.ENDING})?)(?={_PART}|\d{{1,2}}:)",
        lambda found: (
            f"{month(found['month'] or found['month_'])}月{found['day'] or found['day_']}日"
        ),
    ),
    (r"(?<![\d.])(\d{1,2})\.([0-5]\d) ?([ap]m)(?![a-z])", r"\1:\2\3"),
)
"""The folded text without blanks around Chinese characters, and with times in common words."""
