"""Published networks in INT8 with random weights and a table of model_calibrate: on their plan they compute nearly what the floats do."""
import math
import os
import random
import re
import struct
import subprocess
import tempfile
import unittest

from arrays import read_arrays, write_arrays

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
# Of both kinds of integers one.
CHIPS = ("bm1684x", "cv181x")
# NETWORKS names others.
NETWORKS = os.environ.get("NETWORKS", "mobilenet_v2 densenet121 bert_base light_squeezenet light_shufflenet light_inception_v2").split()
FLAGS = {"bert_base": ["--seq=16"]}
# Numbers that are repeated: a prime, so that rows differ.
PERIOD = 16381
WEIGHT = re.compile(r'(%\w+) = "top\.Weight"\(\).*?-> tensor<([\dx]+)xf32> loc\("([^"]+)"\)')
INPUT = re.compile(r'"top\.Input"\(.*?\).*?-> tensor<([\dx]+)xf32> loc\("([^"]+)"\)')


def data(numbers, shape, least, most):
    count = math.prod(shape)
    block = struct.pack("<%df" % PERIOD, *[numbers.uniform(least, most) for _ in range(PERIOD)])
    return "<f4", str(tuple(shape)), (block * (4 * count // len(block) + 1))[:4 * count]


def bounds(op, index, shape):
    """With these activations keep their size from layer to layer."""
    if op == "Conv" and index == 1:
        size = math.sqrt(4.5 / math.prod(shape[1:]))
    elif op == "MatMul" and index == 1:
        size = math.sqrt(3 / shape[-2])
    elif index == 1 and ("Norm" in op or op == "Scale"):
        return 0.5, 1.5
    else:
        size = 0.1
    return -size, size


def weights_of(text):
    numbers, readers = random.Random(1), {}
    for op, operands in re.findall(r'= "top\.(\w+)"\(([^)]*)\)', text):
        for index, operand in enumerate(operands.split(", ")):
            readers.setdefault(operand, (op, index))
    weights = {}
    for value, sizes, name in WEIGHT.findall(text):
        shape = [int(size) for size in sizes.split("x")]
        weights[name] = data(numbers, shape, *bounds(*readers.get(value, ("", 0)), shape))
    return weights


def sample_of(text, seed):
    """A mask lets everything through: other ones are of 0 and 1, which no integers keep apart from numbers of the usual size."""
    numbers = random.Random(seed)
    return {name: data(numbers, [int(size) for size in sizes.split("x")], *((1, 1) if "mask" in name else (-1, 1)))
            for sizes, name in INPUT.findall(text)}


def cosine(a, b):
    """Of what departs from the mean: all classes have nearly the same share where weights are random."""
    means = [math.fsum(values) / len(values) for values in (a, b)]
    a, b = ([value - mean for value in values] for values, mean in zip((a, b), means))
    size = lambda values: math.sqrt(math.fsum(value * value for value in values))
    return math.fsum(x * y for x, y in zip(a, b)) / (size(a) * size(b))


class Networks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def call(self, tool, *flags):
        done = subprocess.run([os.path.join(ROOT, "tpu_mlir/tools", tool, tool), *flags], cwd=self.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return done.stdout

    def arrays(self, name):
        return read_arrays(os.path.join(self.folder, name))

    def build(self, network):
        """The Top module net.mlir, its weights w.npz and two samples."""
        if network.startswith("light_"):
            self.call("model_builder", "--model=" + network, "--format=onnx", "-o", "net.onnx")
            self.call("model_transform", "--model_name=net", "--model_def=net.onnx", "--mlir=net.mlir")
        else:
            self.call("model_builder", "--model=" + network, "-o", "net.mlir", *FLAGS.get(network, []))
        text = self.call("tpuc-opt", "net.mlir", "--mlir-print-debuginfo", "--mlir-print-local-scope")
        write_arrays(os.path.join(self.folder, "w.npz"), weights_of(text))
        for seed, name in ((2, "sample.npz"), (3, "test.npz")):
            write_arrays(os.path.join(self.folder, name), sample_of(text, seed))

    def check(self, chip, wanted):
        self.call("model_deploy", "--mlir=net.mlir", "--weight=w.npz", "--chip=" + chip, "--quantize=INT8", "--calibration_table=table",
                  "--model=low", "--quiet")
        self.call("model_runner", "--model=low_final.mlir", "--weight=low_weights.npz", "--input=test.npz", "--output=out.npz", "--quiet")
        have = self.arrays("out.npz")
        for name, numbers in wanted.items():
            near = cosine(have.get(name + "_f32", have.get(name)), numbers)
            print("%s %s: cosine %.5f" % (chip, name, near))
            self.assertGreaterEqual(near, 0.95)

    def test_numbers_are_near_those_of_floats(self):
        for network in NETWORKS:
            print(network)
            self.build(network)
            self.call("model_runner", "--model=net.mlir", "--memory=value", "--input=test.npz", "--weight=w.npz", "--output=f32.npz", "--quiet")
            self.call("model_calibrate", "--mlir=net.mlir", "--weight=w.npz", "--dataset=sample.npz", "-o", "table", "--quiet")
            wanted = self.arrays("f32.npz")
            for chip in CHIPS:
                with self.subTest(network=network, chip=chip):
                    self.check(chip, wanted)


if __name__ == "__main__":
    unittest.main()
