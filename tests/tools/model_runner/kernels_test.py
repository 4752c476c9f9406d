"""Small modules whose numbers are worked out here, apart from the kernels: how ops are read, not only how they compute."""
import math
import os
import subprocess
import tempfile
import unittest

from arrays import array, read_arrays, write_arrays

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
RUNNER = os.path.join(ROOT, "tpu_mlir/tools/model_runner/model_runner")
NONE = '%none = "top.None"() : () -> none'


def f32(*shape):
    return "tensor<%sxf32>" % "x".join(map(str, shape))


def quantized(storage, scale, zero, *shape):
    return "tensor<%sx!quant.uniform<%s:f32, %r:%d>>" % ("x".join(map(str, shape)), storage, float(scale), zero)


def away(value):
    """To the nearest, ties away from zero."""
    return int(abs(value) + 0.5) * (1 if value >= 0 else -1)


def fit(value, storage="i8"):
    least = 0 if storage[0] == "u" else -128
    return max(least, min(least + 255, value))


class Net:
    """A module in the making: values with their types, arrays of inputs and weights."""

    def __init__(self):
        self.lines, self.types, self.arrays, self.arguments = [NONE], {"none": "none"}, {}, []

    def input(self, name, kind, dtype, shape, values):
        number = len(self.arguments)
        self.arguments.append("%%arg%d: %s" % (number, kind))
        self.line(name, '"top.Input"(%%arg%d) : (%s) -> %s' % (number, kind, kind), kind)
        self.arrays[name] = array(dtype, shape, values)

    def weight(self, name, kind, dtype, shape, values):
        self.line(name, '"top.Weight"() : () -> %s' % kind, kind)
        self.arrays[name] = array(dtype, shape, values)

    def line(self, name, text, kind):
        self.types[name] = kind
        self.lines.append('%%%s = %s loc("%s")' % (name, text, name))

    def op(self, name, op, operands, kind, attributes="", region=""):
        values = operands.split()
        self.line(name, '"%s"(%s) %s {%s} : (%s) -> %s' % (
            op, ", ".join("%" + v for v in values), region, attributes, ", ".join(self.types[v] for v in values), kind), kind)

    def text(self, result):
        return "module {\nfunc.func @main(%s) -> %s {\n%s\nreturn %%%s : %s\n}\n}\n" % (
            ", ".join(self.arguments), self.types[result], "\n".join(self.lines), result, self.types[result])


class Kernels(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def run_file(self, net, result, *flags):
        """The runner on the net and its arrays, and where it writes."""
        model, given, out = (os.path.join(self.folder, name) for name in ("net.mlir", "in.npz", "out.npz"))
        with open(model, "w", encoding="utf-8") as file:
            file.write(net.text(result))
        write_arrays(given, net.arrays)
        weights = ["--weight", given] if any("top.Weight" in line for line in net.lines) else []
        return subprocess.run([RUNNER, "--model", model, "--memory=value", "--input", given, *weights, "--output", out,
                               "--dump_all_tensors", *flags], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False), out

    def run_net(self, net, result):
        """Every tensor that is computed."""
        done, out = self.run_file(net, result)
        self.assertEqual(done.returncode, 0, done.stderr)
        return read_arrays(out)

    def error_of(self, net, result, *flags):
        done, _ = self.run_file(net, result, *flags)
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    def test_zero_points(self):
        net = Net()
        numbers = [-5.0, -1.25, 0.0, 3.5, 60.0, 200.0]
        net.input("x", f32(1, 1, 2, 3), "<f4", (1, 1, 2, 3), numbers)
        net.weight("f", "tensor<2x1x1x2xsi8>", "|i1", (2, 1, 1, 2), [3, -2, 100, 7])
        net.weight("b", "tensor<1x2x1x1xi32>", "<i4", (1, 2, 1, 1), [40, -900])
        net.op("q", "tpu.Cast", "x", quantized("u8", 0.5, 10, 1, 1, 2, 3))
        q = [fit(away(x / 0.5) + 10, "u8") for x in numbers]

        net.op("c", "tpu.Conv2D", "q f b", quantized("i8", 0.25, -7, 1, 2, 2, 3),
               "kernel_shape = [1, 2], strides = [1, 1], pads = [0, 1, 0, 0], kernel_zp = 1 : i64, with_bias = true, "
               "multiplier = [3, 5], rshift = [2, 6], do_relu = true, round_mode = #tpu<round_mode HalfUp>")
        c = []
        for (left, right), bias, m, s in (((3, -2), 40, 3, 2), ((100, 7), -900, 5, 6)):
            for y in range(2):
                row = [10] + q[3 * y:3 * y + 3]  # Padding is the zero point.
                for i in range(3):
                    total = row[i] * (left - 1) + row[i + 1] * (right - 1) + bias
                    c.append(fit(max((total * m + (1 << s - 1) >> s) - 7, -7)))

        net.op("m", "tpu.MulShift", "c", quantized("i8", 0.5, 4, 1, 2, 2, 3), "multiplier = 3 : si32, rshift = 2 : si32")
        m = [fit(away((v + 7) * 3 / 4) + 4) for v in c]
        net.op("s", "tpu.Add", "c m", quantized("u8", 0.5, 9, 1, 2, 2, 3), "multipliers = [5, 7], rshifts = [3, 4]")
        s = [fit(away((a + 7) * 5 / 8) + away((b - 4) * 7 / 16) + 9, "u8") for a, b in zip(c, m)]
        net.op("p", "tpu.Mul", "c m", quantized("i8", 0.5, -3, 1, 2, 2, 3), "multiplier = 9 : si32, rshift = 7 : si32")
        p = [fit(away((a + 7) * (b - 4) * 9 / 128) - 3) for a, b in zip(c, m)]
        net.op("k", "tpu.Concat", "c s", quantized("i8", 0.5, 2, 1, 4, 2, 3), "axis = 1 : si32, multipliers = [3, 5], rshifts = [1, 3]")
        k = [fit(away((v + 7) * 3 / 2) + 2) for v in c] + [fit(away((v - 9) * 5 / 8) + 2) for v in s]
        net.op("r", "tpu.Relu", "k", quantized("i8", 0.5, 2, 1, 4, 2, 3))
        r = [max(v, 2) for v in k]

        window = "kernel_shape = [2, 2], strides = [2, 2], pads = [0, 1, 0, 0], pool_mode = #tpu<pool_mode Avg>, "
        net.op("a", "tpu.Pool2D", "r", quantized("i8", 0.5, 1, 1, 4, 1, 2), window + "multiplier = 7 : si32, rshift = 5 : si32")
        net.op("g", "tpu.Pool2D", "r", quantized("i8", 0.5, 1, 1, 4, 1, 2), window + "scale = 0.25 : f64, offset = -1.5 : f64")
        a, g = [], []
        for i in range(4):
            rows = r[6 * i:6 * i + 6]
            for total in (rows[0] + rows[3] + 2 * 2, rows[1] + rows[2] + rows[4] + rows[5]):
                a.append(fit(away((total - 4 * 2) * 7 / 32) + 1))
                g.append(fit(away(total * 0.25 - 1.5)))
        done = self.run_net(net, "g")
        for name, wanted in dict(q=q, c=c, m=m, s=s, p=p, k=k, r=r, a=a, g=g).items():
            with self.subTest(name):
                self.assertEqual(done[name], wanted)
                self.assertGreater(len(set(wanted)), 2)

    def test_averages_without_a_factor(self):
        """Those of the numbers."""
        net = Net()
        net.input("x", quantized("i8", 0.5, 3, 1, 1, 2, 2), "|i1", (1, 1, 2, 2), [3, 5, 10, 127])
        net.op("a", "tpu.Pool2D", "x", quantized("u8", 2.0, 1, 1, 1, 1, 1),
               "kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Avg>")
        self.assertEqual(self.run_net(net, "a")["a"], [away((0 + 1 + 3.5 + 62) / 4 / 2) + 1])

    def test_product_with_zero_points_and_four_bits(self):
        net = Net()
        left, packed = [10, 250, 0, 7, 9, 12, 130, 1], [0x21, 0xf8, 0x7f, 0x04]
        net.input("x", quantized("u8", 0.5, 9, 2, 4), "|u1", (2, 4), left)
        net.weight("w", "tensor<2x2xsi8>", "|i1", (2, 2), [v - 256 * (v > 127) for v in packed])
        net.weight("b", "tensor<2xi32>", "<i4", (2,), [100, -50])
        net.op("y", "tpu.MatMul", "x w b none none", quantized("i8", 0.5, -1, 2, 2),
               "right_transpose = true, weight_bits = 4 : i64, input_zp = 9 : i64, right_zp = 2 : i64, multipliers = [3], "
               "rshifts = [4], quant_mode = #tpu<rq_mode MultiplierShift>")
        halves = [v & 15 for byte in packed for v in (byte, byte >> 4)]
        right = [v - 16 * (v > 7) for v in halves]
        wanted = []
        for i in range(2):
            for j, bias in enumerate((100, -50)):
                total = sum((left[4 * i + k] - 9) * (right[4 * j + k] - 2) for k in range(4)) + bias
                wanted.append(fit(away(total * 3 / 16) - 1))
        self.assertEqual(self.run_net(net, "y")["y"], wanted)
        self.assertGreater(len(set(wanted)), 2)

    def test_changes_of_type(self):
        net = Net()
        net.input("x", "tensor<5xi32>", "<i4", (5,), [-1000, -5, 0, 6, 1000])
        net.op("i", "tpu.RequantInt", "x", quantized("i8", 0.5, 5, 5),
               "multiplier = 3 : si32, rshift = 2 : si32, quant_mode = #tpu<rq_mode MultiplierShift>, "
               "round_mode = #tpu<round_mode HalfToEven>")
        net.op("f", "tpu.RequantFp", "x", quantized("u8", 0.5, 5, 5), "scale = 0.5 : f64, offset = 5.0 : f64")
        net.op("d", "tpu.DequantInt", "i", "tensor<5xi32>",
               "multiplier = 5 : si32, shift = 1 : i64, lshift = 2 : i64, quant_mode = #tpu<dq_mode Normal>")
        done = self.run_net(net, "d")
        i = [fit(round(v * 3 / 4) + 5) for v in (-1000, -5, 0, 6, 1000)]  # Python rounds ties to even.
        self.assertEqual(done["i"], i)
        self.assertEqual(done["f"], [0, 3, 5, 8, 255])
        self.assertEqual(done["d"], [(v - 5) * 5 * 2 for v in i])

    def test_both_branches(self):
        for condition in (0, 3):
            net = Net()
            net.input("c", "tensor<1xi32>", "<i4", (1,), [condition])
            net.input("x", f32(2), "<f4", (2,), [-1, 2])
            branch = '%%%s = "tpu.%s"(%%x) {%s} : (tensor<2xf32>) -> tensor<2xf32>\n"tpu.Yield"(%%%s) : (tensor<2xf32>) -> ()'
            net.op("y", "tpu.If", "c", f32(2), region="({\n%s\n}, {\n%s\n})" % (
                branch % ("a", "Relu", "", "a"), branch % ("b", "AddConst", "const_val = 10.0 : f64", "b")))
            net.op("z", "tpu.MulConst", "y", f32(2), "const_val = 2.0 : f64")
            self.assertEqual(self.run_net(net, "z")["z"], [0, 4] if condition else [18, 24])

    def loop(self, bound, condition, rows):
        return self.run_net(self.loop_net(bound, condition, rows), "r")["r"]

    def loop_net(self, bound, condition, rows):
        """s becomes 2 s + the counter while it is below 20, and each iteration leaves a row."""
        net = Net()
        net.input("n", "tensor<1xi32>", "<i4", (1,), [bound])
        net.input("go", f32(1), "<f4", (1,), [condition])
        net.input("x", f32(1), "<f4", (1,), [1])
        body = """({
        ^bb0(%i: tensor<1xf32>, %g: tensor<1xf32>, %s: tensor<1xf32>):
          %t = "tpu.MulConst"(%s) {const_val = 2.0 : f64} : (tensor<1xf32>) -> tensor<1xf32>
          %u = "tpu.Add"(%t, %i) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
          %v = "tpu.SubConst"(%u) {const_val = 20.0 : f64, is_reverse = true} : (tensor<1xf32>) -> tensor<1xf32>
          %w = "tpu.Relu"(%v) : (tensor<1xf32>) -> tensor<1xf32>
          "tpu.Yield"(%w, %u, %t) : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> ()
        })"""
        net.lines.append('%%y:2 = "tpu.Loop"(%%n, %%go, %%x) %s : (tensor<1xi32>, tensor<1xf32>, tensor<1xf32>) -> '
                         '(tensor<1xf32>, tensor<%dxf32>) loc("y")' % (body, rows))
        net.types["y#0"], net.types["y#1"] = f32(1), f32(rows)
        net.op("last", "tpu.Identity", "y#0", f32(1))
        net.op("all", "tpu.Identity", "y#1", f32(rows))
        net.op("r", "tpu.Concat", "last all", f32(rows + 1), "axis = 0 : si32")
        return net

    def test_loops_that_are_too_long(self):
        self.assertIn("error: 'tpu.Loop' cannot be run: its bound is 65537, of which at most 65536 iterations are run [TPUMEM-E023]",
                      self.error_of(self.loop_net(65537, 1, 5), "r"))
        self.assertIn("its bound is 9, of which at most 4", self.error_of(self.loop_net(9, 1, 5), "r", "--max_iterations=4"))
        self.assertIn("'go', which says what runs, is NaN", self.error_of(self.loop_net(3, float("nan"), 3), "r"))

    def test_loops(self):
        # 1 -> 2 + 0 -> 4 + 1 -> 10 + 2 -> 24 + 3, which is not below 20.
        self.assertEqual(self.loop(3, 1, 3), [12, 2, 4, 10])
        self.assertEqual(self.loop(9, 1, 4), [27, 2, 4, 10, 24])
        self.assertEqual(self.loop(9, 0, 0), [1])
        self.assertEqual(self.loop(0, 1, 0), [1])

    def test_several_results(self):
        net = Net()
        net.input("x", f32(2, 3), "<f4", (2, 3), [5, 7, 6, 1, 1, 2])
        net.lines.append('%t:2 = "tpu.TopK"(%x, %none, %none) {K = 2 : i64, axis = 1 : i64, largest = true} : (tensor<2x3xf32>, none, '
                         'none) -> (tensor<2x2xf32>, tensor<2x2xi32>) loc("t")')
        net.lines.append('%p:2 = "tpu.Split"(%x) {axis = 1 : si32, num = 2 : i64} : (tensor<2x3xf32>) -> '
                         '(tensor<2x1xf32>, tensor<2x2xf32>) loc("p")')
        net.lines.append('%a:2 = "tpu.Arg"(%x) {axis = 1 : i64, keepdims = false, mode = "ArgMin"} : (tensor<2x3xf32>) -> '
                         '(tensor<2xi32>, none) loc("a")')
        net.types.update({"t#0": f32(2, 2), "t#1": "tensor<2x2xi32>", "p#1": f32(2, 2), "a#0": "tensor<2xi32>"})
        net.op("values", "tpu.Identity", "t#0", f32(2, 2))
        net.op("indices", "tpu.Identity", "t#1", "tensor<2x2xi32>")
        net.op("part", "tpu.Identity", "p#1", f32(2, 2))
        net.op("least", "tpu.Identity", "a#0", "tensor<2xi32>")
        done = self.run_net(net, "part")
        self.assertEqual(done["values"], [7, 6, 2, 1])
        self.assertEqual(done["indices"], [1, 2, 2, 0])
        self.assertEqual(done["part"], [7, 6, 1, 2])
        self.assertEqual(done["least"], [0, 1])  # Of equal ones the last.

    def cores(self, axis, shapes, whole=(2, 4), join_axis=None):
        """The parts of 0, 1, 2 .. and these joined again."""
        net, text = Net(), '"tpu.CoreSplit"(%%x) {axis = %d : si32} : (%s) -> (%s) loc("p")'
        net.input("x", f32(*whole), "<f4", whole, range(math.prod(whole)))
        kinds = [f32(*shape) for shape in shapes]
        net.lines.append("%%p:%d = " % len(shapes) + text % (axis, f32(*whole), ", ".join(kinds)))
        for i, kind in enumerate(kinds):
            net.types["p#%d" % i] = kind
            net.op("part%d" % i, "tpu.Identity", "p#%d" % i, kind)
        net.op("y", "tpu.CoreJoin", " ".join("part%d" % i for i in range(len(kinds))), f32(*whole),
               "axis = %d : si32" % (axis if join_axis is None else join_axis))
        return net

    def test_parts_for_cores(self):
        for axis in (1, -1):  # Columns.
            done = self.run_net(self.cores(axis, [(2, 3), (2, 1)]), "y")
            self.assertEqual((done["part0"], done["part1"], done["y"]), ([0, 1, 2, 4, 5, 6], [3, 7], list(range(8))))
        # Rows, and each of them cut again.
        done = self.run_net(self.cores(0, [(1, 4)] * 2), "y")
        self.assertEqual((done["part0"], done["part1"], done["y"]), ([0, 1, 2, 3], [4, 5, 6, 7], list(range(8))))
        done = self.run_net(self.cores(1, [(1, 3), (1, 1)] * 2), "y")
        self.assertEqual((done["part1"], done["part2"], done["y"]), ([3], [4, 5, 6], list(range(8))))
        for axis, shapes in ((0, [(2, 3), (2, 1)]), (1, [(1, 4)] * 2)):
            self.assertIn("the parts are not those along its axis", self.error_of(self.cores(axis, shapes), "y"))
        self.assertIn("the parts do not tile 2x4", self.error_of(self.cores(1, [(1, 3)] * 2), "y"))
        self.assertIn("the parts are not those along its axis", self.error_of(self.cores(0, [(1, 4)] * 2, join_axis=1), "y"))

    def test_parts_of_half_a_byte(self):
        net = Net()
        net.input("x", "tensor<2x3xi32>", "<i4", (2, 3), [-8, -1, 0, 1, 7, 3])
        net.op("n", "tpu.Cast", "x", "tensor<2x3xi4>")
        net.op("t", "tpu.Permute", "n none", "tensor<3x2xi4>", "order = [1, 0]")
        net.op("c", "tpu.Concat", "t t", "tensor<3x4xi4>", "axis = 1 : si32")
        net.op("s", "tpu.Slice", "c none none none none", "tensor<3x3xi4>", "offset = [0, 1], steps = [1, 1], ends = [3, 4]")
        net.op("y", "tpu.Cast", "s", "tensor<3x3xi32>")
        self.assertEqual(self.run_net(net, "y")["y"], [1, -8, 1, 7, -1, 7, 3, 0, 3])

    def test_casts_round_as_they_say(self):
        values = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.3, 0.7, -0.3, -0.7]
        modes = {"HalfAwayFromZero": [1, 2, 3, -1, -2, -3, 0, 1, 0, -1], "HalfUp": [1, 2, 3, 0, -1, -2, 0, 1, 0, -1],
                 "HalfDown": [0, 1, 2, -1, -2, -3, 0, 1, 0, -1], "HalfToEven": [0, 2, 2, 0, -2, -2, 0, 1, 0, -1],
                 "HalfToOdd": [1, 1, 3, -1, -1, -3, 0, 1, 0, -1], "HalfTowardsZero": [0, 1, 2, 0, -1, -2, 0, 1, 0, -1],
                 "TowardsZero": [0, 1, 2, 0, -1, -2, 0, 0, 0, 0], "Up": [1, 2, 3, 0, -1, -2, 1, 1, 0, 0],
                 "Down": [0, 1, 2, -1, -2, -3, 0, 0, -1, -1]}
        net = Net()
        net.input("x", f32(10), "<f4", (10,), values)
        net.input("i", "tensor<10xi32>", "<i4", (10,), [round(2 * value) for value in values])
        for mode in modes:
            net.op(mode, "tpu.Cast", "x", "tensor<10xsi32>", "with_scale = false, round_mode = #tpu<round_mode %s>" % mode)
            net.op("fp_" + mode, "tpu.RequantFp", "i", "tensor<10xi8>",
                   "scale = 0.5 : f64, offset = 0.0 : f64, quant_mode = #tpu<rq_mode MultiplierShift>, round_mode = #tpu<round_mode %s>" % mode)
        net.op("quantized", "tpu.Cast", "x", quantized("i8", 0.5, 3, 10), "round_mode = #tpu<round_mode Down>")
        net.op("stored", "tpu.Cast", "quantized", f32(10), "with_scale = false")
        done = self.run_net(net, "stored")
        for mode, wanted in modes.items():
            self.assertEqual(done[mode], wanted, mode)
            self.assertEqual(done["fp_" + mode][:6], wanted[:6], mode)
        self.assertEqual(done["stored"], [math.floor(value / 0.5) + 3 for value in values])

    def test_channels_by_numbers_of_their_own(self):
        for width, numbers in ((3, [3, -2, 5, 7, 1, 5]), (2, [3, (5 << 16) + 254, 7, (5 << 16) + 1])):
            net = Net()
            net.input("x", "tensor<2x2x2xi32>", "<i4", (2, 2, 2), [1, 2, 3, -4, 5, -6, 7, 80])
            net.weight("w", "tensor<1x2x1x1x%dxi32>" % width, "<i4", (1, 2, 1, 1, width), numbers)
            net.op("y", "tpu.RequantIntAxis", "x w", quantized("i8", 0.5, 5, 2, 2, 2), "quant_mode = #tpu<rq_mode MultiplierShift>")
            self.assertEqual(self.run_net(net, "y")["y"], [fit(v) for v in (6, 7, 47, -51, 9, 0, 103, 1125)])
        net = Net()
        net.input("x", "tensor<1x2x2xi32>", "<i4", (1, 2, 2), [1, 2, 3, -4])
        net.weight("w", "tensor<1x2x2xi32>", "<i4", (1, 2, 2), [3, -2, 7, 1])
        net.op("y", "tpu.RequantIntAxis", "x w", quantized("i8", 0.5, 0, 1, 2, 2), "quant_mode = #tpu<rq_mode MultiplierShift>")
        self.assertEqual(self.run_net(net, "y")["y"], [1, 2, 42, -56])

    def test_counters(self):
        net = Net()
        net.input("x", f32(2), "<f4", (2,), [1, 4])
        net.op("y", "tpu.AutoIncrease", "x", f32(2), "const_val = 1.0 : f64")
        self.assertEqual(self.run_net(net, "y")["y"], [2, 5])

    def test_arrays_that_no_input_takes(self):
        net = Net()
        net.input("x", f32(2), "<f4", (2,), [1, 4])
        net.op("y", "tpu.Relu", "x", f32(2))
        net.arrays["extra"] = array("<f4", (1,), [0])
        done, _ = self.run_file(net, "y")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "warning: array 'extra' in '.*' is no input of the network: nothing reads it")
        self.assertNotIn("'x'", done.stderr)

    def test_choices(self):
        net = Net()
        net.input("x", f32(4), "<f4", (4,), [-1, 0, 2, 3])
        net.op("left", "tpu.CompareConst", "x", f32(4), 'mode = "Less", const_val = 1.0 : f64, inversed = true')
        net.op("not", "tpu.CompareConst", "x", f32(4), 'mode = "Not", const_val = 7.0 : f64, inversed = false')
        net.op("less", "tpu.Compare", "x left", f32(4), 'mode = "Less"')
        net.op("where", "tpu.Where", "left x none none", f32(4), "x_is_const = false, y_is_const = true, y_const_val = 9.0 : f64")
        net.op("fill", "tpu.MaskedFill", "left x", f32(4), "inversed = false, const_val = -5.0 : f64")
        net.op("rest", "tpu.MaskedFill", "left x", f32(4), "inversed = true, const_val = -5.0 : f64")
        done = self.run_net(net, "rest")
        wanted = {"left": [0, 0, 1, 1], "not": [0, 1, 0, 0], "less": [1, 0, 0, 0], "where": [9, 9, 2, 3],
                  "fill": [-1, 0, -5, -5], "rest": [-5, -5, 2, 3]}
        self.assertEqual({name: done[name] for name in wanted}, wanted)

    def test_other_orders(self):
        net = Net()
        net.input("x", f32(1, 8, 1, 1), "<f4", (1, 8, 1, 1), range(8))
        net.input("y", f32(1, 2, 3), "<f4", (1, 2, 3), range(6))
        block = "block_h = 2 : i64, block_w = 2 : i64, is_inversed = %s, is_CRD = %s"
        for crd in ("true", "false"):
            net.op("up_" + crd, "tpu.Depth2Space", "x", f32(1, 2, 2, 2), block % ("false", crd))
            net.op("down_" + crd, "tpu.Depth2Space", "up_" + crd, f32(1, 8, 1, 1), block % ("true", crd))
        net.op("front", "tpu.Depth2Space", "x", f32(1, 2, 2, 2), block % ("false", "false") + ", out_is_NCHW = false")
        net.op("behind", "tpu.Depth2Space", "front", f32(1, 8, 1, 1), block % ("true", "false") + ", in_is_NCHW = false")
        net.op("shuffle", "tpu.ShuffleChannel", "x", f32(1, 8, 1, 1), "group = 2 : i64")
        net.op("swap", "tpu.SwapChannel", "y", f32(1, 3, 3), "channel_order = [1, 0, 1]")
        net.op("reverse", "tpu.Reverse", "y", f32(1, 2, 3), "axis = 2 : i64")
        net.op("roll", "tpu.SwapDimInner", "y", f32(1, 2, 3), "offset = [0, 1, 2]")
        net.op("part", "tpu.Slice", "roll none none none none", f32(1, 2, 1), "offset = [0, 0, 0], steps = [1, 1, 1], ends = [1, 2, 1]")
        net.op("insert", "tpu.Insert", "y part", f32(1, 2, 3), "axis = 2 : i64, offset = 1 : i64")
        net.op("turn", "top.Transpose", "y", f32(1, 3, 2), "dim0 = 1 : i64, dim1 = -1 : i64")
        net.op("pick", "top.Pow", "y", f32(1, 2, 3), "exponent = 2.0 : f64")
        done = self.run_net(net, "pick")
        wanted = {"front": list(range(8)), "up_true": [0, 1, 2, 3, 4, 5, 6, 7], "up_false": [0, 2, 4, 6, 1, 3, 5, 7], "down_true": list(range(8)),
                  "down_false": list(range(8)), "shuffle": [0, 4, 1, 5, 2, 6, 3, 7], "swap": [3, 4, 5, 0, 1, 2, 3, 4, 5],
                  "reverse": [2, 1, 0, 5, 4, 3], "roll": [5, 3, 4, 2, 0, 1], "insert": [0, 5, 2, 3, 2, 5],
                  "behind": list(range(8)), "turn": [0, 3, 1, 4, 2, 5], "pick": [0, 1, 4, 9, 16, 25]}
        self.assertEqual({name: done[name] for name in wanted}, wanted)

    def test_formulas_by_attribute(self):
        net = Net()
        net.input("x", f32(3), "<f4", (3,), [-1, 0, 2])
        for mode in ("normal", "tanh", "sigm"):
            net.op(mode, "top.GELU", "x", f32(3), 'approx_mode = "%s"' % mode)
        net.op("log", "top.Sigmoid", "x", f32(3), "log = true")
        done = self.run_net(net, "log")

        def sigmoid(x):
            return 1 / (1 + math.exp(-x))

        formulas = {"normal": lambda x: x / 2 * (1 + math.erf(x / math.sqrt(2))),
                    "tanh": lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))),
                    "sigm": lambda x: x * sigmoid(1.702 * x), "log": lambda x: math.log(sigmoid(x))}
        for name, formula in formulas.items():
            for have, x in zip(done[name], (-1, 0, 2)):
                self.assertAlmostEqual(have, formula(x), places=6)

    def test_words_in_any_letters(self):
        """Cases are strings or enums, in capital or small letters."""
        numbers = [3.0, -1.0, 0.5, 2.0, -2.5, 1.0, 7.0, 0.25]
        pool = "kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], "
        for dialect in ("top.", "tpu."):
            cases = [(dialect + "Reduce", f32(1, 1, 2, 1), 'axes = [3], keepdims = true, mode = "%s"', "ReduceMax"),
                     (dialect + "CompareConst", f32(1, 1, 2, 4), 'mode = "%s", const_val = 0.5 : f64', "GreaterOrEqual"),
                     (dialect + "CompareConst", f32(1, 1, 2, 4), 'mode = "%s"', "Not"),
                     (dialect + "Arg", "tensor<1x1x2xi32>", 'mode = "%s", axis = 3 : i64, keepdims = false', "ArgMin")]
            if dialect == "top.":
                cases += [("top.GELU", f32(1, 1, 2, 4), 'approx_mode = "%s"', "tanh")]
            else:
                for spelled in ('"%s"', "#tpu<pool_mode %s>"):
                    cases += [("tpu.Pool2D", f32(1, 1, 1, 2), pool + "pool_mode = " + spelled, "Max")]
                for spelled in ('"%s"', "#tpu<Pad_Mode %s>"):
                    cases += [("tpu.Pad", f32(1, 1, 2, 6), "paddings = [0, 0, 0, 1, 0, 0, 0, 1], mode = " + spelled, "reflect")]
                for spelled in ('"%s"', "#tpu<mode %s>"):
                    cases += [("tpu.Interp", f32(1, 1, 4, 8), "coord_mode = #tpu<coord_mode ASYMMETRIC>, mode = " + spelled, "nearest")]
                for spelled in ('"%s"', "#tpu<round_mode %s>"):
                    cases += [("tpu.Cast", "tensor<1x1x2x4xi32>", "round_mode = " + spelled, "HalfDown")]
            for op, kind, attributes, word in cases:
                results = []
                for case in (word, word.upper(), word.lower()):
                    net = Net()
                    net.input("x", f32(1, 1, 2, 4), "<f4", (1, 1, 2, 4), numbers)
                    if op.endswith("Arg"):
                        net.lines.append('%%y, %%v = "%s"(%%x) {%s} : (%s) -> (%s, none) loc("y")' % (
                            op, attributes % case, f32(1, 1, 2, 4), kind))
                        net.types["y"] = kind
                    else:
                        net.op("y", op, "x", kind, attributes % case)
                    results.append(self.run_net(net, "y")["y"])
                with self.subTest(op=op, attributes=attributes):
                    self.assertEqual(results[1:], results[:1] * 2)

    def test_batch_norm(self):
        net, x = Net(), [1.0, -2.0, 3.5, 0.25]
        net.input("x", f32(1, 2, 2), "<f4", (1, 2, 2), x)
        lists = {"m": [0.5, -1.0], "v": [4.0, 0.25], "g": [2.0, 3.0], "b": [-0.5, 0.75]}
        for name, values in lists.items():
            net.weight(name, f32(2), "<f4", (2,), values)
        net.op("y", "top.BatchNorm", "x m v g b", f32(1, 2, 2), "epsilon = 0.01 : f64")
        net.op("z", "top.BatchNorm", "y m v none none", f32(1, 2, 2), "epsilon = 0.5 : f64, do_relu = true, relu_limit = 1.0 : f64")
        done = self.run_net(net, "z")
        y = [(value - lists["m"][i // 2]) / math.sqrt(lists["v"][i // 2] + 0.01) * lists["g"][i // 2] + lists["b"][i // 2]
             for i, value in enumerate(x)]
        z = [min(max((value - lists["m"][i // 2]) / math.sqrt(lists["v"][i // 2] + 0.5), 0), 1) for i, value in enumerate(y)]
        for name, wanted in (("y", y), ("z", z)):
            for have, want in zip(done[name], wanted):
                self.assertAlmostEqual(have, want, 5)
        net.weight("three", f32(3), "<f4", (3,), [1, 2, 3])
        net.op("w", "top.BatchNorm", "y m three none none", f32(1, 2, 2))
        self.assertIn("operand 2 has no number for each channel", self.error_of(net, "w"))

    def test_unknown_ops_are_mixed(self):
        """Where bytes are from is looked at for every op, also one that nobody can compute."""
        net = Net()
        net.input("x", f32(64), "<f4", (64,), range(64))
        net.op("u", "tpu.Nms", "x", f32(64))
        net.op("y", "tpu.Add", "u x", f32(64))
        model = os.path.join(self.folder, "net.mlir")
        with open(model, "w", encoding="utf-8") as file:
            file.write(net.text("y"))

        def run(*flags):
            return subprocess.run([RUNNER, "--model", model, "--memory=value", *flags], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, check=False)

        self.assertIn("there is no kernel for 'tpu.Nms' [TPUMEM-E023]", run().stderr)
        done = run("--mix_unknown")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 op that no kernel computes: numbers mixed out of what they read", done.stdout)
        self.assertEqual(run("--mix_unknown").stdout, done.stdout)
        self.assertNotEqual(run("--mix_unknown", "--seed=1").stdout.splitlines()[2], done.stdout.splitlines()[2])


if __name__ == "__main__":
    unittest.main()
