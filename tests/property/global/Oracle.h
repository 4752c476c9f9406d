//===- Oracle.h - Is an addressed module right? -----------------*- C++ -*-===//
//
// Says by brute force whether a module's addresses are sound. It shares no
// code with the passes and works in another way than tpu-verify-addresses,
// which reasons about all runs at once:
//
//   * Rules: facts about single addresses and pairs of them (regions,
//     alignment, weights, what has to be at one address, what runs at the same
//     time).
//   * Replay: the module is run several times with bytes that carry tags; each
//     If takes a random branch, each Loop runs 0 to 3 times. Every read has to
//     find the tags that the ops alone, without memory, would have passed on.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_PROPERTY_GLOBAL_ORACLE_H
#define TPU_MLIR_TESTS_PROPERTY_GLOBAL_ORACLE_H

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Support/Interval.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tpu_mlir::test {

/// Memory besides the chip's.
struct ExtraPool {
  Interval bytes;
  bool readOnly = false;
};

struct OracleOptions {
  std::vector<ExtraPool> pools;
  int64_t alignment = 1;
  int64_t replays = 8;
  uint64_t seed = 1;
};

/// The first thing that is wrong with the addresses of `root`; empty when
/// nothing is. Every tensor has a static size.
std::string findFault(mlir::ModuleOp root, const target::ChipSpec &chip,
                      const OracleOptions &options);

/// Values at places that follow from each other: views in their operands,
/// pieces in merged results, both ends of calls and yields, updates in place.
/// By address, then by place in the text.
std::vector<llvm::SmallVector<mlir::Value>>
sharedPlaces(mlir::ModuleOp functions, bool fourN);

//===----------------------------------------------------------------------===//
// Used by both parts
//===----------------------------------------------------------------------===//

/// The modules in `root` that hold functions.
llvm::SmallVector<mlir::ModuleOp> modulesOfFunctions(mlir::ModuleOp root);
/// Functions that nothing calls, main first.
llvm::SmallVector<mlir::func::FuncOp> entriesOf(mlir::ModuleOp functions);
/// The function with a body that `op` calls, or null.
mlir::func::FuncOp calledBody(mlir::Operation *op);

/// Bytes of a value; nothing for a value that has no storage or address.
std::optional<Interval> placeOf(mlir::Value value, bool fourN);
bool atSameAddress(mlir::Value a, mlir::Value b);
/// Operand and result lie as the edge says.
bool edgeHolds(mlir::Operation *op, const InPlaceEdge &edge, bool fourN);
/// The tensors that an op and, for a group, its inside read from outside.
llvm::SmallVector<mlir::Value> tensorsRead(mlir::Operation *op);
/// Regions, alignment, weights, calls, groups, parallel ops.
std::string findBrokenRule(mlir::ModuleOp functions,
                           const target::ChipSpec &chip,
                           const OracleOptions &options);
/// One run with random branches.
std::string findWrongRead(mlir::ModuleOp functions, bool fourN, bool inputsKept,
                          uint64_t seed);

} // namespace tpu_mlir::test

#endif // TPU_MLIR_TESTS_PROPERTY_GLOBAL_ORACLE_H
