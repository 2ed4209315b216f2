# `make help` lists the targets. All but `clean` and `help` first make .venv out of requirements.lock.

PYTHON ?= python3
PY := .venv/bin/python
# The extras that the lock holds: what run and test need.
LOCKED_EXTRAS := dev http django celery postgres
# Named for what the lock says, not for its age: the environment is renewed when the lock's content changes, and only then.
READY := .venv/.ready-$(shell cksum < requirements.lock | tr -cs '0-9\n' '-')

.DEFAULT_GOAL := help
.PHONY: help run test lint format types wheel lock bench clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' Makefile

$(READY):
	@echo "Preparing .venv (about a minute; only after a change of requirements.lock)"
	@$(PY) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv || { \
		echo "This Python makes no environment with pip (Debian: python3-venv); its own pip fills one without."; \
		$(PYTHON) -m venv --clear --without-pip .venv && $(PYTHON) -m pip --python $(PY) install --quiet pip; }
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@rm -f .venv/.ready-* && touch $@

run: $(READY) ## Talk to the example in the terminal
	@$(PY) -m falai_engine.chat examples/triage.json

test: $(READY) ## Run the tests in random order with branch coverage (one of them: make test ARGS='-k words')
	@$(PY) -m pytest -n auto --cov --cov-report=term $(ARGS)
	@echo "Left out here: what needs PostgreSQL, a broker or a browser, which is for .ci/run (there is no such test yet)."

lint: $(READY) ## Check the code's rules and its format
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .

format: $(READY) ## Format the code and mend what can be mended safely
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

types: $(READY) ## Check the types, strictly
	@$(PY) -m mypy

wheel: $(READY) ## Build the wheel, install it elsewhere and look into it
	@$(PY) .ci/wheel_check.py

lock: $(READY) ## Write requirements.lock after a change of pyproject.toml (newest of all: make lock UPGRADE=--upgrade)
	@CUSTOM_COMPILE_COMMAND='make lock' $(PY) -m piptools compile --quiet --generate-hashes --strip-extras --allow-unsafe \
		--no-annotate --no-emit-index-url --no-emit-trusted-host --no-emit-find-links $(UPGRADE) \
		$(LOCKED_EXTRAS:%=--extra %) --output-file requirements.lock pyproject.toml

bench: $(READY) ## Measure against the rulers
	@$(PY) -m benchmarks $(ARGS)

clean: ## Remove .venv and all that the tools leave behind
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.* htmlcov dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
