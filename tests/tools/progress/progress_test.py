"""On a terminal programs show how far they are, in one line that goes; elsewhere there is nothing of it."""
import os
import pty
import subprocess
import tempfile
import unittest

import onnx_files as onnx

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
START = "\r\033[K"
NET = onnx.model(onnx.node("Relu", ["x"], ["a"]), onnx.node("Sigmoid", ["a"], ["y"]), onnx.value(11, "x", onnx.FLOAT, [1, 8]),
                 onnx.value(12, "y", onnx.FLOAT, [1, 8]))


def on_terminal(command, folder):
    """(exit code, standard output, what a terminal gets as standard error)"""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, text=True) as child:
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # The other side is closed.
                break
            if not part:
                break
            text += part
        os.close(ours)
        out = child.stdout.read()
    return child.returncode, out, text.decode().replace("\r\n", "\n")


def visible(text):
    """What is left on the screen of lines that were emptied."""
    return "\n".join(line.split(START)[-1] for line in text.split("\n"))


class Progress(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = scratch.name
        with open(os.path.join(cls.folder, "net.onnx"), "wb") as file:
            file.write(NET)
        # Each reads what the ones before wrote.
        tool = lambda name: os.path.join(ROOT, "tpu_mlir/tools", name, name)  # noqa: E731
        cls.runs = {
            "reading net.onnx": [tool("model_transform"), "--model_name=net", "--model_def=net.onnx", "--mlir=net.mlir"],
            "running samples: 0 of 2": [tool("model_calibrate"), "--mlir=net.mlir", "-o", "table"],
            "addresses": [tool("model_deploy"), "--mlir=net.mlir", "--chip=bm1684x", "--quantize=F16", "--model=net", "--run"],
            "running, ops: ": [tool("model_runner"), "--model=net_final.mlir"],
        }

    def test_what_is_shown(self):
        for shown, command in self.runs.items():
            with self.subTest(command[0]):
                code, out, text = on_terminal(command, self.folder)
                self.assertEqual(code, 0, text)
                self.assertIn(START + shown, text)
                piped = subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
                self.assertEqual(piped.stdout, out)
                self.assertNotIn("\r", piped.stderr)
                self.assertNotIn("\033", piped.stderr)
                # What stays is what a file gets.
                self.assertEqual(visible(text), piped.stderr)

    def test_quiet_is_quiet(self):
        for command in self.runs.values():
            with self.subTest(command[0]):
                code, _, text = on_terminal([*command, "--quiet"], self.folder)
                self.assertEqual((code, text), (0, ""))

    def test_errors_have_a_line_of_their_own(self):
        with open(os.path.join(self.folder, "bad.onnx"), "wb") as file:
            file.write(NET[:9])
        code, _, text = on_terminal([*self.runs["reading net.onnx"][:2], "--model_def=bad.onnx", "--mlir=bad.mlir"], self.folder)
        self.assertEqual(code, 1)
        self.assertIn(START + "reading bad.onnx" + START + "bad.onnx: error: ", text)


if __name__ == "__main__":
    unittest.main()
