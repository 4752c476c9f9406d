"""The table of figures on the order of ops and on what tensors share, next to what tpu-mlir's own modules need.

Every module is planned by model_deploy in the I/O mode of tpu-mlir's module, and checked by the referees. The one that
tpu-mlir lowered is taken where it is there, without the casts of inputs and outputs that tpu-mlir left out, else its
final one with the layer groups taken apart and made anew.
"""
import math
import os
import sys

import real_models

APART = ("--order=text", "--share=none")


def number(value):
    return "-" if value is None else f"{value:,}"


def source(folder, model):
    """(file, flags) of what is planned."""
    header = real_models.read_header(os.path.join(folder, model, "final.mlir"))
    attributes = real_models.module_attributes(header)
    same = real_models.same_address_option(header).replace("same-addr=", "--same_addr=")
    flags = ["--addr_mode=" + attributes["addr_mode"], *([same] if same else [])]
    path = os.path.join(folder, model, "tpu.mlir")
    if not os.path.exists(path):
        return os.path.join(folder, model, "final_without_gmem.mlir"), [*flags, "--regroup"]
    strip = " ".join(real_models.without_casts(real_models.read_header(path), header))
    return path, flags + [flag for flag, word in (("--quant_input", "inputs=true"), ("--quant_output", "outputs=true"))
                          if word in strip]


def neurons(tools, path, chip, *flags):
    """(bytes, whether inputs and outputs share addresses as asked for)."""
    ours, errors = tools.deploy(path, chip, "", *flags)
    if ours is None and "TPUMEM-E009" in errors:
        # One group reads that input and makes that output.
        return neurons(tools, path, chip, *(f for f in flags if not f.startswith("--same_addr")))
    if ours is None or errors:
        sys.exit(f"{path}: {errors}")
    return ours["neuron_size"]


def rows(tools, folders):
    for folder in folders:
        for model in real_models.models(folder):
            theirs = real_models.module_attributes(real_models.read_header(os.path.join(folder, model, "final.mlir")))
            path, flags = source(folder, model)
            apart = [flag if flag != "--regroup" else "--layer_group_max_layers=1" for flag in flags]
            alone = [*apart, "--regroup"] if "--regroup" in flags else [*flags, "--disable_layer_group"]
            figures = [neurons(tools, path, theirs["chip"], *some, *more)
                       for some in (flags, alone) for more in (APART, ())]
            yield [model, os.path.basename(path), theirs["chip"], *figures, theirs["neuron_size"],
                   figures[1] / theirs["neuron_size"]]


def write(out, tools, folders):
    print("\n## Order and sharing\n", file=out)
    print("Bytes of neurons as `model_deploy` plans them by default, in an [order](../passes/Reorder.md) that needs less "
          "and with results and pieces\nin the [place](../passes/ShareStorage.md) of others, and with `--order=text "
          "--share=none`. tpu-mlir's are those of its `final.mlir`, with its layer\ngroups. Inputs and outputs are there "
          "for the whole run where the I/O mode is not `in_reuse`: what they take nothing makes less.\n", file=out)
    print("| model | module | chip | groups: apart | groups | all global: apart | all global | tpu-mlir | groups / tpu-mlir |",
          file=out)
    print("|---|---|---|--:|--:|--:|--:|--:|--:|", file=out)
    ratios = []
    for row in rows(tools, folders):
        ratios.append(row[-1])
        print("| " + " | ".join(row[:3] + [number(v) for v in row[3:8]] + [f"{row[-1]:.3f}"]) + " |", file=out)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"\nGeometric mean of the last column: {mean:.3f}.", file=out)
