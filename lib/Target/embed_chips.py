"""Writes a C++ table of chip files: embed_chips.py OUT.cpp CHIP.json..."""
import os
import sys


def main(out, *paths):
    rows = []
    for path in sorted(paths, key=os.path.basename):
        name = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            rows.append('    {"%s", R"json(%s)json"},\n' % (name, file.read()))
    with open(out, "w", encoding="utf-8") as file:
        file.write('#include "lib/Target/EmbeddedChips.h"\n\n')
        file.write("namespace tpu_mlir::target {\n\n")
        file.write("static const EmbeddedChip kChips[] = {\n%s};\n\n" % "".join(rows))
        file.write("const EmbeddedChip *embeddedChipsBegin() { return kChips; }\n")
        file.write("const EmbeddedChip *embeddedChipsEnd() {\n  return kChips + %d;\n}\n\n" % len(rows))
        file.write("} // namespace tpu_mlir::target\n")


main(*sys.argv[1:])
