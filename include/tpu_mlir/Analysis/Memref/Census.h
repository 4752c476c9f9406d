//===- Census.h - Who uses the buffers of a function ------------*- C++ -*-===//
//
// A buffer that is handed from branch to branch, or from loop to loop, has all
// names after it, and so has the next one:
//
//        a --> m1 --> m2 --> ... --> mn        each ai has the names mi to mn,
//              ^      ^                        n * n / 2 in all
//        a1 ---+ a2 --+
//
// Where that is too many, names are looked at once, and not once a buffer:
// names that always stand for the same buffers are a class, what is known of a
// class and of those it leads to is a summary, and a buffer has the summary of
// its class.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_MEMREF_CENSUS_H
#define TPU_MLIR_ANALYSIS_MEMREF_CENSUS_H

#include "tpu_mlir/Analysis/Memref/Liveness.h"

namespace tpu_mlir {

/// The names of some buffers. What flows in a circle is one class; a class
/// leads to classes with lower numbers only.
class AliasClasses {
public:
  /// O(names + flow between them).
  AliasClasses(mlir::ArrayRef<mlir::Value> buffers,
               const mlir::BufferViewFlowAnalysis &flow);

  size_t of(mlir::Value name) const { return classOf.lookup(name); }

  /// One a class: what `own` says of its names, and by `add` all that it
  /// leads to, which may come in by several ways and in any order.
  template <typename Part>
  std::vector<Part>
  fold(llvm::function_ref<Part(mlir::ArrayRef<mlir::Value>)> own,
       llvm::function_ref<void(Part &, const Part &)> add) const {
    std::vector<Part> result;
    for (const Class &one : classes) {
      Part part = own(one.names);
      for (size_t next : one.next)
        add(part, result[next]);
      result.push_back(std::move(part));
    }
    return result;
  }

private:
  struct Class {
    mlir::SmallVector<mlir::Value, 1> names;
    mlir::SmallVector<size_t, 2> next;
  };
  std::vector<Class> classes;
  llvm::DenseMap<mlir::Value, size_t> classOf;
};

/// Uses of all buffers of a function. An object must outlive what it gave out.
class MemrefCensus {
public:
  /// `buffers` as for collectUses(). O(their names, as far as those are
  /// followed).
  MemrefCensus(mlir::ArrayRef<mlir::Value> buffers,
               const mlir::BufferViewFlowAnalysis &flow, const OpTicks &ticks,
               mlir::DominanceInfo &dominance, MemrefLiveness &liveness,
               const CallSummaries *calls = nullptr);

  /// As collectUses(); of one of `buffers` that has too many names, a summary.
  MemrefUses uses(mlir::Value buffer);
  /// Of names alone.
  MemrefUses usesOfNames(mlir::ArrayRef<mlir::Value> names) const {
    return collectUsesOfNames(names, flow, ticks, dominance, calls);
  }
  /// nullptr: there are no summaries.
  const AliasClasses *classes() const { return shared.get(); }

private:
  NameSummary summarize(mlir::ArrayRef<mlir::Value> names);
  void add(NameSummary &to, const NameSummary &from) const;
  size_t countNames(mlir::Value buffer, size_t most) const;

  const mlir::BufferViewFlowAnalysis &flow;
  const OpTicks &ticks;
  mlir::DominanceInfo &dominance;
  MemrefLiveness &liveness;
  const CallSummaries *calls;
  std::unique_ptr<AliasClasses> shared;
  std::vector<NameSummary> summaries;
  /// Where each name begins, in an order that control follows.
  llvm::DenseMap<mlir::Value, int64_t> positions;
};

/// A buffer that is to go, and what frees it.
struct FreedBuffer {
  mlir::memref::AllocOp alloc;
  const std::vector<mlir::memref::DeallocOp> *deallocs;
  /// Why it does not go.
  std::optional<Stay> *stay;
  /// What is freed together has to go to the same place.
  std::pair<mlir::Block *, mlir::Attribute> place = {};
};

/// One dealloc may free one buffer or another: it can only go when all of them
/// do, to one place. Buffers of which that is not so stay.
void settleSharedDeallocs(mlir::ArrayRef<FreedBuffer> buffers,
                          const mlir::BufferViewFlowAnalysis &flow,
                          mlir::Operation *function);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_MEMREF_CENSUS_H
