# Two commands for everyone: `make demo` and `make test`. Nothing is needed but Python 3.11 or newer.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check generate tune tune-larger tune-statements fit wheel install-check doors-check memos-check clean

demo: $(VENV)/.local
	$(BIN)/text2mem models pull >/dev/null
	$(BIN)/python tools/demo.py

test: $(VENV)/.dev
	$(BIN)/text2mem models pull >/dev/null
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/generate.py --check
	$(BIN)/python tools/tables.py

generate: $(VENV)/.dev
	$(BIN)/python tools/generate.py

# The adapters and the linker's weights, again from training/data. Minutes on one GPU (TUNE_OPTIONS="--device cuda"),
# days on two cores; a run goes on where it was stopped. TUNE_OPTIONS="--limit 4" makes it a short one.
WEIGHTS = $$($(BIN)/text2mem models pull)
LARGER = $$($(BIN)/text2mem models pull qwen2.5-coder-1.5b)
TUNED := build/tune
EXAMPLES := $(BIN)/python -m training.examples --weights $(WEIGHTS)
TUNE := $(BIN)/python -m training.tune --batch 16384 --rate 5e-4 --dropout 0.05
TUNE_OPTIONS ?=
# Authors that are not learnt from: for the loss, and for when the reader is trusted.
APART := en-near-c zh-near-c en-people-d zh-people-b zh-people-l en-plain-b zh-plain-b en-after-a zh-after-a

tune: $(VENV)/.tune
	$(EXAMPLES) --passes 4 --held-out $(APART) --out $(TUNED)/requests.npz
	$(TUNE) --weights $(WEIGHTS) --examples $(TUNED)/requests.npz --epochs 4 \
	  --out $(TUNED)/draft-reader-0.5b.gguf $(TUNE_OPTIONS)

tune-larger: $(VENV)/.tune
	$(EXAMPLES) --passes 2 --held-out $(APART) --out $(TUNED)/requests.npz
	$(TUNE) --weights $(LARGER) --examples $(TUNED)/requests.npz --epochs 2 --rate 4e-4 \
	  --out $(TUNED)/draft-reader-1.5b.gguf $(TUNE_OPTIONS)

tune-statements: $(VENV)/.tune
	$(EXAMPLES) --of statements --passes 5 --held-out en-talk-d zh-talk-d --out $(TUNED)/statements.npz
	$(TUNE) --weights $(WEIGHTS) --examples $(TUNED)/statements.npz --epochs 5 --batch 8192 --dropout 0.1 \
	  --out $(TUNED)/statement-reader-0.5b.gguf $(TUNE_OPTIONS)

# What code decides by, fitted to the same data: the linker, whether a thing is held, which fact a question means, when
# the shipped reader is trusted, the choice of an episode, and which day a bare one is.
fit: $(VENV)/.tune
	$(BIN)/python -m training.linking
	$(BIN)/python -m training.there
	$(BIN)/python -m training.recalling
	$(BIN)/python -m training.trusting
	$(BIN)/python -m training.wording
	$(BIN)/python -m training.selecting
	$(BIN)/python -m training.alone
	$(BIN)/python -m training.tense

wheel: $(VENV)/.dev
	rm -rf dist
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

# The wheel in an environment of its own, used from another folder.
install-check: wheel
	tools/install_check.sh "$(PYTHON)" dist/text2mem-*.whl

# The doors by tools of npm: the protocol's inspector, and axe over every page in Chromium.
doors-check: $(VENV)/.dev
	npm install --prefix build/node --no-fund --no-audit --ignore-scripts \
	  axe-core@4.14.1 @modelcontextprotocol/inspector@2.12.0
	$(BIN)/python -m pytest tests/doors/test_mcp_inspector.py tests/doors/test_ui_in_browser.py

# MemOS as a backend, in an environment of its own: it wants older versions of what others need.
memos-check: build/memos/.made
	build/memos/bin/python -m pytest tests/frameworks tests/conformance/test_exec.py -k memos

build/memos/.made: pyproject.toml
	$(PYTHON) -m venv build/memos
	build/memos/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	build/memos/bin/pip install --quiet --editable '.[memos,mem0,langgraph,langgraph-postgres,letta]' --group memos
	touch $@

clean:
	rm -rf $(VENV) dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "text2mem needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

$(VENV)/.local: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[local]'
	touch $@

$(VENV)/.tune: pyproject.toml | $(VENV)/.dev
	$(BIN)/pip install --quiet --group tune
	touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[all]' --group dev
	touch $@ $(VENV)/.local
