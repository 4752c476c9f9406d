//===- ImportOptions.h - What an import is asked, and says ------*- C++ -*-===//

#ifndef TPU_MLIR_IMPORT_IMPORTOPTIONS_H
#define TPU_MLIR_IMPORT_IMPORTOPTIONS_H

#include "tpu_mlir/Import/Constant.h"

#include <map>
#include <string>

namespace tpu_mlir::importer {

/// What is done with a picture before the network sees it: read, resized, and
/// (pixel - mean) * scale for each channel. It becomes attributes of the
/// network's inputs. The words are those of the attributes.
struct Preprocessing {
  /// Height and width before the picture is cut; empty: the input's.
  Shape resizeDims;
  bool keepsAspectRatio = false;
  std::string keepRatioMode = "letterbox";
  /// One a channel; empty: zeros and ones.
  std::vector<double> mean, scale;
  /// Empty: "gray", "bgr" or "rgba", as many channels as the input has.
  std::string pixelFormat;
  std::string channelFormat = "nchw";
  int64_t padValue = 0;
  std::string padType = "center";
  /// Inputs by number, from 1 on, which have to be pictures; empty: those that
  /// are. A picture has three dimensions or four, floats, and the channels of
  /// its format.
  Shape inputs;
  /// It is an error when no input is a picture.
  bool isDemanded = false;
};

struct ImportOptions {
  /// What the module and the file of weights are called.
  std::string name;
  /// One for each input, in order, or none: as the file says.
  std::vector<Shape> inputShapes;
  /// Values to return instead of the file's outputs.
  std::vector<std::string> outputNames;
  /// Inputs whose value is known: they become weights, and what follows from
  /// them is computed.
  std::map<std::string, Constant> bound;
  /// Nothing is done with inputs without it.
  std::optional<Preprocessing> preprocessing;
};

/// An input or output of the network, as the file declares it.
struct Border {
  std::string name;
  DataType type = DataType::Other;
  Shape shape;
};

/// Why there is no module.
struct ImportError {
  /// Whether it is about one node, and not about the file as a whole.
  bool isNode = false;
  /// "node 'conv1' (Conv, opset 11) with inputs [1,3,?,?]: ...".
  std::string message;
  /// Inputs whose values would have to be known: see ImportOptions::bound.
  std::vector<std::string> wanted = {};
};

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_IMPORT_IMPORTOPTIONS_H
