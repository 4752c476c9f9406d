"""The documented exit codes of model_deploy."""
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
MODEL_DEPLOY = os.path.join(ROOT, "tpu_mlir/tools/model_deploy/model_deploy")
RESNET = os.path.join(ROOT, "tpu_mlir/examples/resnet50.mlir")


class ExitCodes(unittest.TestCase):
    def deploy(self, *flags, module=RESNET, directory=None):
        with tempfile.TemporaryDirectory() as scratch:
            out = os.path.join(scratch, "net")
            done = subprocess.run([MODEL_DEPLOY, "--mlir", module, "--model", out, *flags], cwd=directory,
                                  capture_output=True, stdin=subprocess.DEVNULL, check=False)
            # The module and two reports, each as text, JSON and page; without layer groups one of them.
            files = 4 if "--disable_layer_group" in flags else 7
            # What does not fit is drawn.
            drawn = ["net_map.html"] if done.returncode in (3, 5) else []
            if done.returncode == 0:
                self.assertEqual(len(os.listdir(scratch)), files)
            else:
                self.assertEqual(os.listdir(scratch), drawn)
            return done.returncode

    def test_ok(self):
        self.assertEqual(self.deploy("--chip=bm1684x", "--quantize=F16"), 0)
        self.assertEqual(self.deploy("--chip=bm1684x", "--quantize=F16", "--disable_layer_group"), 0)

    def test_bad_input(self):
        self.assertEqual(self.deploy("--chip=bm1684x", module="/nonexistent.mlir"), 1)
        self.assertEqual(self.deploy("--chip=bm1684x", "--quantize=F16", "--addr_mode=io_tag"), 1)
        # The name of a tensor is no error code.
        self.assertEqual(self.deploy("--chip=bm1684x", "--quantize=F16", "--pin=TPUMEM-E001=sram"), 1)

    def test_usage(self):
        self.assertEqual(self.deploy("--chip=bm1684x", "--no_such_flag"), 2)
        self.assertEqual(self.deploy("--chip=none"), 2)
        self.assertEqual(self.deploy("--chip=bm1684x", "--layer_group_search=luck"), 2)
        self.assertEqual(self.deploy("--chip=bm1684x", "--layer_group_objective=money"), 2)
        self.assertEqual(self.deploy("--merge_weight"), 2)

    def test_does_not_fit(self):
        self.assertEqual(self.deploy("--chip=bm1684x", "--quantize=F16", "--gmem-size=49M"), 3)
        self.assertEqual(self.deploy("--chip=bm1684x", "--quantize=F16", "--gmem-size=50M", "--disable_layer_group"), 3)
        self.assertEqual(self.deploy("--chip=bm1684x", "--quantize=F16", "--gmem-size=1M"), 3)

    def test_no_plan_found(self):
        flags = ("--chip=bm1684x", "--quantize=F16", "--gmem-size=60M", "--disable_layer_group")
        self.assertEqual(self.deploy(*flags), 0)
        self.assertEqual(self.deploy(*flags, "--strategy=sequential"), 5)

    def test_relative_paths_mean_the_callers_directory(self):
        directory = os.path.dirname(RESNET)
        self.assertEqual(self.deploy("--chip=bm1684x", "--quantize=F16", module="resnet50.mlir",
                                     directory=directory), 0)


if __name__ == "__main__":
    unittest.main()
