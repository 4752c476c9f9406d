"""The IR-free core stays IR-free: no file of Support, Target, Planning, Ordering, Log, LayerPlanning,
Report, Execution, Quantization, OneDnn or CApi includes an mlir/ header, and each room looks only at the rooms below it."""
import ast
import os
import re
import sys
import unittest

# Each room and what it may see of this project.
with open("third_party/bazel/rooms.bzl", encoding="utf-8") as table:
    SEES = ast.literal_eval(re.search(r"^_SEES = (\{.*?^\})", table.read(), re.MULTILINE | re.DOTALL).group(1))
ROOMS = {room: {room, *SEES[room]} for room in ("Support", "Target", "Planning", "Ordering", "Log", "LayerPlanning", "Report", "Execution",
                                             "Quantization", "OneDnn", "CApi")}
# Libraries that one room alone wraps.
LIBRARIES = {"Log": ["spdlog"], "OneDnn": ["oneapi"], "Support": ["boost"]}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def sources(room):
    for top in ("lib/" + room, "include/tpu_mlir/" + room):
        for folder, _, files in os.walk(top):
            for name in files:
                if name.endswith((".h", ".cpp")):
                    yield os.path.join(folder, name)


def is_allowed(header, room):
    parts = header.split("/")
    if parts[0] in ("tpu_mlir", "lib"):
        return parts[1] in ROOMS[room]
    if parts[0] == "llvm":
        return parts[1] in ("ADT", "Config", "Support")
    if parts[0] in LIBRARIES.get(room, []):
        return True
    # The standard library and POSIX.
    return parts[0] == "sys" or len(parts) == 1


class IncludesTest(unittest.TestCase):
    def test_every_include(self):
        for room in ROOMS:
            files = list(sources(room))
            self.assertGreaterEqual(len(files), 2, room)
            for path in files:
                with open(path, encoding="utf-8") as file:
                    headers = INCLUDE.findall(file.read())
                for header in headers:
                    with self.subTest(file=path, header=header):
                        self.assertTrue(is_allowed(header, room))

    def test_the_rule_itself(self):
        self.assertFalse(is_allowed("mlir/IR/Value.h", "Planning"))
        self.assertFalse(is_allowed("tpu_mlir/Dialect/Top/IR/TopOps.h", "Planning"))
        self.assertFalse(is_allowed("tpu_mlir/Planning/Plan.h", "Support"))
        self.assertFalse(is_allowed("llvm/IR/Value.h", "Support"))
        self.assertFalse(is_allowed("boost/asio.hpp", "Planning"))
        self.assertFalse(is_allowed("spdlog/spdlog.h", "Planning"))
        self.assertFalse(is_allowed("oneapi/dnnl/dnnl.hpp", "Execution"))
        self.assertTrue(is_allowed("vector", "Support"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
