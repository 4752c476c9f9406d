#!/usr/bin/python3
"""Writes the tables of the documents that follow from other files: chips, strategies, passes.

Usage: tools/doc_tables.py [--check]
A table stands between <!-- table: NAME --> and <!-- end of table -->. With --check nothing is
written; the exit code says whether all tables are what they should be.
"""
import glob
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
BLOCK = re.compile(r"(<!-- table: ([a-z]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def files(pattern):
    return sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, pattern), recursive=True))


def table(heading, rows):
    lines = [heading, ["---"] * len(heading)] + rows
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def size(count):
    for unit, step in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= step:
            return f"{count / step:.4g} {unit}"
    return f"{count} B" if count else "-"


def number(value):
    """A field of a chip file: an integer, or a string that may be hexadecimal."""
    return int(value, 0) if isinstance(value, str) else value


def io_modes(chip):
    """As checkMode() in lib/Analysis/Tensor/BuildProblem.cpp, without the two that every chip has."""
    form = chip["addressForm"]
    modes = []
    if form == "linear" or (form == "tagged" and "ioAloneBase" in chip):
        modes.append("io_alone")
    if form == "tagged" and chip.get("ioBases"):
        modes.append("io_tag")
    if chip.get("supportsIoReloc"):
        modes.append("io_reloc")
    return ", ".join(f"`{mode}`" for mode in modes) or "-"


def chips():
    rows = []
    for path in files("tpu_mlir/chips/*.json"):
        chip = json.loads(read(path))
        alignments = sorted({chip["weightAlignment"], chip["neuronAlignment"]})
        neurons = chip.get("neuronBase")
        rows.append([f"`{chip['name']}`", chip["addressForm"], chip["batchLayout"],
                     f"{chip['lanes']} x {size(chip['laneBytes'])}", str(chip["cores"]),
                     size(number(chip.get("l2Bytes", 0))), " / ".join(map(str, alignments)),
                     f"{number(chip['weightBase']):#x}",
                     "after the weights" if neurons is None else f"{number(neurons):#x}", io_modes(chip)])
    return table(["chip", "address form", "layout", "lanes x local memory", "cores", "L2", "alignment",
                  "weights at", "neurons at", "I/O modes besides `basic`, `in_reuse`"], rows)


# A registered strategy: name and summary as literals, function, the rest.
STRATEGY = re.compile(r'const RegisterStrategy \w+\(\{\s*"([a-z-]+)",\s*((?:"[^"]*"\s*)+),\s*[^,]+,?(.*?)\}\);', re.DOTALL)
AUTO_PLACE = re.compile(r"AutoPlace\{(\d+)(?:,\s*([\w':<>()]+))?[^}]*\}")


def strategies():
    rows = []
    for path in files("lib/Planning/Strategies/*.cpp") + files("lib/Planning/Strategies/Reference/*.cpp"):
        file = f"`{os.path.relpath(path, 'lib/Planning/Strategies')}`"
        text = read(path)
        constants = dict(re.findall(r"constexpr size_t (\w+) = ([\d']+);", text))
        for name, summary, rest in STRATEGY.findall(text):
            place = AUTO_PLACE.search(rest)
            rank, most = place.groups() if place else (None, None)
            most = constants.get(most, most) or "-"
            most = "-" if "max()" in most else most
            rows.append([f"`{name}`", "".join(re.findall('"([^"]*)"', summary)), rank or "-",
                         most.replace("'", ","), file])
    return table(["strategy", "what it does", "rank in `auto`", "up to so many buffers", "file"], sorted(rows))


def passes():
    rows = []
    for path in files("lib/Transforms/*/*/*.td"):
        for flag, body in re.findall(r'Pass<"([^"]+)"[^>]*>\s*\{(.*?)description', read(path), re.DOTALL):
            summary = re.search(r'summary\s*=\s*"([^"]*)"', body).group(1)
            rows.append([f"`--{flag}`", summary, f"`{os.path.dirname(path)}`"])
    return table(["pass", "what it does", "folder"], sorted(rows))


# Rules of ops: by the function of the op's name, or several by one function.
RULE = re.compile(r'TPU_RULE\((\w+)\)')
RULES = re.compile(r'rules\.add\(((?:"[\w ]+"\s*)+),')


def onnx():
    rows = []
    for path in files("lib/Import/Rules/*.cpp"):
        text = read(path)
        ops = RULE.findall(text)
        for names in RULES.findall(text):
            ops += "".join(re.findall('"([^"]*)"', names)).split()
        rows.append([f"`{os.path.basename(path)}`", " ".join(f"`{op}`" for op in sorted(ops, key=str.lower))])
    return table(["file", "ops"], rows)


TABLES = {"chips": chips, "strategies": strategies, "passes": passes, "onnx": onnx}


def documents():
    return files("*.md") + files("tpu_mlir/docs/**/*.md")


def filled(text):
    """The same document with its tables as they should be."""
    return BLOCK.sub(lambda block: block.group(1) + TABLES[block.group(2)]() + block.group(3), text)


def main(arguments):
    stale = [path for path in documents() if filled(read(path)) != read(path)]
    for path in stale:
        print(("stale: " if "--check" in arguments else "wrote ") + path)
        if "--check" not in arguments:
            new = filled(read(path))
            with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
                file.write(new)
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
