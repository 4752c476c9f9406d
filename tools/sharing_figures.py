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


# Of the bytes: what has so many inputs and outputs among its neurons can hardly get smaller.
MOSTLY_IO = 0.8


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


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
    """Bytes of neurons, and those of them that inputs and outputs take whatever is done."""
    ours, errors = tools.deploy(path, chip, "", *flags)
    if ours is None and "TPUMEM-E009" in errors:
        # One group reads that input and makes that output.
        return neurons(tools, path, chip, *(f for f in flags if not f.startswith("--same_addr")))
    if ours is None or errors:
        sys.exit(f"{path}: {errors}")
    return ours["neuron_size"], ours["fixed_size"]


def row(tools, model, path, theirs, flags):
    apart = [flag if flag != "--regroup" else "--layer_group_max_layers=1" for flag in flags]
    alone = [*apart, "--regroup"] if "--regroup" in flags else [*flags, "--disable_layer_group"]
    figures = [neurons(tools, path, theirs["chip"], *some, *more) for some in (flags, alone) for more in (APART, ())]
    in_order = neurons(tools, path, theirs["chip"], *flags, "--kernels_in_order")[0]
    all_of_it = theirs["neuron_size"]
    return [model, os.path.basename(path), theirs["chip"], *(neuron for neuron, _ in figures), in_order, figures[1][1],
            all_of_it, figures[1][1] / all_of_it, in_order / all_of_it, figures[1][0] / all_of_it]


def rows(tools, folders):
    for folder in folders:
        for model in real_models.models(folder):
            theirs = real_models.module_attributes(real_models.read_header(os.path.join(folder, model, "final.mlir")))
            path, flags = source(folder, model)
            yield row(tools, model, path, theirs, flags)
        for name in real_models.old_finals(folder):
            path = os.path.join(folder, name)
            theirs = real_models.module_attributes(real_models.read_header(path))
            yield row(tools, name.removesuffix("_final.mlir"), path, theirs, ["--regroup"])


def write(out, tools, folders):
    print("\n## Order and sharing\n", file=out)
    print("Bytes of neurons as `model_deploy` plans them by default, in an [order](../passes/Reorder.md) that needs less "
          "and with results and pieces\nin the [place](../passes/ShareStorage.md) of others, and with `--order=text "
          "--share=none`. tpu-mlir's are those of its `final.mlir`, with its layer\ngroups. *I/O*: inputs and outputs, "
          "which are among the neurons and there together at the end in the I/O mode of the dump, with what rounding\nadds; nothing "
          "makes it less. *in order*: with layer groups and `--kernels_in_order`, on which no figure of the other columns counts.\n"
          "Of early versions there is nothing but the final module.\n", file=out)
    print("| model | module | chip | groups: apart | groups | all global: apart | all global | in order | I/O | tpu-mlir "
          "| I/O / tpu-mlir | in order / tpu-mlir | groups / tpu-mlir |", file=out)
    print("|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|", file=out)
    ratios, orders, free = [], [], []
    for line in rows(tools, folders):
        bound, order, ratio = line[-3:]
        ratios.append(ratio)
        orders.append(order)
        if bound <= MOSTLY_IO:
            free.append(ratio)
        print("| " + " | ".join(line[:3] + [number(v) for v in line[3:-3]] + [f"{v:.3f}" for v in line[-3:]]) + " |", file=out)
    print(f"\nGeometric mean of the last column: {mean(ratios):.3f}; with kernels in order {mean(orders):.3f}. In "
          f"{len(ratios) - len(free)} of the {len(ratios)} rows inputs and outputs alone are more than {MOSTLY_IO} of "
          f"tpu-mlir's bytes;\nthe mean of the others is {mean(free):.3f}.", file=out)
