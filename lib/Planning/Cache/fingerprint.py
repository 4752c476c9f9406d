"""Writes the C++ source that says which planner this is: the sources of it in 128 bits."""
import hashlib
import sys


def main(output, sources):
    total = hashlib.sha256()
    for path in sorted(sources):
        with open(path, "rb") as file:
            content = file.read()
        total.update(f"{path} {len(content)}\n".encode() + content)
    with open(output, "w", encoding="utf-8") as file:
        file.write(f"""//===- Fingerprint.cpp - The sources of the planner; generated ------------===//

#include "tpu_mlir/Planning/PlanCache.h"

std::string_view tpu_mlir::planning::plannerFingerprint() {{
  return "{total.hexdigest()[:32]}";
}}
""")


main(sys.argv[1], sys.argv[2:])
