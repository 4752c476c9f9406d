//===- Header.cpp - Sizes, offsets, structs and checks in C ---------------===//

#include "lib/Report/Artefacts/Layout.h"
#include "lib/Report/Artefacts/Names.h"
#include "tpu_mlir/Planning/ProblemIO.h"

namespace tpu_mlir::report {

using namespace planning;

std::string guardOf(const std::string &macro) { return macro + "_H_"; }

std::string constant(int64_t value) {
  return "UINT64_C(" + std::to_string(value) + ")";
}

std::string define(const std::string &name, const std::string &value) {
  return "#define " + name + " " + value + "\n";
}

std::string headerBegin(const std::string &guard, const std::string &about) {
  return "/* " + about +
         "\n * Made from a memory plan; changes will be lost. */\n#ifndef " +
         guard + "\n#define " + guard +
         "\n\n#include <stddef.h>\n#include <stdint.h>\n\n"
         "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
}

std::string headerEnd(const std::string &guard) {
  return "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " + guard + " */\n";
}

bool fillsAny(const Layout &layout, const Model &model, bool isParameter) {
  for (const PoolPart *part : model.parts(isParameter))
    if (layout.blocks[part->block].isInternal)
      return true;
  return false;
}

std::string fillSignature(const Model &model, bool isParameter) {
  const std::string what = isParameter ? "parameters" : "workspaces";
  return "void " + model.identifier + "_fill_" + what + "(struct " +
         model.identifier + "_" + what + " *" + what + ")";
}

namespace {

std::string comment(const std::string &text) { return "/* " + text + " */\n"; }

class ModelHeader {
public:
  ModelHeader(const Layout &layout, const Model &model)
      : layout(layout), model(model), id(model.identifier),
        check(model.macro + "_CHECK") {}

  std::string run(const std::string &guard) {
    text = headerBegin(guard, "Memory of '" + inComment(model.name) + "'.");
    checkMacro();
    pools();
    tensors();
    blockStruct(false);
    blockStruct(true);
    ioStruct(BufferKind::Input, "inputs");
    ioStruct(BufferKind::Output, "outputs");
    declareArrays();
    for (bool isParameter : {false, true})
      if (fillsAny(layout, model, isParameter))
        text += "\n" +
                comment("Sets the members whose memory the source defines.") +
                fillSignature(model, isParameter) + ";\n";
    return text + headerEnd(guard);
  }

private:
  /// A false condition does not compile, whatever the language.
  void checkMacro() {
    text += "\n#if defined(__cplusplus) && __cplusplus >= 201103L\n" +
            define(check + "(condition, name)",
                   "static_assert((condition), #name)") +
            "#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L\n" +
            define(check + "(condition, name)",
                   "_Static_assert((condition), #name)") +
            "#else\n" +
            define(check + "(condition, name)",
                   "typedef char name[(condition) ? 1 : -1]") +
            "#endif\n";
  }

  void pools() {
    std::string ids;
    for (const PoolPart &part : model.pools) {
      ids += (ids.empty() ? "\n" : ",\n") + std::string("  ") + poolId(part);
      if (!part.isCaller)
        pool(part);
    }
    if (!ids.empty())
      text += "\nenum " + id + "_pool {" + ids + "\n};\n";
  }

  std::string poolId(const PoolPart &part) const {
    return model.macro + "_POOL_" + macroName(part.name);
  }

  void pool(const PoolPart &part) {
    const std::string size = part.sizeMacro();
    std::string reach;
    for (const std::string &target : part.pool->targets)
      reach += (reach.empty() ? ", for " : ", ") + inComment(target);
    text += "\n" +
            comment("Pool '" + inComment(part.name) + "'" + reach + ".") +
            define(size, constant(part.usedBytes)) +
            define(part.macro + "_ALIGNMENT", constant(part.alignmentBytes));
    if (part.pool->baseAddress != 0)
      text += define(part.macro + "_BASE_ADDRESS",
                     constant(part.pool->baseAddress));
    std::string condition = size + " <= SIZE_MAX";
    if (part.pool->capacityBytes) {
      text +=
          define(part.macro + "_CAPACITY", constant(*part.pool->capacityBytes));
      condition += " && " + size + " <= " + part.macro + "_CAPACITY";
    }
    // gcc warns where nothing is compared with a limit.
    if (part.usedBytes > 0)
      text += check + "(" + condition + ",\n    " + id + "_check_pool_" +
              part.member + ");\n";
    for (const Interval &range : part.pool->reserved)
      text +=
          comment("Not to be touched: bytes " + std::to_string(range.begin) +
                  " to " + std::to_string(range.end) + ".");
  }

  void tensors() {
    for (const Tensor &tensor : model.tensors) {
      const Buffer &buffer = model.bufferOf(tensor);
      const PoolPart &part = model.pools[tensor.pool];
      text += "\n" + comment(std::string(kindName(buffer.kind)) + " '" +
                             inComment(tensor.name) + "'");
      if (!part.isCaller)
        text += define(tensor.macro + "_OFFSET", constant(tensor.offsetBytes));
      text += define(tensor.macro + "_SIZE", constant(buffer.sizeBytes)) +
              define(tensor.macro + "_POOL", poolId(part));
      if (part.isCaller)
        continue;
      checkTensor(tensor, part, buffer);
    }
  }

  void checkTensor(const Tensor &tensor, const PoolPart &part,
                   const Buffer &buffer) {
    const std::string name = id + "_check_" + tensor.member;
    const std::string size = tensor.macro + "_SIZE";
    const std::string offset = tensor.macro + "_OFFSET";
    text += check + "(" + offset + " + " + size + " <= " + part.sizeMacro() +
            ",\n    " + name + "_fits);\n";
    if (buffer.alignment > 1)
      text += check + "(" + offset + " % " + constant(buffer.alignment) +
              " == 0,\n    " + name + "_aligned);\n";
  }

  void blockStruct(bool isParameter) {
    const auto parts = model.parts(isParameter);
    if (parts.empty())
      return;
    text +=
        "\n" +
        comment(isParameter ? "Where the parameters start; nothing writes them."
                            : "Where the workspaces start.") +
        "struct " + id + (isParameter ? "_parameters" : "_workspaces") + " {\n";
    for (const PoolPart *part : parts)
      text += std::string("  ") + (isParameter ? "const " : "") + "uint8_t *" +
              part->member + ";\n";
    text += "};\n";
  }

  void ioStruct(BufferKind kind, const std::string &what) {
    const auto tensors = model.ofKind(kind);
    if (tensors.empty())
      return;
    const std::string type = "struct " + id + "_" + what;
    text += "\n" + type + " {\n";
    bool isMapped = false;
    for (const Tensor *tensor : tensors) {
      text += "  void *" + tensor->member + ";\n";
      isMapped |= !model.isCallers(*tensor);
    }
    text += "};\n";
    if (isMapped)
      mapFunction(tensors, type, what);
  }

  void mapFunction(const std::vector<const Tensor *> &tensors,
                   const std::string &type, const std::string &what) {
    text += "\n" +
            comment("Finds them in the workspaces; NULL for what the caller "
                    "provides.") +
            "static inline " + type + "\n" + id + "_map_" + what +
            "(const struct " + id + "_workspaces *workspaces) {\n  " + type +
            " " + what + ";\n";
    for (const Tensor *tensor : tensors)
      text += "  " + what + "." + tensor->member + " = " +
              (model.isCallers(*tensor)
                   ? "NULL"
                   : "workspaces->" + model.pools[tensor->pool].member +
                         " + (size_t)" + tensor->macro + "_OFFSET") +
              ";\n";
    text += "  return " + what + ";\n}\n";
  }

  void declareArrays() {
    for (const Block &block : layout.blocks)
      if (block.isDeclaredOnly() && block.owner &&
          &layout.models[*block.owner] == &model)
        text += "\n" + comment("For the application to define.") +
                "extern const uint8_t " + block.identifier + "[" +
                block.sizeMacro + "];\n";
  }

  const Layout &layout;
  const Model &model;
  const std::string id;
  const std::string check;
  std::string text;
};

} // namespace

std::string renderModelHeader(const Layout &layout, const Model &model,
                              const std::string &guard) {
  return ModelHeader(layout, model).run(guard);
}

std::string renderCommonHeader(const Layout &layout) {
  const std::string guard = guardOf(layout.macro);
  std::string text = headerBegin(
      guard, layout.isPlannedTogether
                 ? "Memory that models share; they were planned together."
                 : "Memory that models share, one after the other.");
  for (const Model &model : layout.models)
    text += (&model == layout.models.data() ? "\n" : "") +
            std::string("#include \"") + model.identifier + ".h\"\n";
  for (const Block &block : layout.blocks) {
    if (block.owner)
      continue;
    text += "\n" + comment("Pool '" + inComment(block.pool) + "'.") +
            define(block.sizeMacro, constant(block.sizeBytes)) +
            define(block.macro + "_ALIGNMENT", constant(block.alignmentBytes));
    if (block.isDeclaredOnly())
      text += comment("For the application to define.") +
              "extern const uint8_t " + block.identifier + "[" +
              block.sizeMacro + "];\n";
  }
  return text + headerEnd(guard);
}

} // namespace tpu_mlir::report
