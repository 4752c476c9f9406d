"""A closer look at a drawn plan in a real browser: what is small gets a rectangle and a name, and it is the right one.

Skips where /usr/bin/chromium is not there; tools/install_packages.sh, and so continuous integration, installs it.
"""
import csv
import json
import os
import random
import re
import sys
import unittest

from memplan import ROOT, MemplanTest

sys.path.insert(0, os.path.join(ROOT, "tests/tools/memory_map"))
from browser import CHROMIUM, Page  # noqa: E402

MOST_BYTES = 5_000_000


@unittest.skipUnless(os.path.exists(CHROMIUM), CHROMIUM + " is not there: apt-get install chromium")
class Zoom(MemplanTest):
    @classmethod
    def setUpClass(cls):
        cls.page = Page().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.page.__exit__()

    def tearDown(self):
        self.assertEqual(self.page.errors, [])
        self.assertLessEqual(len(self.page.requests), 1)

    def must(self, *arguments):
        done = self.run_memplan(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)

    def open(self, problem, *arguments):
        self.must("render", "--quiet", problem, *arguments, "--output=out.html")
        self.assertLess(os.path.getsize(self.path("out.html")), MOST_BYTES)
        self.page.open(self.path("out.html"))

    def count(self, selector):
        return self.page.value(f"document.querySelectorAll({selector!r}).length")

    def settle(self):
        """What waits for the next frame is done."""
        self.page.call("Runtime.evaluate", awaitPromise=True,
                       expression="new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")

    def click(self, factor, times=1):
        self.page.value("for (var i = 0; i < %d; ++i) document.querySelector('[data-zoom=\"%s\"]').click()" % (times, factor))
        self.settle()

    def view(self):
        return [float(n) for n in self.page.value(
            "document.querySelector('svg.view').getAttribute('viewBox')").split()]

    def names(self):
        return self.page.value("Array.from(document.querySelectorAll('g.panel > g:last-child .label')).map(e => e.textContent)")

    def mouse(self, kind, x, y, **more):
        self.page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def place(self):
        """Of the frame on the screen."""
        return self.page.value("""(function () {
          var frame = document.querySelector('.free');
          frame.scrollIntoView({block: 'center'});
          var box = frame.getBoundingClientRect();
          return [box.left, box.top, box.width, box.height];
        })()""")

    def test_what_is_too_small_is_drawn_from_its_numbers(self):
        self.must("generate", "--family=random", "--buffers=9000", "--seed=3", "--output=in.csv")
        self.must("solve", "--quiet", "in.csv", "--strategy=best-fit", "--output=plan.csv")
        self.open("in.csv", "plan.csv")
        self.assertEqual(self.count(".more rect"), 0)
        full = self.view()
        left, top, width, height = self.place()
        for _ in range(4):
            for clicks in (1, 2):
                for kind in ("mousePressed", "mouseReleased"):
                    self.mouse(kind, left + width / 2, top + height * .95, button="left", clickCount=clicks)
        self.settle()
        self.assertAlmostEqual(self.view()[2], full[2] / 16, places=6)
        self.assertGreater(self.count(".more rect"), 20)
        with open(self.path("plan.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        told = self.page.value("Array.from(document.querySelectorAll('.more rect')).map(e => e.getAttribute('data-t'))")
        for text in told:
            number, begin, end, low, high = [int(n.replace(",", "")) for n in re.fullmatch(
                r"buffer number ([\d,]+)\n.*\nsteps \[(\d+),(\d+)\)\noffset ([\d,]+) to ([\d,]+)", text).groups()]
            row = rows[number]
            self.assertEqual((begin, end, low, high - low),
                             tuple(int(row[key]) for key in ("lower", "upper", "offset", "size")))
        self.assertEqual(self.page.value("getComputedStyle(document.querySelector('.rest')).display"), "none")
        # All of the grey area can be looked into, and nothing is drawn twice.
        drawn = self.count("svg.view > rect.b")
        page = self.read("out.html")
        self.assertIn(f"the other {9000 - drawn:,} are the grey area", page.replace("&#39;", "'"))
        self.assertIn("a closer look shows them, by their numbers", page)
        self.assertEqual(len(set(told)), len(told))

    def test_names_and_ticks_follow(self):
        rows = "".join(f"long_name_{i},{i},{i + 1},64\n" for i in range(400))
        self.write("in.csv", "id,lower,upper,size\n" + rows)
        self.open("in.csv")
        self.assertEqual(self.names(), [])
        self.click(2, 7)
        names = self.names()
        self.assertIn(f"long_name_{200}", names)
        self.assertLess(len(names), 8)
        shown = self.page.value("getComputedStyle(document.querySelector('.still')).display")
        self.assertEqual(shown, "none")
        ticks = self.page.value("Array.from(document.querySelectorAll('g.panel > g:last-child text[text-anchor=middle].soft'))"
                                ".map(e => Number(e.textContent))")
        self.assertTrue(ticks and all(195 <= tick <= 205 for tick in ticks), ticks)
        self.click(0)
        self.assertEqual(self.names(), [])
        self.assertEqual(self.count(".panel.zoomed"), 0)

    def test_the_place_under_the_pointer_stays_and_dragging_moves(self):
        draw = random.Random(1)
        rows = "".join(f"b{i},{b},{b + draw.randrange(1, 9)},{draw.randrange(1, 99)}\n"
                       for i in range(300) for b in [draw.randrange(100)])
        self.write("in.csv", "id,lower,upper,size\n" + rows)
        self.open("in.csv")
        full = self.view()
        left, top, width, height = self.place()
        x, y = left + width / 4, top + height / 2
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=-200)
        self.settle()
        self.assertEqual(self.view(), full)  # The wheel alone is the page's.
        left, top, width, height = self.place()
        x, y = left + width / 4, top + height / 2
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=-200, modifiers=2)
        self.settle()
        now = self.view()
        self.assertAlmostEqual(now[2], full[2] / 2, delta=1)
        self.assertAlmostEqual(now[0] + now[2] / 4, full[0] + full[2] / 4, delta=2)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseMoved", x - width / 10, y, button="left")
        self.mouse("mouseReleased", x - width / 10, y, button="left", clickCount=1)
        self.settle()
        self.assertAlmostEqual(self.view()[0], now[0] + now[2] / 10, delta=2)
        # Never beyond the ends.
        self.click(0.5, 30)
        self.assertEqual(self.view(), full)
        self.click(2, 40)
        self.assertGreater(self.view()[2], full[2] / (1 << 21))

    def test_colours_are_those_of_the_legend(self):
        draw = random.Random(2)
        buffers = [{"name": f"b{i}", "kind": ("weight", "activation")[i % 2], "sizeBytes": draw.randrange(1, 99),
                    "lifespans": [[i, i + 2]], "pools": ["p"]} for i in range(5200)]
        self.write("in.json", json.dumps({"version": 1, "pools": [{"name": "p", "alignment": 1}], "buffers": buffers}))
        self.open("in.json", "--strategy=sequential")
        self.click(2, 1)
        drawn = self.page.value("Array.from(document.querySelectorAll('.more rect'))"
                                ".map(e => [Number(e.getAttribute('data-b')), e.getAttribute('class').split(' ')[1]])")
        self.assertGreater(len(drawn), 10)
        for number, colour in drawn:
            self.assertEqual(colour, ("c2", "c0")[number % 2])

    def test_a_million_in_less_than_five_megabytes(self):
        self.must("generate", "--family=random", "--buffers=1000000", "--output=in.csv")
        self.must("solve", "--quiet", "in.csv", "--strategy=sequential", "--output=plan.csv")
        self.open("in.csv", "plan.csv")
        self.click(2, 3)
        self.assertGreater(self.count(".more rect"), 100)


if __name__ == "__main__":
    unittest.main()
