"""Pictures are well formed, stand alone, and show every buffer."""
import html.parser
import re
import unittest
import xml.etree.ElementTree as ElementTree

from memplan import MemplanTest

SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta", "input", "br", "hr", "img", "link"}
NASTY = ["plain", "<script>alert(1)</script>", "a & b", "quote \" and '", "]]>", "</title></svg>", "-->", "grün",
         "日本語の名前", "tab\there", "control \u0001\u001f", "\ufffe\uffff", "=cmd", "x" * 300]


class Balance(html.parser.HTMLParser):
    """Every tag that opens closes, in order."""

    def __init__(self):
        super().__init__()
        self.open, self.problems, self.rows, self.text = [], [], 0, []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        self.rows += tag == "tr" and "data-b" in dict(attrs)
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "onload", "onclick"):
                self.problems.append(f"{tag} has {name}={value}")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"stray </{tag}>")

    def handle_data(self, data):
        if "script" not in self.open and "style" not in self.open:
            self.text.append(data)


class Pictures(MemplanTest):
    def render(self, *arguments, output):
        done = self.run_memplan("render", "--quiet", *arguments, "--output=" + output)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.read(output)

    def svg(self, *arguments):
        return ElementTree.fromstring(self.render(*arguments, output="out.svg").encode())

    def page(self, *arguments):
        text = self.render(*arguments, output="out.html")
        balance = Balance()
        balance.feed(text)
        balance.close()
        self.assertEqual(balance.problems, [])
        self.assertEqual(balance.open, [])
        self.assertEqual(re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text), [])
        self.assertNotIn("@import", text)
        return balance, text

    def titles(self, root):
        """Hover texts of the buffers' rectangles."""
        return [rect.find(SVG + "title").text for rect in root.iter(SVG + "rect") if rect.get("data-b")]

    def nasty_problem(self):
        import json
        buffers = [{"name": name, "sizeBytes": 1000 + i, "lifespans": [[i, i + 4]],
                    "kind": ["activation", "weight", "input", "output", "scratch"][i % 5]}
                   for i, name in enumerate(NASTY)]
        return self.write("nasty.json", json.dumps({"version": 1, "name": "</h1><b>&\"", "buffers": buffers}))

    def test_names_are_escaped(self):
        problem = self.nasty_problem()
        shown = [title.split("\n")[0] for title in self.titles(self.svg(problem))]
        expected = [re.sub("[\u0001\u001f\ufffe\uffff]", "\ufffd", name) for name in NASTY]
        self.assertEqual(shown, expected)
        balance, text = self.page(problem)
        self.assertNotIn("<script>alert", text)
        self.assertEqual(balance.rows, len(NASTY))
        self.assertIn("</h1><b>&\"", "".join(balance.text))

    def test_each_piece_of_a_life_has_a_rectangle_at_its_place(self):
        self.write("p.csv", "id,lower,upper,size,gaps\na,0,10,40,2-4 6-8\nb,0,5,60,\nzero,0,10,0,\n")
        self.write("plan.csv", "id,offset\na,60\nb,0\nzero,0\n")
        root = self.svg("p.csv", "plan.csv")
        rects = [rect for rect in root.iter(SVG + "rect") if rect.get("data-b")]
        self.assertEqual([rect.get("data-b") for rect in rects], ["0", "0", "0", "1"])
        box = [{k: float(rect.get(k)) for k in ("x", "y", "width", "height")} for rect in rects]
        step = box[3]["width"] / 5
        self.assertAlmostEqual(box[1]["x"] - box[0]["x"], 4 * step, delta=.05)
        self.assertAlmostEqual(box[0]["width"], 2 * step, delta=.05)
        self.assertAlmostEqual(box[3]["height"] / box[0]["height"], 1.5, delta=.01)
        # Addresses grow upwards: a lies on b.
        self.assertAlmostEqual(box[0]["y"] + box[0]["height"], box[3]["y"], delta=.05)
        self.assertIn("steps [0,2) [4,6) [8,10)\noffset 60 to 100", self.titles(root)[0])

    def test_bound_capacity_and_peak_are_marked(self):
        self.write("p.csv", "id,lower,upper,size\na,0,2,4096\nb,5,9,8192\n")
        root = self.svg("p.csv", "--capacity=10KiB")
        texts = [text.text for text in root.iter(SVG + "text")]
        for label in ("used 8.0 KiB", "lower bound 8.0 KiB", "capacity 10.0 KiB", "4.0 KiB", "0 B", "step"):
            self.assertIn(label, texts)
        self.assertIn("peak step 5", [title.text for title in root.iter(SVG + "title")])
        # A capacity far above is told, not drawn.
        texts = [text.text for text in self.svg("p.csv", "--capacity=1GiB").iter(SVG + "text")]
        self.assertNotIn("capacity 1.00 GiB", texts)
        self.assertTrue(any("capacity 1.00 GiB, peak at step 5" in text for text in texts))

    def test_many_rectangles_become_one(self):
        made = self.run_memplan("generate", "--family=random", "--buffers=20000", "--output=p.csv")
        self.assertEqual(made.returncode, 0)
        root = self.svg("p.csv", "--strategy=best-fit")
        self.assertEqual(len(self.titles(root)), 5000)
        rest = [path for path in root.iter(SVG + "path") if path.get("class") == "rest"]
        self.assertEqual(len(rest), 1)
        self.assertGreater(len(rest[0].get("d")), 100)
        note = "'memory': the 5,000 largest of 20,000 rectangles are drawn one by one; the other 15,000 are the grey area"
        self.assertTrue(any((text.text or "").startswith(note) for text in root.iter(SVG + "text")))
        balance, text = self.page("p.csv", "--strategy=best-fit")
        self.assertEqual(balance.rows, 200)
        self.assertTrue(any(part.startswith(note) for part in balance.text))
        self.assertLess(len(text), 3000000)

    def test_pools_and_aliases(self):
        self.write("p.json", """{"version": 1, "pools": [{"name": "ddr"}, {"name": "l2"}, {"name": "none"}], "buffers": [
          {"name": "a", "sizeBytes": 64, "lifespans": [[0, 4]]},
          {"name": "view", "sizeBytes": 16, "lifespans": [[1, 3]]},
          {"name": "s", "kind": "scratch", "sizeBytes": 8, "lifespans": [[0, 2]], "pools": ["l2"]}],
          "aliases": [{"member": "view", "root": "a", "offsetBytes": 32}]}""")
        root = self.svg("p.json")
        names = [title.split("\n")[0] for title in self.titles(root)]
        self.assertEqual(names, ["a", "view", "s"])
        self.assertIn("inside another buffer", self.titles(root)[1])
        texts = [text.text for text in root.iter(SVG + "text")]
        for label in ("ddr", "l2", "none", "activation", "scratch"):
            self.assertIn(label, texts)
        self.assertNotIn("weight", texts)
        balance, _ = self.page("p.json")
        self.assertEqual(balance.rows, 2)

    def test_the_same_bytes_again(self):
        problem = self.nasty_problem()
        for name in ("out.svg", "out.html"):
            self.assertEqual(self.render(problem, output=name), self.render(problem, output=name))

    def test_nothing_to_draw(self):
        self.write("p.json", """{"version": 1, "buffers": []}""")
        self.assertEqual(self.titles(self.svg("p.json")), [])
        self.page("p.json")


if __name__ == "__main__":
    unittest.main()
