# Two commands are all a new machine needs: make report, make test.
# Each sets up what it needs (environment, CmdStan, compiled models) and is quick when repeated.

PYTHON ?= python3
BIN := .venv/bin
PEERS := .venv-peers
LOGS := .venv-logs
ARVIZ := .venv-arviz
# The first Python from 3.12 on that runs: on the path, or one of pyenv's.
PYTHON312 ?= $(shell for each in python3.12 python3.13 python3.14 $(PYTHON) $(HOME)/.pyenv/versions/3.1[2-9]*/bin/python3; do \
  $$each -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2> /dev/null && echo $$each && break; done)
ENGINES := .venv-engines
# What pip does for packages that are copied: where Python may write no bytecode, commands start in half the time.
COMPILE := $(BIN)/python -m compileall -q src/stanoff

.PHONY: report test test-slow test-peers test-arviz test-engines test-stanc lint format bench bench-peers docs wheel wheels release-check setup clean

report: .venv/installed-report
	$(BIN)/stanoff setup paired hierarchical
	$(BIN)/python reports/build.py

test: .venv/installed-test
	$(BIN)/stanoff setup
	$(BIN)/python tests/set_up.py
	$(BIN)/python -m pytest -n auto --dist worksteal -m "not slow and not engines"

test-slow: .venv/installed-test .venv/installed-docs
	$(BIN)/stanoff setup
	$(BIN)/python tests/set_up.py
	$(BIN)/python -m pytest -m slow

# Trees of every model, read by ArviZ 1.x in an environment of its own.
test-arviz: .venv/installed-test $(ARVIZ)/installed
	rm -rf $(ARVIZ)/trees
	$(BIN)/stanoff setup
	$(BIN)/python tests/peers/write_trees.py $(ARVIZ)/trees
	$(ARVIZ)/bin/python tests/peers/arviz_tree.py $(ARVIZ)/trees

# Programs whose logs we read write them anew, and the tests of the stored ones run on these.
test-peers: .venv/installed-test $(LOGS)/installed
	rm -rf $(LOGS)/logs
	$(LOGS)/bin/python tests/peers/write_logs.py $(LOGS)/logs
	STANOFF_LOGS=$(LOGS)/logs $(BIN)/python -m pytest tests/data/test_logs.py

# Dask in two processes, and Spark.
test-engines: $(ENGINES)/installed
	$(ENGINES)/bin/python tests/set_up.py Java
	$(ENGINES)/bin/python -m pytest -m engines tests/data/test_distributed.py

# All programs by a current stanc, from the package index.
test-stanc: .venv/installed-test
	$(BIN)/python tests/check_stanc.py

lint: .venv/installed-test
	$(BIN)/ruff check --no-cache .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: .venv/installed-test
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: .venv/installed-test
	$(BIN)/stanoff setup
	$(BIN)/python reports/benchmark/bench.py

bench-peers: .venv/installed-test $(PEERS)/installed
	$(BIN)/stanoff setup
	$(BIN)/python reports/benchmark/bench_peers.py $(PEERS)/bin/python --record

# The manual as a site that needs no network: build/docs/index.html.
docs: .venv/installed-docs
	$(BIN)/python docs/build.py build/docs

# A wheel with the compiled programs, for machines without a compiler; dist/ also gets an sdist and the pure wheel.
wheel: .venv/installed-test
	rm -rf dist build/compiled
	$(BIN)/python -m hatchling build
	$(BIN)/python src/bundle_models.py build/compiled
	STANOFF_COMPILED=build/compiled $(BIN)/python -m hatchling build -t wheel

# The same on other systems and, for old ones, in a container: cibuildwheel follows pyproject.toml.
wheels: .venv/installed-test
	$(BIN)/python -m pip install "cibuildwheel>=3"
	$(BIN)/python -m cibuildwheel --output-dir dist

# All that must be true before a release; at last the wheel is installed where nothing else is.
release-check: wheel
	$(BIN)/python tests/release_check.py dist
	$(BIN)/python tests/try_wheel.py dist/*-none-$$(cat build/compiled/tag).whl

setup: .venv/installed-report
	$(BIN)/stanoff setup

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "stanoff needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed-report: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --editable .
	$(COMPILE)
	@touch $@

.venv/installed-test: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --editable ".[test]"
	$(COMPILE)
	@touch $@ .venv/installed-report

.venv/installed-docs: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --editable ".[docs]"
	@touch $@ .venv/installed-report

# PyMC, nutpie and PyStan, only to be measured against.
$(PEERS)/installed: reports/benchmark/peers.txt
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install -r reports/benchmark/peers.txt
	@touch $@

$(ARVIZ)/installed: tests/peers/arviz.txt
	@test -n "$(PYTHON312)" || { echo "ArviZ 1.x needs Python 3.12 or newer: make PYTHON312=... test-arviz"; exit 1; }
	$(PYTHON312) -m venv $(ARVIZ)
	$(ARVIZ)/bin/python -m pip install -r tests/peers/arviz.txt
	@touch $@

$(LOGS)/installed: tests/peers/requirements.txt
	$(PYTHON) -m venv $(LOGS)
	$(LOGS)/bin/python -m pip install -r tests/peers/requirements.txt
	@touch $@

$(ENGINES)/installed: pyproject.toml
	$(PYTHON) -m venv $(ENGINES)
	$(ENGINES)/bin/python -m pip install --editable ".[test,engines]"
	@touch $@

clean:
	rm -rf .venv $(PEERS) $(LOGS) $(ARVIZ) $(ENGINES) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
