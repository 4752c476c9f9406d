//===- Layout.cpp - What the generated files say --------------------------===//

#include "lib/Report/Artefacts/Layout.h"

#include "lib/Report/Artefacts/Names.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Validate.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace tpu_mlir::report {

using namespace planning;

std::string PoolPart::sizeMacro() const {
  return macro + (isParameter ? "_PARAMETER_SIZE" : "_WORKSPACE_SIZE");
}

std::vector<const PoolPart *> Model::parts(bool isParameter) const {
  std::vector<const PoolPart *> found;
  for (const PoolPart &part : pools)
    if (part.isParameter == isParameter && !part.isCaller)
      found.push_back(&part);
  return found;
}

std::vector<const Tensor *> Model::ofKind(BufferKind kind) const {
  std::vector<const Tensor *> found;
  for (const Tensor &tensor : tensors)
    if (bufferOf(tensor).kind == kind)
      found.push_back(&tensor);
  return found;
}

bool Layout::hasInternal() const {
  return std::any_of(blocks.begin(), blocks.end(),
                     [](const Block &block) { return block.isInternal; });
}

namespace {

/// The largest power of two that divides `alignment`: others mean offsets only.
int64_t powerOfTwoIn(int64_t alignment) { return alignment & -alignment; }

bool holds(const std::vector<std::string> &list, const std::string &name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// What ELF can say.
constexpr int64_t kMostAlignment = int64_t(1) << 28;

/// Keeps the first of the messages.
class Failure {
public:
  void operator()(const std::string &message) {
    if (!error)
      error = ArtefactError{message};
  }

  std::optional<ArtefactError> error;
};

/// One model after the other: its tensors, and what it has in each pool.
class ModelStep {
public:
  ModelStep(const ArtefactOptions &options, Failure &fail)
      : options(options), fail(fail) {}

  std::optional<Model> model(const ArtefactModel &from) {
    if (fail.error || !isSound(from))
      return std::nullopt;
    Model model;
    model.name = from.name;
    model.identifier = memberName(from.name);
    model.macro = llvm::StringRef(model.identifier).upper();
    model.problem = from.problem;
    addPools(model, from);
    addTensors(model, from);
    return model;
  }

private:
  bool isSound(const ArtefactModel &from) {
    const std::vector<ProblemError> errors = check(*from.problem);
    if (!errors.empty())
      fail("model '" + from.name + "': " + errors.front().message);
    else if (const auto broken = validate(*from.problem, *from.plan, 1);
             !broken.empty())
      fail("model '" + from.name +
           "': the plan is not valid: " + broken.front().message);
    return !fail.error;
  }

  /// All pools of the problem; those without a tensor go in addTensors().
  void addPools(Model &model, const ArtefactModel &from) {
    for (const Pool &pool : from.problem->pools) {
      PoolPart part;
      part.pool = &pool;
      part.name = pool.name;
      part.member = memberName(pool.name);
      part.macro = model.macro + "_" + macroName(pool.name);
      part.isParameter = pool.access == PoolAccess::ReadOnly;
      part.isCaller = pool.isCallers || holds(options.callerPools, pool.name);
      part.alignmentBytes = powerOfTwoIn(pool.alignment);
      model.pools.push_back(std::move(part));
    }
  }

  void addTensors(Model &model, const ArtefactModel &from) {
    const std::vector<std::string> names = fileNames(*from.problem);
    std::vector<std::optional<BufferId>> roots(names.size());
    for (const Alias &alias : from.problem->aliases)
      roots[alias.member] = alias.root;
    std::vector<bool> isUsed(model.pools.size());
    for (size_t id = 0; id < names.size(); ++id) {
      llvm::StringRef name = names[id];
      if (!name.consume_front(from.namePrefix))
        continue;
      const Placement &place = from.plan->placements[id];
      const Buffer &buffer = from.problem->buffers[id];
      PoolPart &part = model.pools[place.pool];
      isUsed[place.pool] = true;
      part.usedBytes =
          std::max(part.usedBytes, place.offsetBytes + buffer.sizeBytes);
      part.alignmentBytes =
          std::max(part.alignmentBytes, powerOfTwoIn(buffer.alignment));
      model.tensors.push_back({BufferId(id), name.str(), memberName(name.str()),
                               model.macro + "_" + macroName(name.str()),
                               size_t(place.pool), place.offsetBytes,
                               roots[id]});
    }
    dropUnused(model, isUsed);
    for (const Tensor &tensor : model.tensors)
      checkCallers(model, tensor);
  }

  static void dropUnused(Model &model, const std::vector<bool> &isUsed) {
    std::vector<PoolPart> kept;
    std::vector<size_t> newIndex(isUsed.size());
    for (size_t i = 0; i < isUsed.size(); ++i) {
      newIndex[i] = kept.size();
      if (isUsed[i])
        kept.push_back(std::move(model.pools[i]));
    }
    model.pools = std::move(kept);
    for (Tensor &tensor : model.tensors)
      tensor.pool = newIndex[tensor.pool];
  }

  void checkCallers(const Model &model, const Tensor &tensor) {
    const BufferKind kind = model.bufferOf(tensor).kind;
    if (!model.isCallers(tensor))
      return;
    const std::string where = "tensor '" + tensor.name + "' is in pool '" +
                              model.pools[tensor.pool].name +
                              "', whose tensors the caller provides, but it ";
    if (kind != BufferKind::Input && kind != BufferKind::Output)
      fail(where + "is no input and no output");
    if (tensor.root)
      fail(where + "lies in another one");
  }

  const ArtefactOptions &options;
  Failure &fail;
};

std::string allPrefixes(const std::vector<ArtefactModel> &given) {
  std::string text;
  for (const ArtefactModel &model : given)
    text += (text.empty() ? "'" : ", '") + model.namePrefix + "'";
  return text;
}

/// Each buffer is a tensor of exactly one model.
void checkBelonging(const Layout &layout,
                    const std::vector<ArtefactModel> &given, Failure &fail) {
  std::map<std::pair<const Problem *, BufferId>, const Model *> owners;
  for (const Model &model : layout.models)
    for (const Tensor &tensor : model.tensors)
      if (!owners.insert({{model.problem, tensor.id}, &model}).second)
        fail("buffer '" + model.bufferOf(tensor).name +
             "' belongs to two models, '" +
             owners[{model.problem, tensor.id}]->name + "' and '" + model.name +
             "'");
  for (const Model &model : layout.models)
    for (size_t id = 0; id < model.problem->buffers.size(); ++id)
      if (!owners.count({model.problem, BufferId(id)}))
        fail("buffer '" + model.problem->buffers[id].name +
             "' belongs to no model: its name begins with none of " +
             allPrefixes(given));
}

/// The memory behind the parts of the models.
class BlockStep {
public:
  BlockStep(Layout &layout, const ArtefactOptions &options, Failure &fail)
      : layout(layout), options(options), fail(fail) {}

  /// Fills the layout's blocks; the entries of the options' data that they use.
  std::vector<std::string> run() {
    for (size_t m = 0; m < layout.models.size(); ++m)
      for (PoolPart &part : layout.models[m].pools)
        if (!part.isCaller)
          part.block = blockFor(m, part);
    for (Block &block : layout.blocks)
      findData(block);
    return std::move(usedData);
  }

private:
  /// The block that the part is in, new or enlarged.
  size_t blockFor(size_t m, const PoolPart &part) {
    const bool isOwn =
        layout.isSingle() || (part.isParameter && !layout.isPlannedTogether);
    for (size_t b = 0; b < layout.blocks.size() && !isOwn; ++b)
      if (Block &block = layout.blocks[b]; block.pool == part.name) {
        checkShared(block, part, layout.models[m]);
        block.sizeBytes = std::max(block.sizeBytes, part.usedBytes);
        block.alignmentBytes =
            std::max(block.alignmentBytes, part.alignmentBytes);
        return b;
      }
    const Model &model = layout.models[m];
    Block block;
    block.pool = part.name;
    block.identifier =
        (isOwn ? model.identifier : layout.identifier) + "_" + part.member;
    block.macro =
        isOwn ? part.macro : layout.macro + "_SHARED_" + macroName(part.name);
    block.sizeMacro = isOwn ? part.sizeMacro() : block.macro + "_SIZE";
    block.isParameter = part.isParameter;
    block.isInternal = holds(options.internalPools, part.name);
    block.sizeBytes = part.usedBytes;
    block.alignmentBytes = part.alignmentBytes;
    if (isOwn)
      block.owner = m;
    if (auto at = options.sections.find(part.name);
        at != options.sections.end())
      block.section = at->second;
    layout.blocks.push_back(std::move(block));
    firstPools.push_back(part.pool);
    checkWeights(model, part);
    return layout.blocks.size() - 1;
  }

  void checkShared(const Block &block, const PoolPart &part,
                   const Model &model) {
    const Pool &first = *firstPools[&block - layout.blocks.data()];
    if (first.access != part.pool->access ||
        first.baseAddress != part.pool->baseAddress)
      fail("pool '" + part.name + "' of model '" + model.name +
           "' has other rights or another base address than that of another "
           "model");
    checkWeights(model, part);
  }

  /// Planned apart, each model thinks that the workspace is its own.
  void checkWeights(const Model &model, const PoolPart &part) {
    if (layout.isPlannedTogether || part.isParameter)
      return;
    for (const Tensor *weight : model.ofKind(BufferKind::Weight))
      if (&model.pools[weight->pool] == &part)
        fail("weight '" + weight->name + "' of model '" + model.name +
             "' is in workspace pool '" + part.name +
             "', which other models overwrite; plan the models together");
  }

  void findData(Block &block) {
    if (!block.isParameter)
      return;
    const std::string model =
        block.owner ? layout.models[*block.owner].name + "/" : "";
    auto at = options.data.find(model + block.pool);
    if (at == options.data.end())
      at = options.data.find(block.pool);
    if (at == options.data.end())
      return;
    usedData.push_back(at->first);
    block.data = &at->second;
    if (int64_t(at->second.size()) != block.sizeBytes)
      fail("the data of pool '" + at->first + "' has " +
           std::to_string(at->second.size()) + " bytes; needed are " +
           std::to_string(block.sizeBytes));
  }

  Layout &layout;
  const ArtefactOptions &options;
  Failure &fail;
  std::vector<const Pool *> firstPools; ///< Of each block.
  std::vector<std::string> usedData;
};

void checkPrefix(const std::string &given, Failure &fail) {
  const llvm::StringRef prefix = given;
  const bool isFileName = llvm::all_of(prefix, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '-' || c == '.';
  });
  if (prefix.empty() || !llvm::isAlpha(prefix[0]) || !isFileName)
    fail("prefix '" + given +
         "' has to be a letter and then letters, digits, '_', '-' or '.'");
}

/// What the options name has to be there.
class OptionStep {
public:
  OptionStep(const Layout &layout, const ArtefactOptions &options,
             Failure &fail)
      : layout(layout), options(options), fail(fail) {}

  void run(const std::vector<std::string> &usedData) {
    for (const std::string &pool : options.internalPools) {
      checkKnown(pool, "internal");
      if (isCallers(pool))
        fail("pool '" + pool + "' cannot be internal and the caller's");
    }
    for (const std::string &pool : options.callerPools)
      checkKnown(pool, "the caller's");
    for (const auto &[pool, section] : options.sections)
      checkSection(pool, section);
    for (const auto &entry : options.data)
      if (!holds(usedData, entry.first))
        fail("there is no parameter pool '" + entry.first +
             "' in use that could have data");
    for (const Block &block : layout.blocks) {
      if (block.data && !block.isInternal)
        fail("pool '" + block.pool + "' has data, but is not internal");
      if (block.isInternal && block.alignmentBytes > kMostAlignment)
        fail("pool '" + block.pool +
             "' cannot be internal: no linker aligns "
             "an array to " +
             std::to_string(block.alignmentBytes) + " bytes");
    }
  }

private:
  bool isCallers(const std::string &pool) const {
    if (holds(options.callerPools, pool))
      return true;
    for (const Model &model : layout.models)
      for (const Pool &known : model.problem->pools)
        if (known.name == pool && known.isCallers)
          return true;
    return false;
  }

  void checkKnown(const std::string &pool, const std::string &what) {
    for (const Model &model : layout.models)
      for (const Pool &known : model.problem->pools)
        if (known.name == pool)
          return;
    fail("pool '" + pool + "' is to be " + what + ", but there is none");
  }

  void checkSection(const std::string &pool, const std::string &section) {
    if (!holds(options.internalPools, pool))
      fail("pool '" + pool + "' has a section, but is not internal");
    const bool isPlain = llvm::all_of(section, [](char c) {
      return llvm::isPrint(c) && c != '"' && c != '\\' && c != ' ' && c != '?';
    });
    if (section.empty() || !isPlain)
      fail("'" + section + "' is no name for a section");
  }

  const Layout &layout;
  const ArtefactOptions &options;
  Failure &fail;
};

} // namespace

std::variant<Layout, ArtefactError>
buildLayout(const std::vector<ArtefactModel> &models,
            const ArtefactOptions &options) {
  Failure fail;
  Layout layout;
  layout.prefix = options.prefix;
  layout.identifier = memberName(options.prefix);
  layout.macro = llvm::StringRef(layout.identifier).upper();
  checkPrefix(options.prefix, fail);
  for (const ArtefactModel &from : models) {
    layout.isPlannedTogether &= from.problem == models.front().problem &&
                                from.plan == models.front().plan;
    if (auto model = ModelStep(options, fail).model(from))
      layout.models.push_back(std::move(*model));
  }
  if (models.empty())
    fail("there is no model");
  if (!fail.error)
    checkBelonging(layout, models, fail);
  if (!fail.error) {
    const std::vector<std::string> usedData =
        BlockStep(layout, options, fail).run();
    if (!fail.error)
      OptionStep(layout, options, fail).run(usedData);
  }
  if (!fail.error)
    if (auto clash = findClash(layout))
      fail(*clash);
  if (fail.error)
    return *fail.error;
  return layout;
}

} // namespace tpu_mlir::report
