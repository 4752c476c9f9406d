// RUN: not tpuc-opt --memref-memory="remove-copies=false copy-ops=gpu.nosuchop" %s 2>&1 | FileCheck %s --check-prefix=COPIES
// RUN: not tpuc-opt --memref-memory="hoist=false hoist-mode=dominator" %s 2>&1 | FileCheck %s --check-prefix=HOIST
// RUN: not tpuc-opt --merge-alloc="memory-spaces=1 capacity=default:1" %s 2>&1 | FileCheck %s --check-prefix=SPACE
// RUN: not tpuc-opt --merge-alloc="analysis-only capacity=default:1" %s 2>&1 | FileCheck %s --check-prefix=ANALYSIS
// RUN: tpuc-opt --memref-memory="hoist-mode=dominator copy-ops=memref.copy" %s -o /dev/null

// An option without effect is an error.

// COPIES: error: memref-memory: 'copy-ops' has no effect with 'remove-copies=false' [TPUMEM-E018]
// HOIST: error: memref-memory: 'hoist-mode' has no effect with 'hoist=false' [TPUMEM-E018]
// SPACE: error: option 'capacity': 'default:1' has no effect: 'memory-spaces' leaves this memory space alone [TPUMEM-E018]
// ANALYSIS: error: option 'capacity': 'default:1' has no effect: 'analysis-only' plans nothing [TPUMEM-E018]
func.func @f() {
  return
}
