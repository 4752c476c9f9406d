#!/usr/bin/env python3
"""Tables of tpu_mlir/docs/passes/LayerGroup.md, of the bundled networks: what each kind of group contributes, what the
objectives do, and what line buffers do to each network.

usage: tools/line_figures.py TPUC_OPT
"""

import json
import math
import os
import subprocess
import sys
import tempfile

from core_figures import NETWORKS, is_lowered

CHIPS = (("bm1684x", "F16"), ("bm1688", "F16"), ("cv184x", "BF16"), ("cv181x", "BF16"))
# Each with what the one before it has.
KINDS = (("runs of layers, cut along rows and columns", "reorder=false cut-channels=false"),
         ("cuts along channels", "reorder=false"),
         ("any convex set of layers", ""),
         ("line buffers", "line-buffers=true"))
OBJECTIVES = (("`cycles`", "objective=cycles"), ("`balanced`", ""), ("`traffic`", "objective=traffic"),
              ("`traffic`, line buffers", "objective=traffic line-buffers=true"))


def report_of(opt, network, chip, mode, options, folder):
    path = os.path.join("tpu_mlir/examples", network + ".mlir")
    report = os.path.join(folder, "report.json")
    command = [opt, path]
    if not is_lowered(path):
        command.append("--convert-top-to-tpu=mode=%s chip=%s" % (mode, chip))
    command += ["--tpu-layer-group=remarks=false chip=%s %s" % (chip, options), "--tpu-verify-local=chip=" + chip,
                "--tpu-local-report=chip=%s format=json file=%s" % (chip, report), "-o", os.devnull]
    subprocess.run(command, check=True)
    with open(report, encoding="utf-8") as file:
        return json.load(file)


def figures_of(*asked):
    """Traffic, the least traffic, and cycles with waits."""
    figures = report_of(*asked)
    total = figures["totals"]["all"]
    return total["trafficBytes"], figures["bound"]["trafficBytes"], total["cycles"] + total["waitCycles"]


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def contributions(found, kinds):
    print("| chip | | " + " | ".join(name for name, _ in kinds) + " |")
    print("|---|---|" + "--:|" * len(kinds))
    for chip, _ in CHIPS:
        traffic, cycles = [], []
        for _, options in kinds:
            rows = [(found[chip, network, options], found[chip, network, kinds[0][1]]) for network in NETWORKS]
            traffic.append("%.3f" % mean([row[0] / row[1] for row, _ in rows]))
            cycles.append("%.3f" % mean([row[2] / first[2] for row, first in rows]))
        print("| %s | traffic, times the least | %s |" % (chip, " | ".join(traffic)))
        print("| | cycles and waits, of the first column | %s |" % " | ".join(cycles))


def line_buffers(found):
    print("| network | chip | traffic | over the least | with line buffers | over the least | cycles and waits |"
          " with line buffers |")
    print("|---|---|" + "--:|" * 6)
    for chip, _ in CHIPS:
        ratios = []
        for network in NETWORKS:
            without, with_lines = (found[chip, network, options] for _, options in KINDS[-2:])
            ratios.append(with_lines[0] / without[0])
            if without[0] != with_lines[0]:
                print("| `%s.mlir` | %s | %s | %.2f | %s | %.2f | %s | %s |" % (
                    network, chip, "{:,}".format(without[0]), without[0] / without[1], "{:,}".format(with_lines[0]),
                    with_lines[0] / with_lines[1], "{:,}".format(without[2]), "{:,}".format(with_lines[2])))
        print("| all eight | %s | | | %.3f times as much | | | |" % (chip, mean(ratios)))


def main(opt):
    with tempfile.TemporaryDirectory() as folder:
        found = {(chip, network, options): figures_of(opt, network, chip, mode, options, folder)
                 for chip, mode in CHIPS for network in NETWORKS
                 for options in {options for _, options in KINDS + OBJECTIVES}}
    for kinds in (KINDS, OBJECTIVES):
        contributions(found, kinds)
        print()
    line_buffers(found)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
