"""Matrices of 4 or 8 bits beside floats: they compute nearly what floats do, the same bits in every order of the scales, on their plan."""
import itertools
import json
import os
import re
import subprocess
import tempfile
import unittest

import network
from arrays import array, read_arrays, write_arrays

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
DEPTH = 256
#: Numbers that the scale of a whole row is stored once for.
ROW_GROUP = 128
#: Columns of the products: whole lanes of every chip, some left over, fewer than most have.
COLUMNS = (64, 70, 4)


def tool(name):
    return os.path.join(ROOT, "tpu_mlir/tools", name, name)


def cosine(a, b):
    size = lambda values: sum(value * value for value in values) ** 0.5
    return sum(x * y for x, y in zip(a, b)) / (size(a) * size(b))


def chips():
    folder = os.path.join(ROOT, "tpu_mlir/chips")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                yield json.load(file)


def is_paired(chip, bits, group):
    pairs = chip.get("scalePairs", "none")
    return pairs == "all" or (pairs == "4-bit" and bits == 4 and group % 32 == 0)


class PackedMatrices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = cls.scratch.name
        b = network.Builder(3)
        b.shapes["x"] = (4, DEPTH)
        names = []
        for columns in COLUMNS:
            name, isTurned = "y%d" % columns, columns != 70
            b.weight(name + "_w", (columns, DEPTH) if isTurned else (DEPTH, columns), 0.2)
            if columns != 64:
                b.weight(name + "_b", (columns,), 0.2)
            names.append(b.layer(name, "MatMul", ["x", name + "_w", name + "_b" if columns != 64 else "none"], (4, columns),
                                 "right_transpose = true" if isTurned else ""))
        shape = network.INPUT
        try:
            network.INPUT = b.shapes["x"]
            with open(cls.path("net.mlir"), "w", encoding="utf-8") as file:
                file.write(b.text(*names))
        finally:
            network.INPUT = shape
        write_arrays(cls.path("net_w.npz"), b.weights)
        write_arrays(cls.path("in.npz"), {"x": array("<f4", (4, DEPTH), [b.random.uniform(-1, 1) for _ in range(4 * DEPTH)])})
        cls.expected = cls.run_model("net.mlir", "net_w.npz", "--memory=value")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def call(cls, name, *flags):
        done = subprocess.run([tool(name), *flags], cwd=cls.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        assert done.returncode == 0, (name, flags, done.stdout, done.stderr)
        return done.stdout + done.stderr

    @classmethod
    def run_model(cls, model, weights, *flags):
        cls.call("model_runner", "--model=" + model, "--weight=" + weights, "--input=in.npz", "--output=out.npz", *flags)
        return {name.removesuffix("_f32"): list(numbers) for name, numbers in read_arrays(cls.path("out.npz")).items()}

    def deploy(self, chip, mode, *flags):
        """What it says, and the module with its coefficients in the order of the chip."""
        for name in os.listdir(self.folder):
            if name.startswith("out_"):
                os.remove(self.path(name))
        said = self.call("model_deploy", "--mlir=net.mlir", "--chip=" + chip, "--quantize=" + mode, "--model=out", "--debug", *flags)
        # Before layer groups, which have shapes of their own.
        with open(self.path("out_packed.mlir" if os.path.exists(self.path("out_packed.mlir")) else "out_tpu.mlir"), encoding="utf-8") as file:
            return said, file.read()

    def expect_types(self, text, chip, bits, given):
        """What each product that is packed reads, as the chip stores it."""
        group, lanes = {0: ROW_GROUP, -1: DEPTH}.get(given, given), chip["lanes"]
        groups = DEPTH // group
        read = re.findall(r'"tpu\.A16MatMul".*? : \(tensor<4x%dx[^>]*>, tensor<([^,>]*)[^>]*>, tensor<([^,>]*)[^>]*>, '
                          r'(?:tensor<([^,>]*)[^>]*>|none)' % DEPTH, text)
        packed = [columns // lanes * lanes for columns in COLUMNS if columns >= lanes]
        self.assertEqual(len(read), len(packed), text)
        for (weight, scales, zeros), rows in zip(read, packed):
            self.assertRegex(weight, "^%dx%dx" % (rows, DEPTH * bits // 8))
            if chip["batchLayout"] == "4N":
                wanted = ("%dx%dx(b?f16)" % (rows, groups), "%dx%dxui8" % (rows, groups))
            elif is_paired(chip, bits, group):
                wanted = ("%dx%dx%dxui16" % (lanes, rows // lanes, 2 * groups), "")
            else:
                wanted = ("%dx%dx%dx(b?f16)" % (lanes, rows // lanes, groups), "%dx%dx%dxui8" % (lanes, rows // lanes, groups))
            self.assertRegex(scales, "^%s$" % wanted[0])
            self.assertRegex(zeros, "^%s$" % wanted[1])

    def test_every_order_computes_the_same(self):
        """Row by row, as the lowering makes it, and as the chip stores it, on a plan and where nothing can be overwritten."""
        for number, chip in enumerate(chips()):
            for index, (bits, group, isSymmetric) in enumerate(itertools.product((4, 8), (0, 32, 64, 128, -1), (False, True))):
                half = "BF16" if (number + index) % 2 else "F16"
                mode = "W%d%s" % (bits, half)
                flags = ["--q_group_size=%d" % group] + ["--q_symmetric"] * isSymmetric
                with self.subTest(chip=chip["name"], mode=mode, flags=flags):
                    said, text = self.deploy(chip["name"], mode, *flags)
                    self.assertEqual("has weights that stay floats" in said, chip["lanes"] > 4, said)
                    if chip["lanes"] > 4:
                        self.assertIn("'y4' (its 4 columns are fewer than the chip's %d lanes)" % chip["lanes"], said)
                    self.expect_types(text, chip, bits, group)
                    inRows = self.run_model("out_tpu.mlir", "out_tpu_weights.npz", "--memory=value")
                    self.assertEqual(self.run_model("out_final.mlir", "out_weights.npz"), inRows)
                    for name, numbers in inRows.items():
                        self.assertGreaterEqual(cosine(numbers, self.expected[name]), 0.99 if bits == 4 else 0.9999, name)

    def test_columns_that_are_left_over_stay_floats(self):
        said, text = self.deploy("bm1684x", "W4F16")
        self.assertEqual(said.count("warning"), 1, said)
        self.assertEqual((text.count('"tpu.A16MatMul"'), text.count('"tpu.MatMul"'), text.count('"tpu.Concat"')), (2, 2, 1))
        self.assertRegex(text, r'"tpu.MatMul".*tensor<6x256xf16.*tensor<6xf32.*-> tensor<4x6xf16')

    def test_matrices_that_do_not_fit_stay_floats(self):
        said, text = self.deploy("cv181x", "W4F16", "--q_group_size=512")
        self.assertIn("3 products have weights that stay floats in W4F16: 'y64' (rows of 256 are no whole groups of 512: q_group_size 0 (the "
                      "whole row) would do), 'y70' (", said)
        self.assertEqual((text.count('"tpu.A16MatMul"'), text.count('"tpu.MatMul"')), (0, 3))
        said, _ = self.deploy("cv181x", "W4F16", "--q_group_size=96")
        self.assertIn("'y64' (rows of 256 are no whole groups of 96: q_group_size 64 or 0 (the whole row) would do), 'y70' (", said)

    def test_group_sizes_that_are_none(self):
        done = subprocess.run([tool("model_deploy"), "--mlir=net.mlir", "--chip=bm1684x", "--quantize=W4F16", "--model=o", "--q_group_size=-2"],
                              cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--q_group_size must not be below -1", done.stderr)


if __name__ == "__main__":
    unittest.main()
