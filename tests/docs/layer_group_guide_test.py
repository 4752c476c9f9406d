"""The files and commands of tpu_mlir/docs/passes/LayerGroup.md are run and their outputs compared."""
import os
import re
import shlex
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
TOOLS = {name: os.path.join(ROOT, "tpu_mlir/tools", name, name) for name in ("model_deploy", "tpuc-opt")}
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Guide(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        with open(os.path.join(ROOT, "tpu_mlir/docs/passes/LayerGroup.md"), encoding="utf-8") as file:
            self.blocks = FENCE.findall(file.read())
        for _, info, body in self.blocks:
            if "file=" in info:
                with open(os.path.join(self.folder, info.split("file=")[1].strip()), "w", encoding="utf-8") as file:
                    file.write(body)
        os.symlink(os.path.join(ROOT, "tpu_mlir"), os.path.join(self.folder, "tpu_mlir"))

    def run_line(self, line):
        words = shlex.split(line, comments=True)
        words[0] = TOOLS[words[0]]
        done = subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              stdin=subprocess.DEVNULL, timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_outputs_are_what_the_guide_says(self):
        count = 0
        for language, _, body in self.blocks:
            parts = re.split(r"^\$ (.*)\n", body, flags=re.MULTILINE) if language == "console" else [""]
            for line, expected in zip(parts[1::2], parts[2::2]):
                count += 1
                # A line of three dots stands for any lines.
                pattern = re.escape(expected).replace(re.escape("...\n"), "(?:.*\n)*")
                with self.subTest(line):
                    self.assertRegex(self.run_line(line), "^" + pattern + "$")
        self.assertEqual(count, 2)

    def test_commands_run(self):
        count = 0
        for language, _, body in self.blocks:
            for line in body.splitlines() if language == "sh" else []:
                # The files that people have are those of an example here.
                if not os.path.exists(os.path.join(self.folder, "net_tpu.mlir")):
                    self.run_line("model_deploy --mlir tpu_mlir/examples/mobilenet_v2.mlir --chip bm1684x "
                                  "--quantize F16 --model net --debug --quiet")
                count += 1
                with self.subTest(line):
                    self.run_line(line)
        self.assertEqual(count, 6)
        with open(os.path.join(self.folder, "plain_final.mlir"), encoding="utf-8") as file:
            self.assertNotIn("tpu.Group", file.read())


if __name__ == "__main__":
    unittest.main()
