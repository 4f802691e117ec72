# Everything runs in .venv, which each target makes when it is missing. PYTHON may name any Python 3.11 or newer.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
TACIT_DATA ?= $(if $(wildcard ../shared/data),$(abspath ../shared/data),)
export TACIT_DATA
# Tests start Python often: modules are compiled once, also where the environment says otherwise.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help setup demo docs docs-test links test check long reproductions study audit bench oldest release browser r spark clean

help:
	@echo "make demo    set up, train on a census table, write a table, a picture, a model and its card"
	@echo "make test    set up, run every check: format, lint, types, import layers, tests of the package and of reproductions/"
	@echo "make reproductions   all tables and figures of the papers, a fraction of each (QUICK= runs all of each, for days)"
	@echo "make study   tests against published numbers, minutes each      make audit   every learner audited (MINUTES= each), docs/audit.md"
	@echo "make docs    the documentation site, offline, into build/site      make docs-test   its tests: every example, link and word"
	@echo "make links   asks other sites whether each page that the documentation links to is still there; needs a network"
	@echo "make release sdist and wheel in dist/, checked and installed in fresh environments; nothing is signed or uploaded"
	@echo "make browser the review page driven in a browser, against the model files that come of it"
	@echo "make spark   scoring in a local Spark against the package; skipped without Java"
	@echo "make r       the package for R, R CMD check against the test vectors; skipped without R"
	@echo "make long    what takes longer than a commit may: the audits, the tests on the oldest dependencies, of the site and of the release"
	@echo "make bench   speed and memory, as ratios              make oldest  the tests on the oldest dependencies admitted"

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Expected Python 3.11 or newer: set PYTHON=.")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: setup
	$(BIN)/tacit demo

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check
	$(BIN)/python -m pytest -n 2 -m 'not study and not audit and not site and not release and not browser and not spark' tests src/tacit --ignore tests/reproductions
	$(BIN)/python -m pytest -n 2 -m 'not study and not audit and not browser and not spark' tests/reproductions reproductions

QUICK ?= --quick
reproductions: setup
	$(BIN)/python -m reproductions all $(QUICK) --out tacit-reproduction

study: setup
	$(BIN)/python -m pytest -n 2 -m study

MINUTES ?= 1
audit: setup
	$(BIN)/python -m benchmarks.audits --minutes $(MINUTES)
	$(BIN)/python -m pytest -n 2 -m audit

# Needs a Chromium on the machine; without one the tests are skipped.
browser: setup
	$(BIN)/python -m pytest -n 2 -m browser tests

long: audit oldest docs-test release browser r spark

# An environment of its own: Spark is 400 MB, and needs Java from the system.
spark:
	@if ! command -v java >/dev/null; then echo "Java is not installed: scoring in Spark is not tested."; else \
	set -e; $(PYTHON) -m venv .venv-spark; \
	.venv-spark/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[spark]' pytest hypothesis; \
	.venv-spark/bin/python -m pytest -p no:cacheprovider -m spark tests/spark; fi

# The package for R, checked as CRAN does, against the test vectors that the Python package wrote.
r:
	@if ! command -v R >/dev/null; then echo "R is not installed: r/tacitr is not checked."; else \
	set -e; rm -rf build/r; mkdir -p build/r/lib; cp -r r/tacitr build/r/; \
	cp -r tests/predictions/vectors build/r/tacitr/tests/; cp -r tests/golden/format-1 build/r/tacitr/tests/golden; \
	cd build/r; R CMD build tacitr; _R_CHECK_FORCE_SUGGESTS_=false R CMD check --no-manual tacitr_*.tar.gz; \
	! grep -E "^Status: .*(NOTE|WARNING)" tacitr.Rcheck/00check.log; fi

.venv-docs/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[docs,works-with]'
	@touch $@

docs: .venv-docs/.installed
	.venv-docs/bin/python -m sphinx --quiet --fail-on-warning --keep-going --conf-dir docs --doctree-dir build/doctrees . build/site
	@echo "build/site/index.html"

docs-test: docs
	.venv-docs/bin/codespell *.md docs proofs src/tacit reproductions
	.venv-docs/bin/python -m pytest -m site tests/site

# The only target that asks other sites, so it is no part of the tests.
links: .venv-docs/.installed
	.venv-docs/bin/python -m sphinx -b linkcheck --quiet --conf-dir docs --doctree-dir build/doctrees . build/links

bench: setup
	for file in benchmarks/*.py; do echo "== $$file"; PYTHONPATH=. $(BIN)/python $$file || exit 1; done

oldest:
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]' --constraint constraints/oldest.txt
	.venv-oldest/bin/python -m pytest -n 2 -m 'not study and not audit and not site and not release and not browser and not spark' tests src/tacit --ignore tests/reproductions

.venv-release/.installed: pyproject.toml
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[release]'
	@touch $@

release: .venv-release/.installed
	rm -rf dist
	.venv-release/bin/python -m build --outdir dist
	.venv-release/bin/python -m twine check --strict dist/*
	.venv-release/bin/python -m pytest -rs -m release tests/release
	@ls dist

clean:
	rm -rf $(VENV) .venv-docs .venv-oldest .venv-release .venv-spark build docs/generated .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
