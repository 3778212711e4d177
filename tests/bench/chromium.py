"""Headless Chromium, driven over the pipe of its DevTools protocol: no port, no driver, no network.

https://chromedevtools.github.io/devtools-protocol/ — messages are JSON, ended by a zero byte, on
file descriptor 3 (to the browser) and 4 (from it).
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

EXECUTABLE = shutil.which("chromium") or shutil.which("chromium-browser")
WHY_NOT = "no Chromium: on Debian, apt-get install chromium"
PATIENCE = 60.0
_OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-extensions", "--mute-audio",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--remote-debugging-pipe",
)  # fmt: skip


class Page:
    """One tab. ``complaints`` are the errors and warnings of its console, ``requests`` its URLs."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from = to_browser, from_browser
        self._rest = b""
        self._count = 0
        self._session: str | None = None
        self.complaints: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Runtime", "Log", "Page", "Network"):
            self.call(f"{domain}.enable")

    def open(self, address: str) -> None:
        """Go to an address and wait until the page has said that it is ready."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        self.wait("document.documentElement?.dataset.ready === 'yes'")

    def wait(self, condition: str) -> None:
        """Wait until an expression is true."""
        ends = time.monotonic() + PATIENCE
        while not self.run(condition):
            assert time.monotonic() < ends, f"never true: {condition}; {self.complaints}"
            time.sleep(0.02)

    def run(self, expression: str) -> Any:
        """The value of an expression, as JSON."""
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def press(self, key: str, code: int = 0, text: str = "") -> None:
        """Press and release a key."""
        key_ = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **key_)
        self.call("Input.dispatchKeyEvent", type="keyUp", **key_)

    def write(self, text: str) -> None:
        """Type into what has the focus."""
        self.call("Input.insertText", text=text)

    def resize(self, width: int, *, dark: bool = False) -> None:
        """Give the window a width, and the reader a preference."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
            mobile=False,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol and wait for its answer."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer["error"]
                return dict(answer["result"])
            self._note(answer.get("method", ""), answer.get("params", {}))

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], PATIENCE)
            assert ready, "the browser does not answer"
            read = os.read(self._from, 1 << 20)
            assert read, "the browser has gone"
            self._rest += read
        message, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(message))

    def _note(self, event: str, params: dict[str, Any]) -> None:
        if event == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(params["exceptionDetails"]))
        elif event == "Runtime.consoleAPICalled":
            self.complaints.append(json.dumps(params["args"]))
        elif event == "Log.entryAdded":
            self.complaints.append(params["entry"]["text"])
        elif event == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])


@contextmanager
def browser(profile: Path) -> Iterator[Page]:
    """A page of a Chromium that keeps its things in a folder and ends with the block."""
    assert EXECUTABLE is not None
    commands, to_browser = os.pipe()
    from_browser, answers = os.pipe()
    # The shell puts the pipes where the browser looks for them, whatever their numbers are here.
    line = f'exec "$0" "$@" 3<&{commands} 4>&{answers}'
    arguments = [EXECUTABLE, *_OPTIONS, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(
        ["bash", "-c", line, *arguments],
        pass_fds=(commands, answers), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(profile)},
    )  # fmt: skip
    os.close(commands)
    os.close(answers)
    try:
        yield Page(to_browser, from_browser)
    finally:
        os.close(to_browser)
        os.close(from_browser)
        process.terminate()
        process.wait(PATIENCE)
