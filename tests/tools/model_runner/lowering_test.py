"""What becomes of each Top op: an op of the Tpu dialect with attributes that it has, which computes the same numbers, or a remark.

The ops and their attributes are those of the toolchain's own tables, $TPU_MEMORY_DATA/tpu_mlir_ops."""
import json
import os
import re
import subprocess
import tempfile
import unittest

from arrays import read_arrays, write_arrays
from attributes_test import CASES, ROOT, RUNNER, TABLES, fields, module_of, others, text_of

TOOL = os.path.join(ROOT, "tpu_mlir/tools/tpuc-opt/tpuc-opt")
# The network's frame.
FRAME = set("Input None Weight If Loop Yield List Tuple UnTuple Custom".split())
# Attributes that the Tpu op gets though its record has no such: the toolchain's own lowering leaves them, too, and they are at the one value
# with which they mean nothing (else there is a remark), or say nothing about numbers of floats.
CARRIED = {
    "is_scalar": "of the front end", "keepdims": "the type says it",
    "scale": "1", "bias": "0", "log": "the mode says it", "dynweight_reorderd": "false",
    "in_int4_scale": "for integers", "in_int4_zp": "for integers", "out_int8_scale": "for integers", "out_int8_zp": "for integers",
    "round_mode": "for integers", "first_round_mode": "for integers", "do_winograd": "how the chip computes", "ceil_mode": "the type says it",
    "weight_bits": "of packed weights", "weight_is_coeff": "the operand says it", "inserts": "zeros, or refused",
    "output_padding": "the type says it",
}


def operands_of(record):
    operands = [each for each in record["operands"] if each["count"] != "optional"]
    return max(len(operands), 1) if all(each["count"] == "one" for each in operands) else max(len(operands), 2)


class Lowering(unittest.TestCase):
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

    def lower(self, text, mode="F32"):
        """The lowered module, and what was said."""
        with open(self.path("net.mlir"), "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([TOOL, self.path("net.mlir"), "--convert-top-to-tpu=mode=" + mode, "--mlir-print-debuginfo", "-o",
                               self.path("low.mlir")], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 0, text + done.stderr)
        with open(self.path("low.mlir"), encoding="utf-8") as file:
            return file.read(), done.stderr

    def check_attributes(self, lowered, said, what):
        """Each op of the Tpu dialect is one of its table with attributes of its record, or was remarked on."""
        for op, text in re.findall(r'"tpu\.(\w+)"\([^)]*\)(?: \{(.*?)\})? : ', lowered):
            record = self.tables["tpu"].get(op)
            if re.search(r"has no rule.*: it becomes 'tpu\.%s'" % op, said):
                continue
            self.assertIsNotNone(record, what)
            known = {attribute["name"] for attribute in record["attributes"]}
            self.assertLessEqual(set(re.findall(r"(\w+) = ", re.sub(r"<[^>]*>", "", text))) - set(CARRIED), known, "%s -> tpu.%s" % (what, op))

    def generic(self, op, record, attributes):
        shape = "tensor<2x4x4x4xf32>"
        count = operands_of(record)
        results = max(len(record["results"]), 1)
        return 'module {\nfunc.func @main(%%x: %s) {\n%s"top.%s"(%s) {%s} : (%s) -> (%s) loc("y")\nreturn\n}\n}\n' % (
            shape, "%%y:%d = " % results if results > 1 else "%y = ", op, ", ".join(["%x"] * count), attributes,
            ", ".join([shape] * count), ", ".join([shape] * results))

    def test_attributes(self):
        for op, record in self.tables["top"].items():
            if op in FRAME or record.get("regions"):
                continue
            given = {}
            for attribute in record["attributes"]:
                values = others(attribute, {}, str(attribute.get("default", "")))
                if values and "enum" not in attribute:
                    given[attribute["name"]] = values
            if "kernel_shape" in given:
                given["kernel_shape"] = ["[2, 2]"]
            base = {name: values[-1] for name, values in given.items()}
            variants = [base, {}] + [{**base, name: value} for name, values in given.items() for value in values] + [
                {name: value} for name, values in given.items() for value in values]
            for variant in variants:
                with self.subTest(op=op, attributes=variant):
                    lowered, said = self.lower(self.generic(op, record, text_of(variant)))
                    self.check_attributes(lowered, said, "top.%s {%s}" % (op, text_of(variant)))

    def numbers(self, model, given):
        out = self.path("out.npz")
        done = subprocess.run([RUNNER, "--model", model, "--memory=value", "--input", given, "--weight", given, "--output", out, "--quiet",
                               "--threads=1"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            return None, done.stderr
        arrays = read_arrays(out)
        return [arrays[name] for name in sorted(arrays)], ""

    def check_numbers(self, op, case, attributes):
        """What the Top op computes its Tpu op computes, too."""
        text, arrays = module_of("top." + op, case, attributes)
        lowered, said = self.lower(text)
        given = write_arrays(self.path("in.npz"), arrays)
        wanted, _ = self.numbers(self.path("net.mlir"), given)
        if wanted is None:
            return
        have, error = self.numbers(self.path("low.mlir"), given)
        self.assertIsNotNone(have, lowered + error)
        self.assertEqual(len(have), len(wanted))
        for some, other in zip(have, wanted):
            self.assertEqual(len(some), len(other))
            for a, b in zip(some, other):
                self.assertTrue(a == b or (a != a and b != b) or abs(a - b) <= 2e-6 * abs(b), "%r is not %r\n%s%s" % (a, b, lowered, said))

    def test_numbers(self):
        ops = subprocess.run([RUNNER, "--kernels"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True).stdout.split()
        for op in (name[4:] for name in ops if name.startswith("top.")):
            record = self.tables["top"].get(op)
            for case in CASES[op] if op not in FRAME else []:
                # Quantized networks are not lowered.
                if re.search(r"\bq\d", case[0] + " " + case[1]):
                    continue
                names = {attribute["name"] for attribute in record["attributes"]} if record else set()
                base = {name: text for name, text in fields(case[2]).items() if name in names}
                variants = [base]
                for attribute in record["attributes"] if record else []:
                    if "enum" not in attribute:
                        variants += [{**base, attribute["name"]: text} for text in
                                     others(attribute, {}, base.get(attribute["name"], str(attribute.get("default", ""))))]
                for variant in variants:
                    with self.subTest(op=op, attributes=variant):
                        self.check_numbers(op, case, text_of(variant))

    def test_strings_in_any_letters(self):
        """Attributes whose strings the table lists mean the same in capital and small letters."""
        for op, cases in CASES.items():
            record = self.tables["top"].get(op)
            for attribute in record["attributes"] if record else []:
                if "string attribute whose value" not in attribute["type"]:
                    continue
                for text in others(attribute, {}, ""):
                    self.check_letters(op, cases[0], attribute["name"], text)

    def check_letters(self, op, case, name, text):
        names = {attribute["name"] for attribute in self.tables["top"][op]["attributes"]}
        given = {key: value for key, value in fields(case[2]).items() if key in names}
        results = []
        for spelled in (text, text.upper(), text.lower()):
            module, arrays = module_of("top." + op, case, text_of({**given, name: spelled}))
            with open(self.path("net.mlir"), "w", encoding="utf-8") as file:
                file.write(module)
            results.append(self.numbers(self.path("net.mlir"), write_arrays(self.path("in.npz"), arrays))[0])
        with self.subTest(op=op, attribute=name, text=text):
            self.assertEqual(results[1:], results[:1] * 2)


if __name__ == "__main__":
    unittest.main()
