"""Values that are sensitive by their form, and those that only look a little like it."""

from __future__ import annotations

from typing import Any

import pytest

from text2mem.errors import ConfigurationError
from text2mem.ledger.policy import PROFILES, Policy
from text2mem.ledger.sensitive import Kind, kinds_in

SENSITIVE: dict[Kind, tuple[Any, ...]] = {
    "card": (
        "4111 1111 1111 1111", "5105105105105100", "2223000048410010", "3714-496353-98431",
        "6011-1111-1111-1117", "3530111333300000", "30569309025904", 4111111111111111,
        "the card ends in nothing: 4111111111111111, valid to 12/27", "Visa 4000000000000002.",
        "卡号6222021234567890128", "信用卡：4111 1111 1111 1111，有效期到明年",
        "银联卡号是6200000000000005。", "４１１１１１１１１１１１１１１１",
        {"number": "5105 1051 0510 5100", "until": "11/28"}, ["none", ["4111-1111-1111-1111"]],
    ),
    "account": (
        "DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "fr1420041010050500013m02606",
        "NL91 ABNA 0417 1643 00 in my own name", "CH93 0076 2011 6238 5295 7",
        "pay to SA0380000000608010167519 by Friday", "收款账户DE89370400440532013000，谢谢",
        "我的账号：NL91ABNA0417164300", "021000021 / 1234567890", "routing 111000025, 000123456789",
        "60-16-13 31926819", "1234-1234-16-1234567890", "12341234161234567890",
    ),
    "identity": (
        "11010519491231002X", "360426199101010071", "身份证号是11010519491231002X。",
        "我的证件号码360426199101010071，别外传", "536-90-4399", "my number is 536-90-4399, please",
        "912-90-3456", "123-456-782", "971013-9019902", "2341 2341 2346", "ACUPA7085R",
        "390.533.447-05", "54362315K", "X2482300W", "RCCMNL83S18D969H", "2 95 10 99 126 111 93",
        "36 574 261 809", "BOXW310820HNERXN09", "1112.22.333", "85.07.30-033.28",
        "756.9217.0769.85", "131052-308T", "AB 12 34 56 C", "AB123456C",
        "E12345678", "G87654321", "EA1234567",
        "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<\nL898902C36UTO7408122F1204159ZE184226B<<<<<10",
    ),
    "credential": (
        "AKIAIOSFODNN7EXAMPLE", "the key is AKIAIOSFODNN7EXAMPLE, keep it",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "sk-proj-abcdefghijklmnopqrstuvwx",
        "xoxb-123456789012-abcdefghijkl", "密钥是sk-ant-api03-abcdefghijkl，别告诉人",
        "glpat-abcdefghij0123456789", "AIzaSyA-1234567890abcdefghijklmnopqrstu",
        "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIB", "-----BEGIN OPENSSH PRIVATE KEY-----",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----", "postgres://app:s3same@db.internal:5432/app",
        "https://bob:hunter2@example.org/feed", "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "token=Zm9vYmFyQ2xhdWRlMTIzNDU2Nzg5",
        "Tr0ub4dor&3", "hunter2!", "Sommer2024!", "Xk7pQ2mZ", "p@ssw0rd", "password: Tr0ub4dor&3",
        "密码：Xk9#mQ2v", "WiFi密码: hunter2!", "pin=Ab3$ef6&",
        "the deploy key wJalrXUtnFEMI7K7MDENGbPxRfiCY3EXAMPLEKEY was rotated",
        {"user": "bob", "pass": "Tr0ub4dor&3"},
    ),
    "health": (
        "E11.9", "F32.1", "J45.901", "diagnosed with M54.5 in May", "诊断编码是F41.1，在随访",
        "I25.10", "S72.001A", "codes: E78.5, I10.", "her file says C50.911.",
    ),
}  # fmt: skip

ORDINARY: tuple[Any, ...] = (
    # Telephones.
    "+49 171 1234567", "+1 (212) 555-0123", "212-555-0123", "0171/1234567", "+86 138 1234 5678",
    "13812345678", "手机是13812345678", "我的电话：010-62345678", "call 44 20 7946 0958 after six",
    "+4111 1111 1111 1111", "0800 123 456 789", "1-800-555-0199 ext. 4111",
    # Orders, tickets, parcels, things.
    "order 20260315-0042", "260315-0042", "订单号20260315004217", "订单：202603151234567890",
    "INV-2026-00042", "T-204", "PO 4500012345", "1Z999AA10123456784",
    "9400 1000 0000 0000 0000 00",
    "SF1234567890123", "ISBN 978-3-16-148410-0", "9783161484100", "4006381333931",
    "356938035643809", "invoice 4111111111111112", "6222021234567890127", "A20260315",
    "ticket 88412",
    "room B12", "B12", "G20", "seat 24F", "gate A10", "flight LH400", "CA1501航班", "KB5034441",
    # Days, times, spans.
    "2026-03-15", "2026-03-15T09:00:00Z", "15.03.2026", "03/15/2026 09:30", "20260315",
    "1764000000000", "1764000000", "2026年3月15日", "下午3点15分", "09:00-17:30", "2026-W12-3",
    "15-03-26 20260315",
    # Amounts and measures.
    "$1,299.00", "€ 1.299,00", "USD 4000000", "¥6222021234.50", "100%Cotton", "12.5 kg",
    "3.14159265358979",
    "4111.1111", "两千三百元", "30 000 000", 42, 3.5, True, None, 20260315, 1764000000000,
    # Versions, places, addresses.
    "v1.2.3-beta.4", "3.11.9", "10.0.19045.3803", "UTF-8", "ISO-9001:2015", "60.3913, 5.3221",
    "59°54'50.0\"N 10°45'08.0\"E", "北纬39.9042，东经116.4074", "192.168.0.12:8080",
    "fe80::1ff:fe23:4567:890a", "00:1A:2B:3C:4D:5E", "https://example.org/a/Xk7pQ2mZ?id=12#top",
    "Bob1.Smith@Example.com", "/home/bob/Report_2026.final", "C:\\Users\\Bob2\\x!y.txt",
    # Names and hashes.
    "550e8400-e29b-41d4-a716-446655440000", "d41d8cd98f00b204e9800998ecf8427e",
    "9fceb02d0ae598e95dc970b74767f19372d61af8", "QuarterlyReport2026FinalVersion2", "iPhone15-Pro",
    "MacBookPro16", "WiFi6Router", "RTX4090-Ti", "Boeing737-800", "COVID-19", "C02XK1ABJGH5",
    "team-standup-2026-03", "snake_case_name_with_42", "sk-SK", "Halden Shipping AS",
    "宁波港四号码头",
    "I said: yes!", "really?!", "Version E11", "section R10.2.1", "S23.1.4", "a1.5", "DE 12 Uhr",
    "Route 66, mile 12345", "the 4111 building, floor 1111, room 1111", "12-34-56", "021000021",
    "123456789", "A123",
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "value"), [(kind, value) for kind, values in SENSITIVE.items() for value in values]
)
def test_a_form_is_known(kind: Kind, value: Any) -> None:
    assert kind in kinds_in(value)


@pytest.mark.parametrize("value", ORDINARY)
def test_what_only_looks_like_it_is_left_alone(value: Any) -> None:
    assert kinds_in(value) == ()


def test_both_sides_are_many() -> None:
    assert sum(map(len, SENSITIVE.values())) >= 60 and len(ORDINARY) >= 60


def test_a_policy_says_what_becomes_of_them() -> None:
    for name in PROFILES:
        assert Policy.load(name).verdict_on("4111 1111 1111 1111")[0] == "confirm"
        assert Policy.load(name).verdict_on("nothing of the kind") == ("keep", "")
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    found = {name: Policy.load(name).verdict_on(secret)[0] for name in PROFILES}
    assert found == {"assistant": "confirm", "support-desk": "deny", "coding-agent": "deny"}
    mine = Policy.load({"values": {"health": "keep", "card": "deny"}})
    assert mine.verdict_on("E11.9") == ("keep", "")
    assert mine.verdict_on(["E11.9", "11010519491231002X"])[0] == "confirm"
    verdict, reason = mine.verdict_on(["11010519491231002X", "4111 1111 1111 1111"])
    assert verdict == "deny" and "4111" not in reason
    with pytest.raises(ConfigurationError, match="/values/shoes"):
        Policy.load({"values": {"shoes": "deny"}})
