"""The site of the documents: links resolve, nothing is missing, the search finds, and a browser has nothing to complain of."""
import html
import json
import os
import re
import sys
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
SITE = os.path.join(ROOT, "tpu_mlir/docs/site")
sys.dont_write_bytecode = True
sys.path += [os.path.join(ROOT, "tpu_mlir/docs/pages"), os.path.join(ROOT, "tests/tools/memory_map")]
from browser import CHROMIUM, Page  # noqa: E402
import from_markdown  # noqa: E402


def read(path):
    with open(os.path.join(SITE, path), encoding="utf-8") as file:
        return file.read()


def pages():
    for folder, _, names in os.walk(SITE, followlinks=True):
        for name in sorted(names):
            if name.endswith(".html"):
                yield os.path.relpath(os.path.join(folder, name), SITE)


def converted(text):
    return from_markdown.Converter(lambda target: None if target.startswith("gone") else target).convert(text)


class Markdown(unittest.TestCase):
    def test_blocks(self):
        self.assertEqual(converted("One *word*,\n`a|b` and **two**."),
                         "<p>One <em>word</em>, <code>a|b</code> and <strong>two</strong>.</p>")
        self.assertEqual(converted("```mlir\n%a = <b>\n\n# no heading\n```\n"),
                         "<pre><code>%a = &lt;b&gt;\n\n# no heading</code></pre>")
        self.assertEqual(converted("* one\n  more\n* two\n  * inside\n\nafter"),
                         "<ul>\n<li>one more</li>\n<li>two\n<ul>\n<li>inside</li>\n</ul></li>\n</ul>\n<p>after</p>"
                         .replace("two\n<ul>", "two\n<ul>"))
        self.assertEqual(converted("1. a\n2. b\n"), "<ol>\n<li>a</li>\n<li>b</li>\n</ol>")
        self.assertEqual(converted("    code\n      more\n"), "<pre><code>code\n  more</code></pre>")
        self.assertEqual(converted("> said\n> so\n"), "<blockquote><p>said so</p></blockquote>")
        self.assertEqual(converted("<!-- not\nseen -->\nseen"), "<p>seen</p>")

    def test_tables(self):
        made = converted("| a | b |\n|---|--:|\n| `x|y` | 1 |\n| p \\| q | |\n")
        self.assertIn('<th>a</th><th class="right">b</th>', made)
        self.assertIn('<tr><td><code>x|y</code></td><td class="right">1</td></tr>', made)
        self.assertIn('<tr><td>p | q</td><td class="right"></td></tr>', made)
        self.assertNotIn("<thead>", converted("| | |\n|---|---|\n| a | b |\n"))
        self.assertIn("<table>\n<tr><td><code>a</code></td><td>i64&lt;b&gt;</td></tr>\n</table>",
                      converted("<table>\n<tr><td><code>a</code></td><td>i64&lt;b&gt;</td></tr>\n</table>\n"))

    def test_text_is_never_markup(self):
        for text in ("<script>alert(1)</script>", "a <b>c</b>", "`<script>`", "[<i>](x)", "# <script>", "| <u> |\n|---|\n| <u> |",
                     "<table>\n<tr><td><script>1</script></td></tr>\n</table>", '[a](x"onclick="y)', "* <i>\n"):
            made = converted(text)
            self.assertIsNone(re.search(r"<(script|b|i|u)\b", made), made)
            self.assertNotIn('"onclick', made)

    def test_links(self):
        self.assertEqual(converted("[a `b`](c.html#d)"), '<p><a href="c.html#d">a <code>b</code></a></p>')
        self.assertEqual(converted("[a](gone.md)"), "<p><span>a</span></p>")
        self.assertEqual(converted("![p](q.svg)"), '<p><img src="q.svg" alt="p"></p>')

    def test_headings_have_names_of_their_own(self):
        made = converted("# A b\n## Options\n## Options\n## `x`: y, z\n")
        self.assertEqual(re.findall(r' id="([^"]*)"', made), ["a-b", "options", "options-1", "x-y-z"])


class Site(unittest.TestCase):
    def test_links_resolve(self):
        names = {page: set(re.findall(r' id="([^"]+)"', read(page))) for page in pages()}
        self.assertGreater(len(names), 35)
        count = 0
        for page in names:
            for target in re.findall(r'(?:href|src)="([^"]+)"', read(page)):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, part = html.unescape(target).partition("#")
                path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                count += 1
                with self.subTest(page=page, target=target):
                    self.assertTrue(os.path.exists(os.path.join(SITE, path)))
                    if part:
                        self.assertIn(part, names[path])
        self.assertGreater(count, 1000)

    def test_nothing_comes_from_elsewhere(self):
        for page in pages():
            self.assertEqual(re.findall(r'<(?:img|script|link)[^>]*(?:src|href)="[a-z]+:(?!,)[^"]*"', read(page)), [])

    def test_every_pass_and_op_is_found(self):
        index = json.loads(read("index.js")[len("var INDEX="):].rstrip().rstrip(";"))
        headings = {heading for _, heading, _, _ in index}
        with open(os.path.join(ROOT, "lib/Pipelines/passes.bzl"), encoding="utf-8") as file:
            count = len(re.findall(r'^    "\w+/\w+",', file.read(), re.MULTILINE))
        found = [heading for page, heading, place, _ in index if place.startswith("reference/Passes.html#-")]
        self.assertEqual(len(found), count)
        self.assertIn("-tpu-layer-group", headings)
        ops = [heading for heading in headings if re.match(r"(top|tpu)\.\w+ \(::", heading)]
        self.assertGreater(len(ops), 350)
        for _, heading, place, _ in index:
            path, _, part = place.partition("#")
            with self.subTest(place):
                self.assertTrue(not part or ' id="%s"' % part in read(path))

    def test_the_menu_leads_everywhere(self):
        menu = re.search(r"<nav.*?</nav>", read("index.html"), re.DOTALL).group(0)
        self.assertEqual(sorted(os.path.normpath(target) for target in re.findall(r'href="([^"]+)"', menu)), sorted(pages()))


@unittest.skipUnless(os.path.exists(CHROMIUM), CHROMIUM + " is not there: apt-get install chromium")
class Browser(unittest.TestCase):
    def setUp(self):
        self.page = Page().__enter__()
        self.addCleanup(self.page.__exit__)

    def hits(self):
        return self.page.value("Array.from(document.querySelectorAll('#hits a')).map(a => a.firstChild.textContent)")

    def look_for(self, words):
        self.page.value("var box = document.getElementById('search'); box.value = ''; box.focus()")
        self.page.write(words)
        return self.hits()

    def check(self):
        self.assertEqual(self.page.errors, [])
        self.assertEqual([url for url in self.page.requests if not url.startswith(("file://", "data:"))], [])

    def test_search(self):
        self.page.open(os.path.join(SITE, "guide/Memplan.html"))
        self.page.press("/")
        self.assertEqual(self.page.value("document.activeElement.id"), "search")
        self.assertEqual(self.look_for("tpu-layer-group")[0], "-tpu-layer-group")
        self.assertTrue(self.look_for("tpu.conv2d")[0].startswith("tpu.Conv2D"))
        self.assertIn("TPUMEM-E022", " ".join(self.look_for("E022")))
        self.assertEqual(self.look_for("no such words anywhere"), [])
        self.assertIn("Nothing", self.page.value("document.getElementById('hits').textContent"))
        self.assertEqual(len(self.look_for("memory")), 30)
        # The second of them, by keys.
        second = self.hits()[1]
        self.page.press("ArrowDown")
        self.assertEqual(self.page.value("document.querySelector('#hits .chosen').firstChild.textContent"), second)
        target = self.page.value("document.querySelector('#hits .chosen').href")
        self.page.press("Enter")
        while self.page.value("location.href + '|' + document.readyState") != target + "|complete":
            pass
        self.page.press("Escape")
        self.check()

    def test_every_page_opens(self):
        for path in pages():
            with self.subTest(path):
                self.page.open(os.path.join(SITE, path))
                self.assertGreater(self.page.value("document.querySelector('main').textContent.length"), 100)
                self.check()


if __name__ == "__main__":
    unittest.main()
