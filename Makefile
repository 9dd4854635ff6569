# Every command that people and CI use. `make help` lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Cargo has no use for make's account of jobs.
CARGO ?= env MAKEFLAGS= cargo
export PATH := $(CURDIR)/$(BIN):$(PATH)
# Tests start Dyno hundreds of times: its bytecode is kept, also where an image says not to.
unexport PYTHONDONTWRITEBYTECODE
RUST_SOURCES := $(shell find crates -name '*.rs' -not -path '*/target/*') Cargo.toml Cargo.lock

.DEFAULT_GOAL := help
.PHONY: help dev demo lint lint-behind rust-behind check unit rust unit-and-rust live measuring alone test test-all tools bench docs flames accept lock clean

help: ## List the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

$(VENV)/.packages: requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --require-hashes -r requirements.lock
	touch $@

# A target of its own, so that packages are fetched while it is linked on one core.
target/.built: $(RUST_SOURCES)
	$(CARGO) build --release --locked -p dynoload
	touch $@

# The wheel's own build makes both commands.
INSTALL := $(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable .
$(VENV)/.installed: $(VENV)/.packages target/.built pyproject.toml
	$(INSTALL)
	touch $@

# Without fat link-time optimisation, and with what isn't ours compiled once for dynoload and the
# Rust tests. Not as a debug build, which is refused.
target/.built-for-tests: $(RUST_SOURCES)
	$(CARGO) build --profile tests --locked -p dynoload
	touch $@

$(VENV)/.installed-for-tests: $(VENV)/.packages target/.built-for-tests pyproject.toml
	SETUPTOOLS_RUST_CARGO_PROFILE=tests $(INSTALL)
	touch $@

# What is tested: what `dev` made, where it made something, and always in `test-all`.
TESTED := $(VENV)/.installed$(if $(DYNO_TEST_ALL)$(wildcard $(VENV)/.installed),,-for-tests)

dev: $(VENV)/.installed ## Make .venv with dyno, dynoload and all tools
	@echo "ready: $(BIN)/dyno --help"

demo: dev ## Answer two published questions on real servers, with verdicts and reports
	$(BIN)/dyno run aria-tmp-tables --quick
	$(BIN)/dyno run tmp-tables-on-disk --quick

# Tests that measure with `dyno run`, of which a host lets one run at a time: as root each process
# has a network, and with it a lock, of its own. Folders with long files come first, also where these
# have one test each: a process takes a whole file, and the others would wait for the last one.
MEASURING := $(addprefix tests/live/,run watch readme power profiles secrets damage why tasks \
  external)
APART := $(if $(filter 0,$(shell id -u)),-n 6 --apart --dist loadfile --no-loadscope-reorder)
# What holds times against times has the host for itself, and only in test-all.
ALONE := tests/live/watch/test_watch_eta.py tests/live/run/test_floor_alone.py
OLDEST_AND_NEWEST := mysql-5.5.9 mariadb-11.4.5
SERVERS := $(if $(DYNO_TEST_ALL),mysql-5.5.9 mysql-5.6.24 mariadb-10.1.8 mariadb-debian mariadb-11.4.5,$(OLDEST_AND_NEWEST))
# Runs a command, and says how long it took.
STAGE := bash -c 'begun=$$SECONDS; "$$@"; code=$$?; echo "== $$0: $$((SECONDS - begun)) s"; exit $$code'

# What tests need beside .venv: a browser to look at reports with, perf to profile servers, and an
# SSH server that starts nothing by itself.
$(VENV)/.system:
	@mkdir -p $(VENV)
	@apt-get update -qq || echo "apt's lists could not be brought up to date"
	@command -v chromium >/dev/null || { echo "installing chromium with apt-get"; \
	  apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null; }
	@command -v perf >/dev/null || { echo "installing perf with apt-get"; \
	  apt-get install -y -qq --no-install-recommends linux-perf >/dev/null; }
	@command -v dropbear >/dev/null || { echo "installing dropbear-bin with apt-get"; \
	  apt-get install -y -qq --no-install-recommends dropbear-bin >/dev/null; }
	touch $@

# Rust is linted as it is built for its tests, which needs no second look at all dependencies.
# Incremental: after an edit `check` compiles in a third of the time.
RUST_TESTS := env RUSTC_WORKSPACE_WRAPPER=$(CURDIR)/tests/linted CARGO_INCREMENTAL=1 $(CARGO) test \
  --workspace --locked --profile tests --config tests/checked.toml

lint: $(VENV)/.packages ## Format, lint, types and imports; `check` lints Rust as well
	$(BIN)/ruff format --no-cache --check python tests benches
	$(BIN)/ruff check --no-cache python tests benches
	$(BIN)/mypy
	PYTHONPATH=python $(BIN)/lint-imports --no-cache
	$(CARGO) fmt --check

check: lint ## The quick loop: lint and unit tests, without the slow ones
	$(RUST_TESTS) --quiet --lib --bins --test codec --test corpus --test golden
	PYTHONPATH=python $(BIN)/python -m pytest -q -n 2 -m "not slow" tests/unit

# What is done side by side prints its output in one piece each.
BESIDE := $(MAKE) --no-print-directory --output-sync=target -j4

# Most of this runs while dynoload is linked, on one core.
lint-behind: $(VENV)/.packages
	@nice -n 19 $(MAKE) --no-print-directory lint

# Behind the other build of the same profile: they write to the same place.
rust-behind: $(filter %-for-tests,$(TESTED))
	@nice -n 19 $(RUST_TESTS) --quiet --no-run

# Behind the Rust tests, which wait for servers half of the time.
unit: $(TESTED)
	@$(STAGE) "unit tests" nice -n 10 $(BIN)/python -m pytest -q -n 2 tests/unit

rust: $(TESTED)
	@$(STAGE) "Rust tests" $(BIN)/python tests/with_servers.py $(SERVERS) -- \
	  $(RUST_TESTS) -- --include-ignored

unit-and-rust:
	@$(STAGE) "unit and Rust tests" $(BESIDE) unit rust

live: $(TESTED)
	@$(STAGE) "tests on servers" \
	  $(BIN)/python -m pytest -n 5 --dist loadfile tests/live $(MEASURING:%=--ignore=%)

measuring: $(TESTED)
	@$(STAGE) "tests that measure" \
	  $(BIN)/python -m pytest $(APART) $(MEASURING) $(ALONE:%=--ignore=%)

alone: $(TESTED)
	@$(STAGE) "tests alone" $(BIN)/python -m pytest $(ALONE)

# All stages run, even after one fails: after half an hour a developer wants to see every failure.
STAGES := unit-and-rust live measuring
test: ## Every test, with real servers; says how long each stage took
	@$(STAGE) "set-up and lint" $(BESIDE) $(TESTED) tools lint-behind rust-behind
	@$(MAKE) --no-print-directory --keep-going $(STAGES)

test-all: ## As test, with every case of the tests that `make test` runs a part of
	DYNO_TEST_ALL=1 $(MAKE) test STAGES="$(STAGES) alone"

# What tests and benches hold Dyno against.
$(VENV)/.peers:
	@mkdir -p $(VENV)
	@command -v sysbench >/dev/null || { apt-get update -qq; \
	  apt-get install -y -qq --no-install-recommends sysbench >/dev/null; }
	@command -v mariadb-slap >/dev/null || { apt-get update -qq; \
	  apt-get install -y -qq --no-install-recommends mariadb-client >/dev/null; }
	touch $@

# One after the other: apt-get locks its lists.
tools: $(VENV)/.system
	@$(MAKE) --no-print-directory $(VENV)/.peers

bench: dev $(VENV)/.peers ## Dyno against its peers and the floor; ONLY=name for some of the rows
	$(CARGO) build --release --locked -p dyno-floor
	$(BIN)/python -m benches.run $(if $(ONLY),--only '$(ONLY)')

docs: $(VENV)/.packages ## Write the generated reference pages
	PYTHONPATH=python $(BIN)/python -m dyno.telemetry.reference > docs/reference/telemetry.md
	PYTHONPATH=python $(BIN)/python -m dyno.cli.reference > docs/reference/cli.md
	PYTHONPATH=python $(BIN)/python -m dyno.spec.reference > docs/reference/experiment-keys.md

FLAMES := python/dyno/report/flames
flames: ## Bundle the flame graph's library for the report, from its lock file
	cd $(FLAMES) && npm ci --silent
	cd $(FLAMES) && npx esbuild entry.js --bundle --minify --format=iife --legal-comments=none \
	  --loader:.css=empty "--banner:js=$$(cat banner.txt)" --outfile=../assets/flames.js
	rm -rf $(FLAMES)/node_modules

accept: dev ## Take new goldens; review them as a diff
	DYNO_ACCEPT=1 $(BIN)/python -m pytest -q tests/unit

lock: ## Pin the Python packages of pyproject.toml, with hashes and without addresses
	uv pip compile pyproject.toml --extra dev --extra hosts --generate-hashes \
	  --no-emit-index-url --no-header --python-version 3.11 -o requirements.lock

clean: ## Remove what was built; run folders and installed servers stay
	rm -rf $(VENV) target build *.egg-info
