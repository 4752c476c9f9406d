#!/usr/bin/env bash
# Fails when a C++ file is not formatted as .clang-format says; names the places.
# With "fix" it formats them.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=(--dry-run -Werror)
[[ "${1:-}" == fix ]] && mode=(-i)
git ls-files -z '*.cpp' '*.h' | xargs -0 clang-format-22 "${mode[@]}"
