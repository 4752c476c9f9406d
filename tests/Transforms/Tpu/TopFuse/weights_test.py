"""Where top-fuse finds the numbers of weights, where it leaves new ones, and what it says."""
import os
import subprocess
import tempfile
import unittest

import arrays

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
TOOL = os.path.join(ROOT, "tpu_mlir/tools/tpuc-opt/tpuc-opt")
FILTER, FACTOR, ADDEND, BIAS = [1, 2, 3, 4, 5, 6], [2, 10], [0.5, -1], [1, 2]

NET = """module @net attributes {module.weight_file = "net.npz"} {
  func.func @main(%x: tensor<4x3xf32>) -> tensor<4x2xf32> {
    %f = "top.Weight"() : () -> tensor<3x2xf32> loc("f")
    %b = "top.Weight"() : () -> tensor<2xf32> loc("b")
    %s = "top.Weight"() : () -> tensor<2xf32> loc("s")
    %a = "top.Weight"() : () -> tensor<2xf32> loc("a")
    %0 = "top.MatMul"(%x, %f, %b) : (tensor<4x3xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<4x2xf32> loc("m")
    %y = "top.Scale"(%0, %s, %a) : (tensor<4x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4x2xf32> loc("y")
    return %y : tensor<4x2xf32>
  }
}
"""
LEFT = "a layer is left that might be fused if the numbers of weights were known and new ones could be kept: "


class Weights(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        with open(os.path.join(self.folder, "net.mlir"), "w", encoding="utf-8") as file:
            file.write(NET)

    def write(self, name="net.npz", **changed):
        numbers = {"f": ([3, 2], FILTER), "b": ([2], BIAS), "s": ([2], FACTOR), "a": ([2], ADDEND), **changed}
        arrays.write_arrays(os.path.join(self.folder, name), {
            key: arrays.array("<f4", shape, values) for key, (shape, values) in numbers.items()})

    def fuse(self, options="", file="net.mlir", folder=None):
        done = subprocess.run([TOOL, file, "--top-fuse=" + options, "--mlir-print-debuginfo"], capture_output=True, check=False,
                              cwd=folder or self.folder, text=True, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr

    def check_new(self, text, name):
        """The module has the product alone, and its file the numbers that it reads."""
        self.assertNotIn("top.Scale", text)
        self.assertIn('module.weight_file = "%s"' % name, text)
        made = arrays.read_arrays(os.path.join(self.folder, name))
        self.assertEqual(sorted(made), ["b_fix", "f_fix"])
        self.assertEqual(made["f_fix"], [2, 20, 6, 40, 10, 60])
        self.assertEqual(made["b_fix"], [2.5, 19])

    def test_beside_the_module(self):
        self.write()
        code, text, errors = self.fuse("new-weight-file=new.npz")
        self.assertEqual((code, errors), (0, ""))
        self.check_new(text, "new.npz")

    def test_beside_the_module_from_elsewhere(self):
        self.write()
        with tempfile.TemporaryDirectory() as other:
            new = os.path.join(self.folder, "new.npz")
            code, text, errors = self.fuse("new-weight-file=" + new, os.path.join(self.folder, "net.mlir"), other)
        self.assertEqual((code, errors), (0, ""))
        self.assertNotIn("top.Scale", text)

    def test_another_file(self):
        self.write("other.npz")
        code, text, errors = self.fuse("weight-file=other.npz new-weight-file=new.npz")
        self.assertEqual((code, errors), (0, ""))
        self.check_new(text, "new.npz")

    def test_nothing_is_kept_without_a_file(self):
        self.write()
        code, text, errors = self.fuse()
        self.assertEqual(code, 0)
        self.assertIn("top.Scale", text)
        self.assertIn(LEFT + "new numbers need a file: name one by 'new-weight-file'", errors)
        self.assertEqual(sorted(os.listdir(self.folder)), ["net.mlir", "net.npz"])

    def test_no_file_of_weights(self):
        code, text, errors = self.fuse()
        self.assertEqual(code, 0)
        self.assertIn("top.Scale", text)
        self.assertIn(LEFT + "cannot read 'net.npz'", errors)
        self.assertIn("name it by 'weight-file'", errors)

    def test_a_weight_that_is_not_there(self):
        self.write(s=([3], [1, 2, 3]))
        code, _, errors = self.fuse("new-weight-file=new.npz")
        self.assertEqual(code, 0)
        self.assertIn(LEFT + "the file of weights does not have all of them", errors)

    def test_a_file_would_lack_a_weight(self):
        code, _, errors = self.fuse("new-weight-file=new.npz")
        self.assertEqual(code, 1)
        self.assertIn("'new.npz' would lack weight", errors)
        self.assertIn("[TPUMEM-E017]", errors)
        self.assertEqual(os.listdir(self.folder), ["net.mlir"])

    def test_files_that_the_user_names(self):
        code, _, errors = self.fuse("weight-file=absent.npz")
        self.assertEqual(code, 1)
        self.assertIn("cannot read 'absent.npz': there is no such file [TPUMEM-E017]", errors)
        with open(os.path.join(self.folder, "odd.npz"), "w", encoding="utf-8") as file:
            file.write("no zip")
        code, _, errors = self.fuse("weight-file=odd.npz")
        self.assertEqual(code, 1)
        self.assertIn("cannot read 'odd.npz'", errors)
        self.assertEqual(errors.count("error:"), 1)

    def test_not_over_what_is_read(self):
        self.write()
        for options in ("weight-file=net.npz new-weight-file=net.npz", "new-weight-file=net.npz"):
            code, _, errors = self.fuse(options)
            self.assertEqual(code, 1)
            self.assertIn("net.npz", errors)
            self.assertIn("[TPUMEM-E018]", errors)
        self.assertEqual(len(arrays.read_arrays(os.path.join(self.folder, "net.npz"))), 4)

    def test_long_networks(self):
        """Of layers that go on and on patterns look at a few: it takes as long for each of many as for each of few."""
        for op, end in (("AddConst", ""), ("MulConst", ""), ("Clip", ""), ("Neg", ""), ("Mul", ", %v")):
            attributes = "min = -1.0 : f64, max = 2.0 : f64" if op == "Clip" else "const_val = 0.5 : f64"
            count, lines = 40000, []
            for i in range(count):
                operands = "%v" + str(i) + end.replace("%v", "%v" + str(i))
                types = ", ".join(["tensor<4xf32>"] * operands.count("%"))
                lines.append('%%v%d = "top.%s"(%s) {%s} : (%s) -> tensor<4xf32>' % (i + 1, op, operands, attributes, types))
            with open(os.path.join(self.folder, "long.mlir"), "w", encoding="utf-8") as file:
                file.write("func.func @f(%%v0: tensor<4xf32>) -> tensor<4xf32> {\n%s\nreturn %%v%d : tensor<4xf32>\n}\n" % (
                    "\n".join(lines), count))
            done = subprocess.run([TOOL, "long.mlir", "--top-fuse", "-o", os.devnull], capture_output=True, check=False, cwd=self.folder,
                                  text=True, stdin=subprocess.DEVNULL, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""), op)

    def test_the_same_bytes(self):
        self.write()
        first = self.fuse("new-weight-file=new.npz")
        with open(os.path.join(self.folder, "new.npz"), "rb") as file:
            data = file.read()
        self.assertEqual(self.fuse("new-weight-file=new.npz"), first)
        with open(os.path.join(self.folder, "new.npz"), "rb") as file:
            self.assertEqual(file.read(), data)


if __name__ == "__main__":
    unittest.main()
