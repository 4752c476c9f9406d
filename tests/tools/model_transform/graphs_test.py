"""What exporters write that ONNX's own suite does not have: computed, and compared with what ONNX says."""
import array
import math
import os
import random
import struct
import subprocess
import tempfile
import unittest

import arrays
import onnx_files as onnx

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
UINT8, INT8, INT32 = 2, 3, 6


def tensor(name, kind, shape, raw):
    return b"".join([*(onnx.number(1, size) for size in shape), onnx.number(2, kind), onnx.message(9, raw),
                     onnx.message(8, name)])


def floats(name, shape, numbers):
    return onnx.message(5, tensor(name, onnx.FLOAT, shape, struct.pack("<%df" % len(numbers), *numbers)))


def bytes_of(name, kind, shape, numbers):
    return onnx.message(5, tensor(name, kind, shape, bytes(number & 255 for number in numbers)))


def sparse(name, shape, indices, index_shape, numbers):
    """A sparse initializer: the numbers, where they are, and the shape."""
    values = tensor(name, onnx.FLOAT, [len(numbers)], struct.pack("<%df" % len(numbers), *numbers))
    return onnx.message(15, onnx.message(1, values), onnx.message(2, onnx.tensor_fields("", index_shape, indices)),
                        *(onnx.number(3, size) for size in shape))


class Graphs(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)

    def run_tool(self, tool, *flags):
        return subprocess.run([os.path.join(ROOT, "tpu_mlir/tools", tool, tool), *flags], cwd=self.scratch.name,
                              check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def model(self, parts, shape, result, **imports):
        return onnx.model(*parts, onnx.value(11, "x", onnx.FLOAT, shape), onnx.value(12, "y", onnx.FLOAT, result), **imports)

    def import_model(self, model, *flags):
        with open(os.path.join(self.scratch.name, "net.onnx"), "wb") as file:
            file.write(model)
        return self.run_tool("model_transform", "--model_name=net", "--model_def=net.onnx", "--mlir=net.mlir", *flags)

    def imported(self, parts, shape, result, **imports):
        return self.import_model(self.model(parts, shape, result, **imports))

    def check(self, parts, shape, numbers, result, wanted, **imports):
        self.check_model(self.model(parts, shape, result, **imports), shape, numbers, wanted)

    def check_model(self, model, shape, numbers, wanted):
        done = self.import_model(model)
        self.assertEqual(done.returncode, 0, done.stderr)
        arrays.write_arrays(os.path.join(self.scratch.name, "x.npz"), {"x": arrays.array("<f4", shape, numbers)})
        weights = "net_top_f32_all_weight.npz"
        has_weights = os.path.exists(os.path.join(self.scratch.name, weights))
        done = self.run_tool("model_runner", "--memory=value", "--model=net.mlir", "--input=x.npz", "--output=y.npz",
                             *(["--weight=" + weights] if has_weights else []))
        self.assertEqual(done.returncode, 0, done.stderr)
        results = list(arrays.read_arrays(os.path.join(self.scratch.name, "y.npz")).values())
        self.assertEqual(len(results), 1)
        self.assertEqual(len(results[0]), len(wanted))
        for i, (got, right) in enumerate(zip(results[0], wanted)):
            self.assertTrue(math.isclose(got, right, rel_tol=1e-6, abs_tol=1e-6), (i, got, right))

    def test_to_integers_and_back(self):
        numbers = [0.25, 0.75, -0.25, 1.25, -100.0, 1000.0, 3.0, -1.5]
        parts = [onnx.node("QuantizeLinear", ["x", "s", "z"], ["q"]), onnx.node("DequantizeLinear", ["q", "s", "z"], ["y"]),
                 floats("s", [], [0.5]), bytes_of("z", UINT8, [], [3])]
        # round() of Python and ONNX's rounding take the even one, too.
        self.check(parts, [8], numbers, [8], [(min(max(round(one / 0.5) + 3, 0), 255) - 3) * 0.5 for one in numbers])

    def test_integer_weights_by_channel(self):
        parts = [onnx.node("DequantizeLinear", ["w", "s", "z"], ["d"], onnx.whole_attribute("axis", 0)),
                 onnx.node("Mul", ["x", "d"], ["y"]), bytes_of("w", INT8, [2, 3], [1, -2, 3, 4, -5, 6]),
                 floats("s", [2], [0.5, 0.25]), bytes_of("z", INT8, [2], [0, -1])]
        self.check(parts, [2, 3], [1.0] * 6, [2, 3], [0.5, -1.0, 1.5, 1.25, -1.0, 1.75])

    def test_convolutions_of_integers(self):
        """A scale for each channel of the filter, and a bias in the scale of the sums."""
        numbers = [float(i - 4) for i in range(8)]
        parts = [onnx.node("QuantizeLinear", ["x", "xs", "xz"], ["q"]),
                 onnx.node("QLinearConv", ["q", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["r"]),
                 onnx.node("DequantizeLinear", ["r", "ys", "yz"], ["y"]),
                 floats("xs", [], [0.5]), bytes_of("xz", UINT8, [], [128]), floats("ws", [2], [0.25, 0.125]),
                 bytes_of("wz", INT8, [2], [0, 0]), bytes_of("w", INT8, [2, 2, 1, 1], [4, -8, 100, 3]),
                 floats("ys", [], [0.5]), bytes_of("yz", INT8, [], [-5]),
                 onnx.message(5, tensor("b", 6, [2], struct.pack("<2i", 24, -16)))]
        wanted = []
        for channel, (scale, bias) in enumerate(((0.25, 24), (0.125, -16))):
            for place in range(4):
                first, second = (round(numbers[at] / 0.5) for at in (place, place + 4))
                total = bias + ([4, 100][channel] * first + [-8, 3][channel] * second)
                whole = min(max(round(total * 0.5 * scale / 0.5) - 5, -128), 127)
                wanted.append((whole + 5) * 0.5)
        self.check(parts, [1, 2, 2, 2], numbers, [1, 2, 2, 2], wanted)

    def test_average_of_windows_that_end_outside(self):
        """Padding counts where it was asked for; what ceil_mode adds beyond it does not."""
        numbers = [float(i + 1) for i in range(6)]
        parts = [onnx.node("AveragePool", ["x"], ["y"], onnx.wholes_attribute("kernel_shape", [1, 3]),
                           onnx.wholes_attribute("strides", [1, 2]), onnx.wholes_attribute("pads", [0, 1, 0, 0]),
                           onnx.whole_attribute("ceil_mode", 1), onnx.whole_attribute("count_include_pad", 1))]
        self.check(parts, [1, 1, 1, 6], numbers, [1, 1, 1, 3], [3 / 3, 9 / 3, 15 / 3])
        self.check(parts, [1, 1, 1, 5], numbers[:5], [1, 1, 1, 3], [3 / 3, 9 / 3, 9 / 2])

    def test_sparse_initializers(self):
        add = onnx.node("Add", ["x", "w"], ["y"])
        wanted = [1.0, 3.0, 1.0, 1.0, 1.0, 6.0]
        self.check([add, sparse("w", [2, 3], [1, 5], [2], [2.0, 5.0])], [2, 3], [1.0] * 6, [2, 3], wanted)
        self.check([add, sparse("w", [2, 3], [0, 1, 1, 2], [2, 2], [2.0, 5.0])], [2, 3], [1.0] * 6, [2, 3], wanted)
        for wrong in (sparse("w", [2, 3], [1, 6], [2], [2.0, 5.0]), sparse("w", [2, 3], [0, 1, 1, 3], [2, 2], [2.0, 5.0]),
                      sparse("w", [2, 3], [1, -1], [2], [2.0, 5.0]), sparse("w", [1 << 40], [1, 5], [2], [2.0, 5.0])):
            done = self.imported([add, wrong], [2, 3], [2, 3])
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr.count("error: "), 1, done.stderr)

    def test_numbers_in_files(self):
        """Of an initializer, of a Constant, and in a branch: beside the model, whatever folder the tool is called from."""
        os.mkdir(os.path.join(self.scratch.name, "inner"))
        with open(os.path.join(self.scratch.name, "inner", "data.bin"), "wb") as file:
            file.write(struct.pack("<2f", 3.0, 4.0))
        tensor = b"".join([onnx.number(1, 2), onnx.number(2, onnx.FLOAT), onnx.message(8, "w"),
                           onnx.message(13, onnx.message(1, "location"), onnx.message(2, "data.bin")), onnx.number(14, 1)])
        constant = onnx.node("Constant", [], ["w"], onnx.message(5, onnx.message(1, "value"), onnx.message(5, tensor),
                                                                 onnx.number(20, 4)))
        add = onnx.node("Add", ["x", "w"], ["y"])
        branch = onnx.message(6, onnx.node("Identity", ["w"], ["b"]), onnx.message(2, "g"), onnx.message(5, tensor),
                              onnx.value(12, "b", onnx.FLOAT, [2]))
        choice = onnx.node("If", ["c"], ["z"], *(onnx.message(5, onnx.message(1, name), branch, onnx.number(20, 5))
                                                 for name in ("then_branch", "else_branch")))
        condition = onnx.message(5, onnx.number(2, onnx.BOOL), onnx.number(5, 1), onnx.message(8, "c"))
        for parts in ([add, onnx.message(5, tensor)], [constant, add],
                      [choice, onnx.node("Add", ["x", "z"], ["y"]), condition]):
            with open(os.path.join(self.scratch.name, "inner", "net.onnx"), "wb") as file:
                file.write(onnx.model(*parts, onnx.value(11, "x", onnx.FLOAT, [2]), onnx.value(12, "y", onnx.FLOAT, [2])))
            done = self.run_tool("model_transform", "--model_name=net", "--model_def=inner/net.onnx", "--mlir=net.mlir")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_resize_since_opset_18(self):
        block = [onnx.text_attribute("coordinate_transformation_mode", "asymmetric"), onnx.text_attribute("nearest_mode", "floor")]
        axes = onnx.wholes_attribute("axes", [-2, 3])
        scales = [onnx.node("Resize", ["x", "", "s"], ["y"], axes, *block), floats("s", [2], [2.0, 2.0])]
        self.check(scales, [1, 1, 1, 2], [1, 2], [1, 1, 2, 4], [1, 1, 2, 2] * 2, opset=18)
        for policy, size in (("not_larger", 4), ("not_smaller", 6)):
            sizes = [onnx.node("Resize", ["x", "", "", "s"], ["y"], axes, *block,
                               onnx.text_attribute("keep_aspect_ratio_policy", policy)), onnx.initializer("s", [2], [4, 6])]
            wanted = [row * 2 + column + 1 for row in (0, 1) for _ in range(size // 2)
                      for column in (0, 1) for _ in range(size // 2)]
            self.check(sizes, [1, 1, 2, 2], [1, 2, 3, 4], [1, 1, size, size], wanted, opset=18)
        middle = [onnx.node("Resize", ["x", "", "s"], ["y"], onnx.text_attribute("mode", "linear"),
                            onnx.text_attribute("coordinate_transformation_mode", "half_pixel_symmetric")),
                  floats("s", [3], [1.0, 1.0, 0.6])]
        self.check(middle, [1, 1, 4], [0, 1, 2, 3], [1, 1, 2], [2 / 3, 7 / 3], opset=19)
        smaller = [onnx.node("Resize", ["x", "", "s"], ["y"], onnx.text_attribute("mode", "linear"),
                             onnx.whole_attribute("antialias", 1)), floats("s", [3], [1.0, 1.0, 0.5])]
        self.assertIn("smaller images with 'antialias'", self.imported(smaller, [1, 1, 4], [1, 1, 2], opset=18).stderr)

    def test_resize_in_the_order_of_axes(self):
        """Numbers belong to the axes as they are named: three columns of each, and two rows."""
        wanted = [column for column in (1, 2) for _ in range(3)] * 2
        block = [onnx.text_attribute("coordinate_transformation_mode", "asymmetric"), onnx.text_attribute("nearest_mode", "floor")]
        for axes in ([3, 2], [-1, 2], [3, -2]):
            named = onnx.wholes_attribute("axes", axes)
            for operands, number in ((["x", "", "s"], floats("s", [2], [3.0, 2.0])),
                                     (["x", "", "", "s"], onnx.initializer("s", [2], [6, 2]))):
                self.check([onnx.node("Resize", operands, ["y"], named, *block), number], [1, 1, 1, 2], [1, 2], [1, 1, 2, 6], wanted,
                           opset=18)
            # Columns 1 to 2 of 0 to 2, and all rows.
            crop = [onnx.node("Resize", ["x", "r", "", "s"], ["y"], named, onnx.text_attribute("mode", "linear"),
                              onnx.text_attribute("coordinate_transformation_mode", "tf_crop_and_resize")),
                    floats("r", [4], [0.5, 0.0, 1.0, 1.0]), onnx.initializer("s", [2], [3, 2])]
            self.check(crop, [1, 1, 2, 3], [0, 1, 2, 3, 4, 5], [1, 1, 2, 3], [1, 1.5, 2, 4, 4.5, 5], opset=18)
        twice = [onnx.node("Resize", ["x", "", "s"], ["y"], onnx.wholes_attribute("axes", [3, -1])), floats("s", [2], [3.0, 2.0])]
        self.assertIn("an axis is named twice", self.imported(twice, [1, 1, 1, 2], [1, 1, 1, 6], opset=18).stderr)

    def test_resize_that_keeps_the_ratio(self):
        """The places are those of the one scale, whatever it makes of a size: 1.5 rows become 2, and 2.7 stay 3."""
        def resize(policy, sizes, *attributes):
            return [onnx.node("Resize", ["x", "", "", "s"], ["y"], onnx.wholes_attribute("axes", [2, 3]), *attributes,
                              onnx.text_attribute("keep_aspect_ratio_policy", policy)), onnx.initializer("s", [2], sizes)]
        linear = onnx.text_attribute("mode", "linear")
        block = [onnx.text_attribute("coordinate_transformation_mode", "asymmetric"), onnx.text_attribute("nearest_mode", "floor")]
        numbers = list(range(12))
        for policy, sizes in (("not_larger", [9, 2]), ("not_smaller", [1, 2])):
            for attributes, wanted in (([linear], [2.5, 4.5, 8.5, 10.5]), (block, [0, 2, 8, 10])):
                self.check(resize(policy, sizes, *attributes), [1, 1, 3, 4], numbers, [1, 1, 2, 2], wanted, opset=18)
        rows = [row for row in range(3) for _ in range(10)]
        wanted = [min((row + 0.5) / 0.9 - 0.5, 2) for row in range(3) for _ in range(9)]
        self.check(resize("not_larger", [3, 9], linear), [1, 1, 3, 10], rows, [1, 1, 3, 9], wanted, opset=18)

    def test_integers_stay_integers_when_resized(self):
        linear, cubic = (onnx.text_attribute("mode", mode) for mode in ("linear", "cubic"))

        def among(kind, middle, *weights):
            return [onnx.node("Cast", ["x"], ["i"], onnx.whole_attribute("to", kind)), middle,
                    onnx.node("Cast", ["o"], ["y"], onnx.whole_attribute("to", onnx.FLOAT)), *weights]

        def larger(kind, scale, *attributes):
            return among(kind, onnx.node("Resize", ["i", "", "s"], ["o"], *attributes), floats("s", [4], [1.0, 1.0, 1.0, scale]))
        for kind, sign in ((UINT8, 1), (INT8, -1), (INT32, -1)):
            self.check(larger(kind, 2.0, linear), [1, 1, 1, 3], [0, sign, 4 * sign], [1, 1, 1, 6],
                       [sign * one for one in (0, 0, 0, 1, 3, 4)])
            symmetric = onnx.text_attribute("coordinate_transformation_mode", "half_pixel_symmetric")
            for attributes in ([linear], [cubic], [linear, symmetric]):
                parts = larger(kind, 2.34, *attributes)
                self.check(parts, [1, 1, 1, 3], [77 * sign] * 3, [1, 1, 1, 7], [77 * sign] * 7, opset=19)
        old = among(UINT8, onnx.node("Upsample", ["i", "s"], ["o"], linear), floats("s", [4], [1.0, 1.0, 1.0, 2.0]))
        self.check(old, [1, 1, 1, 3], [0, 1, 4], [1, 1, 1, 6], [0, 0, 1, 2, 4, 4], opset=9)
        sample = among(UINT8, onnx.node("GridSample", ["i", "g"], ["o"]), floats("g", [1, 1, 2, 2], [0.0, 0.0, 0.0, 0.5]))
        self.check(sample, [1, 1, 2, 2], [1, 2, 3, 5], [1, 1, 1, 2], [2, 4], opset=20)

    def test_other_newer_forms(self):
        norm = [onnx.node("GroupNormalization", ["x", "a", "b"], ["y"], onnx.whole_attribute("num_groups", 1)),
                floats("a", [2], [2.0, 3.0]), floats("b", [2], [0.0, 1.0])]
        one = 1 / math.sqrt(1 + 1e-5)
        self.check(norm, [1, 2, 2], [1, -1, 1, -1], [1, 2, 2], [2 * one, -2 * one, 3 * one + 1, -3 * one + 1], opset=21)
        # A factor and a bias may be spread over rows, and what does not fit is a row that is flattened.
        norm = [onnx.node("LayerNormalization", ["x", "a", "b"], ["y"]), floats("a", [1], [2.0]),
                floats("b", [2, 1], [3.0, 4.0])]
        x = [1, -1, 1, -1]
        self.check(norm, [1, 2, 2], x, [1, 2, 2], [2 * one + 3, 3 - 2 * one, 2 * one + 4, 4 - 2 * one], opset=17)
        norm = [onnx.node("LayerNormalization", ["x", "a", "b"], ["y"], onnx.whole_attribute("axis", 1)),
                floats("a", [4], [1, 2, 3, 4]), floats("b", [1, 2], [5, 6])]
        self.check(norm, [1, 2, 2], x, [1, 2, 2], [one + 5, 6 - 2 * one, 3 * one + 5, 6 - 4 * one], opset=17)
        norm = [onnx.node("LayerNormalization", ["x", "a"], ["y"]), floats("a", [3], [1, 2, 3])]
        self.assertIn("operand 1 does not fit a row", self.imported(norm, [1, 2, 2], [1, 2, 2], opset=17).stderr)
        whole = [onnx.node("QuantizeLinear", ["x", "s"], ["q"], onnx.whole_attribute("output_dtype", 3)),
                 onnx.node("DequantizeLinear", ["q", "s"], ["y"]), floats("s", [], [0.5])]
        self.check(whole, [3], [-1.0, 0.4, 90.0], [3], [-1.0, 0.5, 63.5], opset=21)
        pool = [onnx.node("AveragePool", ["x"], ["y"], onnx.wholes_attribute("kernel_shape", [2]))]
        self.check(pool, [1, 1, 3], [1, 2, 4], [1, 1, 2], [1.5, 3], opset=19)
        pool[0] = onnx.node("AveragePool", ["x"], ["y"], onnx.wholes_attribute("kernel_shape", [2]),
                            onnx.wholes_attribute("dilations", [2]))
        self.assertIn("'dilations'", self.imported(pool, [1, 1, 3], [1, 1, 1], opset=19).stderr)

    def test_the_names_of_one_way_to_sample(self):
        """The first one is also what a file means that says nothing, in any opset."""
        grid = floats("g", [1, 1, 1, 2], [0.0, 0.0])
        for opset, attributes in ((17, []), (17, ["bilinear"]), (20, []), (20, ["linear"]), (22, [])):
            sample = onnx.node("GridSample", ["x", "g"], ["y"], *(onnx.text_attribute("mode", name) for name in attributes))
            self.check([sample, grid], [1, 1, 2, 2], [1, 2, 3, 4], [1, 1, 1, 1], [2.5], opset=opset)

    def test_windows_that_would_begin_behind_the_image(self):
        shape = [onnx.wholes_attribute("kernel_shape", [3, 3]), onnx.wholes_attribute("strides", [3, 3]),
                 onnx.wholes_attribute("pads", [1, 1, 1, 1]), onnx.whole_attribute("ceil_mode", 1)]
        self.check([onnx.node("MaxPool", ["x"], ["y"], *shape)], [1, 1, 5, 5], list(range(25)), [1, 1, 2, 2], [6, 9, 21, 24])
        self.check([onnx.node("AveragePool", ["x"], ["y"], *shape)], [1, 1, 5, 5], [1] * 25, [1, 1, 2, 2], [1] * 4)

    def test_attributes_that_no_opset_has(self):
        relu = [onnx.node("Relu", ["x"], ["y"], onnx.real_attribute("alpha", 0.5))]
        for opset in (17, 21):
            self.assertIn("alpha", self.imported(relu, [2], [2], opset=opset).stderr)
        split = [onnx.node("Split", ["x"], ["y", "z"], onnx.whole_attribute("num_outputs", 3))]
        self.assertIn("'num_outputs' is not the number of its results", self.imported(split, [4], [2], opset=18).stderr)

    def test_branches_that_use_the_same_names(self):
        def choice(condition, result, op):
            branch = onnx.message(6, onnx.node(op, ["x"], ["inner"]), onnx.node("Neg", ["inner"], ["o"]), onnx.message(2, "g"),
                                  onnx.value(12, "o", onnx.FLOAT, [2]))
            return onnx.node("If", [condition], [result], *(
                onnx.message(5, onnx.message(1, name), branch, onnx.number(20, 5)) for name in ("then_branch", "else_branch")))
        conditions = [onnx.message(5, onnx.number(2, onnx.BOOL), onnx.number(5, number), onnx.message(8, name))
                      for name, number in (("yes", 1), ("no", 0))]
        parts = [choice("yes", "p", "Relu"), choice("no", "q", "Abs"), onnx.node("Sub", ["p", "q"], ["y"]), *conditions]
        self.check(parts, [2], [-1.0, 3.0], [2], [1.0, 0.0])

    def test_the_default_domain_by_its_name(self):
        self.check([onnx.node("Relu", ["x"], ["y"])], [2], [-1.0, 3.0], [2], [0.0, 3.0], domain="ai.onnx")

    def test_functions_with_defaults_and_overloads(self):
        """Attributes that a call leaves out have the function's values, and of functions of one name the overload is called."""
        def call(field, *more):
            return onnx.message(field, onnx.message(1, "x"), onnx.message(2, "y"), onnx.message(4, "F"), onnx.message(7, "own"), *more)

        def function(op, *more):
            body = onnx.message(7, onnx.message(1, "x"), onnx.message(2, "y"), onnx.message(4, op), *more[1:])
            return onnx.message(25, onnx.message(1, "F"), onnx.message(4, "x"), onnx.message(5, "y"), onnx.message(10, "own"),
                                onnx.message(9, onnx.message(1, ""), onnx.number(2, 13)), body, more[0] if more else b"")

        def imported(use, *functions):
            own = onnx.message(8, onnx.message(1, "own"), onnx.number(2, 1))
            return self.model([use], [2], [2]) + own + b"".join(functions)
        # LeakyRelu's own default is another one.
        alpha = onnx.message(5, onnx.message(1, "alpha"), onnx.message(21, "slope"), onnx.number(20, 1))
        slope = onnx.message(11, onnx.real_attribute("slope", 0.5)[2:])
        leaky = function("LeakyRelu", slope, alpha)
        self.check_model(imported(call(1), leaky), [2], [-1.0, 3.0], [-0.5, 3.0])
        self.check_model(imported(call(1, onnx.real_attribute("slope", 0.25)), leaky), [2], [-1.0, 3.0], [-0.25, 3.0])
        both = [function("Neg", onnx.message(13, "n")), function("Abs", onnx.message(13, "a")), function("Relu")]
        for more, wanted in (([onnx.message(8, "n")], [1.0, -3.0]), ([onnx.message(8, "a")], [1.0, 3.0]), ([], [0.0, 3.0])):
            self.check_model(imported(call(1, *more), *both), [2], [-1.0, 3.0], wanted)
        for use, functions, message in ((call(1, onnx.message(8, "b")), both, "there is no function 'own.F:b'"),
                                        (call(1), [leaky, both[2]], "two functions are called 'own.F'"),
                                        (call(1), [function("Neg", onnx.message(11, b"\xff"))], "an attribute of function 'own.F'")):
            done = self.import_model(imported(use, *functions))
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)

    def test_constants_that_are_written_to(self):
        parts = [onnx.node("ScatterND", ["w", "i", "u"], ["s"]), onnx.node("Add", ["x", "s"], ["y"]),
                 floats("w", [2, 2], [1.0, 2.0, 3.0, 4.0]), onnx.initializer("i", [1, 1], [-1]), floats("u", [1, 2], [7.0, 8.0])]
        self.check(parts, [2, 2], [0.0] * 4, [2, 2], [1.0, 2.0, 7.0, 8.0])

    def test_pieces_without_elements(self):
        parts = [onnx.node("Concat", ["e", "x"], ["y"], onnx.whole_attribute("axis", 0)), floats("e", [0, 3], [])]
        self.check(parts, [2, 3], [float(i) for i in range(6)], [2, 3], [float(i) for i in range(6)])
        parts = [onnx.node("Split", ["x", "n"], ["a", "y"], onnx.whole_attribute("axis", 0)), onnx.initializer("n", [2], [0, 2])]
        self.check(parts, [2, 3], [float(i) for i in range(6)], [2, 3], [float(i) for i in range(6)])

    def test_results_that_nobody_reads(self):
        pool = onnx.node("MaxPool", ["x"], ["y", "places"], onnx.wholes_attribute("kernel_shape", [2, 2]))
        self.check([pool], [1, 1, 2, 3], [1.0, 5.0, 2.0, 4.0, 3.0, 6.0], [1, 1, 1, 2], [5.0, 6.0])
        read = onnx.node("Cast", ["places"], ["z"], onnx.whole_attribute("to", onnx.FLOAT))
        add = onnx.node("Add", ["v", "z"], ["y"])
        pool = onnx.node("MaxPool", ["x"], ["v", "places"], onnx.wholes_attribute("kernel_shape", [2, 2]))
        done = self.imported([pool, read, add], [1, 1, 2, 3], [1, 1, 1, 2])
        self.assertEqual(done.returncode, 1)
        self.assertIn("places of the largest elements", done.stderr)

    def test_one_number_without_dimensions(self):
        for op, wanted in (("Shrink", 0.0), ("Celu", math.expm1(-0.5)), ("ThresholdedRelu", 0.0), ("Elu", math.expm1(-0.5)),
                           ("Selu", 1.0507009873554805 * 1.6732632423543772 * math.expm1(-0.5)),
                           ("Softplus", math.log1p(math.exp(-0.5))), ("Acos", math.acos(-0.5)), ("Asinh", math.asinh(-0.5)),
                           ("Atanh", math.atanh(-0.5)), ("Erf", math.erf(-0.5)), ("Reciprocal", -2.0), ("Clip", -0.5)):
            self.check([onnx.node(op, ["x"], ["y"])], [], [-0.5], [], [wanted])

    def test_both_directions_step_by_step(self):
        """Weights of one number: sums below 0 become 0 on the way forth and are cut off at -1 and 1 on the way back."""
        numbers = [1.0, -2.0, 0.5]
        forth, back, h = [], [], 0.25
        for number in numbers:
            h = min(max(2 * number - h + 0.5, 0), 1)
            forth.append(h)
        h = -0.25
        for number in reversed(numbers):
            h = math.tanh(min(max(number + 3 * h, -1), 1))
            back.append(h)
        back.reverse()
        rnn = onnx.node("RNN", ["x", "w", "r", "b", "", "h"], ["all", "last"], onnx.text_attribute("direction", "bidirectional"),
                        onnx.texts_attribute("activations", ["Relu", "Tanh"]), onnx.real_attribute("clip", 1.0), onnx.whole_attribute("hidden_size", 1))
        weights = [floats("w", [2, 1, 1], [2.0, 1.0]), floats("r", [2, 1, 1], [-1.0, 3.0]), floats("b", [2, 2], [0.25, 0.25, 0.5, -0.5]),
                   floats("h", [2, 1, 1], [0.25, -0.25])]
        rows = [onnx.node("Squeeze", ["all", "a"], ["s"]), onnx.node("Squeeze", ["last", "a"], ["t"]), onnx.initializer("a", [1], [2]),
                onnx.initializer("e", [1], [0]), onnx.node("Unsqueeze", ["t", "e"], ["u"]),
                onnx.node("Concat", ["s", "u"], ["y"], onnx.whole_attribute("axis", 0))]
        wanted = [state for pair in zip(forth, back) for state in pair] + [forth[-1], back[0]]
        self.check([rnn, *weights, *rows], [3, 1, 1], numbers, [4, 2, 1], wanted)

    def test_cells_step_by_step(self):
        """What no layer computes: sums that are cut off, peepholes, coupled gates and other activations, both ways, rows of a batch apart."""
        steps, batch, size, hidden = 3, 2, 2, 2
        random.seed(7)

        def draw(*shape):
            return [round(random.uniform(-1, 1), 2) for _ in range(math.prod(shape))]

        def check(op, gates, attributes, states, step, peepholes=0, layout=0):
            x, weights = draw(steps, batch, size), {"w": [2, gates * hidden, size], "r": [2, gates * hidden, hidden], "b": [2, 2 * gates * hidden]}
            state = [batch, 2, hidden] if layout else [2, batch, hidden]
            weights.update({name: state for name in states})
            weights.update({"p": [2, peepholes * hidden]} if peepholes else {})
            numbers = {name: draw(*shape) for name, shape in weights.items()}
            wanted = [[[[None] * hidden for _ in range(batch)] for _ in range(2)] for _ in range(steps)]
            for way in (0, 1):
                def row(name, index, length, way=way):
                    start = (way * weights[name][1] + index) * length
                    return numbers[name][start:start + length]
                for one in range(batch):
                    at = ((one * 2 + way) if layout else (way * batch + one)) * hidden
                    now = [numbers[name][at:at + hidden] for name in states] or [[0.0] * hidden, [0.0] * hidden]
                    for i in (range(steps) if way == 0 else reversed(range(steps))):
                        start = (one * steps + i if layout else i * batch + one) * size
                        inputs = x[start:start + size]
                        parts = [[sum(a * b for a, b in zip(inputs, row("w", g, size))) + row("b", g, 1)[0],
                                  sum(a * b for a, b in zip(now[0], row("r", g, hidden))),
                                  row("b", gates * hidden + g, 1)[0]] for g in range(gates * hidden)]
                        peep = [row("p", g, 1)[0] for g in range(peepholes * hidden)]
                        now = step(parts, now, peep, lambda g, h: sum(a * b for a, b in zip(h, row("r", g, hidden))))
                        wanted[i][way][one] = now[0]
            node = onnx.node(op, ["x", "w", "r", "b", "", *states, *(["p"] if peepholes else [])], ["all"],
                             onnx.text_attribute("direction", "bidirectional"), onnx.whole_attribute("hidden_size", hidden),
                             onnx.whole_attribute("layout", layout), *attributes)
            if layout:
                order = [(i, way, one) for one in range(batch) for i in range(steps) for way in (0, 1)]
            else:
                order = [(i, way, one) for i in range(steps) for way in (0, 1) for one in range(batch)]
            shape, result = ([batch, steps, size], [batch, steps, 2, hidden]) if layout else ([steps, batch, size], [steps, 2, batch, hidden])
            self.check([node, onnx.node("Identity", ["all"], ["y"]), *(floats(name, weights[name], numbers[name]) for name in weights)], shape, x,
                       result, [number for i, way, one in order for number in wanted[i][way][one]], opset=14)

        def sigmoid(number):
            return 1 / (1 + math.exp(-number))

        def lstm(clip, coupled, last):
            def cut(number):
                return min(max(number, -clip), clip)

            def step(parts, now, peep, _):
                h, c = [], []
                for k in range(hidden):
                    sums = [sum(parts[g * hidden + k]) for g in range(4)]
                    looks = [peep[g * hidden + k] if peep else 0 for g in range(3)]
                    i = sigmoid(cut(sums[0] + looks[0] * now[1][k]))
                    f = 1 - i if coupled else sigmoid(cut(sums[2] + looks[2] * now[1][k]))
                    c.append(f * now[1][k] + i * math.tanh(cut(sums[3])))
                    h.append(sigmoid(cut(sums[1] + looks[1] * c[k])) * last(cut(c[k])))
                return [h, c]
            return step

        def gru(clip, linear, last):
            def cut(number):
                return min(max(number, -clip), clip)

            def step(parts, now, _, recur):
                z, r = [[sigmoid(cut(sum(parts[g * hidden + k]))) for k in range(hidden)] for g in (0, 1)]
                h = []
                for k in range(hidden):
                    x, own, bias = parts[2 * hidden + k]
                    rest = r[k] * (own + bias) if linear else recur(2 * hidden + k, [a * b for a, b in zip(r, now[0])]) + bias
                    h.append((1 - z[k]) * last(cut(x + rest)) + z[k] * now[0][k])
                return [h]
            return step
        clip = onnx.real_attribute("clip", 0.25)
        both = ["h", "c"]
        check("LSTM", 4, [clip], both, lstm(0.25, False, math.tanh))
        check("LSTM", 4, [clip], [], lstm(0.25, False, math.tanh), layout=1)
        check("LSTM", 4, [], both, lstm(math.inf, False, math.tanh), peepholes=3)
        check("LSTM", 4, [clip, onnx.whole_attribute("input_forget", 1)], both, lstm(0.25, True, math.tanh), peepholes=3, layout=1)
        softsign = onnx.texts_attribute("activations", ["Sigmoid", "Tanh", "Softsign"] * 2)
        check("LSTM", 4, [softsign], both, lstm(math.inf, False, lambda one: one / (1 + abs(one))))
        for linear in (0, 1):
            flag = onnx.whole_attribute("linear_before_reset", linear)
            check("GRU", 3, [clip, flag], ["h"], gru(0.25, linear, math.tanh))
            check("GRU", 3, [flag, onnx.texts_attribute("activations", ["Sigmoid", "Relu"] * 2)], [],
                  gru(math.inf, linear, lambda one: max(one, 0.0)), layout=1)

    def test_a_name_of_dimensions_is_one_number(self):
        """In whichever input, and whatever the nodes would say of it."""
        def of(shapes, op):
            return onnx.model(onnx.node(op, list(shapes), ["s"]), *(
                onnx.value(11, name, onnx.FLOAT, shape) for name, shape in shapes.items()), onnx.value(12, "s", onnx.FLOAT, ["q", "r"]))

        def refused(model, message, *flags):
            done = self.import_model(model, *flags)
            self.assertEqual((done.returncode, done.stderr.count("error: ")), (1, 1), done.stderr)
            self.assertIn(message + " [TPUMEM-E017]", done.stderr)
        both = of({"x": ["n", 3], "y": ["n", "m"]}, "Add")
        self.assertEqual(self.import_model(both, "--input_shapes=[[4,3],[4,3]]").returncode, 0)
        refused(both, "dimension 'n' is 4 in input 'x' and 5 in input 'y'", "--input_shapes=[[4,3],[5,3]]")
        refused(of({"x": ["n", "n"]}, "Relu"), "dimension 'n' is 4 in input 'x' and 3 in input 'x'", "--input_shapes=[[4,3]]")
        # Where nothing is named there is nothing to compare.
        for unnamed in ("?", "*", ""):
            self.assertEqual(self.import_model(of({"x": [unnamed, 3], "y": [unnamed, 3]}, "Add"), "--input_shapes=[[4,3],[1,3]]").returncode, 0)
        # The value of an input has a shape, too.
        with open(os.path.join(self.scratch.name, "x.pb"), "wb") as file:
            file.write(tensor("x", onnx.FLOAT, [5, 3], bytes(60)))
        refused(both, "dimension 'n' is 5 in input 'x' and 4 in input 'y'", "--bind=x=x.pb", "--input_shapes=[[4,3]]")

    def test_shapes_of_millions_of_dimensions(self):
        """They are refused at once, whoever asks for them."""
        one = onnx.message(5, onnx.message(1, b"value"), onnx.message(5, onnx.tensor_fields("", [1], [1])), onnx.number(20, 4))
        parts = [onnx.initializer("n", [1], [1 << 24]), onnx.node("ConstantOfShape", ["n"], ["s"], one)]
        for op in ("Expand", "Reshape", "Tile", "Unsqueeze", "Squeeze", "ConstantOfShape", "Pad", "ReduceSum", "Split"):
            done = self.imported([*parts, onnx.node(op, ["s"] if op == "ConstantOfShape" else ["x", "s"], ["y"])], [1], [1])
            self.assertEqual(done.returncode, 1, op)
            self.assertEqual(done.stderr.count("error: "), 1, done.stderr)
            self.assertLess(len(done.stderr), 2000)

    def test_large_weights_are_transposed(self):
        rows, columns = 1025, 1100
        numbers = array.array("f", (float(i % 8191) for i in range(rows * columns)))
        parts = [onnx.node("Transpose", ["w"], ["t"]), onnx.node("MatMul", ["x", "t"], ["y"]),
                 onnx.message(5, tensor("w", onnx.FLOAT, [rows, columns], numbers.tobytes()))]
        self.check(parts, [1, columns], [1.0 if i == 77 else 0.0 for i in range(columns)], [1, rows],
                   [numbers[row * columns + 77] for row in range(rows)])


if __name__ == "__main__":
    unittest.main()
