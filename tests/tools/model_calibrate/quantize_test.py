"""From samples to a network of integers: it computes nearly what the floats do, on its plan, and says what it lacks."""
import math
import os
import re
import struct
import subprocess
import tempfile
import unittest

import network
from arrays import array, read_arrays, write_arrays

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
CHIPS = ("cv181x", "cv183x", "bm1684x", "bm1688", "bm1690", "cv184x")


def tool(name):
    return os.path.join(ROOT, "tpu_mlir/tools", name, name)


def cosine(a, b):
    size = lambda values: sum(value * value for value in values) ** 0.5
    return sum(x * y for x, y in zip(a, b)) / (size(a) * size(b))


class Quantize(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = cls.scratch.name
        network.write(cls.folder)
        cls.call("model_runner", "--model=net.mlir", "--memory=value", "--weight=net_w.npz", "--input=test.npz", "--output=f32.npz")
        cls.expected = read_arrays(cls.path("f32.npz"))["y"]
        for method in ("max", "kl", "mse", "percentile9999"):
            cls.call("model_calibrate", "--mlir=net.mlir", "--weight=net_w.npz", "--dataset=samples", "--cali_method=" + method,
                     "-o", "table_" + method)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def call(cls, name, *flags, code=0):
        done = subprocess.run([tool(name), *flags], cwd=cls.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        assert done.returncode == code, (name, flags, done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def deploy(self, chip, *flags, code=0):
        return self.call("model_deploy", "--mlir=net.mlir", "--chip=" + chip, "--quantize=INT8", "--model=" + chip, *flags, code=code)

    def text(self, chip):
        with open(self.path(chip + "_final.mlir"), encoding="utf-8") as file:
            return file.read()

    def run_on_plan(self, chip):
        """The output of the deployed network; each byte of it is looked at."""
        self.call("model_runner", "--model=%s_final.mlir" % chip, "--weight=%s_weights.npz" % chip, "--input=test.npz",
                  "--output=%s.npz" % chip)
        outputs = read_arrays(self.path(chip + ".npz"))
        return outputs["y_f32"]

    def test_numbers_are_near_those_of_floats(self):
        for chip in CHIPS:
            for method, least in (("max", 0.99), ("kl", 0.98), ("mse", 0.98), ("percentile9999", 0.99)):
                with self.subTest(chip=chip, method=method):
                    self.deploy(chip, "--calibration_table=table_" + method)
                    similarity = cosine(self.run_on_plan(chip), self.expected)
                    print("%s %s: cosine %.5f" % (chip, method, similarity))
                    self.assertGreaterEqual(similarity, least)

    def test_what_a_sample_lacks_is_said(self):
        inputs = {"x": array("<f4", network.INPUT, [float("nan"), float("inf")] + [0.5] * (math.prod(network.INPUT) - 2)),
                  "z": array("<f4", (1,), [1.0])}
        write_arrays(self.path("odd.npz"), inputs)
        said = self.call("model_calibrate", "--mlir=net.mlir", "--weight=net_w.npz", "--dataset=odd.npz", "-o", "odd")
        self.assertRegex(said, r"tensor '\w+' has \d+ numbers that are infinite or none, and so have \d+ more: they are in no range")
        self.assertIn("array 'z' in 'odd.npz' is no input of the network: nothing reads it", said)
        said = self.call("model_calibrate", "--mlir=net.mlir", "--dataset=odd.npz", "--input_num=2", "-o", "odd", code=2)
        self.assertIn("--input_num is for a --dataset that is a folder", said)

    def test_names_that_a_table_cannot_have_are_refused(self):
        with open(self.path("net.mlir"), encoding="utf-8") as file:
            text = file.read()
        for name, why in (("#x", "begins with '#', as comments do"), (" x", "begins or ends with a blank"), (r"a\0Ax", "has more than one line"),
                          ("", "is empty")):
            with self.subTest(name=name):
                with open(self.path("named.mlir"), "w", encoding="utf-8") as file:
                    file.write(text.replace('loc("y")', 'loc("%s")' % name))
                said = self.call("model_calibrate", "--mlir=named.mlir", "--weight=net_w.npz", "-o", "named", code=1)
                self.assertEqual(said.count("error"), 1, said)
                self.assertRegex(said, "the range of tensor '[^']*' cannot be written into a table: its name " + re.escape(why) + r" \[TPUMEM-E017\]")
                self.assertFalse(os.path.exists(self.path("named")))

    def test_layers_of_numbers_that_are_not_finite_stay_floats(self):
        """They have no scale; what is so small that f32 nearly loses it has one."""
        for number, floats in ((float("inf"), True), (float("nan"), True), (1e-40, False), (0.0, False)):
            for weight, layer in (("c_w", "c"), ("c_b", "c"), ("m_w", "y"), ("m_b", "y")):
                with self.subTest(number=number, weight=weight):
                    _, weights = network.build()
                    dtype, shape, data = weights[weight]
                    weights[weight] = dtype, shape, struct.pack("<f", number) + (data[4:] if floats else bytes(len(data) - 4))
                    write_arrays(self.path("strange_w.npz"), weights)
                    for chip, mode in (("bm1684x", "INT8"), ("cv181x", "INT8"), ("bm1690", "F8E4M3")):
                        self.call("model_deploy", "--mlir=net.mlir", "--weight=strange_w.npz", "--chip=" + chip, "--quantize=" + mode,
                                  "--calibration_table=table_max", "--model=strange", "--disable_layer_group")
                        place = re.search(r'(#loc\d*) = loc\("%s"' % layer, self.text("strange"))[1]
                        line = re.search(r'.*"tpu\.(?:Conv2D|MatMul)".*loc\(%s\)' % place, self.text("strange"))[0]
                        self.assertEqual(bool(re.search(r"-> tensor<[\dx]+(!quant\.calibrated<)?b?f(16|32)[<,>]", line)), floats, line)

    def test_modes_that_are_not_of_one_op(self):
        with open(self.path("packed"), "w", encoding="utf-8") as file:
            file.write("y W4F16\n")
        said = self.deploy("bm1684x", "--calibration_table=table_max", "--quantize_table=packed", code=1)
        self.assertIn("'W4F16' is no mode of one op here: INT8, F32, F16 or BF16", said)

    def test_a_name_that_is_misspelt_is_said(self):
        with open(self.path("table_max"), encoding="utf-8") as file:
            table = file.read()
        with open(self.path("table_wrong"), "w", encoding="utf-8") as file:
            file.write(re.sub(r"^y ", "why ", table, flags=re.M))
        said = self.deploy("bm1684x", "--calibration_table=table_wrong")
        self.assertRegex(said, r"table 'table_wrong' has 1 of its \d+ ranges for tensors that the network has not, first 'why'")

    def test_all_layers_are_integers(self):
        self.deploy("cv181x", "--calibration_table=table_max")
        text = self.text("cv181x")
        self.assertNotIn("bf16", text)
        self.assertRegex(text, r'_bias_packed')
        self.deploy("bm1684x", "--calibration_table=table_max")
        self.assertNotRegex(self.text("bm1684x"), r"\bf16|xf16")

    def test_asymmetric_ranges(self):
        said = self.deploy("bm1684x", "--calibration_table=table_max", "--asymmetric")
        self.assertRegex(self.text("bm1684x"), r"!quant.uniform<[iu]8:f\d+, [0-9.e-]+:-?\d+>", said)
        self.assertGreaterEqual(cosine(self.run_on_plan("bm1684x"), self.expected), 0.99)
        self.assertIn("has no zero points", self.deploy("cv181x", "--calibration_table=table_max", "--asymmetric", code=1))

    def test_floats_of_8_bits(self):
        """Those with a scale have weights of their own, the others take the network's."""
        for mode, flags, weights, least in (("F8E4M3", ["--calibration_table=table_max"], "f8_weights.npz", 0.98),
                                            ("F8E5M2", [], "net_w.npz", 0.95)):
            with self.subTest(mode=mode):
                self.call("model_deploy", "--mlir=net.mlir", "--chip=bm1690", "--quantize=" + mode, "--model=f8", *flags)
                self.assertRegex(self.text("f8"), {"F8E4M3": r"calibrated<f8E4M3FN<.*out_f8_scales|out_f8_scales.*calibrated<f8E4M3FN",
                                                   "F8E5M2": r"\"tpu.Conv2D\".*xf8E5M2"}[mode])
                self.call("model_runner", "--model=f8_final.mlir", "--weight=" + weights, "--input=test.npz", "--output=f8.npz")
                outputs = read_arrays(self.path("f8.npz"))
                similarity = cosine(next(iter(outputs.values())), self.expected)
                print("%s: cosine %.5f" % (mode, similarity))
                self.assertGreaterEqual(similarity, least)
        said = self.call("model_deploy", "--mlir=net.mlir", "--chip=bm1688", "--quantize=F8E4M3", "--model=f8", code=1)
        self.assertIn("computes no floats of 8 bits", said)

    def test_the_same_table_each_time_whatever_the_threads(self):
        for threads in ("1", "3"):
            self.call("model_calibrate", "--mlir=net.mlir", "--weight=net_w.npz", "--dataset=samples", "-o", "again", "--threads=" + threads)
            with open(self.path("again"), encoding="utf-8") as again, open(self.path("table_kl"), encoding="utf-8") as first:
                self.assertEqual(again.read(), first.read())

    def test_table_has_every_float(self):
        with open(self.path("table_max"), encoding="utf-8") as file:
            rows = {line.split()[0]: [float(word) for word in line.split()[1:]] for line in file if not line.startswith("#")}
        names = re.findall(r'loc\("(\w+)"\)', network.build()[0])
        self.assertEqual(sorted(rows), sorted(name for name in names if not re.search("_[wb]$", name)))
        self.assertLessEqual(rows["x"][0], 1)
        self.assertEqual(rows["dw"][1], 0)
        for name, (threshold, least, most) in rows.items():
            self.assertAlmostEqual(threshold, max(-least, most), 5, name)

    def test_without_a_table_sizes_are_the_same(self):
        sizes = {}
        for flags in ([], ["--calibration_table=table_kl"]):
            said = self.deploy("cv181x", *flags)
            sizes[bool(flags)] = re.findall(r"module.coeff_size = (\d+)", self.text("cv181x"))
            self.assertEqual(said.count("there is no calibration table"), 0 if flags else 1)
            self.assertEqual('module.calibration = "stand-in"' in self.text("cv181x"), not flags)
        self.assertEqual(sizes[False], sizes[True])

    def test_without_weights_sizes_are_the_same(self):
        self.deploy("bm1688", "--calibration_table=table_kl")
        with_weights = re.findall(r"module.coeff_size = (\d+)", self.text("bm1688"))
        os.rename(self.path("net_w.npz"), self.path("hidden.npz"))
        os.remove(self.path("bm1688_weights.npz"))
        try:
            said = self.deploy("bm1688", "--calibration_table=table_kl", "--run")
        finally:
            os.rename(self.path("hidden.npz"), self.path("net_w.npz"))
        self.assertEqual(said.count("have no numbers"), 1, said)
        self.assertEqual(re.findall(r"module.coeff_size = (\d+)", self.text("bm1688")), with_weights)
        self.assertFalse(os.path.exists(self.path("bm1688_weights.npz")))

    def test_weights_of_another_file(self):
        text, weights = network.build(seed=7)
        self.assertEqual(text, network.build()[0])
        write_arrays(self.path("other.npz"), weights)
        self.deploy("bm1684x", "--calibration_table=table_max", "--weight=other.npz")
        self.assertLess(cosine(self.run_on_plan("bm1684x"), self.expected), 0.99)

    def test_layers_that_stay_floats(self):
        with open(self.path("floats"), "w", encoding="utf-8") as file:
            file.write("# op_name mode\nc F32\nnobody F16\n")
        said = self.deploy("bm1684x", "--calibration_table=table_max", "--quantize_table=floats", "--debug")
        self.assertIn("'nobody' of 'floats' is no tensor of the network", said)
        with open(self.path("bm1684x_tpu.mlir"), encoding="utf-8") as file:
            lowered = file.read()
        self.assertRegex(lowered, r'"tpu.Conv2D".*-> tensor<1x12x16x16x(!quant.calibrated<)?f32')
        self.assertGreaterEqual(cosine(self.run_on_plan("bm1684x"), self.expected), 0.99)
        self.deploy("cv181x", "--calibration_table=table_max", "--quantize_table=floats", "--disable_layer_group", "--debug")
        with open(self.path("cv181x_tpu.mlir"), encoding="utf-8") as file:
            self.assertRegex(file.read(), r'"tpu.Conv2D".*-> tensor<1x12x16x16x(!quant.calibrated<)?bf16')

    def test_borders_in_integers(self):
        for chip in ("cv181x", "bm1684x"):
            self.deploy(chip, "--calibration_table=table_max", "--quant_input", "--quant_output")
            text = self.text(chip)
            self.assertNotIn("tpu.GenericCpu", text)
            self.assertNotIn('"tpu.Cast"', text)
            self.assertRegex(text, r"return %\d+ : tensor<1x10x!quant.uniform<i8")
        self.deploy("bm1684x", "--calibration_table=table_max", "--quant_output_list=1")
        self.assertEqual(self.text("bm1684x").count('"tpu.Cast"'), 1)

        said = self.deploy("bm1684x", "--calibration_table=table_max", "--quant_input_list=2", code=1)
        self.assertIn("'input-list' names input 2, of the network's 1", said)

    def test_printed_commands_make_the_same_module(self):
        said = self.deploy("cv181x", "--calibration_table=table_max")
        expected = self.text("cv181x")
        with open(self.path("cv181x_weights.npz"), "rb") as file:
            weights = file.read()
        for line in said.splitlines():
            if line.startswith("tpuc-opt "):
                command = line.replace("tpuc-opt", tool("tpuc-opt"), 1)
                subprocess.run(command, shell=True, cwd=self.folder, check=True, capture_output=True)
        self.assertEqual(self.text("cv181x"), expected)
        with open(self.path("cv181x_weights.npz"), "rb") as file:
            self.assertEqual(file.read(), weights)

    def test_nothing_to_quantize(self):
        """Numbers that are all zero, and a network of one constant, are networks all the same."""
        with open(self.path("table_max"), encoding="utf-8") as file:
            names = [line.split()[0] for line in file if not line.startswith("#")]
        with open(self.path("zeros"), "w", encoding="utf-8") as file:
            file.writelines("%s 0.00001 0 0\n" % name for name in names)
        said = self.deploy("bm1684x", "--calibration_table=zeros")
        self.assertEqual(said.count("nothing becomes integers: no tensor has a range other than zero"), 1, said)
        self.assertIn('"tpu.MatMul"', self.text("bm1684x"))
        self.assertNotIn("quant.uniform", self.text("bm1684x"))
        with open(self.path("constant.mlir"), "w", encoding="utf-8") as file:
            file.write("""module @constant attributes {module.state = "TOP_F32"} {
  func.func @main() -> tensor<4xf32> {
    %w = "top.Weight"() : () -> tensor<4xf32> loc("w")
    return %w : tensor<4xf32>
  }
}
""")
        for flags in (["--quantize=INT8", "--calibration_table=table_max"], ["--quantize=INT8"], ["--quantize=F16"], ["--quantize=W4F16"]):
            self.call("model_deploy", "--mlir=constant.mlir", "--chip=bm1684x", "--model=constant", *flags)
            with open(self.path("constant_final.mlir"), encoding="utf-8") as file:
                self.assertIn('module.state = "TPU_ADDRESSED"', file.read())

    def test_scales_that_half_floats_do_not_have(self):
        """The module can be read again, and computes, where a scale is below the least f16 or above the largest."""
        with open(self.path("table_max"), encoding="utf-8") as file:
            names = [line.split()[0] for line in file if not line.startswith("#")]
        for threshold in ("0.000001", "100000000"):
            with open(self.path("far"), "w", encoding="utf-8") as file:
                file.writelines("%s %s -%s %s\n" % (name, threshold, threshold, threshold) for name in names)
            with open(self.path("floats"), "w", encoding="utf-8") as file:
                file.writelines("%s F16\n" % name for name in names[1::2])
            for chip in ("bm1684x", "cv184x", "cv181x"):
                for flags in ([], ["--quantize_table=floats"], ["--quantize_table=floats", "--quant_input", "--quant_output"]):
                    self.deploy(chip, "--calibration_table=far", *flags)
                    self.call("model_runner", "--model=" + chip + "_final.mlir", "--weight=" + chip + "_weights.npz")

    def test_scales_of_one(self):
        """An integer that stands for itself has a scale all the same: pictures of bytes, and tensors up to 127."""
        with open(self.path("table_max"), encoding="utf-8") as file:
            names = [line.split()[0] for line in file if not line.startswith("#")]
        for ends in ("-127 127", "0 255", "0 127"):
            with open(self.path("ones"), "w", encoding="utf-8") as file:
                file.writelines("%s %s %s\n" % (name, ends.split()[1], ends) for name in names)
            for chip in ("bm1684x", "bm1690", "cv181x"):
                for flags in ([], ["--disable_layer_group"]):
                    self.deploy(chip, "--calibration_table=ones", *flags)
                    self.call("model_runner", "--model=" + chip + "_final.mlir", "--weight=" + chip + "_weights.npz")

    def test_wrong_tables_say_where(self):
        for text, said in (("x 1 -1 1\na 1 b\n", r"error: calibration table 'wrong', line 2: 'b' is no number.*E017"),
                           ("x 1\n", r"table 'wrong', line 1: .*E017"),
                           ("other 1 -1 1\n", r"none of the network's tensors.*E017"),
                           ("", r"there is no entry in it.*E017")):
            with open(self.path("wrong"), "w", encoding="utf-8") as file:
                file.write(text)
            self.assertRegex(self.deploy("cv181x", "--calibration_table=wrong", code=1), said)
        self.assertRegex(self.deploy("cv181x", "--calibration_table=nowhere", code=1), "nowhere.*E017")
        with open(self.path("wrong"), "w", encoding="utf-8") as file:
            file.write("c F31\n")
        self.assertRegex(self.deploy("cv181x", "--calibration_table=table_max", "--quantize_table=wrong", code=1),
                         r"quantize table 'wrong', line 1: 'F31' is no mode.*E017")

    def test_what_goes_not_together(self):
        self.assertRegex(self.deploy("bm1684", code=1), "'bm1684' has no rules here for integers.*E018")
        for flag in ("--calibration_table=t", "--quantize_table=t", "--weight=w", "--asymmetric"):
            said = self.call("model_deploy", "--mlir=net.mlir", "--chip=cv181x", "--quantize=BF16", "--model=o", flag, code=2)
            self.assertIn("is for --quantize=INT8", said)
        for flag in ("--q_group_size=32", "--q_symmetric"):
            said = self.call("model_deploy", "--mlir=net.mlir", "--chip=cv181x", "--quantize=INT8", "--model=o", flag, code=2)
            self.assertIn("is for modes with packed weights", said)

    def test_samples_that_do_not_fit(self):
        flags = ["--mlir=net.mlir", "--weight=net_w.npz", "-o", "t"]
        self.assertRegex(self.call("model_calibrate", *flags, "--dataset=net_w.npz", code=1), "no array 'x'.*E017")
        os.makedirs(self.path("empty"), exist_ok=True)
        self.assertRegex(self.call("model_calibrate", *flags, "--dataset=empty", code=1), "no .npz in 'empty'.*E017")
        self.assertIn("has to be one of", self.call("model_calibrate", *flags, "--cali_method=best", code=2))
        self.assertFalse(os.path.exists(self.path("t")))


if __name__ == "__main__":
    unittest.main()
