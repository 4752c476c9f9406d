//===- ArtefactReport.h - Plans as C for embedded programs ------*- C++ -*-===//
//
// What an application without a heap links against: how large its blocks of
// memory are, where in them each tensor is, and, on request, the blocks
// themselves.
//
//     Problem + Plan  ->  net.h     sizes, offsets, structs, checks
//                         net.c     blocks that are asked for by name
//                         net_map.json  the same for tools and people
//
// A pool that may be written is a workspace, a read-only one holds parameters.
// The application hands over one pointer for each. Names are made C identifiers
// (see cName()); two that end up the same are an error.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_REPORT_ARTEFACTREPORT_H
#define TPU_MLIR_REPORT_ARTEFACTREPORT_H

#include "tpu_mlir/Planning/Plan.h"

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tpu_mlir::report {

/// A network and where its tensors are. Several may share one problem and plan:
/// then they were planned together, and each has the buffers that begin with
/// its `namePrefix`.
struct ArtefactModel {
  std::string name;
  const planning::Problem *problem = nullptr;
  const planning::Plan *plan = nullptr;
  /// "first/" for the buffers "first/...", which lose it; empty: all buffers.
  std::string namePrefix;
};

/// Pools are meant by their names.
struct ArtefactOptions {
  /// Of the files, and of what belongs to no model alone. Letters, digits, '_',
  /// '-' and '.', the first one a letter.
  std::string prefix;
  /// The source defines their blocks; the others are the application's.
  std::vector<std::string> internalPools;
  /// What lies there, inputs and outputs only, comes by a pointer for each
  /// tensor: the pool is no block.
  std::vector<std::string> callerPools;
  /// Linker sections of internal pools.
  std::map<std::string, std::string> sections;
  /// Contents of internal parameter pools: "pool", or "model/pool" where models
  /// have different ones. Exactly as long as the pool is used. Without, the
  /// application defines the array that the header declares.
  std::map<std::string, std::string> data;
};

struct ArtefactFile {
  std::string name;
  std::string contents;
};

/// "tensors 'a-b' and 'a.b' would both be ... in C".
struct ArtefactError {
  std::string message;
};

using ArtefactResult = std::variant<std::vector<ArtefactFile>, ArtefactError>;

/// The files, ready to be written side by side. For one model `<prefix>.h`,
/// `<prefix>_map.json` at the end, and `<prefix>.c` if there are internal
/// pools. For several the same, and a header for each model: a workspace pool
/// is one block then, as large as the largest share in it. Parameter pools are
/// one block when the models were planned together, else one a model.
///
/// Fails when a problem does not pass check() or a plan validate(), when names
/// clash, when an option names what is not there, when a buffer belongs to no
/// model, when data has another length than its pool, when a pool has other
/// rights or another base in another model, and when a weight lies in a
/// workspace pool that is shared by models planned apart: the other model
/// overwrites it. O(n log n) and the size of the text.
ArtefactResult renderArtefacts(const std::vector<ArtefactModel> &models,
                               const ArtefactOptions &options);

/// One problem for models that run one after the other, in this order: steps
/// follow each other, pools of the same name are one, buffers are called
/// `<model>/<buffer>`. Weights are there all the time. Fails when pools of one
/// name differ, for schedules that repeat, and beyond 63 bits of steps. The
/// result may still have to pass check(). O(n).
std::variant<planning::Problem, ArtefactError> combineInSequence(
    const std::vector<std::pair<std::string, const planning::Problem *>>
        &models);

/// `name` as (part of) a C identifier, case kept: a run of other ASCII
/// characters becomes one '_', another character 'u' and its code point in hex,
/// a byte that is no UTF-8 'x' and its value.
std::string cName(const std::string &name);

} // namespace tpu_mlir::report

#endif // TPU_MLIR_REPORT_ARTEFACTREPORT_H
