"""What a sentence or a clause is that states nothing to be kept, and how sure one is."""

from __future__ import annotations

import re

from text2mem.ledger.explicit import asks_in_chinese

_ASKED = (
    r"什么|怎么|怎样|如何|为啥|为什么|多少|几[个点号岁天位]|哪[里儿些个年天位]?|谁(?!都|也|知道)|"
    r"是不是|有没有|能不能|要不要|会不会|可不可以|对不对|好不好|是否|何时|啥"
)
_TAG = re.compile(r"^(?:对吧|是吧|对吗|是吗|对不对|是不是|没错吧|好吗|行吗|可以吗|好不好|对么)$")
_QUESTION = re.compile(rf"{_ASKED}|[吗么呢]\s*[?。]*$|\?\s*$|呢\s*$")
_NOT_ASKED = re.compile(
    r"没什么|不怎么|没怎么|什么都|怎么都|谁都|哪[里儿]都|什么的|多少都|无论|不管|不知(?:道)?"
)
_COMMAND = re.compile(
    r"^(?:请|麻烦|劳驾|拜托)?(?:你|您)?(?:再|先|快)?(?:帮(?:我|忙|一下|我们)|给我|替我|为我|"
    r"查(?!出)|搜|找一?[下找]|看一?[下看]|列[出一]|写一?[个段篇份封下]|翻译|推荐|总结|概括|整理|"
    r"生成|提醒我|设[个一定置]|订[个一张]|预[订约](?!人|号|码|单|时间|日期)|打开|关闭|播放|"
    r"运行|执行|跑一|部署|重构|修复|"
    r"解释|告诉我|介绍|算一?下|画[个一幅张]|发送|转发|安排|做[个一]|讲[个一]|说说|教我|检查|"
    r"确认一下|"
    r"导出|下载|上传|回滚|提交(?!信息|语言|记录)|合并|删(?!了|掉的))|^把[^,。]{1,24}(?:翻译|改写|"
    r"整理|格式化|发给|转成|导出|备份|压缩|画|做成|重构|部署|跑|打印|贴出)|"
    r"^[^,。]{0,8}[里中上]把[^,。]{2,20}吧$|[^,。]{0,14}?(?:改|换|调|弄|写|说|"
    r"做)[^,。]{0,12}一点儿?$"
)
_NOUN_FIRST = re.compile(
    r"^[\u4e00-\u9fff]{0,8}(?:脚本|命令|地址|时间|日期|方式|环境|分支|目录|工具|语言|账号|密码|人|"
    r"号|文件|日|期限)"
    r"(?:已经?|现在|也|都|就)*(?:是|放在|改|换|定|用|为|:)"
)
_OF_NOTES = re.compile(
    r"笔记|记忆(?!力|卡)|条目|标签|归档|存档|[那这几][一二两三几]?条|提醒(?!事项是)|优先级|"
    r"锁定(?!在|为|到|版本)|"
    r"解锁(?!码)|冻结|置顶|的?那些记录|的记录|全部删|权重|可读|只读|把.{0,12}内容|回收站"
)
_JOKE = re.compile(
    r"哈哈|嘻嘻|嘿嘿|笑死|开个?玩笑|逗你|闹着玩|说着玩|说笑|狗头|doge|(?<!\d)2333*(?![\d-])|段子|"
    r"上辈子|下辈子|"
    r"八百年|八辈子|一万年|外星人|火星|月球|宇宙|霸王龙|吸血鬼|超人|天上掉|骗你的|才怪|"
    r"(?:我|他|她)(?:就)?是(?:个|一只|一头|一条)(?:猪|猫|狗|神仙|天才|机器人)"
)
_SUPPOSED = re.compile(
    r"要是|假如|假使|假设|倘若|倘使|如果|若是|若(?=[^干])|万一|除非|的话|就好了|早知道|换作|"
    r"换成是我|"
    r"设想|哪天要|只要.{0,12}就|即使|就算|哪怕|万一|好比说我|打个比方|要不是"
)
_HEARD = re.compile(
    r"据说|据传|传言|谣传|听(?:人|别人|谁|他们|大家|同事|朋友|邻居)(?:家)?(?:说|讲|提)|有人(?:说|"
    r"传|讲)|"
    r"小道消息|听来的|八卦|都在(?:传|说)|在传|风传|网上(?:说|传|讲)|外面(?:都)?(?:说|传|有人)|"
    r"群里(?:说|传)|"
    r"流言|道听途说|人家说|(?:别人|他们|大家|同事|邻居|朋友|老板|房东)(?:都)?(?:说|讲|告诉)"
)
_TOLD = re.compile(r"听说|听闻|听(?:他|她)说")
_DOUBTED = re.compile(
    r"不知(?:道)?(?:是)?真假|真假|谁知道|不信|没影|没有的事|谣|不靠谱|不知道是不是|瞎说|未必|"
    r"没[经被]?证实|不知道(?:准不准|哪)|当不得真"
)
_PLAN = re.compile(
    r"打算|计划(?!书|表|是|管理)|(?<![不思])想(?:要|着)|(?<![不思李])想(?=[去买学换当把做吃找搬养"
    r"考试给让开来再试看住])|考虑|(?<!标)准备(?!金|好了)|希望|"
    r"盼着|争取|也许会|可能会|可能要|说不定|将来|有意|琢磨|犹豫|还没(?:有)?(?:想好|决?定|敲定|"
    r"拿定)|"
    r"没定下来|再说吧|再看吧|到时候再|梦想|但愿|想着|有可能|要不(?:然)?|正在(?:找|看|挑)|迟早|"
    r"以后也许|"
    r"如愿|未来(?:要|会|想)|应该会|估计会|大概会|恐怕会|八成会|待定|没准"
)
_UNSETTLED = re.compile(
    r"还没(?:有)?(?:最后)?(?:想好|决?定|敲定)|没定(?:下来)?$|再说吧|再看吧|待定|八字没一撇"
)
_SPEECH = re.compile(
    r"(?:说|写|道|讲|问|喊|念|唱|回复?|留言|评论|台词|歌词|标语|口号|原话|课文|书里|文章|邮件里|"
    r"题目|"
    r"群里|新闻|标题|牌子|海报|广告|签名|里面|上面)[^,。:]{0,8}[:,]?\s*$"
)
_SAID = re.compile(
    r"^(?!(?:医生|大夫|医院|护士|体检(?:报告)?)(?:都|也)?说(?:我|他|她)?(?:是|有|对|得)|我?(?:之前|上次|刚才|"
    r"刚刚|早前|先前|上回)(?:跟你)?说)[^,。]{1,10}?(?:(?<![我听再会能要母爱来话小])说(?!错|的|"
    r"法|话|好|定|明|过|成|反|服|漏|一?[下声]|实话|真的|起|"
    r"[^,。]{0,3}[语话文])|写道|写着|声称|宣称|吹牛|嚷嚷|"
    r"非说)"
)
_EXAMPLE = re.compile(
    r"^测试(?:一?下)?[:,]|例如|比如|比方|举(?:个)?例|示例|样例|占位|假数据|测试数据|(?<!非)虚构|"
    r"随便(?:填|写|编)|演示用|"
    r"模板里|范文|例子|demo数据|假设的"
)
_OPINION = re.compile(
    r"^(?:我|我们|大家)?(?:个人|都|倒|还是|总)?(?:觉得|认为|感觉|以为|看来)|不如|真(?:好|棒|难|烦|"
    r"贵|"
    r"不错)|比较(?:好|差|难)|(?:太|很|挺|真|非常|特别|十分)(?:好|棒|差|贵|难|慢|快|有意思|无聊|"
    r"漂亮|一般|热|冷|吵)"
    r"(?:了|的|啊|呀)?$"
)
_BELIEVED = re.compile("^(?:我|我们)(?:还)?(?:觉得|以为|认为)")
_PASSING = re.compile(
    r"(?:困|累|饿|渴|冷|热|烦|忙|堵|疼|晕|难受|开心|高兴|郁闷|无聊|头疼|发烧|感冒|失眠|崩溃|心情|"
    r"烦躁)"
    r"(?:死|坏|得|了|极|着|啊|呀|不行|要命|$)|^(?:我|我们|他|她)?(?:今天|现在|此刻|这会儿|刚刚|"
    r"刚才|正|正在|这两天|"
    r"今晚|暂时|临时)[^,。]{0,6}(?:(?<!住)在(?:家(?!里?住)|外|路上|医院(?!上班|工作)|机场|车站|"
    r"高铁|火车|飞机|地铁|车上|会上|吃|睡|等|忙|健身|超市|食堂)|出差|排队|开会|堵|加班|路上|迟到|"
    r"请假|休假)|"
    r"正在|出差|(?:在)?(?:路上|高铁上|飞机上|地铁上|机场|车上)"
)
_DENIED = re.compile(
    r"没有|没(?!错)|不是|不会|不(?!错|过|对|好意思|仅|但|用|久)|未曾|从未|并非|无意"
)
_FROM_AGENT = re.compile(
    r"system\s*:|忽略(?:以上|之前|前面)|无视(?:以上|之前)|你(?:现在)?是一个|developer\s*:"
)
HEDGED = re.compile(
    r"好像|可能(?!会|要)|大概|也许(?!会)|似乎|估计(?!会)|貌似|印象中|印象里|不太?确定|拿不准|"
    r"吃不准|"
    r"没把握|记不清|八成(?!会)|应该是|没记错的?话|不敢肯定|说不准|不一定|或许|差不多是"
)
_KEEPS_OUT = re.compile(
    r"(?:别|不要|不用|甭|无需|不必|勿)(?:再|给我|帮我)?(?:记|存|保存|记录|留)(?!得|恨|着|错)"
)
_PAST = re.compile(
    r"^(?:[^,。]{0,8}?)(?:以前|之前|原来|从前|曾经|曾|过去)(?!的|没)|那时候?|小时候|上学时|年轻时"
)


def of_turn(plain: str) -> str | None:
    """Why nothing of a whole turn is read; None where its sentences are to be seen."""
    if _FROM_AGENT.search(plain):
        return "injection"
    return None


def of_sentence(plain: str) -> str | None:
    """Why nothing of a sentence is read: what colours all of its clauses."""
    if _EXAMPLE.search(plain):
        return "example"
    if _SUPPOSED.search(plain.replace("没记错的话", "").replace("不介意的话", "")):
        return "hypothetical"
    if _JOKE.search(plain):
        return "joke"
    if _HEARD.search(plain) or (_TOLD.search(plain) and _DOUBTED.search(plain)):
        return "hearsay"
    if _SAID.search(plain.lstrip('“"「')):
        return "quotation"
    if _UNSETTLED.search(plain):
        return "plan"
    return None


def of_clause(plain: str, *, last: bool, asked: bool) -> str | None:
    """Why nothing of a clause is read. ``asked``: its sentence ends with a question mark."""
    if _BELIEVED.match(plain):
        return "opinion"
    without = _NOT_ASKED.sub("", plain)
    if _QUESTION.search(without) or (last and asked):
        return "question"
    if _COMMAND.match(plain) and not asks_in_chinese(plain) and not _NOUN_FIRST.match(plain):
        return "command"
    if _OF_NOTES.search(plain) and not asks_in_chinese(plain):
        return "command"
    if _PLAN.search(plain):
        return "plan"
    if _OPINION.search(plain):
        return "opinion"
    if _PASSING.search(plain):
        return "transient"
    return None


def keeps_out(plain: str) -> bool:
    """Whether it asks that what has just been said is not kept: 别存."""
    return _KEEPS_OUT.search(plain) is not None


def is_tag(plain: str) -> bool:
    """对吧, 是吗: it makes a question of what stands before it."""
    return _TAG.match(plain.strip(" ?。!")) is not None


def is_past(plain: str) -> bool:
    """Whether a clause without a time tells of what was so once: 以前是会计."""
    return _PAST.search(plain) is not None


def confidence(sentence: str, *, correcting: bool = False) -> float:
    """How sure a reading of this sentence is, by its own words."""
    if correcting:
        sentence = sentence.replace("应该是", "是")
    if _TOLD.search(sentence):
        return 0.25
    return 0.35 if HEDGED.search(sentence) else 0.9


def quoted_speech(plain: str, start: int, end: int, inside: str) -> bool:
    """Whether a quotation that starts there is somebody's words, and not a name or a value."""
    before, after = plain[:start], plain[end:]
    if _SPEECH.search(before):
        return True
    if not before.strip() and re.match("是[一句首]|这[句首个话]", after):
        return True
    return len(inside) > 10 and re.search("[,。!?]", inside) is not None


def rest(plain: str) -> str:
    """What a text is of which nothing has been read."""
    if _DENIED.search(plain):
        return "negation"
    if _PASSING.search(plain):
        return "transient"
    if _COMMAND.match(plain):
        return "command"
    return "chatter"
