"""The memory map in a real browser: no errors, the cursor tells the live set, the search finds, it prints.

Skips where /usr/bin/chromium is not there; tools/install_packages.sh, and so continuous integration, installs it.
"""
import json
import os
import re
import subprocess
import tempfile
import unittest

from browser import CHROMIUM, Page

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
TOOLS = os.path.join(ROOT, "tpu_mlir/tools")
NAME = "</script><script>document.title='broken'</script>"
SMALL = """module @"%s" attributes {module.chip = "bm1684x"} {
  func.func @main(%%arg0: tensor<8192xi8>) -> tensor<4096xi8> {
    %%x = "top.Input"(%%arg0) : (tensor<8192xi8>) -> tensor<8192xi8> loc("x")
    %%a = "tpu.Custom"(%%x) {name = "f", params = []} : (tensor<8192xi8>) -> tensor<5000xi8> loc("%s")
    %%b = "tpu.Custom"(%%a) {name = "f", params = []} : (tensor<5000xi8>) -> tensor<16384xi8> loc("big")
    %%y = "tpu.Custom"(%%b) {name = "f", params = []} : (tensor<16384xi8>) -> tensor<4096xi8> loc("y")
    return %%y : tensor<4096xi8>
  }
}
""" % (NAME, NAME)


def run(*command, code=0):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == code, done.stderr
    return done


@unittest.skipUnless(os.path.exists(CHROMIUM), CHROMIUM + " is not there: apt-get install chromium")
class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Page()
        cls.page = cls.browser.__enter__()
        cls.scratch = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.scratch.cleanup()

    def path(self, name):
        return os.path.join(self.scratch.name, name)

    def deploy(self, module, *flags, code=0):
        run(TOOLS + "/model_deploy/model_deploy", "--mlir", module, "--chip", "bm1684x", "--model", self.path("net"),
            "--quiet", *flags, code=code)
        return self.path("net_map.html")

    def open(self, path):
        """No errors, and nothing is asked for but the page."""
        self.page.open(path)
        self.check()

    def check(self):
        self.assertEqual(self.page.errors, [])
        self.assertEqual([url for url in self.page.requests if not url.startswith(("file://", "data:"))], [])
        self.assertLessEqual(len(self.page.requests), 1)

    def text(self, element):
        return self.page.value("document.getElementById(%s).textContent" % json.dumps(element))

    def alive(self):
        return self.page.value("Array.from(document.querySelectorAll('#alive tr')).map(r => r.cells[0].textContent)")

    def hover_step(self, step, steps):
        """Over the middle of a step, in the last panel."""
        place = self.page.value("""(function () {
          var frames = document.querySelectorAll('#map .free'), frame = frames[frames.length - 1];
          frame.scrollIntoView({block: 'center'});
          var box = frame.getBoundingClientRect();
          return [box.left, box.width, box.top + box.height / 2];
        })()""")
        self.page.hover(place[0] + place[1] * (step + .5) / steps, place[2])

    def search(self, wanted):
        self.page.value("var box = document.getElementById('search'); box.value = ''; box.focus()")
        self.page.write(wanted)
        return self.page.value("Array.from(document.querySelectorAll('#hits button')).map(b => b.textContent)")

    def small(self):
        with open(self.path("small.mlir"), "w", encoding="utf-8") as file:
            file.write(SMALL)
        return self.deploy(self.path("small.mlir"), "--disable_layer_group")

    def test_the_cursor_tells_what_is_alive(self):
        self.open(self.small())
        # At first the peak: x is kept, a is read, big is made.
        self.assertEqual(self.alive(), ["big", "x", NAME])
        self.assertEqual(self.text("step"), "Step 1: tpu.Custom (big)")
        self.hover_step(0, 4)
        self.assertEqual(self.alive(), ["x", NAME])
        self.assertIn("2 tensors alive: neuron 12.9 KiB", self.text("sums"))
        self.hover_step(2, 4)
        self.assertEqual(self.alive(), ["big", "x", "y"])
        self.check()

    def test_the_cursor_begins_where_the_page_says_that_the_peak_is(self):
        """Also where the largest region is that of an input: chips with base registers have one for each."""
        net = self.path("net.mlir")
        run(TOOLS + "/model_builder/model_builder", "--model=chain", "--ops=12", "--seed=3", "--level=top", "-o", net)
        run(TOOLS + "/model_deploy/model_deploy", "--mlir", net, "--chip=cv181x", "--quantize=INT8", "--disable_layer_group",
            "--model", self.path("net"), "--quiet")
        self.open(self.path("net_map.html"))
        said = self.page.value("document.querySelector('a[data-step]').dataset.step")
        self.assertTrue(self.text("step").startswith("Step %s:" % said), (said, self.text("step")))
        self.check()

    def test_keys_move_the_cursor(self):
        self.open(self.small())
        self.page.value("document.getElementById('map').focus()")
        for key, step in [("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 3), ("ArrowRight", 3),
                          ("p", 1)]:
            self.page.press(key)
            self.assertTrue(self.text("step").startswith("Step %d" % step), (key, self.text("step")))
        self.check()

    def test_names_are_text(self):
        self.open(self.small())
        self.assertEqual(self.page.value("document.title"), "memory of " + NAME + " - memory map")
        self.assertEqual(len(self.search("</SCRIPT>")), 1)
        self.assertTrue(self.search("</SCRIPT>")[0].startswith(NAME))
        self.check()

    def test_a_search_finds_weights_and_tensors(self):
        self.open(self.deploy(os.path.join(ROOT, "tpu_mlir/examples/resnet50.mlir"), "--quantize=F16"))
        self.assertRegex(self.text("count"), "^$")
        found = self.search("conv")
        self.assertEqual(len(found), 40)
        self.assertRegex(self.text("count"), r"^[0-9,]+ tensors$")
        self.assertTrue(any("weight" in line and "always" in line for line in found))
        self.assertEqual(self.search("no such name"), [])
        self.assertEqual(self.text("count"), "0 tensors")
        # A click goes to where it is alive; Enter to the first that is found.
        activation = self.page.value("Array.from(document.querySelectorAll('#map title')).map(t => t.textContent)"
                                     ".filter(t => /\\nactivation/.test(t))[0].split('\\n')[0]")
        self.assertTrue(self.search(activation))
        self.page.value("Array.from(document.querySelectorAll('#hits button')).filter(b => b.textContent.startsWith(%s))[0].click()"
                        % json.dumps(activation + " \u00b7"))
        self.assertIn(activation, self.alive())
        self.page.value("document.getElementById('search').focus()")
        self.page.press("Enter")
        self.check()

    def test_links_lead_to_local_maps(self):
        self.open(self.deploy(os.path.join(ROOT, "tpu_mlir/examples/resnet50.mlir"), "--quantize=F16"))
        links = self.page.value("Array.from(document.querySelectorAll('a[href*=local]')).map(a => a.href)")
        self.assertGreater(len(links), 2)
        self.page.open(links[-1][len("file://"):])
        self.assertTrue(self.page.value("!!document.getElementById(location.hash.slice(1))"))
        self.assertEqual(self.page.errors, [])

    def test_what_does_not_fit_is_drawn(self):
        self.open(self.deploy(os.path.join(ROOT, "tpu_mlir/examples/resnet50.mlir"), "--quantize=F16",
                              "--gmem-size=49M", code=3))
        self.assertIn("does not fit", self.page.value("document.querySelector('[role=alert]').textContent"))
        self.assertIn("over by", self.page.value("document.querySelector('.cards').textContent"))
        self.assertGreater(len(self.alive()), 0)

    def test_100_000_layers(self):
        chain = self.path("chain.mlir")
        run(TOOLS + "/model_builder/model_builder", "--model=chain", "--ops=100000", "--level=tpu", "-o", chain)
        path = self.deploy(chain, "--disable_layer_group")
        self.assertLessEqual(os.path.getsize(path), 5_000_000)
        self.open(path)
        self.hover_step(50_000, 100_000)
        step = int(re.match(r"Step ([0-9,]+)", self.text("step")).group(1).replace(",", ""))
        self.assertLess(abs(step - 50_000), 200)
        self.page.value("document.getElementById('map').focus()")
        self.page.press("ArrowRight")
        self.assertIn("Step {:,}:".format(step + 1), self.text("step"))
        self.assertGreater(len(self.alive()), 0)
        self.assertGreater(self.page.value("document.querySelectorAll('#detail rect').length"), 10)
        self.check()

    def test_it_prints(self):
        self.open(self.small())
        pdf = self.page.call("Page.printToPDF", printBackground=False)["data"]
        self.assertTrue(pdf.startswith("JVBER"))  # %PDF
        self.page.call("Emulation.setEmulatedMedia", media="print")
        shown = self.page.value("getComputedStyle(document.getElementById('search')).display")
        self.page.call("Emulation.setEmulatedMedia", media="")
        self.assertEqual(shown, "none")


if __name__ == "__main__":
    unittest.main()
