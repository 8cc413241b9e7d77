# Every target sets up .venv. It needs Python 3.11 or newer, and uses a C compiler if there is one.
#
#   make demo      install the package and simulate a capture of tumbling debris
#   make test      install the package and run lint, types and tests
#   make test-all  install all peers and run everything: slow tests, emulated platforms, every Python, full studies, coverage

.DEFAULT_GOAL := help
SHELL := /bin/sh

# Another interpreter: make PYTHON=/path/to/python3.12 ...
PYTHON ?=
# Test workers (one more than two cores, because workers wait for browsers and for kernels that another one builds), and
# arguments of the command: make demo ARGS=--help, make test ARGS="-k quaternion"
JOBS ?= 3
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# For tests and documentation: Python compiles what they import, a third of what pip would compile.
INSTALL := $(PIP) install --no-compile --constraint constraints.txt --editable

# The ziglang wheel serves where no compiler is on the PATH.
COMPILER := $(shell command -v cc || command -v gcc || command -v clang)
RUNTIME := $(if $(COMPILER),.,.[compiler])

# Tests start many Python processes: without stored bytecode each of them would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

# Workers begin at tests far apart, so that they rarely need the same kernels at once, and end together.
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

.PHONY: help demo test test-slow test-all mutants emulators pythons browser page lint docs wheels bench clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: $(VENV)/.installed-runtime ## install the package and simulate a capture of tumbling debris
	$(BIN)/dalembert demo $(ARGS)
	@echo "open the report in a browser. Next: . $(BIN)/activate, then dalembert new crane, dalembert studio crane.yaml"

test: $(VENV)/.installed-test browser ## install the package and run lint, types and tests (without slow ones)
	$(BIN)/ruff check
	$(BIN)/mypy & types=$$!; trap "kill $$types" INT TERM; $(PYTEST) $(ARGS); tests=$$?; wait $$types && exit $$tests

test-slow: $(VENV)/.installed-slow ## install Exudyn and run the slow tests, including all studies in full
	$(PYTEST) -m "slow or exudyn" $(ARGS)

test-all: lint $(VENV)/.installed-all emulators ## run all tests with all peers, the studies in full, and coverage
	$(PYTEST) -m "slow or not slow or long" --cov --cov-report=term:skip-covered --cov-report=html $(ARGS)
	$(BIN)/dalembert reproduce
	$(MAKE) pythons

# An environment each; those that are not installed are named.
PYTHONS := 3.11 3.12 3.13 3.14
pythons: ## run the fast tests with every Python from 3.11 to 3.14 that is installed
	@for version in $(PYTHONS); do \
	    command -v python$$version >/dev/null || { echo "note: python$$version is not installed; it was not tried" >&2; continue; }; \
	    echo "testing with python$$version"; \
	    $(MAKE) --no-print-directory VENV=.venv-$$version PYTHON=python$$version .venv-$$version/.installed-test || exit 1; \
	    .venv-$$version/bin/python -m pytest -n $(JOBS) --dist worksteal $(ARGS) || exit 1; \
	done

mutants: $(VENV)/.installed-test ## change the code in single places and print changes that no test detects (ARGS="--number 50")
	$(BIN)/python -m tests.mutants $(ARGS)

# Debian and Ubuntu, as root. A note reports packages that cannot be installed; their tests are skipped.
EMULATOR_PACKAGES := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user wine
emulators: # of ARM processors and of Windows, and the cross compiler of the tests of ARM lanes
	@if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null && command -v wine >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get install --quiet --yes --no-install-recommends $(EMULATOR_PACKAGES) >/dev/null 2>&1 \
	        || { apt-get update --quiet >/dev/null && apt-get install --quiet --yes --no-install-recommends $(EMULATOR_PACKAGES); } \
	        || echo "note: $(EMULATOR_PACKAGES) could not be installed; the tests on ARM and Windows are skipped" >&2; \
	else \
	    echo "note: the tests on ARM and Windows are skipped; they need (as root) apt install $(EMULATOR_PACKAGES)" >&2; \
	fi

browser: # the browser of the tests of reports, notebooks and studio
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get install --quiet --yes --no-install-recommends chromium >/dev/null 2>&1 \
	        || { apt-get update --quiet >/dev/null && apt-get install --quiet --yes --no-install-recommends chromium >/dev/null; } \
	        || echo "note: chromium could not be installed; the tests in a browser are skipped" >&2; \
	else \
	    echo "note: the tests in a browser are skipped; they need (as root) apt install chromium" >&2; \
	fi

page: ## build the web page of reports and studio from frontend/ (needs npm)
	cd frontend && npm ci --no-audit --no-fund && npm run build

lint: $(VENV)/.installed-test ## check style (ruff) and types (mypy)
	$(BIN)/ruff check
	$(BIN)/mypy

docs: $(VENV)/.installed-docs ## build the documentation into docs/_build/html; warnings are errors
	$(BIN)/python -m sphinx -W --keep-going --quiet -b html docs docs/_build/html

wheels: $(VENV)/.installed-wheels ## build the wheels of all platforms into dist/
	@for platform in $$($(BIN)/python -c "from dalembert.engine.shipped import PLATFORMS; print(*PLATFORMS)"); do \
	    echo "building the wheel for $$platform"; \
	    DALEMBERT_PLATFORM=$$platform $(PIP) wheel --no-build-isolation --no-deps --wheel-dir dist . || exit 1; \
	done; ls -l dist/*.whl

bench: $(VENV)/.installed-bench ## measure speed, side by side with installed peers
	$(BIN)/dalembert bench $(ARGS)

clean: ## remove build products (rm -r .venv removes the environment)
	rm -rf build dist docs/_build docs/_generated .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage htmlcov
	find src tests examples docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# A change of pyproject.toml installs again; the sources are linked, not copied. Tests and documentation use the versions
# of constraints.txt, so that a new release of a dependency cannot break them; users get the newest versions.
$(VENV)/.installed-runtime: pyproject.toml | $(BIN)/python
	@echo "installing into $(VENV), a minute or two the first time"
	@$(PIP) install --editable "$(RUNTIME)"
	@touch $@

$(VENV)/.installed-test: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) ".[test,lint]"
	@touch $@ $(VENV)/.installed-runtime

$(VENV)/.installed-slow: $(VENV)/.installed-test
	$(INSTALL) ".[test,slow]"
	@touch $@

$(VENV)/.installed-all: $(VENV)/.installed-slow
	$(INSTALL) ".[test,slow,all-peers]"
	@touch $@

$(VENV)/.installed-docs: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) ".[docs]"
	@touch $@

$(VENV)/.installed-wheels: $(VENV)/.installed-test
	$(INSTALL) ".[release]"
	@touch $@

$(VENV)/.installed-bench: pyproject.toml | $(BIN)/python
	$(PIP) install --editable ".[bench]"
	@touch $@

$(BIN)/python:
	@for python in $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python3.14 python); do \
	    "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 || continue; \
	    "$$python" -c 'import ensurepip, venv' >/dev/null 2>&1 || { without_venv="$$python"; continue; }; \
	    echo "setting up $(VENV) with $$("$$python" --version)"; \
	    exec "$$python" -m venv $(VENV); \
	done; \
	if [ -n "$$without_venv" ]; then \
	    echo "error: $$without_venv cannot create virtual environments (on Debian and Ubuntu:" \
	        "apt install python3-venv)" >&2; \
	else \
	    echo "error: dalembert needs Python 3.11 or newer; found: $$(python3 --version 2>/dev/null || echo none)." \
	        "Install one, or name it: make PYTHON=/path/to/python3.12 ..." >&2; \
	fi; exit 1
