"""Whom a clause is about: what stands at its beginning, and what is left without it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from text2mem.ir.naming import fold
from text2mem.ir.phrases_zh import POINT
from text2mem.ledger.extraction.chinese.concepts import (
    ACQUAINTED,
    RELATION,
    RELATIONS,
)
from text2mem.ledger.extraction.chinese.piece import Piece
from text2mem.ledger.extraction.chinese.scene import Scene
from text2mem.ledger.extraction.chinese.statements import is_job

LEAD = re.compile(
    r"^(?:对了|哦|噢|嗯+|唉|诶|哎呀?|啊|好的?|那个|那么|话说|另外|还有(?:就是)?(?!一|两)|"
    r"(?:医生|大夫|医院|护士|体检(?:报告)?)(?:都|也)?说(?:我|他|她)?(?:是|(?=有|对|得))|"
    r"我(?:还)?记得|说实话|说真的|老实讲|坦白说|不瞒你说|"
    rf"(?<![^,])是(?=我(?:们|家)?的?{RELATION})|"
    r"(?:闲下来|有空|没事|空闲|业余|下了?班|周末|休息日?|放假|闲暇|工作之余|课余|"
    r"休假)(?:的?时候?|时间?|"
    r"以?后|了|之余)?(?=我)|"
    r"顺便(?:说|提)?(?:一?[句下嘴])?|顺带(?:一提|说一?句)?|"
    r"其实|说起来|讲真|老实说|补充(?:一?[点句下条])?(?:历史|旧的)?|补一条(?:旧的)?|更新(?:一下|:)|"
    r"告诉你(?:一声|一下|个事)?|跟你说(?:一声|一下|个事)?|通知(?:一下)?|"
    r"(?:请|麻烦|劳驾)?(?:你|您)?(?:也|再|先)?(?:帮(?:我|忙)|给我|替我)?(?:记住|记(?:一?下来?|着|"
    r"好|录一?下|个)|牢记|备忘|存(?:一?下|好))(?:来|吧)?|"
    r"(?:请|别忘了?|要)?记得|因为|所以|不过|但是?|而且|然后|于是|结果|目前(?=[^是为])|最新(?:情况|"
    r"消息)|首先|其次|最后(?!.{0,3}[位个])|总之|ok|ps|p\.s\.|"
    r"(?:忘掉|忘记|忘了|删掉|删除|抹掉|清除|别再?(?:记|存)|不要再?(?:记|存))(?=我|你|关于|他|她|"
    r"[\u4e00-\u9fff]{2,4}的)|(?:同行|一起|同去|随行)的?(?:人)?(?:还)?有(?=我)|更正(?:一下)?|"
    r"纠正(?:一下)?|准确(?:地)?说|"
    r"具体(?:来)?说|没记错的?话|据我所知|一直以来|截至目前|咱们?(?:的)?(?=这)|反正|毕竟|同时|"
    r"好消息是?|坏消息是?|(?<![^,])是这样的?)[,:。\s]*"
)
_SURNAME = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范"
    "彭郎鲁韦"
    "昌马苗凤花方俞任袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄"
    "和穆萧"
    "尹姚邵湛汪祁毛禹狄米贝明臧计伏成戴谈宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅"
    "盛林刁"
    "钟徐邱骆高夏蔡田樊胡凌霍虞万支柯管卢莫经房裘缪干解应宗丁宣邓郁单杭洪包诸左石崔吉龚程嵇邢裴陆"
    "荣翁荀"
    "甄曲封储靳段焦巴弓牧隗山谷车侯全班仰秋仲伊宫宁仇栾暴甘厉祖武符刘景詹束龙叶幸司黎白怀蒲从索赖"
    "卓屠池"
    "乔胥苍闻党翟谭劳冉雍桑桂牛寿通边扈燕冀温庄晏柴瞿阎慕连茹习艾容向古易慎戈廖庾终居衡步耿满弘文"
    "寇广"
    "欧沃利师聂辛简饶曾沙丰关游竺权麦兰阿小老"
)
_THING = re.compile(
    r"[期力病药压糖腿脚眼耳腰]$|眼睛|身体|膝盖|心脏|胃口|记性|脾气|工资|单位|性格|属相|婚礼|户口|房子|"
    r"手机|公司|学校|"
    r"年纪|工作|牙齿|腰椎|颈椎|血型|医院|护照|签证|生日|航班|手术|专业|老家|爱好"
)
"""What somebody has, and is no name."""
_VERB = (
    r"[转嫁娶参结移考读念写教开打拿因正患在是对叫会也都还已住喜爱讨负管换搬跳升入加离退辞去来说养吃喝用学属当做担的从现目今明昨上下"
    r"前每平最很更只挺超特"
    r"不没有能把被给要过改就常刚才才毕出获怕姓跟和与,，:\d\s]"
)
_NAMED = re.compile(
    rf"(?P<double>(?P<twice>[\u4e00-\u9fff])(?P=twice))(?=.)|(?P<name>(?:[{_SURNAME}]|欧阳|司马|"
    rf"上官|诸葛)[\u4e00-\u9fff]{{1,2}}?|"
    rf"[\u4e00-\u9fff]{{2,3}}?|[a-z][a-z'.]*(?: [a-z][a-z'.]+)?)(?={_VERB}|$)"
)
_TITLED = re.compile(
    rf"(?!小学|大学|中学|高中|小班)[{_SURNAME}][\u4e00-\u9fff]?(?:大夫|医生|老师|经理|总|教练|"
    r"律师)$"
)
_NO_NAME = re.compile(
    r"^(?:[在是对叫会也都还已住喜爱讨负管换搬跳升入加离退辞去来说养吃喝用学属当做担的从现目今明昨"
    r"上下前每最很更只挺超特不没有能把常"
    r"被给要过改就刚才毕出怕姓跟这那哪其他她它我你您们一二两三四五六七八九十几半突忽终开写教读考打卖画修跑种搞得患找买有正因]|新|旧|"
    r"平时|平常|大概|可能|好像|"
    r"家|那边|两个|本人|自己|电话|手机|邮箱|生日|地址|特别|非常|以后|以前|因为|所以|大的|小的|"
    r"老大|老二)"
)
_RELATIVE = re.compile(
    r"^(?:我(?:们)?(?:家)?|咱(?:们)?(?:家)?|俺)(?:的)?(?:有)?(?:一?[个位]|那个|这个)?(?:亲|"
    rf"双胞胎|孪生|远房)?(?P<relation>{RELATION})(?!节|店|们)"
)
_KIN = re.compile(rf"^(?P<relation>{RELATION})(?!节|店|们|的?人|说|问|让)(?=..)")
_GROUP = re.compile(
    r"^(?P<name>[^,。:的是在有我你他她这那]{1,10}?(?:组|队|团队|部门|班|社|团|读书会|协会|"
    r"学生会|委员会|项目|公司|仓库|系统|"
    r"平台))(?:这个项目)?"
    r"(?=新|来|这|本|下|每|上|招|加|多|有|由|归|现|的|改|换|用|把|[^,。]{2,6}(?:是|为|改|定|用|"
    r"有|:))"
)
_MADE_OF = re.compile(
    r"^(?P<name>[a-z][\w.-]*(?: [a-z][\w.-]*)?)\s*(?:这个|那个)(?:项目|服务|仓库|系统|组|库|平台)"
)
_SPEAKER = re.compile(
    r"^(?:我自己|我本人|我这边|我这人|本人|俺|咱|我)(?!们|国(?!籍)|校)(?:的(?!确))?"
)
_HOUSEHOLD = re.compile("^(?:我们|咱们?)(?=家(?!公司|店))")
_PET_NAME = re.compile(
    r"家(?:的|那[只条个])?(?P<name>(?P<one>[\u4e00-\u9fff])(?P=one)|"
    r"[小阿][\u4e00-\u9fff](?=[对不爱喜今是怕有]))"
    r"(?!家)"
)
_PRONOUN = re.compile(r"^(?P<who>他|她|它|ta)(?:们)?(?:自己|本人)?(?:的)?(?![人们])")
_THIS = re.compile(
    r"^(?:(?:我们|咱们?|咱)的?(?:这个)?|这个|该|本|那个)(?P<what>仓库|项目|repo|代码库|库|工程|"
    r"服务|系统|产品|团队|组|小组|课题组|队|"
    r"队伍|部门|班|店|订单|平台|站点|网站|应用|app|社团|乐队|工作室|俱乐部)(?:里|中|"
    r"上)?(?:的)?(?![人员])"
)
_OWNED = re.compile(
    r"^(?P<owner>(?P<relation>(?!目的)[^,。:、的是为我你他她《]{1,16}?))(?:的)(?!了)(?P<noun>[^,。:的是为在叫有用"
    r"改换]{1,1"
    r"0})"
)
_DOING = re.compile(
    r"(?:住|坐|买|订|定|开|用|穿|报|租|学|养|选|办|约|看|上|吃|喝|骑|交|预订|预定)[了过]?"
)
"""What a noun is done with: 住的酒店."""
_NO_OWNER = re.compile(
    r"^(?:目的地|新|旧|原来|原先|以前|之前|现在|目前|今年|去年|明年|这|那|哪|你|您|你们|唯一|"
    r"最|平时|别|"
    r"别人|人家|大家|所有|其他|另|"
    r"每|一|两|正确|真正|下|上|[\d]|很|不|有|没|对|从|把|在|搬|记|请|看|用|说|给|跟|和|与|因|关于|"
    r"取消|删|锁|归|合并|总结)"
)
_TITLE = re.compile(
    r"^(?:订单|工单|任务|仓库|项目|客户|用户|会员|课题组|服务)(?:号)?\s*(?=[a-z]+[-_\d])|"
    r"^[\u4e00-\u9fff]{1,3}(?:单|号|票|票据)\s*(?=[a-z]+\d*[-_\d])|"
    r"^[\u4e00-\u9fff]{2,4}\s+(?=[a-z]+\d*[-_]\d)"
)
_KIND_OF = re.compile(r"(?:[^,。]{1,6}人|的|[型座])$|^(?:个|一个|做|搞|学|在|独生|老)")
"""What somebody is said to be, and is no name: 上海人."""
_DAYS_OF = re.compile(rf"^(?:{POINT}|每[天周月年])的(?!.{{0,6}}(?:是|为))")
_KIND = re.compile(
    r"(?:这个|那个)?(?:项目|仓库|代码库|repo|工程)$|\s+(?:这个|那个)?(?:服务|系统|平台)$"
)


@dataclass(frozen=True, slots=True)
class Who:
    """``subject`` is None where a clause does not say it.

    ``related`` is the owner, the relation and the name where a relative is introduced, with from
    where to where that stands in the source. ``owned``: a noun of the subject's follows. ``whole``
    is what follows with its times. ``lost``: he or she is said, and nobody knows who that is.
    """

    rest: Piece
    subject: str | None = None
    related: tuple[str, str, str, tuple[int, int]] | None = None
    owned: bool = False
    whole: Piece | None = None
    lost: bool = False


def lead(piece: Piece) -> Piece:
    """A clause without the words that only lead to it."""
    while (found := LEAD.match(piece.plain)) and found.end() < len(piece.plain):
        piece = piece.part(found.end())
    return piece


def who(piece: Piece, scene: Scene) -> Who:
    """The subject at the beginning of a clause."""
    plain = piece.plain
    if found := _RELATIVE.match(plain):
        return _relative(piece, found, scene, scene.speaker)
    if (found := _KIN.match(plain)) and (
        RELATIONS[found["relation"]] not in ACQUAINTED or unknown_name(piece.part(found.end()))
    ):
        return _relative(piece, found, scene, scene.speaker)
    if found := _SPEAKER.match(plain):
        owned = found[0].endswith("的")
        return Who(piece.part(found.end()), scene.speaker, owned=owned)
    if found := _HOUSEHOLD.match(plain):
        rest = piece.part(found.end())
        if called := _PET_NAME.match(rest.plain):
            return Who(rest.part(called.end()), fold(rest.words(*called.span("name"))))
        return Who(piece.part(found.end()), scene.speaker)
    if found := _PRONOUN.match(plain):
        thing = (_pet(scene) or scene.thing()) if found["who"] == "它" else None
        subject = thing or scene.person(found["who"])
        rest = piece.part(found.end())
        if subject is None:
            return Who(rest, lost=True)
        return _nested(rest, scene, subject) or Who(rest, subject, owned=found[0].endswith("的"))
    if found := _THIS.match(plain):
        owned = found[0].endswith("的")
        return Who(piece.part(found.end()), scene.thing(), owned=owned)
    return _by_name(piece, scene)


def _pet(scene: Scene) -> str | None:
    """The speaker's one pet, where no other thing has been spoken of."""
    pets = scene.facts(scene.speaker, "宠物")
    return fold(str(pets[0].value)) if len(pets) == 1 and not scene.recent_thing() else None


def _by_name(piece: Piece, scene: Scene) -> Who:
    plain = piece.plain
    if (kind := _TITLE.match(plain)) and kind.end() < len(plain):
        piece = piece.part(kind.end())
        plain = piece.plain
    elif (past := _DAYS_OF.match(plain)) and past.end() < len(plain):
        piece = piece.part(past.end())
        plain = piece.plain
    known = scene.at_start(plain)
    if known is not None:
        end = len(known)
        after = re.match(
            r"\s*(?:这个|那个)?(?:项目|仓库|代码库|服务|小组|组|那边|本人|自己)?\s*(?P<of>的)?",
            plain[end:],
        )
        assert after is not None
        rest = piece.part(end + after.end())
        nested = _nested(rest, scene, known)
        return nested or Who(rest, known, owned=after["of"] is not None)
    if found := _MADE_OF.match(plain) or _GROUP.match(plain):
        rest = piece.part(found.end())
        owned = rest.plain.startswith("的")
        return Who(rest.part(1) if owned else rest, fold(_KIND.sub("", found["name"])), owned=owned)
    if (found := _OWNED.match(plain)) and not _NO_OWNER.match(found["owner"]):
        owner = found["owner"].strip()
        if _DOING.fullmatch(owner):
            return Who(piece.part(found.start("noun")))
        if found["noun"] in ("时间", "日期", "地点") and found["noun"] != owner:
            return Who(piece.without(found.end("owner"), found.start("noun")), owned=True)
        subject = fold(_KIND.sub("", owner).strip() or owner)
        if owner in RELATIONS:
            return _relative(piece, found, scene, scene.speaker)
        rest = piece.part(found.start("noun"))
        return _nested(rest, scene, subject) or Who(rest, subject, owned=True)
    return Who(piece)


def _nested(rest: Piece, scene: Scene, owner: str | None) -> Who | None:
    """她妹妹, 林晓的儿子."""
    found = re.match(rf"(?P<relation>{RELATION})(?!节|店|们|是|叫|为)", rest.plain)
    if found is None or owner is None or not scene.is_person(owner):
        return None
    return _relative(rest, found, scene, owner)


def _relative(piece: Piece, found: re.Match[str], scene: Scene, owner: str) -> Who:
    """A relative, by name where one follows or one is known."""
    relation = RELATIONS[found["relation"]]
    rest = piece.part(found.end("relation"))
    if name := name_at_start(rest, scene):
        span = (piece.places[0], rest.places[len(name) - 1] + 1)
        subject, said = fold(name), rest.words(0, len(name))
        after = rest.part(len(name))
        owned = after.plain.startswith("的")
        after = after.part(1) if owned else after
        return Who(after, subject, (owner, relation, said, span), owned)
    intro = re.match(r"(?:的名字)?(?:是|叫|名叫|就是)", rest.plain)
    named = rest.plain[intro.end() :] if intro else ""
    if intro and not _KIND_OF.search(named) and (not is_job(named) or _TITLED.match(named)):
        return Who(piece.part(found.start("relation")), owner, owned=True)
    owned = rest.plain.startswith("的")
    rest = rest.part(1) if owned else rest
    if together := re.match("一家|他们|她们|两口子|夫妻", rest.plain):
        rest = rest.part(together.end())
    held = [f for f in scene.facts(owner) if f.attribute in (relation, found["relation"])]
    if len(held) == 1:
        return Who(rest, fold(str(held[0].value)), owned=owned)
    if relation in ACQUAINTED and rest.plain.startswith(("们", "都")):
        return Who(rest)
    return Who(rest, f"{owner}_{relation}", owned=owned)


def name_at_start(rest: Piece, scene: Scene) -> str | None:
    """The name of a person that a text begins with, folded as the text is."""
    if (known := scene.at_start(rest.plain)) is not None:
        return rest.plain[: len(known)]
    if _NO_NAME.match(rest.plain):
        return None
    found = _NAMED.match(rest.plain)
    if found is None or rest.plain.startswith("过敏", found.end()) or _THING.search(found[0]):
        return None
    return found[0] if found.end() < len(rest.plain) else None


def unknown_name(piece: Piece) -> re.Match[str] | None:
    """A name that nothing is known of, before a verb: one that looks like a name."""
    if _NO_NAME.match(piece.plain):
        return None
    found = _NAMED.match(piece.plain)
    if found is None or found.end() >= len(piece.plain):
        return None
    name = found[0]
    looks = name[0] in _SURNAME or found["twice"] or name[0].isascii()
    return found if looks and len(name) > 1 else None
