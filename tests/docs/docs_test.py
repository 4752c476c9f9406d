"""Documents say what is so: links, paths, flags, codes, excerpts and tables are checked against the tree.

Runs without Bazel, too: python3 tests/docs/docs_test.py
"""
import ast
import glob
import os
import re
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
sys.dont_write_bytecode = True
import doc_tables  # noqa: E402

DOCUMENTS = sorted(doc_tables.documents() + doc_tables.files("tpu_mlir/examples/*.md"))
# Flags of programs that are not ours.
FOREIGN_FLAGS = {"config", "jobs", "help", "mlir-print-debuginfo", "mlir-timing", "allow-unregistered-dialect", "output_groups",
                 "build_tag_filters", "remote_cache", "remote_timeout", "remote_upload_local_results", "load-pass-plugin",
                 "pass-pipeline", "version", "cflags", "libs"}
FENCE = re.compile(r"^( *)```([^\n]*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)


def read(path):
    return doc_tables.read(path)


def exists(path):
    return os.path.exists(os.path.join(ROOT, path))


def prose(text):
    """The document without its fenced blocks."""
    return FENCE.sub("", text)


def squeezed(text):
    return " ".join(text.split())


def anchors(text):
    """The names under which headings can be linked to."""
    headings = re.findall(r"^#+ +(.*)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def sources(*tops):
    for top in tops:
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                if name.endswith((".h", ".cpp", ".td")):
                    yield os.path.relpath(os.path.join(folder, name), ROOT)


def literals(text):
    """String literals of C++, neighbours put together, cut where formatv fills something in."""
    joined = re.sub(r'"\s*\n\s*"', "", text)
    for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', joined):
        yield from re.split(r"\{\d\}", literal.replace('\\"', '"'))


class Links(unittest.TestCase):
    def test_relative_links_resolve(self):
        for document in DOCUMENTS:
            for target in re.findall(r"\]\(([^)\s]+)\)", prose(read(document))):
                if re.match(r"[a-z]+:", target):
                    continue
                path, _, anchor = target.partition("#")
                path = os.path.normpath(os.path.join(os.path.dirname(document), path)) if path else document
                with self.subTest(document=document, link=target):
                    self.assertTrue(exists(path))
                    if anchor:
                        self.assertIn(anchor, anchors(read(path)))

    def test_every_document_is_reachable_from_the_readme(self):
        seen, queue = set(), ["README.md"]
        while queue:
            document = queue.pop()
            if document in seen or not exists(document):
                continue
            seen.add(document)
            for target in re.findall(r"\]\(([^)\s#]+\.md)", read(document)):
                queue.append(os.path.normpath(os.path.join(os.path.dirname(document), target)))
        self.assertEqual(set(doc_tables.files("tpu_mlir/docs/**/*.md")) - seen, set())

    def test_paths_exist(self):
        tops = "lib|include|tpu_mlir|tests|third_party|tools"
        for document in DOCUMENTS:
            for path in re.findall(r"`((?:%s)/[\w./-]+|[\w]+\.bzl)`" % tops, read(document)):
                with self.subTest(document=document, path=path):
                    self.assertTrue(exists(path) or exists("include/" + path) or "/My" in path or "mychip" in path)

    def test_labels_name_packages(self):
        for document in DOCUMENTS:
            for label in re.findall(r"(?<![\w:/])//(?!visibility)([\w/-]*)", read(document)):
                package = label.rstrip("/")
                with self.subTest(document=document, label=label):
                    self.assertTrue(exists(os.path.join(package, "BUILD")) or
                                    glob.glob(os.path.join(ROOT, package, "**", "BUILD"), recursive=True))


class Excerpts(unittest.TestCase):
    """A block that says ```cpp from=PATH is in that file, but for white space."""

    def test_excerpts_are_in_their_files(self):
        count = 0
        for document in DOCUMENTS:
            for _, info, body in FENCE.findall(read(document)):
                source = re.search(r"\bfrom=(\S+)", info)
                if not source:
                    continue
                count += 1
                with self.subTest(document=document, source=source.group(1)):
                    self.assertIn(squeezed(body), squeezed(read(source.group(1))))
        self.assertGreater(count, 0)


class Tables(unittest.TestCase):
    def test_made_tables_are_current(self):
        for document in doc_tables.documents():
            with self.subTest(document):
                self.assertEqual(read(document), doc_tables.filled(read(document)), "run tools/doc_tables.py")

    def test_tables_say_what_is_there(self):
        text = read("tpu_mlir/docs/core/Planning.md") + read("tpu_mlir/docs/guide/Conventions.md")
        for path in doc_tables.files("tpu_mlir/chips/*.json"):
            self.assertIn("| `%s` |" % os.path.basename(path)[:-len(".json")], text)
        registered = []
        for path in doc_tables.files("lib/Planning/Strategies/*.cpp"):
            for name in re.findall(r'RegisterStrategy\s+\w+\(\s*\{\s*"([^"]+)"', read(path)):
                registered.append(name)
                self.assertIn("| `%s` |" % name, text)
        self.assertGreater(len(registered), 5)
        for rows in (doc_tables.chips(), doc_tables.strategies(), doc_tables.passes()):
            self.assertNotIn("None", rows)

    def test_reference_has_every_pass(self):
        listed = set(re.findall(r'^    "(\w+/\w+)",', read("lib/Pipelines/passes.bzl"), re.MULTILINE))
        there = {"/".join(p.split("/")[-3:-1]) for p in doc_tables.files("lib/Transforms/*/*/BUILD")
                 if "mlir_pass(" in read(p)}
        self.assertEqual(listed, there, "lib/Pipelines/passes.bzl")

    def test_chip_fields_are_explained(self):
        text = read("tpu_mlir/docs/add/AddAChip.md").split("## Fields")[1]
        asked = set(re.findall(r'\b(?:positive|named<\w+>|fields\.(?:required)?[A-Za-z]+)\(\s*"(\w+)"',
                               read("lib/Target/ChipSpec.cpp")))
        self.assertGreater(len(asked), 10)
        self.assertEqual({f for f in asked if "`%s`" % f not in text}, set())

    def test_rooms_are_all_named(self):
        text = read("tpu_mlir/docs/core/Architecture.md")
        for room in sorted(os.listdir(os.path.join(ROOT, "lib"))):
            self.assertIn("| `%s` |" % room, text)


class Errors(unittest.TestCase):
    text = read("tpu_mlir/docs/guide/Errors.md")
    sections = dict(re.findall(r"^## (TPUMEM-E\d+)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE))

    def test_every_code_has_a_section_and_the_other_way_round(self):
        codes = re.findall(r"^\s*\w+ = (\d+),", read("include/tpu_mlir/Analysis/Diagnostics.h"), re.MULTILINE)
        self.assertEqual(sorted(self.sections), ["TPUMEM-E%03d" % int(c) for c in codes])

    @staticmethod
    def told_by_code(message, known):
        """Which part of a message consists of texts that stand in the code, 0 to 1."""
        # Addresses and bytes are the input's.
        message = re.sub(r"\b\d{4,}\b| \([\d,]+ B\)|[\d.]+ [KM]iB", "", message)
        rest = message
        for text in known:
            rest = rest.replace(text, "")
        return 1 - len(rest) / len(message)

    def test_examples_are_what_the_code_says(self):
        known = {text for path in sources("lib", "tpu_mlir/tools") for text in literals(read(path)) if len(text) >= 7}
        known |= {os.path.basename(path)[:-len(".json")] for path in doc_tables.files("tpu_mlir/chips/*.json")}
        known = sorted(known, key=lambda text: (-len(text), text))
        for code, section in self.sections.items():
            lines = [line for _, _, body in FENCE.findall(section) for line in body.splitlines() if "error: " in line]
            self.assertTrue(lines, code)
            for line in lines:
                with self.subTest(line):
                    self.assertTrue(line.endswith(" [%s]" % code))
                    message = line.split("error: ", 1)[1].rsplit(" [", 1)[0]
                    self.assertGreaterEqual(self.told_by_code(message, known), 0.35)


class Names(unittest.TestCase):
    DEFINITIONS = (
        r'\b(?:TEXT|NUMBER|FLAG)\(\s*\w+,\s*"([^"]+)"',
        r'\bcl::(?:(?:opt|list)<[^>]*>|alias)\s+\w+[({]\s*"([^"]+)"',
        r'\b\w+\(\s*"([a-z_]+)",\s*(?:cl::|DESCRIBED)',
        r'\bOption<"\w+",\s*"([^"]+)"',
        r'\bPass<"([^"]+)"',
        r'\*this,\s*"([^"]+)"',
        r'\bPassPipelineRegistration<\w*>\s+\w+\(\s*"([^"]+)"',
        r'\bregisterPassPipeline\(\s*"([^"]+)"',
    )

    def test_flags_exist(self):
        known = set(FOREIGN_FLAGS)
        for path in sources("tpu_mlir/tools", "lib/Transforms", "lib/Pipelines", "include/tpu_mlir/Pipelines"):
            for definition in self.DEFINITIONS:
                known |= set(re.findall(definition, read(path)))
        for path in doc_tables.files("tools/*.py"):
            known |= set(re.findall(r'add_argument\("--([^"]+)"', read(path)))
        for document in DOCUMENTS:
            for flag in re.findall(r"(?<![\w-])--([a-z][\w-]*)(?![\w-])", read(document)):
                # In a picture it is an arrow.
                if flag.endswith("-"):
                    continue
                with self.subTest(document=document, flag=flag):
                    self.assertTrue(flag in known, "no such flag")

    def test_passes_exist(self):
        known = set(re.findall(r"`--([a-z-]+)`", doc_tables.passes())) | {"tpu-global-memory", "tpu-local-memory"}
        # The packages.
        known.add("tpu-memory")
        for document in DOCUMENTS:
            for name in re.findall(r"(?<![\w-])(?:--)?(tpu-(?:assign|verify|memory|global|local|layer)[a-z-]*)", read(document)):
                with self.subTest(document=document, name=name):
                    self.assertIn(name, known)

    def test_module_attributes_are_those_of_the_code(self):
        code = set()
        for path in sources("lib", "include"):
            # Made networks only copy what importers write.
            if not path.startswith("lib/ModelBuilder/"):
                code |= set(re.findall(r'"(module\.[a-z0-9_]+)"', read(path)))
        told = set(re.findall(r"`(module\.[a-z0-9_]+)`", read("tpu_mlir/docs/guide/Conventions.md")))
        self.assertEqual(told - code, set(), "in Conventions.md, but not in the code")
        self.assertEqual(code - told, set(), "in the code, but not in Conventions.md")


class Rooms(unittest.TestCase):
    """The table of rooms in Architecture.md."""

    BELOW = ast.literal_eval(re.search(r"^_SEES = (\{.*?^\})", read("third_party/bazel/rooms.bzl"), re.MULTILINE | re.DOTALL).group(1))
    IR_FREE = {"Support", "Target", "Planning", "Log", "LayerPlanning", "Report", "Execution", "OneDnn", "Quantization"}

    def test_no_room_looks_up(self):
        for room, below in self.BELOW.items():
            for path in sources("lib/" + room, "include/tpu_mlir/" + room):
                for header in re.findall(r'^#include [<"]([^>"]+)[>"]', read(path), re.MULTILINE):
                    parts = header.split("/")
                    with self.subTest(file=path, header=header):
                        if parts[0] in ("lib", "tpu_mlir"):
                            self.assertIn(parts[1], {room, *below})
                        self.assertFalse(parts[0].startswith("mlir") and room in self.IR_FREE)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
