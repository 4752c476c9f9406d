#!/usr/bin/env bash
# What the tests of the default configuration do not cover, as far as a few
# minutes go: the format of the sources, clang-tidy on what the last commit
# changed, sanitizers on the planning core and the kernels, and the core's fuzzers
# for a while. After the build: clang-tidy reads what that generates. With
# SMOKE_SECONDS, a step that may take longer than what is left of them is left
# out, and said to be.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
core=(//tests/Planning/... //tests/Support/... //tests/Execution/...)
failed=()
# The last word: what was printed before it may be cut off.
finish() {
  ((${#failed[@]} == 0)) && exit 0
  printf 'failed: %s\n' "${failed[@]}"
  exit 1
}

# has_time <step> <seconds that it may take>
has_time() {
  local left=$((${SMOKE_SECONDS:-$2 + SECONDS} - SECONDS))
  ((left >= $2)) && return
  echo "left out: $1 may take $2 s, $left s are left"
  return 1
}

echo "== format"
tools/check_format.sh || failed+=("format")

echo "== clang-tidy"
tools/check_tidy.sh || failed+=("clang-tidy")

# One build for both.
echo "== asan and ubsan"
if has_time "asan and ubsan" 800; then
  ./bazelw test --config=ci --config=asan --config=ubsan "${core[@]}" || failed+=("asan and ubsan")
fi

# So many runs from one seed, so that two machines agree on one state; with
# FUZZ_SECONDS fresh ones, for so long, and the importer's, too.
echo "== fuzz"
has_time fuzz 600 || finish
declare -A runs=([problem_csv]=400000 [problem_json]=400000 [solve_validate]=20000)
targets=(problem_csv problem_json solve_validate)
[[ -n ${FUZZ_SECONDS:-} ]] && targets+=(onnx_import)
models=/usr/share/libonnx-testdata/data/node
./bazelw build --config=ci --config=fuzz $(printf '//tests/fuzz:%s_fuzzer ' "${targets[@]}") || failed+=("build of fuzzers")
for target in "${targets[@]}"; do
  scratch="$(mktemp -d)"
  limit=(-seed=1 "-runs=${runs[$target]:-0}")
  [[ -n ${FUZZ_SECONDS:-} ]] && limit=("-max_total_time=$FUZZ_SECONDS")
  echo "-- $target, ${limit[*]}"
  (cd "$scratch" && "$OLDPWD/bazel-bin/tests/fuzz/${target}_fuzzer" "${limit[@]}" -print_final_stats=1 "$scratch" \
     $([[ $target == onnx_import ]] && echo "$models") 2>&1 | tail -8
   exit "${PIPESTATUS[0]}") || failed+=("fuzz $target")
  rm -rf "$scratch"
done
finish
