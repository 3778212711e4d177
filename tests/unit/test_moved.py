"""The instants of a memory move with the words that say them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from text2mem.editing.days import days_in
from text2mem.editing.edit import Exchange
from text2mem.editing.moved import moved
from text2mem.ir.record import Record
from text2mem.ir.times.moments import read_when
from text2mem.ir.times.reading_clock import Clock

ZONE = ZoneInfo("Asia/Shanghai")
NOW = Clock(datetime(2026, 6, 11, 6, tzinfo=UTC), ZONE)


@pytest.mark.parametrize(
    ("text", "old", "new", "at", "to"),
    [
        ("6月12号晚上7点家长会；提早半小时", "6月12号", "6月15号", "2026-06-12T18:30",
         "2026-06-15T18:30"),
        ("choir 12 June 7pm, half an hour earlier", "12 June", "15 June", "2026-06-12T18:30",
         "2026-06-15T18:30"),
        ("6 月 12 号上午查气", "上午", "下午三点", "2026-06-12T09:00", "2026-06-12T15:00"),
        ("Fishing Saturday July 11, 5 a.m., Sandy Creek", "Saturday July 11", "Sunday July 12",
         "2026-07-11T05:00", "2026-07-12T05:00"),
        ("eye clinic July 16, 10:30, Columbus", "10:30", "9:00", "2026-07-16T10:30",
         "2026-07-16T09:00"),
        ("9 月 24 号下午两点教研", "9 月 24 号下午两点", "9 月 24 号线上",
         "2026-09-24T14:00", None),
        ("choir Friday at 7pm", "Friday at 7pm", "Saturday", "2026-06-12T19:00",
         "2026-06-13T19:00"),
        ("choir Friday 12 June 7pm", "Friday 12 June 7pm", "Saturday 13 June midnight",
         "2026-06-12T19:00", "2026-06-13T00:00"),
        ("周四晚上七点吃饭", "周四", "周五", "2026-06-18T19:00", "2026-06-19T19:00"),
        ("choir Friday at 7pm", "Friday", "Wednesday", "2026-06-12T19:00", "2026-06-17T19:00"),
        ("Offsite 8-10 July in Porto", "8-10 July", "15-17 July", "2026-07-08T00:00",
         "2026-07-15T00:00"),
        ("Offsite 8-10 July in Porto", "8-10 July", "8-11 July", "2026-07-08T00:00", None),
        ("Offsite 8-10 July in Porto", "8", "7", "2026-07-08T00:00", "2026-07-07T00:00"),
        ("Offsite 8-10 July in Porto", "10", "11", "2026-07-08T00:00", None),
        ("7月8号到10号团建", "8号", "7号", "2026-07-08T00:00", "2026-07-07T00:00"),
        ("Train AX120 10:15 on 12 June", "AX120 10:15", "AX130 11:40", "2026-06-12T10:15",
         "2026-06-12T11:40"),
        ("票：10月1号 G1234 08:15 广州南", "G1234 08:15", "G1236 9点40", "2026-10-01T08:15",
         "2026-10-01T09:40"),
        ("Flight 16 March, AX120 10:15", "16 March, AX120 10:15", "17 March, AX130 11:40",
         "2027-03-16T10:15", "2027-03-17T11:40"),
        ("周五 G1234 08:15", "周五 G1234 08:15", "周六 G1236 09:40", "2026-06-12T08:15",
         "2026-06-13T09:40"),
        ("Flight 12 June, AX120 10:15", "AX120 10:15", "AX130, boarding 11:00, leaves 11:40",
         "2026-06-12T10:15", None),
        ("复诊十月中旬，周三同一时间", "十月中旬，周三同一时间", "10月14号十点", "2026-10-11T00:00",
         "2026-10-14T10:00"),
        ("Kuba 15.09. 15:40, Dr. Weiss", "15.09.", "22.09.", "2026-09-15T15:40",
         "2026-09-22T15:40"),
        ("Dentist Thu 3/9 10am", "Thu 3/9", "Wed 2/9", "2026-09-03T10:00", "2026-09-02T10:00"),
        ("Dentist Thu 3/9 10am", "3/9", "10/9", "2026-09-03T10:00", "2026-09-10T10:00"),
        ("Dinner Thu 3/9 7pm", "3/9", "10/9", "2026-09-03T19:00", "2026-09-10T19:00"),
        ("Dinner 30/12 7pm", "30/12", "6/1", "2026-12-30T19:00", "2027-01-06T19:00"),
        ("周四3/9上午看牙", "周四3/9", "周三2/9", "2026-09-03T09:00", "2026-09-02T09:00"),
        ("Dentist mon the 6th at 9", "mon the 6th", "tue the 7th", "2026-07-06T09:00",
         "2026-07-07T09:00"),
        ("he is coming Friday the 3rd at 3", "Friday the 3rd", "Saturday the 4th",
         "2026-07-03T15:00", "2026-07-04T15:00"),
        ("24号周三上午看牙", "24号周三", "25号周四", "2026-06-24T09:00", "2026-06-25T09:00"),
        ("9.8早上体检", "9.8", "9.15", "2026-09-08T09:00", "2026-09-15T09:00"),
        ("作业9.8交", "9.8", "9.15", "2026-09-08T00:00", "2026-09-15T00:00"),
        ("一稿 9/8 前交", "9/8", "9/15", "2026-09-08T00:00", "2026-09-15T00:00"),
        ("体检 9.8", "9.8", "9.15", "2026-09-08T09:00", "2026-09-15T09:00"),
        ("Dentist 8/9", "8/9", "15/9", "2026-09-08T09:00", "2026-09-15T09:00"),
        ("Dentist 9/8", "9/8", "9/15", "2026-09-08T09:00", "2026-09-15T09:00"),
        ("体检 9.8", "9.8", "9.15", "2026-09-10T09:00", None),
        ("9.8早上体检", "9.8早上", "9.20早上", "2026-09-08T09:00", "2026-09-20T09:00"),
        ("聚餐2.28晚上", "2.28", "2.29", "2027-02-28T20:00", None),
        ("Thu 3/9 dentist, Fri 4/9 school", "3/9", "10/9", "2026-09-03T00:00",
         "2026-09-10T00:00"),
        ("体检，体重9.8公斤", "9.8", "9.6", "2026-09-08T09:00", None),
        ("fee 9.8 at the dentist", "9.8", "9.6", "2026-08-09T09:00", None),
        ("inspector on Thursday week at 10:30", "Thursday week at 10:30",
         "Friday, quarter past two", "2026-06-18T10:30", "2026-06-19T14:15"),
        ("dentist 14 July 3pm", "14 July 3pm", "friday at ten", "2026-07-14T15:00",
         "2026-07-17T10:00"),
        ("parents' evening friday, 18:30", "friday", "wednesday", "2026-09-11T18:30",
         "2026-09-09T18:30"),
        ("王工6月16号下午四点上门", "6月16号下午四点", "6月17号周三下午四点", "2026-06-16T16:00",
         "2026-06-17T16:00"),
        ("call about the 30 bags tomorrow", "30", "40", "2026-06-12T00:00", None),
        ("the gate is 4471", "4471", "5580", "2026-06-12T00:00", None),
        ("ring Ana on Friday", "on Friday", "", "2026-06-12T00:00", None),
        ("ring Ana on Friday", "Friday", "Saturday", None, None),
    ],
)  # fmt: skip
def test_an_instant_moves_where_it_stands_in_what_is_exchanged(
    text: str, old: str, new: str, at: str | None, to: str | None
) -> None:
    when = datetime.fromisoformat(at).replace(tzinfo=ZONE) if at else None
    memory = Record(id="1", text=text, time=when, created_at=NOW.now, updated_at=NOW.now)
    found = moved(when, memory, text, Exchange(old, new), NOW)
    assert found == (datetime.fromisoformat(to).replace(tzinfo=ZONE) if to else None)


@pytest.mark.parametrize(
    ("text", "old", "new", "now", "to"),
    [
        ("Dentist on Friday at 9", "9", "10", "2026-03-13T07:00", "2026-03-13T10:00"),
        ("Dentist tomorrow at 9", "9", "10", "2026-03-12T07:00", "2026-03-12T10:00"),
        ("Dentist next Friday at 9", "9", "10", "2026-03-16T07:00", "2026-03-20T10:00"),
        ("Dentist on Friday at 9am", "9am", "11:30am", "2026-03-13T07:00", "2026-03-13T11:30"),
        ("Dentist on Friday at 9", "Friday", "Thursday", "2026-03-13T07:00", "2026-03-19T09:00"),
        ("Dentist on Friday at 9", "Friday", "Monday", "2026-03-13T07:00", "2026-03-16T09:00"),
        ("Dentist on 13 March at 9", "13", "16", "2026-03-13T07:00", "2026-03-16T09:00"),
        ("Dentist on Friday at 9", "9", "Saturday at 10", "2026-03-12T07:00", "2026-03-14T10:00"),
        ("周五上午九点看牙", "九点", "十点", "2026-03-13T07:00", "2026-03-13T10:00"),
        ("明天上午九点看牙", "九点", "十点", "2026-03-12T07:00", "2026-03-12T10:00"),
        ("下周五上午九点看牙", "上午九点", "下午三点", "2026-03-16T07:00", "2026-03-20T15:00"),
        ("周五上午九点看牙", "周五", "周四", "2026-03-13T07:00", "2026-03-19T09:00"),
    ],
)  # fmt: skip
def test_what_is_edited_on_another_day_than_it_was_noted_stays_on_its_own(
    text: str, old: str, new: str, now: str, to: str
) -> None:
    zone = ZoneInfo("Europe/Berlin")
    noted = Clock(datetime(2026, 3, 11, 10, tzinfo=zone), zone)
    when = read_when(text.replace(" on ", " ").removeprefix("Dentist ").removesuffix("看牙"), noted)
    memory = Record(id="1", text=text, time=when, created_at=noted.now, updated_at=noted.now)
    clock = Clock(datetime.fromisoformat(now).replace(tzinfo=zone), zone)
    found = moved(when, memory, text, Exchange(old, new), clock)
    assert found == datetime.fromisoformat(to).replace(tzinfo=zone)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("dentist Mon 6th 9am", ["2026-07-06T09:00"]),
        ("he is coming Friday the 3rd at 3", ["2026-07-03T15:00"]),
        ("mum is coming Saturday 4 July", ["2026-07-04T00:00"]),
        ("dentist Thu 3/9 10am, Bob Fri 4/9", ["2026-09-03T10:00", "2026-09-04T00:00"]),
        ("3/9（周四）晚上聚餐", ["2026-09-03T20:00"]),
        ("二十四号礼拜三上午体检", ["2026-06-24T09:00"]),
        ("年会1月15日周五", ["2027-01-15T00:00"]),
        ("家長會 9/4 晚上 7:00", ["2026-09-04T19:00"]),
        ("咖啡店菜單：一稿9/4交，報價18000", ["2026-09-04T00:00"]),
        ("作业9.8交", ["2026-09-08T00:00"]),
        ("add 3/4 cup, route 3/9, ver 12.3", []),
        ("版本12.3，体重12.3公斤，3.15晚会，5.1假期，跑了12.3公里上午", []),
        ("9.5号球拍和3.2号柜", []),
        ("dentist Thu 3/9 with Bob, school: Fri 4/9.", ["2026-09-03T00:00", "2026-09-04T00:00"]),
        ("Thu 3/9: dentist", ["2026-09-03T00:00"]),
        ("Thu 3/9 dentist", ["2026-09-03T00:00"]),
        ("off Fri 4/9-Sun 6/9", ["2026-09-04T00:00", "2026-09-06T00:00"]),
        ("报告9.8前提交", ["2026-09-08T00:00"]),
        (
            "quiz 9/10 Fri, rated 8/10, Sunday's best, open 24/7 Mon",
            ["2026-06-12T00:00", "2026-06-14T00:00", "2026-06-15T00:00"],
        ),
        ("1/2 sun-dried tomatoes, 3/4 sat fat, 192.168.3/9 (Thu)", ["2026-06-18T00:00"]),
        ("she sat 3rd, we sat 1st", []),
        ("not till the Sunday, the 5th", ["2026-07-05T00:00"]),
        ("offer 8/12 前要 reply", ["2026-08-12T00:00"]),
        ("血糖早上5.6晚上7.2，每次1/2晚上吃，习题3.2晚上做", []),
        ("iOS 12.3之前的系统，Python 3.11 之前，3.5前轮", []),
        ("周三9.5折，周日5.5公里", ["2026-06-17T00:00", "2026-06-14T00:00"]),
        ("这周四11/6开会", ["2026-06-11T00:00"]),
        ("周四9.3号上午体检", ["2026-09-03T09:00"]),
        ("9月3周四", ["2026-09-03T00:00"]),
        ("15日周边", []),
        ("周日1号公路，周三5号球场", ["2026-06-14T00:00", "2026-06-17T00:00"]),
    ],
)
def test_a_day_with_its_weekday_or_in_figures_is_one_day(text: str, days: list[str]) -> None:
    assert days_in(text, NOW) == tuple(
        datetime.fromisoformat(day).replace(tzinfo=ZONE) for day in days
    )
