// RUN: not tpuc-opt --memref-memory %s -o /dev/null 2>&1 | FileCheck %s
// RUN: tpuc-opt --memref-memory=verify=false %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF --allow-empty

// The pipeline finds what the program itself does wrong.
// CHECK: error: a buffer is freed that is free already [TPUMEM-E020]
// CHECK-NOT: error:
// OFF-NOT: error:
func.func @twice(%n: index) {
  %a = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return
}
