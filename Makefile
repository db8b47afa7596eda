# make run: set up and start the app. make test: set up and pass all tests. make bench: measure against torch and others.
# make quick: in two minutes, without a browser, one in eight cases of each table. make census: count files, names, circles.
# make shots: take pictures of the player, and the moving one of README, into .shots. make nightly: what takes long: every
# attack, thousands of generated programs, fifty people at once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench

.PHONY: run test quick check static tests browser bench shots nightly census clean

run: $(VENV)/run.done
	$(BIN)/streamlit run app.py --server.address 127.0.0.1 --server.port 8501

test: $(VENV)/test.done node_modules/.done browser check

check:
	@$(MAKE) --no-print-directory -j2 static tests

static: node_modules/.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@command -v node >/dev/null || { echo "node is missing: install Node.js 20 or later to test the player"; exit 1; }
	node_modules/.bin/eslint .
	node_modules/.bin/tsc --checkJs --noEmit
	node --test tests/js

tests:
	$(BIN)/pytest -n 2 --dist worksteal

quick: $(VENV)/test.done static
	$(BIN)/pytest -n 2 --dist worksteal --quick

nightly: $(VENV)/test.done node_modules/.done browser
	$(BIN)/python -m tests.host.hostile
	GRADREEL_NIGHTLY=1 $(BIN)/pytest -n 2 --dist worksteal
	$(BIN)/python -m benchmarks load

browser: $(VENV)/test.done
	@sh deploy/chromium.sh $(BIN)/python

census: $(VENV)/bin/python
	@$(BIN)/python -m tests.census

bench: $(BENCH)/done
	$(BENCH)/bin/python -m benchmarks

shots: $(VENV)/test.done browser
	$(BIN)/python -m tests.browser.shots .shots
	$(BIN)/python -m tests.browser.moving_picture .shots

clean:
	rm -rf $(VENV) $(BENCH) build dist *.egg-info node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.done: requirements.txt | $(VENV)/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/test.done: requirements.txt requirements-dev.txt | $(VENV)/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(VENV)/run.done

node_modules/.done: package.json
	@command -v npm >/dev/null || { echo "npm is missing: install Node.js 20 or later to test the page"; exit 1; }
	npm install --silent --no-audit --no-fund --no-package-lock
	@touch $@

$(BENCH)/done: benchmarks/requirements.txt
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/pip install --quiet --disable-pip-version-check -r benchmarks/requirements.txt
	@touch $@
