"""Whole networks from ONNX to a run on their plan, and what their weights take in memory."""
import os
import subprocess
import tempfile
import unittest

TOOLS = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"], "tpu_mlir/tools")


class Networks(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def run_tool(self, tool, *flags):
        done = subprocess.run([os.path.join(TOOLS, tool, tool), *flags], cwd=self.folder, capture_output=True, check=False,
                              text=True, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, (tool, flags, done.stderr))
        return done

    def deploy(self, model, *flags):
        """Builds, deploys in layer groups, runs on random weights and on those of the file."""
        self.run_tool("model_builder", "--model=" + model, "--format=onnx", "-o", "net.onnx", *flags)
        done = self.run_tool("model_deploy", "--onnx=net.onnx", "--chip=bm1684x", "--quantize=F16", "--model=net", "--run")
        self.assertRegex(done.stdout, r"[1-9][0-9]* layer groups in local memory: every byte from the write that was meant")
        done = self.run_tool("model_runner", "--model=net_final.mlir", "--weight=net_top_f32_all_weight.npz")
        self.assertIn("every byte from the write that was meant", done.stderr + done.stdout)

    def test_alexnet(self):
        self.deploy("light_alexnet")

    def test_inception(self):
        self.deploy("light_inception_v1")

    def test_resnet(self):
        self.deploy("light_resnet50")

    def test_shufflenet(self):
        self.deploy("light_shufflenet")

    def test_squeezenet(self):
        self.deploy("light_squeezenet", "--batch=2")

    def test_mobilenet(self):
        self.deploy("mobilenet_v2")

    def test_weights_that_are_one_number_take_no_memory(self):
        """575 MB of them are written, and never there."""
        self.run_tool("model_builder", "--model=light_vgg19", "--format=onnx", "-o", "net.onnx")
        file = "net_top_f32_all_weight.npz"
        command = [os.path.join(TOOLS, "model_transform/model_transform"), "--model_name=net", "--model_def=net.onnx",
                   "--mlir=net.mlir", "--quiet"]
        child = subprocess.Popen(command, cwd=self.folder)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        self.assertGreater(os.path.getsize(os.path.join(self.folder, file)), 574_000_000)
        self.assertLess(usage.ru_maxrss, 100_000)


if __name__ == "__main__":
    unittest.main()
