"""What model_transform writes, and what it says of files that it cannot read."""
import os
import re
import struct
import subprocess
import tempfile
import unittest

import onnx_files as onnx

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
TOOL = os.path.join(ROOT, "tpu_mlir/tools/model_transform/model_transform")
X = onnx.value(11, "x", onnx.FLOAT, [2, 3])
Y = onnx.value(12, "y", onnx.FLOAT, [2, 3])
RELU = onnx.node("Relu", ["x"], ["y"])
GOOD = onnx.model(RELU, X, Y)


class ModelTransform(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def run_tool(self, data, *flags):
        with open(os.path.join(self.folder, "net.onnx"), "wb") as file:
            file.write(data)
        return subprocess.run([TOOL, "--model_name=net", "--model_def=net.onnx", "--mlir=net.mlir", *flags], cwd=self.folder,
                              capture_output=True, check=False, text=True, stdin=subprocess.DEVNULL)

    def module(self, data, *flags):
        done = self.run_tool(data, *flags)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        os.remove(os.path.join(self.folder, "net_top_f32_all_weight.npz"))
        with open(os.path.join(self.folder, "net.mlir"), encoding="utf-8") as file:
            text = file.read()
        os.remove(file.name)
        return text

    def refused(self, data, *messages, flags=()):
        """One line for each message, and no file."""
        done = self.run_tool(data, *flags)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(os.listdir(self.folder), ["net.onnx"])
        lines = done.stderr.strip().splitlines()
        starts = [line for line in lines if line.startswith("net.onnx: error: ")]
        self.assertEqual(len(starts), len(messages), done.stderr)
        for message in messages:
            self.assertIn(message, done.stderr)

    def test_names_are_the_toolchains(self):
        text = self.module(GOOD)
        for part in ('loc("x")', 'loc("y_Relu")', 'module.input_types = ["float"]', 'module.platform = "ONNX"',
                     'module.weight_file = "net_top_f32_all_weight.npz"'):
            self.assertIn(part, text)

    def test_the_same_input_gives_the_same_bytes(self):
        self.assertEqual(self.module(GOOD), self.module(GOOD))

    def test_shapes_that_follow_from_numbers(self):
        shape = onnx.value(11, "shape", onnx.INT64, [2])
        reshaped = onnx.model(onnx.node("Reshape", ["x", "shape"], ["y"]), X, shape, onnx.value(12, "y", onnx.FLOAT, ["a", "b"]))
        self.refused(reshaped, "have to be known: give 'shape' with --bind [TPUMEM-E025]")
        with open(os.path.join(self.folder, "shape.pb"), "wb") as file:
            file.write(onnx.tensor_fields("shape", [2], [3, -1]))
        self.assertIn("tensor<3x2xf32>", self.module(reshaped, "--bind=shape=shape.pb"))

    def test_layers_that_are_one(self):
        """Written apart in the file, or as the body of a function; called as the last."""
        gate = [onnx.node("Sigmoid", ["x"], ["a"]), onnx.node("Mul", ["x", "a"], ["y"])]
        text = self.module(onnx.model(*gate, X, Y))
        self.assertRegex(text, r'"top.SiLU"\(.*loc\(#loc(\d+)\)(?s:.*)#loc\1 = loc\("y_Mul"\)')
        self.assertNotIn("top.Mul", text)
        sums = [onnx.node("Add", ["x", "x"], ["a"]), onnx.node("Relu", ["a"], ["y"])]
        self.assertRegex(self.module(onnx.model(*sums, X, Y)), r'"top.Add"\(.*do_relu = true')

    def test_bodies_of_functions(self):
        """Of ONNX's test suite: whatever the body computes is one layer."""
        data = "/usr/share/libonnx-testdata/data/node"
        if not os.path.isdir(data):
            self.skipTest("the package libonnx-testdata is not installed")
        norms = ["layer_normalization_%s_expanded" % name for name in
                 ("2d_axis0", "2d_axis_negative_1", "3d_axis1_epsilon", "4d_axis0", "4d_axis2", "4d_axis_negative_3", "default_axis")]
        for name, output, op in [("hardswish_expanded", "y", "HardSwish"), *((norm, "Y", "LayerNorm") for norm in norms)]:
            with self.subTest(name=name), open(os.path.join(data, "test_" + name, "model.onnx"), "rb") as file:
                bound = ["--bind=%s=%s/test_%s/test_data_set_0/input_%d.pb" % (key, data, name, index)
                         for index, key in enumerate("XWB") if index and op == "LayerNorm"]
                text = self.module(file.read(), "--output_names=" + output, *bound)
                self.assertEqual([layer for layer in re.findall(r'"top\.(\w+)"', text) if layer not in ("None", "Input", "Weight")], [op], text)

    def test_every_node_that_is_not_known_is_named(self):
        nodes = [onnx.node("Unique", ["x"], ["a"], name="first"), onnx.node("Relu", ["a"], ["b"]),
                 onnx.node("NonZero", ["x"], ["c"], name="second"), onnx.node("Relu", ["x"], ["y"])]
        outputs = [onnx.value(12, name, onnx.FLOAT, ["n"]) for name in ("a", "b")] + [
            onnx.value(12, "c", onnx.INT64, [2, "n"]), Y]
        self.refused(onnx.model(*nodes, X, *outputs), "node 'first' (Unique, opset 13) with inputs float[2,3]: no layers",
                     "node 'second' (NonZero, opset 13)")
        self.assertIn("y_Relu", self.module(onnx.model(*nodes, X, *outputs), "--output_names=y"))

    def test_newer_opsets_by_meaning(self):
        self.assertIn("y_Relu", self.module(onnx.model(RELU, X, Y, opset=21)))
        pad = onnx.model(onnx.node("Pad", ["x", "p"], ["y"]), onnx.initializer("p", [4], [0, 0, 0, 0]), X, Y, opset=21)
        self.refused(pad, "another meaning since opset 19")

    def test_dimensions_without_numbers(self):
        open_batch = onnx.model(RELU, onnx.value(11, "x", onnx.FLOAT, ["n", 3]), onnx.value(12, "y", onnx.FLOAT, ["n", 3]))
        self.refused(open_batch, "input 'x' has no shape of numbers, it is [?,3]: give --input_shapes [TPUMEM-E017]")
        self.assertIn("tensor<4x3xf32>", self.module(open_batch, "--input_shapes=[[4,3]]"))
        self.refused(open_batch, "not as --input_shapes says", flags=["--input_shapes=[[4,5]]"])

    def test_files_that_are_no_models(self):
        for data in (b"", b"no model", GOOD[:20], GOOD + b"\xff"):
            with self.subTest(data=data):
                self.refused(data, "[TPUMEM-E017]")

    def test_every_cut_ends_in_one_error(self):
        for end in range(len(GOOD)):
            done = self.run_tool(GOOD[:end])
            self.assertIn(done.returncode, (0, 1), (end, done.stderr))

    def test_hostile_numbers(self):
        huge = onnx.value(11, "x", onnx.FLOAT, [1 << 40, 1 << 40])
        self.refused(onnx.model(RELU, huge, onnx.value(12, "y", onnx.FLOAT, [1 << 40, 1 << 40])), "has no shape of numbers")
        tile = onnx.model(onnx.node("Tile", ["x", "n"], ["y"]), onnx.initializer("n", [2], [1 << 62, 1 << 62]), X,
                          onnx.value(12, "y", onnx.FLOAT, ["a", "b"]))
        self.refused(tile, "the result is too large")
        claim = onnx.model(RELU, onnx.initializer("w", [1 << 31, 1 << 31], [1]), X, Y)
        self.refused(claim, "[TPUMEM-E017]")

    def test_cycles_and_names_twice(self):
        self.refused(onnx.model(onnx.node("Add", ["x", "y"], ["z"]), onnx.node("Relu", ["z"], ["y"]), X, Y), "[TPUMEM-E017]")
        self.refused(onnx.model(RELU, RELU, X, Y), "[TPUMEM-E017]")

    @staticmethod
    def with_data_in(place):
        data = onnx.message(5, onnx.number(1, 3), onnx.number(2, onnx.FLOAT), onnx.message(8, "w"), onnx.number(14, 1),
                            onnx.message(13, onnx.message(1, "location"), onnx.message(2, place)))
        return onnx.model(onnx.node("Add", ["x", "w"], ["y"]), data, X, Y)

    def test_data_in_another_file(self):
        data = os.path.join(self.folder, "weights.bin")
        with open(data, "wb") as file:
            file.write(struct.pack("<3f", 1, 2, 3))
        self.assertIn('loc("w")', self.module(self.with_data_in("weights.bin")))
        os.remove(data)
        self.refused(self.with_data_in("weights.bin"), "its data cannot be read from 'weights.bin' [TPUMEM-E017]")

    def test_data_outside_of_the_folder(self):
        for place in ("../secret", "/etc/passwd", "a/../../b", ""):
            with self.subTest(place=place):
                self.refused(self.with_data_in(place), "which is not in the model's folder [TPUMEM-E017]")

    def test_usage(self):
        for flags in (["--input_shapes=3"], ["--input_shapes=[[0]]"], ["--bind=x"], ["--bind==a"], ["--nonsense"]):
            done = self.run_tool(GOOD, *flags)
            self.assertEqual(done.returncode, 2, (flags, done.stderr))
        self.assertEqual(os.listdir(self.folder), ["net.onnx"])


if __name__ == "__main__":
    unittest.main()
