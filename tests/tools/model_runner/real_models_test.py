"""Modules that other compilers addressed: they run, or one clear error says which op cannot be run."""
import glob
import os
import re
import subprocess
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
RUNNER = os.path.join(ROOT, "tpu_mlir/tools/model_runner/model_runner")
DATA = os.environ.get("TPU_MEMORY_DATA")


def operations(folder):
    """Of the network in the folder, as its compiler counts them."""
    counts = [0]
    for path in glob.glob(os.path.join(folder, "*.mlir")):
        with open(path, encoding="utf-8") as file:
            counts += map(int, re.findall(r"module\.FLOPs = (\d+)", file.read(1 << 16)))
    return max(counts)


@unittest.skipUnless(DATA, "TPU_MEMORY_DATA is not set: there are no real models to run")
class RealModels(unittest.TestCase):
    def run_all(self, pattern, *flags):
        """How many of the files run to the end, and how many layer groups they run in local memory."""
        ran, groups = 0, 0
        files = sorted(glob.glob(os.path.join(DATA, pattern)))
        self.assertTrue(files)
        for path in files:
            if operations(os.path.dirname(path)) > 1e12:
                print("%s takes minutes: it is left out" % path)
                continue
            with self.subTest(path):
                done = subprocess.run([RUNNER, "--model", path, *flags], capture_output=True, text=True,
                                      stdin=subprocess.DEVNULL, check=False)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                ran += done.returncode == 0
                groups += sum(map(int, re.findall(r"^(\d+) layer groups? in local memory", done.stdout, re.MULTILINE)))
                errors = [line for line in done.stderr.splitlines() if " error: " in line]
                if done.returncode == 1:
                    self.assertEqual(len(errors), 1, done.stderr)
                    self.assertTrue(errors[0].endswith("[TPUMEM-E023]"), errors[0])
        return ran, groups

    def test_addressed_modules_read_what_was_meant(self):
        ran, groups = self.run_all("tpu_mlir*/*/final.mlir")
        self.assertGreaterEqual(ran, 10)
        self.assertGreaterEqual(groups, 70)
        self.assertGreaterEqual(self.run_all("tpu_mlir_old/*final.mlir")[0], 2)

    def test_modules_without_addresses(self):
        self.assertGreaterEqual(self.run_all("tpu_mlir*/*/top.mlir", "--memory=value")[0], 6)
        self.assertGreaterEqual(self.run_all("tpu_mlir*/*/tpu.mlir", "--memory=value")[0], 7)


if __name__ == "__main__":
    unittest.main()
