"""Who is let into ``text2mem ui``, and what is refused."""

from __future__ import annotations

import contextlib
import importlib.util
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx2
import pytest

from tests.doors.looking import TOKEN, Site, looked_into, note, opened
from tests.doors.serving import running
from text2mem.cli.main import main
from text2mem.doors.ui import require
from text2mem.doors.ui.guard import HEADERS, Guard
from text2mem.doors.ui.serving import check_host, http_server, serve
from text2mem.doors.ui.visit import Session
from text2mem.errors import ConfigurationError, MissingExtra


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with looked_into(tmp_path_factory.mktemp("guard") / "a.db") as found:
        found.memory.execute([note("a secret note")])
        yield found


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Site]:
    """A page that nobody was let into yet."""
    with looked_into(tmp_path / "a.db") as found:
        yield found


def ask(site: Site, method: str = "GET", path: str = "/memories", **headers: str) -> Any:
    """A request with the cookie and the origin, or what replaces them; empty leaves one out."""
    with site.client(**headers) as http:
        return http.request(
            method, path, data={"csrf": site.guard.csrf} if method == "POST" else {}
        )


def test_the_address_is_good_once_and_gives_a_strict_cookie(fresh: Site) -> None:
    with httpx2.Client(base_url=fresh.url) as http:
        assert http.get("/").status_code == 401
        assert http.get("/?token=a-token-that-is-wrong").status_code == 403
        assert http.head(f"/?token={TOKEN}").status_code == 401
        let_in = http.get(f"/?token={TOKEN}")
        assert let_in.status_code == 200 and TOKEN not in let_in.text
        cookie = let_in.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and TOKEN not in cookie
        assert http.get("/memories").status_code == 200
    assert httpx2.get(f"{fresh.url}/?token={TOKEN}").status_code == 403
    with httpx2.Client(
        base_url=fresh.url, cookies={fresh.guard.cookie: fresh.guard.secret}
    ) as http:
        assert http.get("/").status_code == 200


def test_who_is_let_in_finds_back_and_who_is_not_is_led_nowhere(site: Site) -> None:
    with site.client() as http:
        for path in ("/nothing", "/memories/", "/assets/nothing"):
            lost = http.get(path)
            assert lost.status_code == 404 and 'href="/"' in lost.text
        assert 'href="/"' in http.post("/afresh", data={"csrf": "of an earlier server"}).text
    for path in ("/nothing", "/", "/?token=a-token-that-is-wrong"):
        assert 'href="/"' not in httpx2.get(f"{site.url}{path}").text


@pytest.mark.parametrize(
    ("cookie", "status"), [("", 401), ("other=1", 401), ("{name}=wrong", 403), ("{name}=é", 403)]
)
def test_a_wrong_cookie_shows_nothing(site: Site, cookie: str, status: int) -> None:
    sent = cookie.format(name=site.guard.cookie).encode()
    for path in ("/", "/memories", "/memories/1", "/journal"):
        found = httpx2.get(f"{site.url}{path}", headers=[(b"cookie", sent)])
        assert found.status_code == status and "secret note" not in found.text
    refused = httpx2.post(f"{site.url}/afresh", headers=[(b"cookie", sent)])
    assert refused.status_code == status


@pytest.mark.parametrize(
    "other", ["a[b]=1", 'x={"a":1}', "=; ;;", "café=1", 'text2mem-ui-1="', "a b c", "@/(x)=,"]
)
def test_a_malformed_cookie_of_another_app_locks_nobody_out(site: Site, other: str) -> None:
    own = f"{site.guard.cookie}={site.guard.secret}"
    for sent in (f"{other}; {own}", f"{own}; {other}"):
        found = httpx2.get(f"{site.url}/memories", headers=[(b"cookie", sent.encode())])
        assert found.status_code == 200, sent


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": ""},
        {"Origin": "http://127.0.0.1:1"}, {"Origin": "http://localhost:{port}"},
        {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
    ],
    ids=str,
)  # fmt: skip
def test_a_form_of_another_site_is_refused(site: Site, headers: dict[str, str]) -> None:
    sent = {name: value.format(port=site.port) for name, value in headers.items()}
    assert ask(site, "POST", "/afresh", **sent).status_code == 403


@pytest.mark.parametrize("csrf", ["", "wrong", "é"])
def test_a_form_without_this_page_s_token_is_refused(site: Site, csrf: str) -> None:
    with site.client() as http:
        assert http.post("/afresh", data={"csrf": csrf}).status_code == 403
        assert http.post("/afresh", data={"more": "yes"}).status_code == 403
        json = http.post("/afresh", json={"csrf": site.guard.csrf})
        assert json.status_code == 415
        assert http.post("/afresh", data={"csrf": site.guard.csrf}).status_code == 303


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1"]
)
def test_a_name_that_was_rebound_is_refused(site: Site, host: str) -> None:
    for path in ("/memories", "/assets/ui.css", f"/?token={TOKEN}"):
        assert ask(site, path=path, Host=host.format(port=site.port)).status_code == 421


def test_a_body_of_ten_megabytes_is_refused(site: Site) -> None:
    large = b"csrf=x&text=" + b"y" * 10_000_000
    kind = {"Content-Type": "application/x-www-form-urlencoded"}

    def pieces() -> Iterator[bytes]:
        yield from (large[start : start + 65_536] for start in range(0, len(large), 65_536))

    for content in (large, pieces()):
        # The server may have hung up while the rest was on its way.
        with contextlib.suppress(httpx2.TransportError), site.client(**kind) as http:
            assert http.post("/ask", content=content).status_code == 413
    assert ask(site).status_code == 200


def test_what_is_no_form_is_refused(site: Site) -> None:
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    with site.client(**kind) as http:
        assert http.post("/ask", content=b"csrf=%ff&text=x").status_code == 400
        assert http.post("/ask", content=b"a=1&" * 60).status_code == 400
        assert http.get("/afresh").status_code == 405
        assert http.put("/memories").status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../guard.py", "/assets/%2e%2e/guard.py", "/assets/..%2fguard.py",
        "/assets/%2e%2e%2fguard.py", "/assets//etc/passwd", "/assets/ui.css/..", "/assets/",
        "/assets/ui.css%00", "/etc/passwd",
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_assets(site: Site, path: str) -> None:
    # By hand: a client would tidy the path.
    with socket.create_connection(("127.0.0.1", site.port)) as line:
        line.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n"
                     "Connection: close\r\n\r\n".encode())  # fmt: skip
        said = b"".join(iter(lambda: line.recv(65_536), b""))
    assert said.startswith(b"HTTP/1.1 404") and b"class Guard" not in said


@pytest.mark.parametrize("path", ["/", "/memories/999", "/nowhere", "/assets/ui.js", "/?token=x"])
def test_every_answer_says_what_a_browser_must_not_do(site: Site, path: str) -> None:
    found = ask(site, path=path)
    for name, value in HEADERS.items():
        assert found.headers[name] == value
    policy = found.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    assert "server" not in found.headers and "style=" not in found.text


@pytest.mark.parametrize("id_", ["0", "-1", "x", "1%00", "9" * 40, "%F0%9F", "1;drop"])
def test_an_id_of_nothing_is_not_found(site: Site, id_: str) -> None:
    assert ask(site, path=f"/memories/{id_}").status_code == 404


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--host", "0.0.0.0"], "reached from other machines"),
        (["--host", "192.0.2.1"], "reached from other machines"),
        (["--host", "::"], "reached from other machines"),
        (["--host", "memory.example"], "reached from other machines"),
        (["--token", "short"], "16 to 200 characters"),
        (["--token", "with a blank, but long"], "16 to 200 characters"),
        (["--role", "team"], "a --role needs an --actor"),
        (["--db", "nowhere.db"], "there is no store nowhere.db"),
        (["--port", "{taken}"], "cannot listen on 127.0.0.1"),
    ],
)
def test_what_would_expose_a_store_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    arguments: list[str], complaint: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        given = [each.format(taken=taken.getsockname()[1]) for each in arguments]
        with pytest.raises(SystemExit) as ended:
            main(["ui", "--db", "memory:", "--embedder", "none", "--port", "0", *given])
    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err


def test_without_the_framework_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec

    def without(name: str, *rest: Any) -> Any:
        return None if name == "starlette" else found(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    with pytest.raises(MissingExtra) as raised:
        require()
    assert raised.value.extra == "ui" and "pip install '.[ui]'" in raised.value.hint


def test_the_command_prints_an_address_that_is_good_once_and_needs_no_sdk() -> None:
    code = (
        "import sys; sys.modules['mcp'] = None\n"
        "import text2mem.cli.ui_, text2mem.doors.ui\n"
        "assert not {'starlette', 'uvicorn'} & set(sys.modules)\n"
        "from text2mem.cli.main import main\n"
        "main(['ui', '--db', 'memory:', '--embedder', 'none', '--port', '0'])\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        printed = process.stderr.readline()
        assert printed.startswith("open http://127.0.0.1:"), printed
        address = printed.removeprefix("open ").strip()
        with httpx2.Client(timeout=30) as http:
            assert http.get(address).status_code == 200
            assert "Ask the memory" in http.get(address.partition("?")[0]).text
            again = http.get(address)  # a browser that was let in is led on
            assert again.status_code == 303 and again.headers["location"] == "/"
            assert httpx2.get(address).status_code == 403
        process.send_signal(signal.SIGINT)
        assert "Traceback" not in process.stderr.read()


def test_a_request_that_the_end_of_the_server_cuts_off_is_told_and_no_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    begun, told = Event(), Event()

    def slowly(*_: str) -> str:
        begun.set()
        told.wait(60)
        return "a token"

    monkeypatch.setattr(Session, "ask", slowly)
    answers: list[httpx2.Response] = []
    store = opened(tmp_path / "a.db")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        guard = Guard(listening.getsockname()[1], TOKEN)
        session = Session(store)
        site = Site(guard.port, session, guard)
        slow = Thread(target=lambda: answers.append(site.post("/ask", text="slow")))
        with running(http_server(session, guard), listening):
            slow.start()
            assert begun.wait(30)
        slow.join(30)
    told.set()
    store.close()
    assert [each.status_code for each in answers] == [503]
    assert "ended before this was answered" in answers[0].text
    assert "Exception" not in caplog.text


def test_only_the_loopback_is_taken() -> None:
    assert [check_host(each) for each in ("localhost", "127.0.0.1", "[::1]")] == [
        "127.0.0.1", "127.0.0.1", "::1",
    ]  # fmt: skip
    with pytest.raises(ConfigurationError):
        check_host("localhost.example")


@pytest.mark.parametrize(
    ("host", "token"), [("0.0.0.0", TOKEN), ("192.0.2.1", None), ("127.0.0.1", "short")]
)
def test_nobody_who_calls_the_server_can_expose_a_store(
    tmp_path: Path, host: str, token: str | None
) -> None:
    store = opened(tmp_path / "a.db")
    with pytest.raises(ConfigurationError):
        serve(Session(store), host, 0, token, ready=pytest.fail)
    store.close()
