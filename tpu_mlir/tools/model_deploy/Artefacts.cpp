//===- Artefacts.cpp - Files for an application ---------------------------===//

#include "tpu_mlir/tools/model_deploy/Artefacts.h"

#include "lib/Transforms/Tpu/VerifyPlan/VerifyPlan.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Report/ArtefactReport.h"

#include "llvm/Support/Path.h"

using namespace mlir;

namespace tpu_mlir::deploy {

LogicalResult makeArtefacts(ModuleOp module, const Options &options,
                            Records &records, Outputs &outputs) {
  if (options.artefacts.empty())
    return success();
  auto fail = [&](ErrorCode code, const Twine &message) {
    return emitCodedError(module.getLoc(), code, message);
  };
  if (records.size() != 1)
    return fail(ErrorCode::BadOption,
                "--artefacts is for one module of functions, here are " +
                    Twine(records.size()));
  auto &[inner, record] = records.front();
  const std::string problemFile = options.stem + "_problem.json";
  if (failed(verifyPlan(cast<ModuleOp>(inner), record.problem, record.plan,
                        problemFile)))
    return failure();
  report::ArtefactOptions wanted;
  wanted.prefix = llvm::sys::path::filename(options.stem).str();
  wanted.internalPools = options.internalPools;
  wanted.sections = options.sections;
  wanted.data = record.contents;
  for (const auto &pool : record.contents)
    if (!llvm::is_contained(wanted.internalPools, pool.first))
      wanted.internalPools.push_back(pool.first);
  auto files = report::renderArtefacts(
      {{wanted.prefix, &record.problem, &record.plan, ""}}, wanted);
  if (auto *error = std::get_if<report::ArtefactError>(&files))
    return fail(ErrorCode::BadOption, "--artefacts: " + error->message);
  const StringRef folder = llvm::sys::path::parent_path(options.stem);
  for (auto &file : std::get<std::vector<report::ArtefactFile>>(files)) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, file.name);
    outputs.add(path.str().str(), std::move(file.contents));
  }
  outputs.add(problemFile,
              planning::printProblemJson(record.problem, &record.plan));
  return success();
}

} // namespace tpu_mlir::deploy
