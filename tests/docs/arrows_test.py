"""What may include what, below the level of rooms: passes do not know each other, and headers do not go in circles."""
import os
import re
import sys
import unittest

# The checkout, seen from its own file.
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
LIMIT_OF_SOURCES = 20
LIMIT_OF_LINES = 500
# The folders that have sources.
ROOMS = ("include", "lib", "tpu_mlir", "tests")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def sources(*tops, ending=(".h", ".cpp")):
    for top in tops:
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in sorted(names):
                if name.endswith(ending):
                    yield os.path.relpath(os.path.join(folder, name), ROOT)


def included(path):
    """The headers of this project that a file includes, as paths."""
    for header in INCLUDE.findall(read(path)):
        for candidate in (header, "include/" + header, os.path.join(os.path.dirname(path), header)):
            if os.path.exists(os.path.join(ROOT, candidate)):
                yield os.path.normpath(candidate)
                break


def passes():
    """The folders that have a pass, below lib/Transforms."""
    for path in sources("lib/Transforms", ending="BUILD"):
        if re.search(r"^mlir_pass\(", read(path), re.MULTILINE):
            yield os.path.relpath(os.path.dirname(path), "lib/Transforms")


def circle(graph):
    """The nodes of a circle, None without one."""
    done, way = set(), []

    def visit(node):
        if node in way:
            return way[way.index(node):]
        if node in done:
            return None
        way.append(node)
        for other in sorted(graph.get(node, ())):
            found = visit(other)
            if found:
                return found
        way.pop()
        done.add(node)
        return None

    for node in sorted(graph):
        found = visit(node)
        if found:
            return found
    return None


class Arrows(unittest.TestCase):
    def test_no_pass_knows_another(self):
        folders = sorted(passes())
        self.assertGreater(len(folders), 15)
        known = set()
        for path in sources("lib/Transforms"):
            own = next((f for f in folders if path.startswith("lib/Transforms/" + f + "/")), None)
            for header in included(path):
                other = next((f for f in folders if header.startswith("lib/Transforms/" + f + "/")), None)
                if own and other and own != other:
                    known.add((own, other))
        self.assertEqual(known, set(), "what two passes share belongs into a room below: lib/Analysis, ...")

    def test_headers_go_in_no_circle(self):
        graph = {path: set(included(path)) for path in sources(*ROOMS, ending=".h")}
        self.assertGreater(len(graph), 200)
        self.assertIsNone(circle(graph))

    def test_what_a_circle_is(self):
        self.assertEqual(circle({"a": ["b"], "b": ["c"], "c": ["b"]}), ["b", "c"])
        self.assertIsNone(circle({"a": ["b", "c"], "b": ["c"]}))


class Shape(unittest.TestCase):
    def test_no_level_has_many_sources(self):
        for folder, _, names in (level for top in ROOMS for level in os.walk(os.path.join(ROOT, top))):
            sources_here = [name for name in names if name.endswith((".h", ".cpp", ".td", ".py"))]
            with self.subTest(folder=os.path.relpath(folder, ROOT)):
                self.assertLessEqual(len(sources_here), LIMIT_OF_SOURCES)

    def test_no_source_is_long(self):
        for path in sources(*ROOMS, ending=(".h", ".cpp", ".td")):
            with self.subTest(file=path):
                self.assertLess(read(path).count("\n"), LIMIT_OF_LINES)

    def test_files_open_with_what_they_are_for(self):
        for path in sources(*ROOMS):
            with self.subTest(file=path):
                self.assertTrue(read(path).startswith("//"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
