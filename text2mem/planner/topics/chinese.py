"""Topics in Chinese clauses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from text2mem.planner.evidence.text import HIDDEN
from text2mem.planner.topics.model import Topic

_MEMORY = "笔记(?!本)|记忆|记录|条目|备忘录|备忘|内容|信息|资料"
_KIND = (
    "报告|想法|决定|决策|任务|讨论|会议纪要|会议记录|会议|纪要|文档|文件|邮件|方案|计划|安排|日程|"
    "事件|录音|对话|反馈|意见|建议|数据|结果|总结|评估|清单|草稿|合同|通知|事情|东西|部分|要点|"
    "细节|情况|问题|进展|结论"
)
_ONE = r"(?:[那这](?:一)?(?:条|份|个|篇|则|封|段|项)|一(?:条|份|个|篇|则|封|段|项))"
_MANY = (
    r"(?:[那这](?:些|几[条个份篇])|[那这][两三四五](?:条|个|份)|所有|全部|各[条个]|每[条个]|"
    r"几条|两条)"
)
_WHICH = rf"(?P<which>{_ONE}|{_MANY})?的?"
_SAYS = r"(?:关于|有关(?!于)|涉及到?|提到|提及|谈到|说到|讲到|写到|针对|围绕)"
_PUNCTUATION = "，。；：！？,;:!?\n"
_INSIDE = rf"[^{_PUNCTUATION}{HIDDEN}]"
_PLAIN = rf"(?:(?!{_SAYS}|[和跟与同]){_INSIDE})"
_BARE = rf"(?:(?!{_MEMORY}){_PLAIN})"
_VERB = (
    r"(?:重新|直接|全部|都|一律|统统|暂时|先|再|赶紧|彻底|永久|自动)*"
    r"(?:标记|标注|标识|标|归类|分类|打上?|加上?|贴上?|添加|加|提升|提高|提到|提|调高|升高|升|"
    r"置顶|降低|降级|降|调低|调整|调到|归档|存档|锁定|锁住|锁|解锁|保护|冻结|封存|设置|设定|设为|"
    r"设成|设|改成|改为|改到|改|换成|更新|修改|变更|更正|删除|删掉|删|清除|清空|忘掉|移除|去掉|"
    r"合并|并入|归并|整合|拆分|拆成|拆|切分|切成|分成|"
    r"总结|概括|归纳|汇总|浓缩|提炼|列出|找出|翻出|放到|放进|放|收进|收|移到|移入|移|存|保留|恢复|"
    r"取消|优先|过期|失效|处理)"
)
_COMPLEMENT = re.compile(
    r"(?:的?(?:状态|优先级|类别))?(?:设置|标记|更新|修改|调整|变更|提升|设|改|升)?(?:为|"
    r"成)[^，。为成]{1,16}$"
)
_CUT = re.compile(
    rf"{_VERB}(?:(?:为|成|到|至|上|下|下来|一下|掉|吧|起来|好|了|以|在|进|入|出|出来|给我|到最|"
    rf"的)*)"
    r"(?P<rest>.*)$"
)
_TAIL = re.compile(
    r"(?:设置?|标记|调整|改|变更|提升|降级?|作|列)?(?:为|到|成|作为)(?:最?[高低]?(?:优先级?|"
    r"优先事项|级别)|重点.{0,4}|紧急.{0,4}|一般.{0,4}|次要.{0,4}|普通.{0,4}|只读|.{0,4}状态)$"
    r"|(?:的)?(?:优先级别?|重要性|重要程度|权重)$|(?:的)?标签$|[吧吗呢啊]$"
)
_OBJECT = re.compile(r"(?:把|将|给|对|让)(?P<object>[^，。；！？,;]{2,60})")
_MADE = re.compile(r"(?:[成为作]|合成|并成)[^，。；！？、的]{0,10}的?[^，。；！？、的]{0,4}$")
"""Notes that are made, not meant: 拆成两句话一条的笔记."""
_BOTH = re.compile(r"那些|这些|所有|全部|每[条个]|(?<!不)都")
_EARLIER = r"(?!哪|什么|几|原|其[他它余]|另|剩|最后|最新|最近|刚|上面|前面|后面|下面|第|旧)"
"""That one of what was spoken of is named by no topic: 原来的那条."""
_OPENING = re.compile(
    r"^(?:请你?|麻烦你?|劳驾|最好|能不能|可不可以|能否|可否|是不是该|是不是|要不要|帮我|帮忙|先|"
    r"再|就|也|都|那就|那|嗯|好的?|下一件事|另外|然后|接着|把|将|给|让|对|[，,：: ])+"
)
_TAGGED = re.compile(
    rf"(?:带着?有?|标了|标有|标着|贴了|打了|归在|放在|没有|不带|没标|未标)?[{HIDDEN}]+(?:标签)?(?:下面|底下)?的?"
)
"""What memories are tagged with, where the tag itself is masked."""
_MAKES = re.compile(
    r"(?:生成|写出?|做成?|形成|输出|给出|产出|整理成|汇总成|编成)一?(?:份|个|篇|段|"
    r"条)[^，。；！？,;!?]*"
)
"""What is made, and so not there yet: 生成一份高管摘要."""
_WEAK_EDGE = re.compile(
    r"^(?:我|你|的|了|那些|这些|所有|全部|其中|里|中|和|与|跟|把|将|给|对|让|在|从|为|请|一下|出)+|"
    r"(?:的|那条|这条)+$"
)


def called(text: str, types: Sequence[str]) -> tuple[Topic, ...]:
    """The memories that a clause calls by name: 关于合唱团的那条笔记, 和陈航有关的记忆."""
    plain = text.replace(" ", HIDDEN) if " " in text else text
    found: list[Topic] = []
    matches = [m for pattern in _patterns(tuple(types)) for m in pattern.finditer(plain)]
    for match in sorted(matches, key=lambda m: (m.start(), -m.end())):
        if found and match.start() < found[-1].end:
            continue
        one = _called(text, match)
        if one is not None:
            found.append(one)
    return tuple(found)


@cache
def _patterns(types: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    own = "|".join(sorted(map(re.escape, types), key=len, reverse=True))
    typed = f"(?P<type>{own})|" if own else "(?P<type>(?!))|"
    noun = rf"(?:{typed}(?P<memory>{_MEMORY})|(?P<kind>{_KIND}))"
    ends = rf"(?:的?{_WHICH}{noun}|的?(?=[{HIDDEN}、])|(?=[{_PUNCTUATION}]|$))"
    return (
        re.compile(rf"{_SAYS}(?P<x>{_INSIDE}{{1,40}}?)(?:的)?{ends}"),
        re.compile(rf"[和跟与同](?P<x>{_INSIDE}{{1,20}}?)(?:有关|相关|沾边)的?{ends}"),
        # The rest of a stretch that is masked: 标了“合唱”的记忆.
        re.compile(
            rf"(?<=[{HIDDEN}])(?:标签)?(?:下面|底下|名下|之下|里面?|中|"
            rf"类)?的?{_WHICH}(?P<x>{_PLAIN}{{0,10}}?)的?"
            rf"(?:{typed}(?P<memory>{_MEMORY}))"
        ),
        re.compile(
            rf"(?<=[{HIDDEN}])(?P<x>)(?:标签)?(?:下面|底下|名下|之下|里面?|中|类)?的?{_WHICH}{noun}"
        ),
        # 把标了“合唱”的找出来: of what, is not said.
        re.compile(
            rf"(?<=[{HIDDEN}])(?P<x>)(?:标签)?(?:下面|底下|名下)?的"
            rf"(?=都|全|也|就|一律|统统|找|删|给|归|锁|拿|列|[{_PUNCTUATION}]|$)"
        ),
        re.compile(
            rf"(?P<which>{_ONE}|"
            rf"{_MANY})(?P<x>{_PLAIN}{{0,16}}?)的?(?:{typed}(?P<memory>{_MEMORY}))"
        ),
        # 把那封邮件拆开: called by its kind alone.
        re.compile(
            rf"(?P<which>[那这]一?(?:条|份|个|篇|则|封|段|项))(?P<x>)(?P<kind>{_KIND})"
            rf"(?![的里中]?{_SAYS})"
        ),
        re.compile(
            rf"(?:^|(?<=[把将给让对改动{HIDDEN}{_PUNCTUATION}]))(?P<x>{_EARLIER}{_PLAIN}{{1,16}}?)"
            rf"(?:的?(?P<which>{_ONE}|"
            rf"{_MANY})的?(?P<y>{_PLAIN}{{0,8}}?))?的?(?:{typed}(?P<memory>{_MEMORY}))(?!本)"
        ),
        # 把保险柜密码那条锁定: "that one", right after what it is about.
        re.compile(
            rf"(?:^|"
            rf"(?<=[把将给让对和跟与改动进入到{HIDDEN}{_PUNCTUATION}]))(?P<x>{_EARLIER}{_BARE}{{2,16}}?)的?"
            rf"(?P<which>[那这]一?(?:条|份|个|篇|则|封|段|"
            rf"项))(?P<memory>{_MEMORY})?(?![的里中]?{_SAYS})"
        ),
    )


def _called(text: str, match: re.Match[str]) -> Topic | None:
    groups = match.groupdict()
    before = text[max(0, match.start() - 12) : match.start()]
    words = f"{match['x']} {groups.get('y') or ''}".replace(HIDDEN, " ").strip()
    noun = groups.get("type") or groups.get("memory") or groups.get("kind") or ""
    if not words.strip() and _MADE.search(before.replace(HIDDEN, "")):
        return None
    if "kind" not in groups and re.match(r"[里中]?的?(?:关于|有关)", text[match.end() :]):
        return None
    which = groups.get("which") or ""
    many: bool | None = True
    if re.fullmatch(_ONE, which) or re.search(rf"{_ONE}$", before):
        many = False
    if groups.get("kind"):
        words = f"{words} {noun}"
    return Topic(_trimmed(words), noun or "记忆", many, match.start(), match.end())


def _trimmed(words: str) -> str:
    words = _OPENING.sub("", words.strip())
    return _WEAK_EDGE.sub("", words.strip()).strip()


def left(text: str) -> str:
    """What is left of a clause without the words for what is asked, what for and how."""
    text = _TAGGED.sub(HIDDEN, text)
    plain = _OPENING.sub("", " ".join(text.replace(HIDDEN, " ").split()))
    plain = _MAKES.sub("", plain)
    parts = [part for part in re.split(r"[，。；！？,;!?]", plain) if part.strip()]
    if not parts:
        return plain
    for part in parts:
        found = _OBJECT.search(part)
        if found:
            words = found.group("object")
            cut = _CUT.search(words)
            words = words[: cut.start()] if cut and cut.start() > 0 else words
            return _TAIL.sub("", words).strip()
    first = parts[0] if len(parts[0]) > 2 or len(parts) == 1 else parts[1]
    return _TAIL.sub("", _COMPLEMENT.sub("", first)).strip()
