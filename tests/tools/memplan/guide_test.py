"""The guides show what memplan prints: the files and commands in them are run, outputs compared."""
import os
import re
import shlex
import subprocess
import unittest

from memplan import ROOT, MemplanTest

TOOLS = ("memplan", "model_deploy", "tpuc-opt")
DOCS = os.path.join(ROOT, "tpu_mlir/docs/guide")
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def commands(block):
    """Pairs of a command and the text below it."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2]))


class Guide(MemplanTest):
    def run_line(self, line):
        words = shlex.split(line)
        if words[0] in TOOLS:
            words[0] = os.path.join(ROOT, "tpu_mlir/tools", words[0], words[0])
        done = subprocess.run(words, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, timeout=100, check=False)
        return done.stdout.decode()

    def follow(self, guide):
        """Returns the number of commands."""
        with open(os.path.join(DOCS, guide), encoding="utf-8") as file:
            blocks = FENCE.findall(file.read())
        count = 0
        for language, info, body in blocks:
            if "file=" in info:
                self.write(info.split("file=")[1].strip(), body)
            if language != "console":
                continue
            for line, expected in commands(body):
                count += 1
                # A line of three dots stands for any lines.
                pattern = re.escape(expected).replace(re.escape("...\n"), "(?:.*\n)*")
                with self.subTest(line):
                    self.assertRegex(self.run_line(line), "^" + pattern + "$")
        return count

    def test_artefacts(self):
        self.assertGreater(self.follow("Artefacts.md"), 17)

    def test_memory_map(self):
        self.assertEqual(self.follow("MemoryMap.md"), 7)

    def test_memplan(self):
        self.assertGreater(self.follow("Memplan.md"), 9)
        with open(os.path.join(DOCS, "plan.svg"), encoding="utf-8") as file:
            self.assertEqual(file.read(), self.read("plan.svg"))


if __name__ == "__main__":
    unittest.main()
