"""The rules in another workspace, with prebuilt programs: what a team would write, and what it sees when a network grows."""
import os
import unittest

import team

BUILD = """tpu_model(name = "net", src = "net.mlir", chip = "bm1684x", quantize = "F16", flags = ["--disable_layer_group"])
tpu_model_test(name = "net_test", size = "small", model = ":net", golden = "net.golden", budgets = {"neuron": "64M"})
tpu_model(name = "big", src = "net.mlir", chip = "bm1684x", quantize = "F16", flags = ["--gmem-size=1M"])
tpu_model_test(name = "big_test", size = "small", model = ":big", budgets = {"neuron": "64M"})
tpu_model_fleet(
    name = "fleet",
    chips = ["bm1688", "cv181x"],
    models = {"net": "net.mlir", "unet": "unet.mlir"},
    settings = {"bf16": {"quantize": "BF16"}, "int8": {"quantize": "INT8"}},
)
"""


class Workspace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.team = team.Team(BUILD, {"net.mlir": "mobilenet_v2.mlir", "unet.mlir": "unet.mlir"})
        cls.team.write("net.golden", "# nothing yet\n")

    @classmethod
    def tearDownClass(cls):
        cls.team.close()

    def bazel(self, command, *flags):
        # A sandbox in the sandbox of this test is slow.
        rest = ["--spawn_strategy=local"] if command in ("build", "test", "run") else []
        return self.team.bazel(command, *rest, *flags)

    def read(self, name):
        return self.team.read(name)

    def write(self, name, text):
        self.team.write(name, text)

    def test_a_network_grows(self):
        tested = self.bazel("test", "--test_output=errors", "//:net_test")
        self.assertEqual(tested.returncode, 3, tested.stderr)
        said = tested.stdout + tested.stderr
        self.assertRegex(said, r"net_memory.json: neuron: 0 -> [0-9,]+ B\n +new at the peak: [0-9,]+ B ")
        updated = self.bazel("run", "//:net_test.update")
        self.assertEqual(updated.returncode, 0, updated.stderr)
        self.assertRegex(self.read("net.golden"), r"^coeff used \d+\nneuron used \d+\nneuron peak \d+ ")
        self.assertEqual(self.bazel("test", "//:net_test").returncode, 0)

    def test_one_that_does_not_fit(self):
        self.assertEqual(self.bazel("build", "//:big").returncode, 0)
        self.assertEqual(self.read("bazel-bin/big_memory.json"), "")
        self.assertIn('role="alert"', self.read("bazel-bin/big_map.html"))
        tested = self.bazel("test", "--test_output=errors", "//:big_test")
        self.assertEqual(tested.returncode, 3, tested.stderr)
        self.assertRegex(tested.stdout + tested.stderr, r"the network does not fit, so there is no report\n.*needs [0-9.]+ MiB")

    def test_fleet(self):
        built = self.bazel("build", "//:fleet")
        self.assertEqual(built.returncode, 0, built.stderr)
        lines = self.read("bazel-bin/fleet.csv").splitlines()
        self.assertEqual([line.split(",")[0] for line in lines[1:]],
                         ["fleet_%s_%s_%s" % (model, chip, setting) for model in ("net", "unet") for chip in ("bm1688", "cv181x")
                          for setting in ("bf16", "int8")])
        self.assertIn("cv181x", self.read("bazel-bin/fleet.html"))
        first = self.read("bazel-bin/fleet_net_cv181x_int8_memory.json")
        # One network is another: its targets alone are made again.
        self.write("unet.mlir", self.read("unet.mlir") + "\n")
        again = self.bazel("build", "--noshow_loading_progress", "//:fleet")
        self.assertIn(" 4 local", again.stderr, "four networks, whose reports say the same")
        self.assertEqual(self.read("bazel-bin/fleet_net_cv181x_int8_memory.json"), first)
        chips = self.bazel("query", "attr(tags, chip_cv181x, //...)")
        self.assertEqual(len(chips.stdout.split()), 4, chips.stderr)

    def test_mistakes_name_the_target(self):
        os.makedirs(os.path.join(self.team.folder, "wrong"), exist_ok=True)
        self.write("wrong/BUILD", """load("@tpu_memory//tpu_mlir/rules:defs.bzl", "tpu_model")
tpu_model(name = "none", src = "//:net.mlir")
tpu_model(name = "chip", src = "//:net.mlir", chip = "bm9", quantize = "F16")
""")
        self.write("BUILD", team.PROGRAMS + BUILD + 'exports_files(["net.mlir"])\n')
        built = self.bazel("build", "//wrong:none")
        self.assertIn("//wrong:none: one of chip and chip_file is needed", built.stderr)
        built = self.bazel("build", "//wrong:chip")
        self.assertEqual(built.returncode, 1)
        self.assertIn("unknown chip 'bm9'", built.stderr)


if __name__ == "__main__":
    unittest.main()
