"""Integers beyond 32 bits and NaNs: what ONNX makes of them, as far as f32 holds it."""
import math
import struct
import unittest

import arrays
import computing
import onnx_files as onnx

NAN, INF = math.nan, math.inf
INT32, UINT32, UINT64 = 6, 12, 13
LONG = 2**40


def rounded(number):
    """As f32 has it."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


def cut(a, b):
    """a / b towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


class Numbers(computing.Computing):
    def of_integers(self, op, numbers, wanted, *attributes, kind=onnx.INT64, inputs=("i",), rest=b"", shape=None, opset=13):
        """`op` of the numbers as integers of a type; the result as floats."""
        parts = [onnx.node("Cast", ["x"], ["i"], onnx.whole_attribute("to", kind)), onnx.node(op, inputs, ["r"], *attributes),
                 onnx.node("Cast", ["r"], ["y"], onnx.whole_attribute("to", onnx.FLOAT)), rest]
        computed = self.computed(b"".join(parts), shape or [len(numbers)], [float(one) for one in numbers], [len(wanted)], opset=opset)
        self.assertEqual(computed, [rounded(one) for one in wanted], op)

    def test_casts(self):
        """A long one is what it is, whatever 32 bits could hold; fractions go."""
        for kind, numbers in ((onnx.INT64, [LONG, -LONG, 2**62, -3e9, 2**31, 2.75, -2.75, 0.5, -0.5, 8388607.5, -8388607.5]),
                              (UINT64, [2**63, LONG, 3e9, 2.75]), (UINT32, [2**32 - 256, 2**31, 3e9, 2.75]),
                              (INT32, [2**31 - 128, -2**31, 2.75, -2.75])):
            self.of_integers("Identity", numbers, [math.trunc(one) for one in numbers], kind=kind)
        like = onnx.node("CastLike", ["x", "l"], ["i"]) + onnx.node("Cast", ["i"], ["y"], onnx.whole_attribute("to", onnx.FLOAT))
        self.assertEqual(self.computed(like + onnx.initializer("l", [1], [0]), [2], [2.0**40, -2.5], [2], opset=15), [LONG, -2])

    def test_quotients(self):
        for kind, pairs in ((onnx.INT64, [(LONG, 3), (-LONG, 3), (LONG, -7), (2**62, 1), (7, -2), (-7, 2), (2**24 - 1, 2), (16777213, 3),
                                          (1, LONG)]), (UINT32, [(3000000000, 1), (7, 2)])):
            divisor = onnx.packed("d", kind, "q" if kind == onnx.INT64 else "I", [len(pairs)], [b for _, b in pairs])
            self.of_integers("Div", [a for a, _ in pairs], [cut(a, b) for a, b in pairs], kind=kind, inputs=("i", "d"), rest=divisor)

    def test_remainders(self):
        pairs = [(LONG, 1000), (-LONG, 1000), (LONG, -1000), (3 * 2**50, 2**33), (-7, 3), (7, -3)]
        divisor = onnx.initializer("d", [len(pairs)], [b for _, b in pairs])
        for fmod, wanted in ((0, [a % b for a, b in pairs]), (1, [math.fmod(a, b) for a, b in pairs])):
            self.of_integers("Mod", [a for a, _ in pairs], wanted, onnx.whole_attribute("fmod", fmod), inputs=("i", "d"), rest=divisor)

    def test_powers(self):
        self.of_integers("Pow", [2**30, 3, 10], [2**45, 5, 31], inputs=("i", "n"), rest=onnx.packed("n", onnx.FLOAT, "f", [1], [1.5]))
        self.of_integers("Pow", [2**30, 3, 1, 2], [2**60, 0, 1, 2**50], inputs=("i", "n"), rest=onnx.initializer("n", [4], [2, -1, -5, 50]))

    def test_reductions(self):
        for op, row, wanted in (("ReduceMean", [LONG, 2 * LONG, 3 * LONG, 4 * LONG], 5 * LONG // 2), ("ReduceMean", [-3, 0, 0, 0], 0),
                                ("ReduceMean", [-7, 1, 0, 0], -1), ("ReduceL2", [3 * 2**40, 4 * 2**40, 0, 0], 5 * 2**40),
                                ("ReduceL2", [1, 1, 1, 0], 1), ("ReduceSum", [LONG, LONG, 1, 0], 2 * LONG + 1),
                                ("ReduceSumSquare", [2**20, 2**20, 0, 0], 2**41), ("ReduceLogSumExp", [LONG, 0, 0, 0], LONG)):
            axes = [] if op == "ReduceSum" else [onnx.wholes_attribute("axes", [0])]
            self.of_integers(op, row, [wanted], *axes)

    def test_other_functions(self):
        self.of_integers("Shrink", [LONG, -LONG, -5, 5, 2, 2**31], [LONG, -LONG, -3, 3, 0, 2**31], onnx.real_attribute("bias", 1.5),
                         onnx.real_attribute("lambd", 2.0))
        matrix = onnx.initializer("b", [1, 1], [2**20])
        gemm = onnx.node("Unsqueeze", ["i", "a"], ["m"]) + onnx.node("Gemm", ["m", "b"], ["g"], onnx.real_attribute("alpha", 0.5)) + \
            onnx.node("Squeeze", ["g", "a"], ["r"]) + onnx.initializer("a", [1], [1]) + matrix
        cast = onnx.node("Cast", ["x"], ["i"], onnx.whole_attribute("to", onnx.INT64))
        back = onnx.node("Cast", ["r"], ["y"], onnx.whole_attribute("to", onnx.FLOAT))
        self.assertEqual(self.computed(cast + gemm + back, [2], [float(2**20), 3.0], [2]), [2**39, 3 * 2**19])
        linear = onnx.text_attribute("mode", "linear")
        sizes = onnx.node("Resize", ["i", "", "s"], ["r"], linear) + onnx.packed("s", onnx.FLOAT, "f", [1], [2.0])
        self.assertEqual(self.computed(cast + sizes + back, [2], [2.0**40, 2.0**42], [4]),
                         [2**40, 2**40 + 3 * 2**38, 2**40 + 9 * 2**38, 2**42])

    def test_resized_integers_stay_themselves(self):
        """Of one number everywhere, up to the last that f32 holds as halves."""
        for one in (5, 2**21 + 1, 2**22 - 1, -2**22 + 1):
            for mode in ("linear", "cubic"):
                for scale in (2.0, 2.34):
                    size = int(3 * scale)
                    nodes = [onnx.node("Cast", ["x"], ["i"], onnx.whole_attribute("to", INT32)),
                             onnx.node("Resize", ["i", "", "s"], ["r"], onnx.text_attribute("mode", mode)),
                             onnx.node("Cast", ["r"], ["y"], onnx.whole_attribute("to", onnx.FLOAT)),
                             onnx.packed("s", onnx.FLOAT, "f", [4], [1.0, 1.0, 1.0, scale])]
                    computed = self.computed(b"".join(nodes), [1, 1, 1, 3], [float(one)] * 3, [1, 1, 1, size])
                    self.assertEqual(computed, [one] * size, (one, mode, scale))

    def known(self, op, kind, numbers, wanted, *attributes, result=0, inputs=("a",), rest=b""):
        """Of a row of constants, which are computed as they are: modulo 1000, which f32 holds."""
        names = [["r", "q"], ["q", "r"]][result] if op == "TopK" else ["r"]
        nodes = [onnx.packed("a", kind, {UINT64: "Q", onnx.INT64: "q"}.get(kind, "f"), [len(numbers)], numbers),
                 onnx.node(op, ["a", *inputs[1:]], names, *attributes),
                 onnx.node("Cast", ["r"], ["w"], onnx.whole_attribute("to", onnx.INT64)),
                 onnx.node("Mod", ["w", "m"], ["k"]), onnx.initializer("m", [1], [1000]),
                 onnx.node("Cast", ["k"], ["f"], onnx.whole_attribute("to", onnx.FLOAT)), onnx.node("Add", ["x", "f"], ["y"]), rest]
        self.assertEqual(self.computed(b"".join(nodes), [len(wanted)], [0.0] * len(wanted), [len(wanted)]),
                         [one % 1000 for one in wanted], (op, numbers))

    def test_places_of_constants(self):
        """Of numbers that are one as f32."""
        last = onnx.whole_attribute("select_last_index", 1)
        long = [2**60, 2**60 + 3, 2**60 - 1, 2**60 + 3, 2**60 - 1]
        self.known("ArgMax", onnx.INT64, long, [1])
        self.known("ArgMax", onnx.INT64, long, [3], last)
        self.known("ArgMin", onnx.INT64, long, [2])
        self.known("ArgMin", onnx.INT64, long, [4], last)
        self.known("ArgMax", UINT64, [5, 2**63 + 1, 2**63], [1])
        self.known("ArgMin", UINT64, [2**63, 2**63 - 1, 2**64 - 1], [1])
        self.known("ArgMax", onnx.FLOAT, [1.0, 3.0, 2.0], [1])
        for largest, values, places in ((1, [long[1], long[1], long[0]], [1, 3, 0]), (0, [long[2], long[2], long[0]], [2, 4, 0])):
            for result, wanted in ((0, values), (1, places)):
                self.known("TopK", onnx.INT64, long, wanted, onnx.whole_attribute("largest", largest), result=result, inputs=("a", "n"),
                           rest=onnx.initializer("n", [1], [3]))

    def test_sums_of_constants(self):
        long = [2**60, 2**60 + 3, -2**61 - 1, 5]
        for op, wanted in (("ReduceMean", cut(sum(long), 4)), ("ReduceL1", sum(map(abs, long))), ("ReduceSum", sum(long)),
                           ("ReduceMax", 2**60 + 3), ("ReduceMin", -2**61 - 1)):
            self.known(op, onnx.INT64, long, [wanted])
        self.known("ReduceSumSquare", onnx.INT64, [2**30 + 1, 3], [(2**30 + 1)**2 + 9])
        self.known("ReduceMean", UINT64, [2**62, 2**63 - 1], [(2**62 + 2**63 - 1) // 2])
        self.known("Sign", onnx.INT64, [2**60, -2**60, 0], [1, -1, 0])
        self.known("Sign", UINT64, [2**63, 0], [1, 0])
        for fmod, wanted in ((0, [2**60 % 7, -2**60 % 7]), (1, [2**60 % 7, -(2**60 % 7)])):
            self.known("Mod", onnx.INT64, [2**60, -2**60], wanted, onnx.whole_attribute("fmod", fmod), inputs=("a", "n"),
                       rest=onnx.initializer("n", [1], [7]))

    def test_places_along_axes_of_constants(self):
        cube = [2**60 + one for one in (3, 1, 2, 2, 5, 4, 0, 7, 6, 9, 8, 1)]
        def at(i, j, k):
            return cube[(i * 3 + j) * 2 + k]
        for axis, keeps, shape in ((1, 0, [2, 2]), (1, 1, [2, 1, 2])):
            node = onnx.packed("a", onnx.INT64, "q", [2, 3, 2], cube) + onnx.node(
                "ArgMax", ["a"], ["r"], onnx.whole_attribute("axis", axis), onnx.whole_attribute("keepdims", keeps))
            node += onnx.node("Cast", ["r"], ["f"], onnx.whole_attribute("to", onnx.FLOAT)) + onnx.node("Add", ["x", "f"], ["y"])
            self.assertEqual(self.computed(node, shape, [0.0] * 4, shape),
                             [max(range(3), key=lambda j, i=i, k=k: at(i, j, k)) for i in (0, 1) for k in (0, 1)])
        node = onnx.packed("a", onnx.INT64, "q", [2, 3, 2], cube) + onnx.initializer("n", [1], [2]) + onnx.node(
            "TopK", ["a", "n"], ["q", "r"], onnx.whole_attribute("axis", 1))
        node += onnx.node("Cast", ["r"], ["f"], onnx.whole_attribute("to", onnx.FLOAT)) + onnx.node("Add", ["x", "f"], ["y"])
        wanted = [sorted(range(3), key=lambda j, i=i, k=k: -at(i, j, k))[rank] for i in (0, 1) for rank in (0, 1) for k in (0, 1)]
        self.assertEqual(self.computed(node, [2, 2, 2], [0.0] * 8, [2, 2, 2]), wanted)

    def test_bound_inputs(self):
        """Integers of a file of arrays are what they are, too."""
        for kind, dtype, number in ((onnx.INT64, "<i8", 2**53 + 7), (onnx.INT64, "<i8", -LONG - 5), (UINT64, "<u8", 2**63 + 11)):
            modulus = onnx.packed("m", kind, "Q" if kind == UINT64 else "q", [1], [1000])
            node = onnx.value(11, "n", kind, [1]) + onnx.node("Mod", ["n", "m"], ["k"]) + modulus + onnx.node(
                "Cast", ["k"], ["f"], onnx.whole_attribute("to", onnx.FLOAT)) + onnx.node("Add", ["x", "f"], ["y"])
            self.assertEqual(self.computed(node, [1], [0.0], [1], bound={"n": arrays.array(dtype, [1], [number])}), [number % 1000])

    def compare(self, computed, wanted, what):
        self.assertEqual([None if math.isnan(one) else one for one in computed], [None if math.isnan(one) else one for one in wanted], what)

    def test_extremes_of_no_numbers(self):
        """As numpy has them: one NaN makes one."""
        numbers, other = [1.0, NAN, NAN, INF, -INF], [NAN, 2.0, NAN, NAN, -1.0]
        weight = onnx.packed("w", onnx.FLOAT, "f", [5], other)
        for op, last in (("Max", -1.0), ("Min", -INF)):
            for inputs in (["x", "w"], ["w", "x"], ["x", "w", "x"]):
                self.compare(self.computed(onnx.node(op, inputs, ["y"]) + weight, [5], numbers, [5]), [NAN] * 4 + [last], op)
            folded = onnx.packed("v", onnx.FLOAT, "f", [5], numbers) + weight + onnx.node(op, ["v", "w"], ["m"])
            self.compare(self.computed(folded + onnx.node("Add", ["m", "x"], ["y"]), [5], [0.0] * 5, [5]), [NAN] * 4 + [last], op)
            # One number for all elements.
            scalar = onnx.packed("s", onnx.FLOAT, "f", [], [0.5])
            self.compare(self.computed(onnx.node(op, ["x", "s"], ["y"]) + scalar, [2], [NAN, 0.5], [2]), [NAN, 0.5], op)
        for op in ("ReduceMax", "ReduceMin"):
            node = onnx.node(op, ["x"], ["y"], onnx.wholes_attribute("axes", [1]), onnx.whole_attribute("keepdims", 0))
            self.compare(self.computed(node, [3, 2], [1.0, NAN, NAN, 1.0, 4.0, 4.0], [3]), [NAN, NAN, 4.0], op)
        high = onnx.node("ReduceSum", ["x"], ["h"], onnx.whole_attribute("keepdims", 0))
        clip = onnx.node("Clip", ["x", "l", "h"], ["y"]) + onnx.packed("l", onnx.FLOAT, "f", [], [-1.0])
        self.compare(self.computed(high + clip, [2], [NAN, 1.0], [2]), [NAN, NAN], "Clip")
        for op in ("Relu", "Clip", "LeakyRelu", "Elu", "HardSigmoid"):
            self.compare(self.computed(onnx.node(op, ["x"], ["y"]), [2], [NAN, 0.5], [2])[:1], [NAN], op)

    def test_places_of_no_numbers(self):
        """The first NaN, or the last, is the largest and the smallest."""
        rows = [1.0, 2.0, 3.0, 1.0, NAN, NAN, NAN, 5.0, 0.0]
        for op, first, last in (("ArgMax", [2, 1, 0], [2, 2, 0]), ("ArgMin", [0, 1, 0], [0, 2, 0])):
            for select, wanted in ((0, first), (1, last)):
                flags = [onnx.whole_attribute(*flag) for flag in (("axis", 1), ("keepdims", 0), ("select_last_index", select))]
                node = onnx.node(op, ["x"], ["p"], *flags) + onnx.node("Cast", ["p"], ["y"], onnx.whole_attribute("to", onnx.FLOAT))
                self.assertEqual(self.computed(node, [3, 3], rows, [3]), wanted, op)
                folded = onnx.packed("a", onnx.FLOAT, "f", [3, 3], rows) + onnx.node(op, ["a"], ["p"], *flags) + onnx.node(
                    "Cast", ["p"], ["f"], onnx.whole_attribute("to", onnx.FLOAT)) + onnx.node("Add", ["x", "f"], ["y"])
                self.assertEqual(self.computed(folded, [3], [0.0] * 3, [3]), wanted, op)


if __name__ == "__main__":
    unittest.main()
