#!/usr/bin/env bash
# Debian's packages that some tests and checks want beside what bazelw installs:
# a browser, servers, numpy, clang and its tools. Tests skip what is not there.
set -uo pipefail
missing=()
for package in bazel-bootstrap-source chromium clang-22 clang-format-22 clang-tidy-22 libclang-rt-22-dev nginx python3-numpy; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
((${#missing[@]})) || exit 0
as_root=()
[[ $(id -u) == 0 ]] || as_root=(sudo -n)
"${as_root[@]}" apt-get update -q >/dev/null
exec "${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null
