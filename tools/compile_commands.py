#!/usr/bin/python3
"""Writes compile_commands.json for clangd and clang-tidy, from what Bazel would run.

Usage: tools/compile_commands.py [startup option of Bazel]...
Build first (./bazelw build //...): generated headers have to be there.
"""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Unknown to clang, and warnings that only clang has must not stop its tools.
DROPPED = {"-fno-canonical-system-headers", "-Wno-free-nonheap-object", "-Werror"}


def bazel(startup, *arguments):
    command = [os.path.join(ROOT, "bazelw")] + startup + list(arguments)
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def source_of(arguments):
    """The file that a command compiles, from the top of the tree; None for one that is not ours."""
    source = arguments[arguments.index("-c") + 1]
    return None if source.startswith(("external/", "bazel-out/")) else source


def main(startup):
    execution_root = bazel(startup, "info", "execution_root").strip()
    actions = json.loads(bazel(startup, "aquery", "--output=jsonproto", "--include_artifacts=false",
                               'mnemonic("CppCompile", //...)')).get("actions", [])
    commands = {}
    for action in actions:
        source = source_of(action["arguments"])
        if source:
            arguments = [a for a in action["arguments"] if a not in DROPPED]
            commands[source] = {"directory": execution_root, "file": os.path.join(ROOT, source), "arguments": arguments}
    path = os.path.join(ROOT, "compile_commands.json")
    with open(path + ".new", "w", encoding="utf-8") as out:
        json.dump([commands[source] for source in sorted(commands)], out, indent=1)
    os.replace(path + ".new", path)
    print(f"{path}: {len(commands)} files")


if __name__ == "__main__":
    main(sys.argv[1:])
