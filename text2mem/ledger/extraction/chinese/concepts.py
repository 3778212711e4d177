"""What Chinese words name: attributes with their synonyms and types, and relatives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from text2mem.ir.naming import fold

Gender = Literal["他", "她"]


@dataclass(frozen=True, slots=True)
class Concept:
    """An attribute by the names that people use for it, the one to write first.

    ``english`` are its names where the store is kept in English. ``many``: a list is several
    values. ``people``: its values are persons. ``personal``: persons have it, projects do not.
    """

    names: tuple[str, ...]
    english: tuple[str, ...] = ()
    type: str = "fact"
    many: bool = False
    people: bool = False
    personal: bool = False


def _own(names: str, english: str = "", type_: str = "profile", *, many: bool = False) -> Concept:
    return Concept(tuple(names.split()), tuple(english.split()), type_, many, personal=True)


def _of_project(
    names: str, english: str = "", type_: str = "project", *, many: bool = False,
    people: bool = False,
) -> Concept:  # fmt: skip
    return Concept(tuple(names.split()), tuple(english.split()), type_, many, people)


CONCEPTS = (
    _own("姓名 名字 本名 真名 大名 全名", "name"),
    _own("称呼 昵称 小名 外号 绰号 英文名 网名", "nickname"),
    _own("公司 工作单位 单位 雇主 东家 任职公司 就职公司", "employer company"),
    _own("中文名", "chinese_name"),
    _own("国籍", "nationality"),
    _own("部门 所在部门", "department"),
    _own("星座", "zodiac_sign"),
    _own("学历", "education"),
    _own("职位 职业 岗位 职务 工作岗位 头衔 工种", "job_title role"),
    _own("部门 所在部门", "department team"),
    _own("城市 居住城市 居住地 住址城市 常住地 所在城市 所在地", "city"),
    _own("老家 家乡 籍贯 祖籍", "hometown"),
    _own("国家", "country"),
    _own("时区", "timezone"),
    _own("地址 住址 家庭住址 家庭地址", "address", "contact"),
    _own("收货地址 收件地址 送货地址 配送地址 寄送地址", "delivery_address shipping_address",
         "contact"),
    _own("电话 手机 手机号 手机号码 电话号码 联系电话 号码 新号 新号码 座机", "phone phone_number",
         "contact", many=True),
    _own("邮箱 电子邮箱 电子邮件 邮件 邮箱地址 邮件地址 电邮 email e-mail", "email email_address",
         "contact", many=True),
    _own("微信号 微信", "wechat", "contact"),
    _own("qq号 qq", "qq", "contact"),
    _own("紧急联系人", "emergency_contact", "contact"),
    _own("首选联系方式 联系方式偏好", "preferred_channel preferred_contact", "contact"),
    _own("生日 出生日期 出生年月", "birthday date_of_birth"),
    _own("过敏 过敏原 过敏源 过敏史", "allergies allergy", many=True),
    _own("药物 用药 在服药物", "medication", many=True),
    _own("诊断 病史 疾病 慢性病", "diagnosis condition", many=True),
    _own("血型", "blood_type"),
    _own("饮食 饮食习惯 饮食禁忌", "diet"),
    _own("喜欢 爱好 兴趣 兴趣爱好 喜好", "likes hobbies", "preference", many=True),
    _own("不喜欢 讨厌", "dislikes", "preference", many=True),
    _own("忌口 饮食禁忌 忌食", "dietary_restrictions", "preference", many=True),
    _own("首选语言 回复语言 沟通语言 偏好语言", "preferred_language", "preference"),
    _own("同行人 同伴 旅伴 同行者", "companions", "fact", many=True),
    _own("身高", "height"),
    _own("体重", "weight"),
    _own("血压", "blood_pressure"),
    _own("座位偏好 首选座位", "seat_preference", "preference"),
    _own("语言 会说的语言 外语", "languages language", many=True),
    _own("技能 特长", "skills", many=True),
    _own("学校 就读学校", "school"),
    _own("毕业院校 母校", "alma_mater"),
    _own("专业", "major"),
    _own("宠物", "pets", many=True),
    _own("车牌 车牌号", "license_plate"),
    _own("生肖 属相", "zodiac"),
    _own("分工 职责 负责", "responsibility", "project", many=True),
    _own("首选编辑器 编辑器", "preferred_editor editor", "preference"),
    _of_project("成员 组员 队员 小组成员 团队成员", "members member", many=True, people=True),
    _of_project("负责人 项目负责人 带头人", "owner", people=True),
    _of_project("组长 队长 主管 领导 上司 经理 导师 老板", "manager", people=True),
    _of_project("发布负责人 发版负责人", "release_owner", people=True),
    _of_project("联系人 对接人 接口人", "contact", people=True),
    _of_project("截止日期 截止时间 截止日 最后期限 期限 ddl deadline", "deadline", "fact"),
    _of_project("端口 端口号 服务端口", "port"),
    _of_project("数据库", "database"),
    _of_project("测试命令", "test_command"),
    _of_project("构建命令", "build_command"),
    _of_project("启动命令", "start_command"),
    _of_project("默认分支 主分支", "default_branch"),
    _of_project("包管理器 包管理工具", "package_manager"),
    _of_project("框架 前端框架 后端框架", "framework"),
    _of_project("编程语言 开发语言", "programming_language"),
    _of_project("缩进", "indentation"),
    _of_project("提交信息语言 提交语言", "commit_language"),
    _of_project("发版日期 发布日期", "release_date", "event"),
    _of_project("预算 总预算", "budget", "fact"),
    _of_project("状态 订单状态", "status", "task"),
    _of_project("版本 版本号", "version"),
    _of_project("密码 口令", "password", "fact"),
    _of_project("api密钥 密钥 api_key", "api_key", "fact"),
)  # fmt: skip

_BY_NAME = {
    fold(name): concept for concept in CONCEPTS for name in (*concept.names, *concept.english)
}


def _each(words: str, gender: Gender | None) -> list[tuple[str, str, Gender | None]]:
    return [(name, name, gender) for name in words.split()]


_RELATED: tuple[tuple[str, str, Gender | None], ...] = (
    ("妻子", "妻子 老婆 太太 媳妇 内人 夫人", "她"), ("丈夫", "丈夫 老公 先生", "他"),
    ("配偶", "配偶 爱人 对象 另一半", None), ("未婚妻", "未婚妻", "她"), ("未婚夫", "未婚夫", "他"),
    ("女朋友", "女朋友 女友", "她"), ("男朋友", "男朋友 男友", "他"),
    ("儿子", "儿子 大儿子 小儿子", "他"), ("女儿", "女儿 闺女 大女儿 小女儿", "她"),
    ("孩子", "孩子 小孩 宝宝 娃 娃儿", None),
    ("爸爸", "爸爸 老爸 爸", "他"), ("父亲", "父亲", "他"), ("妈妈", "妈妈 老妈 妈", "她"),
    ("母亲", "母亲", "她"), ("爸妈", "爸妈", None), ("父母", "父母", None),
    ("哥哥", "哥哥 大哥 二哥 哥", "他"), ("弟弟", "弟弟 弟", "他"),
    ("姐姐", "姐姐 大姐 二姐 姐", "她"), ("妹妹", "妹妹 妹", "她"),
    ("爷爷", "爷爷", "他"), ("奶奶", "奶奶", "她"), ("外公", "外公 姥爷", "他"),
    ("外婆", "外婆 姥姥", "她"), ("岳父", "岳父 老丈人", "他"), ("岳母", "岳母 丈母娘", "她"),
    ("公公", "公公", "他"), ("婆婆", "婆婆", "她"),
    ("孙子", "孙子 外孙", "他"), ("孙女", "孙女 外孙女", "她"),
    *_each("叔叔 小叔 伯伯 大伯 舅舅 小舅 姑父 姨父 表哥 表弟 堂哥 堂弟 姐夫 妹夫", "他"),
    *_each("阿姨 姑姑 小姑 大姑 姨妈 小姨 大姨 舅妈 婶婶 表姐 表妹 堂姐 堂妹 嫂子 弟媳", "她"),
    *_each("侄子 外甥 女婿 干爹", "他"), *_each("侄女 外甥女 儿媳 儿媳妇 干妈", "她"),
    *_each("室友 同桌 同学 同事 朋友 好友 闺蜜 邻居 房东 老板 上司 领导 导师 助理 助手 秘书", None),
    *_each("发小 老乡 师兄 师姐 师弟 师妹 学长 学姐 队友 战友 合伙人 伴侣", None),
    *_each("哥们儿 哥们 死党 姐妹淘", None),
    *_each("前男友 前夫", "他"), *_each("前女友 前妻", "她"),
    *_each("搭档 医生 主治医生 律师 保姆 教练 会计 经纪人 徒弟 师父 老师 班主任", None),
)  # fmt: skip

RELATIONS = {said: name for name, words, _ in reversed(_RELATED) for said in words.split()}
"""What a relative is called → the name of the relation, as an attribute and in subjects."""
GENDERS = {name: gender for name, _, gender in _RELATED if gender is not None}
ACQUAINTED = frozenset({
    "哥们儿", "哥们", "死党",
    "发小", "老乡", "师兄", "师姐", "师弟", "师妹", "学长", "学姐", "队友", "战友",
    "室友", "同桌", "同学", "同事", "朋友", "好友", "闺蜜", "邻居", "房东",
    "老板", "上司", "领导", "医生", "律师", "老师", "教练",
})  # fmt: skip
"""Of whom there may be several: without a name, one is not told from another."""
ANIMALS = (
    "小猫", "小狗", "猫咪", "狗狗", "金毛", "柯基", "布偶", "橘猫", "泰迪", "哈士奇",
    "鹦鹉", "仓鼠", "兔子", "乌龟", "金鱼", "猫", "狗",
)  # fmt: skip


def concept_of(name: str) -> Concept | None:
    """The concept that a name is one of the names of."""
    return _BY_NAME.get(fold(name))


def any_of(words: Iterable[str]) -> str:
    """The source of a pattern for one of the words, the longest first."""
    return "(?:" + "|".join(sorted(set(words), key=lambda word: (-len(word), word))) + ")"


RELATION = any_of(RELATIONS)
NAMES = tuple(name for concept in CONCEPTS for name in concept.names if len(name) > 1)
"""Every Chinese name of an attribute."""
