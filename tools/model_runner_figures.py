#!/usr/bin/python3
"""Deploys the examples and runs them, and modules of other compilers, on their own addresses: what runs, in what time.

Usage: tools/model_runner_figures.py [--examples] [--modules FOLDER] [--chip CHIP:MODE]... [--seconds N] [--gigabytes N]
Writes tables in Markdown, as in tpu_mlir/docs/guide/ModelRunner.md: one row a run, or the message why there is none.
Needs `./bazelw build //:model_deploy //:model_runner`. A module with addresses runs in both memories, another one in
memory where each tensor has bytes of its own.
"""
import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
TOOLS = os.path.join(ROOT, "bazel-bin/tpu_mlir/tools")
EXAMPLES = ("mobilenet_v2", "resnet50", "densenet121", "yolo_fpn", "unet", "bert_base", "llama_block", "chain")
# What is deployed how; the first is what the others differ from.
WAYS = (("one by one", ["--disable_layer_group"]), ("groups", []), ("groups, in_reuse", ["--addr_mode=in_reuse"]),
        ("groups, pool", ["--pool=name=sram,base=0x20000000,size=1MiB,align=64,cost=1%s"]))
CHIPS = ("bm1684x:F16", "bm1688:BF16", "bm1690:F16", "cv184x:BF16", "cv181x:BF16")


class Runner:
    """One program at a time, within bounds of time and memory."""

    def __init__(self, seconds, gigabytes):
        self.seconds, self.bytes = seconds, gigabytes << 30

    def run(self, name, *flags):
        """(exit code or None when time was up, standard output, first line of errors, seconds of processors, megabytes)"""
        begin = time.monotonic()
        command = [os.path.join(TOOLS, name, name), *flags]
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
            child = subprocess.Popen(command, stdout=out, stderr=errors, stdin=subprocess.DEVNULL,
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (self.bytes, self.bytes)))
            while True:
                done, status, used = os.wait4(child.pid, os.WNOHANG)
                if done or time.monotonic() - begin > self.seconds:
                    break
                time.sleep(0.02)
            if not done:
                child.kill()
                _, status, used = os.wait4(child.pid, 0)
            child.returncode = status
            out.seek(0), errors.seek(0)
            lines = [line for line in errors.read().splitlines() if "error" in line] or [""]
            return (os.waitstatus_to_exitcode(status) if done else None, out.read(), lines[0],
                    used.ru_utime + used.ru_stime, used.ru_maxrss // 1000)


def why_not(code, error):
    """A message without the place in the file; it has names of ops, which are what matters."""
    message = re.sub(r"^.*?error: ", "", error).replace("|", "\\|")
    return message or ("no end within the time" if code is None else "exit code %d" % code)


def row(runner, cells, module, *flags):
    code, out, error, seconds, megabytes = runner.run("model_runner", "--model", module, *flags)
    if code != 0:
        return cells + [why_not(code, error), "", "", "%.1f" % seconds, f"{megabytes:,}"]
    ops = re.search(r"^(\d+) ops, (.*? read|each)", out, re.M)
    groups = re.search(r"^(\d+) layer groups?", out, re.M)
    read = ops.group(2)[:-5] if ops.group(2) != "each" else "-"
    return cells + ["runs, %s ops" % ops.group(1), groups.group(1) if groups else "-", read, "%.1f" % seconds,
                    f"{megabytes:,}"]


def examples(runner, chips):
    with tempfile.TemporaryDirectory() as scratch:
        for chip, mode in (pair.split(":") for pair in chips):
            for name in EXAMPLES:
                for way, flags in WAYS:
                    prefix = os.path.join(scratch, "net")
                    cells = [name, chip, mode if name != "chain" else "F32", way]
                    # Base registers reach weights only.
                    flags = [flag.replace("%s", ",access=ro" if chip.startswith("cv") else "") for flag in flags]
                    if name != "chain":  # It is lowered already.
                        flags += ["--quantize", mode]
                    code, _, error, seconds, megabytes = runner.run(
                        "model_deploy", "--mlir", os.path.join(ROOT, "tpu_mlir/examples", name + ".mlir"), "--chip", chip,
                        "--model", prefix, "--quiet", *flags)
                    if code != 0:
                        yield cells + ["not deployed: " + why_not(code, error), "", "", "%.1f" % seconds, f"{megabytes:,}"]
                        continue
                    yield row(runner, cells, prefix + "_final.mlir")


def modules(runner, folder):
    """Every module under the folder, addressed or not."""
    for path, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if not name.endswith(".mlir"):
                continue
            module = os.path.join(path, name)
            with open(module, encoding="utf-8") as file:
                text = file.read()
            if '"top.' not in text:
                continue
            addressed = "module.coeff_addr" in text
            yield row(runner, [os.path.relpath(module, folder)], module, *([] if addressed else ["--memory=value"]))


def write(columns, rows):
    columns += ["result", "groups", "read at addresses", "CPU seconds", "MB"]
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * (len(columns) - 4) + "--:|" * 4)
    for cells in rows:
        print("| " + " | ".join(cells) + " |", flush=True)
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", action="store_true", help="deploy and run the examples")
    parser.add_argument("--modules", metavar="FOLDER", help="run every .mlir file under it")
    parser.add_argument("--chip", action="append", metavar="CHIP:MODE", help="of the examples; again for each")
    parser.add_argument("--seconds", type=int, default=120, help="for one program, at most (120)")
    parser.add_argument("--gigabytes", type=int, default=12, help="of address space for one program, at most (12)")
    options = parser.parse_args()
    if not options.examples and not options.modules:
        parser.error("--examples or --modules has to be given")
    runner = Runner(options.seconds, options.gigabytes)
    if options.examples:
        write(["network", "chip", "mode", "way"], examples(runner, options.chip or CHIPS))
    if options.modules:
        write(["module"], modules(runner, options.modules))
    return 0


if __name__ == "__main__":
    sys.exit(main())
