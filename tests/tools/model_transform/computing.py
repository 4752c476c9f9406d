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
        """`y` of the nodes, of shape `result`, of the floats `x`; other inputs are bound to arrays. Lowered to F32 they compute the same."""
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
            run("tpuc-opt", "net.mlir", "--convert-top-to-tpu=mode=F32", "--mlir-print-debuginfo", "-o", "low.mlir")
            results = []
            for module in ("net", "low"):
                run("model_runner", "--memory=value", f"--model={module}.mlir", "--weight=net_top_f32_all_weight.npz", "--input=x.npz",
                    "--output=y.npz")
                results += arrays.read_arrays(os.path.join(folder, "y.npz")).values()
            self.assertEqual(len(results), 2)
            self.assertEqual(*([repr(float(number)) for number in each] for each in results))
            return results[0]
