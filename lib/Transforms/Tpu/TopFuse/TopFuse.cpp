//===- TopFuse.cpp - Fuse layers of a Top module --------------------------===//
//
// The pass: opens the file of weights, runs the patterns and writes the
// weights that they computed.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/TopFuse/TopFuse.h"

#include "lib/Transforms/Tpu/TopFuse/Fuse.h"
#include "lib/Transforms/Tpu/TopFuse/WeightValues.h"

#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Analysis/Tensor/OpSchedule.h"
#include "tpu_mlir/Dialect/Top/IR/TopStructureOps.h"
#include "tpu_mlir/Support/AtomicFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_TOPFUSE
#include "lib/Transforms/Tpu/TopFuse/TopFuse.h.inc"

using execution::NpyArray;
using execution::NpzError;
using fusion::WeightValues;

/// The file that the module or one around it names, "" for none.
static std::string fileOf(ModuleOp module) {
  auto name = dyn_cast_or_null<StringAttr>(
      findModuleAttr(module, "module.weight_file"));
  if (!name || name.empty())
    return "";
  SmallString<128> path;
  auto from = module.getLoc()->findInstanceOf<FileLineColLoc>();
  if (from && !llvm::sys::path::is_absolute(name.getValue()))
    path = llvm::sys::path::parent_path(from.getFilename().getValue());
  llvm::sys::path::append(path, name.getValue());
  return path.str().str();
}

namespace {

class TopFusePass : public impl::TopFuseBase<TopFusePass> {
public:
  using TopFuseBase::TopFuseBase;

  void runOnOperation() override {
    const SmallVector<ModuleOp> modules(functionModules(getOperation()));
    if (failed(checkOptions(modules.size())))
      return signalPassFailure();
    for (ModuleOp module : modules) {
      const std::string file =
          weightFile.empty() ? fileOf(module) : std::string(weightFile);
      if (!newWeightFile.empty() && isSameFile(file, newWeightFile)) {
        emitCodedError(module.getLoc(), ErrorCode::BadOption,
                       "'new-weight-file' is '" + newWeightFile +
                           "', from which weights are read; name another file");
        return signalPassFailure();
      }
      WeightValues values(module, file, !newWeightFile.empty());
      fusion::fuseTop(module, values);
      if (failed(report(module, values)) ||
          (!newWeightFile.empty() && failed(write(module, values))))
        return signalPassFailure();
    }
  }

private:
  LogicalResult checkOptions(size_t modules) {
    const Location location = getOperation().getLoc();
    if (!newWeightFile.empty() && modules != 1)
      return emitCodedError(
          location, ErrorCode::BadOption,
          "'new-weight-file' is for one module with functions, "
          "here are " +
              Twine(modules) + "; run them one by one");
    if (!weightFile.empty() && !llvm::sys::fs::exists(weightFile))
      return emitCodedError(location, ErrorCode::NotReadable,
                            "cannot read '" + weightFile +
                                "': there is no such file");
    return success();
  }

  /// What was left for want of numbers; an error where the file that the user
  /// named is the reason.
  LogicalResult report(ModuleOp module, WeightValues &values) {
    if (!weightFile.empty() && !values.problem().empty())
      return emitCodedError(module.getLoc(), ErrorCode::NotReadable,
                            values.problem());
    if (values.missed() == 0)
      return success();
    const std::string why =
        !values.problem().empty()
            ? values.problem() + "; name it by 'weight-file'"
        : values.keepsNew()
            ? "the file of weights does not have all of them"
            : "new numbers need a file: name one by 'new-weight-file'";
    emitRemark(module.getLoc())
        << (values.missed() == 1
                ? "a layer is"
                : std::to_string(values.missed()) + " layers are")
        << " left that might be fused if the numbers of weights were known and "
           "new ones could be kept: "
        << why;
    return success();
  }

  LogicalResult write(ModuleOp module, WeightValues &values) {
    std::vector<NpyArray> arrays = values.take();
    llvm::StringSet<> there;
    for (const NpyArray &array : arrays)
      there.insert(array.name);
    std::string absent;
    module.walk([&](top::WeightOp weight) {
      if (!weight->hasAttr("inline_bytes") &&
          !there.contains(valueName(weight.getResult())))
        absent = valueName(weight.getResult());
    });
    if (!absent.empty())
      return emitCodedError(
          module.getLoc(), ErrorCode::NotReadable,
          "'" + newWeightFile + "' would lack weight '" + absent + "': " +
              (values.problem().empty() ? "no array is called so"
                                        : values.problem()));
    auto file = execution::writeNpz(arrays);
    if (auto *error = std::get_if<NpzError>(&file))
      return emitCodedError(module.getLoc(), ErrorCode::NotReadable,
                            "cannot write '" + newWeightFile +
                                "': " + error->message);
    if (auto error =
            writeFileAtomically(newWeightFile, std::get<std::string>(file)))
      return emitCodedError(module.getLoc(), ErrorCode::NotReadable,
                            error->message);
    module->setAttr("module.weight_file",
                    StringAttr::get(&getContext(), newWeightFile));
    return success();
  }
};

} // namespace

} // namespace tpu_mlir
