"""Plans that were made before: the same bytes, whatever is in the folder, and searches that end early with what they have."""
import glob
import os
import random
import re
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
DEPLOY = os.path.join(ROOT, "tpu_mlir/tools/model_deploy/model_deploy")
BUILDER = os.path.join(ROOT, "tpu_mlir/tools/model_builder/model_builder")
EXAMPLES = os.path.join(ROOT, "tpu_mlir/examples")
# Some with one function, some that are lowered already, with and without groups.
NETWORKS = [("resnet50", ["--quantize=F16"]), ("llama_block", ["--quantize=F16"]), ("mobilenet_v2", ["--quantize=INT8"]),
            ("yolo_fpn", ["--quantize=F16", "--disable_layer_group"]), ("unet", ["--quantize=F16", "--addr_mode=in_reuse"])]
INTERRUPTED = 6


def blocks(count):
    """A module of so many modules of functions, each the block of a language model."""
    with open(os.path.join(EXAMPLES, "llama_block.mlir"), encoding="utf-8") as file:
        text = file.read()
    head, begin, end = text.index("module @"), text.index("  func.func @main"), text.rindex("\n}") + 1
    attributes = re.search(r"^module @\w+ attributes (\{.*\}) \{$", text, re.MULTILINE).group(1)
    inner = "".join("module @block_%d {\n%s}\n" % (index, text[begin:end]) for index in range(count))
    return "%smodule @model attributes %s {\n%s}%s" % (text[:head], attributes, inner, text[end + 1:])


class Deploys(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def path(self, name):
        return os.path.join(self.scratch, name)

    def command(self, module, *flags):
        return [DEPLOY, "--mlir", module, "--chip=bm1684x", *flags]

    def deploy(self, module, *flags, out="out", code=0):
        """What is written, by name, and what is said."""
        os.makedirs(self.path(out), exist_ok=True)
        done = subprocess.run(self.command(module, "--model", "net", *flags), cwd=self.path(out), capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return self.files(out), done.stdout + re.sub(r"tpuc-opt .*", "", done.stderr)

    def files(self, out):
        files = {}
        for name in os.listdir(self.path(out)):
            with open(os.path.join(self.path(out), name), "rb") as file:
                files[name] = file.read()
        return files

    def entries(self):
        return sorted(glob.glob(self.path("cache/*.plan")))


class PlanCache(Deploys):
    def test_cold_and_warm_give_the_same_bytes(self):
        cache = "--plan-cache=" + self.path("cache")
        for name, flags in NETWORKS:
            module = os.path.join(EXAMPLES, name + ".mlir")
            plain = self.deploy(module, *flags, out="plain")
            cold = self.deploy(module, *flags, cache, out="cold")
            known = self.entries()
            self.assertTrue(known, name)
            warm = self.deploy(module, *flags, cache, out="warm")
            self.assertEqual(self.entries(), known)
            self.assertEqual(plain, cold, name)
            self.assertEqual(plain, warm, name)

    def test_damaged_entries_do_no_harm(self):
        cache, module = "--plan-cache=" + self.path("cache"), os.path.join(EXAMPLES, "mobilenet_v2.mlir")
        plain, _ = self.deploy(module, "--quantize=F16", out="plain")
        self.deploy(module, "--quantize=F16", cache, out="cold")
        known = self.entries()
        dice = random.Random(7)
        for way in ("cut", "flip", "empty", "swap"):
            for path in known:
                with open(path, "rb") as file:
                    data = bytearray(file.read())
                if way == "cut":
                    del data[dice.randrange(len(data)):]
                elif way == "flip":
                    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
                elif way == "empty":
                    data.clear()
                elif way == "swap":
                    with open(dice.choice(known), "rb") as file:
                        data = file.read()
                with open(path, "wb") as file:
                    file.write(data)
            written, said = self.deploy(module, "--quantize=F16", cache, out=way)
            self.assertEqual(plain, written, way)
            if way != "swap":
                self.assertIn("of the plan cache is ignored: it is damaged", said)
            # What was wrong is right again.
            self.assertNotIn("ignored", self.deploy(module, "--quantize=F16", cache, out=way + " again")[1])

    def test_two_writers(self):
        module = os.path.join(EXAMPLES, "mobilenet_v2.mlir")
        plain, _ = self.deploy(module, "--quantize=F16", out="plain")
        runs = []
        for index in range(3):
            os.makedirs(self.path("run%d" % index))
            runs.append(subprocess.Popen(self.command(module, "--quantize=F16", "--model=net", "--plan-cache=" + self.path("cache")),
                                         cwd=self.path("run%d" % index), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
        for index, process in enumerate(runs):
            said = process.communicate()[1]
            self.assertEqual(process.returncode, 0, said)
            self.assertNotIn("plan cache", re.sub(r"tpuc-opt .*", "", said))
            self.assertEqual(self.files("run%d" % index), plain)
        self.assertEqual(glob.glob(self.path("cache/*tmp*")), [])

    def test_equal_blocks_are_planned_once(self):
        """No more is kept of 28 blocks than of one: each question was asked once."""
        counts = []
        for count in (1, 28):
            with open(self.path("blocks.mlir"), "w", encoding="utf-8") as file:
                file.write(blocks(count))
            cache = self.path("cache%d" % count)
            self.deploy(self.path("blocks.mlir"), "--quantize=F16", "--plan-cache=" + cache, out="blocks%d" % count)
            counts.append(len(os.listdir(cache)))
        self.assertGreater(counts[0], 1)
        self.assertEqual(counts[0], counts[1])

    def test_a_folder_that_cannot_be_made_is_said(self):
        with open(self.path("file"), "w", encoding="utf-8"):
            pass
        _, said = self.deploy(os.path.join(EXAMPLES, "mobilenet_v2.mlir"), "--quantize=F16", "--plan-cache=" + self.path("file/cache"))
        self.assertIn("nothing is added to the plan cache", said)


class Early(Deploys):
    """Searches that end before they are done."""

    def test_no_time_is_enough_for_a_plan(self):
        module = os.path.join(EXAMPLES, "resnet50.mlir")
        written, said = self.deploy(module, "--quantize=F16", "--time-limit=0", "--run", "--plan-cache=" + self.path("cache"))
        self.assertIn("the --time-limit ended the searches: what is written is the best plan so far", said)
        self.assertIn("ops ran on the plan", said)
        self.assertNotIn(b"tpu.Group", written["net_final.mlir"])
        # What is cut short is not kept.
        cut = self.entries()
        # What others have found costs no time.
        plain, _ = self.deploy(module, "--quantize=F16", "--order=text", "--plan-cache=" + self.path("cache"), out="plain")
        self.assertLess(len(cut), len(self.entries()))
        warm, _ = self.deploy(module, "--quantize=F16", "--order=text", "--time-limit=0", "--plan-cache=" + self.path("cache"), out="warm")
        self.assertEqual(plain["net_final.mlir"], warm["net_final.mlir"])

    def test_time_enough_changes_nothing(self):
        module = os.path.join(EXAMPLES, "mobilenet_v2.mlir")
        plain, _ = self.deploy(module, "--quantize=F16", out="plain")
        limited, said = self.deploy(module, "--quantize=F16", "--time-limit=1e9", out="limited")
        self.assertEqual(plain, limited)
        self.assertNotIn("ended the searches", said)

    def test_a_fit_ends_with_a_row_that_is_made(self):
        module = os.path.join(EXAMPLES, "unet.mlir")
        written, said = self.deploy(module, "--quantize=F16", "--pareto", "--time-limit=0")
        self.assertIn("ended the searches", said)
        self.assertIn(b'"as it is"', written["net_fit.json"])
        # The row is measured, and made, in full.
        self.assertIn(b"tpu.Group", written["net_final.mlir"])

    def test_wrong_limits(self):
        for wrong in ("-1", "soon", "nan", "1s"):
            self.deploy(os.path.join(EXAMPLES, "unet.mlir"), "--quantize=F16", "--time-limit=" + wrong, out=wrong, code=2)

    def interrupt(self, *flags, out):
        """A signal while something searches; what is written then is whole."""
        chain = self.path("chain.mlir")
        if not os.path.exists(chain):
            subprocess.run([BUILDER, "--model=chain", "--level=tpu", "--ops=4000", "-o", chain], check=True)
        os.makedirs(self.path(out))
        process = subprocess.Popen(self.command(chain, "--model=net", *flags), cwd=self.path(out), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        said = ""
        while "tpu-local-memory" not in said:
            line = process.stderr.readline()
            self.assertTrue(line, said)
            said += line
        time.sleep(.5)
        process.send_signal(signal.SIGINT)
        output, rest = process.communicate()
        return process.returncode, output, said + rest

    def test_an_interrupted_search_ends_with_its_best(self):
        code, output, said = self.interrupt(out="out")
        self.assertEqual(code, INTERRUPTED, said)
        self.assertIn("interrupted: what is written is the best plan so far", said)
        self.assertIn("neuron", output)
        for name in ("net_final.mlir", "net_memory.json", "net_map.html"):
            self.assertTrue(os.path.exists(os.path.join(self.path("out"), name)), name)
        self.assertEqual([name for name in os.listdir(self.path("out")) if "tmp" in name], [])


if __name__ == "__main__":
    unittest.main()
