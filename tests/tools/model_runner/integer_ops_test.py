"""Every Top op in INT8, on every chip that has integers: it becomes integers or floats, as the guide's table says, and is nowhere refused;
and what it computes on its plan is near to what the floats compute, with zero points and as floats of 8 bits, too.

The ops and their attributes are those of the toolchain's own tables, $TPU_MEMORY_DATA/tpu_mlir_ops."""
import collections
import glob
import json
import math
import os
import re
import subprocess
import tempfile
import unittest

from arrays import read_arrays, write_arrays
from attributes_test import CASES, ROOT, RUNNER, TABLES, fields, module_of, others, text_of
from lowering_test import CARRIED, FRAME, operands_of

TOOLS = os.path.join(ROOT, "tpu_mlir/tools")
GUIDE = os.path.join(ROOT, "tpu_mlir/docs/guide/Quantize.md")
SHAPE = "tensor<2x4x4x4xf32>"
KINDS = (("integers", "!quant.uniform"), ("bf16", "bf16"), ("f16", "f16"), ("f32", "f32"), ("indices", "i32"))
# Steps and jumps: an input that is rounded to the other side of one gives another number.
JUMPS = set("Ceil Floor Round Sign Compare CompareConst LogicalAnd Not Mod Remainder".split())


def chips():
    """Those with integers, by the bytes of a channel's requantisation."""
    for path in sorted(glob.glob(os.path.join(ROOT, "tpu_mlir/chips/*.json"))):
        with open(path, encoding="utf-8") as file:
            chip = json.load(file)
        if chip.get("requantBytes") in (5, 8, 12) and chip["batchLayout"] == "1N":
            yield chip["name"], "fraction" if chip["requantBytes"] == 5 else "shift"


def generic(name, op, record, attributes, weight):
    """All operands have one shape; the one at `weight` is a constant."""
    count, results = operands_of(record), max(len(record["results"]), 1)
    lines = ['%%x%d = "top.%s"(%s) : (%s) -> %s loc("x%d")' % (
        (i, "Weight", "", "", SHAPE, i) if i == weight else (i, "Input", "%%a%d" % i, SHAPE, SHAPE, i)) for i in range(count)]
    lines.append('%%y%s = "top.%s"(%s) {%s} : (%s) -> (%s) loc(%s)' % (
        ":%d" % results if results > 1 else "", op, ", ".join("%%x%d" % i for i in range(count)), attributes, ", ".join([SHAPE] * count),
        ", ".join([SHAPE] * results), 'fused[%s]' % ", ".join('"y%d"' % i for i in range(results)) if results > 1 else '"y"'))
    return "module @%s {\nfunc.func @main(%s) -> (%s) {\n%s\nreturn %s : %s\n}\n}\n" % (
        name, ", ".join("%%a%d: %s" % (i, SHAPE) for i in range(count) if i != weight), ", ".join([SHAPE] * results), "\n".join(lines),
        ", ".join(["%y"] if results == 1 else ["%%y#%d" % i for i in range(results)]), ", ".join([SHAPE] * results))


def attributes_of(record):
    """None, all at an unusual value, and each of them alone, at each of its values."""
    given = {each["name"]: others(each, {}, str(each.get("default", ""))) for each in record["attributes"] if "enum" not in each}
    given = {name: values for name, values in given.items() if values}
    if "kernel_shape" in given:
        given["kernel_shape"] = ["[2, 2]"]
    return ["", text_of({name: values[-1] for name, values in given.items()})] + [
        "%s = %s" % (name, value) for name, values in given.items() for value in values]


def float_cases(op):
    """Those without integers of few bits; and again with each float in turn as a constant, where another one is none."""
    for operands, results, attributes in CASES.get(op, []):
        if re.search(r"\b[qbu]\d", operands + " " + results):
            continue
        tensors = operands.split()
        yield operands, results, attributes
        floats = [i for i, tensor in enumerate(tensors) if tensor[0] == "f"]
        for i in floats if len(floats) > 1 else []:
            yield " ".join(tensors[:i] + ["@" + tensors[i]] + tensors[i + 1:]), results, attributes


def cosine(a, b):
    size = lambda values: math.sqrt(math.fsum(value * value for value in values))
    return math.fsum(x * y for x, y in zip(a, b)) / (size(a) * size(b)) if size(a) and size(b) else float(size(a) == size(b))


class IntegerOps(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        if not os.path.isdir(TABLES):
            self.skipTest("TPU_MEMORY_DATA is not set: there is no table of ops")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.tables = {}
        for dialect in ("top", "tpu"):
            with open(os.path.join(TABLES, dialect + ".json"), encoding="utf-8") as file:
                self.tables[dialect] = json.load(file)["ops"]

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, name, *flags):
        done = subprocess.run([os.path.join(TOOLS, name, name), *flags], cwd=self.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        return done.stderr

    def ops(self):
        return [(op, record) for op, record in self.tables["top"].items() if op not in FRAME and not record.get("regions")]

    def modules(self):
        """One op each: name -> op, text."""
        made = {}
        for op, record in self.ops():
            count = operands_of(record)
            for weight in [None] + list(range(count if count > 1 else 0)):
                for attributes in attributes_of(record) if weight is None else [""]:
                    name = "m%d" % len(made)
                    made[name] = op, generic(name, op, record, attributes, weight)
            names = {attribute["name"] for attribute in record["attributes"]}
            for case in float_cases(op):
                name = "m%d" % len(made)
                text, _ = module_of("top." + op, case, text_of({key: text for key, text in fields(case[2]).items() if key in names}))
                made[name] = op, text.replace("module {", "module @%s {" % name)
        return made

    def check_attributes(self, lowered, kept, what):
        """Each op of the Tpu dialect has attributes of its record; those in `kept`, which was remarked on, may have the Top op's."""
        for op, text in re.findall(r'"tpu\.(\w+)"\([^)]*\)(?: \{(.*?)\})? : ', lowered):
            record = self.tables["tpu"].get(op)
            if record:
                known = {attribute["name"] for attribute in record["attributes"]} | set(CARRIED) | kept.get(op, set())
                self.assertLessEqual(set(re.findall(r"(\w+) = ", re.sub(r"<[^>]*>|\{.*?\}", "", text))), known, what)

    def kinds_of(self, lowered):
        """What elements the results of the ops are that stand for the one op."""
        kinds = set()
        for op, types in re.findall(r'"tpu\.(\w+)"\([^\n]* -> ([^\n]*) loc\((?:"y|fused\["y)', lowered):
            # Borders, and what an op puts in front of itself.
            if op in ("Cast", "MulShift"):
                continue
            elements = re.findall(r"tensor<(?:\d+x)*(?:!quant\.calibrated<)?(!quant\.uniform|\w+)", types)
            kinds.update(kind for kind, word in KINDS if word in elements)
        return kinds

    def lower_all(self, chip, made):
        """How each op came out: op -> kinds."""
        with open(self.path("all.mlir"), "w", encoding="utf-8") as file:
            file.write("\n// -----\n".join(text for _, text in made.values()))
        done = subprocess.run(
            [os.path.join(TOOLS, "tpuc-opt/tpuc-opt"), "all.mlir", "--split-input-file", "--import-calibration-table=chip=" + chip,
             "--convert-top-to-tpu=mode=INT8 chip=" + chip, "--tpu-reorder-weights=chip=" + chip, "--mlir-print-debuginfo",
             "--mlir-print-local-scope"], cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual([line for line in done.stderr.splitlines() if "error:" in line], [])
        self.assertEqual(done.returncode, 0)
        found = dict(re.findall(r"^ *module @(m\d+) (.*?\n)(?= *module @|\Z)", done.stdout, re.MULTILINE | re.DOTALL))
        self.assertEqual(set(found), set(made))
        remarked = set(re.findall(r"'top\.(\w+)' has no rule.*: it becomes 'tpu\.(\w+)'", done.stderr))
        kinds = collections.defaultdict(set)
        for name, (op, text) in made.items():
            what = "%s: %s" % (chip, text)
            self.assertNotRegex(found[name], r'"top\.(?!Weight|Input|None)', what)
            given = set(re.findall(r"(\w+) = ", re.search(r'"top\.%s"\([^)]*\) \{(.*?)\} : ' % op, text)[1]))
            self.check_attributes(found[name], {tpu: given for top, tpu in remarked if top == op}, what)
            # Declared integers are integers of the model, and have no range.
            if not re.search(r"\nreturn .*x[su]?i\d", text):
                kinds[op].update(self.kinds_of(found[name]))
        return kinds

    def rows_of(self, scheme, kinds):
        """Of the guide's table, for one kind of chip: kinds -> ops."""
        rows = collections.defaultdict(list)
        for op, found in sorted(kinds.items()):
            words = ["half" if kind in ("bf16", "f16") else kind for kind, _ in KINDS if kind in found]
            rows[", ".join(words) or "-"].append("`%s`" % op)
        return ["| %s | %s | %s |\n" % (scheme, kind, " ".join(ops)) for kind, ops in sorted(rows.items())]

    def test_every_op_is_lowered_as_the_guide_says(self):
        made, tables = self.modules(), collections.defaultdict(dict)
        for chip, scheme in chips():
            kinds = self.lower_all(chip, made)
            self.assertEqual(set(kinds), {op for op, _ in self.ops()})
            tables[scheme][chip] = self.rows_of(scheme, kinds)
        for scheme, by_chip in tables.items():
            for chip, rows in by_chip.items():
                self.assertEqual(rows, next(iter(by_chip.values())), chip)
        with open(GUIDE, encoding="utf-8") as file:
            said = re.search(r"<!-- integers of ops -->\n(.*?)<!-- end of integers -->", file.read(), re.DOTALL)[1]
        self.assertEqual(said, "| chip | result | ops |\n|---|---|---|\n" + "".join(
            "".join(next(iter(by_chip.values()))) for _, by_chip in sorted(tables.items())))

    def bundle(self):
        """All cases in one module, each with inputs of its own; and the numbers of all inputs and weights."""
        runnable = subprocess.run([RUNNER, "--kernels"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True).stdout.split()
        arguments, lines, results, kinds, arrays = [], ['%none = "top.None"() : () -> none'], [], [], {}
        for op, record in self.ops():
            names = {attribute["name"] for attribute in record["attributes"]}
            for number, case in enumerate(float_cases(op) if "top." + op in runnable else []):
                prefix = "%s%d_" % (op.lower(), number)
                text, own = module_of("top." + op, case, text_of({key: text for key, text in fields(case[2]).items() if key in names}))
                text = re.sub(r"%(x\d+|y)\b", r"%" + prefix + r"\1", re.sub(r'"([xy]\d*)"', '"' + prefix + r'\1"', text))
                text = re.sub(r"%arg(\d+)", lambda match: "%" + prefix + "arg" + match[1], text)
                arrays.update((prefix + name, numbers) for name, numbers in own.items())
                head, body = re.search(r"@main\((.*?)\) -> .*? \{\n(.*)\n\}\n\}", text, re.DOTALL).groups()
                *own_lines, last = body.splitlines()
                arguments += [head] if head else []
                lines += own_lines[1:]
                values, types = re.match(r"return (.*) : (.*)", last).groups()
                results.append(values)
                kinds.append(types)
        return 'module attributes {module.state = "TOP_F32", module.weight_file = "in.npz"} {\nfunc.func @main(%s) -> (%s) {\n%s\nreturn %s : %s\n}\n}\n' % (
            ", ".join(arguments), ", ".join(kinds), "\n".join(lines), ", ".join(results), ", ".join(kinds)), arrays

    def test_numbers_are_near_those_of_floats(self):
        text, arrays = self.bundle()
        with open(self.path("net.mlir"), "w", encoding="utf-8") as file:
            file.write(text)
        write_arrays(self.path("in.npz"), arrays)
        self.call("model_runner", "--model=net.mlir", "--memory=value", "--input=in.npz", "--weight=in.npz", "--output=f32.npz", "--quiet")
        self.call("model_calibrate", "--mlir=net.mlir", "--weight=in.npz", "--dataset=in.npz", "--cali_method=max", "-o", "table", "--quiet")
        wanted = read_arrays(self.path("f32.npz"))
        for chip, flags in (("bm1684x", ["INT8"]), ("bm1688", ["INT8", "--asymmetric"]), ("bm1690", ["F8E4M3"]), ("cv184x", ["INT8"]),
                            ("cv181x", ["INT8"]), ("cv183x", ["INT8"])):
            self.call("model_deploy", "--mlir=net.mlir", "--chip=" + chip, "--calibration_table=table", "--model=low", "--quiet", "--quantize", *flags)
            self.call("model_runner", "--model=low_final.mlir", "--input=in.npz", "--weight=low_weights.npz", "--output=out.npz", "--quiet")
            have = read_arrays(self.path("out.npz"))
            for name, numbers in wanted.items():
                with self.subTest(chip=chip, flags=flags, output=name):
                    # What is not f32 on the chip comes back under a name of its own.
                    self.check_near(name, numbers, next((have[name + end] for end in ("_f32", "_dequant", "") if name + end in have), None))

    def check_near(self, name, wanted, have):
        self.assertIsNotNone(have)
        self.assertEqual(len(have), len(wanted))
        pairs = [pair for pair in zip(wanted, have) if math.isfinite(pair[0])]
        if name.rsplit("_", 1)[0].rstrip("0123456789") in {op.lower() for op in JUMPS} or isinstance(wanted[0], int):
            return
        near = cosine([pair[0] for pair in pairs], [pair[1] for pair in pairs])
        self.assertGreaterEqual(near, 0.99, "%s\n%s" % ([pair[0] for pair in pairs], [pair[1] for pair in pairs]))


if __name__ == "__main__":
    unittest.main()
