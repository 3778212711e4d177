"""How often the day of a note is told: of what was moved, booked, promised or reported, it is still
to come; of what was done, it is over. No weight is fitted to these notes, but the bound was
looked at on them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.tense import gone

CLOCK = Clock(datetime(2026, 3, 4, 10, 30, tzinfo=UTC), UTC)  # a Wednesday

TO_COME_EN = """\
the optician was moved to [Thursday]
our viewing has been rescheduled to [the 15th]
the train got changed to [Saturday] because of the strike
swimming was postponed to [Monday]
the hearing was put back to [the 22nd]
the deadline for the grant has been extended to [Friday]
parents' evening was brought forward to [Wednesday]
the MRI was pushed to [the 19th]
our table was changed to [Saturday] at eight
the christening got delayed until [June]
I was told the electrician comes on [Tuesday]
Grandpa said the parcel would come [Thursday]
the agent told us the keys are ready [Friday]
my boss promised me an answer by [Wednesday]
I promised Ella we'd go skating on [Sunday]
they announced that the bridge reopens on [the 8th]
the van was booked in for a service on [Monday]
booked the kennel from [Friday]
I booked us onto the ferry on [the 27th]
the lease that we signed runs out on [the 30th]
signed up for the half marathon on [the 4th]
the plasterer was hired for [Tuesday]
the concert we bought tickets for is on [Saturday]
the hospital wrote, my appointment is now [the 16th]
the piano tuner was confirmed for [Wednesday]
Kim was invited to a wedding on [the 20th]
the school confirmed that the trip goes ahead on [Thursday]
we were given a slot on [Friday] morning
the sofa that I ordered is to be delivered [Monday]
the rehearsal was switched from Tuesday to [Thursday]
the neighbours agreed to cut the hedge on [Sunday]
the bank said the card should arrive by [Friday]
my shift was swapped to [Saturday]
the court set the date for [the 11th]
the garage was supposed to ring but they'll do it [Tuesday]
we decided to leave on [Wednesday]
the council has scheduled the road works for [the 2nd]
the physio was cancelled and rebooked for [Monday]
heard that the strike begins on [Thursday]
the trial lesson was arranged for [Saturday]
"""
TO_COME_ZH = """\
眼科改到[周四]了
面试推迟到[15号]
看房挪到[周六]上午了
家庭聚会延期到[下周日]
手术提前到[22号]了
复诊改约[周三]
航班改签到[周五]
截止日期延长到[30号]
牙套调整改成[周二]
搬家改在[周日]了
医生说[周四]出报告
中介告诉我[周五]可以拿钥匙
老板答应[周三]给我回复
我答应小宝[周日]去滑冰
公告说大桥[8号]通车
车约了[周一]保养
订了[周五]的酒店
买好了[27号]的船票
我们签的租约[30号]到期
报名了[4号]的马拉松
找好了泥瓦匠，[周二]开工
演唱会的票买了，是[周六]的
医院来信，预约改成[16号]
调琴师确认了，[周三]过来
收到请帖，[20号]表姐结婚
学校确认春游[周四]照常
我们排到了[周五]上午
订的沙发[周一]送货
排练从周二换到[周四]
邻居同意[周日]修剪树枝
银行说卡[周五]前寄到
我的班调到了[周六]
法院定在[11号]开庭
电工说好[周二]来
决定了[周三]出发
施工安排在[2号]
理疗取消了，重新约的[周一]
听说罢工[周四]开始
试听课安排在[周六]
房贷批了，[10号]放款
"""
OVER_EN = """\
the boiler man serviced it on [Friday] and left a sticker
my bike was stolen on [Tuesday]
Mia's cast was taken off on [Monday]
the old fridge was collected on [Thursday]
the picnic was cancelled on [Saturday] because it poured
we had lunch with Aunt Jo on [Sunday]
the new tenants moved in on [the 1st]
I paid the electricity bill on [the 3rd]
the dog was sick twice on [Wednesday]
the chimney got swept on [Tuesday], 60 euros
Ben lost his phone on [Friday]
the gutters were cleaned on [Monday] and the ladder left behind
Dad fell in the garden on [Sunday], only bruises
we planted garlic on [the 12th]
it rained all day [Saturday] and we stayed in
Nora passed her theory test on [Thursday]
the window was broken on [Sunday] by a football
ran 12 km on [Wednesday], knee hurt afterwards
the cat brought in a mouse on [Tuesday]
met the new neighbours on [Friday], they seemed nice
"""
OVER_ZH = """\
空调[周五]修好了，换了个电容
自行车[周二]爆胎了，推回家的
小宝的石膏[周一]拆了
旧冰箱[周四]被拉走了
野餐[周六]取消了，下了一天雨
[周日]跟大姨吃的饭
新租客[1号]搬进来了
电费[3号]交了，一百二
狗[周三]吐了两回
烟道[周二]清了，花了六十
手机[周五]丢了
[周一]擦了窗户，累得腰疼
爸[周日]在院子里摔了一跤，还好没事
大蒜[12号]种下去了
[周六]下了一天雨，没出门
小雨[周四]科目一过了
玻璃[周日]被球砸碎了
[周三]跑了十二公里，膝盖疼
猫[周二]抓了只老鼠
[周五]见了新邻居，人挺好
"""


def _told(notes: str) -> list[str]:
    """The notes whose day (in brackets) is read as past."""
    found = []
    for line in notes.splitlines():
        before, rest = line.split("[")
        day, after = rest.split("]")
        if gone(before + day + after, day, CLOCK) is not None:
            found.append(line)
    return found


@pytest.mark.parametrize("notes", [TO_COME_EN, TO_COME_ZH], ids=["en", "zh"])
def test_what_was_moved_or_promised_is_to_come(notes: str) -> None:
    told = _told(notes)
    assert len(notes.splitlines()) == 40
    assert len(told) <= 1, told


@pytest.mark.parametrize(("notes", "least"), [(OVER_EN, 13), (OVER_ZH, 10)], ids=["en", "zh"])
def test_what_was_done_is_over(notes: str, least: int) -> None:
    told = _told(notes)
    assert len(told) >= least, told
