// RUN: tpuc-opt --allow-unregistered-dialect --merge-alloc="free remarks" %s 2>/dev/null | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --merge-alloc="planner-options=size-first free" %s 2>/dev/null | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --merge-alloc="free remarks" %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: tpuc-opt --allow-unregistered-dialect --merge-alloc=free --memref-verify-deallocation=strict %s 2>/dev/null | FileCheck %s

// What an op takes that ends its block, but does not say where it leads, stays;
// the others are merged, and freed before such an op.

// CHECK-LABEL: func.func @function_ends(
// CHECK: %[[ARENA:.*]] = memref.alloc() {{.*}} : memref<128xi8>
// CHECK: %[[OWN:.*]] = memref.alloc() : memref<16xf32>
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NEXT: "custom.return"(%[[OWN]])
func.func @function_ends() -> memref<16xf32> {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  // REMARK: [[@LINE+1]]:8: remark: buffer stays: it is returned by 'custom.return'
  %d = memref.alloc() : memref<16xf32>
  "custom.copy"(%a, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  "custom.copy"(%b, %c) : (memref<16xf32>, memref<16xf32>) -> ()
  "custom.copy"(%c, %d) : (memref<16xf32>, memref<16xf32>) -> ()
  "custom.return"(%d) : (memref<16xf32>) -> ()
}

// CHECK-LABEL: func.func @regions(
// CHECK: %[[ARENA:.*]] = memref.alloc() {{.*}} : memref<128xi8>
// CHECK: %[[OWN:.*]] = memref.alloc() : memref<16xf32>
// CHECK: "custom.yield"(%[[OWN]])
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NEXT: return
func.func @regions() {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  %c = memref.alloc() : memref<16xf32>
  // REMARK: [[@LINE+1]]:8: remark: buffer stays: 'custom.yield' hands it on to an unknown place
  %d = memref.alloc() : memref<16xf32>
  "custom.copy"(%a, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  "custom.region"() ({
    "custom.copy"(%b, %c) : (memref<16xf32>, memref<16xf32>) -> ()
    "custom.yield"(%d) : (memref<16xf32>) -> ()
  }, {
  ^bb0(%x: memref<16xf32>):
    "custom.use"(%x) : (memref<16xf32>) -> ()
    "custom.yield"() : () -> ()
  }) : () -> ()
  "custom.use"(%c) : (memref<16xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @branches(
// CHECK: %[[ARENA:.*]] = memref.alloc() {{.*}} : memref<128xi8>
// CHECK: "custom.cond_br"
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NEXT: "custom.return"()
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NEXT: "custom.return"()
func.func @branches(%i: i1) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  // REMARK: [[@LINE+1]]:8: remark: buffer stays: 'custom.cond_br' hands it on to an unknown place
  %d = memref.alloc() : memref<16xf32>
  "custom.copy"(%a, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  "custom.cond_br"(%i, %d)[^bb1, ^bb2] : (i1, memref<16xf32>) -> ()
^bb1:
  %c = memref.alloc() : memref<16xf32>
  "custom.copy"(%b, %c) : (memref<16xf32>, memref<16xf32>) -> ()
  "custom.return"() : () -> ()
^bb2(%x: memref<16xf32>):
  "custom.copy"(%x, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  "custom.return"() : () -> ()
}

// A dealloc after such a branch may be the one of the buffer that it takes.
// CHECK-LABEL: func.func @freed_behind_a_branch(
// CHECK-NOT: memref.view
// CHECK: memref.dealloc
func.func @freed_behind_a_branch(%i: i1) {
  %y = memref.alloc() : memref<16xf32>
  // REMARK: [[@LINE+1]]:8: remark: buffer stays: 'memref.dealloc' frees it or a buffer that cannot be merged with it
  %x = memref.alloc() : memref<16xf32>
  // REMARK: [[@LINE+1]]:8: remark: buffer stays: 'memref.dealloc' frees it or a buffer that cannot be merged with it
  %z = memref.alloc() : memref<16xf32>
  "custom.copy"(%x, %z) : (memref<16xf32>, memref<16xf32>) -> ()
  cf.cond_br %i, ^a, ^b
^a:
  "custom.br"(%y)[^j] : (memref<16xf32>) -> ()
^b:
  %s = arith.select %i, %x, %z : memref<16xf32>
  cf.br ^j(%s : memref<16xf32>)
^j(%m: memref<16xf32>):
  memref.dealloc %m : memref<16xf32>
  return
}

// After the last op of a block nothing can be freed, and before it too early.
// CHECK-LABEL: func.func @ends_with_a_region(
// CHECK-NOT: memref.view
// CHECK-NOT: memref.dealloc
func.func @ends_with_a_region() {
  // REMARK: [[@LINE+1]]:8: remark: buffer stays: 'custom.region' hands it on to an unknown place
  %a = memref.alloc() : memref<16xf32>
  // REMARK: [[@LINE+1]]:8: remark: buffer stays: 'custom.region' hands it on to an unknown place
  %b = memref.alloc() : memref<16xf32>
  "custom.copy"(%a, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  "custom.region"() ({
    "custom.copy"(%b, %a) : (memref<16xf32>, memref<16xf32>) -> ()
    "custom.yield"() : () -> ()
  }) : () -> ()
}
