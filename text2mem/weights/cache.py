"""The cache folder of weights on this machine, and the check that a file there is the right one.

A model's file is ``models/FILE`` in the cache folder. Beside it are ``FILE.verified`` (the stamp of
the last check of its hash), ``.NAME.lock`` (so that only one pull runs at a time) and, while a pull
is unfinished, the folder ``.NAME.pull`` with the bytes that have arrived.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from text2mem.errors import ConfigurationError, WeightsCorrupt, needing
from text2mem.weights.manifest import Weights, lookup

CACHE_VARIABLE = "TEXT2MEM_CACHE"
_ELSEWHERE = f"set {CACHE_VARIABLE} to a folder of yours"


def models_folder() -> Path:
    """Return ``$TEXT2MEM_CACHE/models``, else ``models`` in the user's cache folder."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute() / "models"
    from platformdirs import user_cache_path

    return user_cache_path("text2mem", appauthor=False) / "models"


def weights_path(weights: Weights) -> Path:
    """Return the path of the model's file, whether it exists or not."""
    return models_folder() / weights.file


def staging_folder(weights: Weights) -> Path:
    """Return the folder of an unfinished pull, which is on the same disk as the final file."""
    return models_folder() / f".{weights.name}.pull"


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file in lower-case hexadecimal. The file is read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def install(candidate: Path, weights: Weights, *, source: Path | None = None) -> Path:
    """Move ``candidate`` to the final path if its hash is right, else delete it. Return the path.

    The caller holds the lock, and ``candidate`` is on the same disk. Raises WeightsCorrupt, which
    names the ``source`` that it is a copy of.
    """
    final = weights_path(weights)
    try:
        _check(candidate, weights, source or candidate)
    except WeightsCorrupt:
        candidate.unlink()
        raise
    os.replace(candidate, final)
    # A rename keeps the modification time, so the stamp of the check just made is valid.
    _write_stamp(final, _stamp_of(final, weights))
    return final


def _check(path: Path, weights: Weights, named: Path) -> None:
    actual = sha256_of(path)
    if actual == weights.sha256:
        return
    size = path.stat().st_size
    how = "the right size" if size == weights.size else f"{size} bytes, not {weights.size}"
    raise WeightsCorrupt(
        f"not the weights of {weights.name} ({how})",
        path=str(named),
        expected=weights.sha256,
        actual=actual,
    )


def find(name: str) -> Path | None:
    """Return the verified local file of the model ``name``; None if it has not been pulled.

    The network is not used. The hash is computed unless the file's stamp says that it was checked,
    and neither size nor modification time has changed since. Raises ConfigurationError for an
    unknown name and a file that cannot be read, and WeightsCorrupt for one that has changed.
    """
    weights = lookup(name)
    path = weights_path(weights)
    try:
        stamp = _stamp_of(path, weights)
        if stamp["size"] != weights.size or _read_stamp(path) != stamp:
            _check(path, weights, path)
            _write_stamp(path, stamp)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigurationError(
            f"the weights {path} cannot be read: {error.strerror or error}", hint=_ELSEWHERE
        ) from error
    return path


@contextmanager
def lock(weights: Weights, *, busy: Callable[[], None]) -> Iterator[None]:
    """Hold the model's lock, which excludes other processes, inside ``with``.

    If another process holds it, ``busy`` is called once, and this waits; the lock of a process that
    has ended is free. Raises ConfigurationError if the folder cannot be made.
    """
    with needing("pulling weights", extra="local"):
        from filelock import FileLock, Timeout
    folder = models_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = FileLock(folder / f".{weights.name}.lock")
        try:
            held.acquire(blocking=False)
        except Timeout:
            busy()
            held.acquire()
    except OSError as error:
        raise ConfigurationError(
            f"the cache folder {folder} cannot be written to: {error.strerror or error}",
            hint=_ELSEWHERE,
        ) from error
    try:
        yield
    finally:
        held.release()


def _stamp_path(path: Path) -> Path:
    return path.with_name(path.name + ".verified")


def _stamp_of(path: Path, weights: Weights) -> dict[str, str | int]:
    """The stamp of a file whose hash was checked."""
    status = path.stat()
    return {"sha256": weights.sha256, "size": status.st_size, "mtime_ns": status.st_mtime_ns}


def _read_stamp(path: Path) -> object:
    try:
        return json.loads(_stamp_path(path).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def _write_stamp(path: Path, stamp: dict[str, str | int]) -> None:
    # In a read-only folder no stamp can be written, and the hash is computed at every start.
    with suppress(OSError):
        fresh = path.with_name(f"{path.name}.{os.getpid()}.stamp")
        fresh.write_text(json.dumps(stamp), "utf-8")
        os.replace(fresh, _stamp_path(path))
