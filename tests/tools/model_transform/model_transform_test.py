"""What model_transform writes, and what it says of files that it cannot read."""
import math
import os
import re
import struct
import subprocess
import tempfile
import unittest
import zipfile

import onnx_files as onnx

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
TOOL = os.path.join(ROOT, "tpu_mlir/tools/model_transform/model_transform")
RUNNER = os.path.join(ROOT, "tpu_mlir/tools/model_runner/model_runner")
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

    def ends(self, data):
        """With both files, or with one error."""
        done = self.run_tool(data)
        files = sorted(os.listdir(self.folder))
        if done.returncode == 0:
            self.assertEqual(files, ["net.mlir", "net.onnx", "net_top_f32_all_weight.npz"])
            for name in files:
                os.remove(os.path.join(self.folder, name))
        else:
            self.assertEqual((done.returncode, done.stderr.count("error: "), files), (1, 1, ["net.onnx"]), done.stderr)

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
        done = self.run_tool(onnx.model(*nodes, X, *outputs))
        self.assertEqual(done.stderr.count("note: which ops are covered, and how: tpu_mlir/docs/guide/Import.md"), 1)
        self.assertIn("y_Relu", self.module(onnx.model(*nodes, X, *outputs), "--output_names=y"))

    def test_newer_opsets_by_meaning(self):
        self.assertIn("y_Relu", self.module(onnx.model(RELU, X, Y, opset=21)))
        wrap = onnx.node("Pad", ["x", "p"], ["y"], onnx.text_attribute("mode", "wrap"))
        self.refused(onnx.model(wrap, onnx.initializer("p", [4], [0, 0, 0, 0]), X, Y, opset=21), "mode 'wrap' is not known")
        pad = onnx.model(onnx.node("Pad", ["x", "p"], ["y"]), onnx.initializer("p", [4], [0, 0, 0, 0]), X, Y, opset=21)
        self.module(pad)

    def test_dimensions_without_numbers(self):
        open_batch = onnx.model(RELU, onnx.value(11, "x", onnx.FLOAT, ["n", 3]), onnx.value(12, "y", onnx.FLOAT, ["n", 3]))
        self.refused(open_batch, "input 'x' has no shape of numbers, it is [?,3]: give --input_shapes [TPUMEM-E017]")
        self.assertIn("tensor<4x3xf32>", self.module(open_batch, "--input_shapes=[[4,3]]"))
        self.refused(open_batch, "not as --input_shapes says", flags=["--input_shapes=[[4,5]]"])

    def test_files_that_are_no_models(self):
        for data in (b"", b"no model", GOOD[:20], GOOD + b"\xff"):
            with self.subTest(data=data):
                self.refused(data, "[TPUMEM-E017]")

    def test_files_that_cannot_be_read(self):
        for path, why in (("none.onnx", "No such file or directory"), (".", "Is a directory")):
            done = subprocess.run([TOOL, "--model_name=net", "--model_def=" + path, "--mlir=net.mlir"], cwd=self.folder,
                                  capture_output=True, check=False, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"cannot read '{path}': {why}", done.stderr)

    def test_values_of_another_shape(self):
        for size in (3, 5):
            with open(os.path.join(self.folder, "x.pb"), "wb") as file:
                file.write(onnx.number(1, size) + onnx.number(2, onnx.FLOAT) + onnx.message(9, bytes(4 * size)))
            line = onnx.model(RELU, onnx.value(11, "x", onnx.FLOAT, [4]), onnx.value(12, "y", onnx.FLOAT, [4]))
            done = self.run_tool(line, "--bind=x=x.pb")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
            self.assertIn(f"input 'x' is [4], its value [{size}]", done.stderr)

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

    def test_numbers_that_shapes_ask_for(self):
        """A few bytes of shapes must not become gigabytes of constants."""
        def with_input(nodes, shape, *more, opset=13):
            return onnx.model(*nodes, onnx.value(11, "x", onnx.FLOAT, shape), onnx.value(12, "y", onnx.FLOAT, ["a", "b"]), *more,
                              opset=opset)
        most = (1 << 31) - 1
        cubic = onnx.node("Resize", ["x", "", "", "s"], ["y"], onnx.text_attribute("mode", "cubic"))
        asked = [
            with_input([onnx.node("Hardmax", ["x"], ["y"])], [3, 4, most]),
            with_input([onnx.node("GroupNormalization", ["x", "o", "o"], ["y"], onnx.whole_attribute("num_groups", 1))],
                       [1, 1 << 40, 1], onnx.initializer("o", [1], [1]), opset=18),
            with_input([cubic], [1, 1, 1, 1 << 20], onnx.initializer("s", [4], [1, 1, 1, 3 << 19])),
        ]
        for model in asked:
            self.refused(model, "constants that are not in the file, of at most 16777216")

    def test_numbers_at_the_ends_of_their_range(self):
        """What an attribute or a known operand may be, and nothing adds up."""
        least, most = -(1 << 63), (1 << 63) - 1
        image, result = onnx.value(11, "x", onnx.FLOAT, [1, 1, 2, 2]), onnx.value(12, "y", onnx.FLOAT, ["a", "b", "c", "d"])
        ends, filter_ = (least, -1, 0, most), onnx.initializer("w", [1, 1, 1, 1], [1])
        for end in ends:
            deconv = onnx.node("ConvTranspose", ["x", "w"], ["y"], onnx.wholes_attribute("output_shape", [2, end]))
            self.refused(onnx.model(deconv, filter_, image, result, opset=21), "'output_shape' makes no sense")
            unpool = onnx.node("MaxUnpool", ["x", "x", "s"], ["y"], onnx.wholes_attribute("kernel_shape", [1, 1]))
            self.ends(onnx.model(unpool, onnx.initializer("s", [4], [1, 1, 2, end]), image, result, opset=21))
            eye = [onnx.node("EyeLike", ["x"], ["e"], onnx.whole_attribute("k", end)), onnx.node("Add", ["e", "x"], ["y"])]
            self.assertIn("y_Add", self.module(onnx.model(*eye, X, Y)))
            for step in ends:
                cut = onnx.node("Slice", ["x", "b", "e", "a", "s"], ["y"])
                lists = [onnx.initializer(name, [1], [value]) for name, value in (("b", end), ("e", least), ("a", 1), ("s", step))]
                self.ends(onnx.model(cut, *lists, X, onnx.value(12, "y", onnx.FLOAT, [2, "n"])))

    def test_pads_of_windows_are_not_negative(self):
        """ONNX says so of every window; what a Pad takes off is another matter."""
        image, result = onnx.value(11, "x", onnx.FLOAT, [1, 1, 6, 6]), onnx.value(12, "y", onnx.FLOAT, [1, 1, "h", "w"])
        filter_, places = onnx.initializer("w", [1, 1, 3, 3], [1] * 9), onnx.initializer("i", [1, 1, 6, 6], range(36))
        kernel = onnx.wholes_attribute("kernel_shape", [3, 3])
        for op, operands in (("Conv", "xw"), ("ConvTranspose", "xw"), ("MaxPool", "x"), ("AveragePool", "x"), ("MaxUnpool", "xi")):
            for place in range(4):
                with self.subTest(op=op, place=place):
                    pads = onnx.wholes_attribute("pads", [-2 if place == each else 1 for each in range(4)])
                    node = onnx.node(op, list(operands), ["y"], kernel, pads)
                    used = {"w": [filter_], "i": [places]}.get(operands[-1], [])
                    self.refused(onnx.model(node, *used, image, result), "a pad of -2 makes no sense [TPUMEM-E025]")
        numbers = onnx.initializer("p", [4], [0, -1, 1, -1])
        self.assertIn("paddings = [0, -1, 1, -1]", self.module(onnx.model(onnx.node("Pad", ["x", "p"], ["y"]), numbers, X,
                                                                          onnx.value(12, "y", onnx.FLOAT, [3, 1]))))

    def test_pads_of_windows_on_integers(self):
        uint8, int32 = 2, 6
        bytes_in, result = onnx.value(11, "x", uint8, [1, 1, 6, 6]), onnx.value(12, "y", int32, [1, 1, "h", "w"])
        filter_ = onnx.packed("w", uint8, "B", [1, 1, 1, 1], [1])
        node = onnx.node("ConvInteger", ["x", "w"], ["y"], onnx.wholes_attribute("pads", [0, 0, 0, -1]))
        self.refused(onnx.model(node, filter_, bytes_in, result), "a pad of -1 makes no sense [TPUMEM-E025]")

    def test_tensors_without_elements(self):
        """Their other dimensions are as large as a file likes, and have to be counted all the same."""
        long = (1 << 62) + 1
        empty = onnx.initializer("w", [0, long], [])
        joined = [onnx.node("Concat", ["w", "w", "w"], ["c"], onnx.whole_attribute("axis", 1)), onnx.node("Size", ["c"], ["n"])]
        for op in (joined, [onnx.node("Slice", ["w", "b", "e"], ["c"]), onnx.node("Shape", ["c"], ["n"])],
                   [onnx.node("Gather", ["w", "b"], ["c"]), onnx.node("Shape", ["c"], ["n"])]):
            lists = [onnx.initializer(name, [2], [most, most]) for name, most in (("b", long), ("e", (1 << 63) - 1))]
            self.ends(onnx.model(*op, empty, *lists, onnx.value(12, "n", onnx.INT64, ["a"])))
        self.refused(onnx.model(RELU, onnx.initializer("w", [0, long, long], []), X, Y), "tensor 'w': its shape is")
        many = onnx.node("Unsqueeze", ["x", "a"], ["z"])
        axes = onnx.initializer("a", [1 << 16], list(range(1 << 16)))
        self.refused(onnx.model(many, onnx.node("Relu", ["z"], ["y"]), axes, X, onnx.value(12, "y", onnx.FLOAT, [2, 3]), opset=21),
                     "'axes' has 65536 numbers, of at most 4096")

    def test_words_that_onnx_does_not_know(self):
        image = [onnx.value(11, "x", onnx.FLOAT, [1, 4, 4, 4]), onnx.value(12, "y", onnx.FLOAT, ["n", "c", "h", "w"])]
        kernel = onnx.wholes_attribute("kernel_shape", [2, 2])
        for node in (onnx.node("MaxPool", ["x"], ["y"], kernel, onnx.text_attribute("auto_pad", "SAME")),
                     onnx.node("DepthToSpace", ["x"], ["y"], onnx.whole_attribute("blocksize", 2),
                               onnx.text_attribute("mode", "CDR"))):
            self.refused(onnx.model(node, *image), "' is not known, only ")

    def test_operands_of_more_elements_than_the_result(self):
        more = onnx.initializer("s", [5, 2, 3], [1] * 30)
        for node in (onnx.node("PRelu", ["x", "f"], ["y"]), onnx.node("Gemm", ["x", "x", "f"], ["y"], onnx.whole_attribute("transB", 1))):
            self.refused(onnx.model(onnx.node("Cast", ["s"], ["f"], onnx.whole_attribute("to", 1)), node, more, X,
                                    onnx.value(12, "y", onnx.FLOAT, ["a", "b", "c"])), "[TPUMEM-E025]")

    def test_constants_too_large_to_fold_are_computed(self):
        """Two columns of 2^13 give a square: a layer of the network."""
        long = 1 << 13
        fill = [onnx.node("ConstantOfShape", ["down"], ["a"]), onnx.node("ConstantOfShape", ["across"], ["b"]),
                onnx.node("Add", ["a", "b"], ["c"]), onnx.node("Add", ["c", "x"], ["y"])]
        model = onnx.model(*fill, onnx.initializer("down", [2], [long, 1]), onnx.initializer("across", [2], [1, long]),
                           onnx.value(11, "x", onnx.FLOAT, [1]), onnx.value(12, "y", onnx.FLOAT, [long, long]))
        done = self.run_tool(model)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_orders_that_are_none(self):
        """libonnx does not look at them where it does not know how many dimensions there are."""
        for order in ([0, 2, -2], [0, -3, 1], [0, 1, 1], [0, 1], [0, 1, 3], [0, 1, 2, 3], [0, 1, 1 << 62]):
            perm = onnx.wholes_attribute("perm", order)
            shape = onnx.node("Constant", [], ["s"], onnx.message(5, onnx.message(1, "value"), onnx.message(5, onnx.tensor_fields("", [3], [1, 5, 3])),
                                                                  onnx.number(20, 4)))
            other = onnx.value(12, "y", onnx.FLOAT, ["a", "b", "c"])
            self.refused(onnx.model(shape, onnx.node("Reshape", ["x", "s"], ["r"]), onnx.node("Transpose", ["r"], ["y"], perm),
                                    onnx.value(11, "x", onnx.FLOAT, [3, 5]), other), "'perm' is no order of the dimensions [TPUMEM-E025]")
            # Of constants, where nobody computes them later.
            number = onnx.node("Cast", ["s"], ["f"], onnx.whole_attribute("to", onnx.FLOAT))
            self.refused(onnx.model(shape, onnx.initializer("t", [3], [1, 1, 3]), number, onnx.node("Reshape", ["f", "t"], ["r"]),
                                    onnx.node("Transpose", ["r"], ["p"], perm), onnx.node("Add", ["x", "p"], ["y"]),
                                    onnx.value(11, "x", onnx.FLOAT, [1, 1, 3]), other), "'perm' is no order of the dimensions [TPUMEM-E025]")

    def test_numbers_of_a_type_that_is_none(self):
        """libonnx takes a tensor of undefined type for one without elements, and looks at no other that it does not know."""
        for kind in (0, 99, -1, 8):
            for op, shape, attributes in (("ConvTranspose", [3, 4, 3, 3], ()), ("Gemm", [8, 3], (onnx.whole_attribute("transB", 1),)),
                                          ("Gemm", [3, 8], (onnx.real_attribute("alpha", 2.0),)), ("MatMul", [3, 8], ()),
                                          ("Conv", [8, 3, 1, 1], ()), ("Add", [3], ()), ("PRelu", [3], ()), ("Reshape", [2], ())):
                count = math.prod(shape)
                weight = onnx.message(5, *(onnx.number(1, size) for size in shape), onnx.number(2, kind), onnx.message(8, "w"),
                                      onnx.message(9, bytes(4 * count)))
                data = onnx.model(weight, onnx.node(op, ["x", "w"], ["y"], *attributes), onnx.value(12, "y", onnx.FLOAT, ["a", "b"]),
                                  onnx.value(11, "x", onnx.FLOAT, [2, 3, 5, 5] if "Conv" in op else [2, 3]))
                done = self.run_tool(data)
                self.assertEqual((done.returncode, done.stderr.count("error: "), os.listdir(self.folder)), (1, 1, ["net.onnx"]), (op, kind, done.stderr))

    def test_negative_shapes(self):
        minus = onnx.value(11, "x", onnx.FLOAT, [-5, 3])
        self.refused(onnx.model(RELU, minus, onnx.value(12, "y", onnx.FLOAT, [-5, 3])), "has no shape of numbers")
        self.refused(onnx.model(RELU, onnx.initializer("w", [-2], [1]), X, Y), "[TPUMEM-E017]")
        reshape = onnx.node("Reshape", ["x", "s"], ["y"])
        for shape in ([-2, 3], [-1, -1], [0, 0, 0], [1 << 62, 4]):
            self.refused(onnx.model(reshape, onnx.initializer("s", [len(shape)], shape), X,
                                    onnx.value(12, "y", onnx.FLOAT, ["a", "b"])), "[TPUMEM-E025]")

    def test_claims_of_elements_that_are_not_there(self):
        for dims in ([1 << 62, 2], [(1 << 63) - 1], [1 << 32, 1 << 32, 0], [3]):
            weight = onnx.message(5, *(onnx.number(1, size) for size in dims), onnx.number(2, onnx.FLOAT), onnx.message(8, "w"),
                                  onnx.message(9, b"\0" * 4))
            self.refused(onnx.model(onnx.node("Add", ["x", "w"], ["y"]), weight, X, Y), "tensor 'w': ")
        fill = onnx.node("ConstantOfShape", ["s"], ["f"])
        for shape in ([1 << 40, 1 << 40], [1 << 62], [-1]):
            self.refused(onnx.model(fill, onnx.node("Add", ["x", "f"], ["y"]), onnx.initializer("s", [len(shape)], shape), X, Y),
                         "is too large")

    def test_places_of_data_that_make_no_sense(self):
        with open(os.path.join(self.folder, "weights.bin"), "wb") as file:
            file.write(b"\0" * 12)
        for offset, length in (("9223372036854775807", "12"), ("-4", "12"), ("0", "9223372036854775807"), ("x", "12")):
            entries = [onnx.message(13, onnx.message(1, key), onnx.message(2, value))
                       for key, value in (("location", "weights.bin"), ("offset", offset), ("length", length))]
            data = onnx.message(5, onnx.number(1, 3), onnx.number(2, onnx.FLOAT), onnx.message(8, "w"), onnx.number(14, 1), *entries)
            done = self.run_tool(onnx.model(onnx.node("Add", ["x", "w"], ["y"]), data, X, Y))
            self.assertEqual(done.returncode, 1, (offset, length))
            self.assertEqual(done.stderr.count("error: "), 1, done.stderr)

    def test_functions_that_call_themselves(self):
        call = onnx.message(7, onnx.message(1, "a"), onnx.message(2, "b"), onnx.message(4, "F"), onnx.message(7, "own"))
        function = onnx.message(25, onnx.message(1, "F"), onnx.message(4, "a"), onnx.message(5, "b"), onnx.message(10, "own"),
                                onnx.message(9, onnx.message(1, ""), onnx.number(2, 13)), call)
        use = onnx.message(1, onnx.message(1, "x"), onnx.message(2, "y"), onnx.message(4, "F"), onnx.message(7, "own"))
        model = onnx.model(use, X, Y) + onnx.message(8, onnx.message(1, "own"), onnx.number(2, 1)) + function
        self.refused(model, "function 'F' calls itself [TPUMEM-E017]")

    def test_functions_that_are_nested_too_deep(self):
        """The one that is not taken is named, and that none calls itself can be seen."""
        def chain(length):
            functions = []
            for i in range(length):
                inner = onnx.node("Relu", ["a"], ["b"]) if i + 1 == length else \
                    onnx.message(1, onnx.message(1, "a"), onnx.message(2, "b"), onnx.message(4, f"f{i + 1}"), onnx.message(7, "own"))
                functions.append(onnx.message(25, onnx.message(1, f"f{i}"), onnx.message(4, "a"), onnx.message(5, "b"), onnx.message(10, "own"),
                                              onnx.message(9, onnx.message(1, ""), onnx.number(2, 13)),
                                              onnx.message(9, onnx.message(1, "own"), onnx.number(2, 1)), b"\x3a" + inner[1:]))
            use = onnx.message(1, onnx.message(1, "x"), onnx.message(2, "y"), onnx.message(4, "f0"), onnx.message(7, "own"))
            return onnx.model(use, X, Y) + onnx.message(8, onnx.message(1, "own"), onnx.number(2, 1)) + b"".join(functions)
        self.assertIn('"top.Relu"', self.module(chain(64)))
        self.refused(chain(100), "function 'f64' is nested 65 deep, where 64 is the limit [TPUMEM-E017]")

    def test_operands_that_are_missing(self):
        """In opsets that ONNX's checker does not know."""
        for op, what in (("Reshape", "shape"), ("Unsqueeze", "axes")):
            self.refused(onnx.model(onnx.node(op, ["x"], ["y"]), X, Y, opset=21), "it has no '%s' [TPUMEM-E025]" % what)

    def test_indices_that_name_no_place(self):
        for op, index, shape, axis, updates in (
                ("Gather", 3, [1], 1, None), ("Gather", -4, [1], 1, None), ("GatherElements", 2, [2, 3], 0, None),
                ("GatherND", -3, [1, 2], 0, None), ("ScatterElements", 3, [1, 1], 1, [1, 1]), ("ScatterND", 2, [1, 1], 0, [1, 3])):
            parts = [onnx.initializer("i", shape, [index] + [0] * (math.prod(shape) - 1)), X,
                     onnx.value(12, "y", onnx.FLOAT, ["n"] if op == "GatherND" else ["a", "b"])]
            if updates:
                parts.append(onnx.packed("u", onnx.FLOAT, "f", updates, [0.0] * math.prod(updates)))
            node = onnx.node(op, ["x", "i", "u"] if updates else ["x", "i"], ["y"],
                             *([] if "ND" in op else [onnx.whole_attribute("axis", axis)]), name="n")
            size = (2, 3)[axis]
            done = self.run_tool(onnx.model(node, *parts))
            self.assertEqual((done.returncode, done.stderr.count("error: "), os.listdir(self.folder)), (1, 1, ["net.onnx"]))
            self.assertIn("node 'n' (%s, opset 13)" % op, done.stderr)
            self.assertIn("index %d is not in [%d, %d] [TPUMEM-E025]" % (index, -size, size - 1), done.stderr)
        known = [onnx.initializer("a", [3], [1, 2, 3]), onnx.initializer("i", [1], [3]), onnx.node("Gather", ["a", "i"], ["g"]),
                 onnx.node("Cast", ["g"], ["f"], onnx.whole_attribute("to", onnx.FLOAT)), onnx.node("Add", ["x", "f"], ["y"])]
        self.refused(onnx.model(*known, X, Y), "index 3 is not in [-3, 2] [TPUMEM-E025]")

    def test_what_is_not_supported_is_named(self):
        y = onnx.value(12, "y", onnx.FLOAT, ["a", "b"])
        for kind, name in ((22, "int4"), (21, "uint4"), (17, "float8e4m3fn"), (8, "string")):
            word = onnx.message(5, onnx.number(1, 2), onnx.number(2, kind), onnx.message(8, "w"), onnx.message(9, b"\0\0"))
            node = onnx.node("DequantizeLinear", ["w", "s"], ["y"]) + onnx.packed("s", onnx.FLOAT, "f", [], [1.0])
            self.refused(onnx.model(node, word, X, y, opset=21),
                         "%s[2], float[]: operand 0 is of %s, which is not supported [TPUMEM-E025]" % (name, name))
        for op in ("QuantizeLinear", "DequantizeLinear"):
            node = onnx.node(op, ["x", "s"], ["y"], onnx.whole_attribute("block_size", 3))
            self.refused(onnx.model(node, onnx.packed("s", onnx.FLOAT, "f", [2, 1], [1.0, 1.0]), X, y, opset=21),
                         "blocks of places with one scale ('block_size') [TPUMEM-E025]")
        weights = [onnx.packed(name, onnx.FLOAT, "f", [1, 3, 1], [1.0] * 3) for name in "wr"]
        x = onnx.value(11, "x", onnx.FLOAT, [3, 2, 1])
        for lengths, what in (([2, 2], "sequences of 2 steps in an input of 3"), ([3, 2], "sequences of several lengths"),
                              ([3, 3], "activation 'Affine' is not known here")):
            node = onnx.node("GRU", ["x", "w", "r", "", "l"], ["y"], onnx.whole_attribute("hidden_size", 1),
                             onnx.texts_attribute("activations", ["Sigmoid", "Affine"]))
            length = onnx.packed("l", 6, "i", [2], lengths)
            self.refused(onnx.model(node, *weights, length, x, onnx.value(12, "y", onnx.FLOAT, [3, 1, 2, 1])), what + " [TPUMEM-E025]")

    def test_names_of_initializers_twice(self):
        twice = [onnx.initializer("w", [1], [1])] * 2
        self.refused(onnx.model(RELU, *twice, X, Y), "two initializers are called 'w'")
        self.refused(onnx.model(RELU, X, X, Y, opset=21), "two inputs are called 'x' [TPUMEM-E017]")

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

    def test_data_that_would_be_overwritten(self):
        weights, numbers = "net_top_f32_all_weight.npz", struct.pack("<3f", 1, 2, 3)
        with open(os.path.join(self.folder, weights), "wb") as file:
            file.write(numbers)
        os.symlink(weights, os.path.join(self.folder, "link.bin"))
        for place, name, module in ((weights, "net", "net.mlir"), ("link.bin", "net", "net.mlir"), (weights, "other", weights)):
            with self.subTest(place=place, name=name):
                with open(os.path.join(self.folder, "net.onnx"), "wb") as file:
                    file.write(self.with_data_in(place))
                done = subprocess.run([TOOL, "--model_name=" + name, "--model_def=net.onnx", "--mlir=" + module], cwd=self.folder,
                                      capture_output=True, check=False, text=True, stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("'%s' is read by the model (external data) and would be written by" % weights, done.stderr)
                self.assertEqual(sorted(os.listdir(self.folder)), ["link.bin", "net.onnx", weights])
                with open(os.path.join(self.folder, weights), "rb") as file:
                    self.assertEqual(file.read(), numbers)

    def test_data_outside_of_the_folder(self):
        for place in ("../secret", "/etc/passwd", "a/../../b", "", "weights.bin\0x"):
            with self.subTest(place=place):
                self.refused(self.with_data_in(place), "which is not in the model's folder [TPUMEM-E017]")

    def test_data_in_a_pipe(self):
        os.mkfifo(os.path.join(self.folder, "pipe"))
        done = self.run_tool(self.with_data_in("pipe"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("its data cannot be read from 'pipe' [TPUMEM-E017]", done.stderr)

    def test_data_that_are_cut_off(self):
        with open(os.path.join(self.folder, "weights.bin"), "wb") as file:
            file.write(b"\0" * 8)
        done = self.run_tool(self.with_data_in("weights.bin"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("has 8 bytes, 12 at 0 are needed [TPUMEM-E017]", done.stderr)

    def test_numbers_of_weights(self):
        """A file of numpy's, as it is laid out: names, types, shapes, numbers."""
        with open(os.path.join(self.folder, "weights.bin"), "wb") as file:
            file.write(struct.pack("<3f", 1, 2, 3))
        fill = onnx.node("ConstantOfShape", ["s"], ["f"], onnx.message(5, onnx.message(1, "value"), onnx.number(20, 4), onnx.message(
            5, onnx.number(1, 1), onnx.number(2, onnx.FLOAT), onnx.message(9, struct.pack("<f", 0.5)))))
        data = onnx.message(5, onnx.number(1, 3), onnx.number(2, onnx.FLOAT), onnx.message(8, "w"), onnx.number(14, 1),
                            onnx.message(13, onnx.message(1, "location"), onnx.message(2, "weights.bin")))
        nodes = [fill, onnx.node("Add", ["x", "w"], ["a"]), onnx.node("Mul", ["a", "f"], ["y"])]
        done = self.run_tool(onnx.model(*nodes, data, onnx.initializer("s", [2], [2, 3]), X, Y))
        self.assertEqual(done.returncode, 0, done.stderr)
        with zipfile.ZipFile(os.path.join(self.folder, "net_top_f32_all_weight.npz")) as file:
            self.assertEqual(file.namelist(), ["w.npy", "f.npy"])
            self.assertIsNone(file.testzip())
            header, numbers = file.read("w.npy")[:-12], file.read("w.npy")[-12:]
            self.assertEqual((len(header) % 64, header[:8]), (0, b"\x93NUMPY\x01\x00"))
            self.assertIn(b"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", header)
            self.assertEqual(struct.unpack("<3f", numbers), (1, 2, 3))
            self.assertEqual(struct.unpack("<6f", file.read("f.npy")[-24:]), (0.5,) * 6)

    PICTURE = [onnx.value(11, "x", onnx.FLOAT, [1, 3, 8, 6]), onnx.value(12, "y", onnx.FLOAT, [1, 3, 8, 6])]

    def attributes(self, *flags):
        """Of the input of a network that sees a picture."""
        text = self.module(onnx.model(RELU, *self.PICTURE), *flags)
        return next(line for line in text.splitlines() if "top.Input" in line)

    def test_pictures(self):
        for part in ("do_preprocess = true", "resize_dims = [8, 6]", "keep_aspect_ratio = false", 'channel_format = "nchw"',
                     'keep_ratio_mode = "letterbox"', 'pad_type = "center"', "pad_value = 0 : i64", 'pixel_format = "bgr"',
                     "mean = [0.000000e+00, 0.000000e+00, 0.000000e+00]", "scale = [1.000000e+00, 1.000000e+00, 1.000000e+00]"):
            self.assertIn(part, self.attributes())
        given = self.attributes("--resize_dims=16,16", "--scale=0.0039216,0.0039216,0.0039216", "--mean=1,2,3",
                                "--pixel_format=rgb", "--keep_aspect_ratio", "--pad_value=114", "--preprocess_list=1")
        for part in ("resize_dims = [16, 16]", "0.0039216000586748123", "mean = [1.000000e+00, 2.000000e+00, 3.000000e+00]",
                     'pixel_format = "rgb"', "keep_aspect_ratio = true", "pad_value = 114 : i64"):
            self.assertIn(part, given)
        self.assertIn("do_preprocess = false", self.attributes("--channel_format=none"))
        self.assertIn("do_preprocess = false", self.module(GOOD))

    def test_inputs_that_are_no_pictures(self):
        picture = onnx.model(RELU, *self.PICTURE)
        self.refused(GOOD, "no input is a picture", flags=["--mean=1,2,3"])
        self.refused(GOOD, "input 'x' is float [2,3], no picture [TPUMEM-E017]", flags=["--preprocess_list=1"])
        self.refused(picture, "--preprocess_list names input 2, the network has 1", flags=["--preprocess_list=2"])
        self.refused(picture, "no input is a picture", flags=["--pixel_format=gray"])
        self.refused(picture, "--mean has 2 numbers: give one a channel", flags=["--mean=1,2"])

    def test_conditions_that_are_not_known(self):
        graph = onnx.message(1, onnx.message(1, "x"), onnx.message(2, "z"), onnx.message(4, "Relu"))
        branch = onnx.message(6, graph, onnx.message(2, "b"), onnx.value(12, "z", onnx.FLOAT, [2, 3]))
        either = onnx.node("If", ["c"], ["y"], *(onnx.message(5, onnx.message(1, name), onnx.number(20, 5), branch)
                                                 for name in ("then_branch", "else_branch")))
        self.refused(onnx.model(either, X, onnx.value(11, "c", onnx.BOOL, []), Y),
                     "its condition has to be known: give 'c' with --bind [TPUMEM-E025]")

    def test_flags_of_the_toolchain_that_are_not_there(self):
        done = self.run_tool(GOOD, "--test_input=x.npz")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'--test_input' is known from tpu-mlir but not supported here; leave it out, and run the module on numbers: "
                      "model_runner --memory=value", done.stderr)
        done = self.run_tool(GOOD, "--onnx_sim=skip_fuse_bn")
        self.assertEqual((done.returncode, done.stderr.count("model_runner")), (2, 0))

    def test_what_is_said_of_the_runner(self):
        """A module as it is written runs, on the numbers of its file."""
        self.assertEqual(self.run_tool(GOOD).returncode, 0)
        done = subprocess.run([RUNNER, "--memory=value", "--model=net.mlir", "--weight=net_top_f32_all_weight.npz", "--output=o.npz"],
                              cwd=self.folder, capture_output=True, check=False, text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("o.npz", os.listdir(self.folder))

    def test_usage(self):
        for flags in (["--input_shapes=3"], ["--input_shapes=[[0]]"], ["--bind=x"], ["--bind==a"], ["--nonsense"],
                      ["--bind=x=a.pb", "--bind=x=b.pb"], ["--input_shapes=[[2.0,3]]"], ["--mean=1e39,0,0"], ["--scale=1e-50,1,1"],
                      ["--pad_value=256"], ["--pad_value=-1"], ["--resize_dims=99999999999,5"],
                      ["--resize_dims=3"], ["--resize_dims=0,3"], ["--mean=a"], ["--scale=inf"], ["--pixel_format=cmyk"],
                      ["--channel_format=chwn"], ["--pad_type=left"], ["--preprocess_list=0"],
                      ["--keep_ratio_mode=short_side_scale"], ["--keep_aspect_ratio", "--keep_ratio_mode=cut"],
                      ["--channel_format=none", "--mean=1,2,3"]):
            done = self.run_tool(GOOD, *flags)
            self.assertEqual(done.returncode, 2, (flags, done.stderr))
        self.assertEqual(os.listdir(self.folder), ["net.onnx"])


if __name__ == "__main__":
    unittest.main()
