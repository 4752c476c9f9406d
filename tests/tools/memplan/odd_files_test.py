"""No file makes memplan crash, and no message is missing: one line with `error:` and exit code 1, 3 or 5."""
import os
import random
import threading
import unittest

from memplan import MemplanTest

CSV = "id,lower,upper,size,alignment,gaps,offset\na,0,3,4,,,\nb,0,9,4,2,2-4,8\n\"c,\"\"x\",3,9,4,1,,\n"
JSON = """{"version": 1, "name": "n", "period": 12, "pools": [{"name": "p", "capacityBytes": 64, "alignment": 2}],
 "buffers": [{"name": "a", "kind": "input", "sizeBytes": 8, "lifespans": [[0, 2], [3, 4]], "readSteps": [1, 3]},
  {"name": "b", "sizeBytes": 4, "lifespans": [[0, 2]], "pin": {"pool": "p", "offsetBytes": 16}},
  {"name": "v", "sizeBytes": 2, "lifespans": [[0, 1]]}],
 "aliases": [{"member": "v", "root": "a", "offsetBytes": 2}], "forbiddenSharing": [["a", "b"]]}"""
SNIPPETS = (b"", b"-", b"\"", b",", b"\n", b"{", b"]", b"9" * 18, b"9223372036854775807", b"-1", b"0", b"\0", b"\xff",
            b"\xef\xbb\xbf", b"1e999", b"null", b"[[0,1]]", b"\\ud800", b"a")
COMMANDS = (("solve", "p"), ("explain", "p"), ("render", "p"), ("render", "--format=html", "p"),
            ("compare", "--time=false", "p"), ("validate", "p", "p"), ("diff", "p", "p", "p"))


class OddFiles(MemplanTest):
    def check(self, contents, *arguments):
        self.write("p", contents)
        done = self.run_memplan(*arguments)
        with self.subTest(arguments=arguments, contents=contents[:200]):
            self.assertIn(done.returncode, (0, 1, 3, 5))
            if done.returncode and arguments[0] not in ("validate", "diff", "compare"):
                self.assertIn(b"error: ", done.stderr)

    def test_mutated_problems(self):
        rng = random.Random(5)
        for i in range(350):
            text = bytearray((CSV if i % 2 else JSON).encode())
            for _ in range(rng.randint(1, 3)):
                begin = rng.randrange(len(text))
                text[begin:begin + rng.choice((0, 1, 1, 4))] = rng.choice(SNIPPETS)
            self.check(bytes(text), *COMMANDS[i % len(COMMANDS)])

    def test_files_that_are_none(self):
        rng = random.Random(6)
        odd = [b"", b"\n\n", b"\0" * 100, bytes(rng.randrange(256) for _ in range(4000)), b"[" * 100000,
               b"{\"a\":" * 5000, b"id", b"id,lower,upper,size", b"\xff\xfe{\0}\0", b"\x7fELF" + b"\1" * 60]
        for contents in odd:
            for command in COMMANDS:
                self.check(contents, *command)

    def test_extremes_are_drawn(self):
        for size in ("0", "1", "9223372036854775807"):
            for end in ("1", "9223372036854775807"):
                for command in COMMANDS[:5]:
                    self.check(f"id,lower,upper,size\na,0,{end},{size}\nb,0,1,0\n".encode(), *command)

    def test_plans_beyond_63_bits_are_told(self):
        self.write("q", "id,lower,upper,size\na,0,3,4\n")
        for offset in ("9223372036854775807", "-9223372036854775808", "-1"):
            self.write("plan", f"id,offset\na,{offset}\n")
            for command in ("validate", "render", "explain"):
                done = self.run_memplan(command, "q", "plan")
                self.assertEqual(done.returncode, int(command == "validate"), (command, offset, done.stderr))

    def test_plans_may_claim_anything(self):
        self.write("q", "id,lower,upper,size\na,0,3,4\n")
        for number in ("-9223372036854775808", "9223372036854775807", "-1"):
            self.write("plan", '{"version": 1, "pools": [{"name": "memory", "usedBytes": %s, "lowerBoundBytes": %s}], '
                       '"placements": [{"buffer": "a", "pool": "memory", "offsetBytes": %s}]}' % ((number,) * 3))
            self.write("good", "id,offset\na,0\n")
            for command in (("validate", "q", "plan"), ("render", "q", "plan"), ("explain", "q", "plan"),
                            ("render", "--format=html", "q", "plan"), ("diff", "q", "plan", "good"),
                            ("diff", "q", "good", "plan")):
                done = self.run_memplan(*command)
                self.assertEqual(done.returncode, int(command[0] in ("validate", "diff")), (command, number, done.stderr))

    def test_positions_of_long_files(self):
        """Of more than a MiB, which is not kept: from a file, which may be read again, and a pipe, which may not."""
        rows = ["%s_%06d,%d,%d,1" % ("n" * 20, i, i, i + 1) for i in range(40000)]
        rows[31000] = "huge,31000,31001,4096"
        as_csv = "id,lower,upper,size\n" + "\n".join(rows) + "\n"
        buffers = ['{"name": "%s", "sizeBytes": %s, "lifespans": [[%s, %s]]}' % (name, size, lower, upper)
                   for name, lower, upper, size in (row.split(",") for row in rows)]
        as_json = '{"version": 1, "pools": [{"name": "p"}], "buffers": [\n' + ",\n".join(buffers) + "]}\n"
        for contents in (as_csv, as_json):
            self.assertGreater(len(contents), 1 << 20)
            self.write("long", contents)
            os.mkfifo(self.path("pipe"))
            writer = threading.Thread(target=self.write, args=("pipe", contents))
            writer.start()
            from_pipe = self.run_memplan("solve", "--capacity=4095", "pipe")
            writer.join()
            os.remove(self.path("pipe"))
            from_file = self.run_memplan("solve", "--capacity=4095", "long")
            from_stdin = self.run_memplan("solve", "--capacity=4095", "-", stdin=contents.encode())
            for name, done in (("long", from_file), ("pipe", from_pipe), ("<stdin>", from_stdin)):
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(b"%s:31002:1: note: " % name.encode(), done.stderr)


if __name__ == "__main__":
    unittest.main()
