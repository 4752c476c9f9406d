//===- Chip.h - Which chip a module is for ----------------------*- C++ -*-===//

#ifndef TPU_MLIR_ANALYSIS_CHIP_H
#define TPU_MLIR_ANALYSIS_CHIP_H

#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/BuiltinOps.h"

namespace tpu_mlir {

/// The chip of `module`, from the first of: the file `chipFile`, the name
/// `chip`, the attribute module.chip as findSharedAttr() finds it. Emits E003
/// and fails when there is none or it is unknown, E005 when the attribute is no
/// string. Its usedCores are those of module.cores that it has.
mlir::FailureOr<target::ChipSpec> resolveChip(mlir::ModuleOp module,
                                              llvm::StringRef chip,
                                              llvm::StringRef chipFile);

/// resolveChip() for its errors, where no op needs a chip: success when neither
/// option is given.
mlir::LogicalResult checkChipOptions(mlir::ModuleOp module,
                                     llvm::StringRef chip,
                                     llvm::StringRef chipFile);

/// Whether kernels keep the promise of the attribute `in_order`: the chip's do
/// (nullptr: it is not known), or the module was planned as if they did.
bool areKernelsInOrder(mlir::ModuleOp module, const target::ChipSpec *chip);

/// Whether `text`, in a module, names the chip called `name`: by any name that
/// findChip() takes for it, or in other letters if it is none of the build.
bool isChipName(llvm::StringRef text, llvm::StringRef name);

/// Makes module.chip say that `module` is made for `chip`, so that whoever
/// reads it next takes the same one, by setModuleAttr(). A name of the chip,
/// former ones included, stays as it is spelt.
void recordChip(mlir::ModuleOp module, const target::ChipSpec &chip);

/// An attribute of the module or of the ones around it, innermost first; null
/// when there is none. `module` may be null.
mlir::Attribute findModuleAttr(mlir::ModuleOp module, llvm::StringRef name);
/// The same for a network: where these say nothing, what all modules inside
/// `module` say. O(ops directly in modules).
mlir::Attribute findSharedAttr(mlir::ModuleOp module, llvm::StringRef name);

/// Makes findSharedAttr() find `value` in `module` and in all modules inside:
/// where something else stands, else in the outermost module.
void setModuleAttr(mlir::ModuleOp module, llvm::StringRef name,
                   mlir::Attribute value);

/// Reads the integer attribute `name` of `module`: nullopt when absent. Emits
/// E005 and fails when it is something else or negative.
mlir::FailureOr<std::optional<int64_t>> moduleInteger(mlir::ModuleOp module,
                                                      llvm::StringRef name);

/// `module.cores`, 1 where it is missing. Emits E005 and fails when it is no
/// positive integer. May be more than a chip has.
mlir::FailureOr<int64_t> usedCores(mlir::ModuleOp module);

/// The bytes of L2 that a program on `module.cores` cores may use: their share
/// of it, one core's where the attribute is missing. 0 without L2. Emits E005
/// and fails when the attribute is no integer.
mlir::FailureOr<int64_t> usableL2Bytes(mlir::ModuleOp module,
                                       const target::ChipSpec &chip);

/// Whether the address of `value` is one of L2; false where it has none.
bool isInL2(mlir::Value value, const target::ChipSpec &chip);

/// Remarks every kind of top/tpu op that this build does not define: such ops
/// are taken to read all operands and to write fresh results. With `strict`
/// an error (E010).
mlir::LogicalResult checkKnownOps(mlir::ModuleOp module, bool strict);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_CHIP_H
