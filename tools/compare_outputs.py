#!/usr/bin/env python3
"""Says which outputs of two builds differ: compare_outputs.py BEFORE AFTER [PART..]

BEFORE and AFTER are the bazel-bin folders of two checkouts in which //tpu_mlir/tools/... is built. Every RUN line of the tests of
this checkout, and the commands below on every file of $TPU_MEMORY_DATA, run once with the tools of each. Of each tool standard
output, standard error, exit code and the files that are left have to be the same, byte for byte; what differs is listed with a line
of each side. What differs between two runs of BEFORE, too, is counted apart. With PARTs only inputs whose path has one of them.

Exit code: 0 all the same, 1 some outputs differ, 2 usage.
"""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
LLVM = "/usr/lib/llvm-22/bin"
TOOLS = ("memplan", "model_builder", "model_calibrate", "model_deploy", "model_runner", "model_transform", "tpuc-opt")
SECONDS = 300
# Records what the tool says; what is the same call has the same name.
WRAPPER = """#!/bin/bash
at=$RECORD/$(printf '%s\\n' {tool} "$@" | cksum | tr ' ' _)-{tool}
{path} "$@" >$at.$$.out 2>$at.$$.err
code=$?
cat $at.$$.out; cat $at.$$.err >&2
{{ echo "{tool} $*"; cat $at.$$.out $at.$$.err; echo "exit code $code"; }} >>$at
rm $at.$$.out $at.$$.err
exit $code
"""
NETWORKS = [
    "tpuc-opt {file} --tpu-memory-report --tpu-local-report",
    "tpuc-opt {file} --tpu-verify-addresses --tpu-verify-local",
    "tpuc-opt {file} --tpu-global-memory --mlir-print-debuginfo -o assigned.mlir",
    "tpuc-opt {file} --tpu-local-memory=regroup=true --tpu-reorder --tpu-global-memory=share=true -o grouped.mlir",
    "tpuc-opt {file} '--tpu-assign-pools=pools=name=sram,base=0x20000000,size=2MiB,cost=1' -o pools.mlir",
    "model_deploy --mlir {file} --model deployed",
    "model_deploy --mlir {file} --regroup --order=memory --share=memory --artefacts=c --model regrouped",
    "model_deploy --mlir {file} --quantize F16 --chip bm1688 --model lowered --debug",
]
MEMREFS = ["tpuc-opt {file} --%s -o %s.mlir" % (flags, name) for name, flags in (
    ("merged", "merge-alloc"), ("hoisted", "memref-hoist"), ("stack", "memref-promote-to-stack"), ("copies", "copy-removal"),
    ("freed", "memref-deallocate --memref-verify-deallocation"), ("pools", "tpu-assign-pools=remarks=true"), ("all", "memref-memory"))]
PROBLEMS = ["memplan %s {file}" % command for command in (
    "solve --output=plan.json", "explain", "compare", "render --output=plan.html", "solve --strategy=skyline")]


def run_lines(path, work):
    """The commands of a test, as lit would run them in `work`."""
    commands = []
    with open(path, encoding="utf-8", errors="replace") as file:
        found = [match.group(1) for match in map(re.compile(r"RUN:(.*)").search, file) if match]
    continued = ""
    for line in found:
        continued += line.strip()
        if continued.endswith("\\"):
            continued = continued[:-1] + " "
            continue
        commands.append(continued)
        continued = ""
    values = {"%root": ROOT, "%s": path, "%S": os.path.dirname(path), "%t": os.path.join(work, "t")}
    return [re.sub(r"%root|%[sS]\b|%t", lambda match: values[match.group(0)], command)
            for command in commands]


def data_lines(path):
    """What is done with a file of $TPU_MEMORY_DATA."""
    kinds = {".mlir": MEMREFS if "/memref/" in path else NETWORKS, ".csv": PROBLEMS,
             ".onnx": ["model_transform --model_name net --model_def {file} --mlir net.mlir",
                       "model_deploy --onnx {file} --chip bm1684x --quantize F16 --model net"]}
    return [command.format(file=path) for command in kinds.get(os.path.splitext(path)[1], [])]


def contents(folder):
    found = {}
    for path in glob.glob(os.path.join(folder, "**"), recursive=True):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def outputs(path, build, is_test, scratch):
    """What all commands of one input leave, by name. Both builds work in the same folder: paths are part of messages."""
    shutil.rmtree(scratch, ignore_errors=True)
    work, record, programs = (os.path.join(scratch, name) for name in ("work", "record", "bin"))
    for folder in (work, record, programs):
        os.makedirs(folder)
    for tool in TOOLS:
        program = os.path.join(programs, tool)
        with open(program, "w", encoding="utf-8") as file:
            file.write(WRAPPER.format(tool=tool, path=os.path.join(build, "tpu_mlir/tools", tool, tool)))
        os.chmod(program, 0o755)
    with open(os.path.join(programs, "FileCheck"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\ncat >/dev/null\n")
    os.chmod(os.path.join(programs, "FileCheck"), 0o755)
    environment = dict(os.environ, RECORD=record, PATH=":".join((programs, LLVM, os.environ["PATH"])), NO_COLOR="1")
    commands = run_lines(path, work) if is_test else data_lines(path)
    for command in commands:
        done = subprocess.run(["timeout", str(SECONDS), "bash", "-c", command], cwd=work, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if done.returncode == 124:
            print("longer than %d s: %s" % (SECONDS, command), flush=True)
    return contents(work) | {"tool " + name: text for name, text in contents(record).items()}, len(commands)


def first_difference(before, after):
    for ours, theirs in zip(before.splitlines(), after.splitlines()):
        if ours != theirs:
            return "    before: %.200s\n    after:  %.200s" % (ours.decode(errors="replace"), theirs.decode(errors="replace"))
    return "    before: %d bytes, after: %d bytes" % (len(before), len(after))


def compare(path, before, after, is_test):
    """(commands, outputs, [differences], unstable outputs) of one input."""
    with tempfile.TemporaryDirectory() as scratch:
        old, count = outputs(path, before, is_test, scratch + "/x")
        new, _ = outputs(path, after, is_test, scratch + "/x")
        names = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
        again = outputs(path, before, is_test, scratch + "/x")[0] if names else old
    stable = [name for name in names if old.get(name) == again.get(name)]
    found = ["%s: %s\n%s" % (path, name, first_difference(old.get(name, b""), new.get(name, b""))) for name in stable]
    return count, len(old), found, len(names) - len(stable)


def main(arguments):
    if len(arguments) < 2 or arguments[0].startswith("-"):
        sys.stderr.write(__doc__)
        return 2
    before, after = (os.path.abspath(folder) for folder in arguments[:2])
    for build in (before, after):
        for tool in TOOLS:
            if not os.path.exists(os.path.join(build, "tpu_mlir/tools", tool, tool)):
                sys.stderr.write("'%s' has no %s: build //tpu_mlir/tools/...\n" % (build, tool))
                return 2
    inputs = [(path, True) for end in ("mlir", "test") for path in glob.glob(os.path.join(ROOT, "tests/**/*." + end), recursive=True)]
    data = os.environ.get("TPU_MEMORY_DATA")
    if data:
        inputs += [(path, False) for path in glob.glob(os.path.join(data, "**/*.*"), recursive=True)]
    inputs = sorted((path, is_test) for path, is_test in inputs if not arguments[2:] or any(part in path for part in arguments[2:]))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda item: compare(item[0], before, after, item[1]), inputs))
    differences = [text for result in results for text in result[2]]
    for text in differences:
        print(text)
    print("%d inputs, %d commands, %d outputs: %d differ; %d change from run to run" % (
        len(inputs), sum(r[0] for r in results), sum(r[1] for r in results), len(differences), sum(r[3] for r in results)))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
