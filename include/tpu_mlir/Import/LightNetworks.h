//===- LightNetworks.h - Published networks as small files ------*- C++ -*-===//
//
// Networks as frameworks wrote them in ONNX of opset 9: activations and
// normalisations are nodes of their own, sums are Sum, weights ConstantOfShape.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_IMPORT_LIGHTNETWORKS_H
#define TPU_MLIR_IMPORT_LIGHTNETWORKS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tpu_mlir::importer {

struct LightNetwork {
  llvm::StringLiteral name;
  /// One line: what it is and from which paper.
  llvm::StringLiteral summary;
};

llvm::ArrayRef<LightNetwork> lightNetworks();

/// The file of the network of that name, for so many images at once; nullopt:
/// there is none of that name. The same arguments give the same bytes.
std::optional<std::string> buildLightNetwork(llvm::StringRef name,
                                             int64_t batch);

} // namespace tpu_mlir::importer

#endif // TPU_MLIR_IMPORT_LIGHTNETWORKS_H
