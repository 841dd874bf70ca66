# `make demo` and `make test` set up what they need by themselves; `make help` lists the rest.
# Needed on the machine: Python 3.11 or 3.12 with venv, gcc, g++, make.

# The interpreter to build with. Empty: the first of python3, python3.12, python3.11 that will do.
PYTHON =
# The folder of the environment. Give each interpreter its own.
VENV = .venv
# Further arguments for pytest.
TESTS =
# 1: without llama-cpp-python and the model. Tests that need them are then skipped, and say so.
NO_LLM =
# The tool that writes the locks.
UV = uv

SHELL = /bin/sh
.SHELLFLAGS = -euc
.ONESHELL:
# Where it is set, every process compiles all modules again: a second of computing each.
unexport PYTHONDONTWRITEBYTECODE
.DEFAULT_GOAL = help
.PHONY: help demo test quick lint style format w3c bench site setup setup-llm setup-bench lock clean

define USAGE
make demo      set up, then watch a memory being built, recalled and faded
make test      set up, then lint, check types and run the fast tests
make quick     set up, then run some tests of every room, in 45 s
make lint      ruff and mypy alone
make format    let ruff rewrite imports and layout
make w3c       run rdflib's own suites, W3C's among them, on rdflib's Memory store and on ours
make bench     set up the peers, then run every bench
make site      make a site of docs/ in build/site, to be read without a server
make lock      write the lock files anew from pyproject.toml (needs uv)
make clean     remove the environments and what the tools left behind

PYTHON=/path/to/python3.12   the interpreter to build with (3.11 or 3.12)
VENV=.venv-3.12              the folder of the environment (.venv)
TESTS="-k focus"             further arguments for pytest
NO_LLM=1                     leave out the local model, which takes minutes to compile, once
endef

# Fails with the reason if this interpreter will not do. Else prints two keys: of the packages, and
# of graphmem in their midst. A key holds all that can make an environment stale, its own place
# included, for a copied one would silently run the code of the checkout that it was copied from.
define KEYS
import hashlib, os, sys
if not (3, 11) <= sys.version_info[:2] <= (3, 12):
    sys.exit("it is Python %d.%d" % sys.version_info[:2])
try:
    import ensurepip, venv
except ImportError:
    sys.exit("its venv module is missing (Debian, Ubuntu: apt install python3-venv)")
def key(*files):
    seen = hashlib.sha256(repr((sys.version, sys.base_prefix, os.getcwd())).encode())
    for name in files:
        with open(name, "rb") as file:
            seen.update(file.read())
    return seen.hexdigest()
print(key(sys.argv[1]), key(sys.argv[1], "pyproject.toml"))
endef

# Shell. Sets python and its two keys, or stops with what was tried and what to do.
define FIND_PYTHON
tried=
for python in $(if $(PYTHON),"$(PYTHON)",python3 python3.12 python3.11); do
    if said=$$("$$python" -c "$$KEYS" $(LOCK) 2>&1); then break; fi
    tried="$$tried    $$python: $$(echo "$$said" | head -n 1)\n"
    python=
done
if [ -z "$$python" ]; then
    printf 'graphmem needs Python 3.11 or 3.12 with venv. Tried:\n%b' "$$tried" >&2
    echo 'Install one, or name the one to use:  make PYTHON=/path/to/python3.12 …' >&2
    exit 1
fi
keys=$$(echo "$$said" | tail -n 1)
packages=$${keys% *} itself=$${keys#* }
stamp() { cat "$(VENV)/.$$1" 2>/dev/null || true; }
endef

# -qq: errors only. Where packages come from is the business of the machine's pip configuration.
PIP = "$(VENV)/bin/python" -m pip install -qq --disable-pip-version-check
LOCKED = $(PIP) --only-binary=:all: --require-hashes -r $(LOCK)

help: export TEXT = $(value USAGE)
help:
	@echo "$$TEXT"

setup: export KEYS := $(value KEYS)
setup: LOCK = requirements.lock
setup:
	@$(FIND_PYTHON)
	if [ "$$(stamp packages)" != "$$packages" ]; then
	    echo "Making $(VENV) with $$("$$python" --version) …"
	    "$$python" -m venv --clear "$(VENV)"
	    echo "Installing $$(grep '^[A-Za-z]' $(LOCK) | grep -vc win32) packages …"
	    $(LOCKED)
	    echo "$$packages" >"$(VENV)/.packages"
	fi
	if [ "$$(stamp itself)" != "$$itself" ]; then
	    echo "Installing graphmem from this folder …"
	    $(PIP) --no-deps --no-build-isolation -e .
	    "$(VENV)/bin/python" -m compileall -q graphmem worker
	    echo "$$itself" >"$(VENV)/.itself"
	fi

# The wheel that it compiles and the model stay in the user's cache, for the next environment.
setup-llm: export KEYS := $(value KEYS)
setup-llm: LOCK = requirements-llm.lock
setup-llm: setup
	@if [ -n "$(NO_LLM)" ]; then
	    echo 'NO_LLM: without the local model.'
	    exit 0
	fi
	$(FIND_PYTHON)
	if [ "$$(stamp llm)" != "$$packages" ]; then
	    "$(VENV)/bin/python" .ci/llama_wheel.py $(LOCK)
	    echo "$$packages" >"$(VENV)/.llm"
	fi
	if ! "$(VENV)/bin/graphmem" model >/dev/null 2>&1; then
	    echo 'Fetching the local model (93 MB), once …'
	    "$(VENV)/bin/graphmem" model pull
	fi

# classic-level carries a compiled LevelDB, so no script has to run.
LEVELGRAPH = bench/peers/levelgraph
setup-bench: export KEYS := $(value KEYS)
setup-bench: LOCK = requirements-bench.lock
setup-bench: setup
	@$(FIND_PYTHON)
	if [ "$$(stamp bench)" != "$$packages" ]; then
	    echo "Installing peers and vectors (about 100 MB) …"
	    $(LOCKED)
	    echo "$$packages" >"$(VENV)/.bench"
	fi
	if ! command -v npm >/dev/null; then
	    echo 'No npm here: the benches leave LevelGraph out (it needs Node 18 or 20).' >&2
	elif ! cmp -s $(LEVELGRAPH)/package-lock.json $(LEVELGRAPH)/node_modules/.locked; then
	    echo 'Installing LevelGraph …'
	    (cd $(LEVELGRAPH) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null)
	    cp $(LEVELGRAPH)/package-lock.json $(LEVELGRAPH)/node_modules/.locked
	fi

demo: setup
	@"$(VENV)/bin/graphmem" demo

lint: style
	@echo 'Checking types …'
	"$(VENV)/bin/mypy" --no-error-summary

style: setup
	@"$(VENV)/bin/ruff" check --quiet .
	"$(VENV)/bin/ruff" format --quiet --check . || { echo 'To mend the layout: make format' >&2; exit 1; }

# Types are checked meanwhile: with nothing cached mypy keeps one core busy for half a minute. Three
# workers for the two cores of the machines that we promise: many tests wait for processes that they
# start.
test: style setup-llm
	@"$(VENV)/bin/mypy" --no-error-summary & types=$$!
	tests=0
	"$(VENV)/bin/pytest" -q -n 3 --dist worksteal $(TESTS) || tests=$$?
	wait $$types || { echo 'The types are wrong: see above, or make lint' >&2; exit 1; }
	exit $$tests

quick: setup
	@"$(VENV)/bin/pytest" -q -n 2 -m quick $(TESTS)

format: setup
	@"$(VENV)/bin/ruff" check --quiet --select I --fix .
	"$(VENV)/bin/ruff" format --quiet .

# Fetches the source of the locked rdflib, whose wheel has no tests.
w3c: setup
	@"$(VENV)/bin/python" tests/rdf/rdflib_suites.py .w3c

bench: setup-bench setup-llm
	@"$(VENV)/bin/python" -m bench

site: export KEYS := $(value KEYS)
site: LOCK = requirements-site.lock
site: VENV = .venv-site
site:
	@$(FIND_PYTHON)
	if [ "$$(stamp packages)" != "$$packages" ]; then
	    "$$python" -m venv --clear "$(VENV)"
	    $(LOCKED)
	    echo "$$packages" >"$(VENV)/.packages"
	fi
	"$(VENV)/bin/mkdocs" build --quiet --strict
	echo 'Open build/site/index.html'

# One version of each package for both Pythons, hashed, without an address. uv keeps what is locked
# already; delete a lock to take the newest.
COMPILE = "$(UV)" pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
    --generate-hashes --no-header --no-emit-index-url
TESTED = $(COMPILE) --extra dev --extra http --extra mcp --extra lmdb pyproject.toml
lock:
	@$(TESTED) -o requirements.lock
	$(TESTED) -o requirements-llm.lock --extra llm --extra llm-server -c requirements.lock
	$(TESTED) -o requirements-bench.lock --extra bench --extra vectors --extra langgraph --extra openai-agents -c requirements.lock
	$(COMPILE) --group site -o requirements-site.lock -c requirements.lock

clean:
	@rm -rf .venv .venv-* .w3c bench/peers/levelgraph/node_modules build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
