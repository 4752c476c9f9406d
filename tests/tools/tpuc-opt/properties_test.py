"""Modules that a compiler with properties would print: the same module is read, by each tool, and errors name its lines."""
import glob
import os
import random
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
OPT = os.path.join(ROOT, "tpu_mlir/tools/tpuc-opt/tpuc-opt")
DEPLOY = os.path.join(ROOT, "tpu_mlir/tools/model_deploy/model_deploy")
EXAMPLES = os.path.join(ROOT, "tpu_mlir/examples")
DATA = os.environ.get("TPU_MEMORY_DATA")

TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|[(){}\[\]<>,]|->|[^"/(){}\[\]<>,-]+|.', re.S)


def closing(tokens, at):
    """The index of the brace that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += tokens[i] in "({[" if len(tokens[i]) == 1 else 0
        depth -= tokens[i] in ")}]" if len(tokens[i]) == 1 else 0
        if depth == 0:
            return i
    raise ValueError("not closed")


def entries(tokens):
    """Splits a dictionary at its commas."""
    found, depth = [[]], 0
    for token in tokens:
        if token == "," and depth == 0:
            found.append([])
            continue
        depth += token in ("(", "{", "[", "<")
        depth -= token in (")", "}", "]", ">")
        found[-1].append(token)
    return ["".join(entry).strip() for entry in found if "".join(entry).strip()]


def with_properties(text, rng):
    """`text` with some attributes of each top or tpu op as its properties."""
    tokens = TOKENS.findall(text)
    assert "".join(tokens) == text
    out = list(tokens)
    count = 0
    for i, token in enumerate(tokens):
        if not token.startswith(('"top.', '"tpu.')) or i + 1 == len(tokens) or tokens[i + 1] != "(":
            continue
        behind = operands = closing(tokens, i + 1)
        skip = lambda at: at + 1 if at + 1 < len(tokens) and tokens[at + 1].isspace() else at
        if tokens[skip(behind) + 1] == "(":
            behind = closing(tokens, skip(behind) + 1)
        first = skip(behind) + 1
        if tokens[first] != "{":
            continue
        last = closing(tokens, first)
        kept, moved = [], []
        for entry in entries(tokens[first + 1:last]):
            (moved if rng.random() < 0.7 else kept).append(entry)
        lines = "\n" if rng.random() < 0.2 else ""
        out[operands] += " <{" + lines + (", " + lines).join(moved) + lines + "}>"
        out[first] = "{" + ", ".join(kept) + "}" if kept else ""
        for j in range(first + 1, last + 1):
            out[j] = ""
        count += 1
    return "".join(out), count


def run(*command, **keywords):
    return subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL, **keywords)


class Properties(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def respelt(self, path, rng):
        with open(path, encoding="utf-8") as file:
            text, count = with_properties(file.read(), rng)
        self.assertGreater(count, 0, path)
        respelt = os.path.join(self.folder, "net.mlir")
        with open(respelt, "w", encoding="utf-8") as file:
            file.write(text)
        return respelt

    def check(self, path):
        """The plain spelling and the other one are one module."""
        for seed in range(2):
            one = run(OPT, path, "--mlir-print-debuginfo")
            other = run(OPT, self.respelt(path, random.Random(seed)), "--mlir-print-debuginfo")
            self.assertEqual((other.returncode, other.stderr), (0, one.stderr), path)
            self.assertEqual(other.stdout, one.stdout, path)

    def test_examples(self):
        for name in ("mobilenet_v2", "chain", "llama_block"):
            self.check(os.path.join(EXAMPLES, name + ".mlir"))

    def test_groups(self):
        """Regions, whose attributes stand behind them."""
        done = run(DEPLOY, "--mlir", os.path.join(EXAMPLES, "mobilenet_v2.mlir"), "--chip=bm1684x", "--quantize=F16", "--model=net", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check(os.path.join(self.folder, "net_final.mlir"))

    def test_deploy(self):
        path = self.respelt(os.path.join(EXAMPLES, "mobilenet_v2.mlir"), random.Random(5))
        for model, name in ((os.path.join(EXAMPLES, "mobilenet_v2.mlir"), "one"), (path, "other")):
            done = run(DEPLOY, "--mlir", model, "--chip=bm1684x", "--quantize=F16", "--model=" + name, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        finals = []
        for name in ("one", "other"):
            with open(os.path.join(self.folder, name + "_final.mlir"), encoding="utf-8") as file:
                finals.append(file.read())
        self.assertEqual(*finals)

    def test_lines(self):
        text = """module attributes {module.chip = "bm1684x"} {
  func.func @main(%a: tensor<4xf32>) -> tensor<?xf32> {
    %b = "tpu.Active"(%a) <{mode = #tpu<active_mode ABSVAL>}> : (tensor<4xf32>) -> tensor<4xf32> loc("b")
    %c = "tpu.Active"(%b) <{mode = #tpu<active_mode ABSVAL>}> : (tensor<4xf32>) -> tensor<?xf32> loc("c")
    return %c : tensor<?xf32>
  }
}
"""
        path = os.path.join(self.folder, "net.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = run(DEPLOY, "--mlir", path, "--model=net", cwd=self.folder)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("net.mlir:4:10: error:", done.stderr)

    @unittest.skipUnless(DATA, "TPU_MEMORY_DATA is not set: no real models")
    def test_real_models(self):
        paths = sorted(glob.glob(os.path.join(DATA, "tpu_mlir*", "*", "*.mlir")))
        self.assertTrue(paths)
        for path in paths:
            if os.path.getsize(path) < 400_000:
                self.check(path)


if __name__ == "__main__":
    unittest.main()
