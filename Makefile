# Needs Python 3.11 or newer, git and make. Another interpreter: make test PYTHON=python3.13
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
REPORTS := agentlab-report

.PHONY: help demo test docs pictures bench clean
help:
	@echo "make demo   run the example scenarios and write their reports"
	@echo "make test   format, lint, types, tests, and lint of Action, workflows and image"
	@echo "make docs   write the generated reference pages again"
	@echo "make pictures  draw the comment, the summary, the HTML report and the live view again (needs npm, Chromium and an emoji font)"
	@echo "make bench  measure speed side by side with plain HTTP loops (about five minutes)"
	@echo "make clean  remove everything that the others made"

$(VENV)/.app: pyproject.toml src/agentlab_ci/__init__.py
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "agentlab needs Python 3.11 or newer, this is " + sys.version.split()[0] + ": name another with PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.app
	$(PIP) install --editable '.[dev]'
	@touch $@

demo: $(VENV)/.app
	@code=0; $(BIN)/agentlab run --report-dir $(REPORTS) || code=$$?; \
	case $$code in \
	  0) ;; \
	  1) echo; echo "Exit code 1, as meant: one scenario of the demo stays below its bar. The flaky ones that reach theirs pass." ;; \
	  *) exit $$code ;; \
	esac; \
	echo "In $(REPORTS)/, report.md is what a reviewer reads, junit.xml what a CI server shows, and results.json"; \
	echo "holds everything; judge it again at another bar: $(BIN)/agentlab report $(REPORTS)/results.json --pass-rate 1"

test: $(VENV)/.dev
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/zizmor --offline --quiet .github composite action.yml
	$(BIN)/actionlint .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml composite/action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/hadolint Dockerfile
	$(BIN)/python -m pytest -m 'not network'

docs: $(VENV)/.app
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/action_tables.py

pictures: $(VENV)/.dev
	npm install --prefix build/pictures --no-audit --no-fund --no-save --loglevel=error \
	  github-markdown-css@5.9.0 playwright-core@1.65.1
	PYTHONPATH=tests $(BIN)/python docs/pictures.py build/pictures

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) $(REPORTS) artifacts dist build .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
