"""What a model of ONNX with one input computes once it was imported."""
import os
import subprocess
import tempfile
import unittest

import arrays
import onnx_files as onnx

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])


class Computing(unittest.TestCase):
    def computed(self, node, shape, numbers, result, opset=13, bound=None):
        """`y` of the nodes, of shape `result`, of the floats `x`; other inputs are bound to arrays."""
        with tempfile.TemporaryDirectory() as folder:
            def run(tool, *flags):
                done = subprocess.run([os.path.join(ROOT, "tpu_mlir/tools", tool, tool), *flags], cwd=folder, check=False,
                                      capture_output=True, text=True, stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(folder, "net.onnx"), "wb") as file:
                file.write(onnx.model(node, onnx.value(11, "x", onnx.FLOAT, shape), onnx.value(12, "y", onnx.FLOAT, result),
                                      opset=opset))
            arrays.write_arrays(os.path.join(folder, "x.npz"), {"x": arrays.array("<f4", shape, numbers)})
            arrays.write_arrays(os.path.join(folder, "bound.npz"), bound or {})
            run("model_transform", "--model_name=net", "--model_def=net.onnx", "--mlir=net.mlir",
                *(f"--bind={name}=bound.npz" for name in bound or {}))
            run("model_runner", "--memory=value", "--model=net.mlir", "--weight=net_top_f32_all_weight.npz", "--input=x.npz",
                "--output=y.npz")
            results = list(arrays.read_arrays(os.path.join(folder, "y.npz")).values())
            self.assertEqual(len(results), 1)
            return results[0]
