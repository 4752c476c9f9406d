//===- VerifyLocal.cpp - Verify the layer groups of a module --------------===//
//
// The pass: turns violations of the invariants L1 to L11 into diagnostics.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/VerifyLocal/VerifyLocal.h"

#include "lib/Analysis/Local/Check/Checks.h"
#include "tpu_mlir/Analysis/Chip.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Support/Utf8.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tpu_mlir {

#define GEN_PASS_DEF_VERIFYLOCAL
#include "lib/Transforms/Tpu/VerifyLocal/VerifyLocal.h.inc"

namespace {

/// More errors of one group than anybody reads.
constexpr size_t kMaxErrors = 20;

class VerifyLocalPass : public impl::VerifyLocalBase<VerifyLocalPass> {
public:
  using VerifyLocalBase::VerifyLocalBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    getOperation().walk<WalkOrder::PreOrder>([&](ModuleOp module) {
      if (!module.getOps<func::FuncOp>().empty() && failed(verify(module)))
        signalPassFailure();
    });
  }

private:
  /// Groups of this module, not of modules inside it.
  static std::vector<tpu::GroupOp> groupsOf(ModuleOp module) {
    std::vector<tpu::GroupOp> groups;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<ModuleOp>(op) && op != module)
        return WalkResult::skip();
      if (auto group = dyn_cast<tpu::GroupOp>(op))
        groups.push_back(group);
      return WalkResult::advance();
    });
    return groups;
  }

  /// A module without groups needs no chip.
  LogicalResult verify(ModuleOp module) {
    const std::vector<tpu::GroupOp> groups = groupsOf(module);
    if (groups.empty())
      return checkChipOptions(module, chip, chipFile);
    FailureOr<target::ChipSpec> spec = resolveChip(module, chip, chipFile);
    if (failed(spec))
      return failure();
    bool isRight = true;
    for (tpu::GroupOp group : groups) {
      const local::Violations violations = local::checkGroup(group, *spec);
      report(violations);
      isRight &= violations.empty();
    }
    return success(isRight);
  }

  static void report(const local::Violations &violations) {
    for (size_t i = 0; i < std::min(violations.size(), kMaxErrors); ++i) {
      const local::Violation &violation = violations[i];
      const int number = static_cast<int>(violation.invariant);
      const auto code = static_cast<ErrorCode>(
          static_cast<int>(ErrorCode::LocalForm) + number);
      const std::string prefix =
          number == 0 ? "" : "I" + std::to_string(number) + ": ";
      InFlightDiagnostic diagnostic = emitCodedError(
          violation.op->getLoc(), code, prefix + violation.message);
      for (const auto &[op, text] : violation.notes)
        diagnostic.attachNote(op->getLoc()) << asUtf8(text);
      if (i + 1 == kMaxErrors && violations.size() > kMaxErrors)
        diagnostic.attachNote() << "and " << violations.size() - kMaxErrors
                                << " more errors in this group";
    }
  }
};

} // namespace

} // namespace tpu_mlir
