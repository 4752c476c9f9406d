"""Networks run on their plans; a plan with a wrong address does not pass, and what the run finds wrong the verifier refuses."""
import os
import random
import re
import struct
import subprocess
import tempfile
import unittest
import zipfile

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
        self.assertEqual(digests(self.run_model(grouped)), digests(plain))
        self.assertEqual(digests(self.run_model(grouped, "--memory=arena", "--threads=1")), digests(plain))
        self.assertIn("every byte from the write that was meant", plain)

    def example(self, name):
        return os.path.join(ROOT, "tpu_mlir/examples", name + ".mlir")

    def test_mobilenet_on_every_memory_map(self):
        for chip, mode in [("bm1684x", "F16"), ("bm1688", "BF16"), ("cv184x", "BF16"), ("cv181x", "BF16"),
                           ("bm1690", "F16")]:
            with self.subTest(chip=chip):
                self.check(self.example("mobilenet_v2"), "--chip", chip, "--quantize", mode)

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

    def test_pools(self):
        self.check(self.example("mobilenet_v2"), "--chip=bm1684x", "--quantize=F16",
                   "--pool=name=sram,base=0x20000000,size=1MiB,align=64,cost=1")

    def chain(self):
        built = tool("model_builder", "--model=chain", "--ops=40", "--level=tpu", "-o", self.path("chain.mlir"))
        self.assertEqual(built.returncode, 0, built.stderr)
        return self.deploy(self.path("chain.mlir"), "--disable_layer_group")

    def test_wrong_addresses(self):
        """One tensor at the place of another one, again and again."""
        with open(self.chain(), encoding="utf-8") as file:
            text = file.read()
        results = re.findall(r'= "tpu\.\w+"\(.*-> tensor<[^,>]*, (\d+) : i64>', text)
        places = sorted(set(results))
        self.assertGreater(len(places), 2)
        wrong = 0
        choice = random.Random(1)
        lines = [i for i, line in enumerate(text.split("\n")) if '"tpu.' in line]
        for _ in range(25):
            mutant = self.move_one(text, choice.choice(lines), choice.choice(places))
            with open(self.path("mutant.mlir"), "w", encoding="utf-8") as file:
                file.write(mutant)
            ran = tool("model_runner", "--model", self.path("mutant.mlir"), "--quiet")
            verified = tool("tpuc-opt", "--tpu-verify-addresses", self.path("mutant.mlir"), "-o", os.devnull)
            self.assertIn(ran.returncode, (0, 1), ran.stderr)
            if ran.returncode == 1:
                wrong += 1
                self.assertIn("[TPUMEM-E012]", ran.stderr)
                self.assertNotEqual(verified.returncode, 0, ran.stderr)
        self.assertGreater(wrong, 5)

    def move_one(self, text, line, address):
        """The result of that line, where it is made and where it is read, at another address."""
        lines = text.split("\n")
        name = re.match(r" *(%\d+) =", lines[line]).group(1)
        moved = re.search(r"-> (tensor<[^,>]*), \d+ : i64>", lines[line])
        there = "%s, %s : i64>" % (moved.group(1), address)
        lines[line] = lines[line][:moved.start()] + "-> " + there + lines[line][moved.end():]
        for i, other in enumerate(lines):
            reads = re.match(r' *(?:%\S+ = "[\w.]+"\(|return )([^)]*?)(?:\)| :)', other)
            if i == line or not reads or name not in reads.group(1).split(", "):
                continue
            head, tail = (other.rsplit(" : (", 1) if '"(' in other else other.split(" : ", 1))
            types = re.findall(r"tensor<[^>]*>|none", tail)
            for k, operand in enumerate(reads.group(1).split(", ")):
                if operand == name:
                    types[k] = there
            count = iter(types)
            tail = re.sub(r"tensor<[^>]*>|none", lambda _: next(count), tail)
            lines[i] = head + (" : (" if '"(' in other else " : ") + tail
            if other.lstrip().startswith("return"):
                lines[1:4] = [re.sub(r"-> tensor<[^>]*>", "-> " + there, l) if "@main" in l else l for l in lines[1:4]]
        return "\n".join(lines)

    def write_arrays(self, name, arrays):
        """As numpy.savez_compressed does, sizes of 64 bits included."""
        with zipfile.ZipFile(self.path(name), "w", zipfile.ZIP_DEFLATED) as file:
            for key, (dtype, shape, data) in arrays.items():
                header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (dtype, shape)
                header += " " * (63 - (10 + len(header)) % 64) + "\n"
                with file.open(key + ".npy", "w", force_zip64=True) as entry:
                    entry.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
        return self.path(name)

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
