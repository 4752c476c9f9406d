"""Mistakes that planners of memory make, one at a time: the same module runs on right addresses and not on wrong ones.

Each case is a module with names for addresses, a right place for each, and what a planner that makes the mistake would
do. The run has to name the reader, the tensor and who overwrote it, and the verifier has to refuse the same module.
"""
import os
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
TOOLS = os.path.join(ROOT, "tpu_mlir/tools")

WEIGHTS, NEURONS, SLOT = 1 << 32, (1 << 32) + (1 << 20), 4096
MODULE = """
module @net attributes {module.chip = "bm1684x", module.addr_mode = "in_reuse", module.coeff_addr = %d : i64,
                        module.coeff_size = %d : i64, module.neuron_addr = %d : i64, module.neuron_size = %d : i64} {
%s
}
"""


def tool(name, *flags):
    return subprocess.run([os.path.join(TOOLS, name, name), *flags], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)


def op(result, name, operands, attributes=""):
    """%a = "tpu.Name"(%b) : (T(b)) -> T(a), where T(a) is a slot of memory at the place of that name."""
    names = operands.split()
    return '%%%s = "tpu.%s"(%s) %s : (%s) -> T(%s) loc("%s")' % (
        result, name, ", ".join("%" + n for n in names), attributes, ", ".join("T(%s)" % n for n in names), result, result)


def active(result, operand):
    return op(result, "Active", operand, "{mode = #tpu<active_mode ABSVAL>}")


def inputs(*names):
    return ['%%%s = "top.Input"(%%arg%d) : (tensor<1x1024xf32>) -> T(%s) loc("%s")' % (name, i, name, name)
            for i, name in enumerate(names)]


def main(body, result, arguments=1):
    args = ", ".join("%%arg%d: tensor<1x1024xf32>" % i for i in range(arguments))
    return "func.func @main(%s) -> T(%s) {\n%s\nreturn %%%s : T(%s)\n}" % (args, result, "\n".join(body), result, result)


LOOP = ['%m = "top.Weight"() : () -> tensor<1xi32, W> loc("m")', '%none = "top.None"() : () -> none']


def loop(results, initial, states, body, yielded):
    """Runs twice or three times."""
    carried = lambda names: ", ".join("T(%s)" % n for n in names.split())
    values = lambda names: ", ".join("%" + n for n in names.split())
    count = len(results.split())
    return (LOOP + ['%%%s = "tpu.Loop"(%%m, %%none, %s) ({' % (results if count == 1 else "r:%d" % count, values(initial)),
                    "^bb0(%%iter: tensor<1xi32>, %%cond: none, %s):" % ", ".join(
                        '%%%s: T(%s) loc("%s")' % (n, n, n) for n in states.split())]
            + body + ['"tpu.Yield"(%%cond, %s) : (none, %s) -> ()' % (values(yielded), carried(yielded)),
                      '}) : (tensor<1xi32, W>, none, %s) -> (%s) loc("loop")' % (carried(initial), carried(results))])


class Case:
    """T(name) is a tensor that fills a slot at the place of that name, H(name) one of half a slot, W the weights'."""

    def __init__(self, text, right, wrong, error):
        self.text, self.right, self.wrong, self.error = text, right, wrong, error

    def module(self, places):
        """Names are slots of the region; a number may have a fraction."""
        def address(name):
            return NEURONS + int(places[name] * SLOT)
        size = max(int(slot * SLOT) for slot in places.values()) + SLOT
        text = re.sub(r"T\((\w+)\)", lambda m: "tensor<1x1024xf32, %d : i64>" % address(m[1]), self.text)
        text = re.sub(r"H\((\w+)\)", lambda m: "tensor<1x512xf32, %d : i64>" % address(m[1]), text)
        return MODULE % (WEIGHTS, SLOT, NEURONS, size, text.replace("W>", "%d : i64>" % WEIGHTS))


PARALLEL = [
    '%a, %b = "tpu.GroupParallel"(%x) ({', active("a1", "x"), op("a2", "Relu", "a1"), '"tpu.Yield"(%a2) : (T(a2)) -> ()',
    "}, {", active("b1", "x"), op("b2", "Relu", "b1"), '"tpu.Yield"(%b2) : (T(b2)) -> ()',
    '}) : (T(x)) -> (T(a2), T(b2)) loc("parallel")', '%y = "tpu.Add"(%a, %b) : (T(a2), T(b2)) -> T(y) loc("y")']
CORES = [
    '%j = "tpu.CoreParallel"(%x) ({',
    '%s:2 = "tpu.CoreSplit"(%x) {axis = 1 : si32} : (T(x)) -> (H(x), H(s1)) loc("s")',
    '%p0 = "tpu.Relu"(%s#0) : (H(x)) -> H(p0) loc("p0")', '%p1 = "tpu.Relu"(%s#1) : (H(s1)) -> H(p1) loc("p1")',
    '%w = "tpu.CoreJoin"(%p0, %p1) : (H(p0), H(p1)) -> T(p0) loc("w")', '"tpu.Yield"(%w) : (T(p0)) -> ()',
    '}) {offset = 0 : i64, size = 2 : i64} : (T(x)) -> T(p0) loc("j")',
    '%y = "tpu.Active"(%j) {mode = #tpu<active_mode ABSVAL>} : (T(p0)) -> T(y) loc("y")']

CASES = {
    "partial overlap": Case(
        main(inputs("x", "i") + [active("a", "i"), op("y", "Add", "a x")], "y", 2),
        {"x": 0, "i": 1, "a": 2, "y": 3}, {"a": 0.5},
        r"'tpu.Add' reads 'x' at \[\d+, \d+\) in step 1, but byte 4296017920 holds 'a', written in step 0"),
    "in place, read later": Case(
        main(inputs("x", "n") + [op("s", "ConcatSlice", "x n", "{axis = 1 : si32}"), op("y", "Add", "s x")], "y", 2),
        {"x": 0, "n": 1, "s": 2, "y": 3}, {"s": 0},
        r"'tpu.Add' reads 'x' at .* in step 1, but byte \d+ holds 's', written in step 0"),
    "a view outlives what it looks at": Case(
        main(inputs("x") + [active("a", "x"), op("v", "Reshape", "a"), active("b", "x"), op("y", "Add", "v b")], "y"),
        {"x": 0, "a": 1, "v": 1, "b": 2, "y": 3}, {"b": 1},
        r"'tpu.Add' reads 'v' at .* in step 3, but byte \d+ holds 'b', written in step 2"),
    "a state released inside the loop": Case(
        # 's2' is read first of all, and handed on as it is at the end.
        main(inputs("x", "z") + loop("y1 y2", "x z", "s1 s2", [op("t", "Add", "s1 s2"), active("u", "t"), active("v", "u")],
                                     "v s2") + ['%y = "tpu.Add"(%r#0, %r#1) : (T(y1), T(y2)) -> T(y) loc("y")'], "y", 2),
        {"x": 0, "z": 1, "s1": 2, "s2": 3, "t": 4, "u": 5, "v": 6, "y1": 7, "y2": 8, "y": 9}, {"u": 3},
        r"'tpu.Loop' reads 's2' at .*, but byte \d+ holds 'u', written in step 2"),
    "a lifetime not widened to the loop": Case(
        main(inputs("x", "k") + loop("y", "x", "s", [op("t", "Add", "s k"), active("u", "t")], "u"), "y", 2),
        {"x": 0, "k": 1, "s": 2, "t": 3, "u": 4, "y": 5}, {"u": 1},
        r"'tpu.Add' reads 'k' at .* in step 3, but byte \d+ holds 'u', written in step 2"),
    "an address cut to 32 bits": Case(
        main(inputs("x") + [active("a", "x"), op("b", "Relu", "x"), op("y", "Add", "a b")], "y"),
        {"x": 0, "a": 1, "b": (1 << 20) + 1, "y": 3}, {"b": ((1 << 20) + 1) % (1 << 20)},
        r"'tpu.Add' reads 'a' at .* in step 2, but byte \d+ holds 'b', written in step 1"),
    "scratch left out of a step": Case(
        main(inputs("x", "i") + ['%q = "tpu.Buffer"() {buffer_type = #tpu<buffer_type GMEM>} : () -> T(q) loc("q")',
                                 op("a", "Permute", "i q", "{order = [0, 1]}"), op("y", "Add", "a x")], "y", 2),
        {"x": 0, "i": 1, "q": 2, "a": 3, "y": 4}, {"q": 0},
        r"'tpu.Add' reads 'x' at .* in step 1, but byte \d+ holds 'q', written in step 0"),
    "branches at the same time share bytes": Case(
        main(inputs("x") + PARALLEL, "y"),
        {"x": 0, "a1": 1, "a2": 2, "b1": 3, "b2": 4, "y": 5}, {"b1": 1},
        r"'tpu.Active' writes 'b1' at .* over 'a1' at .*, which runs at the same time"),
    "pieces of cores overlap": Case(
        main(inputs("x") + CORES, "y"), {"x": 0, "s1": 0.5, "p0": 1, "p1": 1.5, "y": 2}, {"p1": 1.25},
        r"'tpu.Relu' writes 'p1' at .* over 'p0' at .*, which runs at the same time"),
    "a branch over what comes after it": Case(
        main(inputs("x", "k") + ['%c = "top.Weight"() : () -> tensor<1xi32, W> loc("c")', '%i = "tpu.If"(%c) ({',
                                 active("a1", "x"), '%a2 = "tpu.Relu"(%a1) : (T(a1)) -> T(i) loc("a2")',
                                 '"tpu.Yield"(%a2) : (T(i)) -> ()', "}, {", op("b1", "Relu", "x"),
                                 '%b2 = "tpu.Relu"(%b1) : (T(b1)) -> T(i) loc("b2")', '"tpu.Yield"(%b2) : (T(i)) -> ()',
                                 '}) : (tensor<1xi32, W>) -> T(i) loc("if")',
                                 op("y", "Add", "i k")], "y", 2),
        {"x": 0, "k": 1, "i": 2, "a1": 3, "b1": 3, "y": 4}, {"a1": 1, "b1": 1},
        r"'tpu.Add' reads 'k' at .* in step 3, but byte \d+ holds '[ab]1', written in step 1"),
}


class Mistakes(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = os.path.join(scratch.name, "net.mlir")

    def judge(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)
        return (tool("model_runner", "--model", self.path),
                tool("tpuc-opt", "--tpu-verify-addresses", self.path, "-o", os.devnull))

    def test_each_mistake_alone(self):
        for name, case in CASES.items():
            with self.subTest(name):
                ran, verified = self.judge(case.module(case.right))
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertEqual(verified.returncode, 0, verified.stderr)
                ran, verified = self.judge(case.module({**case.right, **case.wrong}))
                self.assertEqual(ran.returncode, 1, ran.stdout)
                self.assertRegex(ran.stderr, case.error)
                self.assertNotEqual(verified.returncode, 0, ran.stderr)
                self.assertRegex(verified.stderr, r"TPUMEM-E01[23]")

    def test_both_memories_compute_the_same(self):
        for name, case in CASES.items():
            with self.subTest(name):
                self.judge(case.module(case.right))
                value, arena = (tool("model_runner", "--model", self.path, "--memory=" + memory)
                                for memory in ("value", "arena"))
                self.assertEqual(value.returncode, 0, value.stderr)
                self.assertEqual(arena.returncode, 0, arena.stderr)
                self.assertEqual(value.stdout.split("weights and")[0], arena.stdout.split("weights and")[0])


if __name__ == "__main__":
    unittest.main()
