"""Nouns that are said to be something: X的Y是Z, Y改成Z, Y定在Z, Z是我的Y."""

from __future__ import annotations

import re
from collections.abc import Callable

from text2mem.ir.phrases_zh import CLOCK, POINT
from text2mem.ledger.extraction.chinese.claims import Claim
from text2mem.ledger.extraction.chinese.concepts import RELATION, any_of
from text2mem.ledger.extraction.chinese.statements import ADVERBS

_SETTLED = (
    r"(?:已经?|刚|又|也|都|就|将|暂时|初步)*(?:锁定在|锁定为|锁在|钉在|固定在|固定为|控制在|"
    r"限制在|限制为|定在|定于|定到|定了?(?=\d)|定为|安排在|安排到|放在|"
    r"约在|设在|选在|改在|改到|改期到|改期至|改约到|改约在|推迟到|推迟至|推到|延期到|延期至|延到|"
    r"延后到|延后至|"
    r"顺延到|顺延至|提前到|提前至|挪到|挪至|移到|调到|调整到|调整至|换到|改成|改为|是|为|在)(?:了)?"
)
_BECAME = (
    r"(?:已经?|刚|又|也|都|就|将)*(?:换成|换为|换到|改到|改在|改期到|改期至|延至|放到|改成|改为|"
    r"改用|改叫|变成|变为|变更为|变更成|更新为|更新成|更换为|更改为|调整为|调整成|调整到|调成|"
    r"调到|调为|升到|升为|升级到|升级成|升级为|涨到|降到|降为|减到|减为|加到|增加到|提高到|迁到|"
    r"迁移到|迁至|切到|切换到|切换成|切换为|移到|挪到|"
    r"推迟到|推迟至|推到|延期到|延期至|延到|提前到|设为|设成|设置为|设置成|设定为|定为|定成|定在|"
    r"定于|交给|移交给|转给)(?:了)?"
)
_IS = (
    r"(?:现在|目前|已经|还|仍|仍然|一直|就|也|都|应该|好像|可能|大概|其实|默认|统一|一律|暂定|"
    r"固定|目前还|还是|如今|依然|全部|只)*"
    r"(?:(?<=[都律一])[开写填]|控制在|不超过|上限是|就是|正是|还是|仍是|仍然是|已经是|指的是|是|"
    r"为|叫做|叫|名叫|取名|等于|=|:|采用的是|使用的是|用的是|采用|使用|选用|"
    r"(?<!费)(?<!信)(?<!常)(?<!惯)(?<!租)用|走|跑在|"
    r"放在|位于|写的是|填的是|包括|包含|有|是在|在)(?:了)?"
)
_NOUN = r"(?P<noun>(?!请|麻烦)[^\s,。:是为叫有在把从被对将换改变用][^,。:是叫把被]{0,13}?)"
_HAVING = re.compile(
    rf"^(?:(?!最喜|最爱|最常){ADVERBS})?{_NOUN}\s*(?:(?:从|"
    rf"由)(?P<old>[^,。]{{1,20}}?))?(?P<verb>{_SETTLED}|{_BECAME}|{_IS})\s*(?P<v>.+)$"
)
_TAKEN = re.compile(r"^(?:我们?|已经|刚)?(?:请|麻烦)?(?:帮我|给我)?(?:把|将)\s*")
_INVERSE = re.compile(
    rf"^(?P<v>[^,。是]{{1,40}}?)(?:就)?是(?P<owner>我|[^,。是的]{{1,12}}?)(?:的)?(?P<noun>"
    rf"{RELATION}|[^,。的是]{{2,8}})$"
)
_TIME = re.compile(
    rf"^(?:每(?:天|日|周|月|年|个)?|逢)?(?:[周星期礼拜一二三四五六日天、和]*)?(?:{POINT}|{CLOCK})"
)
_DAY_ONLY = re.compile(rf"^(?:{POINT})(?:那天|当天)?(?:了)?$")
_CLOCKED = re.compile(CLOCK)
_EVENT = re.compile(
    rf"^(?P<v>{POINT}|\d{{1,2}}[日号])(?:那天)?(?:就|才|要|会|得|将|正式|"
    rf"准备)*(?P<noun>[\u4e00-\u9fff]{{2,6}}?)(?:了)?$"
)
_DUE = re.compile(
    rf"^(?P<noun>[^,。]{{0,12}}?)(?:的)?(?:是|会|将|在|要|于|得)*(?P<v>{POINT})(?:之前|以前|前|"
    r"那天|就|才|必须|一定)*"
    r"(?:要|得|必须|应该|就|会|须|需)*(?P<end>到期|过期|失效|截止|截稿|交(?:稿|付|上去|出去|了)?$|"
    r"提交|完成|上交|到)$"
)
_VALID = re.compile(
    r"^(?:的)?(?P<noun>[^,。]{0,8}有效期限?)(?:是|为|截止到?|到|至|:)+(?P<v>\d[^,。]{1,14})$"
)
_DUE_FIRST = re.compile(
    rf"^(?:最晚|最迟|必须)?(?:在|到)?(?P<v>{POINT})(?:之前|以前|前|那天)?,?(?:我们?|"
    rf"大家)?(?:必须|一定|就|都|要|得|需要)+"
    rf"(?:把|将)?(?P<noun>[^,。]{{2,10}}?)(?P<end>交|提交|上交|递交|完成|弄完|做完|写完)(?:了|"
    rf"给|到|上去|出去|掉)*"
    rf"[^,。]{{0,8}}$|^(?:最晚|最迟|必须)?(?:在|到)?(?P<v2>{POINT})(?:之前|以前|前)(?:必须|"
    rf"一定|就|都|要|得|需要)*"
    rf"(?P<end2>交|提交|上交|递交|完成)(?P<noun2>[^,。了]{{2,10}})$"
)
_ENDS = {"到期": "到期日", "过期": "到期日", "失效": "到期日"}
_EVENTS = (
    "发版 上线 发布 交付 开业 开学 答辩 手术 体检 复诊 搬家 结婚 婚礼 订婚 面试 考试 毕业 入职 交"
    "房 出院 开工 竣工 演出 比赛 开幕 "
    "出发 回国 开会 验收 聚会 年会 团建 家长会 例会 周会 返程 婚宴 生日会 开庭 预产期 截稿 送审 评"
    "审"
)
_SOME_EVENT = re.compile(any_of(_EVENTS.split()))
_KNOWN_EVENT = re.compile(any_of(_EVENTS.split()) + "$")
_LANGUAGE = re.compile(
    r"^(?P<v>(?:[\u4e00-\u9fff]{1,3}语|[中英日韩法德俄]文))(?:来)?(?:写|书写|撰写)?$"
)
_PLAINLY = re.compile("[^定改推延]*(?:是|为|在)(?:了)?")
_STAYING = re.compile("(?:现在|目前|已经|还|仍|仍然|一直|就|也|都|应该|好像|可能|大概|其实|是)*在")
_NUMBERED = re.compile(
    r"^(?:的|家里?的)?(?P<noun>(?![旧原])[\u4e00-\u9fff]{1,7}(?<!验证)(?<!校验)(?:号|码|号码|账号|"
    r"编号|"
    r"id))\s*(?:是|为|:)?\s*(?P<v>[a-z0-9][a-z0-9_-]{3,})$"
)
_MANY = re.compile(r"(?:有|包括|包含)(?:了)?$")
_LISTED = re.compile("成员|组员|队员|爱好|兴趣|过敏|语言|技能|宠物|忌口")
_DROPPED = re.compile(
    r"(?:的|我们?|统一|一律|默认|全部|暂时|那边|这边|方面|这块|目前|现在|也|都|已经?|还|又|就)+$"
)
_IDLE = re.compile(
    "(?:意思|建议|问题|想法|看法|观点|心情|感觉|目的|原因|理由|结论|打算|要求|态度|印象|经验|回答|"
    "答案|疑问|"
    "疑惑|担心|梦想|愿望|天|内容|结果|情况|重点|区别|关键|意见)$"
)
"""Nouns of what is said or felt, not of what somebody has."""
_ATTRIBUTIVE = re.compile(
    r"..(?:号|码|级|租|费|费用|价|价格|率|方式|语言|口味|品牌|路线|地点|地址|时间|"
    r"日期|人数|数量|比例|周期|频率|额度|标准|颜色|名称)$|(?:上司|领导|主管|负责人|联系人|顾问|"
    r"搭档|电话|邮箱|密码)$|国籍|院系|班级|学制|年级|学历|民族|星座|信仰|月租|中文名|英文名|笔名|艺名|网名|"
    r"目的地|目标$|户型|车型|"
    r"[主鼓吉贝队社会班组店馆][唱手斯他长]$|指挥$|助教$|主编$|裁判$|[^,。]{2}(?:人|手|员)$"
)
"""Nouns of what people and things have."""
_PURPOSE = re.compile(r"^(?:用来|用于|为了)")


def read(
    plain: str, words: Callable[[int, int], str], *, owned: bool, own: bool, told: bool
) -> Claim | None:
    """The claim of a noun. ``owned``: it is somebody's, so that any noun will do.

    ``own`` says that the clause begins with its subject, ``told`` that the subject is known.
    """
    plain, offset = _untaken(plain)
    for pattern in (_DUE, _EVENT):
        if (found := pattern.match(plain)) and (claim := _dated(found, words, offset)):
            return claim
    if found := _VALID.match(plain):
        noun, value = (words(*_moved(found, name, offset)) for name in ("noun", "v"))
        return Claim(noun, value)
    if found := _DUE_FIRST.match(plain):
        second = "2" if found["v2"] else ""
        noun, value = (words(*_moved(found, name + second, offset)) for name in ("noun", "v"))
        return Claim(re.sub("^(?:把|将)|的$", "", noun) + "截止日期", value)
    if found := _NUMBERED.match(plain):
        noun, value = (words(*_moved(found, name, offset)) for name in ("noun", "v"))
        return Claim(noun, value)
    found = _HAVING.match(plain)
    if found is None:
        return None
    noun = _DROPPED.sub("", words(*_moved(found, "noun", offset)))
    noun = re.sub(
        r"^(?:的|最?常用的|惯用的|这[次趟回](?:去[^,。]{1,6}?的|[^,。]{0,4}?的)|(?:住|坐|买|订|"
        r"定|开|用|穿|报|租|学|养|选|办)的|这个?[周月次]的?|"
        r"本[周月次]的?|今[天晚]的|以后|今后|现在|目前|那个|这个|家里?的|咱们?的?|"
        r"[和跟与][^,。的]{1,6}的)+(?=..)",
        "",
        noun,
    )
    every = re.match("每[天周月年]的?(?=..)", noun)
    noun = noun[every.end() :] if every else noun
    start, end = found.span("v")
    value, verb = words(start + offset, end + offset), found["verb"]
    value = every[0].rstrip("的") + value if every else value
    if not noun or _IDLE.search(noun) or _PURPOSE.match(found["v"]):
        return None
    said = re.sub(r"[了吧啦哦啊呀]+$", "", found["v"].strip())
    if (language := _LANGUAGE.match(said)) and "用" in verb and "语言" not in noun:
        at = start + offset
        return Claim(f"{noun}语言", words(at, at + language.end("v")))
    if _MANY.search(verb) and not _LISTED.search(noun):
        return None
    if (
        re.fullmatch(_SETTLED, verb)
        and (event := event_kind(said))
        and (
            not _PLAINLY.fullmatch(verb)
            or _KNOWN_EVENT.search(noun)
            or noun.endswith(("时间", "日期", "日", "期限"))
        )
    ):
        return Claim(noun, value, event=event)
    if _STAYING.fullmatch(verb) and not re.search(
        "地点|地址|位置|目录|路径|办公室|工位|车位|座位|宿舍|教室|诊室", noun
    ):
        return None
    changed = re.fullmatch(_BECAME, verb) is not None
    settled = re.search("统一|一律|默认|固定|都[开写填]", verb) is not None
    settled = settled or re.match("最?(?:喜欢|爱|常用|偏好|首选|默认|惯用)", noun) is not None
    settled = settled or (
        (own or told or changed)
        and _ATTRIBUTIVE.search(noun) is not None
        and (re.search(r"[\da-z]", said) is not None or len(said) <= 12)
    )
    exact = own and re.search(r"[\da-z]", said) is not None
    return Claim(noun, value, sure=owned or settled or exact or (changed and told))


def event_in(sentence: str) -> str | None:
    """The event that a sentence speaks of, of those that have a day of their own."""
    found = _SOME_EVENT.search(sentence)
    return found[0] if found else None


def inverse(plain: str, words: Callable[[int, int], str]) -> tuple[str, Claim] | None:
    """林晓是我妻子: the owner as it is said, and the claim."""
    found = _INVERSE.match(plain)
    if found is None:
        return None
    return found["owner"], Claim(found["noun"], words(*found.span("v")), sure=False)


def _moved(found: re.Match[str], group: str, offset: int) -> tuple[int, int]:
    start, end = found.span(group)
    return start + offset, end + offset


def _untaken(plain: str) -> tuple[str, int]:
    """Without 把, and how much shorter."""
    found = _TAKEN.match(plain)
    return (plain[found.end() :], found.end()) if found else (plain, 0)


def _dated(found: re.Match[str], words: Callable[[int, int], str], offset: int) -> Claim | None:
    """签证6月30日到期, 6月12日发版."""
    start, end = found.span("v")
    value = words(start + offset, end + offset)
    noun = found["noun"].strip()
    if found.re is _EVENT:
        sure = _KNOWN_EVENT.search(noun) is not None and re.search(r"\d+月|\d[日号]", found["v"])
        return Claim(noun, value, sure=bool(sure), event="day")
    noun = re.sub("^的|(?:的|最晚|最迟|必须|一定|这边|那边)+$", "", noun)
    if not noun:
        return None
    ending = _ENDS.get(found["end"], "截止日期")
    if found["end"] == "到":
        return None
    return Claim(noun if noun.endswith(("日", "日期")) else noun + ending, value)


def event_kind(said: str) -> str | None:
    """Whether a value is a day, a time, or else a place."""
    if _DAY_ONLY.fullmatch(said) and not _CLOCKED.search(said):
        return "day"
    if _TIME.match(said):
        return "time"
    if re.fullmatch(r"\d{1,2}[日号]", said):
        return "day"
    if re.search(r"(?:室|楼|厅|馆|店|座|号|层|酒店|公园|广场|教室|会议室)$", said):
        return "place"
    return None
