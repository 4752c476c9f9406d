//===- GuardedCall.h - Calls that may crash or hang -------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_JIT_HARNESS_GUARDEDCALL_H
#define TPU_MLIR_TESTS_EXEC_JIT_HARNESS_GUARDEDCALL_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace tpu_mlir::jit {

/// Why a guarded call did not come back.
struct Fault {
  int signal = 0;
  /// The address of an access that faulted; null for other faults.
  const void *address = nullptr;
  std::string describe() const;
};

/// Calls `body` and survives its memory faults, illegal instructions and
/// divisions by zero, the overflow of its stack, and its running for more than
/// `timeoutSeconds` of processor time. What `body` was doing is abandoned
/// without running destructors: it should only enter compiled programs. Calls
/// do not nest; one thread only.
std::optional<Fault> guardedCall(llvm::function_ref<void()> body,
                                 int timeoutSeconds);

/// While one of these lives, a timeout waits: for code that must not be
/// abandoned half-way although a program called it (the allocator).
class Uninterrupted {
public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted &) = delete;
  Uninterrupted &operator=(const Uninterrupted &) = delete;
};

} // namespace tpu_mlir::jit

#endif // TPU_MLIR_TESTS_EXEC_JIT_HARNESS_GUARDEDCALL_H
