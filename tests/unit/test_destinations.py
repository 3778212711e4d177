"""Which URLs are read and how, which hosts a list admits, which addresses are public."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from text2mem.errors import ConfigurationError, FetchRefused
from text2mem.services.destinations import Allowed, is_public, read_url


@pytest.mark.parametrize(
    ("url", "authority", "target"),
    [
        ("http://example.org", "example.org", "/"),
        ("HTTPS://Example.ORG.:443/a/b?c=d&e#f", "example.org", "/a/b?c=d&e"),
        ("http://example.org:8080/a b".replace(" ", "%20"), "example.org:8080", "/a%20b"),
        ("https://example.org/书/é?q=书", "example.org", "/%E4%B9%A6/%C3%A9?q=%E4%B9%A6"),
        ("https://bücher.example/", "xn--bcher-kva.example", "/"),
        ("https://书店。例子/", "xn--1jqq80b.xn--fsqu00a", "/"),
        ("http://ＥＸＡＭＰＬＥ.org/", "example.org", "/"),
        ("http://93.184.216.34/", "93.184.216.34", "/"),
        ("http://[2606:2800:0220:1::1]:81/", "[2606:2800:220:1::1]:81", "/"),
        ('http://example.org/<a>"{b}"', "example.org", "/%3Ca%3E%22%7Bb%7D%22"),
    ],
)
def test_a_url_is_taken_apart(url: str, authority: str, target: str) -> None:
    to = read_url(url)
    assert (to.authority, to.target) == (authority, target)
    assert to.url.isascii()
    assert read_url(to.url) == to


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "//example.org/",
        "file:///etc/passwd",
        "ftp://example.org/",
        "gopher://example.org/",
        "data:text/plain,hello",
        "http:///path",
        "http://:80/",
        "http://example.org:0/",
        "http://example.org:99999/",
        "http://example.org:8a/",
        "http://[::1/",
        "http://[::1%25eth0]/",
        "http://user:password@example.org/",
        "http://user@example.org/",
        "http://@example.org/",
        "http://example.org@127.0.0.1/",
        "http://example.org\\@127.0.0.1/",
        "http://example.org\r\nHost: other.example/",
        "http://example.org/\r\nX-Header: 1",
        "http://example.org/a\nb",
        "http://example.org/a\tb",
        "http://example.org/a b",
        "http://example.org/\x00",
        "http://example.org/\u2028",
        "http://example.org/\ud800",
        " http://example.org/",
        "http://exa mple.org/",
        "http://exa%6dple.org/",
        "http://example..org/",
        "http://-example.org/",
        f"http://{'a' * 64}.org/",
        f"http://{'a.' * 130}org/",
        f"http://example.org/{'a' * 9000}",
        # One address in other spellings: decimal, octal, hexadecimal, short, and in wide digits.
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://0x7f.0.0.1/",
        "http://0x7f000001/",
        "http://127.1/",
        "http://127.0.0.1.1/",
        "http://１２７.１/",
        "http://example.0x/",
    ],
)
def test_what_is_no_url_of_a_page_is_refused(url: str) -> None:
    with pytest.raises(FetchRefused) as caught:
        read_url(url)
    assert caught.value.reason == "url"
    assert "password" not in str(caught.value).replace("user and password", "")


@pytest.mark.parametrize(
    ("entry", "url", "admitted"),
    [
        ("example.org", "https://example.org/a", True),
        ("example.org", "http://EXAMPLE.org./", True),
        ("Example.ORG.", "http://example.org/", True),
        ("example.org", "https://www.example.org/", False),
        ("example.org", "https://example.org.evil.example/", False),
        ("example.org", "https://evilexample.org/", False),
        ("example.org", "https://example.org:8443/", False),
        ("example.org", "http://example.org:443/", False),
        ("example.org:8443", "https://example.org:8443/", True),
        ("example.org:8443", "https://example.org/", False),
        ("*.example.org", "https://www.example.org/", True),
        ("*.example.org", "https://a.b.example.org/", True),
        ("*.example.org", "https://example.org/", False),
        ("*.example.org", "https://evilexample.org/", False),
        ("*.example.org:81", "http://www.example.org:81/", True),
        ("bücher.example", "https://xn--bcher-kva.example/", True),
        ("xn--bcher-kva.example", "https://bücher.example/", True),
        ("bucher.example", "https://bücher.example/", False),
        ("[2606:2800:220:1::1]", "http://[2606:2800:220:1:0::1]/", True),
    ],
)
def test_an_entry_admits_its_hosts(entry: str, url: str, admitted: bool) -> None:
    assert Allowed.read(entry).admits(read_url(url)) is admitted


@pytest.mark.parametrize(
    "entry",
    ["", "*", "*.", "*.*.org", "a.*.org", "w*.example.org", "https://example.org", "example.org/a",
     "user@example.org", "example.org?", "example .org", "*.127.0.0.1", "2130706433", "[::1",
     "example.org:port"],
)  # fmt: skip
def test_what_is_no_host_cannot_be_allowed(entry: str) -> None:
    with pytest.raises(ConfigurationError, match="not a host"):
        Allowed.read(entry)


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "93.184.216.34", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808",
     "2002:808:808::1"],
)  # fmt: skip
def test_public_addresses(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        # IPv4: this network, private, shared, loopback, link-local (metadata services), protocol
        # assignments, documentation, relays of 6to4, benchmarks, multicast, reserved, broadcast.
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "192.0.0.1", "192.0.0.170",
        "192.0.2.1", "198.51.100.1", "203.0.113.1", "192.88.99.1", "198.18.0.1", "224.0.0.1",
        "239.255.255.255", "240.0.0.1", "255.255.255.255",
        # IPv6: the same, and unique local, site-local, Teredo, ORCHID, discard, unassigned.
        "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1",
        "2001:db8::1", "3fff::1", "2001::1", "2001:0:7f00:1::1", "2001:10::1", "100::1", "4000::1",
        "2606:2800:220:1::1%eth0",
        # IPv6 that carries IPv4: mapped, compatible, NAT64 (also a network's own), 6to4.
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0.0.0.0",
        "::127.0.0.1", "::8.8.8.8", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::808:808",
        "2002:7f00:1::1", "2002:a00:1::1", "2002:a9fe:a9fe::1", "2002:c0a8:101::1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(ip_address(address))
