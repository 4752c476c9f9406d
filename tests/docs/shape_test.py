"""How long the bodies of functions and classes are.

clang-format's layout tells where they begin and end: a body ends at the first brace
that stands one step to the left of it.
"""
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from arrows_test import read, sources

LIMIT_OF_FUNCTION = 60
LIMIT_OF_CLASS = 250
CLASS = re.compile(r"^\s*(?:template <.*> )?(?:class|struct|union|enum class|enum) [^;=()]*\{$")
RAW = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
NO_FUNCTION = re.compile(r"^\s*(?:namespace|extern|do|else|try|if|for|while|switch|case|default)\b|^\s*[{}]")


def indent(line):
    return len(line) - len(line.lstrip())


def bodies(text):
    """(is a class, line of the opening brace, lines between the braces) of each class, and of each function outside functions."""
    lines = RAW.sub(lambda raw: "\n" * raw.group().count("\n"), text).split("\n")
    row = 0
    while row < len(lines):
        line = lines[row]
        is_class = bool(CLASS.match(line))
        is_function = not is_class and line.endswith("{") and ")" in line and not NO_FUNCTION.match(line)
        if is_class or is_function:
            # A signature has continuations, so the body tells how deep it is.
            end = row + 1
            inside = lines[end]
            closing = indent(line) if is_class else max(0, indent(inside) - (0 if inside.lstrip().startswith("}") else 2))
            while end < len(lines) and not lines[end].startswith(" " * closing + "}"):
                end += 1
            yield is_class, row + 1, end - row - 1
            # Functions of a class are looked at by themselves, what is in a function is not.
            if is_function:
                row = end
        row += 1


class Shape(unittest.TestCase):
    def test_bodies_are_found(self):
        text = "class A {\n  int f() {\n    return 1;\n  }\n};\nint g(int a,\n      int b) {\n  if (a) {\n    return b;\n  }\n  return 0;\n}\n"
        self.assertEqual([(True, 1, 3), (False, 2, 1), (False, 7, 4)], list(bodies(text)))

    def check(self, wanted, limit):
        found, long = 0, []
        for path in sources("include", "lib", "tpu_mlir", "tests"):
            for is_class, line, length in bodies(read(path)):
                if is_class == wanted:
                    found += 1
                    if length > limit:
                        long.append(f"{path}:{line}: {length} lines")
        self.assertGreater(found, 500)
        self.assertEqual([], long, f"over {limit} lines")

    def test_functions(self):
        self.check(False, LIMIT_OF_FUNCTION)

    def test_classes(self):
        self.check(True, LIMIT_OF_CLASS)


if __name__ == "__main__":
    unittest.main()
