"""What are integers in a model stay exact in every mode: ids, places and counts must not be rounded as a network's floats are."""
import os
import struct
import subprocess
import tempfile
import unittest

import arrays
import onnx_files as onnx

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
IDS = [2049, 4097, 4999, 70001, 3, 257]
OTHERS = [2048, 4097, 5000, 70000, 3, 256]
PICKED = [0, 3, 5]
DEPTH = 2052
LARGE = 2**30
ROWS = 70010
TABLE = [i * 7 % 11 for i in range(ROWS)]


def running(numbers):
    return [sum(numbers[:i + 1]) for i in range(len(numbers))]


def single(number):
    """As f32 has it."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


def one_hot(numbers):
    return [float(place == one) for one in numbers for place in range(DEPTH)]


def numbers(name, list_of, shape=None):
    return onnx.initializer(name, [len(list_of)] if shape is None else shape, list_of)


WHOLE = {
    # result: (op, operands, attributes, numbers)
    "plus": ("Add", ["i", "one"], [], [i + 1 for i in IDS]),
    "minus": ("Sub", ["i", "others"], [], [i - k for i, k in zip(IDS, OTHERS)]),
    "times": ("Mul", ["i", "seven"], [], [i * 7 for i in IDS]),
    "quotient": ("Div", ["i", "seven"], [], [i // 7 for i in IDS]),
    "rest": ("Mod", ["i", "depth"], [], [i % DEPTH for i in IDS]),
    "total": ("ReduceSum", ["i"], [], [sum(IDS)]),
    "running": ("CumSum", ["i", "axis"], [], running(IDS)),
    "negative": ("Neg", ["i"], [], [-i for i in IDS]),
    "most": ("Max", ["i", "others"], [], [max(i, k) for i, k in zip(IDS, OTHERS)]),
    "chosen": ("Where", ["same", "i", "plus"], [], [i if i == k else i + 1 for i, k in zip(IDS, OTHERS)]),
    "joined": ("Concat", ["i", "plus", "others"], [onnx.whole_attribute("axis", 0)], IDS + [i + 1 for i in IDS] + OTHERS),
    "great": ("Mul", ["i", "large"], [], [i * LARGE for i in IDS]),
    "part": ("Div", ["great", "seven"], [], [single(i * LARGE // 7) for i in IDS]),
    "picked": ("Gather", ["others", "s"], [], [OTHERS[i] for i in PICKED]),
}
TRUTH = {
    "same": ("Equal", ["i", "others"], [], [i == k for i, k in zip(IDS, OTHERS)]),
    "less": ("Less", ["others", "i"], [], [k < i for i, k in zip(IDS, OTHERS)]),
    "other": ("Cast", ["minus"], [onnx.whole_attribute("to", onnx.BOOL)], [i != k for i, k in zip(IDS, OTHERS)]),
}
FLOATS = {
    "rows": ("Gather", ["table", "plus"], [], [TABLE[i + 1] for i in IDS]),
    "hot": ("OneHot", ["rest", "depth", "offon"], [], one_hot([i % DEPTH for i in IDS])),
}
RESULTS = {**TRUTH, **WHOLE, **FLOATS}


def network():
    kinds = {**dict.fromkeys(WHOLE, onnx.INT64), **dict.fromkeys(TRUTH, onnx.BOOL), **dict.fromkeys(FLOATS, onnx.FLOAT)}
    def real(name, values):
        return onnx.message(5, onnx.number(1, len(values)), onnx.number(2, onnx.FLOAT), onnx.message(8, name),
                            onnx.message(9, struct.pack("<%df" % len(values), *values)))
    order = ["plus", "same", "minus", "rest", "great", *(set(RESULTS) - {"plus", "same", "minus", "rest", "great"})]
    nodes = [onnx.node(RESULTS[name][0], RESULTS[name][1], [name], *RESULTS[name][2]) for name in sorted(order, key=order.index)]
    shapes = {name: [len(RESULTS[name][3])] for name in RESULTS}
    shapes["hot"] = [len(IDS), DEPTH]
    return onnx.model(*nodes, numbers("one", [1]), numbers("seven", [7]), numbers("large", [LARGE]), numbers("others", OTHERS), numbers("axis", [0], []),
                      numbers("depth", [DEPTH], []), real("table", TABLE), real("offon", [0, 1]),
                      onnx.value(11, "i", onnx.INT64, [len(IDS)]), onnx.value(11, "s", onnx.INT64, [len(PICKED)]),
                      *(onnx.value(12, name, kinds[name], shapes[name]) for name in sorted(RESULTS)))


class WholeNumbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = cls.scratch.name
        with open(cls.path("net.onnx"), "wb") as file:
            file.write(network())
        arrays.write_arrays(cls.path("in.npz"), {"i": arrays.array("<i4", [len(IDS)], IDS), "s": arrays.array("<i4", [len(PICKED)], PICKED)})

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def run_tool(self, tool, *flags):
        done = subprocess.run([os.path.join(ROOT, "tpu_mlir/tools", tool, tool), *flags], cwd=self.folder, capture_output=True,
                              check=False, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_every_mode_is_exact(self):
        for chip, mode in (("bm1684", "F32"), ("bm1684x", "F16"), ("bm1684x", "BF16"), ("bm1690", "F16"), ("bm1684x", "W8F16"),
                           ("bm1684x", "INT8"), ("cv181x", "BF16"), ("cv181x", "INT8")):
            with self.subTest(chip=chip, mode=mode):
                name = chip + mode
                self.run_tool("model_deploy", "--onnx=net.onnx", "--chip=" + chip, "--quantize=" + mode, "--model=" + name)
                weights = name + "_weights.npz"
                if not os.path.exists(self.path(weights)):
                    weights = name + "_top_f32_all_weight.npz"
                self.run_tool("model_runner", "--model=%s_final.mlir" % name, "--weight=" + weights, "--input=in.npz", "--output=out.npz")
                outputs = arrays.read_arrays(self.path("out.npz"))
                self.assertEqual(len(outputs), len(RESULTS), list(outputs))
                for result in RESULTS:
                    found = [key for key in outputs if key.startswith(result + "_")]
                    self.assertEqual(len(found), 1, (result, list(outputs)))
                    self.assertEqual([float(one) for one in outputs[found[0]]], [float(one) for one in RESULTS[result][3]], result)


if __name__ == "__main__":
    unittest.main()
