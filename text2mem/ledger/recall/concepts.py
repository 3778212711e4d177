"""What people ask of somebody or something: names and cues, English and Chinese. Data."""

from __future__ import annotations

from text2mem.ledger.recall.concept import Concept, concept

_LIVE = r"liv(?:e|es|ed|ing)|resid(?:e|es|ed|ing)|dwell(?:s|ing)?|based|at home|stay(?:s|ed|ing)?"
_CONTACT = r"contact(?:ed|s)?|reach(?:ed)?|get (?:hold of|in touch)"

ATTRIBUTES: tuple[Concept, ...] = (
    concept(
        "city home_city residence location 城市 居住城市 居住地 住址 所在地 hometown",
        (rf"where\b[^,;]*\b(?:{_LIVE})|(?:which|what) (?:city|town|place)|home ?town|whereabouts"
         r"|move(?:d)? to|where\b[^,;]*\bmove(?:d)?",
         "住在?哪|住(?:在)?(?:什么|哪个)?(?:地方|城市)|居住|哪个?城市|在哪(?:儿|里)?住"
         "|搬到?(?:去)?了?哪|人在哪"),
        (_LIVE, "住"),
    ),
    concept("country 国家", (r"(?:which|what) country", "哪个?国家?")),
    concept(
        "delivery_address shipping_address 收货地址 address 地址",
        (r"where\b[^,;]*\b(?:send|sent|ship(?:ped)?|deliver(?:ed)?|post(?:ed)?)|deliver(?:y|ed)?"
         r"|shipping", "寄到?哪|寄去?哪|送到?哪|寄给?到|收货|发到哪"),
        (r"where\b[^,;]*\b(?:go|goes)", ""),
    ),
    concept(
        "address home_address street_address 地址 住址",
        (r"address|(?:which|what) street", "地址|住址|哪条路|门牌"),
        (rf"where\b[^,;]*\b(?:{_LIVE})", "住在?哪"),
    ),
    concept(
        "employer company workplace organisation organization 公司 单位 工作单位 雇主",
        (r"work(?:s|ed|ing)? (?:for|at)|where\b[^,;]*\bwork(?:s|ed|ing)?|employ(?:s|ed|er|ers)?"
         r"|(?:which|what) (?:company|firm|employer)|whose payroll|works? now",
         "哪家公司|(?:什么|哪个)(?:公司|单位)|在哪(?:儿|里)?(?:上班|工作|就职|任职)|上班|就职"
         "|供职|雇主|东家"),
        ("compan(?:y|ies)|firm", "公司|单位"),
    ),
    concept(
        "job_title occupation profession job role position 职位 职业 岗位 工作",
        (r"work(?:s|ed|ing)? as|(?:do|does|did)\b[^,;]*\bfor (?:a|their|his|her) living|job title"
         r"|occupation|profession|(?:what|which)(?: kind of)? (?:job|position|work)|title",
         "什么职位|哪个职位|职位|职业|岗位|职务|头衔|做什么工作|干什么的|做什么的|以什么为生"
         "|什么工作"),
        ("job|role|position", "工作"),
    ),
    concept(
        "allergies allergy 过敏 过敏原",
        (r"allerg(?:ic|y|ies|en|ens)|leave out|(?:must|can|may|should) ?(?:not|n't) (?:eat|have)"
         r"|can't (?:eat|have)|mustn't eat", "过敏|不能吃|吃不了|忌什么"),
    ),
    concept(
        "diet eating_habits 饮食 饮食习惯",
        (r"diet|how\b[^,;]*\beat(?:s|ing)?|(?:kind|sort) of (?:eater|food)|vegetarian|vegan"
         r"|eats? meat",
         "饮食|吃素|吃荤|吃肉|忌口|怎么吃"),
    ),
    concept(
        "dislikes hates 不喜欢 讨厌",
        (r"(?:does|do|did|would|is|was)(?: ?not|n't)\b[^,;]*\b(?:like|enjoy|love)|not like"
         r"|dislik\w+"
         r"|hat(?:e|es|ed)|can't (?:stand|bear)|cannot stand|detest\w*",
         "不喜欢|讨厌|不爱(?:吃|玩|看|听|喝)?|受不了|不想吃"),
    ),
    concept(
        "likes hobbies 喜欢 爱好 兴趣",
        (r"(?<!would )(?:(?:do|does|did)\b(?:(?!\bnot\b|n't)[^,;])*\b(?:like|love|enjoy)"
         r"|(?<!not )(?:likes?|loves?|enjoys?))(?! to be)(?![^,;?]*\b(?:best|most|better)\b)"
         r"|fond of|keen on|into|hobb(?:y|ies)|free time",
         "(?<![不最])喜欢|(?<![不最])爱(?:吃|玩|看|听|喝)|爱好|兴趣|业余"),
    ),
    concept(
        "phone phone_number mobile telephone mobile_number 电话 手机 手机号 电话号码",
        (r"phone|telephone|mobile|cell|call|ring|(?:phone |mobile )?number\b(?! of)|dial",
         "电话|手机|打给"),
        (rf"number|{_CONTACT}", "号码|联系"),
    ),
    concept(
        "email email_address mail 邮箱 电子邮箱 邮件",
        (r"(?:e-?)?mail address(?:es)?|e-?mails?|mail(?:s|ed|box)?|write to", "邮箱|邮件|电邮"
         "|伊妹儿"),
        (_CONTACT, ""),
    ),
    concept(
        "preferred_channel preferred_contact contact_preference 首选联系方式 联系方式",
        (rf"(?:like|prefer|want|wish)\w* (?:us )?to be (?:{_CONTACT})|(?:best"
         rf"|preferred) way to (?:{_CONTACT})"
         rf"|how (?:should|would|shall) (?:we|i|you|one) (?:best )?(?:{_CONTACT})|channel",
         "怎么联系|如何联系|(?:首选|偏好)?联系方式|希望(?:我们)?(?:怎么|用什么)联系"
         "|用什么方式联系"),
    ),
    concept(
        "birthday date_of_birth birth_date 生日 出生日期",
        (r"born|birth ?day|birth|how old|date of birth", "生日|出生|多大(?:了|年纪)?|几岁|年纪"),
    ),
    concept(
        "languages language 语言",
        (r"speaks?|spoke|spoken|languages?|tongues?", "语言|会说|说什么话|讲什么|会讲|外语"),
    ),
    concept(
        "medication medications medicine drug 药 用药 药物",
        (r"medicines?|medication\w*|pills?|tablets?|drugs?|prescri\w+|on for (?:his|her|my)",
         "什么药|吃药|用药|药物|药"),
    ),
    concept(
        "diagnosis condition illness 诊断 病情 疾病",
        (r"diagnos\w+|suffers?(?: from)?|illness|what's wrong with|disease", "诊断|得了?什么病"
         "|什么病|病情"),
        ("condition", ""),
    ),
    concept(
        "status state 状态 进度",
        (r"status|state|how far|arrived|progress|stand(?:s)? with", "状态|到了吗|到哪了|进度|进展"
         "|怎么样了"),
        ("open|closed|done|finished|shipped|delivered|paid", "情况"),
    ),
    concept(
        "deadline due_date 截止日期 截止时间 期限",
        (r"due|deadline|by (?:when|which (?:day|date)|what (?:day|date|time))|at the latest"
         r"|how long\b[^,;]*\bleft"
         r"|expires?|(?:have|has|had|need|needs|must)(?: to)? be (?:done|finished|submitted|ready)",
         "截止|最晚|最迟|期限|哪天(?:之)?前|什么时候(?:之)?前|到期|过期"),
    ),
    concept(
        "departure_date departure travel_date trip_start 出发日期 出发时间",
        (r"leav(?:e|es|ing)|left|depart(?:s|ed|ure|ing)?|set(?:s|ting)? (?:off|out)|head(?:s"
         r"|ing)? off",
         "出发|动身|启程|走的?(?:日子|那天)"),
    ),
    concept(
        "return_date return_deadline trip_end 返回日期 回程日期 返程日期",
        (r"be back|back (?:home|by)|com(?:e|es|ing) back|return(?:s|ed|ing)?|get(?:s)? (?:back"
         r"|home)",
         "回来|返程|回程|返回"),
    ),
    concept(
        "budget price cost 预算 费用 价格",
        (r"budget|cost(?:s)?|spend|spent|afford|how much (?:money|may|can|is|was|does|did)",
         "预算|花多少|多少钱|费用|价格|花费"),
    ),
    concept(
        "parking_spot parking car_location parking_place 停车位 车位",
        (r"park(?:ed|ing)?|where\b[^,;]*\b(?:car|bike)", "停车|停在?哪|车(?:停|在)"),
    ),
    concept("size shoe_size 尺码 鞋码", (r"size", "尺码|多大码|几码")),
    concept("seats 座位 席位", (r"seats?", "席位|座位")),
    concept("plan subscription_plan subscription tier 套餐 会员等级",
            (r"plan|subscription|tier|subscribed", "套餐|订阅|会员等级")),
    concept("height 身高", (r"how tall|height", "多高|身高")),
    concept("name full_name 姓名 名字", (r"(?:full )?name|called", "叫什么|名字|姓名")),
    concept("team 团队 小组", (r"team", "团队|哪个?组")),
    concept("school university 学校 大学",
            (r"(?:which|what) (?:school|university|college)|stud(?:y|ies|ied|ying)|enrolled",
              "哪所?(?:学校|大学)|上学|就读|读书")),
    concept("membership_level 会员等级 等级", (r"membership|level", "等级|级别")),
    concept("responsibility responsible_for 分工 负责 职责 任务",
            (r"responsib\w+|in charge of|look(?:s|ing)? after|tak(?:e|es|ing) care of",
              "负责(?!人)|分工|职责|管什么")),
    concept("release_owner owner release_manager 发布负责人 负责人 发版负责人",
            (r"own(?:s|ed|er|ers)?|in charge|run(?:s)? the", "负责人|谁(?:在|来)?(?:负责|管)"),
            (r"responsible", "")),
    concept("preferred_editor editor 首选编辑器 编辑器", (r"editor|ide", "编辑器")),
    concept("database 数据库", (r"database|db", "数据库|什么库")),
    concept("port 端口", (r"ports?", "端口")),
    concept("test_command 测试命令",
            (r"run\b[^,;]*\btests?|tests? (?:are |get )?run|test command", "跑.{0,6}测试"
             "|测试(?:怎么|如何)?跑|测试命令")),
    concept("default_branch 默认分支 分支", (r"branch", "分支")),
    concept("release_date 发版日期 发布日期 release_deadline",
            (r"releas(?:e|ed|es|ing) (?:due|date|out)|(?:when|which day)\b[^,;]*\b(?:releas\w+"
             r"|ship(?:s|ped)?)"
              r"|come(?:s)? out", "发版|(?:什么时候|哪天|几号).{0,4}(?:发布|上线)|(?:发布"
              "|上线)(?:日期|时间)")),
    concept("meeting_time 组会时间 会议时间",
            (r"when\b[^,;]*\bmeet(?:s|ing)?|meeting time",
              "(?:什么时候|几点|哪天).{0,4}(?:组会|开会|例会)|(?:组会|例会|会议).{0,3}(?:时间"
              "|什么时候|几点|哪天)")),
    concept("meeting_place 组会地点 会议地点",
            (r"where\b[^,;]*\bmeet(?:s|ing)?|meeting (?:place|room)",
              "(?:哪儿|哪里|在哪).{0,4}(?:组会|开会|例会)|(?:组会|例会|会议)(?:是"
              "|在)?.{0,2}(?:地点|哪)")),
    concept("members member 成员 组员", (r"members?|who (?:is|are|was|were) in", "成员|组员|有谁"
    "|有哪些人")),
    concept("timezone time_zone 时区", (r"time ?zone", "时区")),
    concept("pets pet dog cat 宠物",
            (r"pets?|dogs?|cats?|animals?", "宠物|养(?:了)?(?:什么|几|狗|猫)|狗|猫")),
    concept("answer_preference answer_style response_preference 回答偏好 回答方式",
            (r"(?:like|want|prefer)\w*\b[^,;]*\banswers?|answers?\b[^,;]*\b(?:like|prefer)\w*"
              r"|how (?:should|shall) (?:i|you|we) answer", "(?:怎么|如何)回答|回答(?:风格|方式"
              "|偏好)")),
    concept("password 密码", (r"passwords?|passcode", "密码|口令")),
    concept("api_key api密钥 密钥", (r"api ?keys?", "密钥|api ?key")),
)  # fmt: skip
