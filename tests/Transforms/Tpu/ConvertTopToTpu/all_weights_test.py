"""An op all of whose operands are weights is lowered, or refused, in every mode on every chip: it never ends the program.

The ops are those of $TPU_MEMORY_DATA/tpu_mlir_ops/top.json; without the file the test is skipped.
"""
import json
import os
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
TOOL = os.path.join(ROOT, "tpu_mlir/tools/tpuc-opt/tpuc-opt")
CHIPS = sorted(name[:-5] for name in os.listdir(os.path.join(ROOT, "tpu_mlir/chips")) if name.endswith(".json"))
TABLE = os.path.join(os.environ.get("TPU_MEMORY_DATA", "/nonexistent"), "tpu_mlir_ops", "top.json")
LOWER = "--convert-top-to-tpu=mode={mode} chip={chip}"
RANGES = "--import-calibration-table=chip={chip} asymmetric={asymmetric}"
MODES = {
    **{mode: [LOWER.replace("{mode}", mode)] for mode in ("F32", "F16", "BF16", "W4F16", "W8BF16")},
    "INT8": [RANGES.replace("{asymmetric}", "false"), LOWER.replace("{mode}", "INT8")],
    "INT8 asymmetric": [RANGES.replace("{asymmetric}", "true"), LOWER.replace("{mode}", "INT8")],
}
# Of 1684 there are no integers, and of these no zero points.
NO_INTEGERS, NO_ZERO_POINTS = {"bm1684"}, {"cv180x", "cv181x", "cv182x", "cv183x"}
NOT_LAYERS = {"Input", "None", "Weight", "If", "Loop", "Yield"}


def attribute(kind):
    """One of that kind, in words of MLIR."""
    words = re.match(r"string attribute whose value is ([^,]+)", kind)
    if words:
        return '"%s"' % words[1]
    for start, text in (("64-bit signless integer array", "[1, 1]"), ("64-bit integer array", "[1, 1]"), ("32-bit integer array", "[1 : i32, 1 : i32]"),
                        ("64-bit float array", "[1.0, 1.0]"), ("64-bit signless", "1 : i64"), ("64-bit float", "1.0 : f64"),
                        ("32-bit signed", "1 : si32"), ("32-bit unsigned", "1 : ui32"), ("bool", "false"), ("string", '"word"')):
        if kind.startswith(start):
            return text
    return "[]"


def module(name, record, shape):
    """A network of one op; what may be missing is `none`."""
    tensor = "tensor<%sxf32>" % "x".join(str(size) for size in shape)
    lines, operands, types = ['%none = "top.None"() : () -> none'], [], []
    for number, operand in enumerate(record["operands"]):
        is_there = operand["count"] != "optional"
        if is_there:
            lines.append('%%w%d = "top.Weight"() : () -> %s loc("w%d")' % (number, tensor, number))
        operands.append("%%w%d" % number if is_there else "%none")
        types.append(tensor if is_there else "none")
    attributes = ", ".join("%s = %s" % (each["name"], attribute(each["type"])) for each in record["attributes"] if "default" not in each)
    count = max(len(record["results"]), 1)
    results = ", ".join([tensor] * count)
    places = ", ".join('"y%d"' % i for i in range(count))
    lines.append('%%y%s = "top.%s"(%s) {%s} : (%s) -> (%s) loc(%s)' % (
        ":%d" % count if count > 1 else "", name, ", ".join(operands), attributes, ", ".join(types), results,
        "fused[%s]" % places if count > 1 else places))
    values = ", ".join("%%y#%d" % i for i in range(count)) if count > 1 else "%y"
    return """module @%s attributes {module.state = "TOP_F32"} {
  func.func @main() -> (%s) {
    %s
    return %s : %s
  }
}
""" % (name, results, "\n    ".join(lines), values, results)


@unittest.skipUnless(os.path.exists(TABLE), "no table of ops: TPU_MEMORY_DATA is not set")
class AllWeights(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(TABLE, encoding="utf-8") as file:
            records = json.load(file)["ops"]
        cls.modules = {(name, shape): module(name, records[name], shape)
                       for name in sorted(records) if name not in NOT_LAYERS for shape in ((1, 4, 4, 4), (8, 8))}

    def lower(self, text, passes):
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(text)
            file.flush()
            return subprocess.run([TOOL, file.name, "--split-input-file", *passes], capture_output=True, text=True, check=False)

    def test_no_op_ends_the_program(self):
        self.assertGreater(len(self.modules), 300)
        together = "// -----\n".join(self.modules.values())
        for mode, passes in MODES.items():
            for chip in CHIPS:
                given = [each.replace("{chip}", chip) for each in passes]
                refused = ("INT8" in mode and chip in NO_INTEGERS) or ("asym" in mode and chip in NO_ZERO_POINTS)
                with self.subTest(mode=mode, chip=chip):
                    done = self.lower(together, given)
                    if done.returncode not in (0, 1):
                        self.fail([key for key, text in self.modules.items() if self.lower(text, given).returncode not in (0, 1)])
                    self.assertEqual(done.stdout.count("TPU_LOWERED"), 0 if refused else len(self.modules), done.stderr[-400:])


if __name__ == "__main__":
    unittest.main()
