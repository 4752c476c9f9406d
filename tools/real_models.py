"""Runs the tools on real tpu-mlir dumps and compares with tpu-mlir's own plans.

A folder of real models holds one folder a model with any of
  top.mlir                as imported
  tpu.mlir                lowered
  final.mlir              tpu-mlir's own result, addresses included
  final_without_gmem.mlir the same without any global address
"""
import json
import os
import re
import subprocess
import tempfile

ATTRIBUTES = ("coeff_size", "neuron_size", "io_size", "private_size")


def module_attributes(text):
    """The memory attributes of a printed module, and its chip, mode and addr_mode."""
    found = {}
    for name in ATTRIBUTES:
        match = re.search(r"module\.%s = (\d+)" % name, text)
        if match:
            found[name] = int(match.group(1))
    for name in ("chip", "mode", "addr_mode"):
        match = re.search(r'module\.%s = "([^"]*)"' % name, text)
        if match:
            found[name] = match.group(1)
    return found


def read_header(path):
    with open(path, encoding="utf-8") as file:
        return file.read(65536)


def run(command):
    """Runs a tool; returns (exit code, standard output, standard error)."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


class Tools:
    """Paths of the two programs under test."""

    def __init__(self, tpuc_opt, model_deploy):
        self.tpuc_opt = tpuc_opt
        self.model_deploy = model_deploy

    def assign(self, path, options):
        """Plans and verifies one module: (attributes, regions of the report, error text)."""
        with tempfile.TemporaryDirectory() as scratch:
            final, report = os.path.join(scratch, "final.mlir"), os.path.join(scratch, "report.json")
            code, _, errors = run([self.tpuc_opt, path, "--tpu-global-memory=" + options,
                                   "--tpu-memory-report=format=json file=" + report, "-o", final])
            if code != 0:
                return None, None, errors
            with open(report, encoding="utf-8") as file:
                regions = {r["name"]: r for r in json.load(file)["regions"]}
            return module_attributes(read_header(final)), regions, ""

    def local(self, path, passes, memory=None, chip=""):
        """Runs passes, checks the layer groups there are, when `memory` has options plans global memory, and
        reports on the groups, by their addresses then: (report, attributes, error text)."""
        with tempfile.TemporaryDirectory() as scratch:
            final, report = os.path.join(scratch, "final.mlir"), os.path.join(scratch, "local.json")
            chip = "chip=" + chip if chip else ""
            command = [self.tpuc_opt, path, *passes, "--tpu-verify-local=" + chip]
            if memory is not None:
                command += ["--tpu-global-memory=%s %s" % (memory, chip)]
            command += ["--tpu-local-report=format=json file=%s %s" % (report, chip), "-o", final]
            code, _, errors = run(command)
            if code != 0:
                return None, None, errors
            with open(report, encoding="utf-8") as file:
                return json.load(file), module_attributes(read_header(final)), ""

    def report(self, path):
        """The report on a module's layer groups as they stand: (report, None, error text)."""
        with tempfile.TemporaryDirectory() as scratch:
            report = os.path.join(scratch, "local.json")
            code, _, errors = run([self.tpuc_opt, path, "--tpu-local-report=format=json file=" + report,
                                   "-o", os.devnull])
            if code != 0:
                return None, None, errors
            with open(report, encoding="utf-8") as file:
                return json.load(file), None, ""

    def verify(self, path):
        """Runs the referees on an addressed module; the errors, empty when they accept."""
        code, _, errors = run([self.tpuc_opt, path, "--tpu-verify-addresses", "--tpu-verify-local", "-o", os.devnull])
        return errors if code else ""

    def deploy(self, path, chip, quantize, *flags):
        """The whole command: (attributes, error text); checks that all outputs are there."""
        with tempfile.TemporaryDirectory() as scratch:
            stem = os.path.join(scratch, "model")
            command = [self.model_deploy, "--mlir", path, "--model", stem, "--quiet", *flags]
            if chip:
                command += ["--chip", chip]
            if quantize:
                command += ["--quantize", quantize]
            code, _, errors = run(command)
            if code != 0:
                return None, errors
            for suffix in ("_final.mlir", "_memory.json", "_memory.txt"):
                if not os.path.getsize(stem + suffix):
                    return None, "empty output " + suffix
            errors = self.verify(stem + "_final.mlir")
            header = read_header(stem + "_final.mlir")
            attributes = module_attributes(header)
            alignment = int(re.search(r"module\.neuron_align = (\d+)", header).group(1))
            with open(stem + "_memory.json", encoding="utf-8") as file:
                fixed = fixed_bytes(json.load(file), alignment)
            return {**attributes, "fixed_size": fixed}, errors


def fixed_bytes(report, alignment):
    """Bytes of the neuron region that are there when the network ends, whatever else is done: its outputs, and its
    inputs where the I/O mode keeps them, each up to the next multiple of the alignment. 0 in a mode in which they are
    elsewhere."""
    kinds = {"basic": ("input", "output"), "in_reuse": ("output",)}.get(report["ioMode"], ())
    found = {(t["begin"], t["end"]) for t in report["tensors"]
             if t["kind"] in kinds and t["region"] in ("neuron", "shared")}
    return sum(-(begin - end) // alignment * alignment for begin, end in found)


def old_finals(folder):
    """Modules of early versions, of which nothing but the result is there: '<name>_final.mlir'."""
    return sorted(n for n in os.listdir(folder) if n.endswith("_final.mlir"))


def models(folder):
    """Names of the model folders, sorted."""
    return sorted(n for n in os.listdir(folder) if os.path.isdir(os.path.join(folder, n)))


def planned_region(regions):
    """The region that holds the neurons."""
    return regions.get("neuron") or regions["shared"]


def same_address_option(header):
    """tpu-mlir shares inputs and outputs of a decoder's state: the options that say so."""
    match = re.search(r"func\.func @main\((.*?)\) -> \(?(.*?)\)? \{", header, re.S)
    inputs = re.findall(r'"top\.Input"\(%arg(\d+)\).*?-> tensor<[^>]*?, (\d+) : i64>', header)
    outputs = re.findall(r", (\d+) : i64>", match.group(2)) if match else []
    pairs = [f"{i}:{o}" for i, address in inputs for o, out in enumerate(outputs) if address == out]
    return "same-addr=" + ",".join(pairs) if pairs else ""


def without_casts(lowered, final):
    """tpu-mlir may leave out the casts of inputs and outputs after `tpu.mlir`; the pass that does so here, too."""
    def inputs(header):
        return re.findall(r'"top\.Input".*?-> tensor<(?:\d+x)*(\w+)', header)

    def outputs(header):
        match = re.search(r"func\.func @main\(.*?\) -> (.*?) \{", header, re.S)
        return re.findall(r"tensor<(?:\d+x)*(\w+)", match.group(1)) if match else []

    changed = [name for name, of in (("inputs", inputs), ("outputs", outputs)) if of(lowered) != of(final)]
    if not changed:
        return []
    return ["--tpu-strip-io-cast=" + " ".join("%s=%s" % (name, str(name in changed).lower())
                                              for name in ("inputs", "outputs"))]
