#!/usr/bin/python3
"""Writes the table of docs/guide/Fit.md on how little memory networks can do with.

Usage: tools/fit_figures.py <model_deploy> [folder of real models]...
From the top of the tree, after ./bazelw build //:model_deploy. Each network takes minutes: model_deploy --pareto makes
and measures some hundred modules.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import real_models  # noqa: E402

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "tpu_mlir/examples")
BUNDLED = ("unet", "llama_block", "densenet121", "yolo_fpn")
REAL = ("yolov5s_bm1684x_f16", "yolov8s_cv181x_int8")
# Work that a row may have against the first one.
LITTLE_MORE = 1.1


def networks(folders):
    """(name, path, flags) of what is there."""
    for name in BUNDLED:
        yield name, os.path.join(EXAMPLES, name + ".mlir"), ["--chip=bm1684x", "--quantize=F16"]
    for folder in folders:
        for name in real_models.models(folder):
            if name in REAL:
                yield name, os.path.join(folder, name, "tpu.mlir"), []


def front(deploy, path, flags):
    with tempfile.TemporaryDirectory() as folder:
        stem = os.path.join(folder, "net")
        subprocess.run([deploy, "--mlir", path, "--model", stem, "--pareto", "--addr_mode=basic", "--quiet", *flags], check=True)
        with open(stem + "_fit.json", encoding="utf-8") as file:
            return json.load(file)


def line(name, found):
    rows = found["rows"]
    first = rows[0]
    small = [row for row in rows if row["work"] <= LITTLE_MORE * first["work"]]

    def cells(row):
        return f"{row['neuronBytes']:,} | {row['neuronBytes'] / first['neuronBytes']:.2f} | {row['work'] / first['work'] - 1:+.1%}"
    least = min(rows, key=lambda row: row["neuronBytes"])
    floor = f"{found['floorBytes']:,}" if found["floorBytes"] else "elsewhere"
    return f"| {name} | {first['neuronBytes']:,} | {cells(min(small, key=lambda row: row['neuronBytes']))} | {cells(least)} | {floor} |"


def main():
    print("| network | as it is | at most 10 % more work | of it | work | least found | of it | work | inputs and outputs |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name, path, flags in networks(sys.argv[2:]):
        print(line(name, front(sys.argv[1], path, flags)), flush=True)


if __name__ == "__main__":
    main()
