"""Numbers of layers that change what they read: none may be cut off by a range that is another tensor's."""
import os
import random
import subprocess
import tempfile
import unittest

import network
from arrays import array, read_arrays, write_arrays

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
SHAPE, PADDED = network.INPUT, (1, 3, 18, 18)
PADS = "paddings = [0, 0, 1, 1, 0, 0, 1, 1], mode = \"constant\", val = %s : f64"
POOL = "kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0]"


def build():
    """A network of layers that end in one of the results, and what these are called."""
    b = network.Builder(5)
    def real(name, number):
        return "%s = %s : f64" % (name, float(number))
    def layer(name, kind, source, attributes="", shape=SHAPE):
        return b.layer(name, kind, source.split(), shape, attributes)
    layer("relu", "Relu", "x", real("relu_limit", -1))
    layer("low", "AddConst", "x", real("const_val", -3))
    layer("sigmoid", "Sigmoid", "x")
    results = []
    def result(*arguments, **named):
        results.append(layer(*arguments, **named))
    for source in ("relu", "x", "low"):
        for number in (-1, -2, -0.5, 3):
            result("%s_times_%s" % (source, str(number).replace("-", "m").replace(".", "_")), "MulConst", source, real("const_val", number))
        for alpha in (0.1, 1.5, -0.5, -3):
            result("%s_leaky_%s" % (source, str(alpha).replace("-", "m").replace(".", "_")), "LeakyRelu", source, real("alpha", alpha))
        result(source + "_abs", "Abs", source)
        result(source + "_max", "MaxConst", source, real("const_val", 2))
        result(source + "_min", "MinConst", source, real("const_val", -5))
        result(source + "_clip", "Clip", source, real("min", -2.5) + ", " + real("max", 0.25))
        result(source + "_relu6", "Relu", source, real("relu_limit", 0.125))
        # A relu that is part of a layer whose operand others read, too.
        result(source + "_pool", "MaxPool", source, POOL + ", do_relu = true, " + real("relu_limit", 0.25))
    layer("below", "MulConst", "relu", real("const_val", -1))
    result("both", "Concat", "relu below", "axis = 1 : si32", shape=(1, 6, 16, 16))
    result("difference", "Max", "below x")
    for name, number in (("under", -1), ("over", 9), ("zero", 0)):
        pad = layer("pad_" + name, "Pad", "sigmoid none", PADS % float(number), shape=PADDED)
        result(pad + "_turned", "Permute", pad, "order = [0, 1, 3, 2]", shape=PADDED)
        result(pad + "_pooled", "MaxPool", pad, POOL, shape=PADDED)
    return b.text(*results), results


class Ranges(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = cls.scratch.name
        text, cls.results = build()
        with open(cls.path("net.mlir"), "w", encoding="utf-8") as file:
            file.write(text)
        write_arrays(cls.path("net_w.npz"), {"unused": array("<f4", (1,), [0])})
        numbers = random.Random(3)
        count = SHAPE[1] * SHAPE[2] * SHAPE[3]
        write_arrays(cls.path("in.npz"), {"x": array("<f4", SHAPE, [numbers.uniform(-1, 1) for _ in range(count)])})
        cls.call("model_runner", "--model=net.mlir", "--memory=value", "--input=in.npz", "--output=f32.npz")
        cls.expected = read_arrays(cls.path("f32.npz"))
        cls.call("model_calibrate", "--mlir=net.mlir", "--dataset=in.npz", "--weight=net_w.npz", "--cali_method=max", "-o", "table")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def call(cls, name, *flags):
        done = subprocess.run([os.path.join(ROOT, "tpu_mlir/tools", name, name), *flags], cwd=cls.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
        assert done.returncode == 0, (name, flags, done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def test_numbers_are_those_of_floats(self):
        self.assertEqual(len(self.results), 50)
        for chip, flags in (("bm1684x", []), ("bm1684x", ["--asymmetric"]), ("cv186x", []), ("cv181x", [])):
            self.call("model_deploy", "--mlir=net.mlir", "--chip=" + chip, "--quantize=INT8", "--model=out", "--calibration_table=table",
                      "--weight=net_w.npz", *flags)
            self.call("model_runner", "--model=out_final.mlir", "--weight=out_weights.npz", "--input=in.npz", "--output=out.npz")
            outputs = read_arrays(self.path("out.npz"))
            for name in self.results:
                with self.subTest(chip=chip, flags=flags, result=name):
                    computed, expected = outputs.get(name + "_f32", outputs.get(name)), self.expected[name]
                    largest = max(abs(number) for number in expected)
                    error = max(abs(one - other) for one, other in zip(computed, expected))
                    # Two steps of the coarsest scale on the way, that of x - 3.
                    self.assertLessEqual(error, 0.04 * largest + (0.04 if name.startswith("low") else 0))


if __name__ == "__main__":
    unittest.main()
