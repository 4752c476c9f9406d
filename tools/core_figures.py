#!/usr/bin/env python3
"""The tables of several cores in tpu_mlir/docs/passes/LayerGroup.md: the bundled networks on the cores of two chips, and
what the objectives make of global memory on one with second-level memory.

usage: tools/core_figures.py TPUC_OPT
"""

import json
import os
import re
import subprocess
import sys
import tempfile

NETWORKS = ("bert_base", "chain", "densenet121", "llama_block", "mobilenet_v2", "resnet50", "unet", "yolo_fpn")
CHIPS = (("bm1688", (1, 2)), ("bm1690", (1, 8)))


def is_lowered(path):
    with open(path, encoding="utf-8") as file:
        return '"tpu.' in file.read()


def totals(opt, network, chip, cores, folder, objective="balanced"):
    path = os.path.join("tpu_mlir/examples", network + ".mlir")
    report = os.path.join(folder, "report.json")
    command = [opt, path]
    if not is_lowered(path):
        command.append("--convert-top-to-tpu=mode=F16 chip=" + chip)
    command += ["--processor-assign=chip=%s num_core=%d" % (chip, cores), "--tpu-local-memory=remarks=false objective=" + objective,
                "--tpu-global-memory", "--tpu-local-report=format=json file=" + report, "-o", os.devnull]
    subprocess.run(command, check=True)
    with open(report, encoding="utf-8") as file:
        figures = json.load(file)
    return {**figures["totals"]["all"], **figures["byMemory"]}


def io_bytes(network, opt):
    """Inputs and outputs of the lowered network."""
    path = os.path.join("tpu_mlir/examples", network + ".mlir")
    command = [opt, path] + ([] if is_lowered(path) else ["--convert-top-to-tpu=mode=F16 chip=bm1690"])
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    signature = re.search(r"func.func @main(.*)", text).group(1)
    total = 0
    for shape, bits in re.findall(r"tensor<((?:\d+x)*)[a-z]+(\d+)>", signature):
        size = int(bits) // 8
        for extent in shape.split("x")[:-1]:
            size *= int(extent)
        total += size
    return total


def print_row(cells):
    print("| " + " | ".join(cells) + " |")


def print_cores(opt, folder):
    heads = ["network"]
    for chip, counts in CHIPS:
        heads += ["%s, cycles on %d" % (chip, counts[0]), "on %d" % counts[1], "times faster",
                  "traffic on %d" % counts[0], "on %d" % counts[1]]
    print_row(heads)
    print("|---|" + "--:|" * (len(heads) - 1))
    for network in NETWORKS:
        cells = ["`%s.mlir`" % network]
        for chip, counts in CHIPS:
            one, more = (totals(opt, network, chip, cores, folder) for cores in counts)
            cells += ["{:,}".format(one["cycles"]), "{:,}".format(more["cycles"]),
                      "%.2f" % (one["cycles"] / more["cycles"]), "{:,}".format(one["trafficBytes"]),
                      "{:,}".format(more["trafficBytes"])]
        print_row(cells)


def print_objectives(opt, folder):
    chip, (_, cores) = CHIPS[-1]
    objectives = ("cycles", "balanced", "traffic")
    heads = ["network", "inputs and outputs"]
    for what in ("activations", "weights", "cycles"):
        heads += ["%s: `%s`" % (what, objectives[0])] + ["`%s`" % other for other in objectives[1:]]
    print_row(heads)
    print("|---|" + "--:|" * (len(heads) - 1))
    for network in NETWORKS:
        found = [totals(opt, network, chip, cores, folder, objective) for objective in objectives]
        cells = ["`%s.mlir`" % network, "{:,}".format(io_bytes(network, opt))]
        for key in ("globalActivationBytes", "weightBytes", "cycles"):
            cells += ["{:,}".format(each[key]) for each in found]
        print_row(cells)


def main(opt):
    with tempfile.TemporaryDirectory() as folder:
        print_cores(opt, folder)
        print()
        print_objectives(opt, folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
