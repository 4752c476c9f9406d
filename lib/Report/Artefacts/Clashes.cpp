//===- Clashes.cpp - Every name that the files make, once -----------------===//

#include "lib/Report/Artefacts/Layout.h"
#include "lib/Report/Artefacts/Names.h"

namespace tpu_mlir::report {

using planning::BufferKind;

namespace {

class Claims {
public:
  explicit Claims(const Layout &layout) : layout(layout) {}

  std::optional<std::string> run() {
    for (const std::string &taken : takenNames())
      global(taken, "C itself");
    const std::string about = "what is common to all files";
    // A single model's header is the prefix's.
    if (!layout.isSingle())
      global(guardOf(layout.macro), about);
    global(layout.macro + "_ALIGNED", about);
    global(layout.macro + "_SECTION", about);
    for (const Model &model : layout.models)
      claimModel(model);
    for (const Block &block : layout.blocks)
      claimBlock(block);
    return names.clash();
  }

private:
  void global(const std::string &identifier, const std::string &origin) {
    names.claim("", identifier, origin);
  }

  void claimModel(const Model &model) {
    const std::string about = "model '" + model.name + "'";
    global(guardOf(model.macro), about);
    global(model.macro + "_CHECK", about);
    for (const char *suffix :
         {"_workspaces", "_parameters", "_inputs", "_outputs", "_map_inputs",
          "_map_outputs", "_fill_workspaces", "_fill_parameters", "_pool"})
      global(model.identifier + suffix, about);
    for (const PoolPart &part : model.pools)
      claimPart(model, part);
    for (const Tensor &tensor : model.tensors)
      claimTensor(model, tensor);
  }

  static std::string of(const Model &model) {
    return " of model '" + model.name + "'";
  }

  void claimPart(const Model &model, const PoolPart &part) {
    const std::string origin = "pool '" + part.name + "'" + of(model);
    const std::string scope =
        model.identifier + (part.isParameter ? "_parameters" : "_workspaces");
    global(model.macro + "_POOL_" + macroName(part.name), origin);
    if (part.isCaller)
      return;
    names.claim("struct " + scope, part.member, origin);
    for (const char *suffix : {"_ALIGNMENT", "_CAPACITY", "_BASE_ADDRESS"})
      global(part.macro + suffix, origin);
    global(part.sizeMacro(), origin);
    global(model.identifier + "_check_pool_" + part.member, origin);
  }

  void claimTensor(const Model &model, const Tensor &tensor) {
    const std::string origin = "tensor '" + tensor.name + "'" + of(model);
    for (const char *suffix : {"_OFFSET", "_SIZE", "_POOL"})
      global(tensor.macro + suffix, origin);
    for (const char *suffix : {"_fits", "_aligned"})
      global(model.identifier + "_check_" + tensor.member + suffix, origin);
    const BufferKind kind = model.bufferOf(tensor).kind;
    if (kind == BufferKind::Input)
      names.claim("struct " + model.identifier + "_inputs", tensor.member,
                  origin);
    if (kind == BufferKind::Output)
      names.claim("struct " + model.identifier + "_outputs", tensor.member,
                  origin);
  }

  void claimBlock(const Block &block) {
    const std::string origin = "the block of pool '" + block.pool + "'";
    global(block.identifier, origin);
    if (block.owner)
      return;
    global(block.sizeMacro, origin);
    global(block.macro + "_ALIGNMENT", origin);
  }

  const Layout &layout;
  Names names;
};

} // namespace

std::optional<std::string> findClash(const Layout &layout) {
  return Claims(layout).run();
}

} // namespace tpu_mlir::report
