//===- BufferClasses.h - Which memrefs may share memory ---------*- C++ -*-===//
//
// The memrefs of a function fall into classes: whatever flows from one to
// another, as a view, through a branch or round a loop, is in the class of
// both. What lies in different classes is apart, unless both are seen from
// outside of the function. A class knows all accesses of its memrefs, by tick.
//
// Removal of copies joins classes and takes accesses away; nothing has to be
// computed anew.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_BUFFERCLASSES_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_BUFFERCLASSES_H

#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include <set>

namespace tpu_mlir::copies {

/// A read, write or free. The name of the memref is an operand, which changes
/// with the program.
struct BufferAccess {
  int64_t tick = 0;
  unsigned operand = 0;
  mlir::Operation *op = nullptr;
  bool writes = false;

  mlir::Value name() const { return op->getOperand(operand); }
  bool operator<(const BufferAccess &other) const {
    return std::pair(tick, operand) < std::pair(other.tick, other.operand);
  }
};

/// Accesses that a question is not about.
using Ignored = llvm::function_ref<bool(const BufferAccess &)>;

class BufferClasses {
public:
  /// O(n log n) for all values and uses of the function.
  BufferClasses(mlir::Operation *function, const CallSummaries &calls,
                bool argumentsApart);

  /// An op in `window` that may access memory of `memref`: the first one, or
  /// among the first ones. nullptr: there is none. `writesOnly` asks for ops
  /// that write or free. Where too much lies in the window it is one of that.
  mlir::Operation *accessIn(mlir::Value memref, Interval window,
                            bool writesOnly, Ignored ignored) const;

  /// All memory of the class is allocated in the function, and nobody else
  /// knows of it.
  bool isPrivate(mlir::Value memref) const;
  /// An op may go on with it after it is done.
  bool isAsynchronous(mlir::Value memref) const;
  /// Every name of it is defined by an op inside `op`.
  bool isInside(mlir::Value memref, mlir::Operation *op) const;

  /// `op` is about to be erased.
  void forget(mlir::Operation *op);
  /// `from` is about to be replaced by `to`, and to lose its definition.
  void replace(mlir::Value from, mlir::Value to);
  /// `name` is another name of `memref` that has just been made.
  void addName(mlir::Value memref, mlir::Value name);

  const OpTicks &time() const { return ticks; }

private:
  /// What is known about where the memory of a class comes from and goes to.
  enum Origin : unsigned {
    Argument = 1,      ///< An argument that may overlap with others.
    LoneArgument = 2,  ///< An argument that does not.
    Unknown = 4,       ///< Nobody knows.
    Escaped = 8,       ///< Others may have it.
    Asynchronous = 16, ///< An op may go on with it.
  };
  struct Class {
    unsigned parent = 0;
    unsigned origins = 0;
    /// The tick of the op, or of the op around the block, of its first name.
    int64_t firstTick = 0;
    std::set<BufferAccess> all, writes;
  };

  void collectNames();
  void addNamed(mlir::Value value, bool isFunctionArgument);
  void collectAccesses(const CallSummaries &calls);
  void markAsynchronous(mlir::Operation *op);
  void insert(Class &into, const BufferAccess &access);
  unsigned find(mlir::Value memref) const;
  unsigned root(unsigned number) const;
  unsigned unite(unsigned a, unsigned b);
  mlir::Operation *visibleAccessIn(unsigned memref, Interval window,
                                   bool writesOnly, Ignored ignored) const;
  bool mayOverlap(unsigned a, unsigned b) const;

  mlir::Operation *function;
  bool argumentsApart;
  OpTicks ticks;
  mlir::BufferViewFlowAnalysis flow;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  mutable std::vector<Class> classes;
  /// Accesses of classes that are not private.
  std::set<BufferAccess> visible;
  /// Ops that may touch what is not private, by tick.
  std::vector<std::pair<int64_t, mlir::Operation *>> touching;
};

} // namespace tpu_mlir::copies

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_COPYREMOVAL_BUFFERCLASSES_H
