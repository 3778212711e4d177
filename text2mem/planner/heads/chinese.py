"""Heads in Chinese: the first verb of a clause that is a verb there.

Chinese marks neither verbs nor words, so a word of the tables counts only where it can be a verb:
not before 的 or a noun that it would describe (过期的合同, 更新记录), and after 把…/将… it is the one
that the object is handed to. Rules about a whole clause come first.
"""

from __future__ import annotations

import re

Rule = tuple[re.Pattern[str], tuple[str, ...]]

_OPENERS = re.compile(
    r"(?:请你|请|麻烦你?|劳驾|拜托你?|帮我|帮忙|替我|给我|为我|"
    r"(?:你)?(?:能不能|能否|可不可以|可以|可否|能|是否可以|是不是(?:该|可以)?|要不要|该不该)(?:请)?(?:你)?(?:帮我|帮忙|替我|给我)?|"
    r"我(?:们)?(?:想请你|想让你|想要你|希望你|需要你|要你|想|要|需要|得|希望)(?:能)?|"
    r"咱们?|让我们|我们|现在|先|首先|再|然后|接着|接下来|随后|之后|最后|并且|并|那就|那|就|也|同时|另外|还有|顺便|"
    r"好的?|嗯|对了|补(?=记)|直接|马上|立刻|尽快|务必|一定要|记得|别忘了|下一步|第[一二三四]步|其次|[，,：:、\s])+"
)
_NOUN = r"(?:的|纪要|会议|报告|记录|记忆|内容|要点|笔记|邮件|文档|文件|条目|信息|资料|时间|情况|信|点|表|稿|版本|计划|日志|者|人员|任务|事项)"


def _rules(*table: tuple[str, str]) -> tuple[Rule, ...]:
    return tuple((re.compile(p), tuple(ops.split())) for ops, p in table)


_WHOLE = _rules(
    ("Update", r"^(?:取消|停止|关掉|关闭|不要再?|别再?|不用再?|去掉|删除|移除|不想再?).{0,40}?(?:提醒|过期|有效期|到期)|^(?:.{0,60}?)(?:不(?:再|要|用|必)过期)|"
               r"恢复|还原|重新启用|取消归档|撤销归档|找回来|(?:从|移出|拿出|取出).{0,12}(?:归档|存档|档案|回收站)"),
    ("Lock", r"解锁|解除.{0,20}(?:锁|保护|限制)|(?:取消|去掉|撤销|撤掉|松开).{0,40}?(?:锁|保护|只读)|锁(?:定|住|好|上|起来|$|，|。|,)|^锁|只读|只能追加|只许追加|只允许追加|"
             r"(?:禁止|不许|不允许|不准|不让|不能|不得|防止|避免|谁都不|谁也不|任何人(?:都|也)?不).{0,24}?(?:改|修改|更改|变更|编辑|删|动|碰)(?!为)(?!.{0,6}(?:成|标签))|保护(?!.{0,10}(?:提醒|计划|方案))|冻结|封存"),
    ("Promote", r"提醒|置顶|(?:设|定|调|改|提|升|列|标|当|视|按|作|变更|更新|调整|归)(?:置|定|整|高|升|到|为|成|作|出|做|更)*.{0,8}?(?:最高优先|高优先|优先级.{0,2}(?:最高|为高|到高|高)|首要)|"
                r"(?:提高|提升|调高|升高|增加|加大|加强|上调).{0,24}(?:优先级|权重|重要性|重要程度|级别|等级)|优先(?:级|处理|考虑)?.{0,24}(?:提高|提升|调高|升高|提前|提到|最高|拉高|往前)|"
                r"(?:提|升|排|放|调)(?:升|高)?(?:到|在|至)?(?:最?前面?|首位|第一位|最高)(?!线)|设(?:为|成|置为|定为)(?:重点|重要|优先|紧急)"),
    ("Demote", r"(?:降|调|设|改|放|排|移|往|减)(?:低|级|到|为|成|至|在|置为|定为|后|得)*.{0,10}?(?:低优先|优先级.{0,3}低|最低|次要|低一?些|低一?点|后面|往后|末尾)|"
               r"(?:降低|调低|下调|减少|减小|压低|降).{0,30}(?:优先级|权重|重要性|重要程度|级别)|优先级.{0,20}(?:降|调低|低|往后)|降级|归档|存档|"
               r"(?:收|移|放|归|存)(?:进|入|到)(?:档案|归档|存档)"),
    ("Expire", r"过期(?!的|合同|文件|文档|记录|项目|预算|信息)|失效|到期(?:后|时|就|自动)|有效期|(?:自动|定时|定期)(?:删|清|忘|失|消|过|归|匿)|(?:保留|留|保存|存|只留|放)(?:到|至).{1,20}|"
               r"(?:只|再|先)?(?:保留|留|保存)(?:个)?.{0,3}?(?:[一二两三四五六七八九十半几\d]+(?:个)?(?:天|周|星期|月|年|小时|分钟))|"
               r"(?:[一二两三四五六七八九十半几\d]+(?:个)?(?:天|周|星期|礼拜|月|年|小时|分钟|季度)(?:以?后|之后|内)).{0,16}(?:删|清|忘|失效|过期|作废|归档|匿名|消失)|"
               r"(?:月底|年底|周末|周[一二三四五六日天]|明天|后天|下周|下个?月|\d+[号日]).{0,4}(?:后|就|之后|到期)?(?:自动)?(?:失效|过期|作废)"),
    ("Label", r"标签|打标|(?:标|归|分)(?:记|注|类|识|成|到|为|在)+(?!.{0,2}(?:的.{0,10}$))|加注|贴上"),
    ("Merge", r"合并|并(?:成|入|到|为|在一起)|归并|合(?:成|为)(?:一|1)|整合(?:成|为|到|在)?一(?:条|个|份)(?!.{0,4}(?:总结|摘要|报告))|去重|放进.{0,30}(?:那|这)条"),
    ("Split", r"拆|切(?:分|成|开|割)|分(?:割|开成|成(?:几|多|两|三|若干|单|小|段|独立|一)|段|句)|(?:每|一)(?:句|段).{0,6}(?:一|单独).{0,2}(?:条|个)"),
    ("Summarize", r"总结(?!会|报告的)|概括|概述|概要|摘要|浓缩|归纳|提炼|小结|汇总|综述|梳理|大意|大致(?:内容|意思)|(?:整理|列|理|提取|抽取|写|讲|说|列举)(?:一下|出|成|出来)?.{0,30}?(?:要点|重点|总结|摘要|决议|关键|报告)|"
                  r"(?:生成|写|做|给|出|要|来|形成|编写|准备|起草).{0,6}?(?:一份|一个|份|个|一段)?.{0,20}?(?:总结|摘要|概述|概要|报告|简报|纪要)"),
)  # fmt: skip
_VERBS: dict[str, str] = {
    "Encode": "记住 记一下 记下 记录下 记录一下 记录 记到 记着 记得 备忘 保存 存一下 存下 存起来 存入 写下 写进 写入 录入 录下 留存 收录 登记 添加 新增 新建 加一条 补记 记 存 储存 存储 收藏 别忘 保留",
    "Update": "更新 修改 更改 改成 改为 改到 改一下 改下 更正 修正 订正 纠正 变更 调整 替换 换成 改写 重写 完善 补充 编辑 应该是 应该写 应该为 改 加入 修订 追加 增加 重命名 弄错 记错 写错",
    "Promote": "提高 提升 置顶 优先 加急 升级 调高 强调 突出 重视 突显 提前 紧急 重要 关键 上调",
    "Demote": "降低 调低 降级 归档 存档 下调 弱化 淡化 搁置 靠后 往后 不急 不重要 没那么重要 次要",
    "Delete": "删除 删掉 删去 删了 忘掉 忘记 忘了 清除 清空 清理 移除 抹掉 抹去 去掉 去除 丢弃 丢掉 扔掉 消除 销毁 擦除 撤掉 删 作废 不需要 不再需要 用不着 没用 不用了 不想留",
    "Lock": "锁定 锁住 锁 保护 冻结",
    "Retrieve": "查找 查询 查一下 查查 查看 查 找出 找到 找一下 找找 找 搜索 搜一下 搜 检索 列出 显示 展示 调出 调取 翻出 翻一下 看看 看一下 看 给我看 回顾 回忆 浏览 获取 提取 读取 打开 有哪些 哪些 哪里 哪儿 什么 怎么 谁 多少 有没有 知道 收集 整理 整合 定位 想知道",
    "Summarize": "总结 概括 概述 归纳 提炼 汇总 浓缩 梳理 要点 大意",
    "Label": "标记 标注 标为 归类 分类 打上 标",
    "Merge": "合并",
    "Split": "拆分",
    "Expire": "过期 失效",
}  # fmt: skip
_BY_WORD = {word: op for op, words in _VERBS.items() for word in words.split()}
_ANY = re.compile("|".join(sorted(map(re.escape, _BY_WORD), key=len, reverse=True)))
_NOUNS = ("记录", "存", "保存", "收藏", "备忘", "什么", "多少")
"""Words that are verbs at the beginning of a clause only; "记录下" is another word."""
_ATTRIBUTIVE = re.compile(_NOUN)
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|「[^」]*」|『[^』]*』|‘[^’]*’|'[^']*'|《[^》]*》")
_CONTENT = re.compile(
    r"^(?:记住|记一下|记下来?|记录下来?|记录一下|记录|记着|备忘|保存(?:一下)?|存(?:一下|下|起来)|写下|录入|录下|登记|"
    r"补记(?:一条)?|添加|新增|新建|加一条|记|别忘了?)(?:一下|一条|下来)?(?!.{0,20}(?:标签|到期|过期))"
)


def find(clause: str) -> tuple[tuple[str, ...], int, int] | None:
    """The ops that a clause can ask for, and where its request stands."""
    opened = _OPENERS.match(clause)
    start = opened.end() if opened else 0
    rest = clause[start:]
    if content := _CONTENT.match(rest):
        return ("Encode",), 0, start + content.end()
    plain = _QUOTED.sub(lambda found: "“" + "　" * (len(found.group()) - 2) + "”", rest)
    first = re.split(r"[，。；！？,;!?]", plain, maxsplit=1)[0] or plain
    for part in (first, plain):
        met = _by_rule(part)
        verb = _by_verb(part)
        if met and verb and verb[1] < met[1] and part.startswith(verb[2]) and verb[0] in _LEADING:
            return (verb[0],), 0, start + verb[1] + len(verb[2])
        if met:
            return met[0], 0, 0
        if verb:
            own = start + len(verb[2]) if verb[1] == 0 else 0
            return (verb[0],), 0, own
        if part == plain:
            break
    return None


_LEADING = ("Retrieve", "Update", "Delete")
"""Ops whose verb, where a clause begins with it, is the head whatever follows."""


def _by_rule(part: str) -> tuple[tuple[str, ...], int] | None:
    best: tuple[tuple[str, ...], int] | None = None
    for pattern, ops in _WHOLE:
        found = pattern.search(part)
        if found and (best is None or found.start() < best[1]):
            best = (ops, found.start())
    return best


def _by_verb(part: str) -> tuple[str, int, str] | None:
    """The first word that can be a verb where it stands: its op, its place, itself."""
    found = [m for m in _ANY.finditer(part)]
    for match in found:
        after = part[match.end() :]
        if match.start() > 0 and (_ATTRIBUTIVE.match(after) or match.group() in _NOUNS):
            continue
        return _BY_WORD[match.group()], match.start(), match.group()
    return None
