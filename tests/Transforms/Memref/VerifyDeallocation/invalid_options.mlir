// RUN: not tpuc-opt --memref-verify-deallocation=leaks=perhaps %s 2>&1 | FileCheck %s
// RUN: not tpuc-opt --pass-pipeline="builtin.module(func.func(memref-verify-deallocation{leaks=perhaps}))" %s 2>&1 | FileCheck %s

// CHECK: error: leaks are 'error', 'remark' or 'ignore', not 'perhaps' [TPUMEM-E018]
// CHECK-NOT: error:
func.func @f() {
  return
}
func.func @said_once() {
  return
}
