# Everything goes through scripts/setup first, which does nothing when nothing changed.
.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench docs

python := .venv/bin/python

help:
	@echo 'make setup   install into .venv and find or fetch a browser'
	@echo 'make demo    the main job on the bundled shop, end to end'
	@echo 'make test    all tests'
	@echo 'make check   style, types, import rules and the quick tests'
	@echo 'make bench   what the bench folder can measure, and how to start it'
	@echo 'make docs    write docs/reference anew from the code'

setup:
	@scripts/setup

demo: setup
	@$(python) scripts/demo.py

test: setup
	@$(python) -m pytest -n auto --dist loadfile $(PYTEST)

check: setup
	@$(python) -m ruff check .
	@$(python) -m ruff format --check .
	@$(python) -m mypy
	@.venv/bin/lint-imports
	@$(python) -m pytest -q -n auto -m 'not browser and not docker'

bench: setup
	@cat bench/README.md

docs: setup
	@$(python) scripts/reference.py
