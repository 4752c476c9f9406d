#!/usr/bin/env bash
# clang-tidy over the sources that changed since a revision (default: the
# commit before this one), at most TIDY_SOURCES of them (10): MLIR's headers
# take half a minute each. Wants what the build generates: build first.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
base="${1:-HEAD~1}"
most="${TIDY_SOURCES:-10}"
if ! git rev-parse -q --verify "$base^{commit}" >/dev/null; then
  echo "no revision $base here: nothing to compare with"
  exit 0
fi
mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- '*.cpp')
# What is generated is nobody's to mend here: system headers.
# The importer's are compiled with onnx's two names.
flags=(-std=c++17 -DONNX_ML=1 -DONNX_NAMESPACE=onnx -I. -Iinclude -isystem bazel-bin -isystem bazel-bin/include -isystem /usr/lib/llvm-22/include)
looked=("${changed[@]:0:$most}")
# xargs says 123 when one of them fails.
printf '%s\n' "${looked[@]}" | xargs -r -P "$(nproc)" -I{} \
  clang-tidy-22 --quiet --warnings-as-errors='*' {} -- "${flags[@]}" 2>/dev/null
status=$?
echo "${#looked[@]} of ${#changed[@]} changed sources"
exit "$status"
