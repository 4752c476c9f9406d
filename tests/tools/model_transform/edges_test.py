"""Functions that become several layers, where f32 and F16 end: as ONNX means them, not as a textbook formula rounds."""
import math
import struct
import unittest

import computing
import onnx_files as onnx

INF, NAN = math.inf, math.nan
INT32, UINT64 = 6, 13
SMALL = [1e-30, 1e-7, 1e-6, 1e-3, 0.1, 0.124, 0.126, 0.5, 1.0, 2.0, 300.0, 1e10, 3e38, INF]
BOTH = [0.0] + SMALL + [-number for number in SMALL]


def shrink(x):
    return x + 0.25 if x < -0.5 else x - 0.25 if x > 0.5 else 0.0


def sign(x):
    return x if math.isnan(x) else float((x > 0) - (x < 0))


CASES = {
    "Asinh": (BOTH, math.asinh),
    "Acosh": ([1.0, 1.001, 1.5, 1.999, 2.0, 2.001, 10.0, 300.0, 1e10, 3e38, INF, 0.5, 0.0, -1.0, -5e3, -INF],
              lambda x: math.acosh(x) if x >= 1 else NAN),
    "Shrink": (BOTH, shrink),
    "ThresholdedRelu": (BOTH + [NAN], lambda x: x if x > 1 else 0.0),
    "Sign": (BOTH + [NAN], sign),
}
ROWS = [[0.0, 1.0, 2.0], [-INF, 1.0, 2.0], [INF, 1.0, 2.0], [-INF, -INF, -INF], [INF, -INF, 0.0], [3e38, 3e38, 1.0],
        [-3e38, -3e38, -3e38], [88.0, 89.0, 90.0], [NAN, 1.0, 2.0]]


def log_sum_exp(row):
    most = max(row)
    if any(math.isnan(one) for one in row) or math.isinf(most):
        return NAN if any(math.isnan(one) for one in row) else most
    return most + math.log(sum(math.exp(one - most) for one in row))


class Edges(computing.Computing):
    def compare(self, what, given, computed, wanted):
        self.assertEqual(len(computed), len(wanted))
        for x, y, right in zip(given, computed, wanted):
            good = math.isnan(y) if math.isnan(right) else y == right if math.isinf(right) else \
                abs(y - right) <= 1e-5 * abs(right) + 1e-38
            self.assertTrue(good, f"{what} of {x} is {right}, not {y}")

    def test_functions(self):
        for op, (spelled, function) in CASES.items():
            numbers = [struct.unpack("<f", struct.pack("<f", number))[0] for number in spelled]
            attributes = (onnx.real_attribute("bias", 0.25),) if op == "Shrink" else ()
            node = onnx.node(op, ["x"], ["y"], *attributes)
            computed = self.computed(node, [len(numbers)], numbers, [len(numbers)])
            self.compare(op, numbers, computed, [function(x) for x in numbers])

    def test_powers(self):
        """The same before and after lowering; of -inf and -0 the power 0.5 is the square root, else all is as ONNX has it."""
        numbers = [-INF, -4.0, -1.0, -0.5, -0.0, 0.0, 2.0**-140, 0.25, 1.0, 2.0, INF, NAN]
        wanted = {0.5: [NAN, NAN, NAN, NAN, -0.0, 0.0, 2.0**-70, 0.5, 1.0, math.sqrt(2), INF, NAN],
                  -0.5: [0.0, NAN, NAN, NAN, INF, INF, 2.0**70, 2.0, 1.0, math.sqrt(0.5), 0.0, NAN],
                  2.0: [INF, 16.0, 1.0, 0.25, 0.0, 0.0, 0.0, 0.0625, 1.0, 4.0, INF, NAN],
                  1.0: numbers, 0.0: [1.0] * len(numbers),
                  -1.0: [-0.0, -0.25, -1.0, -2.0, -INF, INF, INF, 4.0, 1.0, 0.5, 0.0, NAN],
                  3.0: [-INF, -64.0, -1.0, -0.125, -0.0, 0.0, 0.0, 0.015625, 1.0, 8.0, INF, NAN]}
        for exponent, powers in wanted.items():
            parts = onnx.node("Pow", ["x", "e"], ["y"]) + onnx.packed("e", onnx.FLOAT, "f", [1], [exponent])
            computed = self.computed(parts, [len(numbers)], numbers, [len(numbers)])
            self.compare(f"power {exponent}", numbers, computed, powers)
            signs = [[math.copysign(1, y) for y in each if not math.isnan(y)] for each in (computed, powers)]
            self.assertEqual(*signs)

    def test_first_forms(self):
        def cast(operand, result, name):
            return onnx.node("Cast", [operand], [result], onnx.text_attribute("to", name))
        computed = self.computed(cast("x", "i", "INT32") + cast("i", "y", "FLOAT"), [4], [-1.5, 0.5, 2.75, 7.0], [4], opset=1)
        self.assertEqual(computed, [-1, 0, 2, 7])
        for mode, rows in (("nearest", [[1, 1, 1, 3, 3, 3]] * 2), ("bilinear", None)):
            node = onnx.node("Upsample", ["x"], ["y"], onnx.text_attribute("mode", mode), onnx.real_attribute("height_scale", 2.0),
                             onnx.real_attribute("width_scale", 3.0))
            computed = self.computed(node, [1, 1, 1, 2], [1.0, 3.0], [1, 1, 2, 6], opset=1)
            self.assertEqual(len(computed), 12)
            if rows:
                self.assertEqual(computed, rows[0] + rows[1])
            else:
                self.assertEqual((computed[0], computed[:6]), (1, computed[6:]))
                self.assertEqual(computed, sorted(computed[:6]) * 2)

    def test_norms_of_each_element(self):
        """With `spatial` = 0 every element of an image has a factor and a bias in opsets 7 and 8, channels have where there are so many."""
        numbers = [float(i) for i in range(12)]
        for opset in (6, 7, 8):
            for count, spatial in ((6, 0), (2, 0), (2, 1)):
                lists = [[0.5 * i + 1 for i in range(count)], [i - 2.0 for i in range(count)], [i / 4 for i in range(count)],
                         [i + 0.5 for i in range(count)]]
                shape = [2, 3] if count == 6 else [2]
                parts = [onnx.node("BatchNormalization", list("xsbmv"), ["y"], onnx.whole_attribute("spatial", spatial),
                                   onnx.real_attribute("epsilon", 0.5), *([onnx.whole_attribute("is_test", 1)] if opset == 6 else []))]
                parts += [onnx.packed(name, onnx.FLOAT, "f", shape, values) for name, values in zip("sbmv", lists)]
                wanted = []
                for i, x in enumerate(numbers):
                    scale, bias, mean, variance = (values[i % 6 // (6 // count)] for values in lists)
                    wanted.append((x - mean) / math.sqrt(variance + 0.5) * scale + bias)
                with self.subTest(opset=opset, count=count, spatial=spatial):
                    self.compare("norm", numbers, self.computed(b"".join(parts), [2, 2, 3], numbers, [2, 2, 3], opset=opset), wanted)

    def test_the_first_gru_goes_forward(self):
        """ONNX spells the default of its direction in a way of its own there."""
        parts = [onnx.node("GRU", list("xwr"), ["", "y"], onnx.whole_attribute("hidden_size", 1))]
        parts += [onnx.packed(name, onnx.FLOAT, "f", [1, 3, 1], values) for name, values in (("w", [0, 0, 1]), ("r", [0, 0, 0]))]
        computed = [self.computed(b"".join(parts), [2, 1, 1], [0.25, 2.0], [1, 1, 1], opset=opset) for opset in (1, 3)]
        self.compare("steps", [0], computed[0], [0.5 * math.tanh(2) + 0.25 * math.tanh(0.25)])
        self.assertEqual(*computed)

    def test_nothing_is_looked_for(self):
        node = onnx.node("IsInf", ["x"], ["b"], onnx.whole_attribute("detect_negative", 0),
                         onnx.whole_attribute("detect_positive", 0)) + onnx.node("Cast", ["b"], ["y"],
                                                                                   onnx.whole_attribute("to", onnx.FLOAT))
        self.assertEqual(self.computed(node, [3], [INF, 1.0, -INF], [3]), [0, 0, 0])

    def test_log_sum_exp(self):
        node = onnx.node("ReduceLogSumExp", ["x"], ["y"], onnx.whole_attribute("keepdims", 0), onnx.wholes_attribute("axes", [1]))
        computed = self.computed(node, [len(ROWS), 3], [one for row in ROWS for one in row], [len(ROWS)])
        self.compare("ReduceLogSumExp", ROWS, computed, [log_sum_exp(row) for row in ROWS])

    def test_integers_hold_no_fractions(self):
        """Cut towards zero: as the next layer sees them."""
        def of_integers(op, *attributes, kind=INT32, inputs=("i",), weights=(), shape=(2, 2), numbers=(1, 1, -3, 4), result=None):
            parts = [onnx.node("Cast", ["x"], ["i"], onnx.whole_attribute("to", kind)), onnx.node(op, inputs, ["r"], *attributes),
                     onnx.node("Cast", ["r"], ["y"], onnx.whole_attribute("to", onnx.FLOAT)),
                     *(onnx.initializer(name, *weight) for name, weight in weights)]
            return self.computed(b"".join(parts), list(shape), list(map(float, numbers)), list(result or shape), opset=13)
        for kind in (INT32, onnx.INT64):
            for op, wanted in (("ReduceL2", [1, 5]), ("ReduceLogSum", [0, 2]), ("ReduceLogSumExp", [1, 7])):
                given = (1, 1, 3, 4) if op == "ReduceL2" else (1, 0, 6, 7)
                computed = of_integers(op, onnx.wholes_attribute("axes", [1]), onnx.whole_attribute("keepdims", 0), kind=kind,
                                       numbers=given, result=[2])
                self.assertEqual(computed, wanted, op)
        for exponents, wanted in ((([], [-1]), [0, 1, -1, 0]), (([2, 2], [-1, -2, -3, 40]), [0, 1, -1, 2**40])):
            self.assertEqual(of_integers("Pow", kind=onnx.INT64, inputs=("i", "n"), weights=[("n", exponents)], numbers=(2, 1, -1, 2)),
                             wanted)
        self.assertEqual(of_integers("Pow", kind=onnx.INT64, inputs=("i", "i"), numbers=(-2, -1, 1, 3)), [0, -1, 1, 27])
        self.assertEqual(of_integers("Gemm", onnx.real_attribute("alpha", 0.5), onnx.whole_attribute("transB", 1), inputs=("i", "i")),
                         [1, 0, 0, 12])
        self.assertEqual(of_integers("Shrink", onnx.real_attribute("bias", 1.5), onnx.real_attribute("lambd", 2.0)), [0, 0, -1, 2])
        self.assertEqual(of_integers("Erf"), [0, 0, 0, 1])

    def test_one_hot(self):
        """Each value as it is, at an index that is cut towards zero."""
        for off, on in ((-INF, 0.0), (-1e9, 0.5), (3e38, -3e38), (1.0, INF)):
            node = onnx.node("OneHot", ["x", "d", "v"], ["y"]) + onnx.initializer("d", [], [3]) + onnx.packed("v", onnx.FLOAT, "f", [2], [off, on])
            computed = self.computed(node, [6], [-0.5, -1.5, -3.0, 1.75, 3.0, -4.0], [6, 3])
            given = [struct.unpack("<f", struct.pack("<f", one))[0] for one in (off, on)]
            self.assertEqual(computed, [given[place == at] for place in (0, 2, 0, 1, None, None) for at in range(3)])

    def test_exclusive_sums(self):
        """Of the others alone: a large element does not take them with it."""
        for numbers, exclusive, backwards in (([1.0, 1e8, 2.0], [0, 1, 1e8], [1e8, 2, 0]), ([1.0, INF, 2.0], [0, 1, INF], [INF, 2, 0])):
            for reverse, wanted in ((0, exclusive), (1, backwards)):
                node = onnx.node("CumSum", ["x", "a"], ["s"], onnx.whole_attribute("exclusive", 1),
                                 onnx.whole_attribute("reverse", reverse)) + onnx.initializer("a", [], [1])
                self.assertEqual(self.computed(node + onnx.node("Relu", ["s"], ["y"]), [1, 3], numbers, [1, 3]), wanted)
                self.assertEqual(self.computed(node + onnx.node("Max", ["s", "x"], ["y"]), [3, 1], numbers, [3, 1]), numbers)

    def test_integers_of_64_bits(self):
        """Known ones, where doubles end and where a sign would be."""
        for op, kind, a, b, wanted in (
                ("Pow", onnx.INT64, 3, 35, 3**35), ("Pow", onnx.INT64, -2, -1, 0), ("Pow", onnx.INT64, -1, -3, -1),
                ("Div", UINT64, 2**63, 2, 2**62), ("Mod", UINT64, 2**64 - 1, 10, 5), ("Max", UINT64, 2**63, 5, 2**63),
                ("Min", UINT64, 2**63, 5, 5), ("Greater", UINT64, 2**64 - 1, 5, 1), ("Less", UINT64, 2**64 - 1, 5, 0)):
            words = [onnx.packed(name, kind, "Q" if kind == UINT64 else "q", [1], [one]) for name, one in (("a", a), ("b", b))]
            rest = [onnx.node("Cast", ["r"], ["w"], onnx.whole_attribute("to", onnx.INT64)), onnx.node("Mod", ["w", "m"], ["k"]),
                    onnx.initializer("m", [1], [1000]), onnx.node("Cast", ["k"], ["f"], onnx.whole_attribute("to", onnx.FLOAT)),
                    onnx.node("Add", ["x", "f"], ["y"])]
            wrapped = (wanted + 2**63) % 2**64 - 2**63
            self.assertEqual(self.computed(b"".join([onnx.node(op, ["a", "b"], ["r"]), *words, *rest]), [1], [0.0], [1]),
                             [wrapped % 1000], (op, a, b))
        for op, wanted in (("Identity", [2**63, 5]), ("ReduceMax", [2**63, 2**63]), ("ReduceMin", [5, 5]), ("Abs", [2**63, 5])):
            node = onnx.packed("a", UINT64, "Q", [2], [2**63, 5]) + onnx.node(op, ["a"], ["r"]) + onnx.node(
                "Cast", ["r"], ["f"], onnx.whole_attribute("to", onnx.FLOAT)) + onnx.node("Add", ["x", "f"], ["y"])
            self.assertEqual(self.computed(node, [2], [0.0, 0.0], [2]), wanted, op)

    def test_diagonals(self):
        """What is beside them does not count, not even an infinity."""
        cube = [[[1.0, INF], [2.0, 3.0]], [[4.0, 5.0], [NAN, 6.0]]]
        flat = [one for matrix in cube for row in matrix for one in row]
        for equation, shape, wanted in (("ii->i", [3, 3], [0, 4, 8]), ("ii", [3, 3], [12]), ("ii->i", [1, 1], [0]),
                                        ("iji->ji", [2, 2, 2], [cube[i][j][i] for j in (0, 1) for i in (0, 1)]),
                                        ("iij->ij", [2, 2, 2], [cube[i][i][j] for i in (0, 1) for j in (0, 1)]),
                                        ("iii->i", [2, 2, 2], [1, 6])):
            numbers = flat if len(shape) == 3 else [float(i) if i % 4 == 0 else INF for i in range(shape[0] * shape[1])]
            node = onnx.node("Einsum", ["x"], ["y"], onnx.text_attribute("equation", equation))
            result = {"ii": [], "ii->i": shape[:1], "iii->i": [2]}.get(equation, [2, 2])
            self.compare(equation, wanted, self.computed(node, shape, numbers, result), wanted)


if __name__ == "__main__":
    unittest.main()
