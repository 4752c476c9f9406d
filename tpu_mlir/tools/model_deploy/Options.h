//===- Options.h - The command line of model_deploy -------------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_MODEL_DEPLOY_OPTIONS_H
#define TPU_MLIR_TOOLS_MODEL_DEPLOY_OPTIONS_H

#include "tpu_mlir/Log/Log.h"
#include "tpu_mlir/tools/CommandLine/CommandLine.h"
#include "tpu_mlir/tools/OnnxInput/OnnxFlags.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tpu_mlir::planning {
class PlanCache;
} // namespace tpu_mlir::planning

namespace tpu_mlir::deploy {

/// What a pipeline has as an option, too, has its name (handOn()).
struct Options {
  /// One of them: a module, or a model of ONNX and how to read it.
  std::string mlirFile, onnxFile;
  OnnxRequest onnx;
  std::string chip;
  std::string chipFile;
  /// Without the extension: outputs are <stem>_final.mlir and so on.
  std::string stem;
  /// "" when the module is lowered already.
  std::string quantize;
  // Of INT8.
  std::string calibrationTable; ///< "": the module's ranges, or stand-ins.
  std::string quantizeTable;
  std::string weightFile; ///< "": what the module says, if it is there.
  bool asymmetric = false;
  // Of modes with packed weights.
  int64_t groupSize = 64;
  bool symmetricWeights = false;
  bool stripInputs = false;
  bool stripOutputs = false;
  std::string inputList, outputList; ///< "": all of them.
  int64_t numCore = 0;               ///< 0: the module's.
  std::string addressMode;
  std::string sameAddr;
  /// With ';' between.
  std::string pools;
  std::string pins;
  bool poolIo = false;
  bool l2 = true;
  std::string strategy;
  bool layerGroup = true;
  std::string search; ///< For layer groups.
  std::string groupObjective;
  int64_t maxLayers = 0; ///< Of a group; 0: no limit.
  bool lineBuffers = false;
  bool groupOverlap = true;
  bool regroup = false;
  /// "text", "memory" or "auto".
  std::string order;
  /// "none", "memory" or "auto": what tensors share beyond what they have to.
  std::string share;
  int64_t alignment = 0;
  int64_t gmemBytes = 0;
  /// No flag: for the picture of what does not fit.
  bool unlimited = false;
  /// Look for what needs less memory: until gmemBytes are enough, or as little
  /// as there is.
  bool fit = false, pareto = false;
  /// Seconds after which searches end with what they have.
  std::optional<double> timeLimit;
  /// Of plans of other runs; empty: none.
  std::string cacheFolder;
  /// No flag: where they are kept, of this run, too.
  planning::PlanCache *cache = nullptr;
  /// Empty: no trace.
  std::string traceFile;
  /// "c", or empty: files for an application.
  std::string artefacts;
  /// Pools whose memory the C source defines, besides parameters.
  std::vector<std::string> internalPools;
  std::map<std::string, std::string> sections;
  bool dedup = false;
  bool pack = false;    ///< Weights.
  bool inOrder = false; ///< What kernels do, where the chip does not say.
  bool strict = false;
  bool debug = false;
  log::Level logLevel = log::Level::Info;
  /// No results on standard output.
  bool quiet = false;
  /// Run the network on its plan at the end.
  bool run = false;
};

/// The options, or the exit code with which to stop (after --help, or after a
/// message about what is wrong).
struct ParsedOptions {
  std::optional<Options> options;
  int exitCode = kOk;
};

ParsedOptions parseOptions(int argc, char **argv);

} // namespace tpu_mlir::deploy

#endif // TPU_MLIR_TOOLS_MODEL_DEPLOY_OPTIONS_H
