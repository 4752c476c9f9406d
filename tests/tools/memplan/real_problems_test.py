"""Real problems whose file names say the capacity; a checker of its own looks at the plans.

They are in $TPU_MEMORY_DATA/problems; without it the test is skipped.
"""
import csv
import glob
import os
import unittest
import xml.etree.ElementTree as ElementTree

from memplan import MemplanTest

FOLDER = os.path.join(os.environ.get("TPU_MEMORY_DATA", "/nonexistent"), "problems")


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


@unittest.skipUnless(os.path.isdir(FOLDER), "TPU_MEMORY_DATA is not set")
class RealProblems(MemplanTest):
    def check_plan(self, problem, plan, capacity):
        self.assertEqual([{k: row[k] for k in ("id", "lower", "upper", "size")} for row in plan],
                         [{k: row[k] for k in ("id", "lower", "upper", "size")} for row in problem])
        boxes = [tuple(int(row[k]) for k in ("lower", "upper", "offset", "size")) for row in plan]
        for i, (lower, upper, offset, size) in enumerate(boxes):
            self.assertGreaterEqual(offset, 0)
            self.assertLessEqual(offset + size, capacity)
            for other in boxes[:i]:
                self.assertFalse(lower < other[1] and other[0] < upper and
                                 offset < other[2] + other[3] and other[2] < offset + size, (i, other))

    def test_they_fit(self):
        paths = sorted(glob.glob(os.path.join(FOLDER, "*.[0-9]*.csv")))
        self.assertGreater(len(paths), 1)
        for path in paths:
            with self.subTest(os.path.basename(path)):
                capacity = int(path.split(".")[-2])
                done = self.run_memplan("solve", "--strategy=exact", f"--capacity={capacity}", path, "--output=plan.csv")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.check_plan(rows(path), rows(self.path("plan.csv")), capacity)
                self.assertEqual(self.run_memplan("validate", path, "plan.csv").returncode, 0)
                self.assertEqual(self.run_memplan("render", path, "plan.csv", "--output=plan.svg").returncode, 0)
                ElementTree.fromstring(self.read("plan.svg"))

    def test_one_byte_less_than_the_bound_fits_nowhere(self):
        path = os.path.join(FOLDER, "input.12.csv")
        self.assertEqual(self.run_memplan("solve", "--capacity=12", path).returncode, 0)
        self.assertEqual(self.run_memplan("solve", "--capacity=11", path).returncode, 3)


if __name__ == "__main__":
    unittest.main()
