#!/usr/bin/env bash
# clang-tidy over the sources that changed since a revision (default: the
# commit before this one). Wants what the build generates: build first.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
base="${1:-HEAD~1}"
if ! git rev-parse -q --verify "$base^{commit}" >/dev/null; then
  echo "no revision $base here: nothing to compare with"
  exit 0
fi
mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- '*.cpp')
flags=(-std=c++17 -I. -Iinclude -Ibazel-bin -Ibazel-bin/include -isystem /usr/lib/llvm-22/include)
failed=0
for source in "${changed[@]}"; do
  clang-tidy-22 --quiet --warnings-as-errors='*' "$source" -- "${flags[@]}" 2>/dev/null || failed=1
done
echo "${#changed[@]} sources"
exit "$failed"
