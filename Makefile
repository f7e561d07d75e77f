# Everything runs in a separate environment, .venv, created on first use: a small one for the demo,
# with everything that the tests need once something asks for it.
# It needs Python 3.11 or newer (choose one with PYTHON=...) and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DEV    := $(VENV)/.dev
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet
DEBUG   := build/debug
ASAN    := $(shell $(CC) -print-file-name=libasan.so 2>/dev/null)
HAS_ASAN := $(filter /%,$(ASAN))
# Tests on every core, up to four: each process may start a browser and a Spark of its own.
CORES   := --numprocesses auto --maxprocesses 4 --dist worksteal
HAS_CC  := $(shell command -v $(CC) 2>/dev/null)
BUILT   := build/.kernel
KERNEL  := setup.py $(wildcard src/paribus/strata/kernel/*.p* src/paribus/estimate/*.pyx src/paribus/scale/*.pyx)

.DEFAULT_GOAL := help
.PHONY: help demo pictures browser office test test-browser test-debug without-cc accuracy rivals first choices impact levels interactions fuzz load paper bench growth wide scale wheel kernel docs site addin test-wheel lint types tests clean

help:  ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "paribus needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
	@echo 'Installing paribus and its page into $(VENV), with the kernel compiled: a minute or so.'
	$(PIP) --no-compile --editable '.[serve]'
	mkdir -p build
	touch $@ $(BUILT)

# What only tests, benchmarks and the documentation need. The package itself stays as it is.
$(DEV): $(READY)
	@echo 'Installing what the tests need: Dask, Spark and the like, 2 GB in all.'
	$(PIP) 'paribus[dev]'
	touch $@

demo: $(READY) $(if $(wildcard $(DEV)),$(BUILT))  ## explain the bundled diamonds; prints where report and pictures are
	$(BIN)/python examples/demo.py

pictures: demo $(DEV)  ## make the README's pictures again (needs chromium)
	mkdir -p docs/images
	cp build/demo/overview.png docs/images/diamonds.png
	rm -f build/pictures/report.png
	$(BIN)/python -m pytest tests/report/test_browser.py -k demo
	cp build/pictures/report.png docs/images/report.png
	PARIBUS_PICTURES=docs/images $(BIN)/python -m pytest -q tests/serve/test_flow.py -k picture

browser:  ## install chromium (Debian, as root): the report's tests use it
	apt-get update --quiet
	DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends chromium

office:  ## install LibreOffice (Debian, as root): the workbook's tests use it
	apt-get update --quiet
	DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends libreoffice-calc libreoffice-script-provider-python poppler-utils

test-browser: $(BUILT)  ## the tests of page and report in chromium; without it they fail
	PARIBUS_INSIST=1 $(BIN)/python -m pytest tests/report/test_browser.py tests/serve/test_flow.py

test: lint types tests $(if $(HAS_CC),test-debug,without-cc)  ## lint, types and every test

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/oxlint --quiet src/paribus

types: $(DEV)
	$(BIN)/mypy

tests: $(BUILT)
	$(BIN)/python -m pytest $(CORES)

# The kernel's tests again, on a build that checks every index and, where the compiler can,
# every address.
$(DEBUG)/.ready: $(DEV) $(KERNEL)
	rm -rf $(DEBUG)
	PARIBUS_DEBUG_BUILD=1 PARIBUS_REQUIRE_KERNEL=1 PARIBUS_SANITIZE='$(if $(HAS_ASAN),-fsanitize=address)' \
	  $(BIN)/python setup.py -q build_ext --build-lib $(DEBUG) --build-temp build/temp-debug
	touch $@

without-cc:
	@echo 'There is no C compiler here: the kernel, and its tests on a debug build, are left out.'

test-debug: $(DEBUG)/.ready  ## the kernel's tests on a build with every check on
	PARIBUS_DEBUG_PATH=$(DEBUG) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 \
	  $(if $(HAS_ASAN),LD_PRELOAD=$(ASAN)) $(BIN)/python -m pytest $(CORES) tests/strata tests/test_compiled.py \
	  tests/scale/test_sums.py -m 'not slow' -p no:cacheprovider --capture=sys

# The installation compiles the kernel once; this does it again when its sources change.
$(BUILT): $(KERNEL) | $(DEV)
	$(BIN)/python setup.py -q build_ext --inplace
	touch $@

kernel: $(BUILT)  ## compile the kernel again if it has changed

docs: $(DEV)  ## write the help of every command and the docstrings into docs/reference
	$(BIN)/python docs/generate.py

site: $(DEV)  ## build the documentation into build/site, offline
	$(BIN)/python -m sphinx -W --keep-going --quiet -b html docs build/site
	@echo 'The site is in build/site/index.html'

addin:  ## write the extension for LibreOffice Calc into dist/paribus.oxt
	$(PYTHON) addin/build.py

wheel: $(READY)  ## build the wheel into dist/
	PARIBUS_REQUIRE_KERNEL=1 $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

test-wheel: $(DEV)  ## the wheel in empty environments, with one extra at a time: time, size, and whether it works
	$(BIN)/python benchmarks/install.py

accuracy: $(BUILT)  ## error and coverage on data with a known answer, next to the usual methods
	$(BIN)/python benchmarks/accuracy.py
	$(BIN)/python benchmarks/differing.py
	$(BIN)/python benchmarks/real_rows.py --again
	$(BIN)/python benchmarks/write_accuracy.py

# Other tools keep to environments of their own: their pins are not ours. What does not install is
# left out.
build/%-venv/.ready: benchmarks/rivals/%-requirements.txt
	$(PYTHON) -m venv build/$*-venv
	build/$*-venv/bin/python -m pip install --quiet --requirement $<
	touch $@

rivals: $(BUILT)  ## other tools beside ours; RIVALS='--part speed' for a part, RIVALS=--help for more
	-@$(MAKE) --no-print-directory build/rivals-venv/.ready
	-@$(MAKE) --no-print-directory build/stratx-venv/.ready
	PYTHONPATH=benchmarks $(BIN)/python -m rivals $(RIVALS)

first: $(BUILT)  ## the first look at forty real tables, next to what an expert would say
	$(BIN)/python -m pip install --quiet --editable '.[first]'
	$(BIN)/python benchmarks/first.py --aside

choices: $(BUILT)  ## what each choice in the estimator is worth
	$(BIN)/python benchmarks/choices.py

interactions: $(BUILT)  ## which interactions are found, and how often false ones are
	$(BIN)/python benchmarks/interactions.py

impact: $(BUILT)  ## how often the interval of an impact contains the truth
	$(BIN)/python benchmarks/impact.py

levels: $(BUILT)  ## differences between levels of categories with very many levels
	$(BIN)/python benchmarks/many_levels.py

FUZZ_MINUTES ?= 10
fuzz: $(BUILT) $(DEBUG)/.ready  ## odd files, tables, requests and arrays; FUZZ_MINUTES=60 for an hour, FUZZ='--rooms page' for a part
	PYTHONPATH=benchmarks PARIBUS_ASAN=$(HAS_ASAN) $(BIN)/python -m fuzz --minutes $(FUZZ_MINUTES) $(FUZZ)

load: $(BUILT)  ## fifty uploads and twenty runs at once: how long the page takes to answer
	$(BIN)/python benchmarks/load.py

paper: $(BUILT)  ## draw the paper's figures into build/paper and check its claims
	OMP_NUM_THREADS=1 $(BIN)/python examples/paper/make_all.py

bench: $(BUILT)  ## measure engine and effects against scikit-learn; fails where effects got slower (BENCH=--store stores)
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/effects_speed.py $(BENCH)

growth: $(BUILT)  ## time against rows and columns, and its picture in the documentation
	$(BIN)/python benchmarks/growth.py

wide: $(BUILT)  ## error and coverage with many columns, beside least squares and lasso (an hour)
	$(BIN)/python benchmarks/wide.py

scale: $(BUILT)  ## 50 million rows: time, memory and agreement (about half an hour and 7 GB of disk)
	$(BIN)/python benchmarks/scale.py

clean:  ## remove the environment and everything built
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
