#!/bin/sh
# deploy.sh LOG COUNT OUTPUT... PROGRAM FLAG...
# A network that does not fit is a result, not a broken build: then the reports
# are empty and LOG says why. Outputs that the program had no reason to write are
# empty, too.
log="$1" count="$2"
shift 2
outputs=""
while [ "$count" -gt 0 ]; do
  outputs="$outputs
$1"
  shift
  count=$((count - 1))
done
program="$1"
shift
# A file of the topmost package has a path without a folder.
case "$program" in
*/*) ;;
*) program="./$program" ;;
esac
"$program" "$@" 2>"$log"
code=$?
if [ "$code" != 0 ] && [ "$code" != 3 ]; then
  cat "$log" >&2
  exit "$code"
fi
echo "$outputs" | while IFS= read -r output; do
  [ -z "$output" ] || [ -e "$output" ] || : >"$output"
done
