# Every target sets up what it needs, once: a virtual environment with the locked requirements.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: setup app test check bench lock clean

app: setup  ## the app on the sample collection
	$(BIN)/streamlit run app.py

test: setup  ## every test
	$(BIN)/python -m pytest

check: setup  ## format, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: setup  ## speed, as ratios from one run
	$(BIN)/python -m benchmarks

setup: $(READY)  ## .venv, the locked requirements, this package

$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "PARM Explorer needs Python 3.11 or newer; name one: make PYTHON=python3.12"; exit 1; }
	@echo "Setting up (once): a virtual environment in $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@echo "Installing the locked requirements; torch is large, this takes some minutes …"
	@$(BIN)/pip install --disable-pip-version-check -r requirements.txt
	@$(BIN)/pip install --disable-pip-version-check --quiet --no-deps --editable .
	@touch $(READY)
	@echo "Ready."

# A local suffix such as +cpu would install nowhere else, hence the sed.
lock: setup  ## compile requirements.txt from pyproject.toml
	$(BIN)/pip install --disable-pip-version-check --quiet pip-tools==7.6.2
	$(BIN)/pip-compile --quiet --extra dev --strip-extras --no-header --no-annotate \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
	  --output-file requirements.txt pyproject.toml
	sed -i.bak -e 's/^\(torch==[0-9.]*\)+.*/\1/' -e '/^$$/d' -e '/^#/d' requirements.txt
	rm requirements.txt.bak

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
