"""Numbers, times and days that go up or down by what somebody says."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from text2mem.ir.times.reading_clock import Clock
from text2mem.ir.times.sums import amount_in, shifted

CLOCK = Clock(datetime(2026, 3, 10, 9, tzinfo=UTC), ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize(
    ("words", "amount", "up", "sum_"),
    [
        ("12 kg", "two more", True, "14 kg"),
        ("17", "three days", True, "20"),  # of a day and of a count
        ("1,200", "five hundred", False, "700"),
        ("$3.50", "0.25", True, "$3.75"),
        ("£31.50", "5 pounds", True, "£36.50"),
        ("$6,312.40", "two hundred and ten", True, "$6,522.40"),
        ("37.40 澳元", "二十", True, "57.40 澳元"),
        ("46块", "12.5", False, "33.5块"),
        ("0.3", "0.1", False, "0.2"),
        ("1.50", "1.5", False, "0.00"),
        ("三条", "两条", True, "5条"),
        ("一萬八", "一千", True, "19000"),
        ("£85", "£10.50", True, "£95.50"),
        ("2000", "1.5k", True, "3500"),
        ("2 hours", "an hour", True, "3 hours"),
        ("40 minutes", "an hour", True, "100 minutes"),
        ("2 hours", "half an hour", False, "1.5 hours"),
        ("3 days", "a week", True, "10 days"),
        ("两小时", "一小时", True, "3小时"),
        ("£95", "half", False, "£47.50"),
        ("18.5公斤", "一斤", True, "19.0公斤"),
        ("20斤", "3公斤", True, "26斤"),
        ("3斤", "半斤", True, "3.5斤"),
        ("2 kg", "500 g", True, "2.5 kg"),
        ("2kg", "half a kilo", True, "2.5kg"),
        ("5 km", "500 m", True, "5.5 km"),
        ("80 km/h", "10 km/h", True, "90 km/h"),
        ("3块", "五毛", True, "3.5块"),
        ("£85", "50p", True, "£85.50"),
        ("$3.50", "fifty cents", True, "$4.00"),
        ("四百八", "一倍", True, "960"),
        ("四百八", "一成", True, "528"),
        ("三千", "一半", False, "1500"),
        ("£800", "5%", True, "£840"),
        ("£212.40", "5 per cent", True, "£223.02"),
        ("$1,250", "10 percent", False, "$1,125"),
        ("三千块", "百分之十", True, "3300块"),
        ("3%", "1%", True, "4%"),
        ("14 tins", "three", False, "11 tins"),
        ("85k", "5k", True, "90k"),
        ("3 million", "two million", True, "5 million"),
        ("10:30", "half an hour", True, "11:00"),
        ("09:15", "an hour", False, "08:15"),
        ("2000", "half an hour", True, "2030"),
        ("3rd feb 0840", "an hour", False, "3rd feb 0740"),
        ("7 pm", "an hour", True, "8 pm"),
        ("11:30 AM", "an hour", True, "12:30 PM"),
        ("6 p.m.", "half an hour", True, "6:30 p.m."),
        ("28 March", "a week", True, "4 April"),
        ("15.09.", "one week", True, "22.09."),
        ("21.-23. September", "a week", True, "28.-30. September"),
        ("30.9.", "2 days", True, "2.10."),
        ("28.08.2026", "a week", True, "04.09.2026"),
        ("10/29", "three days", True, "11/01"),
        ("two", "one", True, "three"),
        ("Three hens", "2", True, "Five hens"),
        ("nineteen eggs", "six", True, "25 eggs"),
        ("one", "one", False, "0"),
        ("2315块5", "三百八", True, "2695块5"),
        ("3块", "1块5", True, "4.5块"),
        ("412,50 €", "25", True, "437,50 €"),
        ("412,50", "7,25", False, "405,25"),
        ("approx. 412,50 €", "25", True, "approx. 437,50 €"),
        ("3块5", "1块5", True, "5块"),
        ("3块5毛", "五毛", False, "3块"),
        ("the 3rd", "two days", True, "the 5th"),
        ("May 31st, 2026", "a month", True, "June 30th, 2026"),
        ("3月28号", "一周", True, "4月4号"),
        ("2026-12-28", "a week", True, "2027-01-04"),
        ("28 December", "a week", True, "4 January"),
        ("20 march", "a week", True, "27 march"),
        ("28 march", "a week", True, "4 april"),
        ("20号", "两天", False, "18号"),
        ("21st", "a day", True, "22nd"),
        ("15日", "两天", True, "17日"),
        ("8-10 February", "a day", True, "9-11 February"),
        ("2nd–4th of May", "a day", False, "1st–3rd of May"),
        ("July 8-10", "two days", True, "July 10-12"),
        ("12月8日-10日", "一周", True, "12月15日-17日"),
        ("十二月二号", "一周", True, "十二月九号"),
        ("三月二十八号", "一周", True, "四月四号"),
        ("二十号", "两天", False, "十八号"),
        ("下午五点", "半个小时", True, "下午五点半"),
        ("上午九点半", "一个小时", False, "上午八点半"),
        ("八点一刻", "半小时", True, "八点三刻"),
        ("下午3点", "20分钟", True, "下午3点20分"),
        ("19点40分", "一刻钟", True, "19点55分"),
        ("九月十号上午十点", "一个小时", True, "九月十号上午十一点"),
        ("下午一点", "一个小时", True, "下午两点"),
        ("周三", "两天", True, "周五"),
        ("周一十二点", "半小时", True, "周一十二点半"),
        ("三点五十", "15分钟", True, "四点零五"),
        ("3点50", "15分钟", True, "4点05"),
        ("3月5号下午三点", "一周", True, "3月12号下午三点"),
        ("每周五天", "两天", True, "每周7天"),
        ("三箱", "俩", True, "5箱"),
        ("下午两点", "俩小时", True, "下午四点"),
        ("星期天", "一天", True, "星期一"),
        ("8条", "一打", True, "20条"),
        ("8条", "两打袜子", True, "32条"),
        ("8条", "半打", False, "2条"),
        ("3打", "一打", False, "2打"),
        ("4600", "2600打给老陈", False, "2000"),
        ("x11", "two", False, "x9"),
        ("glasses x11", "a dozen", True, "glasses x23"),
        ("老干妈×3", "两瓶", True, "老干妈×5"),
        ("58:30", "40 seconds", True, "59:10"),
        ("5:40/km", "ten seconds", True, "5:50/km"),
        ("5:40/km", "a minute", True, "6:40/km"),
        ("52:10", "two minutes", False, "50:10"),
        ("59:50", "20 seconds", True, "60:10"),
        ("1:04:15", "1 minute 20 seconds", False, "1:02:55"),
        ("1:04:15", "1 minute", False, "1:03:15"),
        ("24:55", "24 sec", False, "24:31"),
        ("2.340,75 €", "199,99 €", False, "2.140,76 €"),
        ("999,50", "1.000,50", True, "2000,00"),
        ("3万4", "八千", True, "4万2"),
        ("3万4", "6千", True, "4万"),
        ("$704.85", "1.2k", True, "$1904.85"),
        ("$704.85", "1,200", True, "$1904.85"),
        ("2,80 €", "10 ct", True, "2,90 €"),
        ("485,50 €", "15欧", True, "500,50 €"),
        ("4 sessions", "a session", False, "3 sessions"),
        ("two bottles", "a bottle", True, "three bottles"),
        ("Wednesday", "two days", True, "Friday"),
        ("monday", "a day", False, "sunday"),
        ("fri", "a day", True, "sat"),
        ("Thu", "two days", False, "Tue"),
        ("call at 10:30/Zoom", "an hour", True, "call at 11:30/Zoom"),
        ("8:30/地铁站", "半小时", True, "9:00/地铁站"),
        ("1:45/100m", "a minute", True, "2:45/100m"),
        ("6 brown eggs", "an egg", False, "5 brown eggs"),
    ],
)
def test_what_goes_up_or_down_stays_as_it_is_written(
    words: str, amount: str, up: bool, sum_: str
) -> None:
    assert shifted(words, amount, up=up, clock=CLOCK) == sum_


@pytest.mark.parametrize(
    ("words", "amount", "up"),
    [
        ("a few tins", "two", True),  # no number
        ("2 of 3", "one", True),  # which of them?
        ("4", "seven", False),  # below nothing
        ("12", "some", True),  # no amount
        ("12 tins", "a few", True),
        ("3打", "五双", False),  # no whole number of dozens
        ("7:15 am", "30 seconds", True),  # no seconds are told
        ("12", "two weeks", True),  # 12 of what?
        ("16x25x1", "two", True),  # a size
        ("5:10", "20 minutes and 5 seconds", False),  # below nothing
        ("85k", "500", True),  # no whole number of thousands
        ("$3.50", "fifty", True),  # fifty of what?
        ("5 km", "2 miles", True),  # no thousandth
        ("2 kg", "three litres", True),  # two things
        ("£85", "10 dollars", True),
        ("2,80 €", "1 cent", False),  # of a dollar, or of a euro?
        ("四百八", "两倍", True),  # twice as much, or two times more?
        ("23:30", "an hour", True),  # another day
        ("3 feb 2030", "an hour", True),  # a year
        ("Friday", "a week", True),  # a Friday again
        ("周三", "一周", True),
        ("周三下午", "一个月", True),
        ("28th", "a week", True),  # another month, and none is said
        ("31st", "a day", True),
        ("31日", "一天", True),
        ("27-28 February", "a day", True),  # half of it in another month
        ("31 December 9999", "a week", True),
        ("上午十一点", "三个小时", True),  # another half of the day
        ("下午一点", "半小时", False),
        ("差五分三点", "半小时", True),
        ("两三点", "半小时", True),
        ("下周五", "三天", True),  # the Monday after that
        ("this Friday", "three days", True),
        ("Friday the thirteenth", "three days", True),
        ("Tuesday", "ten days", True),
        ("二〇二六年十二月二十八号", "一周", True),  # another year, in numerals
        ("三点到五点", "半个小时", True),  # which of them?
        ("2-4am", "an hour", True),
        ("2 to 4pm", "half an hour", True),
        ("1.5", "a week", True),  # 1.5 of what?
        ("21.09.-23.09.", "a week", True),
        ("28 August to 4 September", "a day", True),
        ("8月28号到9月4号", "一天", True),
        ("10 weeks", "a day", True),  # 10.142857 weeks
        ("10块5毛钱", "1块", True),
        ("30块5个", "2个", True),  # of the price, or of what it is for?
        ("23:30:00", "an hour", True),  # a length, or a time of the day?
        ("1.150 €", "150", True),  # 1,150 euros?
        ("5 kg of apples", "an apple", False),
        ("4 pages of notes", "a note", True),
    ],
)
def test_what_cannot_be_told_is_no_sum(words: str, amount: str, up: bool) -> None:
    assert shifted(words, amount, up=up, clock=CLOCK) is None


@pytest.mark.parametrize(
    ("words", "amount"),
    [
        ("two more weeks", "two weeks"),
        ("another two weeks", "two weeks"),
        ("another week", "a week"),
        ("another half hour", "half hour"),
        ("another ten", "ten"),
        ("another dozen", "a dozen"),
        ("a further month", "a month"),
        ("two more", "two more"),
        ("再两周", "两周"),
        ("多半个小时", "半个小时"),
    ],
)
def test_an_amount_is_what_comes_to_what_is_there(words: str, amount: str) -> None:
    assert amount_in(words) == amount
