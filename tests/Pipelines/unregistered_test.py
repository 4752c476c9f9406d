"""Modules of ops that is not known go through every pass on memrefs.

The passes are read out of `tpuc-opt --help`. None fails or crashes, none drops
or reorders an op that it does not know, the output reads in again, and the
check of deallocations finds no fault in it. Where not even an allocation is
known, nothing changes at all.
"""
import os
import re
import subprocess
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
TOOL = os.path.join(ROOT, "tpu_mlir/tools/tpuc-opt/tpuc-opt")
UPSTREAM = {"canonicalize", "cse", "strip-debuginfo"}
STRICT = "memref-verify-deallocation{strict leaks=ignore}"

# ALLOC is an op that is not known or `memref.alloc`; M is its type.
MODULES = {
    "a function of another kind": """
"x.func"() ({
^bb0(%a: M):
  %b = ALLOC
  "x.copy"(%a, %b) : (M, M) -> ()
  "x.br"(%b)[^bb1] : (M) -> ()
^bb1(%c: M):
  %d = ALLOC
  "x.copy"(%c, %d) : (M, M) -> ()
  "x.return"(%d) : (M) -> ()
}) {sym_name = "f"} : () -> ()
""",
    "branches and a loop": """
func.func @f(%c: i1) -> M {
  %a = ALLOC
  "x.write"(%a) : (M) -> ()
  "x.cond_br"(%c, %a)[^left, ^right] : (i1, M) -> ()
^left:
  %l = ALLOC
  "x.copy"(%a, %l) : (M, M) -> ()
  "x.br"(%l)[^join] : (M) -> ()
^right:
  %r = ALLOC
  %q = "x.forward"(%r) : (M) -> M
  "x.br"(%q)[^join] : (M) -> ()
^join(%m: M):
  %n = ALLOC
  "x.copy"(%m, %n) : (M, M) -> ()
  "x.switch"(%c, %n, %m)[^join, ^end, ^join] : (i1, M, M) -> ()
^end:
  "x.return"(%m) : (M) -> ()
}
""",
    "a block that is its own successor, and one that nothing comes to": """
func.func @f(%c: i1) {
  "x.br"()[^loop] : () -> ()
^loop:
  %a = ALLOC
  %b = ALLOC
  "x.copy"(%a, %b) : (M, M) -> ()
  "x.cond_br"(%c)[^loop, ^end] : (i1) -> ()
^nowhere(%p: M):
  %d = ALLOC
  "x.copy"(%p, %d) : (M, M) -> ()
  "x.br"(%d)[^nowhere] : (M) -> ()
^end:
  "x.return"() : () -> ()
}
""",
    "a cycle that is entered at two blocks": """
func.func @f(%c: i1) {
  %a = ALLOC
  "x.cond_br"(%c)[^p, ^q] : (i1) -> ()
^p:
  %b = ALLOC
  "x.copy"(%a, %b) : (M, M) -> ()
  "x.br"()[^q] : () -> ()
^q:
  %d = ALLOC
  "x.copy"(%a, %d) : (M, M) -> ()
  "x.cond_br"(%c)[^p, ^end] : (i1) -> ()
^end:
  "x.return"() : () -> ()
}
""",
    "regions in regions": """
func.func @f(%c: i1, %n: index) -> M {
  %a = ALLOC
  %r:2 = "x.for"(%n, %a) ({
  ^bb0(%i: index, %p: M):
    %b = ALLOC
    %s = "x.if"(%c) ({
      %d = ALLOC
      "x.copy"(%p, %d) : (M, M) -> ()
      "x.yield"(%d) : (M) -> ()
    }, {
      "x.yield"(%p) : (M) -> ()
    }) : (i1) -> M
    "x.copy"(%s, %b) : (M, M) -> ()
    "x.yield"(%b, %s) : (M, M) -> ()
  }) : (index, M) -> (M, M)
  "x.return"(%r#1) : (M) -> ()
}
""",
    "a terminator with regions, and no block at all": """
func.func @f(%c: i1) {
  %a = ALLOC
  "x.empty"() ({}, {}) : () -> ()
  "x.last"(%c) ({
    %b = ALLOC
    "x.copy"(%a, %b) : (M, M) -> ()
    "x.exit"() : () -> ()
  }) : (i1) -> ()
}
""",
    "results after the last op, and uses before the definition": """
func.func @f() -> M {
  %r = "x.graph"() ({
    "x.use"(%b, %d) : (M, M) -> ()
    %b = ALLOC
    %d = "x.forward"(%b) : (M) -> M
  }) : () -> M
  "x.return"(%r) : (M) -> ()
}
""",
    "types and attributes that hold buffers": """
func.func @f() -> !x.box<M> {
  %a = ALLOC
  %b = "x.wrap"(%a) {how = #x.how<1>} : (M) -> !x.box<M>
  %d = ALLOC
  "x.put"(%b, %d) : (!x.box<M>, M) -> ()
  %e = "x.get"(%b) : (!x.box<M>) -> M
  %g = ALLOC
  "x.copy"(%e, %g) : (M, M) -> ()
  "x.return"(%b) : (!x.box<M>) -> ()
}
""",
    "calls of what is not known": """
"x.global"() {sym_name = "g", type = M} : () -> ()
func.func private @outside(M) -> M
func.func @f() {
  %a = ALLOC
  %b = "x.call"(%a) {callee = @g} : (M) -> M
  %d = "x.call"(%b) {callee = @outside} : (M) -> M
  "x.free"(%a) : (M) -> ()
  "x.free"(%d) : (M) -> ()
  "x.return"() : () -> ()
}
""",
    "a kernel": """
"x.module"() ({
  "x.kernel"() ({
  ^bb0(%a: M):
    %b = ALLOC
    "x.launch"(%a, %b) ({
    ^bb0(%i: index):
      %d = ALLOC
      "x.copy"(%b, %d) : (M, M) -> ()
      "x.done"() : () -> ()
    }) : (M, M) -> ()
    "x.barrier"() : () -> ()
    "x.return"() : () -> ()
  }) {sym_name = "k", gpu.kernel} : () -> ()
}) : () -> ()
""",
    "no function": """
%a = ALLOC
%b = "x.forward"(%a) : (M) -> M
"x.use"(%b) ({
^bb0(%p: M):
  %d = ALLOC
  "x.copy"(%p, %d) : (M, M) -> ()
  "x.yield"(%d) : (M) -> ()
}) : (M) -> ()
""",
}
TYPES = ["memref<4xf32>", "memref<4xf32, #gpu.address_space<workgroup>>", "memref<2xmemref<4xf32>>"]


def passes():
    text = subprocess.run([TOOL, "--help"], capture_output=True, check=True, text=True).stdout
    names = re.findall(r"^ {6}--([\w-]+) +-   ", text, re.MULTILINE)
    return [
        name for name in names if name not in UPSTREAM and
        (name == "tpu-assign-pools" or not name.startswith(("tpu-", "convert-", "core-", "import-", "processor-")))
    ]


def run(text, *pipeline):
    return subprocess.run(
        [TOOL, "--allow-unregistered-dialect",
         "--pass-pipeline=builtin.module(%s)" % ",".join(pipeline)],
        input=text,
        capture_output=True,
        check=False,
        text=True)


def custom_ops(text):
    return re.findall(r'"(x\.\w+)"\(', text)


class Unregistered(unittest.TestCase):

    def check(self, name, text, is_known):
        before = run(text)
        self.assertEqual(before.returncode, 0, before.stderr)
        after = run(text, name)
        self.assertEqual(after.returncode, 0, after.stderr)
        self.assertNotIn("error", after.stderr)
        self.assertTrue(custom_ops(before.stdout))
        self.assertEqual(custom_ops(after.stdout), custom_ops(before.stdout))
        if not is_known:
            self.assertEqual(after.stdout, before.stdout)
        checked = run(after.stdout, STRICT)
        self.assertEqual(checked.returncode, 0, checked.stderr + after.stdout)

    def test_every_module_through_every_pass(self):
        names = passes()
        self.assertGreaterEqual(len(names), 9)
        for name in names:
            for what, module in MODULES.items():
                for kind in TYPES:
                    for alloc, is_known in (('"x.alloc"() : () -> M', False), ("memref.alloc() : M", True)):
                        with self.subTest(passes=name, module=what, type=kind, alloc=alloc):
                            self.check(name, module.replace("ALLOC", alloc).replace("M", kind), is_known)


if __name__ == "__main__":
    unittest.main()
