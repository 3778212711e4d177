"""Packages of npm that some tests look for. Nothing installs them for the tests: `make doors-check`
does, and runs those tests; elsewhere they are skipped."""

from __future__ import annotations

import shutil
from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[2] / "build/node/node_modules"
NODE = shutil.which("node")
WHY_NOT = "no node, or not the packages of npm: make doors-check"
AXE = _FOLDER / "axe-core/axe.min.js"
INSPECTOR = _FOLDER / "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
