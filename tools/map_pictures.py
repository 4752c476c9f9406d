#!/usr/bin/python3
"""Takes the pictures of memory maps in the documents, in headless Chromium, of what the built programs write.

Usage: tools/map_pictures.py [FOLDER]   (after ./bazelw build //tpu_mlir/tools/...; Debian's chromium; $TPU_MEMORY_DATA for two of them)
Writes FOLDER/map_<name>.png, by default into tpu_mlir/docs/guide. A first-time reader has to find peak, cause and room left in
ten seconds: look at them.
"""
import base64
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests/tools/memory_map"))
from browser import Page  # noqa: E402

TOOLS = os.environ.get("TPU_MEMORY_TOOLS", os.path.join(ROOT, "bazel-bin/tpu_mlir/tools"))
DATA = os.path.join(os.environ.get("TPU_MEMORY_DATA", os.path.join(ROOT, "../shared/data")), "tpu_mlir")
EXAMPLES = os.path.join(ROOT, "tpu_mlir/examples")
WIDTH, HEIGHT, SCALE = 1230, 1400, .6
# The module, flags, and the exit code: 3 is the picture of what does not fit.
PICTURES = {
    "resnet50": (EXAMPLES + "/resnet50.mlir", ["--chip=bm1684x", "--quantize=F16", "--gmem-size=64M", "--disable_layer_group"], 0),
    "qwen": (DATA + "/qwen_block_0_bm1684x/tpu.mlir", ["--chip=bm1684x", "--gmem-size=64M"], 3),
    "yolov8s": (DATA + "/yolov8s_cv181x_int8/tpu.mlir", ["--chip=cv181x", "--gmem-size=64M"], 0),
    "100000": (None, ["--chip=bm1684x", "--gmem-size=2G", "--disable_layer_group"], 0),
}


def tool(name):
    return os.path.join(TOOLS, name, name)


def page_of(name, scratch):
    module, flags, code = PICTURES[name]
    if module is None:
        module = os.path.join(scratch, "chain.mlir")
        subprocess.run([tool("model_builder"), "--model=chain", "--ops=100000", "--level=tpu", "-o", module], check=True)
    stem = os.path.join(scratch, name)
    done = subprocess.run([tool("model_deploy"), "--mlir", module, "--model", stem, "--quiet", *flags], check=False,
                          stderr=subprocess.DEVNULL)
    if done.returncode != code:
        sys.exit("%s: exit code %d" % (name, done.returncode))
    return stem + "_map.html"


def picture(page, path):
    page.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
    page.call("Emulation.setScrollbarsHidden", hidden=True)
    page.open(path)
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT, "scale": SCALE}
    return base64.b64decode(page.call("Page.captureScreenshot", format="png", clip=clip)["data"])


def main(folder):
    with tempfile.TemporaryDirectory() as scratch, Page() as page:
        for name, (module, _, _) in PICTURES.items():
            if module and not os.path.exists(module):
                print(name + ": skipped, " + module + " is not there")
                continue
            with open(os.path.join(folder, "map_%s.png" % name), "wb") as file:
                file.write(picture(page, page_of(name, scratch)))


main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "tpu_mlir/docs/guide"))
