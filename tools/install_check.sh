#!/usr/bin/env bash
# Installs a built wheel into a fresh environment, runs one compile from another folder, and talks
# with the MCP server as a client that was configured in three lines.
# Usage: tools/install_check.sh PYTHON WHEEL
set -euo pipefail
python=$1
wheel=$(realpath "$2")
conversation=$(realpath "$(dirname "$0")/mcp_conversation.py")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$python" -m venv "$place/venv"
"$place/venv/bin/pip" install --quiet "text2mem[local,mcp] @ file://$wheel"
cd "$place"
venv/bin/text2mem models pull >/dev/null
venv/bin/text2mem run --db notes.db --jsonl "Remember that the spare key is under the blue pot." | tee result.jsonl
venv/bin/text2mem bench --help >/dev/null
venv/bin/python - <<'CHECK'
import json
from importlib.resources import files

assert files("text2mem").joinpath("py.typed").is_file()
row = json.loads(open("result.jsonl", encoding="utf-8").read())
assert row["ok"], row
assert [step["op"] for step in row["program"]] == ["Encode"], row
print("the wheel compiles and runs from another folder")
CHECK
cat >client.json <<'CONFIGURATION'
{"mcpServers": {"memory": {
  "command": "text2mem",
  "args": ["mcp", "--db", "memory.db"]}}}
CONFIGURATION
PATH="$place/venv/bin:$PATH" venv/bin/python "$conversation" client.json
