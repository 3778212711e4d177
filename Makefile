# Two commands for everyone: `make demo` and `make test`. Nothing is needed but Python 3.11 or newer.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check generate tune tune-larger tune-again tune-examples tune-statements wheel install-check doors-check memos-check clean

demo: $(VENV)/.local
	$(BIN)/text2mem models pull >/dev/null
	$(BIN)/python tools/demo.py

test: $(VENV)/.dev
	$(BIN)/text2mem models pull >/dev/null
	$(BIN)/python -m pytest

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/generate.py --check
	$(BIN)/python tools/tables.py

generate: $(VENV)/.dev
	$(BIN)/python tools/generate.py

# The adapter that reads requests and the linker's weights, again from training/data: hours on two cores. It goes
# on where it was stopped. TUNE_OPTIONS="--limit 4" makes it a short one.
WEIGHTS = $$($(BIN)/text2mem models pull)
TUNED := build/tune
FIRST := en-hard en-home en-work zh-hard zh-home zh-work
SECOND := en-desk en-life en-tricky en-voice mixed store-a store-b zh-desk zh-life zh-tricky zh-voice
LAST := en-hints en-several en-turns zh-hints zh-several zh-turns
OVER := en-near-a-1 en-near-a-2 en-near-b-1 en-near-b-2 en-near-d-1 en-near-d-2 mix-near-a-1 mix-near-a-2 \
  mix-near-b zh-near-a-1 zh-near-a-2 zh-near-b-1 zh-near-b-2
AGAIN := $(LAST) en-tricky zh-tricky en-hard zh-hard mixed mix-near-b en-near-a-2 en-near-d-2 mix-near-a-2 zh-near-a-2
LATEST := en-guard en-mixed-life en-news zh-guard zh-mixed-life zh-news
BESIDE := en-several zh-several en-tricky zh-tricky en-hard zh-hard mixed $(LATEST)
EDITS := en-edit-a en-edit-b en-edit-c zh-edit-a zh-edit-b zh-edit-c
STORES := store-a store-b $(OVER)
KEPT := en-idle zh-idle en-edit-b zh-edit-a
APART := en-crowd en-near-c zh-near-c
TALK := en-talk-a en-talk-b en-talk-c en-talk-d mix-talk-a zh-talk-a zh-talk-b zh-talk-c zh-talk-d
TALK_LATER := en-talk-e en-talk-f en-talk-g en-talk-h en-talk-i en-talk-j zh-talk-e zh-talk-f zh-talk-g zh-talk-h \
  zh-talk-i zh-talk-j
TUNE := $(BIN)/python -m training.tune --weights $(WEIGHTS)
TUNE_OPTIONS ?=
tune: $(VENV)/.tune
	mkdir -p $(TUNED)
	$(TUNE) --only $(FIRST) --epochs 2 --stop 200 --out $(TUNED)/1.gguf $(TUNE_OPTIONS)
	$(TUNE) --only $(FIRST) $(SECOND) --half $(FIRST) --epochs 1 \
	  --start-from $(TUNED)/1.checkpoint.pt --out $(TUNED)/2.gguf $(TUNE_OPTIONS)
	$(TUNE) --only $(FIRST) $(SECOND) --epochs 1 --stop 200 --seed 8 --rate 3.5e-4 \
	  --start-from $(TUNED)/2.checkpoint.pt --out $(TUNED)/3.gguf $(TUNE_OPTIONS)
	$(TUNE) --only $(FIRST) $(SECOND) $(LAST) --half $(FIRST) $(SECOND) --epochs 0.85 --seed 9 \
	  --rate 3e-4 --start-from $(TUNED)/3.checkpoint.pt \
	  --out $(TUNED)/4.gguf $(TUNE_OPTIONS)
	$(TUNE) --only $(APART) $(FIRST) $(SECOND) $(LAST) $(OVER) --held-out $(APART) --kept 120 --epochs 1 \
	  --seed 21 --start-from $(TUNED)/4.gguf --out $(TUNED)/5.gguf $(TUNE_OPTIONS)
	$(TUNE) --checks --only en-crowd $(AGAIN) $(LATEST) --half $(AGAIN) --held-out en-crowd --kept 100 \
	  --epochs 0.9 --seed 22 --rate 3e-4 --start-from $(TUNED)/5.gguf \
	  --out $(TUNED)/draft-reader-0.5b.gguf $(TUNE_OPTIONS)
	$(BIN)/python -m training.linking

# The adapter of the larger model, in one stage over the requests of all authors but those set apart.
IDLE := en-idle zh-idle
tune-larger: $(VENV)/.tune
	mkdir -p $(TUNED)
	$(BIN)/python -m training.tune --weights $$($(BIN)/text2mem models pull qwen2.5-coder-1.5b) --int8 \
	  --first 14 --checks 0.3 --in-talk --only en-crowd $(FIRST) $(SECOND) $(LAST) $(OVER) $(LATEST) $(IDLE) \
	  --held-out en-crowd --kept 100 --epochs 0.68 --seed 31 --rate 3e-4 \
	  --out $(TUNED)/draft-reader-1.5b.gguf $(TUNE_OPTIONS)

# Two further stages, in which it learns edits and which memory is meant: not shipped yet.
tune-again: $(VENV)/.tune
	mkdir -p $(TUNED)
	$(TUNE) --checks --only en-crowd en-idle zh-idle $(EDITS) $(BESIDE) --edits $(STORES) \
	  --half $(BESIDE) $(STORES) --held-out en-crowd --kept 100 --epochs 0.8 --seed 24 --rate 3e-4 \
	  --start-from text2mem/weights/draft-reader-0.5b.gguf --out $(TUNED)/7.gguf $(TUNE_OPTIONS)
	$(TUNE) --checks --only $(KEPT) --meant $(STORES) --half $(KEPT) $(STORES) --epochs 0.5 --seed 25 \
	  --rate 2.5e-4 --start-from $(TUNED)/7.gguf --out $(TUNED)/again-reader-0.5b.gguf $(TUNE_OPTIONS)

# The adapter that reads a request beside an earlier one that it is like, and the choice of that one.
MIXED := en-hints zh-hints en-several zh-several en-news zh-news en-mixed-life zh-mixed-life en-work zh-work en-hard \
  zh-hard en-edit-b zh-edit-a store-a
PLAINER := en-work zh-work en-hard zh-hard en-turns zh-turns
tune-examples: tune-again
	$(TUNE) --checks --in-talk --only en-turns zh-turns $(MIXED) --meant store-a --half $(MIXED) --epochs 0.65 \
	  --seed 26 --rate 2e-4 --start-from $(TUNED)/again-reader-0.5b.gguf --out $(TUNED)/9.gguf $(TUNE_OPTIONS)
	$(TUNE) --checks --in-talk --own en-own-a en-own-b zh-own-a zh-own-b --only $(PLAINER) --half $(PLAINER) \
	  --epochs 0.9 --seed 27 --rate 2.5e-4 --start-from $(TUNED)/9.gguf \
	  --out $(TUNED)/example-reader-0.5b.gguf $(TUNE_OPTIONS)
	$(BIN)/python -m training.selecting

# The adapter that reads conversations, from the one that reads requests as it was after stage 4.
tune-statements: $(VENV)/.tune
	mkdir -p $(TUNED)
	$(TUNE) --only $(TALK) --epochs 2 --seed 13 --start-from $(TUNED)/4.gguf --out $(TUNED)/talk-1.gguf $(TUNE_OPTIONS)
	$(TUNE) --int8 --only $(TALK) $(TALK_LATER) --half $(TALK) --epochs 1 --seed 47 --rate 4e-4 \
	  --start-from $(TUNED)/talk-1.gguf --out $(TUNED)/talk-2.gguf $(TUNE_OPTIONS)
	$(TUNE) --int8 --only $(TALK) $(TALK_LATER) --epochs 1 --seed 53 --rate 3e-4 \
	  --start-from $(TUNED)/talk-2.gguf --out $(TUNED)/talk-3.gguf $(TUNE_OPTIONS)
	$(BIN)/python -m training.merging $(TUNED)/talk-1.gguf $(TUNED)/talk-3.gguf --share 0.4 \
	  --out $(TUNED)/statement-reader-0.5b.gguf

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
