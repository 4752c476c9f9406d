"""From the file of a network to F16 and INT8 on a chip, near to F32 and with every bit from its own address.

Two published structures that model_builder writes, and BlazeFace with its weights where the real models are. Larger ones:
tools/network_figures.py.
"""
import argparse
import os
import sys
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
sys.path.insert(0, os.path.join(ROOT, "tools"))
import network_figures as figures  # noqa: E402

TOOLS = figures.Tools(os.path.join(ROOT, "tpu_mlir/tools"))
DATA = os.environ.get("TPU_MEMORY_DATA", "")
LEAST = {"F16": 0.999, "INT8": 0.95}


class Networks(unittest.TestCase):
    def check(self, name, model):
        options = argparse.Namespace(samples=4, cali_method="mse")
        rows = list(figures.rows(TOOLS, name, model, [], options))
        self.assertEqual(len(rows), len(figures.TARGETS), rows)
        for _, layers, _, target, ops, groups, similar in rows:
            with self.subTest(name + " " + target):
                self.assertGreater(int(layers), 30)
                self.assertTrue(ops, similar)  # Else it is what a tool says.
                self.assertGreater(int(groups), 0)
                self.assertGreaterEqual(float(similar), LEAST[target.split()[1]])

    def test_squeezenet(self):
        self.check("light_squeezenet", figures.light(TOOLS, "squeezenet"))

    def test_shufflenet(self):
        self.check("light_shufflenet", figures.light(TOOLS, "shufflenet"))

    def test_blazeface(self):
        path = figures.blazeface(DATA)
        if not os.path.exists(path):
            self.skipTest("no real models: TPU_MEMORY_DATA is not set")
        self.check("blazeface", lambda _: path)


if __name__ == "__main__":
    unittest.main()
