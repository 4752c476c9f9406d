//===- FunctionCheck.h - What becomes of the buffers of a function -*- C++ -*-//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_FUNCTIONCHECK_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_FUNCTIONCHECK_H

#include "lib/Analysis/Memref/Deallocation/Certainty.h"
#include "lib/Analysis/Memref/Deallocation/FreedArguments.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include <map>

namespace tpu_mlir::verify_deallocation {

/// A fault at one op, for all buffers that it may hit there.
struct Finding {
  Event event;
  bool isCertain = false;
  /// Of a leak: on every path of each of the buffers.
  bool isAlways = true;
  std::vector<mlir::Value> buffers;
};

/// What is asked of a function.
struct Question {
  /// A buffer with more worlds is not decided; all of them together have 16
  /// times as many, and 16 more for each.
  int64_t maxWorlds;
  /// Also what is freed on no path; else nobody follows that.
  bool leaks = true;
  /// Results that are followed as if they were new, whatever is known of them.
  llvm::ArrayRef<mlir::Value> taken = {};
  /// What these ops make is followed, and nothing else; empty: all is.
  llvm::ArrayRef<mlir::Operation *> only = {};
};

/// Allocations of one function, and what else it may free: arguments, globals,
/// buffers of the stack and those of which nobody knows where they come from;
/// and what becomes of them.
class FunctionCheck {
public:
  FunctionCheck(mlir::Operation *function, FreshResults &fresh,
                FreedArguments &freed, const Question &question);

  /// By position. O(worlds). To be called once.
  std::vector<Finding> findings();
  /// All whose fate is looked at from their beginning.
  const std::vector<mlir::Value> &followed() const { return buffers; }
  const std::vector<mlir::Value> &undecided() const { return undecidedBuffers; }
  /// Those that nothing frees on some path, unless others do who may hold them.
  const std::vector<mlir::Value> &left() const { return leftBuffers; }
  /// Memrefs that are loaded from memory: where they are stored, and loaded
  /// again, is not followed.
  const std::vector<mlir::Value> &loaded() const { return loadedBuffers; }

private:
  void collectBuffers();
  bool isFollowed(mlir::OpResult result);
  bool isForeign(mlir::OpResult result);
  bool isBorrowed(mlir::Value buffer) const;
  bool callersAreKnown() const;
  void checkArgument(mlir::BlockArgument argument, const Worlds &worlds,
                     int start);
  Finding &add(mlir::Value buffer, const Event &event, bool isCertain);

  mlir::Operation *function;
  FreshResults &fresh;
  FreedArguments &freed;
  Flow flow;
  Names names;
  int64_t maxWorlds;
  bool leaks;
  llvm::DenseSet<mlir::Value> taken;
  llvm::DenseSet<mlir::Operation *> only;
  std::vector<mlir::Value> buffers;
  /// Freed here, but from where nobody knows; others may hold them.
  std::vector<mlir::Value> foreignBuffers;
  std::vector<mlir::Value> loadedBuffers;
  std::vector<mlir::Value> undecidedBuffers;
  std::vector<mlir::Value> leftBuffers;
  OpTicks ticks;
  /// By position and kind.
  std::map<std::tuple<int64_t, Fault>, Finding> found;
};

} // namespace tpu_mlir::verify_deallocation

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_FUNCTIONCHECK_H
