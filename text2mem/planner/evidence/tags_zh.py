"""Chinese words for tags and facets."""

from __future__ import annotations

import re

from text2mem.planner.evidence.tags import FacetWords, TagWords
from text2mem.planner.evidence.text import HIDDEN, NOT_DELETING, OPENING

_BARE = rf"[^\s,。;:!?、的{OPENING}{HIDDEN}]{{1,12}}?"
_VAGUE = (
    "(?!一?个|新的?标|这个?标|那个?标|任何|什么|这些|那些|合适|适合|常用|老规矩|相同|"
    "同样|几个|全部|所有|以前|原来|"
    r"旧的?标|别的|其他|其它|上|下|它|所|该|正确|对应|相应|之前|好|了标|标)"
)
_ADDS = (
    "(?:加上|打上|贴上|添加|标上|加个|打个|贴个|加|打|贴|新增|去掉|移除|删除|删掉|取消|"
    "拿掉|撕掉|换成|改成|换为|用)"
)

CHINESE_TAGS = TagWords(
    leads=(),
    quoted_leads=(
        re.compile(
            "(?P<condition>标签(?:都|里)?(?:为|是|叫|有|包含|含)|(?<!上)标了|贴了|打了|标有|"
            "标着|打着|贴着|标过|归在|放在|归于)"
            rf"(?:标签)?\s?(?={OPENING})"
        ),
        re.compile(
            f"(?:标签(?:[^,。;!?{OPENING}{HIDDEN}]{{0,12}})?(?:换成|改成|改为|设为|换为|用|写|:|"
            "加上|填)|标上|标(?!签)|标记[为成上]?|标[为成注]|标注[为成]|打上|贴上|"
            "归[到入类至]|归类[为到在]|分类[为到]|归档到|分到|放到|加标签|打标签|贴标签|"
            rf"加个标签)(?:标签)?[:]?\s?(?={OPENING})"
        ),
    ),
    trails=re.compile(
        "(?:这个|这两个|这几个|这些|的|等|两个|几个)?(?:个)?标签|(?:这个|"
        "的)?(?:标签)?(?:下面|底下|名下|类下|之下|分类|类别)|(?:就|也)?(?:够了|都行)"
    ),
    bare=(
        re.compile(
            "(?<!没)(?:带着?|带有|含|含有|有|"
            f"{_ADDS}){_VAGUE}(?P<name>{_BARE})(?:的)?标签(?![为是叫:换改])"
        ),
        re.compile(
            "(?P<without>没有|不带|没带|未带|不含|无|没打|没贴|"
            f"没){_VAGUE}(?P<name>{_BARE})(?:的)?标签"
        ),
        re.compile(
            "标签(?:为|是|叫|:|设为|改为|改成|"
            rf"换成){_VAGUE}(?P<name>[^\s,。;:!?、{OPENING}{HIDDEN}]{{1,12}}?)(?=的|[,。;!?、\s]|"
            "$|和|或)"
        ),
        re.compile(
            "(?:标记|标注|分类|归类|"
            rf"标)[为成](?!.{{0,3}}已读)(?P<name>[^\s,。;:!?、{OPENING}{HIDDEN}]{{1,14}}?)"
            "(?=[,。;!?吗吧]|$|的(?:笔记|记忆|记录|条目|任务|文档|内容|邮件|想法|东西|那)|以便|"
            "以确|以防|然后|再|并)"
        ),
        re.compile(
            "标记(?!为|成|了|"
            rf"上)[^,。;!?{OPENING}{HIDDEN}]{{1,40}}?[为成](?P<name>[^\s,。;:!?、的{OPENING}"
            f"{HIDDEN}]{{1,12}}?)(?=[,。;!?吗吧]|$)"
        ),
        re.compile(r"(?<![a-z0-9&#])#(?P<name>[^\W\d_][\w-]{0,30})"),
    ),
    contrast=re.compile("(?!)"),
    joint=re.compile(
        r"(?:标签)?\s?(?P<sure>(?P<any>或者?|或是|还是)|、|,|和|与|跟|以及|及|还有|"
        r"并且?)\s?"
    ),
    holding=re.compile(r"(?:带着?|带有|有|含|含有|标了|打了|贴了|归在|标有|属于)\s?$"),
    negated=re.compile(
        "(?:没有|不带|未带|没带|没标|未标|不含|没打|没贴|无|不是|"
        f"{NOT_DELETING}除了?(?:带有?|有|标了|打了)?|不属于|没有打上?|"
        "没有标[上了]?|未打|不包含|没有带|不要|没)"
        r"(?:任何)?(?:标签)?(?:为|是)?\s?$"
    ),
    plain=re.compile(r"(?!)"),
)

_KEYS = {
    "状态": "status",
    "项目": "project",
    "阶段": "stage",
    "客户": "client",
    "房间": "room",
    "版本": "version",
    "类别": "category",
    "来源": "source",
}
_KEY = rf"(?P<key>{'|'.join(_KEYS)})"
_IS = (
    "(?:都|也|全)?(?:应该|应|要|该)?(?:都)?(?:为|是|改为|改成|设为|设成|设置为|更新为|"
    "更新成|变成|变更为|标为|标记为|调为|=|:|换成|定为)"
)
CHINESE_FACETS = FacetWords(
    patterns=(
        re.compile(rf"(?P<lead>{_KEY}(?:从[^,。;!?{HIDDEN}]{{1,20}}?)?{_IS}?)(?={OPENING})"),
        re.compile(
            rf"(?P<key>状态){_IS}(?P<value>[^\s,。;:!?、的{OPENING}{HIDDEN}]{{1,10}}?)(?=的|并|且|再|然后|"
            r"[,。;!?、\s吗吧]|$)"
        ),
    ),
    keys=_KEYS,
)
