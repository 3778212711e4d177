"""Words that say little about what a memory holds, in English and Chinese.

``STOP`` words say nothing: articles, pronouns, words of courtesy and of time, and what a memory
itself is called. ``WEAK`` words say something only beside others: verbs of requests, and what any
note may be about. Chinese has no blanks, so its words of both kinds are also where it is cut.
"""

from __future__ import annotations

_STOP = """
a able about above actually after afternoon again ago ahead all along already also although always
am an and another any anymore anything apart are aren around as aside ask asked asking at away
back be because been before being below best better between beyond bit both but by can could
couldn current currently daily day days dear did didn do does doesn doing don done down during
each earlier eight either else enough entries entry especially evening ever every everything few
fine first five for four friday from further get gets getting go goes going good got great had
hadn has hasn have haven having he hello her here hers hey hi him his hour hours how however i if
in info information into is isn it item items its itself just kind kindly know known knows last
later latest least let lets like likely ll logged longer lot made make makes making many may maybe
me mean meant memories memory might mind minded mine minute minutes monday month monthly months
more morning most much must my myself near need needed needs neither never new newest next nice
night nine no nobody none nor not note noted notes nothing noting now of off ok okay old older on
once one ones only onto or other others ought our ours out over own past per perhaps please pm
quite rather re really recent recently record recorded records right s same saturday saved seven
shall shan she should shouldn since six so some somebody someone something soon sorry sort still
stored stuff such sunday sure t ten than thank thanks that the their theirs them then there these
they thing things this those though three through throughout thursday till to today together
tomorrow tonight too toward towards tuesday two under until up upon us use used uses using ve very
via wait waiting want wanted wants was wasn way we wednesday week weekend weekly weeks well were
weren what whatever when where whether which while who whom whose why will wish with within
without won would wouldn year yearly years yesterday yet you your yours
"""
_WEAK = """
access accidental accidentally action add adjust agenda analysis anyone append archive archived
archiving assessment assign attach attention auto automatically avoid boost brief briefly bring
bump cancel case categorise categorize category certain change changed changes classify clean
cleanup clear clearly combine compile complete completely concern conclusion condense consolidate
content contents context conversation correct cut data decision delete deleted demote department
deprioritize detail detailed details digest discard discuss discussed discussing discussion
display document documents downgrade draft drop easily easy edit elevate email emphasise emphasize
ensure entire erase error event everyone example exchange expire expired expires extract feedback
fetch file files find finding fix flag focus folder forget freeze future gather general give group
help highlight idea importance important incident include includes including input irrelevant
issue job keep kept key label labels level list lock locked log look lower mail main mark marked
meeting mention mentioned merge message method modifications modify move name necessary notify
number obsolete office opinion option order outdated outline overall overview page paper paperwork
part parts people person pin plan planning point points possible prevent previous prioritize
priority problem process product progress project promote proposal protect provide pull purge
purpose purposes push put question quick quickly raise read reason recall recap recommendation
recording reference refresh regarding related relevant remember remind reminder remove rename
replace report request restrict result retag retrieve review revise rid save schedule score search
section see service session set show situation solution specific specifically split status step
store strategy subject suggestion summaries summarise summarize summary system tag tagged tags
talk task team tell test text thought thread time title topic topics total track training
transcript trip turn type unlock unnecessary update updated urgent useful user value various
version view visit whole wipe work write
"""
_STOP_ZH = """
一下 一个 一些 一份 一切 一条 一样 一次 一段 一项 上个季度 上个月 上午 上周 上季度
上月 上次 上面 下个月 下午 下周 下月 下来 下次 下面 不再 不想 不能 不要 与 东西
为了 之一 之前 之后 也 也一样 了 事情 什么 今天 今年 他 他们 以便 以免 以前 以及
以后 以来 任何 但是 作为 你 你们 信息 假如 全部 关于 其中 其他 其它 内容 几个
几条 出来 刚刚 刚才 前天 去年 及 可不可以 可以 可能 后天 吗 吧 呀 呢 周一 周三
周二 周五 周六 周四 周日 和 咱们 哪个 哪些 哪里 啊 嘛 因为 备忘 备忘录 大家 她
她们 如何 如果 它 它们 对于 将 已经 希望 帮忙 帮我 并且 应当 应该 当中 当前 怎么
您 想知道 想要 成为 我 我们 或 或者 所以 所有 把 按照 早上 时候 明天 明年 星期
昨天 是 晚上 暂时 曾经 最近 有关 期间 本周 本季度 本月 条目 根据 正在 此次 每个
每周 每天 每月 没有 现在 由于 的 目前 相关 看到 笔记 等等 而且 能不能 能否 能够
自己 被 要是 记录 记忆 该 请 请帮我 资料 起来 近期 还没 这 这个 这个季度 这个月
这些 这份 这周 这封 这条 这次 这段 这种 这篇 这里 这项 进行 通过 那 那个 那些
那份 那封 那条 那次 那段 那种 那篇 那边 那里 那项 都 里面 需要 麻烦
"""
_WEAK_ZH = """
一般 上锁 不必要 不用 不需要 主要 事件 以防 任何人 任务 优先 优先级 会议 会谈 使用
便于 保存 保护 保留 修改 关键 具体 决定 决策 分成 分析 分类 列出 删去 删掉 删除
到期 加上 包含 包括 升级为 去掉 参考 反馈 变更 只读 合并 后续 团队 增加 处理 多余
失效 存储 存档 安排 完成 展示 工作 建议 归档 归类 归纳 忘掉 忘记 快速 总结 情况
想法 意见 打上 找一下 找出 找到 报告 抹掉 拆分 提供 提到 提升 提及 提炼 提醒 提高
搜索 摘要 改为 改成 数据 整合 整理 文件 文档 新 方便 方案 无关 无用 旧 显示 普通
更改 更新 更正 替换 最新 有效期 未来 权重 查一下 查找 查看 查询 标为 标注 标签
标记 梳理 检索 概括 概述 次要 汇总 活动 流程 涉及 添加 清理 清空 清除 版本 状态
生成 看一下 看看 确保 移除 笔记里 简单 简洁 简要 篡改 系统 纪要 结果 给出 编辑
自动 要点 解锁 计划 讨论 记下 记住 记忆里 设为 设定 设成 设置 评估 详细 误删 说过
调低 调出 调取 调整 调高 谈到 贴上 过时 过期 进展 进度 避免 邮件 部分 重点 重要
重要性 锁住 锁定 问题 防止 降低 降级 随意 需求 项目
"""
_ALONE_ZH = """
上 下 不 个 中 为 于 从 以 们 份 会 但 使 做 先 内 再 别 到 前 去 又 及
各 后 向 在 地 外 太 好 对 封 就 已 帮 并 很 得 想 成 或 才 时 更 最 有
条 来 某 次 此 段 每 没 用 看 着 种 等 篇 给 而 能 要 让 说 起 过 还 里
间 项
"""
_SHORT = """
admin administrator|ad advertisement|app application|bike bicycle|config configuration|
db database|dept department|dev development|doc document|env environment|eval evaluation|
exam examination|fridge refrigerator|gym gymnasium|intro introduction|lab laboratory|
mgmt management|org organisation|phone telephone|prof professor|promo promotion|ref reference|
repo repository|spec specification|stat statistic|tech technology|uni university|vet veterinarian
"""

STOP = frozenset(_STOP.split())
WEAK = frozenset(_WEAK.split())
STOP_ZH = frozenset(_STOP_ZH.split())
WEAK_ZH = frozenset(_WEAK_ZH.split())
ALONE_ZH = frozenset(_ALONE_ZH.split())
"""Characters that say nothing where they stand alone between other words."""
SHORT = dict(pair.split() for pair in _SHORT.replace("\n", "").split("|"))
"""Words by their short forms."""
