"""A model of ONNX goes the same way as the module that model_transform makes of it."""
import os
import struct
import subprocess
import tempfile
import unittest

import onnx_files as onnx

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
X, Y = onnx.value(11, "x", onnx.FLOAT, [1, 3, 8, 8]), onnx.value(12, "y", onnx.FLOAT, [1, 4, 6, 6])
FILTER = onnx.message(5, *(onnx.number(1, size) for size in (4, 3, 3, 3)), onnx.number(2, onnx.FLOAT), onnx.message(8, "w"),
                      onnx.message(9, struct.pack("<108f", *(0.01 * i for i in range(108)))))
NET = onnx.model(onnx.node("Conv", ["x", "w"], ["a"]), onnx.node("Relu", ["a"], ["y"]), FILTER, X, Y)
GOOD = ["--chip=bm1684x", "--quantize=F16", "--model=net.bmodel"]


class DeployOnnx(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        with open(os.path.join(self.folder, "net.onnx"), "wb") as file:
            file.write(NET)

    def run_tool(self, tool, *flags):
        return subprocess.run([os.path.join(ROOT, "tpu_mlir/tools", tool, tool), *flags], cwd=self.folder, capture_output=True,
                              check=False, text=True, stdin=subprocess.DEVNULL)

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def test_one_command_is_two(self):
        done = self.run_tool("model_deploy", "--onnx=net.onnx", "--run", *GOOD)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "ops ran on the plan")
        one = {name: self.read(name) for name in os.listdir(self.folder)}
        self.assertEqual(sorted(one), sorted(["net.onnx", "net_final.mlir", "net_local.html", "net_local.json", "net_local.txt",
                                              "net_map.html", "net_memory.json", "net_memory.txt", "net_top.mlir", "net_top_f32_all_weight.npz"]))
        for name in one:
            if name != "net.onnx":
                os.remove(os.path.join(self.folder, name))
        commands = [line for line in done.stderr.splitlines() if line.startswith("model_transform ")]
        self.assertEqual(len(commands), 1)
        self.assertEqual(self.run_tool(*commands[0].split()).returncode, 0)
        done = self.run_tool("model_deploy", "--mlir=net_top.mlir", *GOOD)
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, data in one.items():
            self.assertEqual(self.read(name), data, name)

    def test_integers_read_the_numbers_of_the_model(self):
        """The numbers are in a file that is not in its place yet."""
        for mode in ("INT8", "W4F16"):
            flags = ["--chip=bm1684x", f"--quantize={mode}", "--model=net.bmodel", "--quiet"]
            done = self.run_tool("model_deploy", "--onnx=net.onnx", *flags)
            self.assertEqual(done.returncode, 0, done.stderr)
            one = {name: self.read(name) for name in os.listdir(self.folder)}
            for name in set(one) - {"net.onnx"}:
                os.remove(os.path.join(self.folder, name))
            done = self.run_tool("model_transform", "--model_name=net", "--model_def=net.onnx", "--mlir=net_top.mlir")
            self.assertEqual(done.returncode, 0, done.stderr)
            done = self.run_tool("model_deploy", "--mlir=net_top.mlir", "--weight=net_top_f32_all_weight.npz", *flags)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual({name: self.read(name) for name in os.listdir(self.folder)}, one)
            for name in set(one) - {"net.onnx"}:
                os.remove(os.path.join(self.folder, name))

    def test_it_computes_with_its_weights(self):
        self.assertEqual(self.run_tool("model_deploy", "--onnx=net.onnx", *GOOD).returncode, 0)
        done = self.run_tool("model_runner", "--model=net_final.mlir", "--weight=net_top_f32_all_weight.npz", "--output=out.npz")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.read("out.npz"))

    def test_errors_leave_nothing(self):
        with open(os.path.join(self.folder, "net.onnx"), "wb") as file:
            file.write(onnx.model(onnx.node("Unique", ["x"], ["y"], name="first"), X, Y))
        done = self.run_tool("model_deploy", "--onnx=net.onnx", *GOOD)
        self.assertEqual(done.returncode, 1)
        self.assertIn("net.onnx: error: node 'first' (Unique, opset 13) with inputs float[1,3,8,8]: no layers are known", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["net.onnx"])

    def test_a_later_error_names_the_layer(self):
        done = self.run_tool("model_deploy", "--onnx=net.onnx", *GOOD, "--gmem-size=1K")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("net.onnx: ", done.stderr)
        # The picture of what does not fit, and nothing else.
        self.assertEqual(sorted(os.listdir(self.folder)), ["net.onnx", "net_map.html"])

    def test_flags_that_do_not_go_together(self):
        both = ["--onnx=net.onnx", "--mlir=net.mlir"]
        for flags, message in ((both, "leave out one"), ([], "--mlir is missing"),
                               (["--mlir=net.mlir", "--bind=a=b.npz"], "--bind is for --onnx"),
                               (["--mlir=net.mlir", "--mean=1,2,3"], "--mean is for --onnx"),
                               (["--onnx=net.onnx", "--regroup"], "--regroup"),
                               (["--onnx=net.onnx", "--weight=w.npz"], "--onnx brings the numbers of weights; leave out --weight"),
                               (["--onnx=net.onnx", "--input_shapes=1"], "--input_shapes '1'")):
            done = self.run_tool("model_deploy", *flags, *GOOD)
            self.assertEqual(done.returncode, 2, (flags, done.stderr))
            self.assertIn(message, done.stderr)
        done = self.run_tool("model_deploy", "--onnx=net.onnx", "--chip=bm1684x", "--model=net")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--onnx needs --quantize", done.stderr)

    def test_nothing_that_is_read_is_written_over(self):
        os.rename(os.path.join(self.folder, "net.onnx"), os.path.join(self.folder, "net_top.mlir"))
        done = self.run_tool("model_deploy", "--onnx=net_top.mlir", *GOOD)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("is read by --onnx", done.stderr)
        self.assertEqual(self.read("net_top.mlir"), NET)

    def test_data_of_the_model_are_not_written_over(self):
        numbers = bytes(4 * 108)
        for name, flags in (("net_top_f32_all_weight.npz", []), ("net_map.html", []), ("net_map.html", ["--gmem-size=1K"])):
            data = onnx.message(5, *(onnx.number(1, size) for size in (4, 3, 3, 3)), onnx.number(2, onnx.FLOAT), onnx.message(8, "w"),
                                onnx.message(13, onnx.message(1, "location"), onnx.message(2, name)), onnx.number(14, 1))
            for file, contents in (("net.onnx", onnx.model(onnx.node("Conv", ["x", "w"], ["y"]), data, X, Y)), (name, numbers)):
                with open(os.path.join(self.folder, file), "wb") as opened:
                    opened.write(contents)
            done = self.run_tool("model_deploy", "--onnx=net.onnx", *GOOD, *flags)
            self.assertEqual(done.returncode, 3 if flags else 2, done.stderr)
            self.assertEqual(flags == [], "is read by the model (external data)" in done.stderr, done.stderr)
            self.assertEqual((self.read(name), sorted(os.listdir(self.folder))), (numbers, ["net.onnx", name]))
            os.remove(os.path.join(self.folder, name))


if __name__ == "__main__":
    unittest.main()
