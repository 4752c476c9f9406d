"""Every flag of every tool changes what a run does, or is refused.

Each is also given twice and without a value, which no tool takes.

A case runs a tool twice, without the flag and with it, on an input on which it
matters. The two have to differ: in the exit code, in what is printed or in the
files that are written. A flag of --help without a case fails, and so does a
case without a flag. What a tool says about its command line is no effect.
"""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import cases

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
TOOLS = {name: os.path.join(ROOT, "tpu_mlir/tools", name, name)
         for name in ("model_calibrate", "model_deploy", "memplan", "model_builder", "model_runner", "model_transform", "tpuc-opt")}
# Passes and flags that come with MLIR and LLVM.
GENERIC = {"help", "help-list", "help-hidden", "version", "color"}
# Of these at least one case reads a file and writes another.
OVERWRITING = {"model_calibrate", "convert-top-to-tpu", "tpu-reorder-weights", "model_runner", "model_transform", "memplan compare", "memplan explain", "memplan render", "memplan solve",
               "tpu-assign-global-address", "tpu-assign-pools", "tpu-local-report", "tpu-memory-report"}
UPSTREAM = {"canonicalize", "cse", "strip-debuginfo"}


def run(command, environment=None):
    return subprocess.run(command, capture_output=True, check=False, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, env=environment)


class Workshop:
    """Where inputs are: those of cases.py, and what tools make of them."""

    def __init__(self, folder):
        self.folder = folder
        for name, text in cases.INPUTS.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(text if isinstance(text, bytes) else text.encode())
        for chip in ("bm1684x", "bm1688"):
            shutil.copy(os.path.join(ROOT, "tpu_mlir/chips", chip + ".json"), folder)
        # A chip with so little local memory that layers hardly fit, one that no build knows, and one of two cores
        # with a slow memory and a fast L2.
        with open(os.path.join(folder, "bm1684x.json"), encoding="utf-8") as file:
            text = file.read()
        for name, old, new in (("tiny", '"laneBytes": 262144', '"laneBytes": 32768'),
                               ("own", '"name": "bm1684x"', '"name": "own"')):
            with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as file:
                file.write(text.replace(old, new))
        with open(os.path.join(folder, "fast_l2.json"), "w", encoding="utf-8") as file:
            json.dump({**json.loads(text), **cases.FAST_L2}, file)
        for command in cases.PREPARED:
            done = self.outcome(command, folder)
            assert done[0] == 0, (command, done)

    def outcome(self, command, folder=None):
        """Exit code, standard output, standard error, files by name."""
        with tempfile.TemporaryDirectory() as scratch:
            where = folder or scratch
            if not folder:
                for name in os.listdir(self.folder):
                    os.symlink(os.path.join(self.folder, name), os.path.join(scratch, name))
            done = subprocess.run([TOOLS[command[0]]] + command[1:], cwd=where, capture_output=True, check=False,
                                  text=True, errors="replace", stdin=subprocess.DEVNULL)
            files = {}
            if not folder:
                for name in sorted(os.listdir(scratch)):
                    path = os.path.join(scratch, name)
                    if os.path.isfile(path) and not os.path.islink(path):
                        with open(path, encoding="utf-8", errors="replace") as file:
                            files[name] = file.read()
            # The commands that model_deploy prints repeat its flags.
            log = "\n".join(line for line in done.stderr.splitlines() if not line.startswith(("tpuc-opt ", "model_transform ")))
            return done.returncode, done.stdout, log, files


class Flags(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.shop = Workshop(cls.scratch.name)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def check(self, what, table, flags):
        """`table`: flag to (command without it, command with it), or to the reason why it shows nowhere."""
        self.assertEqual(sorted(set(flags) - set(table)), [], what + ": flags without a case")
        self.assertEqual(sorted(set(table) - set(flags) - cases.ALIASES), [], what + ": cases without a flag")
        nothing, overwritings = [], 0
        for flag, case in sorted(table.items()):
            if isinstance(case, str):
                continue
            without, with_it = (self.shop.outcome(command) for command in case)
            if without == with_it:
                nothing.append(flag)
            # Otherwise a typo in a case would count as an effect.
            self.assertNotIn(": Unknown command line argument", with_it[2], (what, flag))
            self.assertNotIn("no such option", with_it[2], (what, flag))
            self.assertNotIn("given twice", with_it[2], (what, flag))
            self.check_misuse(case[1], flag)
            overwritings += self.check_overwriting(case[1], with_it[3])
        self.assertEqual(nothing, [], what + ": these change nothing")
        if what in OVERWRITING:
            # Otherwise the names of files are not found any more.
            self.assertGreater(overwritings, 0, what)

    def check_misuse(self, command, flag):
        """A flag has one value, unless it is a list, and the value is not empty."""
        dashes = "-" if len(flag) == 1 else "--"
        given = command[-1] if re.match(r"--?%s(=|$)" % re.escape(flag), command[-1]) else dashes + flag + "=1"
        if command[0] == "tpuc-opt" or flag == "list":
            return
        start = command[:2] if command[0] == "memplan" else command[:1]
        empty = self.shop.outcome([*start, dashes + flag + "="])
        self.assertEqual(empty[0], 2, (command, flag, empty))
        self.assertRegex(empty[2], dashes + flag + r"\b", (command, flag))
        twice = self.shop.outcome([*start, given, given])
        if flag in cases.LISTS:
            self.assertNotIn("given twice", twice[2], (command, flag))
        else:
            self.assertEqual(twice[0], 2, (command, flag, twice))
            self.assertIn("is given twice", twice[2], (command, flag))

    def check_overwriting(self, command, written):
        """What a flag names to be written is not written over what the same command reads."""
        words = [word for argument in command for word in re.split(r"[=\s;\"]+", argument)]
        read = [word for word in words if os.path.isfile(os.path.join(self.shop.folder, word))]
        tried = 0
        for name in sorted(set(written) & set(words)):
            for input_name in sorted(set(read)):
                other = [re.sub(r"(?<![\w.])%s(?![\w.])" % re.escape(name), input_name, argument) for argument in command]
                done = self.shop.outcome(other)
                self.assertNotEqual(done[0], 0, (other, done))
                self.assertNotIn(input_name, done[3], other)
                tried += 1
        return tried

    def flags_of(self, tool, *command):
        text = run([TOOLS[tool], *command, "--help"]).stdout
        names = re.findall(r"^ +--?([A-Za-z0-9_-]+)(?:=<[^>]*>| <[^>]*>)? +- ", text, re.MULTILINE)
        return [name for name in names if name not in GENERIC]

    def test_model_deploy(self):
        self.check("model_deploy", cases.MODEL_DEPLOY, self.flags_of("model_deploy"))

    def test_model_calibrate(self):
        self.check("model_calibrate", cases.MODEL_CALIBRATE, self.flags_of("model_calibrate"))

    def test_model_builder(self):
        self.check("model_builder", cases.MODEL_BUILDER, self.flags_of("model_builder"))

    def test_model_runner(self):
        self.check("model_runner", cases.MODEL_RUNNER, self.flags_of("model_runner"))

    def test_model_transform(self):
        self.check("model_transform", cases.MODEL_TRANSFORM, self.flags_of("model_transform"))

    def test_memplan(self):
        text = run([TOOLS["memplan"], "--help"]).stdout.split("SUBCOMMANDS:")[1].split("OPTIONS:")[0]
        commands = re.findall(r"^  ([a-z]+) +- ", text, re.MULTILINE)
        self.assertEqual(sorted(commands), sorted(cases.MEMPLAN))
        for command in commands:
            with self.subTest(command=command):
                self.check("memplan " + command, cases.MEMPLAN[command], self.flags_of("memplan", command))

    def test_passes(self):
        options = self.options_of_passes()
        self.assertEqual(sorted(set(options) - UPSTREAM), sorted(cases.PASSES))
        for name, table in cases.PASSES.items():
            with self.subTest(name=name):
                self.check(name, table, options[name])

    @staticmethod
    def options_of_passes():
        """The passes and pipelines that tpuc-opt registers, each with its options."""
        text = run([TOOLS["tpuc-opt"], "--help"]).stdout
        text = text[text.index("Compiler passes to run"):]
        options, current = {}, None
        for line in text.splitlines()[1:]:
            if line and not line.startswith(" "):
                break
            entry = re.match(r"^( +)--([a-z0-9_-]+)(?:=<[^>]*>)? +- ", line)
            if entry and len(entry.group(1)) == 2:
                current = None  # A flag of the tool, no option of a pass.
            elif entry and len(entry.group(1)) in (4, 6):
                current = options.setdefault(entry.group(2), [])
            elif entry and current is not None:
                current.append(entry.group(2))
        return options


if __name__ == "__main__":
    unittest.main()
