#!/usr/bin/python3
"""Writes the table of figures on real models.

Usage: tools/figures.py <folder of real models> <tpuc-opt> <model_deploy> [output.md]
The folder is described in tools/real_models.py. From the top of the tree, after
./bazelw build //:tpuc-opt //:model_deploy:
  tools/figures.py $TPU_MEMORY_DATA/tpu_mlir bazel-bin/tpu_mlir/tools/{tpuc-opt/tpuc-opt,model_deploy/model_deploy} \\
      tpu_mlir/docs/guide/Figures.md
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import layer_group_figures  # noqa: E402
import real_models  # noqa: E402
import sharing_figures  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def number(value):
    return "-" if value is None else f"{value:,}"


def rounded(region, alignment):
    bound = region["lowerBoundBytes"]
    return (bound + alignment - 1) // alignment * alignment


def plan_rows(tools, folder):
    for name in real_models.models(folder):
        path = os.path.join(folder, name, "final_without_gmem.mlir")
        if not os.path.exists(path):
            continue
        header = real_models.read_header(os.path.join(folder, name, "final.mlir"))
        theirs = real_models.module_attributes(header)
        alignment = 16 if "private_size" in theirs else 4096  # base registers
        same = real_models.same_address_option(header)
        for mode in (theirs["addr_mode"], "in_reuse"):
            options = "io-mode=" + mode + (" " + same if same and mode == theirs["addr_mode"] else "")
            ours, regions, errors = tools.assign(path, options)
            if ours is None:
                sys.exit(f"{name}: {errors}")
            bound = rounded(real_models.planned_region(regions), alignment)
            other = theirs if mode == theirs["addr_mode"] else {}
            yield (name, theirs["chip"], mode, ours["coeff_size"], other.get("coeff_size"),
                   ours["neuron_size"], other.get("neuron_size"), bound,
                   ours.get("io_size", ours.get("private_size")),
                   other.get("io_size", other.get("private_size")))


def deploy_rows(tools, folder):
    for name in real_models.models(folder):
        final = os.path.join(folder, name, "final.mlir")
        theirs = real_models.module_attributes(real_models.read_header(final))
        for stage in ("top.mlir", "tpu.mlir"):
            path = os.path.join(folder, name, stage)
            if not os.path.exists(path):
                continue
            mode = theirs["mode"] if theirs["mode"] != "INT8" else "BF16"
            neurons = []
            for flags in ((), ("--disable_layer_group",)):
                ours, errors = tools.deploy(path, theirs["chip"], mode if stage == "top.mlir" else "", *flags)
                if ours is None or errors:
                    sys.exit(f"{name}/{stage}: {errors}")
                neurons.append(ours["neuron_size"])
            yield (name + "/" + stage, theirs["chip"], mode if stage == "top.mlir" else theirs["mode"],
                   ours["coeff_size"], *neurons)


def main():
    folder = sys.argv[1]
    tools = real_models.Tools(sys.argv[2], sys.argv[3])
    out = open(sys.argv[4], "w", encoding="utf-8") if len(sys.argv) > 4 else sys.stdout
    print("# Figures on real models\n", file=out)
    print("Made by `tools/figures.py` from dumps of tpu-mlir 1.26 and later and from `tpu_mlir/examples`, in the "
          "default build.\nAll sizes are bytes.\n", file=out)
    print("## The same layer groups, other addresses\n", file=out)
    print("`final_without_gmem.mlir`: tpu-mlir's final module with its layer groups, all global "
          "addresses removed.\nThe bound is the largest sum of storage alive at one step, rounded up to the "
          "alignment; no plan\nwith these live ranges needs less. Every plan here was accepted by "
          "`tpu-verify-addresses`.\n", file=out)
    print("| model | chip | I/O mode | coeff | tpu-mlir | neuron | tpu-mlir | bound | I/O or private | tpu-mlir |",
          file=out)
    print("|---|---|---|--:|--:|--:|--:|--:|--:|--:|", file=out)
    for row in plan_rows(tools, folder):
        print("| " + " | ".join(list(row[:3]) + [number(v) for v in row[3:]]) + " |", file=out)
    print("\n## From an import or a lowered module, in one command\n", file=out)
    print("`model_deploy` on `top.mlir` and `tpu.mlir`, with [layer groups](../passes/LayerGroup.md) of its own, and with every "
          "layer in global memory\n(`--disable_layer_group`). The live tensors differ from those above.\n", file=out)
    print("| module | chip | quantize | coeff | neuron | all global |", file=out)
    print("|---|---|---|--:|--:|--:|", file=out)
    for row in deploy_rows(tools, folder):
        print("| " + " | ".join(list(row[:3]) + [number(v) for v in row[3:]]) + " |", file=out)
    folders = [folder] + [more for more in (folder.rstrip("/") + "_more", folder.rstrip("/") + "_old") if os.path.isdir(more)]
    sharing_figures.write(out, tools, folders)
    layer_group_figures.write(out, tools, folder, os.path.join(ROOT, "tpu_mlir/examples"))


if __name__ == "__main__":
    main()
