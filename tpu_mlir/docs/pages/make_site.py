"""Makes a site of the documents: static pages with a search, which need no server and no network.

Usage: make_site.py OUTPUT FILE...
Files are Markdown, pictures, and the style and script of the pages. Generated ones may lie anywhere: what comes before
`tpu_mlir/docs` in a path does not matter.
"""
import html
import json
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import from_markdown  # noqa: E402

# Folders of the documents, in the order of the menu.
SHELVES = [("start", "Start"), ("guide", "Guide"), ("passes", "Passes"), ("reference", "Reference"), ("core", "Core"),
           ("add", "To add"), ("", "More")]
REFERENCE = ("Passes.md", "TopDialect.md", "TpuDialect.md")
ASSETS = ("site.css", "search.js")
DOCS = "tpu_mlir/docs/"


def source_name(path):
    """Where a file is in the tree, wherever the build has it."""
    for top in ("tpu_mlir/", "tests/"):
        if top in path:
            return path[path.index(top):]
    return os.path.basename(path)


def page_name(name):
    """README.md is the first page; documents keep their folders."""
    if name == "README.md":
        return "index.html"
    name = name[len(DOCS):] if name.startswith(DOCS) else name
    if name in REFERENCE:
        name = "reference/" + name
    if name == "README.md":
        name = "Documents.md"
    return name[:-len(".md")] + ".html"


def relative(target, page):
    return os.path.relpath(target, os.path.dirname(page) or ".")


class Site:
    def __init__(self, paths):
        self.texts, self.others = {}, {}
        for path in paths:
            name = source_name(path)
            if not path.endswith(".md"):
                self.others[name] = path
                continue
            with open(path, encoding="utf-8") as file:
                self.texts[name] = file.read()
        self.pages = {name: page_name(name) for name in self.texts}
        self.titles = {name: self.title(name) for name in self.texts}
        self.entries = []
        # Documents stand in the menu as the index of the documents has them.
        index = self.texts.get(DOCS + "README.md", "")
        self.place = {name: index.find("(" + name[len(DOCS):] + ")") for name in self.texts}

    def title(self, name):
        heading = re.search(r"^# +(.*)$", self.texts[name], re.MULTILINE)
        return from_markdown.plain(heading.group(1)) if heading else os.path.basename(name)[:-len(".md")]

    def link(self, name, target):
        """Where a link of a document leads in the site; None: to nothing that is in it."""
        if re.match(r"[a-z]+:", target):
            return target
        path, mark, part = target.partition("#")
        if not path:
            return target
        path = os.path.normpath(os.path.join(os.path.dirname(name), path))
        if path in self.others:
            return relative(path[len(DOCS):], self.pages[name])
        for known in (path, path + "/README.md"):
            if known in self.pages:
                return relative(self.pages[known], self.pages[name]) + mark + part
        return None

    def name_of(self, name, target):
        """The title of the document that a link leads to; None: it is none of the site."""
        return self.titles.get(os.path.normpath(os.path.join(os.path.dirname(name), target.partition("#")[0])))

    def menu(self, current):
        shelves = []
        for folder, heading in SHELVES:
            here = sorted(name for name in self.texts
                          if os.path.dirname(self.pages[name]).split("/")[0] == folder or
                          not folder and os.path.dirname(self.pages[name]).split("/")[0] not in dict(SHELVES))
            here.sort(key=lambda name: (self.pages[name] != "index.html", self.place[name], self.titles[name].lower()))
            items = "".join('<li><a%s href="%s">%s</a></li>' % (
                ' aria-current="page"' if name == current else "",
                html.escape(relative(self.pages[name], self.pages[current])), html.escape(self.titles[name])) for name in here)
            if items:
                shelves.append("<h2>%s</h2><ul>%s</ul>" % (heading, items))
        return "".join(shelves)

    @staticmethod
    def contents(name, sections):
        """The second level, and of the reference the third."""
        deepest = 3 if os.path.basename(name) in REFERENCE else 2
        items = "".join('<li><a href="#%s">%s</a></li>' % (anchor, html.escape(heading))
                        for level, heading, anchor, _ in sections if 2 <= level <= deepest)
        return "<h2>On this page</h2><ul>%s</ul>" % items if items else ""

    def page(self, name):
        page = self.pages[name]
        converter = from_markdown.Converter(lambda target: self.link(name, target), lambda target: self.name_of(name, target))
        body = converter.convert(self.texts[name])
        for level, heading, anchor, text in converter.sections:
            place = page if level == 1 else page + "#" + anchor
            self.entries.append([self.titles[name], heading, place, re.sub(r"\s+", " ", " ".join(text))])
        up = relative(".", page)
        return TEMPLATE % {"title": html.escape(self.titles[name]), "up": up, "menu": self.menu(name), "body": body,
                           "contents": self.contents(name, converter.sections)}

    def write(self, output):
        for name in sorted(self.texts):
            write(os.path.join(output, self.pages[name]), self.page(name))
        # A script and no JSON: pages that lie in a folder may load scripts, but no data.
        index = json.dumps(self.entries, ensure_ascii=False, separators=(",", ":"))
        write(os.path.join(output, "index.js"), "var INDEX=%s;\n" % index)
        for name, path in sorted(self.others.items()):
            place = name[len(DOCS + "pages/"):] if os.path.basename(name) in ASSETS else name[len(DOCS):]
            os.makedirs(os.path.dirname(os.path.join(output, place)), exist_ok=True)
            shutil.copyfile(path, os.path.join(output, place))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%(title)s - tpu_memory</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="%(up)s/site.css">
</head>
<body data-up="%(up)s">
<header>
<a class="home" href="%(up)s/index.html">tpu_memory</a>
<div role="search"><input id="search" type="search" placeholder="Search ( / )" aria-label="Search all documents" autocomplete="off"
 aria-controls="hits"><div id="hits" aria-live="polite"></div></div>
</header>
<div class="columns">
<nav aria-label="Documents">%(menu)s</nav>
<main>
%(body)s
</main>
<aside aria-label="This page">%(contents)s</aside>
</div>
<script src="%(up)s/index.js"></script>
<script src="%(up)s/search.js"></script>
</body>
</html>
"""


def main(arguments):
    Site(arguments[1:]).write(arguments[0])


if __name__ == "__main__":
    main(sys.argv[1:])
