"""Runs memplan in a folder of its own; what the Python tests share."""
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
MEMPLAN = os.path.join(ROOT, "tpu_mlir/tools/memplan/memplan")


class MemplanTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, contents):
        with open(self.path(name), "wb") as file:
            file.write(contents if isinstance(contents, bytes) else contents.encode())
        return name

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run_memplan(self, *arguments, stdin=b""):
        return subprocess.run([MEMPLAN, *arguments], cwd=self.folder, input=stdin, capture_output=True,
                              timeout=100, check=False)
