//===- RandomNetwork.h - Small random networks as text ----------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_NETWORKS_RANDOMNETWORK_H
#define TPU_MLIR_TESTS_EXEC_NETWORKS_RANDOMNETWORK_H

#include <cstdint>
#include <string>

namespace tpu_mlir::exec {

struct NetworkOptions {
  int layers = 8;
  bool isInteger = false; ///< i8; otherwise f16.
  int64_t maxChannels = 20;
  int64_t maxExtent = 20;
};

/// A module with one function, the same for the same seed: windows of all
/// kinds, residuals, branches, broadcasts, operands that are read twice, ops
/// that reduce or move, weights in the front end's order and as kernels want
/// them. Whatever nothing reads is returned.
std::string randomNetwork(uint32_t seed, const NetworkOptions &options);

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_NETWORKS_RANDOMNETWORK_H
