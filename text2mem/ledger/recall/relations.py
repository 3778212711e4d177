"""Who people are to each other: names and cues, English and Chinese. Data."""

from __future__ import annotations

from text2mem.ledger.recall.concept import Concept, relation

RELATIONS: tuple[Concept, ...] = (
    relation("spouse wife husband partner 配偶 妻子 丈夫 爱人 老婆 老公",
              r"married to|marr(?:y|ied)|spouse", "配偶|结婚|嫁给|娶了|爱人"),
    relation("wife spouse partner 妻子 配偶 老婆 爱人", r"wife", "妻子|老婆|太太|媳妇"),
    relation("husband spouse partner 丈夫 配偶 老公 爱人", r"husband", "丈夫|老公|先生"),
    relation("partner spouse girlfriend boyfriend 伴侣 对象 女朋友 男朋友",
              r"partner|dating|going out with", "伴侣|对象"),
    relation("girlfriend partner 女朋友", r"girlfriend", "女朋友|女友"),
    relation("boyfriend partner 男朋友", r"boyfriend", "男朋友|男友"),
    relation("children child kids 孩子 子女", r"child(?:ren)?|kids?", "孩子|子女|小孩|娃"),
    relation("son children 儿子 孩子", r"sons?", "儿子"),
    relation("daughter children 女儿 孩子", r"daughters?", "女儿|闺女"),
    relation("sister siblings 姐妹 妹妹 姐姐", r"sisters?", "姐妹"),
    relation("妹妹 sister 姐妹", r"(?:younger|little) sister", "妹妹?"),
    relation("姐姐 sister 姐妹", r"(?:older|elder|big) sister", "姐姐?"),
    relation("brother siblings 兄弟 弟弟 哥哥", r"brothers?", "兄弟"),
    relation("弟弟 brother 兄弟", r"(?:younger|little) brother", "弟弟?"),
    relation("哥哥 brother 兄弟", r"(?:older|elder|big) brother", "哥哥?"),
    relation("mother mum mom 母亲 妈妈", r"mothers?|mum|mom|mummy", "母亲|妈妈?|娘"),
    relation("father dad 父亲 爸爸", r"fathers?|dad|daddy", "父亲|爸爸?|爹"),
    relation("grandmother grandma 奶奶 外婆 姥姥", r"grandmothers?|grandma|granny", "奶奶|外婆"
    "|姥姥|祖母"),
    relation("grandfather grandpa 爷爷 外公 姥爷", r"grandfathers?|grandpa|granddad", "爷爷|外公"
    "|姥爷|祖父"),
    relation("aunt 阿姨 姑姑 姨妈", r"aunt(?:ie)?", "姑姑|姑妈|阿姨|姨妈|舅妈|婶婶"),
    relation("uncle 叔叔 舅舅", r"uncle", "叔叔|舅舅|伯伯|姑父|姨父"),
    relation("cousin 表哥 表姐 堂哥 堂姐", r"cousins?", "[表堂][哥姐弟妹]"),
    relation("landlady landlord 房东", r"landlady", "房东"),
    relation("landlord landlady 房东", r"landlord", ""),
    relation("manager boss supervisor 经理 上司 老板 领导", r"managers?|boss|supervisor",
              "经理|上司|老板|领导"),
    relation("assistant 助理 秘书", r"secretary|personal assistant", "助理|秘书"),
    relation("doctor gp physician 医生", r"doctor|gp|physician", "医生|大夫"),
    relation("dentist 牙医", r"dentist", "牙医"),
    relation("vet 兽医", r"vet", "兽医"),
    relation("teacher 老师", r"teachers?", "老师"),
    relation("supervisor advisor 导师", r"advisor|adviser", "导师"),
    relation("flatmate roommate housemate 室友", r"flat ?mate|room ?mate|house ?mate", "室友"),
    relation("neighbour neighbor 邻居", r"neighbou?rs?", "邻居"),
    relation("colleague coworker 同事", r"colleagues?|co-?workers?", "同事"),
    relation("friend best_friend 朋友", r"(?:best )?friends?", "朋友|闺蜜"),
    relation("owner release_owner 负责人", r"owners?", "负责人"),
)  # fmt: skip
