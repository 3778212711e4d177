"""Where and when something was measured."""

from __future__ import annotations

import platform
import sqlite3
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from text2mem.settings import cores


def machine() -> dict[str, str]:
    """Processor, cores, Python, SQLite, date (UTC) and revision; "unknown" where it is not told."""
    return {
        "processor": _processor(),
        "cores": str(cores()),
        "system": platform.system(),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "revision": _revision(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


def _revision() -> str:
    folder = Path(__file__).parent
    try:
        said = subprocess.run(
            ["git", "-C", str(folder), "describe", "--always", "--dirty"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return said.stdout.strip()
