"""The table of the days and stretches of days that a calendar names, for ``named_days``.

A row has the names, the rule of the day, the rule of the last day for a stretch, and the countries
that the row applies to; with "-" before them, those that it does not apply to. Names are in lower
case, without apostrophes and points. Of several rows with the same name the first that applies is
used. A row for certain countries applies only in a zone of one of them. Rules:

- ``12-25`` is that day of every year, ``02-end`` the last day of that month;
- ``easter-2`` counts days from Easter Sunday;
- ``11 thu 4`` is the fourth Thursday of November, ``05 mon -1`` the last Monday of May, and
  ``11 thu 4 +1`` the day after;
- ``lunar 1-15`` is a day of the Chinese calendar, ``lunar 12-end`` the last of a month;
- ``geng 3`` is the third day of the stem 庚 from the summer solstice on;
- ``term 3`` is a solar term, counted from 小寒 as 0;
- an empty rule is that of a name without a known day;
- ``season 3`` is the season that begins in March in the north, and six months later in the south.
"""

from __future__ import annotations

_ORTHODOX = "-GR CY RO BG RS ME MK MD UA RU BY GE ET ER EG"
"""Countries where Easter, and in part Christmas, are on other days than in the West."""

ROWS: tuple[tuple[str, str, str, str], ...] = (
    # The same day everywhere.
    ("new years day|new year day|new year|元旦|元旦节|阳历年", "01-01", "", ""),
    ("epiphany", "01-06", "", _ORTHODOX),
    ("burns night", "01-25", "", ""),
    ("candlemas|candlemas day|groundhog day", "02-02", "", ""),
    ("valentines day|valentines|valentine|st valentines day|情人节", "02-14", "", ""),
    ("st davids day|saint davids day", "03-01", "", ""),
    ("international womens day|womens day|妇女节|三八|三八节|三八妇女节", "03-08", "", ""),
    ("植树节", "03-12", "", "CN"),
    ("st patricks day|saint patricks day|st paddys day|paddys day", "03-17", "", ""),
    ("lady day", "03-25", "", ""),
    ("april fools day|april fools|愚人节", "04-01", "", ""),
    ("earth day", "04-22", "", ""),
    ("st georges day|saint georges day", "04-23", "", "GB"),
    ("may day|五一|五一节|五一劳动节", "05-01", "", ""),
    ("五四|五四青年节", "05-04", "", ""),
    ("cinco de mayo", "05-05", "", ""),
    ("六一|六一儿童节", "06-01", "", ""),
    ("六一八|618", "06-18", "", ""),
    ("midsummer day|midsummers day|st johns day", "06-24", "", "-SE FI EE LV"),
    ("七一|建党节", "07-01", "", ""),
    ("bastille day", "07-14", "", ""),
    ("st swithins day|st swithuns day", "07-15", "", ""),
    ("lammas|lammas day|八一|建军节|八一建军节", "08-01", "", ""),
    ("feast of st matthew|feast of saint matthew|st matthews day", "09-21", "", _ORTHODOX),
    ("michaelmas|michaelmas day|feast of st michael", "09-29", "", _ORTHODOX),
    ("halloween|all hallows eve|万圣夜|万圣节前夜|万圣节前夕", "10-31", "", ""),
    ("all saints day|all saints|all hallows", "11-01", "", _ORTHODOX),
    ("all souls day|all souls", "11-02", "", _ORTHODOX),
    ("guy fawkes|guy fawkes night|guy fawkes day|bonfire night", "11-05", "", ""),
    ("armistice day|martinmas|双十一|双11|光棍节", "11-11", "", ""),
    ("remembrance day", "11-11", "", "GB CA AU IE ZA"),
    ("st andrews day|saint andrews day", "11-30", "", ""),
    ("st nicholas day|saint nicholas day", "12-06", "", _ORTHODOX),
    ("双十二|双12", "12-12", "", ""),
    ("christmas eve|xmas eve|平安夜|圣诞夜|圣诞前夜", "12-24", "", _ORTHODOX),
    ("christmas|christmas day|xmas|xmas day|圣诞|圣诞节", "12-25", "", _ORTHODOX),
    ("boxing day|st stephens day", "12-26", "", _ORTHODOX),
    ("new years eve|new year eve|hogmanay", "12-31", "", ""),
    # Days that depend on Easter.
    ("mardi gras|shrove tuesday|pancake day|fat tuesday", "easter-47", "", _ORTHODOX),
    ("ash wednesday", "easter-46", "", _ORTHODOX),
    ("lent", "easter-46", "easter-1", _ORTHODOX),
    ("mothering sunday", "easter-21", "", "GB IE"),
    ("palm sunday", "easter-7", "", _ORTHODOX),
    ("maundy thursday|holy thursday", "easter-3", "", _ORTHODOX),
    ("good friday", "easter-2", "", _ORTHODOX),
    ("holy saturday|easter saturday", "easter-1", "", _ORTHODOX),
    ("easter|easter sunday|easter day|复活节", "easter+0", "", _ORTHODOX),
    ("easter monday", "easter+1", "", _ORTHODOX),
    ("ascension day|ascension", "easter+39", "", _ORTHODOX),
    ("whitsun|whit sunday|whitsunday|pentecost", "easter+49", "", _ORTHODOX),
    ("whit monday", "easter+50", "", _ORTHODOX),
    ("trinity sunday", "easter+56", "", _ORTHODOX),
    ("advent|advent sunday", "11 thu 4 +3", "12-24", _ORTHODOX),
    # Days that differ between countries.
    ("martin luther king day|mlk day", "01 mon 3", "", "US PR"),
    ("presidents day", "02 mon 3", "", "US PR"),
    ("memorial day", "05 mon -1", "", "US PR"),
    ("juneteenth", "06-19", "", "US PR"),
    ("independence day", "07-04", "", "US PR"),
    ("labor day|labour day", "09 mon 1", "", "US PR CA"),
    ("labour day", "10 mon 4", "", "NZ"),
    ("labour day|labor day|劳动节", "05-01", "", "CN HK MO TW SG MY IN DE FR ES IT PT PL AT GR"),
    ("劳动节", "05-01", "", "-US PR CA AU NZ JP"),
    ("columbus day", "10 mon 2", "", "US PR"),
    ("veterans day", "11-11", "", "US PR"),
    ("thanksgiving|thanksgiving day|感恩节", "11 thu 4", "", "US PR"),
    ("thanksgiving|thanksgiving day|感恩节", "10 mon 2", "", "CA"),
    ("black friday|黑色星期五|黑五", "11 thu 4 +1", "", ""),
    ("cyber monday", "11 thu 4 +4", "", ""),
    ("tax year", "04-06", "04-05", "GB"),
    ("tax year|financial year", "07-01", "06-30", "AU"),
    ("financial year", "04-01", "03-31", "IN NZ"),
    ("remembrance sunday", "11 sun 2", "", "GB"),
    ("canada day", "07-01", "", "CA"),
    ("australia day", "01-26", "", "AU"),
    ("anzac day", "04-25", "", "AU NZ"),
    ("waitangi day", "02-06", "", "NZ"),
    ("mothers day|母亲节", "easter-21", "", "GB IE"),
    ("mothers day", "05 sun 2", "", "US PR CA AU NZ IN CN HK TW SG MY JP DE AT CH IT NL BE ZA"),
    ("母亲节", "05 sun 2", "", "-GB IE FR ES PT SE PL RU KR TH"),
    ("fathers day", "06 sun 3", "", "US PR CA GB IE IN CN HK SG MY JP FR NL ZA"),
    ("fathers day", "09 sun 1", "", "AU NZ"),
    ("父亲节", "08-08", "", "TW"),
    ("父亲节", "06 sun 3", "", "-AU NZ DE AT CH IT ES PT RU KR TH"),
    ("儿童节", "04-04", "", "TW HK"),
    ("儿童节", "06-01", "", "-JP KR SG MY"),
    ("青年节", "05-04", "", "CN"),
    ("教师节", "09-28", "", "TW"),
    ("教师节", "09-10", "", "-SG MY HK"),
    ("国庆|国庆节|双十节", "10-10", "", "TW"),
    ("国庆|国庆节|national day", "08-09", "", "SG"),
    ("国庆|国庆节|national day", "08-31", "", "MY"),
    ("国庆|国庆节|十一国庆", "10-01", "", ""),
    # The Chinese calendar.
    ("chinese new year|lunar new year|cny|spring festival", "lunar 1-1", "", ""),
    ("春节|过年|大年初一|年初一", "lunar 1-1", "", ""),
    ("lantern festival|元宵|元宵节|上元节|灯节", "lunar 1-15", "", ""),
    ("龙抬头", "lunar 2-2", "", ""),
    ("qingming|qingming festival|tomb sweeping day|清明节", "term 6", "", ""),
    ("dragon boat festival|端午|端午节|端阳|端阳节", "lunar 5-5", "", ""),
    ("七夕|七夕节", "lunar 7-7", "", ""),
    ("中元|中元节|鬼节|盂兰节", "lunar 7-15", "", ""),
    ("mid autumn festival|moon festival|中秋|中秋节", "lunar 8-15", "", ""),
    ("重阳|重阳节", "lunar 9-9", "", ""),
    ("腊八|腊八节", "lunar 12-8", "", ""),
    ("除夕|除夕夜|大年三十|年三十|年三十晚上|大年夜|大年三十晚上", "lunar 12-end", "", ""),
    ("入伏|进伏|进伏天|初伏|头伏", "geng 3", "", ""),
    ("正月", "lunar 1-1", "lunar 1-end", ""),
    ("冬月", "lunar 11-1", "lunar 11-end", ""),
    ("腊月", "lunar 12-1", "lunar 12-end", ""),
    # Names without a day, which depends on a sighting or differs between places.
    ("diwali|deepavali|holi|navratri|dussehra|eid|eid al fitr|eid al adha|ramadan", "", "", ""),
    ("passover|hanukkah|yom kippur|rosh hashanah|purim|nowruz|vesak|songkran", "", "", ""),
    # Seasons, as whole months.
    ("spring|springtime|春天|春季|开春|入春", "season 3", "", ""),
    ("summer|summertime|夏天|夏季|入夏", "season 6", "", ""),
    ("autumn|fall|秋天|秋季|入秋", "season 9", "", ""),
    ("winter|wintertime|冬天|冬季|入冬", "season 12", "", ""),
)

TERMS = (
    "小寒", "大寒", "立春", "雨水", "惊蛰", "春分", "清明", "谷雨", "立夏", "小满", "芒种", "夏至",
    "小暑", "大暑", "立秋", "处暑", "白露", "秋分", "寒露", "霜降", "立冬", "小雪", "大雪", "冬至",
)  # fmt: skip
"""The solar terms from January on."""

WEATHER = ("小雪", "大雪", "雨水")
"""Solar terms whose names are also words for weather. They are days only with 节气: 大雪节气."""
