"""Patterns that find Chinese phrases for times. ``temporal`` and ``recurrence`` read them.

They are for folded text: simplified characters, and ASCII punctuation except 。 and 、. There may
be a blank on either side of figures: 3 月 12 日.
"""

from __future__ import annotations

import re

from text2mem.ir.times.measures import FRACTION
from text2mem.ir.words.calendar_names import HAN_WEEKDAYS
from text2mem.ir.words.folding import any_of

NUMBER = r"(?:\d{1,3}|[一二三四五六七八九十两百零]{1,4})"
_UNIT = r"(?:秒钟?|分钟|刻钟|个?小时|个?钟头|天|周|个?星期|个?礼拜|个月|个?季度|年)"
_ONE_LENGTH = (
    f"(?:半个?(?:小时|钟头|天|月|季度|年)|{NUMBER} ?个半(?:小时|钟头|星期|礼拜|月)|"
    rf"{NUMBER}(?:\.5)? ?{_UNIT}半?)"
)
# 第三天 is a day and 一天三次 a frequency, not a length.
LENGTH = (
    rf"(?<![第每\d.])(?<![第每] )(?:{_ONE_LENGTH}(?: ?[零又]?{_ONE_LENGTH}){{0,2}})"
    r"(?! ?[内之前后]?[一二三四五六七八九十\d]? ?[次遍])"
)
PERIODS_AWAY = {
    "上上": -2, "大上": -2, "上": -1, "本": 0, "这": 0, "当": 0, "下": 1, "下下": 2, "大下": 2,
}  # fmt: skip
NEAR = f"{any_of(PERIODS_AWAY)}个?"
DAYS_AWAY = {
    "大前天": -3, "前天": -2, "前日": -2, "昨天": -1, "昨日": -1, "今天": 0, "今日": 0, "当天": 0,
    "明天": 1, "明日": 1, "后天": 2, "后日": 2, "大后天": 3,
}  # fmt: skip
_DAY = f"(?:{any_of(DAYS_AWAY)}|[今明昨当][晚早]上?|听[日晚朝]|[寻琴][日晚]|今朝|[今明]晨)"
WEEKS = "(?:周|星期|礼拜)"
"""The word for a week before one of its days, each of which is ``OF_WEEK``."""
OF_WEEK = f"[{HAN_WEEKDAYS}天]"
_WEEKDAY = rf"(?:{NEAR})?{WEEKS}{OF_WEEK}(?![次遍]|[一二三四五六七八九十]?次)"
BARE_WEEKDAY = rf"(?<![上下本这当个]){WEEKS}{OF_WEEK}(?![次遍])"
YEARS_AWAY = {
    "大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "大后年": 3, "后年": 2,
}  # fmt: skip
YEARS = any_of(YEARS_AWAY)
FULL_YEAR = r"(?:(?:19|20)\d\d ?年|[一二][零〇九]?[〇零一二三四五六七八九]{2,3}年)"
_YEAR = f"(?:{YEARS}|{FULL_YEAR})"
MONTH = (
    r"(?<![个\d一二三四五六七八九十])"
    r"(?:1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九]) ?月(?!饼|亮|天)"
)
MONTH_ALONE = f"{MONTH}份?"
_MDAY = r"(?:[12]?\d|3[01]|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九](?!十))"
BARE_DAY = rf"{_MDAY} ?[日号]"
_DATE_OF_MONTH = rf"(?:{_YEAR}的? ?)?{MONTH} ?{_MDAY}(?: ?[日号]|(?!\d))"
PART = (
    "(?:凌晨|清晨|早晨|早上|上午|正午|中午|下午|傍晚|晚上|晚间|夜里|夜间|半夜|朝早|[上下晏]昼|夜晚)"
)
_ISO = r"(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)"
_NO_DAY = (
    " ?(?:[楼线院门桌馆笔记机码店房位厅床柜仓]|记忆|条目|会议室|教室|病[房人]|窗口|[出入]口"
    "|航站|站台|车(?!票)|球[场衣台拍]|泳[池道]|考场|公路|电池)"
)
"""What stands behind a number that is no day: 3号线."""
_NUMBERED = (
    r"(?=[\d一二三四五六七八九十])(?<!\d\.)(?<![\d月第街路巷弄楼道栋幢区院])"
    rf"(?<![月第街路巷弄楼道栋幢区院] ){_MDAY} ?号(?!{_NO_DAY})"
)
DAY_OF_NO_MONTH = f"(?:{_MDAY} ?日|{_NUMBERED})"
_DAY_OF_MONTH = r"(?:3[01]|[12]\d|0?[1-9])"
FIGURES = rf"(?<![\d./$¥€£a-z-]){_DAY_OF_MONTH}[./]{_DAY_OF_MONTH}(?![\d/%]|[.:]\d)"
"""A month and a day, or the reverse."""
NO_HOUR = r"(?!\d+\.(?:[1-3]0|15))"
"""Beside a weekday, 12.30 may be a time of the day."""
NO_AMOUNT = (
    r"(?! ?(?:[元块毛折倍个份价杯片粒颗勺瓶页章集米斤克升吨亩版级码寸%]|公[里斤分]|千[米克]|小时"
    "|平[方米]|[kc]?[mg](?![a-z])|万(?!达)|度(?!假)|分(?!班)))"
)
"""No unit is behind figures beside a weekday or in a row: not 周三9.5折."""
DATED = (
    "(?:[之以]前|前(?![台后排者锋轮厅言面置腿]|提(?!交))|的前一[天日晚]|的?头一?[天日晚]|[那当][天日]"
    "|截止|到期|交(?![通换易给接友流锋界叉互集]))"
)
"""What is behind a month and a day, and not behind a number: 12.3前."""
_FIRST, _NO_FRACTION = r"(?<![^,。;!?、(\n在于])", r"(?=\d\d?/)(?!" + FRACTION + ")"
"""Where a weekday or a part of the day makes a date of figures: 5.6 is none in 血糖5.6早上."""
_BRACKETED = f"[(](?:{WEEKS})?{OF_WEEK}[)]"
BRACKETED_WEEKDAY = rf"(?<=[\d日号][(]){OF_WEEK}(?=[)])"
"""The 三 of 12月10日(三)."""
_FIGURED = (
    r"(?=\d)(?<!版本)(?<!版本 )(?<!版本号)(?!(?<=[a-z] )\d+\.)(?<!房间)(?<![第房室层栋])"
    rf"(?:{FIGURES}(?: ?{_BRACKETED}|(?<!\.5) ?号(?!{_NO_DAY})|(?= ?{DATED}))"
    rf"|(?:{_FIRST}|{_NO_FRACTION}){FIGURES}(?: ?{BARE_WEEKDAY}|(?= ?{PART})))"
)
"""A month and a day by what is beside them: 12.3早上, 3/9(周四)."""
_WITH_DATE = (
    rf"{_WEEKDAY}(?: ?(?:{NO_HOUR}{FIGURES}{NO_AMOUNT}(?: ?[日号])?"
    rf"|(?:{_NUMBERED}|\d\d? ?日)(?![游内后间票])))?"
)
_OF_MONTH = (
    rf"(?:{NEAR}月的? ?{BARE_DAY}|(?:{_NUMBERED}|(?=\d)(?<![\d月.])\d\d?日(?={BARE_WEEKDAY}))"
    f"(?: ?{BARE_WEEKDAY})?)"
)
WHOLE_DAY = (
    rf"(?:{_DAY}|{_WITH_DATE}|{_DATE_OF_MONTH}(?: ?(?:{BARE_WEEKDAY}|{_BRACKETED}))?"
    rf"|{_ISO}|{_FIGURED}|{_OF_MONTH})"
)
EDGE = (
    rf"(?:(?:{NEAR})?月(?:份)?[底末初尾头]|(?:{NEAR})?周末|{NEAR}(?:周|星期|礼拜|季度?)[初底末]"
    f"|{_YEAR}?年[底末初]|{_YEAR}[底末初]|(?:{_YEAR}的? ?)?{MONTH}份?[底末初尾头])"
)
PERIOD = (
    rf"(?:{NEAR}(?:周(?!末)|星期|礼拜|季度?|月)(?![一二三四五六日天底末初\d]|刊|报)"
    rf"|(?:{_YEAR}的? ?)?{MONTH}份?(?:[上中下]旬)?(?! ?[底末初\d])|{NEAR}月[上中下]旬"
    rf"|{_YEAR}?的?(?:第[一二三四1-4]季度|[上下]半年)|{_YEAR}(?![初底末])(?:全年)?)"
)
_HOUR = r"(?:[01]?\d|2[0-4]|十?[一二两三四五六七八九]|二十[一二三四]?|十|零)"
TIME = (
    rf"(?:{_HOUR} ?[点时](?:钟|整)?(?!间|候|尚|代|期|长)(?:半|[一三]刻| [0-5]?\d ?分|"
    r"(?:[0-5]\d|[一二三四五]?十[一二三四五六七八九]|[二三四五]十|零[一二三四五六七八九])分?|"
    r"(?:\d|[一二三四五六七八九十])分)?|"
    r"(?:[01]?\d|2[0-3]):[0-5]\d(?!\d)(?: ?[ap]m(?![a-z\d]))?|"
    r"(?<![a-z\d.:])(?:1[0-2]|[1-9]) ?[ap]m(?![a-z\d]))"
)
CLOCK = rf"(?:{PART}的? ?{TIME}|{PART}|{TIME})"
POINT = rf"(?:(?:{WHOLE_DAY}|{EDGE}|{PERIOD})(?:的? ?{CLOCK})?)"

BARE = re.compile(f"{BARE_WEEKDAY}|{MONTH}份?")
"""A weekday without its week, or a month without its year."""
AGO = re.compile(rf"{LENGTH}(?:前|以前|之前)(?:的? ?{CLOCK})?")
POINTED = re.compile(rf"{POINT}|{PART}的? ?{TIME}|{TIME}")
