"""Where weights lie on this machine, and how a file there is known to be the right one.

A model's file is ``models/FILE`` in the cache folder. Beside it stand ``FILE.verified`` (the
stamp of the last hashing), ``.NAME.lock`` (one pull at a time) and, while a pull is unfinished,
the folder ``.NAME.pull`` with what has arrived.
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


def models_folder() -> Path:
    """``$TEXT2MEM_CACHE/models``, else ``models`` in the user's cache folder for text2mem.

    The folder may not exist yet.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute() / "models"
    from platformdirs import user_cache_path

    return user_cache_path("text2mem", appauthor=False) / "models"


def weights_path(weights: Weights) -> Path:
    """Where the finished file of ``weights`` lies, whether it is there or not."""
    return models_folder() / weights.file


def staging_folder(weights: Weights) -> Path:
    """Where an unfinished pull keeps what it has; it is on the same disk as the final file."""
    return models_folder() / f".{weights.name}.pull"


def sha256_of(path: Path) -> str:
    """The file's sha256 in lower-case hexadecimal, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def ensure_verified(path: Path, weights: Weights) -> Path:
    """``path``, once it is known to hold the pinned bytes.

    The file is hashed unless its stamp says that this has been done and neither size nor
    modification time has changed since. Raises ``WeightsCorrupt`` on another hash and
    ``FileNotFoundError`` where there is no file.
    """
    stamp = _stamp_of(path, weights.sha256)
    if stamp["size"] != weights.size or _read_stamp(path) != stamp:
        _check(path, weights)
        _write_stamp(path, stamp)
    return path


def install(candidate: Path, weights: Weights) -> Path:
    """Moves ``candidate`` to its final name if its hash is right, else deletes it.

    The caller holds the lock, and ``candidate`` is on the same disk. Raises ``WeightsCorrupt``.
    """
    final = weights_path(weights)
    try:
        _check(candidate, weights)
    except WeightsCorrupt:
        candidate.unlink()
        raise
    os.replace(candidate, final)
    # A rename keeps the modification time, so the hashing just done need not be repeated.
    _write_stamp(final, _stamp_of(final, weights.sha256))
    return final


def _check(path: Path, weights: Weights) -> None:
    actual = sha256_of(path)
    if actual == weights.sha256:
        return
    size = path.stat().st_size
    how = "the right size" if size == weights.size else f"{size} bytes, not {weights.size}"
    raise WeightsCorrupt(
        f"not the weights of {weights.name} ({how})",
        path=str(path),
        expected=weights.sha256,
        actual=actual,
    )


def find(name: str) -> Path | None:
    """The verified local file of the model ``name``, or None where it has not been pulled.

    Never touches the network. Raises ``ConfigurationError`` for an unknown name and
    ``WeightsCorrupt`` for a file that has changed: it is neither used nor passed over in silence.
    """
    weights = lookup(name)
    try:
        return ensure_verified(weights_path(weights), weights)
    except FileNotFoundError:
        return None


@contextmanager
def lock(weights: Weights, *, busy: Callable[[], None]) -> Iterator[None]:
    """Holds the model's lock between processes; it is freed with its process, however that ends.

    ``busy`` is called once if somebody else holds it; then this waits. Raises
    ``ConfigurationError`` where the folder cannot be made.
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
            hint=f"set {CACHE_VARIABLE} to a folder of yours",
        ) from error
    try:
        yield
    finally:
        held.release()


def _stamp_path(path: Path) -> Path:
    return path.with_name(path.name + ".verified")


def _stamp_of(path: Path, sha256: str) -> dict[str, str | int]:
    status = path.stat()
    return {"sha256": sha256, "size": status.st_size, "mtime_ns": status.st_mtime_ns}


def _read_stamp(path: Path) -> object:
    try:
        return json.loads(_stamp_path(path).read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _write_stamp(path: Path, stamp: dict[str, str | int]) -> None:
    # Where the folder is read-only the file is used all the same, and hashed at every start.
    with suppress(OSError):
        fresh = path.with_name(f"{path.name}.{os.getpid()}.stamp")
        fresh.write_text(json.dumps(stamp), "utf-8")
        os.replace(fresh, _stamp_path(path))
