# `make demo` and `make test` are all that a newcomer needs; both set up what they use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
REFERENCE := .venv-reference
PADDLE := .venv-paddle

.PHONY: demo test soak parity parity-full check proto fmt bench bench-vlm bench-layout lock setup models

$(VENV)/.installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps -e .
	touch $@

setup: $(VENV)/.installed

# Parses the sample contract and prints its Markdown.
demo: setup
	$(BIN)/arcscribe models pull embedded
	$(BIN)/arcscribe parse samples/documents/contract.pdf

# Runs all tests. They need no network; the models are pulled before. Those of the client send signals to their own
# process, and have one to themselves. Most are shared by two processes.
test: setup models
	$(BIN)/python -m pytest tests/e2e tests/chaos
	$(BIN)/python -m pytest tests/test_client.py
	$(BIN)/python -m pytest -n 2 --dist worksteal --ignore tests/e2e --ignore tests/chaos --ignore tests/test_client.py \
	  --ignore tests/reference --ignore tests/reference_paddlex

# The full counts of what `make test` does a little of: documents at once, damaged ones, and hours' worth of them. Half
# an hour on two cores; what they count and measure is printed.
soak: setup
	$(BIN)/python -m pytest tests/chaos -m soak -s

# Compares a toy PaddleOCR-VL with its reference implementation, token by token; `make parity-full` does so at full
# size, which takes a quarter of an hour on two cores. Exports of toys of PP-DocLayoutV2 and V3 are compared too. torch
# and transformers are only here. So is paddlex, with whose layout detection and reading order the layout stage's are
# compared.
parity: $(REFERENCE)/.installed $(PADDLE)/.installed models
	$(REFERENCE)/bin/python -m pytest tests/reference -m "not slow"
	$(PADDLE)/bin/python -m tests.reference_paddlex --check
	$(PADDLE)/bin/python -m tests.reference_paddlex_order.orders
	$(PADDLE)/bin/python -m pytest tests/reference_paddlex

parity-full: $(REFERENCE)/.installed
	$(REFERENCE)/bin/python -m pytest tests/reference -m slow

$(REFERENCE)/.installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(REFERENCE)
	$(REFERENCE)/bin/python -m pip install --quiet --require-hashes -r requirements.lock
	$(REFERENCE)/bin/python -m pip install --quiet torch==2.13.0 transformers==5.24.0 onnx==1.19.1
	$(REFERENCE)/bin/python -m pip install --quiet --no-deps -e .
	touch $@

# Modules are compiled when they are imported, which most never are.
$(PADDLE)/.installed: deploy/requirements-paddle.lock pyproject.toml
	$(PYTHON) -m venv $(PADDLE)
	$(PADDLE)/bin/python -m pip install --quiet --no-compile --require-hashes -r deploy/requirements-paddle.lock
	$(PADDLE)/bin/python -m pip install --quiet pytest==9.2.0 pytest-timeout==2.4.0 hypothesis==6.170.17
	$(PADDLE)/bin/python -m pip install --quiet --no-deps -e .
	touch $@

models: setup
	$(BIN)/arcscribe models pull embedded pp-ocrv6-tiny pp-ocrv5

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) proto
	git diff --exit-code -- arcscribe/v1
	test -z "$$(git status --porcelain -- arcscribe/v1)"

# Generates arcscribe/v1 from proto/.
proto: setup
	$(BIN)/python -m grpc_tools.protoc --plugin=protoc-gen-mypy=$(BIN)/protoc-gen-mypy \
	  --plugin=protoc-gen-mypy_grpc=$(BIN)/protoc-gen-mypy_grpc \
	  -Iproto --python_out=. --grpc_python_out=. --mypy_out=. --mypy_grpc_out=. proto/arcscribe/v1/*.proto

fmt: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: setup models
	$(BIN)/python -m bench.embedded

# The PaddleOCR-VL engine beside its peers, with random weights: five minutes and 9 GB of memory.
bench-vlm: $(REFERENCE)/.installed
	$(REFERENCE)/bin/python -m pip install --quiet openvino-genai==2026.4.1.0 openvino-tokenizers==2026.4.1.0
	$(REFERENCE)/bin/python -m bench.vlm

# The layout stage's engine beside paddlex's, on a network with random weights: five minutes and 3 GB of memory.
bench-layout: setup $(PADDLE)/.installed
	$(PADDLE)/bin/python -m pip install --quiet paddle2onnx==2.1.0 onnx-graphsurgeon==0.6.1
	$(BIN)/python -m bench.layout

# Resolves the dependencies anew for all supported Pythons: requirements.lock for work and CI, deploy/ for images.
lock: setup
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --group dev --output-file requirements.lock pyproject.toml
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --constraint requirements.lock --output-file deploy/requirements.lock pyproject.toml
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	  --extra paddle --override deploy/paddle-overrides.txt \
	  --output-file deploy/requirements-paddle.lock pyproject.toml
