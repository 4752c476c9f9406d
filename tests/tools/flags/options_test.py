"""Every option of every pass refuses what means nothing, in one message.

The passes and their options are read out of `tpuc-opt --help`: a new option is
tested without a word here. Each gets values that no option of its kind may
have; the run has to fail, with one error that repeats the value or names the
option, so that one knows where to look. Options with a grammar of their own get
every kind of slip in it, and the error repeats the piece that is wrong. One
error it is also where a pass runs on each of several functions.
"""
import functools
import os
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
TOOL = os.path.join(ROOT, "tpu_mlir/tools/tpuc-opt/tpuc-opt")
UPSTREAM = {"canonicalize", "cse", "strip-debuginfo"}
# Where nothing is: no chip, no pool, no strategy, and no place for a file.
NOWHERE = "/no/such/thing"
BAD = {
    "string": [NOWHERE],
    "long": ["", "abc", "12x", "1.5", "99999999999999999999", "-5"],
    "bool": ["maybe"],
    "value": ["", "nonsense"],
}

# By name of the option: texts with one slip, and the piece that is wrong.
POOL_SLIPS = {
    "name=": "name=", "nmae=a": "nmae", "a": "'a'", "name=a,": "''", "name=a;name=a": "'a'", "name=a,name=b": "name",
    "name=a,size=": "size", "name=a,size=-1": "-1", "name=a,size=1e3": "1e3", "name=a,size=9999999999999999999": "99999",
    "name=a,base=x": "'x'", "name=a,base=": "base", "name=a,base=3,align=2": "base",
    "name=a,align=0": "'0'", "name=a,align=": "align", "name=a,align=-4": "-4",
    "name=a,access=wr": "wr", "name=a,cost=": "cost", "name=a,cost=-1": "-1", "name=a,cost=y": "'y'",
    "name=a,reserved=1": "'1'", "name=a,reserved=8-4": "8-4", "name=a,reserved=0-": "0-", "name=a,target=": "target",
    "name=a,size=4;nmae=b": "nmae",
}  # yapf: disable
SPACE_SLIPS = {
    "defualt": "defualt", "#": "'#'", "#/": "#/", "#foo": "#foo", "#gpu.foo": "#gpu.foo", "#foo.bar": "#foo.bar",
    "#gpu.address_space<wrokgroup>": "wrokgroup", "#gpu.address_space<workgroup": "<workgroup'", "-3": "-3",
    "1.5": "1.5", "3x": "3x", "f32": "f32", "@a": "@a", "{sram}": "'sram'", "\"sram\"": "'sram'", ",": "''",
    "{default,\"a}": "\"a", "default,,3": "''", "99999999999999999999": "99999999999999999999",
}  # yapf: disable
SLIPS = {
    "pools": POOL_SLIPS,
    "pins": {"x": "'x'", "x=": "'x='", "=neuron": "'=neuron'", "x=neuron@": "x=neuron@", "x=neuron@z": "x=neuron@z",
             "x=neuron@-1": "x=neuron@-1", "x=nueron": "nueron", "y=neuron": "'y'", "x=neuron;x=neuron": "'x'"},
    "same-addr": {"0": "'0'", "0:": "0:", ":0": ":0", "a:0": "a:0", "0:-1": "-1", "0:7": "7", "7:0": "7", "0:0,": "''"},
    "memory-spaces": SPACE_SLIPS,
    "capacity": {**{space + ":8": piece for space, piece in SPACE_SLIPS.items() if set(space).isdisjoint("{,\"")},
                 "default": "default", "default:": "default:", ":8": "':8'", ":": "':'", "default:8x": "default:8x",
                 "default:-1": "default:-1", "default:1.5": "1.5", "default:8,": "''", "default:8,0:9": "default",
                 "workgroup:8,#gpu.address_space<workgroup>:9": "workgroup"},
    "copy-ops": {"copy": "'copy'", "memref.": "'memref.'", ".copy": "'.copy'", "memref.cpy": "memref.cpy",
                 "mermef.copy": "mermef.copy", "linalg.copy,memref.cpy": "memref.cpy", "memref.copy,": "''",
                 "llvm.memcopy": "llvm.memcopy"},
}  # yapf: disable
# Passes that functions can run one by one.
NESTED = {"copy-removal", "memref-hoist", "memref-promote-to-stack", "merge-alloc"}

NETWORK = """module @net attributes {module.chip = "bm1684x", module.mode = "F32"} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("a")
    return %a : tensor<4096xi8>
  }
}
"""
FUNCTION = """func.func @f(%x: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  return
}
func.func @g() {
  return
}
"""
KERNEL = """gpu.module @m {
  gpu.func @k(%x: memref<64xf32>) kernel {
    %a = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    memref.copy %x, %a : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
"""
# Options that hold several values, and files that are read.
LISTS = {"capacity", "copy-ops", "memory-spaces"}
READ = {("tpu-verify-plan", "problem-file"), ("top-fuse", "weight-file"), ("import-calibration-table", "file")}
# Passes that need addresses, and the pipeline that makes them.
ADDRESSED = {"tpu-memory-report", "tpu-verify-addresses"}
# What is read for something that the inputs do not have: files of read-only pools.
UNREAD = {("tpu-assign-global-address", "pool-data"), ("tpu-assign-pools", "pool-data")}
# Which pools tensors may be in, the pass on weights does not know.
UNKNOWN = {("tpu-assign-weight-address", "pins", "x=nueron")}


def options():
    """{pass: {option: kind}}, as the help says."""
    text = subprocess.run([TOOL, "--help"], capture_output=True, check=True, text=True).stdout
    found, current = {}, None
    for line in text.split("Passes:\n", 1)[1].split("  --verify-diagnostics", 1)[0].splitlines():
        name = re.match(r" {6}--([\w-]+) +-   ", line)
        option = re.match(r" {8}--([\w-]+)(?:=<(\w+)>)? +- ", line)
        if name:
            current = found.setdefault(name[1], {})
        elif option:
            current[option[1]] = option[2] or "bool"
    return {name: kinds for name, kinds in found.items() if name not in UPSTREAM}


@functools.lru_cache(maxsize=None)
def addressed():
    return subprocess.run([TOOL, "--tpu-global-memory"], input=NETWORK, capture_output=True, check=True, text=True).stdout


def source(name, option):
    if name.startswith("gpu-"):
        return KERNEL
    if name in ADDRESSED:
        return addressed()
    is_network = name.startswith(("tpu-", "convert-")) and name != "tpu-assign-pools"
    # The only one that is for both, and for networks alone.
    is_network = is_network or (name, option) == ("tpu-assign-pools", "pins")
    return NETWORK if is_network else FUNCTION


def run(name, option, value):
    command = [TOOL, "--pass-pipeline=builtin.module(%s{%s=%s})" % (name, option, value), "-o", os.devnull]
    if name in NESTED:
        command[1] = command[1].replace("(", "(func.func(", 1) + ")"
    return subprocess.run(command, input=source(name, option), capture_output=True, check=False, text=True)


class Options(unittest.TestCase):

    def refuses(self, name, option, value, *words):
        with self.subTest(name=name, option=option, value=value):
            done = run(name, option, value)
            self.assertEqual(done.returncode, 1, done.stderr)
            # What a pass says has a code; what MLIR says is in front of a line that is empty.
            coded = re.findall(r"error: .*\[TPUMEM-E\d+\]", done.stderr)
            parsed = re.findall(r"(?:for the --.*|no such option .*)", done.stderr)
            self.assertEqual(len(coded) + len(parsed), 1, done.stderr)
            self.assertTrue(any(word in (coded + parsed)[0] for word in words), done.stderr)

    def test_values_that_mean_nothing(self):
        table = options()
        self.assertGreater(len(table), 15)
        for name, kinds in table.items():
            for option, kind in kinds.items():
                if option == "plan-cache":
                    self.warns(name, option, NOWHERE)
                    continue
                for value in BAD[kind] if (name, option) not in UNREAD else []:
                    self.refuses(name, option, value, value or "''", "'%s'" % option, "--" + option)

    def warns(self, name, option, folder):
        """A folder that cannot be made costs what it would have kept, not the plan."""
        with self.subTest(name=name, option=option):
            done = run(name, option, folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("nothing is added to the plan cache: cannot make '%s'" % folder, done.stderr)

    def test_slips_in_options_with_a_grammar(self):
        seen = set()
        for name, kinds in options().items():
            for option in SLIPS.keys() & {option for option, kind in kinds.items() if kind == "string"}:
                seen.add(option)
                for value, piece in SLIPS[option].items():
                    if (name, option, value) not in UNKNOWN:
                        self.refuses(name, option, value, piece)
        self.assertEqual(seen, SLIPS.keys())

    def test_given_twice(self):
        for name, kinds in options().items():
            for option in kinds:
                with self.subTest(name=name, option=option):
                    done = run(name, option, "1 %s=1" % option)
                    message = "option '%s' of '%s' is given twice" % (option, name)
                    if option in LISTS:
                        self.assertNotIn("given twice", done.stderr)
                    else:
                        self.assertEqual(done.returncode, 1, done.stderr)
                        self.assertIn(message, done.stderr)

    def test_one_file_of_two_passes(self):
        """Every option that names a file to write, twice in one run."""
        written = [(name, option) for name, kinds in options().items() for option in kinds
                   if re.search(r"(^|-)(file|data|out)$", option) and (name, option) not in READ and option != "chip-file"]
        self.assertGreater(len(written), 5)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "one")
            for name, option in written:
                with self.subTest(name=name, option=option):
                    done = run(name, option, path + "},%s{%s=%s" % (name, option, path))
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("would be written by '%s' of '%s'" % (option, name), done.stderr)
                    self.assertEqual(os.listdir(folder), [])

    def test_names_that_do_not_exist(self):
        for name in options():
            self.refuses(name, "misspelt", "1", "misspelt")


if __name__ == "__main__":
    unittest.main()
