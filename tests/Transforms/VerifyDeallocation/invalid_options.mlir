// RUN: not tpuc-opt --memref-verify-deallocation=leaks=perhaps %s 2>&1 | FileCheck %s

// CHECK: error: leaks are 'error', 'remark' or 'ignore', not 'perhaps' [TPUMEM-E018]
func.func @f() {
  return
}
