//===- BarrierTraffic.h - What moves once more at barriers ------*- C++ -*-===//
//
// A network without IR, as far as it is known for certain what depends on what,
// and a bound on what local memory is too small to keep.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_BARRIERTRAFFIC_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_BARRIERTRAFFIC_H

#include <cstdint>
#include <vector>

namespace tpu_mlir::local_report {

/// A tensor of a network.
struct NeedValue {
  int64_t bytes = 0;
  std::vector<int64_t> shape;
  /// A weight or an input of the network: in global memory from the beginning.
  bool isGiven = false;
  /// A view, or a copy from one memory to another: nothing is computed, and its
  /// bytes count as those of what it is made of.
  bool isView = false;
  /// An output of the network, all of it.
  bool isOutput = false;
  /// Stored whatever happens, in whole or as a part of what is an output.
  bool isStored = false;
};

/// Each element of `result` depends on elements of `operand`: of some of the
/// pairs of which that is known each element of the operand is in as many as
/// any other, and each element of the result, too.
struct Need {
  int operand = 0, result = 0;
  /// For each dimension of the operand: elements of the result at all places of
  /// these dimensions depend on all of its places. Empty: one element does.
  std::vector<std::vector<int>> places;
};

/// That elements of `result` may be elements of `operand`, as they are.
struct Copy {
  int operand = 0, result = 0;
};

/// Operands come before results.
struct NeedGraph {
  std::vector<NeedValue> values;
  std::vector<Need> needs;
  std::vector<Copy> copies;
};

/// Bytes that move on top of weights, inputs and outputs once, whatever is
/// grouped, cut, ordered or computed again, where local memory has
/// `memoryBytes`.
///
/// A barrier: each element of P depends on all of some given tensors, and all
/// of X on P. When the first element of P is there, all of these tensors have
/// been loaded and nothing of X is there. Whatever leads from them to X without
/// having moved through global memory since, or being loaded again, is in local
/// memory then. So the least that cuts them from X, counted once for given
/// tensors and outputs, twice (stored and loaded) for all else, less twice the
/// memory, moves once more. What outputs are copied from, if only in part, may
/// be loaded from there, so it counts as an output. Barriers of which each
/// depends on all of the X before add up. Elements are spread evenly over each
/// dependence that is known, so that a flow between tensors is one between
/// elements.
///
/// Takes barriers from the front, of two in each other's way the second one if
/// it has more than twice the bytes. 0 where capacities leave 62 bits, and
/// barriers after 2^28 steps are not looked for. O(barriers * (values + needs)
/// + flows).
int64_t barrierBytes(const NeedGraph &graph, int64_t memoryBytes);

} // namespace tpu_mlir::local_report

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_LOCALREPORT_BARRIERTRAFFIC_H
