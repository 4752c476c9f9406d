"""BlazeFace from its ONNX file beside what tpu-mlir made of the same file; skipped without real models.

Layer by layer it has to be the same network. Then tpu-mlir's own layer groups are groups of it, and neurons take as many
bytes, and so do coefficients.
"""
import os
import re
import sys
import tempfile
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
sys.path.insert(0, os.path.join(ROOT, "tools"))
import real_models  # noqa: E402

DEPLOY = os.path.join(ROOT, "tpu_mlir/tools/model_deploy/model_deploy")
TOOLS = real_models.Tools(os.path.join(ROOT, "tpu_mlir/tools/tpuc-opt/tpuc-opt"), DEPLOY)
FOLDER = os.path.join(os.environ.get("TPU_MEMORY_DATA", ""), "tpu_mlir/blazeface_bm1688_f16")
ONNX, FINAL = (os.path.join(FOLDER, name) for name in ("blazeface.onnx", "final.mlir"))
# Of bm1688: where a weight may begin.
SLOT = 4096
# What a layer has beside its meaning: what is decided behind the lowering (places in local memory, how coefficients are
# stored, a Concat without a copy), and a shape that its type says as well.
OTHERS = {"ginfo", "multicore", "use_3ic_optimize", "only_merge", "shape"}


def attributes_of(text):
    """By name; lists and angle brackets stay whole."""
    found, depth, start = {}, 0, 0
    for at, letter in enumerate(text + ","):
        depth += (letter in "[<{") - (letter in "]>}")
        if letter == "," and depth == 0:
            name, _, value = text[start:at].strip().partition(" = ")
            found[name] = value
            start = at + 1
    return {name: value for name, value in found.items() if name not in OTHERS}


class Module:
    """The layers of a printed module by name, whether they are in groups or not."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.places = dict(re.findall(r'^(#loc\d*) = loc\("(.*?)"', text, re.M))
        self.layers, self.weights = {}, []
        for kind, line in re.findall(r'^\s*(?:%[\w:]+ = )?"(?:top|tpu)\.(\w+)"(.*)$', text, re.M):
            self.add(kind, line)

    def add(self, kind, line):
        where = re.search(r"loc\((#loc\d*)\)\s*$", line)
        name = self.places.get(where.group(1)) if where else None
        types = re.search(r"-> (?:tensor<([^,>]*)[^>]*>|none)", line)
        if kind == "Weight":
            self.weights.append((name, types.group(1)))
        if kind in ("Weight", "None", "Input", "Load", "Store", "Yield", "Group"):
            return
        body = re.search(r"\)\s*(?:<?\{(.*)\}>?)? : \(", line)
        self.layers[name] = (kind, types.group(1), attributes_of(body.group(1) or ""))


def slots(sizes):
    return sum(-(-size // SLOT) * SLOT for size in sizes)


def bytes_of(shape):
    *dims, element = shape.split("x")
    count = {"f16": 2, "f32": 4}[element]
    for dim in dims:
        count *= int(dim)
    return count


@unittest.skipUnless(os.path.exists(ONNX), "no real models: TPU_MEMORY_DATA is not set")
class FromOnnx(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as scratch:
            stem = os.path.join(scratch, "net")
            code, _, errors = real_models.run([DEPLOY, "--onnx", ONNX, "--chip", "bm1688", "--quantize", "F16",
                                               "--disable_layer_group", "--share", "none", "--model", stem,
                                               "--quiet"])
            assert (code, errors) == (0, ""), errors
            cls.network = Module(stem + "_final.mlir")
            cls.coefficients = real_models.module_attributes(real_models.read_header(stem + "_final.mlir"))["coeff_size"]
        cls.theirs = real_models.module_attributes(real_models.read_header(FINAL))

    def test_the_same_layers(self):
        ours, theirs = self.network.layers, Module(FINAL).layers
        self.assertGreater(len(ours), 70)
        self.assertEqual(sorted(ours), sorted(theirs))
        for name, layer in ours.items():
            self.assertEqual(layer, theirs[name], name)

    def test_neurons_in_their_groups(self):
        """The layers are the same, so their module stands for ours in these groups; every Concat copies, as when it is lowered."""
        with open(FINAL.replace(".mlir", "_without_gmem.mlir"), encoding="utf-8") as file:
            text = file.read()
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "grouped.mlir")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace("only_merge = true", "only_merge = false"))
            ours, _, errors = TOOLS.assign(path, "io-mode=" + self.theirs["addr_mode"])
        self.assertEqual(errors, "")
        self.assertEqual(ours["neuron_size"], self.theirs["neuron_size"])

    def test_every_byte_of_coefficients(self):
        """Each weight in the shape that their backend stores."""
        sizes = [bytes_of(shape) for _, shape in self.network.weights]
        self.assertEqual(sorted(sizes), sorted(bytes_of(shape) for _, shape in Module(FINAL).weights))
        self.assertEqual(slots(sizes), self.theirs["coeff_size"])
        self.assertEqual(self.coefficients, self.theirs["coeff_size"])


if __name__ == "__main__":
    unittest.main()
