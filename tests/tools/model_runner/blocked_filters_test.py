"""Filters of floats in a chip's order: random convolutions compute the same bits from filters in the order of layers, in blocks that the runner
makes of those, and in blocks from a file; as whole ops, and in layer groups in local memory."""
import glob
import json
import os
import random
import subprocess
import tempfile
import unittest

from arrays import array, read_arrays, write_arrays

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
TOOLS = os.path.join(ROOT, "tpu_mlir/tools")
OPT, RUNNER, DEPLOY = (os.path.join(TOOLS, name, name) for name in ("tpuc-opt", "model_runner", "model_deploy"))
CASES = 60


def block_bytes():
    """Input channels that are multiplied at once, in bytes, by chip."""
    found = {}
    for path in glob.glob(os.path.join(ROOT, "tpu_mlir/chips/*.json")):
        with open(path, encoding="utf-8") as file:
            chip = json.load(file)
        if chip["batchLayout"] == "1N":
            found[chip["name"]] = chip.get("icParallelBytes", 1)
    return dict(sorted(found.items()))


class Case:
    """Two convolutions, one after the other; the first may be depthwise, in groups, dilated."""

    def __init__(self, dice, chip, elements=("f16", "bf16")):
        self.chip, self.element = chip, dice.choice(elements)
        self.size = dice.randint(5, 9)
        channels = dice.choice([1, 2, 3, 5, 8, 12, 24, 33])
        self.arrays = {"x": self.numbers(dice, [1, channels, self.size, self.size])}
        self.inputs, self.lines, self.last = channels, [], "x"
        for name in "ab":
            self.add(dice, name)

    @staticmethod
    def numbers(dice, shape):
        count = 1
        for size in shape:
            count *= size
        return array("<f4", shape, [dice.randint(-8, 8) / 8 for _ in range(count)])

    def add(self, dice, name):
        inputs, kernel = self.inputs, [dice.randint(1, 5), dice.randint(1, 5)]
        group = dice.choice([1, 1, 1, inputs] + [2] * (inputs % 2 == 0))
        outputs = dice.choice([1, 2, 3, 7, 17, 40]) * group
        dilation = dice.choice([1, 1, 2])
        pads = [dilation * (extent // 2) for extent in kernel]
        grown = [self.size + 2 * pads[i] - dilation * (kernel[i] - 1) for i in (0, 1)]
        if min(grown) < 1 or grown[0] != grown[1]:
            kernel, pads, grown, dilation = [3, 3], [1, 1], [self.size] * 2, 1
        shape = [outputs, inputs // group] + kernel
        self.arrays[name + "_w"] = self.numbers(dice, shape)
        bias = self.bias(dice, name, outputs)
        before = "1x%dx%dx%d" % (inputs, self.size, self.size)
        self.inputs, self.size = outputs, grown[0]
        after = "1x%dx%dx%d" % (outputs, grown[0], grown[1])
        filter_type = "tensor<%sx%s>" % ("x".join(map(str, shape)), self.element)
        self.lines += [
            '%%%s_w = "top.Weight"() : () -> %s loc("%s_w")' % (name, filter_type, name),
            '%%%s = "tpu.Conv2D"(%%%s, %%%s_w, %s) {dilations = [%d, %d], group = %d : i64, kernel_shape = %s, pads = [%d, %d, %d, %d], '
            'strides = [1, 1]%s} : (tensor<%sx%s>, %s, %s) -> tensor<%sx%s> loc("%s")' % (
                name, self.last, name, bias[0], dilation, dilation, group, kernel, pads[0], pads[1], pads[0], pads[1], self.scales(dice, outputs),
                before, self.activation(), filter_type, bias[1], after, self.activation(), name)]
        self.last, self.result = name, "tensor<%sx%s>" % (after, self.activation())

    def bias(self, dice, name, outputs):
        """Its value and type."""
        return "%none", "none"

    def scales(self, dice, outputs):
        return ""

    def activation(self):
        return self.element

    def text(self):
        shape = self.arrays["x"][1].strip("()").replace(" ", "").rstrip(",").replace(",", "x")
        given = "tensor<%sx%s>" % (shape, self.activation())
        return ('module @net attributes {module.chip = "%s", module.state = "TPU_LOWERED"} {\nfunc.func @main(%%arg: %s) -> %s {\n'
                '%%none = "top.None"() : () -> none\n%%x = "top.Input"(%%arg) : (%s) -> %s loc("x")\n%s\nreturn %%b : %s\n}\n}\n' % (
                    self.chip, given, self.result, given, given, "\n".join(self.lines), self.result))


class Float8Case(Case):
    """The same of floats of 8 bits, with a scale for each channel."""

    def __init__(self, dice, chip):
        super().__init__(dice, chip, ("f8E4M3FN",))

    def bias(self, dice, name, outputs):
        has_bias = dice.random() < 0.6
        self.with_bias = ", with_bias = " + str(has_bias).lower()
        if not has_bias:
            return super().bias(dice, name, outputs)
        self.arrays[name + "_b"] = self.numbers(dice, [outputs])
        self.lines.append('%%%s_b = "top.Weight"() : () -> tensor<%dxf32> loc("%s_b")' % (name, outputs, name))
        return "%%%s_b" % name, "tensor<%dxf32>" % outputs

    def scales(self, dice, outputs):
        # Not all of them are f32: the kernels take those of the attribute.
        return self.with_bias + ", out_f8_scales = [%s]" % ", ".join(repr(dice.choice([0.5, 0.1, 1.0 / 3])) for _ in range(outputs))

    def activation(self):
        return "!quant.calibrated<f8E4M3FN<-448.0:448.0>>"


class BlockedFilters(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def numbers(self, model, weights, memory="value"):
        self.call(RUNNER, "--model", model, "--memory=" + memory, "--input", self.path("x.npz"), "--weight", weights, "--output",
                  self.path("y.npz"), "--quiet", "--threads=1")
        return read_arrays(self.path("y.npz"))

    def reorder(self, options=""):
        self.call(OPT, self.path("plain.mlir"), "--tpu-reorder-weights=" + options, "--mlir-print-debuginfo", "-o", self.path("blocks.mlir"))
        with open(self.path("blocks.mlir"), encoding="utf-8") as file:
            return file.read()

    def check(self, case):
        with open(self.path("plain.mlir"), "w", encoding="utf-8") as file:
            file.write(case.text())
        given = write_arrays(self.path("x.npz"), {"x": case.arrays["x"]})
        self.assertTrue(given)
        plain = write_arrays(self.path("w.npz"), {name: value for name, value in case.arrays.items() if name != "x"})
        wanted = self.numbers(self.path("plain.mlir"), plain)
        self.assertEqual(set(wanted), {"b"})
        text = self.reorder()
        self.assertEqual(self.numbers(self.path("blocks.mlir"), plain), wanted, text)
        self.reorder("weights=%s weights-out=%s" % (plain, self.path("blocks.npz")))
        self.assertEqual(self.numbers(self.path("blocks.mlir"), self.path("blocks.npz")), wanted, text)
        # From the bytes of the plan, and in layer groups.
        self.call(DEPLOY, "--mlir", self.path("plain.mlir"), "--chip", case.chip, "--model", self.path("net"), "--quiet")
        with open(self.path("net_final.mlir"), encoding="utf-8") as file:
            final = file.read()
        self.assertEqual(self.numbers(self.path("net_final.mlir"), plain, "both"), wanted, final)
        return text, final

    def test_random_convolutions(self):
        chips, dice = block_bytes(), random.Random(7)
        chips = [chip for chip, size in chips.items() if size > 1]
        self.assertGreater(len(chips), 5)
        blocks = folds = groups = 0
        for number in range(CASES):
            with self.subTest(number=number):
                text, final = self.check(Case(dice, chips[number % len(chips)]))
                blocks += text.count("_filter_reorderd")
                folds += "use_3ic_optimize" in text
                groups += "tpu.Group" in final
        self.assertGreater(blocks, CASES // 2)
        self.assertGreater(folds, CASES // 4)
        self.assertGreater(groups, CASES // 4)

    def test_floats_of_8_bits(self):
        """Scales, biases and filter in one coefficient compute what they do apart."""
        dice, merged, groups = random.Random(11), 0, 0
        for number in range(CASES // 2):
            with self.subTest(number=number):
                case = Float8Case(dice, "bm1690")
                with open(self.path("plain.mlir"), "w", encoding="utf-8") as file:
                    file.write(case.text())
                write_arrays(self.path("x.npz"), {"x": case.arrays["x"]})
                plain = write_arrays(self.path("w.npz"), {name: value for name, value in case.arrays.items() if name != "x"})
                wanted = self.numbers(self.path("plain.mlir"), plain)
                text = self.reorder("weights=%s weights-out=%s" % (plain, self.path("merged.npz")))
                merged += text.count("coeff_merged = true")
                self.assertEqual(text.count('"top.Weight"'), 2, text)
                self.assertEqual(self.numbers(self.path("blocks.mlir"), self.path("merged.npz")), wanted, text)
                self.call(DEPLOY, "--mlir", self.path("blocks.mlir"), "--chip", case.chip, "--model", self.path("net"), "--quiet")
                with open(self.path("net_final.mlir"), encoding="utf-8") as file:
                    groups += "tpu.Group" in file.read()
                self.assertEqual(self.numbers(self.path("net_final.mlir"), self.path("merged.npz"), "both"), wanted, text)
        self.assertEqual(merged, 2 * (CASES // 2))
        self.assertGreater(groups, CASES // 8)

    def test_scales_of_the_op_are_those_of_the_coefficient(self):
        case = Float8Case(random.Random(3), "bm1690")
        with open(self.path("plain.mlir"), "w", encoding="utf-8") as file:
            file.write(case.text())
        write_arrays(self.path("x.npz"), {"x": case.arrays["x"]})
        plain = write_arrays(self.path("w.npz"), {name: value for name, value in case.arrays.items() if name != "x"})
        text = self.reorder("weights=%s weights-out=%s" % (plain, self.path("merged.npz")))
        with open(self.path("other.mlir"), "w", encoding="utf-8") as file:
            file.write(text.replace("out_f8_scales = [", "out_f8_scales = [7.5e+00, ", 1))
        done = subprocess.run([RUNNER, "--model", self.path("other.mlir"), "--memory=value", "--input", self.path("x.npz"), "--weight",
                               self.path("merged.npz"), "--quiet"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the coefficients' scale of channel 0 is", done.stderr)

    def test_wrong_numbers_are_refused(self):
        """A filter under its own name has to be in the chip's order, under that of its origin in the layers'."""
        types = "tensor<1x3x4x4xf16>", "tensor<4x3x3x3xf16>", "tensor<1x4x4x4xf16>"
        with open(self.path("plain.mlir"), "w", encoding="utf-8") as file:
            file.write('module @net attributes {module.chip = "bm1688", module.state = "TPU_LOWERED"} {\nfunc.func @main(%%arg: %s) -> %s {\n'
                       '%%none = "top.None"() : () -> none\n%%x = "top.Input"(%%arg) : (%s) -> %s loc("x")\n'
                       '%%w = "top.Weight"() : () -> %s loc("w")\n%%a = "tpu.Conv2D"(%%x, %%w, %%none) {group = 1 : i64, '
                       'kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (%s, %s, none) -> %s loc("a")\n'
                       'return %%a : %s\n}\n}\n' % (types[0], types[2], types[0], types[0], types[1], *types, types[2]))
        self.assertIn("tensor<1x4x1x48xf16>", self.reorder())
        write_arrays(self.path("x.npz"), {"x": array("<f4", [1, 3, 4, 4], [1] * 48)})
        wrong = {"a_filter_reorderd": array("<f4", [3], [1, 2, 3])}
        done = subprocess.run([RUNNER, "--model", self.path("blocks.mlir"), "--memory=value", "--input", self.path("x.npz"), "--weight",
                               write_arrays(self.path("wrong.npz"), wrong), "--quiet"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("array 'a_filter_reorderd' is 3, 1x4x1x48 is needed", done.stderr)


if __name__ == "__main__":
    unittest.main()
