# Every target sets up what it needs: a local .venv, made once from constraints.txt. Once that is
# there nothing here uses the network.

PYTHON ?=
JOBS ?= 2
WEEK ?= dock-24B-w07x1-busy-0

pythons := $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python)
bin := .venv/bin
ready := .venv/.ready
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help week test slow check format bench clean

# The stamp holds the folder it was made in: a checkout that was moved or copied, or whose Python
# is gone, is set up anew instead of running another folder's code.
ifneq ($(shell [ -x $(bin)/python ] && cat $(ready) 2>/dev/null),$(CURDIR))
.PHONY: $(ready)
endif

help:  ## print this
	@echo 'make TARGET, with TARGET one of'
	@sed -n 's/^\([a-z]*\):.*## /  \1	/p' $(MAKEFILE_LIST)
	@echo 'PYTHON=path/to/python3.12 chooses the interpreter .venv is made with (3.11 to 3.13).'

week: $(ready)  ## play a real week on Ray, live, with the re-planning planner (WEEK=id for another)
	$(bin)/portsim play $(WEEK) --port live --planner rolling --runtime ray

test: $(ready)  ## run the tests in JOBS processes (2)
	$(bin)/python -m pytest -n $(JOBS) --dist loadgroup -m 'not slow'

slow: $(ready)  ## run the tests that take minutes each
	$(bin)/python -m pytest -m slow

check: $(ready)  ## formatter, linter, strict type checker
	$(bin)/python -m ruff format --check
	$(bin)/python -m ruff check
	$(bin)/python -m mypy

format: $(ready)  ## format, and mend what the linter can mend
	$(bin)/python -m ruff format
	$(bin)/python -m ruff check --fix

bench: $(ready)  ## measure, and print the medians
	$(bin)/python -m benchmarks

clean:  ## remove .venv and caches; runs/ stays
	rm -rf .venv .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Step 1 installs exactly the locked versions, wheels only, so nothing is compiled. Step 2 adds
# portsim itself: without an index, so that a dependency the lock lacks is an error, not a download.
$(ready): pyproject.toml constraints.txt
	@$(bin)/python -c 'import pip, sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null || \
	    { $(find_python) && "$$python" -m venv --clear .venv; }
	@echo 'Installing the locked packages into .venv (about 750 MB, once) ...'
	@$(bin)/python -m pip install --quiet --only-binary :all: -r constraints.txt
	@$(bin)/python -m pip install --quiet --no-index --no-build-isolation --editable '.[dev]'
	@echo '$(CURDIR)' > $@

# Sets $$python to the first of pythons that we support and that can make a virtual environment.
define find_python
python=; seen=; \
for candidate in $(pythons); do \
    version=$$("$$candidate" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue; \
    case $$version in \
        3.11.*|3.12.*|3.13.*) ;; \
        *) seen="$$seen $$candidate is $$version;"; continue;; \
    esac; \
    "$$candidate" -c 'import ensurepip, venv' 2>/dev/null || \
        { seen="$$seen $$candidate is $$version but has no venv module (Debian: apt install python3-venv);"; continue; }; \
    python=$$candidate; break; \
done; \
[ -n "$$python" ] || { \
    echo "portsim needs Python 3.11, 3.12 or 3.13 with venv. Looked for: $(pythons). Found:$${seen:- none.}" >&2; \
    echo "Name one with make PYTHON=/path/to/python3.12 ..." >&2; false; }
endef
