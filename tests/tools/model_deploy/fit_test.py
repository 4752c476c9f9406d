"""What --fit says of sizes is what --gmem-size counts: whatever a row of the table takes is enough for a module, and 3 is proved."""
import json
import os
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
FLAGS = ([], ["--layer_group_objective=cycles"], ["--disable_layer_group"],
         ["--disable_layer_group", "--addr_mode=in_reuse", "--weight_pack"])


def run(tool, *flags, folder):
    command = [os.path.join(ROOT, "tpu_mlir/tools", tool, tool), *flags]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


class Fit(unittest.TestCase):
    def rows(self, net, flags, folder):
        done = run("model_deploy", "--mlir=" + net, "--chip=bm1684x", "--model=all", "--pareto", "--quiet", *flags, folder=folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(folder, "all_fit.json"), encoding="utf-8") as file:
            found = json.load(file)
        for row in found["rows"]:
            bounds = [found["floorBytes"], found["layerBoundBytes"]]
            if "--disable_layer_group" in flags and not row["again"] and not row["parts"]:
                bounds.append(found["orderBoundBytes"])
            self.assertLessEqual(max(bounds), row["neuronBytes"], row["step"])
        return [row["totalBytes"] for row in found["rows"]]

    def test_budgets(self):
        steps = 0
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(12):
                net = "net%d.mlir" % seed
                run("model_builder", "--model=chain", "--ops=14", "--seed=%d" % seed, "--level=tpu", "-o", net, folder=folder)
                for flags in FLAGS:
                    totals = self.rows(net, flags, folder)
                    self.assertEqual(totals, sorted(totals, reverse=True))
                    steps += len(totals) - 1
                    for budget in sorted({total + more for total in totals for more in (0, 4096)} | {min(totals) - 1}):
                        with self.subTest(net=net, flags=flags, budget=budget):
                            self.check(net, flags, budget, min(totals), folder)
        self.assertGreater(steps, 10)

    def check(self, net, flags, budget, least, folder):
        done = run("model_deploy", "--mlir=" + net, "--chip=bm1684x", "--model=one", "--fit", "--gmem-size=%d" % budget, *flags,
                   folder=folder)
        if budget >= least:
            self.assertEqual(done.returncode, 0, done.stderr)
        elif done.returncode == 3:
            fixed = re.search(r"needs .*?\(([\d,]+) B\).*: weights, inputs and outputs alone", done.stderr)
            self.assertTrue(fixed, done.stderr)
            self.assertGreater(int(fixed.group(1).replace(",", "")), budget)
        else:
            self.assertEqual(done.returncode, 5, done.stderr)


if __name__ == "__main__":
    unittest.main()
