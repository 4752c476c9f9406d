"""What memplan writes for an application is what the module of the same run has."""
import itertools
import json
import os
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
TOOLS = {name: os.path.join(ROOT, "tpu_mlir/tools", name, name) for name in ("memplan", "tpuc-opt")}

NETWORK = """
module @net attributes {module.chip = "CHIP"} {
  func.func @main(%arg0: tensor<4096xi8>, %arg1: tensor<8192xi8>) -> (tensor<4096xi8>, tensor<8192xi8>) {
    %w = "top.Weight"() {inline_bytes = "000102030405060708090a0b0c0d0e0f"} : () -> tensor<16xi8> loc("w")
    %v = "top.Weight"() {inline_bytes = "ff01020304050607"} : () -> tensor<8xi8> loc("v")
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %z = "top.Input"(%arg1) : (tensor<8192xi8>) -> tensor<8192xi8> loc("z")
    %a = "tpu.Add"(%x, %w) : (tensor<4096xi8>, tensor<16xi8>) -> tensor<4096xi8> loc("a")
    %b = "tpu.Active"(%z) {mode = #tpu<active_mode ABSVAL>} : (tensor<8192xi8>) -> tensor<8192xi8> loc("b")
    %c = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("c")
    %d = "tpu.Add"(%b, %v) : (tensor<8192xi8>, tensor<8xi8>) -> tensor<8192xi8> loc("d")
    %y = "tpu.Active"(%c) {mode = #tpu<active_mode RELU>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("y")
    %q = "tpu.Active"(%d) {mode = #tpu<active_mode RELU>} : (tensor<8192xi8>) -> tensor<8192xi8> loc("q")
    return %y, %q : tensor<4096xi8>, tensor<8192xi8>
  }
}
"""

# The chips have memory maps of the three sorts.
CHIPS = {"bm1684x": "linear", "bm1688": "tagged", "bm1690": "tagged, with L2", "cv183x": "base registers"}
SRAM = "pools=name=sram,base=0x20000000,size=8KiB;name=flash,base=0x8000000,access=ro"
OPTIONS = {
    "bm1684x": ["strategy=" + name for name in ("auto", "refcount-eol", "best-fit", "sequential", "squeaky-wheel")] +
               ["io-mode=in_reuse", "io-mode=io_alone", "io-mode=io_reloc", "same-addr=0:0 io-mode=in_reuse",
                "alignment=4096", SRAM, SRAM + " pool-io", SRAM + " pins=c=sram@0x1000;w=coeff",
                SRAM + " strategy=refcount-eol"],
    "bm1688": ["io-mode=" + name for name in ("basic", "in_reuse", "io_alone", "io_tag")],
    "bm1690": ["io-mode=basic"] +
              ["pools=name=l2,cost=1;name=neuron,cost=10", SRAM + " strategy=refcount-eol"],
    "cv183x": ["strategy=" + name for name in ("auto", "refcount-eol")] + ["io-mode=in_reuse"],
}


def addresses(text):
    """By name: the addresses in the types of what ops make."""
    names = dict(re.findall(r'^(#loc\d*) = loc\("([^"]*)"\)$', text, re.MULTILINE))
    found = {}
    for address, place in re.findall(r"-> tensor<[^>,]*, (\d+) : i64> loc\((#loc\d*)\)$", text, re.MULTILINE):
        found[names[place]] = int(address)
    return found


class Agreement(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def tool(self, name, *arguments):
        return subprocess.run([TOOLS[name], *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=100, check=False)

    def run_tool(self, name, *arguments):
        done = self.tool(name, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout.decode())

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def plan(self, chip, options):
        weights = " ".join(word for word in options.split() if word.startswith(("pools=", "pins=")))
        self.write("net.mlir", NETWORK.replace("CHIP", chip))
        self.run_tool("tpuc-opt", "net.mlir", "--mlir-print-debuginfo", f"--tpu-assign-weight-address={weights}",
                      f"--tpu-assign-global-address={options} problem-file=net.json", "-o", "out.mlir")

    def places(self):
        """By name: address and size, as the map says."""
        network = json.loads(self.read("net_map.json"))["models"][0]
        bases = {pool["name"]: pool["baseAddress"] for pool in network["pools"]}
        return {tensor["name"]: bases[tensor["pool"]] + tensor["offsetBytes"] for tensor in network["tensors"]}

    def test_every_tensor_is_where_the_module_has_it(self):
        for chip, options in itertools.chain.from_iterable(
                [(chip, one) for one in OPTIONS[chip]] for chip in CHIPS):
            with self.subTest(chip=chip, options=options):
                self.plan(chip, options)
                self.run_tool("tpuc-opt", "out.mlir", "--tpu-verify-addresses" + (
                    "=alignment=4096" if "alignment" in options else ""), "-o", os.devnull)
                self.run_tool("tpuc-opt", "out.mlir", "--tpu-verify-plan=problem-file=net.json", "-o", os.devnull)
                self.run_tool("memplan", "artefacts", "--quiet", "net.json", "--prefix=net")
                module, places = addresses(self.read("out.mlir")), self.places()
                self.assertLessEqual({"w", "v", "x", "z", "y", "q"}, set(places))
                self.assertEqual({name: module[name] for name in places}, places)
                header = self.read("net.h")
                for struct, members in (("inputs", "xz"), ("outputs", "yq")):
                    body = header.split("struct net_%s {" % struct)[1].split("}")[0]
                    self.assertEqual(sorted(re.findall(r"\*(\w+);", body)), sorted(members))

    def test_parameters_have_the_bytes_of_the_weights(self):
        self.write("net.mlir", NETWORK.replace("CHIP", "bm1684x"))
        self.run_tool("tpuc-opt", "net.mlir",
                      "--tpu-assign-pools=pools=name=flash,base=0x8000000,access=ro problem-file=net.json pool-data=net",
                      "-o", "out.mlir")
        self.run_tool("memplan", "artefacts", "--quiet", "net.json", "--prefix=net", "--internal=flash",
                      "--data=flash=net.flash.bin")
        with open(os.path.join(self.folder, "net.flash.bin"), "rb") as file:
            image = file.read()
        flash = {tensor["name"]: tensor["offsetBytes"] for tensor in
                 json.loads(self.read("net_map.json"))["models"][0]["tensors"] if tensor["pool"] == "flash"}
        self.assertEqual(image[flash["w"]:flash["w"] + 16], bytes(range(16)))
        self.assertEqual(image[flash["v"]:flash["v"] + 8], bytes([0xff, 1, 2, 3, 4, 5, 6, 7]))
        self.assertIn("0xff, 0x01, 0x02", self.read("net.c"))

    def test_files_of_another_run_are_found_out(self):
        self.plan("bm1684x", "strategy=sequential")
        self.run_tool("tpuc-opt", "net.mlir", "--tpu-assign-weight-address",
                      "--tpu-assign-global-address=strategy=auto", "--mlir-print-debuginfo", "-o", "other.mlir")
        done = self.tool("tpuc-opt", "other.mlir", "--tpu-verify-plan=problem-file=net.json", "-o", os.devnull)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stdout.decode(),
                         r"'\w+' is at address \d+ in the module, at address \d+ in net.json \[TPUMEM-E013\]")

    def test_a_recorded_plan_is_not_replaced(self):
        self.plan("bm1684x", "strategy=sequential")
        before = self.read("net.json")
        for extra in ("--strategy=auto", "--capacity=1GiB", "--node-limit=5", "--pool-policy=order"):
            done = self.tool("memplan", "artefacts", "net.json", "--prefix=net", extra)
            self.assertEqual(done.returncode, 1, extra)
            self.assertIn("comes with the plan that its program has, made by 'sequential'", done.stdout.decode())
        self.write("two.json", before)
        done = self.tool("memplan", "artefacts", "net.json", "two.json", "--prefix=app", "--models=a,b",
                         "--sharing=combined")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--sharing=combined would make another one", done.stdout.decode())
        # Another plan, given by hand, is refused with both places.
        self.run_tool("memplan", "solve", "--quiet", "net.json", "--output=other.json", "--format=json")
        done = self.tool("memplan", "artefacts", "net.json", "--plan=other.json", "--prefix=net")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout.decode(), r"the plan puts '\w+' at '\w+' \+ \d+, the program of net.json has it at ")
        # The same one is not.
        recorded = json.loads(before)["plan"]
        self.write("same.json", json.dumps(recorded))
        self.run_tool("memplan", "artefacts", "--quiet", "net.json", "--plan=same.json", "--prefix=net")
        # A problem that was changed after the plan is found out.
        changed = json.loads(before)
        for buffer in changed["buffers"]:
            buffer["sizeBytes"] *= 2
        self.write("net.json", json.dumps(changed))
        done = self.tool("memplan", "artefacts", "net.json", "--prefix=net")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the plan is not valid: ", done.stdout.decode())

    def test_models_with_strategies_of_their_own(self):
        used = {}
        for name, strategy in (("first", "sequential"), ("second", "refcount-eol")):
            self.plan("bm1684x", "strategy=" + strategy)
            os.rename(os.path.join(self.folder, "net.json"), os.path.join(self.folder, name + ".json"))
            used[name] = int(re.search(r"module.neuron_size = (\d+)", self.read("out.mlir")).group(1))
        self.assertGreater(used["first"], used["second"])
        self.run_tool("memplan", "artefacts", "--quiet", "first.json", "second.json", "--prefix=app",
                      "--models=first,second")
        for name in used:
            size = int(re.search(r"NEURON_WORKSPACE_SIZE UINT64_C\((\d+)\)", self.read(name + ".h")).group(1))
            # The module has it in whole units of alignment.
            self.assertTrue(size <= used[name] < size + 4096, (name, size, used[name]))
        shared = int(re.search(r"SHARED_NEURON_SIZE UINT64_C\((\d+)\)", self.read("app.h")).group(1))
        self.assertTrue(shared <= used["first"] < shared + 4096)


if __name__ == "__main__":
    unittest.main()
