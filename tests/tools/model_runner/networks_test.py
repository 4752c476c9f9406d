"""Networks run on their plans."""
import os
import re
import struct
import subprocess
import tempfile
import unittest
import zipfile

import arrays as arrays_of_files

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
TOOLS = os.path.join(ROOT, "tpu_mlir/tools")


def tool(name, *flags):
    return subprocess.run([os.path.join(TOOLS, name, name), *flags], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)


ADD = """
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32, 16384 : i64> {
    %x = "top.Input"(%arg0) : (tensor<2x2xf32>) -> tensor<2x2xf32, 4096 : i64> loc("x")
    %w = "top.Weight"() : () -> tensor<2xf32, 8192 : i64> loc("w")
    %s = "tpu.Add"(%x, %w) : (tensor<2x2xf32, 4096 : i64>, tensor<2xf32, 8192 : i64>) -> tensor<2x2xf32, 12288 : i64> loc("s")
    %y = "tpu.Relu"(%s) : (tensor<2x2xf32, 12288 : i64>) -> tensor<2x2xf32, 16384 : i64> loc("y")
    return %y : tensor<2x2xf32, 16384 : i64>
  }
}
"""

FUSED = """
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x1x1x2xf32>) -> (tensor<1x2x1x2xf32>, tensor<1x1x2x4xf32>) {
    %x = "top.Input"(%arg0) : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32> loc("x")
    %c = "tpu.Concat"(%x, %x) {axis = 1 : si32, do_relu = true} : (tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x1x2xf32> loc("c")
    %u = "tpu.Upsample"(%x) {scale_h = 2 : i64, scale_w = 2 : i64, do_relu = true, relu_limit = 6.0 : f64} : (tensor<1x1x1x2xf32>) -> tensor<1x1x2x4xf32> loc("u")
    return %c, %u : tensor<1x2x1x2xf32>, tensor<1x1x2x4xf32>
  }
}
"""

# Every way to change a scale; the filter and the table are weights.
QUANTIZED = """
module @net {
  func.func @main(%arg0: tensor<1x1x2x3xf32>) -> tensor<1x4x2x3xf32> {
    %x = "top.Input"(%arg0) : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x3xf32> loc("x")
    %f = "top.Weight"() : () -> tensor<2x1x1x1xsi8> loc("f")
    %b = "top.Weight"() : () -> tensor<1x2x1x1xi32> loc("b")
    %t = "top.Weight"() : () -> tensor<1x1x1x256xsi8> loc("t")
    %q = "tpu.Cast"(%x) {with_scale = true} : (tensor<1x1x2x3xf32>) -> tensor<1x1x2x3x!quant.uniform<i8:f32, 0.5>> loc("q")
    %c = "tpu.Conv2D"(%q, %f, %b) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], multiplier = [3, 1610612736], rshift = [1, 1], quant_mode = #tpu<rq_mode MODE>, round_mode = #tpu<round_mode HalfUp>} : (tensor<1x1x2x3x!quant.uniform<i8:f32, 0.5>>, tensor<2x1x1x1xsi8>, tensor<1x2x1x1xi32>) -> tensor<1x2x2x3x!quant.uniform<i8:f32, 0.25>> loc("c")
    %m = "tpu.MulShift"(%c) {multiplier = 3 : si32, rshift = 2 : si32} : (tensor<1x2x2x3x!quant.uniform<i8:f32, 0.25>>) -> tensor<1x2x2x3x!quant.uniform<i8:f32, 0.125>> loc("m")
    %s = "tpu.Add"(%c, %m) {multipliers = [5, 7], rshifts = SHIFTS} : (tensor<1x2x2x3x!quant.uniform<i8:f32, 0.25>>, tensor<1x2x2x3x!quant.uniform<i8:f32, 0.125>>) -> tensor<1x2x2x3x!quant.uniform<i8:f32, 0.75>> loc("s")
    %k = "tpu.Concat"(%s, %m) {axis = 1 : si32, multipliers = [1, 3], rshifts = [0, 1]} : (tensor<1x2x2x3x!quant.uniform<i8:f32, 0.75>>, tensor<1x2x2x3x!quant.uniform<i8:f32, 0.125>>) -> tensor<1x4x2x3x!quant.uniform<i8:f32, 0.75>> loc("k")
    %l = "tpu.Lut"(%k, %t) : (tensor<1x4x2x3x!quant.uniform<i8:f32, 0.75>>, tensor<1x1x1x256xsi8>) -> tensor<1x4x2x3x!quant.uniform<i8:f32, 2.0>> loc("l")
    %y = "tpu.Cast"(%l) {with_scale = true} : (tensor<1x4x2x3x!quant.uniform<i8:f32, 2.0>>) -> tensor<1x4x2x3xf32> loc("y")
    return %y : tensor<1x4x2x3xf32>
  }
}
"""


def convolutions():
    """Three of them, quantized, with a multiplier and a shift a channel."""
    def kind(channels):
        return "tensor<1x%dx16x16x!quant.uniform<i8:f32, 0.5>>" % channels

    image = "tensor<1x8x16x16xf32>"
    lines = ['%%x = "top.Input"(%%arg0) : (%s) -> %s loc("x")' % (image, image),
             '%%c0 = "tpu.Cast"(%%x) {with_scale = true} : (%s) -> %s loc("c0")' % (image, kind(8))]
    for i, channels in ((1, 8), (2, 64), (3, 64)):
        lines += ['%%w%d = "top.Weight"() : () -> tensor<64x%dx3x3xsi8> loc("w%d")' % (i, channels, i),
                  '%%b%d = "top.Weight"() : () -> tensor<1x64x1x1xi32> loc("b%d")' % (i, i),
                  '%%c%d = "tpu.Conv2D"(%%c%d, %%w%d, %%b%d) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], '
                  'group = 1 : i64, with_bias = true, do_relu = true, multiplier = %s, rshift = %s, '
                  'quant_mode = #tpu<rq_mode MultiplierShift>} : (%s, tensor<64x%dx3x3xsi8>, tensor<1x64x1x1xi32>) -> %s loc("c%d")'
                  % (i, i - 1, i, i, list(range(3, 67)), [14] * 64, kind(channels), channels, kind(64), i)]
    return """
module @net attributes {module.state = "TPU_LOWERED", module.mode = "INT8", module.platform = "ONNX"} {
  func.func @main(%%arg0: %s) -> %s {
%s
    return %%c3 : %s
  }
}
""" % (image, kind(64), "\n".join(lines), kind(64))


PICTURE = """
module @net attributes {module.chip = "ALL", module.state = "TOP_F32", module.platform = "ONNX"} {
  func.func @main(%arg0: tensor<1x3x8x8xf32>) -> tensor<1x10xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> loc("image")
    %1 = "top.Weight"() : () -> tensor<8x3x3x3xf32> loc("conv.weight")
    %2 = "top.Weight"() : () -> tensor<8xf32> loc("conv.bias")
    %3 = "top.Conv"(%0, %1, %2) {dilations = [1, 1], do_relu = false, group = 1 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x3x8x8xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<1x8x8x8xf32> loc("conv")
    %4 = "top.Swish"(%3) {beta = 5.000000e-01 : f64} : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> loc("swish")
    %5 = "top.Reshape"(%4) {shape = [1, 512]} : (tensor<1x8x8x8xf32>) -> tensor<1x512xf32> loc("flat")
    %6 = "top.Weight"() : () -> tensor<512x10xf32> loc("fc.weight")
    %7 = "top.None"() : () -> none
    %8 = "top.MatMul"(%5, %6, %7) : (tensor<1x512xf32>, tensor<512x10xf32>, none) -> tensor<1x10xf32> loc("fc")
    return %8 : tensor<1x10xf32>
  }
}
"""


def digests(output):
    return output.split("weights and inputs")[0]


class Networks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def deploy(self, module, *flags):
        done = tool("model_deploy", "--mlir", module, "--model", self.path("net"), "--quiet", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.path("net_final.mlir")

    def run_model(self, module, *flags):
        done = tool("model_runner", "--model", module, *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check(self, module, *flags):
        """The same outputs, wherever layers run and with both memories."""
        plain = self.run_model(self.deploy(module, *flags, "--disable_layer_group"))
        grouped = self.deploy(module, *flags)
        both = self.run_model(grouped)
        self.assertEqual(digests(both), digests(plain))
        self.assertRegex(both, r"\d+ layer groups? in local memory, in three orders of the engines: the same bits\n$")
        self.assertEqual(digests(self.run_model(grouped, "--memory=arena", "--threads=1")), digests(plain))
        self.assertIn("every byte from the write that was meant", plain)

    def example(self, name):
        return os.path.join(ROOT, "tpu_mlir/examples", name + ".mlir")

    def test_mobilenet_on_every_memory_map(self):
        for chip, mode in [("bm1684x", "F16"), ("bm1688", "BF16"), ("cv184x", "BF16"), ("cv181x", "BF16"),
                           ("bm1690", "F16")]:
            with self.subTest(chip=chip):
                self.check(self.example("mobilenet_v2"), "--chip", chip, "--quantize", mode)

    def test_quantized_groups(self):
        """Where coefficients are bytes in local memory."""
        with open(self.path("int8.mlir"), "w", encoding="utf-8") as file:
            file.write(convolutions())
        for chip in ("bm1684x", "bm1688"):
            with self.subTest(chip=chip):
                self.check(self.path("int8.mlir"), "--chip", chip)

    def test_channels_in_parts(self):
        for name in ("resnet50", "bert_base"):
            with self.subTest(name=name):
                self.check(self.example(name), "--chip=cv184x", "--quantize=BF16")

    def test_resnet50(self):
        self.check(self.example("resnet50"), "--chip=bm1684x", "--quantize=F32", "--addr_mode=in_reuse")

    def test_densenet(self):
        self.check(self.example("densenet121"), "--chip=bm1684x", "--quantize=F16", "--addr_mode=io_alone")

    def test_yolo_unet_bert(self):
        for name, mode in [("yolo_fpn", "BF16"), ("unet", "F16"), ("bert_base", "F16")]:
            with self.subTest(name=name):
                self.check(self.example(name), "--chip=bm1684x", "--quantize", mode)

    def test_llama_block(self):
        final = self.deploy(self.example("llama_block"), "--chip=bm1684x", "--quantize=F16")
        self.assertIn("every byte from the write that was meant", self.run_model(final))

    def test_deployment_runs(self):
        flags = ["--mlir", self.example("mobilenet_v2"), "--model", self.path("net"), "--chip=bm1688", "--quantize=F16"]
        plain, ran = tool("model_deploy", *flags), tool("model_deploy", *flags, "--run")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertTrue(ran.stdout.startswith(plain.stdout))
        self.assertRegex(ran.stdout[len(plain.stdout):],
                         r"^\n\d+ ops ran on the plan, \d+ layer groups in local memory: every byte from the write that was "
                         r"meant\n$")
        with open(self.path("alone.mlir"), "w", encoding="utf-8") as file:
            file.write('module @net attributes {module.chip = "bm1684x"} {\n'
                       'func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n'
                       '%x = "top.Input"(%a) : (tensor<4xf32>) -> tensor<4xf32>\n'
                       '%y = "tpu.Nms"(%x) : (tensor<4xf32>) -> tensor<4xf32>\n'
                       'return %y : tensor<4xf32>\n}\n}\n')
        alone = tool("model_deploy", "--mlir", self.path("alone.mlir"), "--model", self.path("alone"), "--run")
        self.assertEqual(alone.returncode, 1, alone.stderr)
        self.assertIn("there is no kernel for 'tpu.Nms'", alone.stderr)
        self.assertFalse(os.path.exists(self.path("alone_final.mlir")))

    def test_pools(self):
        self.check(self.example("mobilenet_v2"), "--chip=bm1684x", "--quantize=F16",
                   "--pool=name=sram,base=0x20000000,size=1MiB,align=64,cost=1")

    def write_arrays(self, name, arrays):
        return arrays_of_files.write_arrays(self.path(name), arrays)

    def test_arrays_of_files(self):
        with open(self.path("net.mlir"), "w", encoding="utf-8") as file:
            file.write(ADD)
        arrays = {"x": ("<f8", "(2, 2)", struct.pack("<4d", 1, -2, 3, 4)),
                  "w": ("<f4", "(2,)", struct.pack("<2f", 0.5, -8))}
        flags = ["--model", self.path("net.mlir"), "--output", self.path("out.npz"), "--dump_all_tensors"]
        flags += ["--input", self.write_arrays("in.npz", arrays)]
        weights = ["--weight", self.write_arrays("w.npz", arrays)]
        done = tool("model_runner", *flags, *weights)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("random", done.stdout)
        with zipfile.ZipFile(self.path("out.npz")) as file:
            self.assertIsNone(file.testzip())
            self.assertEqual(file.namelist(), ["s.npy", "y.npy"])
            self.assertEqual(struct.unpack("<4f", file.read("y.npy")[-16:]), (1.5, 0, 3.5, 0))
            self.assertIn(b"'shape': (2, 2)", file.read("y.npy"))
        try:
            import numpy
        except ImportError:
            print("numpy is not installed: what it reads is not looked at")
        else:
            self.assertEqual(numpy.load(self.path("out.npz"))["y"].tolist(), [[1.5, 0], [3.5, 0]])
        os.remove(self.path("out.npz"))

        def refused(message, *flags):
            done = tool("model_runner", *flags)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stderr.count("error"), 1, done.stderr)
            self.assertFalse(os.path.exists(self.path("out.npz")))

        with open(self.path("w.npz"), "rb") as file:
            whole = file.read()
        with open(self.path("cut.npz"), "wb") as file:
            file.write(whole[:-30])
        refused("it is no zip file, or it is cut off [TPUMEM-E017]", *flags, "--weight", self.path("cut.npz"))
        arrays.pop("w")
        refused("there is no array 'w' in", *flags, "--weight", self.write_arrays("none.npz", arrays))
        arrays["w"] = ("<f4", "(3,)", bytes(12))
        refused("array 'w' is 3, 2 is needed, in", *flags, "--weight", self.write_arrays("shape.npz", arrays))
        arrays["w"] = ("|S4", "(2,)", bytes(8))
        refused("which are not read [TPUMEM-E017]", *flags, "--weight", self.write_arrays("type.npz", arrays))
        refused("cannot read", *flags, "--weight", self.path("nothing.npz"))
        arrays.pop("w")
        for shape, message in (("(4,)", "array 'x' is 4, 2x2 is needed, in"), ("(1, 4, 1)", "array 'x' is 1x4x1, 2x2 is needed, in")):
            arrays["x"] = ("<f4", shape, bytes(16))
            flags[-1] = self.write_arrays("flat.npz", arrays)
            refused(message, *flags, *weights)
        # Dimensions that are 1 say nothing.
        arrays["x"] = ("<f4", "(1, 2, 2)", bytes(16))
        flags[-1] = self.write_arrays("more.npz", arrays)
        self.assertEqual(tool("model_runner", *flags, *weights).returncode, 0)

    def test_fused_relu(self):
        """Ops that only move numbers compute the relu that is fused with them."""
        with open(self.path("net.mlir"), "w", encoding="utf-8") as file:
            file.write(FUSED)
        arrays = {"x": ("<f4", "(1, 1, 1, 2)", struct.pack("<2f", -1, 9))}
        self.run_model(self.path("net.mlir"), "--memory=value", "--input", self.write_arrays("x.npz", arrays), "--output",
                       self.path("out.npz"))
        with zipfile.ZipFile(self.path("out.npz")) as file:
            self.assertEqual(struct.unpack("<4f", file.read("c.npy")[-16:]), (0, 9, 0, 9))
            self.assertEqual(struct.unpack("<8f", file.read("u.npy")[-32:]), (0, 0, 6, 6) * 2)

    def test_compare(self):
        def row(*values):
            return ("<f4", "(%d,)" % len(values), struct.pack("<%df" % len(values), *values))

        first = self.write_arrays("a.npz", {"near": row(3, 4), "same": row(1, 2), "lost": row(float("nan"), 1),
                                            "brain": row(1, -2), "alone": row(1)})
        arrays = {"same": ("|i1", "(2,)", struct.pack("<2b", 1, 2)), "near": row(4, 3), "lost": row(0, 1),
                  "brain": ("<u2", "(2,)", struct.pack("<2H", 0x3f80, 0xc000))}
        second = self.write_arrays("b.npz", arrays)
        done = tool("model_runner", "--compare", first, second)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual(lines[0], ["tensor", "shape", "cosine", "Euclidean"])
        self.assertEqual(lines[2], ["lost", "2", "no", "number", "no", "number"])
        self.assertEqual(lines[3], ["near", "2", "0.960000", "0.714286"])
        self.assertEqual(sorted(line[0] for line in lines[4:6]), ["brain", "same"])
        self.assertEqual([line[2:] for line in lines[4:6]], [["1.000000", "1.000000"]] * 2)
        self.assertEqual(done.stdout.splitlines()[6:], ["only in '%s': 1" % first])

        def refused(code, message, *flags):
            done = tool("model_runner", *flags)
            self.assertEqual((done.returncode, done.stdout), (code, ""))
            self.assertIn(message, done.stderr)

        arrays["near"] = ("<f4", "(2, 1)", row(3, 4)[2])
        done = tool("model_runner", "--compare", first, self.write_arrays("shape.npz", arrays))
        self.assertIn("2 and 2x1", done.stdout)
        arrays["near"] = row(1, 2, 3)
        refused(1, "array 'near' is 2 in", "--compare", first, self.write_arrays("c.npz", arrays))
        refused(1, "have no array of the same name", "--compare", first, self.write_arrays("d.npz", {"x": row(1)}))
        refused(1, "cannot read", "--compare", first, self.path("nothing.npz"))
        refused(2, "--compare takes two files of arrays and no module", "--compare", first)
        refused(2, "is no flag; a module is given as --model=FILE", first)

    def test_compare_modes(self):
        """A network in F32 against the same one in F16, on the weights that it came with: as the document says."""
        def some(*shape):
            count = 1
            for size in shape:
                count *= size
            values = [((i * 7919 + count) % 1009 / 504.5 - 1) / (1 if count < 200 else 8) for i in range(count)]
            return ("<f4", str(tuple(shape)), struct.pack("<%df" % count, *values))

        with open(self.path("net.mlir"), "w", encoding="utf-8") as file:
            file.write(PICTURE)
        weights = self.write_arrays("net.npz", {"conv.weight": some(8, 3, 3, 3), "conv.bias": some(8), "fc.weight": some(512, 10)})
        inputs = self.write_arrays("in.npz", {"image": some(1, 3, 8, 8)})
        given = ("--weight", weights, "--input", inputs)
        self.run_model(self.path("net.mlir"), *given, "--memory=value", "--output", self.path("top.npz"), "--dump_all_tensors")
        for mode in ("F32", "F16", "BF16"):
            self.run_model(self.deploy(self.path("net.mlir"), "--chip", "bm1684x", "--quantize", mode), *given, "--output",
                           self.path(mode + ".npz"), "--dump_all_tensors")
        same = tool("model_runner", "--compare", self.path("top.npz"), self.path("F32.npz")).stdout
        self.assertEqual({line.split()[2] for line in same.splitlines()[2:] if not line.startswith("only")}, {"1.000000"}, same)
        compared = tool("model_runner", "--compare", self.path("F32.npz"), self.path("F16.npz")).stdout
        with open(os.path.join(ROOT, "tpu_mlir/docs/guide/ModelRunner.md"), encoding="utf-8") as file:
            shown = file.read().split("--compare F32.npz F16.npz\n```\n\n```\n")[1].split("```")[0]
        self.assertEqual(compared.replace(self.folder + "/", ""), shown)
        # A file with the new names goes first; without either of them both are named.
        self.deploy(self.path("net.mlir"), "--chip", "bm1684x", "--quantize", "F16")
        arrays = {"conv.weight": some(8, 3, 3, 3), "conv.bias": some(8), "fc.weight": some(512, 10)}
        renamed = dict(arrays, **{"fc.weight_f16": ("<f4", "(512, 10)", bytes(4 * 5120))})
        self.run_model(self.path("net_final.mlir"), "--weight", self.write_arrays("new.npz", renamed), "--input", inputs, "--output",
                       self.path("new_out.npz"))
        with zipfile.ZipFile(self.path("new_out.npz")) as file:
            self.assertEqual(file.read(file.namelist()[0])[-40:], bytes(40))
        del arrays["fc.weight"]
        done = tool("model_runner", "--model", self.path("net_final.mlir"), "--weight", self.write_arrays("less.npz", arrays))
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no array 'fc.weight_f16' and no 'fc.weight' in", done.stderr)

    def quantized(self, mode, shifts):
        with open(self.path("net.mlir"), "w", encoding="utf-8") as file:
            file.write(QUANTIZED.replace("MODE", mode).replace("SHIFTS", str(shifts)))
        arrays = {"x": ("<f4", "(1, 1, 2, 3)", struct.pack("<6f", -100, -3.25, 0, 0.25, 7, 63.5)),
                  "f": ("|i1", "(2, 1, 1, 1)", struct.pack("<2b", 3, -2)),
                  "b": ("<i4", "(1, 2, 1, 1)", struct.pack("<2i", 5, -4)),
                  "t": ("|i1", "(1, 1, 1, 256)", struct.pack("<256b", *((7 * i) % 256 - 128 for i in range(256))))}
        file = self.write_arrays("all.npz", arrays)
        self.run_model(self.path("net.mlir"), "--memory=value", "--input", file, "--weight", file, "--output",
                       self.path("out.npz"))
        with zipfile.ZipFile(self.path("out.npz")) as file:
            return list(struct.unpack("<24f", file.read("y.npy")[-96:]))

    def test_quantized_arithmetic(self):
        def away(value):  # ties away from zero
            return int(abs(value) + 0.5) * (1 if value >= 0 else -1)

        def fit(value):
            return max(-128, min(127, value))

        q = [fit(away(x / 0.5)) for x in (-100, -3.25, 0, 0.25, 7, 63.5)]
        sums = [3 * x + 5 for x in q] + [-2 * x - 4 for x in q]
        factors = [(3, 1)] * 6 + [(1610612736, 1)] * 6
        shifted = [fit((v * m + (1 << s - 1)) >> s) for v, (m, s) in zip(sums, factors)]
        doubled = [fit(away(((v * m + (1 << 30)) >> 31) / 2 ** s)) for v, (m, s) in zip(sums, factors)]
        for mode, c in (("MultiplierShift", shifted), ("QDM", doubled)):
            m = [fit(away(v * 3 / 4)) for v in c]
            for shifts, s in (([3, 4], [fit(away(a * 5 / 8) + away(b * 7 / 16)) for a, b in zip(c, m)]),
                              ([4], [fit(away((a * 5 + b * 7) / 16)) for a, b in zip(c, m)])):
                k = s + [fit(away(v * 3 / 2)) for v in m]
                wanted = [((7 * (v % 256)) % 256 - 128) * 2.0 for v in k]
                with self.subTest(mode=mode, shifts=shifts):
                    self.assertEqual(self.quantized(mode, shifts), wanted)

    def test_calls_nest(self):
        def nest(depth):
            text = "module {\n"
            for i in range(depth):
                text += "func.func @f%d(%%x: tensor<4xf32>) -> tensor<4xf32> {\n" % i
                text += "%%y = call @f%d(%%x) : (tensor<4xf32>) -> tensor<4xf32>\n" % (i + 1)
                text += "return %y : tensor<4xf32>\n}\n"
            text += "func.func @f%d(%%x: tensor<4xf32>) -> tensor<4xf32> {\n" % depth
            text += '%y = "tpu.Relu"(%x) : (tensor<4xf32>) -> tensor<4xf32>\nreturn %y : tensor<4xf32>\n}\n}\n'
            with open(self.path("nest.mlir"), "w", encoding="utf-8") as file:
                file.write(text)
            return tool("model_runner", "--model", self.path("nest.mlir"), "--memory=value")

        self.assertIn("1 ops, each tensor", nest(900).stdout)
        deep = nest(20000)
        self.assertEqual(deep.returncode, 1, deep.stderr[-300:])
        self.assertIn("calls nest deeper than 1000, which cannot be run [TPUMEM-E023]", deep.stderr)

    def test_document_lists_every_kernel(self):
        with open(os.path.join(ROOT, "tpu_mlir/docs/guide/ModelRunner.md"), encoding="utf-8") as file:
            table = file.read().split("<!-- kernels -->")[1]
        listed = re.findall(r"`((?:top|tpu)\.\w+)`", table)
        self.assertEqual(sorted(listed), tool("model_runner", "--kernels").stdout.split())


if __name__ == "__main__":
    unittest.main()
