"""The tables of figures on layer groups: ours, tpu-mlir's, and every layer in global memory.

All numbers are those of tpu-local-report, which counts from the module alone, and of module attributes. Every
grouping is checked by tpu-verify-local and tpu-verify-addresses on the way; one that they refuse ends the program.
"""
import os
import sys

import real_models

# Only groups of two layers and more are made: with one layer at most, all groups there are dissolve.
NO_GROUPS = "--tpu-layer-group=regroup=true remarks=false max-layers=1"
OBJECTIVES = ("balanced", "cycles", "traffic")
# Chips of four families, and the float type that each has.
CHIPS = (("bm1684x", "F16"), ("bm1688", "F16"), ("cv184x", "BF16"), ("cv181x", "BF16"))

# Why a module may move or take more than tpu-mlir's, where that is known: (folder, file) to a sentence.
REASONS = {}


def grouped(objective, regroup=True):
    return "--tpu-layer-group=remarks=false objective=%s%s" % (objective, " regroup=true" if regroup else "")


def number(value):
    return "-" if value is None else f"{value:,}"


def must(result, name):
    if result[0] is None:
        sys.exit(f"{name}: {result[2]}")
    return result[0], result[1]


class Real:
    """One module of tpu-mlir, grouped anew, next to what tpu-mlir made of it."""

    def __init__(self, tools, folder, model, stage, objective):
        self.model, self.stage, self.objective = model, stage, objective
        path, final = os.path.join(folder, model, stage), os.path.join(folder, model, "final.mlir")
        header = real_models.read_header(final)
        attributes = real_models.module_attributes(header)
        same = real_models.same_address_option(header)
        mode = "io-mode=" + attributes["addr_mode"] + (" " + same if same else "")
        self.chip = attributes["chip"]
        self.name = model + "/" + stage
        chip = " chip=" + self.chip
        strip = real_models.without_casts(real_models.read_header(path), header)
        self.neuron_note = ""
        result = tools.local(path, strip + [grouped(objective) + chip], mode)
        if "TPUMEM-E009" in result[2]:
            # One group reads that input and makes that output: they cannot share an address.
            self.neuron_note = "an input and an output cannot share an address, as one group reads and writes them"
            result = tools.local(path, strip + [grouped(objective) + chip], mode.split(" ")[0])
        self.ours, memory = must(result, self.name)
        self.none, _ = must(tools.local(path, strip + [NO_GROUPS + chip]), self.name)
        # Of tpu-mlir's own module only the report: what it says of itself is in its attributes.
        self.theirs, _ = must(tools.report(final), final)
        if self.neuron_note and "io_size" in memory:
            self.neuron_note += f": region `io` {memory['io_size']:,}, tpu-mlir {attributes['io_size']:,}"
        self.neuron, self.their_neuron = memory["neuron_size"], attributes["neuron_size"]

    def numbers(self):
        """What is compared: (what, ours, theirs)."""
        ours, theirs = self.ours["totals"]["all"], self.theirs["totals"]["all"]
        yield "traffic", ours["trafficBytes"], theirs["trafficBytes"]
        # What is minimised: waits for banks count.
        yield "cycles", ours["cycles"] + ours["waitCycles"], theirs["cycles"] + theirs["waitCycles"]
        yield "neuron", self.neuron, self.their_neuron


def reals(tools, folder):
    for model in real_models.models(folder):
        for stage in ("final_without_gmem.mlir", "tpu.mlir"):
            if os.path.exists(os.path.join(folder, model, stage)):
                for objective in OBJECTIVES:
                    yield Real(tools, folder, model, stage, objective)


def write_table(out, heading, columns, rows):
    texts = sum(isinstance(cell, str) for cell in rows[0])
    print("| " + " | ".join([heading] + columns) + " |", file=out)
    print("|" + "---|" * texts + "--:|" * (len(columns) + 1 - texts), file=out)
    for row in rows:
        print("| " + " | ".join(cell if isinstance(cell, str) else number(cell) for cell in row) + " |", file=out)


def counts(report):
    """Groups, layers in them and layers that cost something or are in a group."""
    totals = report["totals"]
    return [len(report["groups"]), totals["grouped"]["numLayers"], totals["all"]["numLayers"]]


def write_reals(out, rows):
    traffic, time = [], []
    for row in rows:
        ours, theirs, none = (r["totals"]["all"] for r in (row.ours, row.theirs, row.none))
        traffic.append([row.name, row.objective, *counts(row.ours), ours["trafficBytes"], theirs["trafficBytes"],
                        none["trafficBytes"], row.neuron, row.their_neuron])
        time.append([row.name, row.objective, ours["cycles"], theirs["cycles"], none["cycles"], ours["waitCycles"],
                     theirs["waitCycles"]])
    write_table(out, "module", ["objective", "groups", "layers in them", "of", "traffic", "tpu-mlir", "all global",
                                "neuron", "tpu-mlir"], traffic)
    print(file=out)
    write_table(out, "module", ["objective", "cycles", "tpu-mlir", "all global", "waits", "tpu-mlir"], time)
    print(file=out)
    write_exceptions(out, rows)


def write_exceptions(out, rows):
    """Where one of our numbers is above tpu-mlir's: all of them, with the reason if it is known."""
    lines = []
    for row in rows:
        for what, ours, theirs in row.numbers():
            if ours <= theirs:
                continue
            if what in OBJECTIVES and what != row.objective:
                why = f"{row.objective} is what was minimised."
            else:
                why = REASONS.get((row.model, row.stage), "no reason is known: a better grouping may exist.")
            label = "cycles with waits" if what == "cycles" else what
            lines.append(f"* `{row.name}`, objective {row.objective}: {label} {ours:,}, tpu-mlir {theirs:,}: {why}")
    lines += [f"* `{row.name}`, objective {row.objective}: {row.neuron_note}." for row in rows if row.neuron_note]
    if lines:
        print("Where ours is above tpu-mlir's, or differs otherwise:\n\n" + "\n".join(lines), file=out)
    else:
        print("No number of ours is above tpu-mlir's.", file=out)
    print(file=out)


def examples(tools, folder):
    for file in sorted(os.listdir(folder)):
        if not file.endswith(".mlir"):
            continue
        path = os.path.join(folder, file)
        is_top = "TPU_LOWERED" not in real_models.read_header(path)
        for chip, mode in CHIPS:
            lower = ["--convert-top-to-tpu=mode=%s chip=%s" % (mode, chip)] if is_top else []
            name = f"{file} on {chip}"
            none, all_global = must(tools.local(path, lower + [NO_GROUPS + " chip=" + chip], "", chip), name)
            for objective in ("balanced", "cycles"):
                ours, memory = must(tools.local(path, lower + [grouped(objective) + " chip=" + chip], "", chip), name)
                all_ours, all_none = ours["totals"]["all"], none["totals"]["all"]
                yield [f"`{file}`", chip, mode if is_top else "F32", objective, *counts(ours),
                       all_ours["trafficBytes"], all_none["trafficBytes"], all_ours["cycles"], all_ours["waitCycles"],
                       all_none["cycles"], memory["neuron_size"], all_global["neuron_size"]]


def write(out, tools, folder, example_folder):
    print("\n## Layer groups\n", file=out)
    print("Traffic is bytes between global and local memory, cycles are those of the "
          "[open cost model](../passes/LayerGroup.md#cost-model), waits\nwhat bank conflicts may add to them. All columns are "
          "counted by `tpu-local-report` from the modules, tpu-mlir's from its own\n`final.mlir`. Every grouping of "
          "ours was accepted by `tpu-verify-local` and, with its addresses, by `tpu-verify-addresses`.\n", file=out)
    print("`final_without_gmem.mlir`: tpu-mlir's groups are dissolved and the same ops grouped anew "
          "(`regroup=true`). `tpu.mlir`: as lowered,\nwithout the casts of inputs and outputs "
          "(`tpu-strip-io-cast`) where tpu-mlir left them out. tpu-mlir goes on to rewrite ops before\nit groups "
          "them, so its column (always of `final.mlir`) is for other ops there.\n", file=out)
    write_reals(out, list(reals(tools, folder)))
    print("### Bundled examples\n", file=out)
    print("There is no result of tpu-mlir for them. `balanced` is the default.\n", file=out)
    rows = list(examples(tools, example_folder))
    write_table(out, "module", ["chip", "type", "objective", "groups", "layers in them", "of", "traffic", "all global",
                                "cycles", "waits", "all global", "neuron", "all global"], rows)
