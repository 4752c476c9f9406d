//===- OpSet.h - Sets of numbers as bits ------------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ORDERING_OPSET_H
#define TPU_MLIR_LIB_ORDERING_OPSET_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tpu_mlir::ordering {

/// A set of numbers below `count`. Sets that are put together have the same
/// count.
class OpSet {
public:
  explicit OpSet(size_t count = 0, bool all = false)
      : words((count + 63) / 64, all ? ~uint64_t(0) : 0) {}
  void insert(int op) { words[op / 64] |= bit(op); }
  void erase(int op) { words[op / 64] &= ~bit(op); }
  bool contains(int op) const { return words[op / 64] & bit(op); }
  OpSet &operator|=(const OpSet &other) {
    for (size_t i = 0; i < words.size(); ++i)
      words[i] |= other.words[i];
    return *this;
  }
  OpSet &operator&=(const OpSet &other) {
    for (size_t i = 0; i < words.size(); ++i)
      words[i] &= other.words[i];
    return *this;
  }
  bool operator==(const OpSet &other) const { return words == other.words; }

private:
  static uint64_t bit(int op) { return uint64_t(1) << (op % 64); }
  std::vector<uint64_t> words;
};

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_LIB_ORDERING_OPSET_H
