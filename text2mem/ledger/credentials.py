"""Detect credentials by their form: known prefixes, private keys, random tokens, passwords."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from math import log2

_PREFIXES = (
    ("AKIA", 20), ("ASIA", 20), ("AIza", 39), ("ya29.", 30), ("ghp_", 30), ("gho_", 30),
    ("ghu_", 30), ("ghs_", 30), ("ghr_", 30), ("github_pat_", 30), ("glpat-", 20), ("gldt-", 20),
    ("sk-", 20), ("sk_live_", 20), ("sk_test_", 20), ("rk_live_", 20), ("whsec_", 20),
    ("xoxb-", 20), ("xoxa-", 20), ("xoxp-", 20), ("xoxr-", 20), ("xoxs-", 20), ("xapp-", 20),
    ("npm_", 30), ("pypi-AgE", 30), ("hf_", 30), ("SG.", 40), ("dop_v1_", 40), ("shpat_", 30),
    ("shpss_", 30), ("lin_api_", 30), ("dckr_pat_", 20), ("hvs.", 24), ("r8_", 30), ("gsk_", 30),
    ("AGE-SECRET-KEY-1", 50), ("EAACEdEose0cBA", 20), ("sq0atp-", 20), ("sq0csp-", 30),
    ("key-", 36), ("pplx-", 30), ("nvapi-", 40), ("tskey-", 20),
)  # fmt: skip
"""Prefixes of the secrets that services issue, each with the least length of such a secret."""
_PRIVATE = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-")
_SIGNED = re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}")
"""A JSON Web Token (RFC 7519): two objects in base64url, and a signature."""
_BOT = re.compile(r"(?<!\w)\d{8,10}:[\w-]{35}(?![\w-])")
"""A token of a Telegram bot."""
_LOGIN = re.compile(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*://[^\s:/@?#]+:[^\s/@?#]+@")
"""A URL with a password (RFC 3986, userinfo)."""
_TOKEN = re.compile(r"[!-~]+")
"""A run of ASCII characters without a blank."""
_LABEL = re.compile(r"[^\s:=：]{1,40}\s?[:=：]\s?([!-~]+)")
"""A word, a colon or an equals sign, and a value, such as "password: x"."""
_ADDRESS = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*:/|[\w.+-]+@[\w-]+\.|[~.]{0,2}/|www\.|(?:[A-Za-z]:)?\\"
)
"""The beginning of a URL, a mail address or a path."""
_AMOUNT = re.compile(r"[$€£¥]\d|\d%|\d[$€£¥](?![0-9A-Za-z])")
_SIGNS = frozenset("!#$%^&*?~<>|{}[]@=")
"""Characters that occur in passwords, but not in names or numbers of several parts."""
_HEX = re.compile(r"[0-9a-f-]+|[0-9A-F-]+")
_PLAIN = frozenset("-_.+/")

_LONG, _WHOLE = 20, 8
"""The least length of a random token within a text, and of one that is the whole value."""
_TURNS, _ALONE = 0.4, 0.7
"""The least share of neighbouring characters that differ in class (lower case, upper case, digit,
other), for a token within a text and for one that is the whole value."""
_BITS = 3.5
"""The least Shannon entropy of a long token, in bits a character, by the frequencies within it."""


def holds_credential(text: str) -> bool:
    """Whether a text contains a key, a token or a private key, or is itself a password."""
    if _PRIVATE.search(text) or _SIGNED.search(text) or _BOT.search(text) or _LOGIN.search(text):
        return True
    if any(_is_issued(token) or _is_random(token, _LONG, _TURNS) for token in _tokens(text)):
        return True
    whole = text.strip()
    labelled = _LABEL.fullmatch(whole)
    return _is_password(whole) or (labelled is not None and _is_password(labelled[1]))


def _tokens(text: str) -> Iterator[str]:
    """Yield the tokens of a text without marks around them, and the values of ``name=value``."""
    for match in _TOKEN.finditer(text):
        token = match[0].strip("\"'`,;()<>[]{}")
        yield token
        _, equals, value = token.partition("=")
        if equals and value.strip("="):
            yield value.strip("\"'`")


def _is_issued(token: str) -> bool:
    return any(token.startswith(prefix) and len(token) >= least for prefix, least in _PREFIXES)


def _is_password(token: str) -> bool:
    """Whether a whole value looks like a password: 8 to 64 characters without a blank, with
    letters, digits and signs, or random."""
    if not _TOKEN.fullmatch(token) or _ADDRESS.match(token) or not _WHOLE <= len(token) <= 64:
        return False
    letters, digits = any(map(str.isalpha, token)), any(map(str.isdigit, token))
    if letters and digits and not _AMOUNT.search(token) and _SIGNS.intersection(token):
        return True
    return _is_random(token, _WHOLE, _ALONE)


def _is_random(token: str, least: int, turns: float) -> bool:
    """Whether a token looks random: of length ``least`` or more, with letters of both cases and
    digits, and a share of class changes of ``turns`` or more."""
    if len(token) < least or _HEX.fullmatch(token) or _ADDRESS.match(token):
        return False
    token = token.rstrip("=")
    if not all(char.isalnum() or char in _PLAIN for char in token):
        return False
    classes = [_class(char) for char in token]
    if not {"lower", "upper", "digit"} <= set(classes):
        return False
    changes = sum(before != after for before, after in pairwise(classes))
    share = changes / (len(token) - 1)
    return share >= turns and (len(token) < _LONG or _entropy(token) >= _BITS)


def _class(char: str) -> str:
    if char.isdigit():
        return "digit"
    return "other" if not char.isalpha() else "upper" if char.isupper() else "lower"


def _entropy(token: str) -> float:
    """The Shannon entropy in bits a character."""
    shares = [token.count(char) / len(token) for char in set(token)]
    return -sum(share * log2(share) for share in shares)
