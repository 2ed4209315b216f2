# `make help` lists the targets. All but `clean` and `help` first make .venv out of requirements.lock
# (bench-peer: .venv-peer, with the peer's packages).

PYTHON ?= python3
PY := .venv/bin/python
# The extras that the lock holds: what run and test need.
LOCKED_EXTRAS := dev http django celery postgres site
# The services of test-postgres, test-processes and bench-peer.
export CI_DATABASE_URL ?= postgres://postgres@127.0.0.1:5432/postgres
export CI_REDIS_URL ?= redis://127.0.0.1:6379/0
export CI_RABBITMQ_URL ?= amqp://guest:guest@127.0.0.1:5672//
# The apps with catalogues of translations.
TRANSLATED := falai_django project/demo
# Named for what the lock says, not for its age: the environment is renewed when the lock's content changes, and only then.
READY := .venv/.ready-$(shell cksum < requirements.lock | tr -cs '0-9\n' '-')
PEER_PACKAGES := benchmarks/peer-requirements.txt
PEER_READY := .venv-peer/.ready-$(shell cat requirements.lock $(PEER_PACKAGES) | cksum | tr -cs '0-9\n' '-')

.DEFAULT_GOAL := help
.PHONY: help run chat test test-postgres test-processes test-browser lint format types migrations wheel lock bench bench-peer clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-14s %s\n", $$1, $$2}' Makefile

# $(call locked,FOLDER): the environment there, with what the lock says.
define locked
	@echo "Preparing $1 (about a minute; only after a change of requirements)"
	@$1/bin/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $1 || { \
		echo "This Python makes no environment with pip (Debian: python3-venv); its own pip fills one without."; \
		$(PYTHON) -m venv --clear --without-pip $1 && $(PYTHON) -m pip --python $1/bin/python install --quiet pip; }
	@$1/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
endef

$(READY):
	$(call locked,.venv)
	@rm -f .venv/.ready-* && touch $@

$(PEER_READY):
	$(call locked,.venv-peer)
	@.venv-peer/bin/python -m pip install --quiet --disable-pip-version-check -r $(PEER_PACKAGES)
	@rm -f .venv-peer/.ready-* && touch $@

run: $(READY) ## Run the demo: a chat page, the admin and the API (what it takes: make run ARGS=--help)
	@$(PY) manage.py quickstart $(ARGS)

chat: $(READY) ## Talk to an example in the terminal
	@$(PY) -m falai_engine.chat examples/triage.json

test: $(READY) ## Run the tests in random order (one of them: make test ARGS='-k words'; what they reach: make test ARGS=--cov)
	@$(PY) -m pytest -n auto $(ARGS)
	@echo "Left out here: what needs PostgreSQL, a broker or a browser (make test-postgres test-processes test-browser; all by .ci/run)."

test-postgres: $(READY) ## Run the app's tests that ask a database on PostgreSQL (where: CI_DATABASE_URL)
	@ONLY_DATABASE=1 DATABASE_URL="$(CI_DATABASE_URL)" $(PY) -m pytest -n auto tests/host $(ARGS)

test-processes: $(READY) ## Run the tests with processes of their own, on PostgreSQL and the brokers
	@DATABASE_URL="$(CI_DATABASE_URL)" CI_REDIS_URL="$(CI_REDIS_URL)" CI_RABBITMQ_URL="$(CI_RABBITMQ_URL)" \
		$(PY) -m pytest -m processes tests/host $(ARGS)

test-browser: $(READY) ## Open the pages in Chromium (Debian: apt install chromium)
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get install -qq -y chromium >/dev/null; }
	@$(PY) -m pytest -m browser tests/host $(ARGS)

lint: $(READY) ## Check the code's rules and its format
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .

format: $(READY) ## Format the code and mend what can be mended safely
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

types: $(READY) ## Check the types, strictly
	@$(PY) -m mypy

migrations: $(READY) ## Check that no migration is missing
	@$(PY) manage.py makemigrations --check --dry-run

messages: $(READY) ## Bring the catalogues up to the texts that are marked, and compile them (Debian: apt install gettext)
	@command -v msgfmt >/dev/null || { echo "This takes the programs of GNU gettext (Debian: apt install gettext)."; exit 1; }
	@for app in $(TRANSLATED); do ( cd $$app && \
		$(abspath .venv/bin/django-admin) makemessages --locale pt_BR --no-obsolete --no-location --no-wrap && \
		sed -i '/^"\(POT-Creation-Date\|Report-Msgid-Bugs-To\)/d' locale/pt_BR/LC_MESSAGES/django.po && \
		$(abspath .venv/bin/django-admin) compilemessages --locale pt_BR ) || exit 1; done
	@echo "Translate what is empty or fuzzy in the .po files, and run it again."

wheel: $(READY) ## Build the wheel, install it elsewhere and look into it
	@$(PY) .ci/wheel_check.py

lock: $(READY) ## Write requirements.lock after a change of pyproject.toml (newest of all: make lock UPGRADE=--upgrade)
	@CUSTOM_COMPILE_COMMAND='make lock' $(PY) -m piptools compile --quiet --generate-hashes --strip-extras --allow-unsafe \
		--no-annotate --no-emit-index-url --no-emit-trusted-host --no-emit-find-links $(UPGRADE) \
		$(LOCKED_EXTRAS:%=--extra %) --output-file requirements.lock pyproject.toml

bench: $(READY) ## Measure against the rulers
	@$(PY) -m benchmarks $(ARGS)

bench-peer: $(PEER_READY) ## Measure the host against LangGraph, on PostgreSQL (and all else: make bench-peer ARGS='engine host peer')
	@DATABASE_URL="$(CI_DATABASE_URL)" .venv-peer/bin/python -m benchmarks $(or $(ARGS),peer)

clean: ## Remove the environments and all that the tools leave behind
	rm -rf .venv .venv-peer .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.* htmlcov dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
