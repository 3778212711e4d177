"""Words that say little about what a memory holds, in English and Chinese.

``STOP`` words say nothing: articles, pronouns, time words, and the nouns for a memory itself.
``WEAK`` words say something only beside others: verbs of requests and what surrounds them. A
Chinese text has no blanks, so its words of both kinds are also where it is cut.
"""

from __future__ import annotations

_STOP = """
a about above after again all along already also although always am an and another any anymore
anything apart are around as at away back be because been before being below between both but by
can could did do does doing done down during each either else enough ever every everything few first two three four five six seven eight nine ten especially
for from further get gets getting go goes going got had has have having he her here hers him his how
however i if in into is it its itself just know knows known later least let lets like likely ll longer
made make makes making many may maybe me might mine more most much must my myself near need needed needs
neither never next no nobody none nor not nothing now of off ok okay on once one ones only onto or other
others our ours out over own per please quite rather re really s same she should since so some somebody
someone something soon still such sure t than thank thanks that the their theirs them then there these
they thing things this those though through throughout till to together too toward towards under until up
upon us use used uses using ve very via want wanted wants was way we well were what whatever when
where whether which while who whom whose why will with within without would yet you your yours
dear hey hi hello kindly

memory memories note notes record records entry entries item items info information stuff
recorded noted stored saved noting logged

today yesterday tomorrow tonight day days daily week weeks weekly weekend month months monthly year
years yearly hour hours minute minutes morning afternoon evening night monday tuesday wednesday
thursday friday saturday sunday last past recent recently latest earlier ago current currently
old older new newest
am pm
"""
_WEAK = """
add adjust append archive archived archiving assign attach auto automatically avoid boost bring
bump cancel change changed clean cleanup clear combine compile condense consolidate correct cut delete
deleted demote
deprioritize digest discard discuss discussed discussing display downgrade drop edit elevate erase expire
expired expires fetch find fix flag focus forget freeze gather give highlight important importance
include includes including keep kept label labels level list lock locked look lower main mark marked
mention mentioned merge modify move name notify overview pin point points prevent previous
priority prioritize
promote protect provide pull purge push put raise read recall recap refresh remember remind
reminder remove rename replace restrict retrieve review revise rid save search see set show split
store summarise summarize summary tag tagged tags tell track turn unlock update updated urgent
view wipe write

action agenda analysis assessment category change concern conclusion conversation data decision department
discussion draft email error event example feedback finding group idea incident input issue job log mail
meeting message method number office opinion option order page paper plan planning problem process product
progress project proposal question reason recommendation report request result schedule score service session
situation solution status step strategy subject suggestion system talk task test thought thread title
training transcript trip type user value visit work
accidental accidentally access anyone attention brief briefly certain change changes clearly
complete completely content contents context data detail detailed details document documents
ensure easily easy entire everyone
file files folder future general give help important irrelevant key longer modifications
necessary obsolete outdated overall part parts people person possible purpose purposes
quick quickly reference regarding related relevant section specific specifically store
summaries team text time topic topics total unnecessary useful various version whole
"""
_STOP_ZH = """
的 了 吗 呢 吧 啊 嘛 呀 我 你 您 他 她 它 我们 你们 他们 她们 它们 咱们 自己 大家 和 与 及 以及 或 或者 并且 而且 但是
因为 所以 如果 由于 以便 以免 把 将 被 关于 有关 相关 对于 为了 没有 不再 不要 已经 正在 曾经 可以 可能 能够 应该 应当
需要 想要 希望 请 麻烦 帮我 帮忙 请帮我 一下 这 那 这个 那个 这些 那些 这条 那条 这份 那份 这次 那次 这项 那项 这段 那段
这篇 那篇 这封 那封 这种 那种 这里 那里 此次 该 所有 全部 一切 任何 其他 其它 之前 之后 以前 以后 以来 期间 时候 里面
上面 下面 当中 其中 一个 一条 一些 一份 一次 一段 一项 几个 几条 哪些 哪个 什么 怎么 如何 哪里 都 也
今天 昨天 明天 前天 后天 今年 去年 明年 本周 上周 下周 这周 本月 上个月 下个月 这个月 上月 下月 最近 近期 目前 现在 当前
刚才 刚刚 上次 下次 周一 周二 周三 周四 周五 周六 周日 星期 早上 上午 下午 晚上 上季度 本季度 上个季度 这个季度
记忆 笔记 记录 条目 备忘 备忘录 信息 内容 东西 事情 资料 那边 起来 出来 下来 进行 作为 成为 通过 根据 按照 之一 等等 是
"""
_ALONE_ZH = """
为 给 对 到 从 在 于 以 向 让 使 要 会 能 想 有 没 不 别 就 还 又 再 才 很 太 更 最 已 每 各 某 此 里 中 上 下 内 外 间 时 后 前
帮 得 地 着 过 并 而 但 或 及 等 条 份 个 次 项 段 篇 封 种 们 成 用 做 好 看 说 来 去 起 先
"""
_WEAK_ZH = """
删除 删掉 删去 清除 清理 清空 移除 去掉 抹掉 忘掉 忘记 归档 存档 降级 降低 调低 提高 提升 提到 调高 升级为 优先级 优先 重要 重要性 权重 标记
标签 打上 加上 添加 增加 贴上 标注 标为 分类 归类 锁定 锁住 上锁 解锁 保护 只读 修改 更改 更新 更正 改成 改为 调整 变更 替换 编辑 合并 整合 拆分
分成 总结 概括 概述 摘要 归纳 汇总 梳理 整理 提炼 要点 重点 查找 查询 查一下 查看 找到 找出 找一下 检索 搜索 列出 显示 展示 调出 调取 看看
看一下 提醒 设置 设为 设定 设成 过期 到期 失效 有效期 自动 保留 保存 存储 记住 记下 防止 避免 确保 以防 误删 篡改 随意 任何人 不能 方便 便于
讨论 提及 说过 谈到 涉及 包含 包括 部分 详细 具体 情况 主要 关键 最新 过时 不必要 多余 无用 无关 不需要 不用 文件 文档 数据 版本 一般 普通 次要
会议 会谈 项目 报告 团队 计划 任务 邮件 方案 系统 问题 状态 结果 建议 分析 评估 数据 事件 活动 工作 安排 纪要 流程 需求 进展
进度 决定 决策 想法 意见 反馈 记忆里 笔记里 旧 新 后续 未来 参考 使用 处理 完成 给出 提供 快速 简要 简单 简洁 生成
"""
STOP = frozenset(_STOP.split())
WEAK = frozenset(_WEAK.split()) - STOP
STOP_ZH = frozenset(_STOP_ZH.split())
ALONE_ZH = frozenset(_ALONE_ZH.split())
"""Characters that say nothing where they stand alone between other words."""
WEAK_ZH = frozenset(_WEAK_ZH.split()) - STOP_ZH
