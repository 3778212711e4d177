"""Chinese verbs that ask for something.

Chinese marks neither verbs nor words, so a word counts only where it can be a verb: in front, after
an adverb or a modal verb, or with what only a verb takes after it (一下, 掉, 成 …).
"""

from __future__ import annotations

import re

from text2mem.planner.heads.model import words

VERBS: dict[str, str] = {
    "Encode": "记住 记一下 记下 记录下 记录一下 记录 记到 记着 记好 牢记 备忘 保存 存一下 存下 "
    "存起来 存入 写下 写进 写入 录入 录下 留存 收录 登记 添加 新增 新建 加一条 补记 记 存 储存 "
    "存储 收藏 保留",
    "Update": "更新 修改 更改 改成 改为 改到 改一下 改下 更正 修正 订正 纠正 变更 调整 替换 换成 "
    "换为 改写 重写 完善 补充 编辑 改 加入 补上 补充一句 补一句 加一句 修订 追加 增加 重命名 "
    "改名 加进 挪到",
    "Promote": "提高 提升 升级 调高 强调 突出 突显 上调",
    "Demote": "降低 调低 下调 降",
    "Delete": "删除 删掉 删去 删了 忘掉 忘记 忘了 忘得 清除 清空 清理 清掉 清出去 清走 移除 抹掉 "
    "抹去 去掉 去除 丢弃 丢掉 扔掉 扔了 消除 销毁 擦除 擦掉 撤掉 删 作废 消灭 粉碎 剔除 铲除 "
    "毁掉 干掉",
    "Retrieve": "查找 查询 查一下 查查 查看 查出 查 找出 找到 找一下 找找 找 搜索 搜一下 搜出 "
    "搜搜 搜 检索 列出 列一下 罗列 显示 展示 调出 调取 翻出 翻一下 翻看 翻翻 看看 看一下 看一看 "
    "看 瞧瞧 瞧 回顾 回忆 浏览 获取 提取 读取 读一下 读 念 打开 告诉 收集 整理 整合 定位 想知道 "
    "想看 知道 列举 取出 拿出来 拿来 调出来 说说 讲讲 记得",
    "Summarize": "总结 概括",
    "Label": "标记 标注 标",
    "Lock": "锁定 锁住",
    "Merge": "合并",
}
_NOUNS = (
    r"(?:的|纪要|会议|报告|记录|记忆|内容|要点|笔记|邮件|文档|文件|条目|信息|资料|时间|情况|点|"
    r"表|稿|版本|计划|日志|者|人员|任务|事项|里|中|方案|结果|功能|部分|材料|建议|方式|流程|过程|"
    r"原因|率|费|期|台|处|法)"
)
NO_VERBS = re.compile(
    r"改[道革善签造装编版制组良]|看[病台板护守房展]|查[封重]|存[款折在货量]|记[者性忆账]|"
    r"读[书者研博]|标[题准书志本价]|找工作|找零|搜救|删节|降[温雨落压噪价]"
)
"""Words that only begin like a verb."""
DESCRIBES = re.compile(_NOUNS)
"""What follows a word that describes a thing (更新记录) rather than asks."""
_TAKES = (
    r"(?:[,。;:!?]|$|一下|一遍|一次|下来|下去|起来|出来|进去|进来|掉|好|了|吧|吗|给|为|成|到|至|"
    r"进|入|上|下|在|回|完|全|来|正确|清楚|干净|[\ue000]|\d|它|他们|这|那|所有|全部|我|就好|就行|"
    r"即可)"
)
TAKES = re.compile(_TAKES)
"""What only a verb has after it."""
_LEADS = (
    r"(?:可以|应该|该|要|能|需要|必须|得|都|全|全部|一起|一并|也|再|重新|直接|就|先|不用|彻底|"
    r"永久|一律|统统|请|给我|帮我|(?<![合归吞])并|来|去|自动|完全|立即|马上|统一|分别|逐条|逐一|"
    r"永远|暂时|想|,|、)$"
)
LEADS = re.compile(_LEADS)
"""What stands in front of a verb."""
AT_START_ONLY = words(
    "存 记 查 看 读 改 找 搜 念 降 记录 保存 收藏 备忘 知道 记得 整理 整合 收集 保留 添加 增加 "
    "补充 完善"
)
"""Words that are parts of too many others to be a verb after a noun without a sign of it."""
CONTENT = re.compile(
    r"(?:记住|记一下|记下来?|记录下来?|记录一下|记录|记着|记好|牢记|备忘|保存(?:一下)?|存(?:一下|"
    r"下|起来)|写下来?|录入|录下|登记|在(?:我的)?(?:笔记|备忘)里?(?:加上|写上|记上|添上|记下)|"
    r"(?:写|做|建|加|添|开|新建|新增)上?(?:一?[条个则份])?新?的?(?:笔记|备忘录?|记录|记忆)|"
    r"补记(?:一条)?|添加|新增|新建|加一条|记|别忘了?|不要忘记?|储存|存储)(?:一下|一条|下来|一个|"
    r"个)?(?!.{0,20}(?:标签|到期|过期|提醒))(?!忆|账的|者)"
)
"""What is only to be stored stands after one of these."""
CHORE = re.compile(r"(?:记得|我?(?:可|千万)?(?:别|不要|不能|不可以)忘(?:了|记)?)")
"""What may ask for a chore to be remembered ("别忘了买牛奶") or for what follows."""
STORED = re.compile(r"笔记|记忆|记录|条目|标签|它|那条|这条|那些|这些|备忘|[\ue000]")
"""What a chore that concerns the memories names."""
