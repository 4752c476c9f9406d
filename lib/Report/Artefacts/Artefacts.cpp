//===- Artefacts.cpp - The files side by side; internal blocks in C -------===//

#include "lib/Report/Artefacts/Layout.h"

#include "lib/Report/Artefacts/Names.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace tpu_mlir::report {

namespace {

/// Can be defined beforehand, for compilers that spell it otherwise.
std::string alignedMacro(const Layout &layout) {
  const std::string name = layout.macro + "_ALIGNED";
  return "\n#ifndef " + name + "\n#if defined(__GNUC__)\n" +
         define(name + "(bytes)", "__attribute__((aligned(bytes)))") +
         "#elif defined(__cplusplus) && __cplusplus >= 201103L\n" +
         define(name + "(bytes)", "alignas(bytes)") +
         "#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n" +
         define(name + "(bytes)", "_Alignas(bytes)") +
         "#else\n#error \"define " + name +
         "(bytes) for this compiler\"\n#endif\n#endif\n";
}

/// The same for sections, which no standard knows.
std::string sectionMacro(const Layout &layout) {
  const std::string name = layout.macro + "_SECTION";
  return "\n#ifndef " + name + "\n#if defined(__GNUC__)\n" +
         define(name + "(name)", "__attribute__((section(name)))") +
         "#else\n#error \"define " + name +
         "(name) for this compiler\"\n#endif\n#endif\n";
}

std::string bytesOf(const std::string &data) {
  std::string text;
  text.reserve(data.size() * 5);
  for (size_t i = 0; i < data.size(); ++i) {
    text += i % 16 == 0 ? (i ? ",\n    0x" : "\n    0x") : ", 0x";
    text += llvm::hexdigit(uint8_t(data[i]) >> 4, /*LowerCase=*/true);
    text += llvm::hexdigit(uint8_t(data[i]) & 15, /*LowerCase=*/true);
  }
  return text;
}

std::string definition(const Layout &layout, const Block &block) {
  std::string text = "\n/* Pool '" + inComment(block.pool) + "'. */\n";
  if (!block.section.empty())
    text += layout.macro + "_SECTION(\"" + block.section + "\")\n";
  // No array has no elements.
  const std::string count =
      block.sizeMacro + (block.sizeBytes == 0 ? " + 1" : "");
  text += layout.macro + "_ALIGNED(" + block.macro + "_ALIGNMENT) static " +
          (block.isParameter ? "const " : "") + "uint8_t\n    " +
          block.identifier + "[" + count + "]";
  if (block.isParameter)
    text += " = {" + (block.sizeBytes == 0 ? "0" : bytesOf(*block.data)) + "}";
  return text + ";\n";
}

std::string fillFunction(const Layout &layout, const Model &model,
                         bool isParameter) {
  std::string text = "\n" + fillSignature(model, isParameter) + " {\n";
  for (const PoolPart *part : model.parts(isParameter))
    if (const Block &block = layout.blocks[part->block]; block.isInternal)
      text += std::string("  ") + (isParameter ? "parameters" : "workspaces") +
              "->" + part->member + " = " + block.identifier + ";\n";
  return text + "}\n";
}

} // namespace

std::string renderSource(const Layout &layout) {
  std::string text = "/* Made from a memory plan; changes will be lost. */\n"
                     "#include \"" +
                     layout.prefix + ".h\"\n" + alignedMacro(layout);
  if (std::any_of(layout.blocks.begin(), layout.blocks.end(),
                  [](const Block &block) { return !block.section.empty(); }))
    text += sectionMacro(layout);
  for (const Block &block : layout.blocks)
    if (block.isInternal && !block.isDeclaredOnly())
      text += definition(layout, block);
  for (const Model &model : layout.models)
    for (bool isParameter : {false, true})
      if (fillsAny(layout, model, isParameter))
        text += fillFunction(layout, model, isParameter);
  return text;
}

ArtefactResult renderArtefacts(const std::vector<ArtefactModel> &models,
                               const ArtefactOptions &options) {
  auto built = buildLayout(models, options);
  if (auto *error = std::get_if<ArtefactError>(&built))
    return std::move(*error);
  const Layout &layout = std::get<Layout>(built);
  std::vector<ArtefactFile> files;
  const std::string header = layout.prefix + ".h";
  if (layout.isSingle()) {
    const Model &model = layout.models.front();
    files.push_back(
        {header, renderModelHeader(layout, model, guardOf(model.macro))});
  } else {
    files.push_back({header, renderCommonHeader(layout)});
    for (const Model &model : layout.models)
      files.push_back({model.identifier + ".h",
                       renderModelHeader(layout, model, guardOf(model.macro))});
  }
  if (layout.hasInternal())
    files.push_back({layout.prefix + ".c", renderSource(layout)});
  files.push_back({layout.prefix + "_map.json", renderMap(layout)});
  return files;
}

} // namespace tpu_mlir::report
