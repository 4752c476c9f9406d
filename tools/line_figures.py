#!/usr/bin/env python3
"""The table of line buffers in tpu_mlir/docs/passes/LayerGroup.md: traffic of the bundled networks over the least.

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


def report_of(opt, network, chip, mode, options, folder):
    path = os.path.join("tpu_mlir/examples", network + ".mlir")
    report = os.path.join(folder, "report.json")
    command = [opt, path]
    if not is_lowered(path):
        command.append("--convert-top-to-tpu=mode=%s chip=%s" % (mode, chip))
    command += ["--tpu-local-memory=remarks=false chip=%s %s" % (chip, options),
                "--tpu-local-report=chip=%s format=json file=%s" % (chip, report), "-o", os.devnull]
    subprocess.run(command, check=True)
    with open(report, encoding="utf-8") as file:
        return json.load(file)


def main(opt):
    print("| network | chip | traffic | over the least | with line buffers | over the least | cycles and waits |"
          " with line buffers |")
    print("|---|---|" + "--:|" * 6)
    with tempfile.TemporaryDirectory() as folder:
        for chip, mode in CHIPS:
            logs = []
            for network in NETWORKS:
                cells, traffic = [], []
                for lines in ("false", "true"):
                    figures = report_of(opt, network, chip, mode, "line-buffers=" + lines, folder)
                    total, least = figures["totals"]["all"], figures["bound"]["trafficBytes"]
                    traffic.append(total["trafficBytes"])
                    cells.append(("{:,}".format(total["trafficBytes"]), "%.2f" % (total["trafficBytes"] / least),
                                  "{:,}".format(total["cycles"] + total["waitCycles"])))
                logs.append(math.log(traffic[1] / traffic[0]))
                if traffic[0] != traffic[1]:
                    print("| `%s.mlir` | %s | %s | %s | %s | %s | %s | %s |" % (
                        network, chip, *cells[0][:2], *cells[1][:2], cells[0][2], cells[1][2]))
            print("| all eight | %s | | | %.3f times as much | | | |" % (
                chip, math.exp(sum(logs) / len(logs))), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
