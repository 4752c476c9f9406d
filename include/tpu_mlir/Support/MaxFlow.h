//===- MaxFlow.h - The largest flow through a network -----------*- C++ -*-===//
//
// For bounds: what has to be cut to part two sides, and what can pass from one
// to the other. Boost.Graph's push-relabel.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_SUPPORT_MAXFLOW_H
#define TPU_MLIR_SUPPORT_MAXFLOW_H

#include <cstdint>
#include <memory>

namespace tpu_mlir {

/// Vertices 0 to `vertices` - 1 and edges with a capacity each.
class MaxFlow {
public:
  explicit MaxFlow(int vertices);
  ~MaxFlow();
  MaxFlow(MaxFlow &&) noexcept;
  MaxFlow &operator=(MaxFlow &&) noexcept;

  /// `capacity` >= 0. What can arrive at any one vertex has to stay below 2^62.
  void connect(int from, int to, int64_t capacity);
  /// The most that flows from `source` to another vertex, which is the least
  /// capacity of edges without which nothing does. O(vertices^3).
  int64_t largest(int source, int sink);

private:
  struct Network;
  std::unique_ptr<Network> network;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_MAXFLOW_H
