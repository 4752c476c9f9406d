"""tpuc-opt ends its searches when somebody asks: what it writes then is whole, and sound."""
import os
import signal
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
OPT = os.path.join(ROOT, "tpu_mlir/tools/tpuc-opt/tpuc-opt")
BUILDER = os.path.join(ROOT, "tpu_mlir/tools/model_builder/model_builder")
INTERRUPTED = 6
PASSES = ["--tpu-local-memory", "--tpu-reorder", "--tpu-global-memory"]


class Early(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.chain, self.out = self.path("chain.mlir"), self.path("out.mlir")
        subprocess.run([BUILDER, "--model=chain", "--level=tpu", "--ops=400", "-o", self.chain], check=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def check_whole(self):
        """Groups and addresses are there and hold."""
        with open(self.out, encoding="utf-8") as file:
            self.assertIn("module.neuron_addr", file.read())
        done = subprocess.run([OPT, self.out, "--tpu-verify-local", "--tpu-verify-addresses", "-o", os.devnull], capture_output=True,
                              text=True, check=False, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)

    def run_opt(self, *flags):
        return subprocess.run([OPT, self.chain, *PASSES, "-o", self.out, *flags], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)

    def test_time_limit(self):
        done = self.run_opt("--time-limit=0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("tpuc-opt: the --time-limit ended the searches: what is written is the best plan so far", done.stderr)
        self.check_whole()

    def test_groups_of_different_layers(self):
        """There is no time to look at all groups of a thousand layers, but each layer has a chance of being in one."""
        channels = [5 + index * 37 % 56 for index in range(1001)]
        lines = []
        for index, (before, after) in enumerate(zip(channels, channels[1:])):
            kernel = 1 + 2 * (index % 3)
            window = f"kernel_shape = [{kernel}, {kernel}], strides = [1, 1], pads = {[kernel // 2] * 4}, group = 1 : i64"
            weight = f"tensor<{after}x{before}x{kernel}x{kernel}xf16>"
            lines += [f'%w{index} = "top.Weight"() : () -> {weight}',
                      f'%v{index + 1} = "tpu.Conv2D"(%v{index}, %w{index}, %n) {{{window}}} : '
                      f"(tensor<1x{before}x48x48xf16>, {weight}, none) -> tensor<1x{after}x48x48xf16>"]
        first, last = (f"tensor<1x{number}x48x48xf16>" for number in (channels[0], channels[-1]))
        with open(self.chain, "w", encoding="utf-8") as file:
            file.write('module @net attributes {module.chip = "cv184x"} {\n'
                       f"func.func @main(%v0: {first}) -> {last} {{\n" '%n = "top.None"() : () -> none\n' + "\n".join(lines) +
                       f"\nreturn %v1000 : {last}\n}}\n}}\n")
        done = self.run_opt("--time-limit=2")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.out, encoding="utf-8") as file:
            self.assertIn("tpu.Group", file.read())
        self.check_whole()

    def test_time_that_is_enough(self):
        done = self.run_opt("--time-limit=1e9")
        self.assertEqual((done.returncode, "time-limit" in done.stderr), (0, False), done.stderr)
        self.check_whole()

    def test_wrong_limits(self):
        for wrong in ("-1", "soon", "nan", "1s"):
            done = self.run_opt("--time-limit=" + wrong)
            self.assertEqual(done.returncode, 1, wrong)
            self.assertIn("--time-limit has to be a number of seconds", done.stderr)
            self.assertFalse(os.path.exists(self.out))

    def interrupt(self, number):
        """A signal as soon as the first pass is about to begin."""
        process = subprocess.Popen([OPT, self.chain, *PASSES, "-o", self.out, "--mlir-print-ir-before-all"], stderr=subprocess.PIPE,
                                   text=True, stdin=subprocess.DEVNULL)
        line = process.stderr.readline()
        self.assertIn("IR Dump Before", line)
        process.send_signal(number)
        said = process.communicate()[1]
        self.assertEqual(process.returncode, INTERRUPTED, said[-1000:])
        self.assertIn("tpuc-opt: interrupted: what is written is the best plan so far", said)
        self.check_whole()

    def test_interrupt(self):
        self.interrupt(signal.SIGINT)

    def test_terminate(self):
        self.interrupt(signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
