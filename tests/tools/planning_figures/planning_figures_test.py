"""tools/planning_figures.py fills a page from what memplan says."""
import contextlib
import io
import os
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = os.getcwd()
sys.path.insert(0, os.path.join(ROOT, "tools"))
sys.dont_write_bytecode = True
import planning_figures  # noqa: E402

MEMPLAN = os.path.join(ROOT, "tpu_mlir/tools/memplan/memplan")
PAGE = """Before.
<!-- figures: capacity -->
old
<!-- end of figures -->
Between.
<!-- figures: measured-capacity -->
kept
<!-- end of figures -->
"""


class PlanningFigures(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        # 64 pieces whose optimum is the capacity of the hard problems.
        subprocess.run([MEMPLAN, "generate", "--quiet", "--family=pinwheel", "--buffers=64",
                        "--output=" + os.path.join(self.folder, "A.1048576.csv")], check=True)
        self.page = os.path.join(self.folder, "page.md")
        with open(self.page, "w", encoding="utf-8") as file:
            file.write(PAGE)

    def run_script(self, *flags):
        return subprocess.run([sys.executable, os.path.join(ROOT, "tools/planning_figures.py"), self.folder, MEMPLAN,
                               self.page, *flags], capture_output=True, text=True, check=False)

    def text(self):
        with open(self.page, encoding="utf-8") as file:
            return file.read()

    def test_fills_its_table_and_nothing_else(self):
        result = self.run_script("--only=capacity", "--skip-measured")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = [line for line in self.text().splitlines() if line.startswith("| A ")]
        self.assertEqual(len(rows), 2)
        for row in rows:
            self.assertIn("| 64 |", row)
            self.assertIn("| yes | 1,048,576 | 1,048,576 |", row)
        self.assertNotIn("old", self.text())
        self.assertIn("Between.\n<!-- figures: measured-capacity -->\nkept\n", self.text())

    def test_same_bytes_again(self):
        self.run_script("--only=capacity", "--skip-measured")
        first = self.text()
        self.run_script("--only=capacity", "--skip-measured")
        self.assertEqual(first, self.text())

    def test_baseline_is_run_and_compared(self):
        baseline = os.path.join(self.folder, "reference")
        with open(baseline, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\n[ "$1" = --capacity=1048576 ] && [ -e "${2#--input=}" ]\n')
        os.chmod(baseline, os.stat(baseline).st_mode | stat.S_IXUSR)
        result = self.run_script("--only=capacity", "--baseline=" + baseline)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("ours / reference |", self.text())
        self.assertNotIn("not solved", self.text())
        self.assertNotIn("kept", self.text())

    def test_a_reference_that_fails_is_not_compared(self):
        result = self.run_script("--only=capacity", "--baseline=/bin/false")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("not solved", self.text())

    def test_a_table_without_a_place_is_an_error(self):
        result = self.run_script("--only=machine")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no place for 'measured-machine'", result.stderr)

    def test_wrong_calls(self):
        self.assertEqual(self.run_script("--only=speed").returncode, 2)
        os.remove(os.path.join(self.folder, "A.1048576.csv"))
        self.assertEqual(self.run_script("--only=capacity").returncode, 2)

    def test_the_page_has_a_place_for_every_group(self):
        with open(os.path.join(ROOT, "tpu_mlir/docs/core/PlanningFigures.md"), encoding="utf-8") as file:
            places = {match.group(2) for match in planning_figures.BLOCK.finditer(file.read())}
        for group in planning_figures.Figures.GROUPS:
            self.assertTrue({group, "measured-" + group} & places, group)

    def test_marks_without_an_end_change_nothing(self):
        with open(self.page, "w", encoding="utf-8") as file:
            file.write("<!-- figures: capacity -->\n")
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertFalse(planning_figures.fill(self.page, {"capacity": "new\n"}))
        self.assertEqual(self.text(), "<!-- figures: capacity -->\n")


if __name__ == "__main__":
    unittest.main()
