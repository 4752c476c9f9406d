#!/usr/bin/env bash
# What the tests of the default configuration do not cover, as far as a few
# minutes go: the format of the sources, clang-tidy on what the last commit
# changed, tests that want further packages (a browser, servers), sanitizers on
# the rooms without MLIR, and each fuzzer for a while. After the build: clang-tidy
# reads what that generates.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
core=(//tests/Planning/... //tests/Support/... //tests/LayerPlanning/... //tests/Log/... //tests/Execution/... //tests/Ordering/... //tests/Quantization/...)
failed=0

for package in bazel-bootstrap-source chromium clang-22 clang-format-22 clang-tidy-22 libclang-rt-22-dev nginx python3-numpy; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed && continue
  as_root=()
  [[ $(id -u) == 0 ]] || as_root=(sudo -n)
  "${as_root[@]}" apt-get update -q >/dev/null
  "${as_root[@]}" apt-get install -y -q --no-install-recommends "$package" >/dev/null || failed=1
done

echo "== format"
tools/check_format.sh || failed=1

echo "== clang-tidy"
tools/check_tidy.sh || failed=1

# These skip what is not installed, and that result is kept: so again.
echo "== browser, servers, numpy"
./bazelw test --config=ci --nocache_test_results //tests/tools/memory_map/... //tests/docs:site_test //tests/rules:shared_test //tests/CApi:tpu_memory_test || failed=1

for sanitizer in asan ubsan; do
  echo "== $sanitizer"
  ./bazelw test --config=ci "--config=$sanitizer" "${core[@]}" || failed=1
done

# So many runs from one seed, so that two machines agree on one state; with
# FUZZ_SECONDS fresh ones, for so long.
echo "== fuzz"
declare -A runs=([problem_csv]=400000 [problem_json]=400000 [solve_validate]=20000 [onnx_import]=80000)
targets=(problem_csv problem_json solve_validate onnx_import)
models=/usr/share/libonnx-testdata/data/node
./bazelw build --config=ci --config=fuzz $(printf '//tests/fuzz:%s_fuzzer ' "${targets[@]}") || failed=1
for target in "${targets[@]}"; do
  scratch="$(mktemp -d)"
  limit=(-seed=1 "-runs=${runs[$target]}")
  [[ -n ${FUZZ_SECONDS:-} ]] && limit=("-max_total_time=$FUZZ_SECONDS")
  echo "-- $target, ${limit[*]}"
  (cd "$scratch" && "$OLDPWD/bazel-bin/tests/fuzz/${target}_fuzzer" "${limit[@]}" -print_final_stats=1 "$scratch" \
     $([[ $target == onnx_import ]] && echo "$models") 2>&1 | tail -8
   exit "${PIPESTATUS[0]}") || failed=1
  rm -rf "$scratch"
done
exit "$failed"
