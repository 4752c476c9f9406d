"""The planner from Python: the same plans with lists, arrays and numpy, and an exception of its own for each way it can end."""
import array
import random
import unittest

import tpu_memory

try:
    import numpy
except ImportError:
    numpy = None


def problem(count, seed):
    rng = random.Random(seed)
    lower = [rng.randrange(count) for _ in range(count)]
    return {
        "sizes": [rng.randrange(1, 5000) for _ in range(count)],
        "lower": lower,
        "upper": [begin + rng.randrange(1, 9) for begin in lower],
        "alignment": [2**rng.randrange(7) for _ in range(count)],
    }


class Plans(unittest.TestCase):
    def check(self, given, plan):
        """Nothing that is alive together shares a byte; by hand, and not by the library."""
        ends = [plan.offsets[i] + size for i, size in enumerate(given["sizes"])]
        self.assertEqual(max(ends), plan.used)
        for i, offset in enumerate(plan.offsets):
            self.assertEqual(offset % given["alignment"][i], 0)
            for j in range(i):
                if given["lower"][i] < given["upper"][j] and given["lower"][j] < given["upper"][i]:
                    self.assertTrue(ends[i] <= plan.offsets[j] or ends[j] <= plan.offsets[i])

    def test_plans(self):
        for seed in range(10):
            given = problem(100, seed)
            plan = tpu_memory.plan(**given)
            self.check(given, plan)
            self.assertLessEqual(plan.lower_bound, plan.used)
            self.assertIn(plan.proof, ("lower-bound", "optimal", "limit-hit", "none"))
            words = tpu_memory.plan(**{key: array.array("q", values) for key, values in given.items()})
            self.assertEqual(list(words.offsets), list(plan.offsets))

    def test_one_alignment_for_all(self):
        plan = tpu_memory.plan([3, 3], [0, 0], [1, 1], alignment=64)
        self.assertEqual(sorted(plan.offsets), [0, 64])
        self.assertEqual(repr(plan), "Plan(2 buffers, used=67, lower_bound=67, proof='lower-bound')")

    def test_no_buffers(self):
        self.assertEqual(tpu_memory.plan([], [], []).used, 0)

    @unittest.skipIf(numpy is None, "no numpy here")
    def test_numpy(self):
        given = problem(100, 3)
        arrays = {key: numpy.array(values) for key, values in given.items()}
        plan = tpu_memory.plan(**arrays)
        self.assertIsInstance(plan.offsets, numpy.ndarray)
        self.assertEqual(plan.offsets.tolist(), list(tpu_memory.plan(**given).offsets))
        for other in ({key: values.astype(numpy.int32) for key, values in arrays.items()},
                      {key: numpy.repeat(values, 2)[::2] for key, values in arrays.items()}):
            self.assertEqual(tpu_memory.plan(**other).offsets.tolist(), plan.offsets.tolist())
        for values in arrays.values():
            values.flags.writeable = False
        self.assertEqual(tpu_memory.plan(**arrays).offsets.tolist(), plan.offsets.tolist())
        with self.assertRaises(tpu_memory.BadInput):
            tpu_memory.plan(arrays["sizes"] * 0.5, arrays["lower"], arrays["upper"])

    def test_many_in_one_call(self):
        count = 100000
        given = problem(count, 7)
        plan = tpu_memory.plan(**given)
        self.assertEqual(len(plan.offsets), count)
        self.assertEqual(plan.used, max(offset + size for offset, size in zip(plan.offsets, given["sizes"])))

    def test_json(self):
        text = {
            "version": 1,
            "pools": [{"name": "fast", "capacityBytes": 64}, {"name": "slow"}],
            "buffers": [{"name": name, "sizeBytes": 64, "lifespans": [[0, 2]], "pools": ["fast", "slow"]} for name in "ab"],
        }
        plan = tpu_memory.plan_json(text)
        self.assertEqual(sorted(one["pool"] for one in plan["placements"]), ["fast", "slow"])


class Refusals(unittest.TestCase):
    def test_does_not_fit(self):
        with self.assertRaises(tpu_memory.DoesNotFit) as caught:
            tpu_memory.plan([64, 64], [0, 0], [1, 1], capacity=100)
        self.assertEqual((caught.exception.status, caught.exception.need), (3, 128))
        self.assertIn("needs 128 B, has 100 B, over by 28 B", str(caught.exception))

    def test_bad_input(self):
        for wrong in ({"sizes": [-1]}, {"lower": [1]}, {"alignment": [0]}, {"sizes": [1, 2]}, {"sizes": [1.5]}, {"sizes": [2**64]},
                      {"strategy": "magic"}, {"node_limit": -1}, {"capacity": 2**63}, {"threads": -1}, {"alignment": [1, 1]},
                      {"sizes": "x"}):
            with self.subTest(wrong=wrong), self.assertRaises(tpu_memory.BadInput):
                tpu_memory.plan(**{"sizes": [1], "lower": [0], "upper": [1], **wrong})
        with self.assertRaisesRegex(ValueError, "line 1, column"):
            tpu_memory.plan_json("{")

    def test_version(self):
        self.assertRegex(tpu_memory.version(), r"^\d+\.\d+\.\d+ \(LLVM 22\.")


if __name__ == "__main__":
    unittest.main()
