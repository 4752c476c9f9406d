"""The passes on memrefs in Debian's own mlir-opt: the same modules as by tpuc-opt, options and refusals included."""
import os
import subprocess
import unittest

PLUGIN = os.path.realpath("tpu_mlir/plugin/libtpu_memory_passes.so")
MLIR_OPT = "external/llvm/bin/mlir-opt"
TPUC_OPT = "tpu_mlir/tools/tpuc-opt/tpuc-opt"
INPUT = "tests/plugin/functions.mlir"
PIPELINES = ("memref-memory", "memref-memory{hoist-mode=dominator remove-copies=false}", "merge-alloc{reorder=true}", "memref-deallocate",
             "memref-hoist", "memref-promote-to-stack", "func.func(copy-removal)", "memref-deallocate,memref-verify-deallocation",
             "gpu-pack-shared-memory")


def run(*command):
    return subprocess.run(command, capture_output=True, check=False, text=True)


def plugged(pipeline, *more):
    return run(MLIR_OPT, "--load-pass-plugin=" + PLUGIN, "--pass-pipeline=builtin.module(%s)" % pipeline, INPUT, *more)


class Plugin(unittest.TestCase):
    def test_same_as_our_own_tool(self):
        for pipeline in PIPELINES:
            with self.subTest(pipeline=pipeline):
                theirs = plugged(pipeline)
                ours = run(TPUC_OPT, "--pass-pipeline=builtin.module(%s)" % pipeline, INPUT)
                self.assertEqual(theirs.returncode, 0, theirs.stderr)
                self.assertEqual((theirs.stdout, theirs.stderr), (ours.stdout, ours.stderr))

    def test_it_does_something(self):
        self.assertIn("memref.dealloc", plugged("memref-deallocate").stdout)
        self.assertNotEqual(plugged("memref-memory").stdout, run(MLIR_OPT, INPUT).stdout)

    def test_pools(self):
        planned = plugged("tpu-assign-pools{pools=name=sram,size=64K}")
        own = run(TPUC_OPT, "--pass-pipeline=builtin.module(tpu-assign-pools{pools=name=sram,size=64K})", INPUT)
        self.assertEqual((planned.returncode, planned.stdout, planned.stderr), (own.returncode, own.stdout, own.stderr))

    def test_refusals(self):
        wrong = plugged("memref-memory{hoist=false hoist-mode=dominator}")
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("'hoist-mode' has no effect with 'hoist=false' [TPUMEM-E018]", wrong.stderr)

    def test_our_tool_takes_no_plugins(self):
        """It has MLIR inside, so a plugin would bring a second one."""
        for flag in ("--load-pass-plugin=" + PLUGIN, "--load-dialect-plugin=x.so", "-load-pass-plugin"):
            refused = run(TPUC_OPT, flag, INPUT)
            self.assertEqual((refused.returncode, refused.stdout), (1, ""))
            self.assertIn("plugins cannot be loaded", refused.stderr)


if __name__ == "__main__":
    unittest.main()
