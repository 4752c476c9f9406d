"""What a small fast memory serves: choosing by cost is never below filling in order, by the report."""
import json
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
MODEL_DEPLOY = os.path.join(ROOT, "tpu_mlir/tools/model_deploy/model_deploy")
EXAMPLES = os.path.join(ROOT, "tpu_mlir/examples")
REAL = os.path.join(os.environ["TPU_MEMORY_DATA"], "tpu_mlir") if os.environ.get("TPU_MEMORY_DATA") else None
SRAM = "--pool=name=sram,base=0x20000000,size=%dMiB"


def regions(path, *flags):
    """The regions of the report by name."""
    with tempfile.TemporaryDirectory() as scratch:
        stem = os.path.join(scratch, "net")
        subprocess.run([MODEL_DEPLOY, "--mlir", path, "--model", stem, "--quiet", "--disable_layer_group", "--share=none",
                        *flags],
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        with open(stem + "_memory.json", encoding="utf-8") as file:
            return {region["name"]: region for region in json.load(file)["regions"]}


def served(found, name):
    return found[name]["servedBytes"] if name in found else 0


class Served(unittest.TestCase):
    def compare(self, path, *flags):
        """True when one of the sizes shows a difference."""
        differs = False
        whole = sum(region["servedBytes"] for region in regions(path, *flags).values())
        for size in (1, 2, 8):
            order = regions(path, SRAM % size, *flags)
            value = regions(path, SRAM % size + ",cost=1", "--pool=name=neuron,cost=10", *flags)
            with self.subTest(model=path, size=size):
                self.assertGreaterEqual(served(value, "sram"), served(order, "sram"))
                for found in (order, value):
                    self.assertLessEqual(found.get("sram", {"usedBytes": 0})["usedBytes"], size << 20)
                    # The same ops move the same bytes, wherever they lie.
                    self.assertEqual(sum(region["servedBytes"] for region in found.values()), whole)
            differs = differs or served(value, "sram") > served(order, "sram")
        return differs

    def test_bundled_models(self):
        names = sorted(name for name in os.listdir(EXAMPLES) if name.endswith(".mlir"))
        self.assertGreaterEqual(len(names), 8)
        # One of them is lowered already.
        lower = {name: [] if name == "chain.mlir" else ["--quantize=F16"] for name in names}
        better = [name for name in names
                  if self.compare(os.path.join(EXAMPLES, name), "--chip=bm1684x", *lower[name])]
        self.assertGreaterEqual(len(better), 6)

    @unittest.skipUnless(REAL, "TPU_MEMORY_DATA is not set")
    def test_real_models(self):
        for name in ("qwen_block_0", "qwen_block_cache_0", "qwen_embedding", "qwen_lm_head"):
            self.compare(os.path.join(REAL, name + "_bm1684x", "tpu.mlir"))


if __name__ == "__main__":
    unittest.main()
