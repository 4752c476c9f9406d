//===- OnnxFlags.h - How a model of ONNX is to be read ----------*- C++ -*-===//

#ifndef TPU_MLIR_TOOLS_ONNXINPUT_ONNXFLAGS_H
#define TPU_MLIR_TOOLS_ONNXINPUT_ONNXFLAGS_H

#include "tpu_mlir/Import/ImportOptions.h"

#include "llvm/Support/CommandLine.h"

#include <deque>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tpu_mlir {

/// What flags ask for.
struct OnnxRequest {
  /// Without a name, and without what is bound.
  importer::ImportOptions options;
  /// Inputs and the files that have their values.
  std::vector<std::pair<std::string, std::string>> bindings;
  /// The flags as they were given, each with a blank in front.
  std::string flags;
};

/// The flags that every tool has which reads models of ONNX; names and defaults
/// are those of tpu-mlir's model_transform.py where it has them.
class OnnxFlags {
public:
  /// `condition` begins each description: "With --onnx: ", or nothing.
  OnnxFlags(llvm::cl::OptionCategory &category, const std::string &condition);

  /// What they ask for, or what is wrong with a value.
  std::variant<OnnxRequest, std::string> read() const;
  /// The first one that is given, as people write it; "" for none.
  std::string firstGiven() const;

private:
  using Text = llvm::cl::opt<std::string>;

  std::string readPreprocessing(OnnxRequest &request) const;
  std::string readNumbers(importer::Preprocessing &how) const;
  llvm::StringRef describe(const std::string &text);
  std::vector<const llvm::cl::Option *> all() const;
  bool isPreprocessing() const;

  std::string condition;
  /// LLVM keeps no descriptions of its own.
  std::deque<std::string> descriptions;
  Text inputShapes;
  llvm::cl::list<std::string> outputNames, bindings;
  Text resizeDims;
  llvm::cl::opt<bool> keepAspectRatio;
  Text keepRatioMode, mean, scale, pixelFormat, channelFormat;
  llvm::cl::opt<int64_t> padValue;
  Text padType, preprocessList;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_TOOLS_ONNXINPUT_ONNXFLAGS_H
