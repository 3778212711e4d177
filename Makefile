# Two commands for everyone: `make demo` and `make test`. Nothing is needed but Python 3.11 or newer.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check generate wheel install-check clean

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

generate: $(VENV)/.dev
	$(BIN)/python tools/generate.py

wheel: $(VENV)/.dev
	rm -rf dist
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

# The wheel in an environment of its own, used from another folder.
install-check: wheel
	tools/install_check.sh "$(PYTHON)" dist/text2mem-*.whl

clean:
	rm -rf $(VENV) dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "text2mem needs Python 3.11 or newer; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

$(VENV)/.local: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[local]'
	touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[all]' --group dev
	touch $@ $(VENV)/.local
