"""What has to hold on real tpu-mlir dumps; skipped when there are none.

The folders are $TPU_MEMORY_DATA/tpu_mlir and tpu_mlir_more; see tools/real_models.py.
"""
import os
import sys
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
sys.path.insert(0, os.path.join(ROOT, "tools"))
import real_models  # noqa: E402

DATA = os.environ.get("TPU_MEMORY_DATA")
FOLDERS = [os.path.join(DATA, name) for name in ("tpu_mlir", "tpu_mlir_more")] if DATA else []
FOLDERS = [folder for folder in FOLDERS if os.path.isdir(folder)]
# A plan that is wrong, and what the referee says: rows of other tokens are loaded.
WRONG = {"qwen_vit_bm1684x": "TPUMEM-E041"}
OLD = os.path.join(DATA or "", "tpu_mlir_old")
TOOLS = real_models.Tools(os.path.join(ROOT, "tpu_mlir/tools/tpuc-opt/tpuc-opt"),
                          os.path.join(ROOT, "tpu_mlir/tools/model_deploy/model_deploy"))


@unittest.skipUnless(FOLDERS, "no real models: TPU_MEMORY_DATA is not set")
class RealModels(unittest.TestCase):
    def files(self, stage):
        found = [(n, os.path.join(folder, n, stage)) for folder in FOLDERS for n in real_models.models(folder)]
        found = [(n, p) for n, p in found if os.path.exists(p)]
        self.assertTrue(found, "no " + stage)
        return found

    def test_referee_accepts_their_plans(self):
        for name, path in self.files("final.mlir"):
            with self.subTest(name):
                errors = TOOLS.verify(path)
                if name in WRONG:
                    self.assertIn(WRONG[name], errors)
                else:
                    self.assertEqual(errors, "")

    @unittest.skipUnless(DATA and os.path.isdir(OLD), "no dumps of old compilers")
    def test_old_compilers(self):
        files = sorted(n for n in os.listdir(OLD) if n.endswith(".mlir"))
        self.assertTrue(files)
        for name in files:
            path = os.path.join(OLD, name)
            with self.subTest(name):
                self.assertEqual(TOOLS.verify(path), "")
                theirs = real_models.module_attributes(real_models.read_header(path))
                ours, errors = TOOLS.deploy(path, "", "")
                self.assertEqual(errors, "")
                self.assertLessEqual(ours["neuron_size"], theirs["neuron_size"])
                self.assertEqual(ours["coeff_size"], theirs["coeff_size"])

    def test_never_more_memory_than_theirs(self):
        for name, path in self.files("final_without_gmem.mlir"):
            header = real_models.read_header(path.replace("_without_gmem", ""))
            theirs = real_models.module_attributes(header)
            same = real_models.same_address_option(header)
            with self.subTest(name):
                ours, _, errors = TOOLS.assign(path, "io-mode=%s %s" % (theirs["addr_mode"], same))
                self.assertIsNotNone(ours, errors)
                for size in real_models.ATTRIBUTES:
                    self.assertEqual(size in ours, size in theirs, size)
                    if size in ours:
                        self.assertLessEqual(ours[size], theirs[size], size)

    def test_reusable_inputs_meet_the_bound(self):
        for name, path in self.files("final_without_gmem.mlir"):
            with self.subTest(name):
                ours, regions, errors = TOOLS.assign(path, "io-mode=in_reuse")
                self.assertIsNotNone(ours, errors)
                region = real_models.planned_region(regions)
                self.assertEqual(region["usedBytes"], region["lowerBoundBytes"])
                self.assertLess(ours["neuron_size"] - region["usedBytes"], 4096)

    def test_every_strategy_is_accepted(self):
        for name, path in self.files("final_without_gmem.mlir"):
            for strategy in ("sequential", "refcount-eol", "first-fit-decreasing", "best-fit"):
                with self.subTest(name + " " + strategy):
                    ours, _, errors = TOOLS.assign(path, "io-mode=basic strategy=" + strategy)
                    self.assertIsNotNone(ours, errors)

    def test_lowered_modules_go_all_the_way(self):
        for name, path in self.files("tpu.mlir"):
            chip = real_models.module_attributes(real_models.read_header(path))["chip"]
            with self.subTest(name):
                ours, errors = TOOLS.deploy(path, chip, "")
                self.assertEqual(errors, "")
                self.assertGreater(ours["neuron_size"], 0)

    def test_wrong_groups_have_a_plan_when_taken_apart(self):
        for name, path in self.files("final_without_gmem.mlir"):
            if name in WRONG:
                with self.subTest(name):
                    _, errors = TOOLS.deploy(path, "", "")
                    self.assertIn(WRONG[name], errors)
                    self.assertIn("--regroup", errors)
                    ours, errors = TOOLS.deploy(path, "", "", "--regroup")
                    self.assertEqual(errors, "")
                    self.assertGreater(ours["neuron_size"], 0)

    def test_imports_go_all_the_way(self):
        for name, path in self.files("top.mlir"):
            theirs = real_models.module_attributes(
                real_models.read_header(path.replace("top.mlir", "final.mlir")))
            mode = theirs["mode"] if theirs["mode"] != "INT8" else "BF16"
            with self.subTest(name):
                ours, errors = TOOLS.deploy(path, theirs["chip"], mode)
                self.assertEqual(errors, "")
                self.assertGreater(ours["neuron_size"], 0)

    def grouped(self, path, header, objective):
        """The report on a module in groups of our own, and its sizes."""
        theirs = real_models.module_attributes(header)
        passes = real_models.without_casts(real_models.read_header(path), header)
        passes += ["--tpu-layer-group=regroup=true remarks=false objective=%s chip=%s" % (objective, theirs["chip"])]
        report, memory, errors = TOOLS.local(path, passes, "io-mode=" + theirs["addr_mode"])
        self.assertEqual(errors, "")
        return report["totals"]["all"], memory

    def compare_groups(self, name, path):
        final = os.path.join(os.path.dirname(path), "final.mlir")
        header = real_models.read_header(final)
        report, _, errors = TOOLS.report(final)
        self.assertEqual(errors, "")
        other = report["totals"]["all"]
        with self.subTest(name + " traffic"):
            ours, memory = self.grouped(path, header, "traffic")
            self.assertLessEqual(ours["trafficBytes"], other["trafficBytes"])
            self.assertLessEqual(memory["neuron_size"], real_models.module_attributes(header)["neuron_size"])
        with self.subTest(name + " cycles"):
            ours, _ = self.grouped(path, header, "cycles")
            # Waits are part of what is minimised.
            self.assertLessEqual(ours["cycles"] + ours["waitCycles"], other["cycles"] + other["waitCycles"])

    def test_the_same_ops_grouped_anew_never_worse_than_theirs(self):
        for name, path in self.files("final_without_gmem.mlir"):
            # Its function runs dynamically, so no groups come in place of its own.
            if name not in WRONG:
                self.compare_groups(name, path)

    def test_lowered_modules_grouped_never_worse_than_theirs(self):
        for name, path in self.files("tpu.mlir"):
            self.compare_groups(name, path)


if __name__ == "__main__":
    unittest.main()
