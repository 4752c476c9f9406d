//===- HandOn.h - Options that several structs have -------------*- C++ -*-===//
//
// Tools, pipelines and passes have options of the same meaning under the same
// name. This is the one list of those that are handed on.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PIPELINES_HANDON_H
#define TPU_MLIR_LIB_PIPELINES_HANDON_H

#include <type_traits>
#include <utility>

namespace tpu_mlir {
namespace hand_on {

#define TPU_MLIR_HANDED_ON(X)                                                  \
  X(chip)                                                                      \
  X(chipFile)                                                                  \
  X(strategy)                                                                  \
  X(ioMode)                                                                    \
  X(sameAddr)                                                                  \
  X(pools)                                                                     \
  X(pins)                                                                      \
  X(poolIo)                                                                    \
  X(problemFile)                                                               \
  X(planFile)                                                                  \
  X(poolData)                                                                  \
  X(l2)                                                                        \
  X(merges)                                                                    \
  X(alignment)                                                                 \
  X(gmemBytes)                                                                 \
  X(dedup)                                                                     \
  X(pack)                                                                      \
  X(share)                                                                     \
  X(planCache)                                                                 \
  X(inOrder)                                                                   \
  X(unlimited)                                                                 \
  X(strict)                                                                    \
  X(search)                                                                    \
  X(objective)                                                                 \
  X(maxLayers)                                                                 \
  X(keepLocal)                                                                 \
  X(maxRecompute)                                                              \
  X(lineBuffers)                                                               \
  X(reorder)                                                                   \
  X(regroup)                                                                   \
  X(remarks)

/// The value of an option: a plain one, or that of a pipeline.
template <typename T> T valueOf(const T &value, long) { return value; }
template <typename T>
auto valueOf(const T &option, int) -> decltype(option.getValue()) {
  return option.getValue();
}
template <typename T>
using ValueOf = std::decay_t<decltype(valueOf(std::declval<T>(), 0))>;
template <typename A, typename B>
using IfSame = std::enable_if_t<std::is_same_v<ValueOf<A>, ValueOf<B>>>;

/// Of two overloads the first, where both structs have the option.
#define TPU_MLIR_HAND_ON(option)                                               \
  template <typename To, typename From>                                        \
  auto option(To &to, const From &from, int)                                   \
      -> IfSame<decltype(to.option), decltype(from.option)> {                  \
    to.option = valueOf(from.option, 0);                                       \
  }                                                                            \
  template <typename To, typename From> void option(To &, const From &, long) {}
TPU_MLIR_HANDED_ON(TPU_MLIR_HAND_ON)
#undef TPU_MLIR_HAND_ON

} // namespace hand_on

/// Sets every option of the list that `to` has as `from` has it.
template <typename To, typename From> void handOn(To &to, const From &from) {
#define TPU_MLIR_HAND_ON(option) hand_on::option(to, from, 0);
  TPU_MLIR_HANDED_ON(TPU_MLIR_HAND_ON)
#undef TPU_MLIR_HAND_ON
}

#undef TPU_MLIR_HANDED_ON

/// The options of a pass.
template <typename To, typename From> To handedOn(const From &from) {
  To to;
  handOn(to, from);
  return to;
}

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_PIPELINES_HANDON_H
