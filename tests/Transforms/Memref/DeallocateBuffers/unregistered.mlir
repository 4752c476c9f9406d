// RUN: tpuc-opt --memref-deallocate --allow-unregistered-dialect %s 2>/dev/null | FileCheck %s
// RUN: tpuc-opt --memref-deallocate --allow-unregistered-dialect %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: tpuc-opt --memref-deallocate --memref-verify-deallocation=strict --allow-unregistered-dialect %s 2>/dev/null | FileCheck %s
// RUN: tpuc-opt --memref-memory --allow-unregistered-dialect %s 2>/dev/null | FileCheck %s --check-prefix=PIPE

// An op that is not registered and last in its block ends it. What it takes may
// go anywhere and is not freed; what it does not take is freed before it.

// CHECK-LABEL: func.func @a_region_yields(
// CHECK-NOT: memref.dealloc
// REMARK: [[@LINE+2]]:8: remark: is not freed by memref-deallocate: it may live on in a result of 'custom.region_if'
func.func @a_region_yields(%n: index) -> memref<?x?xf32> {
  %0 = memref.alloc(%n, %n) : memref<?x?xf32>
  %1 = "custom.region_if"(%0) ({
  ^bb0(%a: memref<?x?xf32>):
    "custom.region_if_yield"(%a) : (memref<?x?xf32>) -> ()
  }, {
  ^bb0(%a: memref<?x?xf32>):
    // REMARK: [[@LINE+1]]:10: remark: is not freed by memref-deallocate: an op of unknown control flow gets it
    %2 = memref.alloc(%n, %n) : memref<?x?xf32>
    "custom.fill"(%2) : (memref<?x?xf32>) -> ()
    "custom.region_if_yield"(%2) : (memref<?x?xf32>) -> ()
  }, {
  ^bb0(%a: memref<?x?xf32>):
    "custom.region_if_yield"(%a) : (memref<?x?xf32>) -> ()
  }) : (memref<?x?xf32>) -> memref<?x?xf32>
  return %1 : memref<?x?xf32>
}

// CHECK-LABEL: func.func @no_results(
// CHECK: "custom.fill"(%[[A:.*]]) : (memref<4xf32>)
// CHECK: memref.dealloc %[[B:.*]] : memref<4xf32>
// CHECK-NEXT: "custom.yield"(%[[A]])
// CHECK-NOT: memref.dealloc
func.func @no_results() {
  "custom.region"() ({
    // REMARK: [[@LINE+1]]:10: remark: is not freed by memref-deallocate: an op of unknown control flow gets it
    %a = memref.alloc() : memref<4xf32>
    "custom.fill"(%a) : (memref<4xf32>) -> ()
    %b = memref.alloc() : memref<4xf32>
    "custom.fill"(%b) : (memref<4xf32>) -> ()
    "custom.yield"(%a) : (memref<4xf32>) -> ()
  }, {
  ^bb0(%a: memref<4xf32>):
    "custom.use"(%a) : (memref<4xf32>) -> ()
    "custom.yield"() : () -> ()
  }) : () -> ()
  return
}

// What comes from outside of the region may be a result, too.
// CHECK-LABEL: func.func @captured(
// CHECK-NOT: memref.dealloc
// REMARK: [[@LINE+2]]:8: remark: is not freed by memref-deallocate: an op of unknown control flow gets it
func.func @captured() {
  %a = memref.alloc() : memref<4xf32>
  "custom.fill"(%a) : (memref<4xf32>) -> ()
  %r:2 = "custom.region"() ({
    "custom.yield"(%a) : (memref<4xf32>) -> ()
  }) : () -> (f32, memref<4xf32>)
  "custom.use"(%r#1) : (memref<4xf32>) -> ()
  return
}

// PIPE-LABEL: func.func @function_ends(
// PIPE: %[[STACK:.*]] = memref.alloca()
// PIPE: %[[OWN:.*]] = memref.alloc()
// PIPE: "custom.copy"(%[[STACK]], %[[OWN]])
// PIPE-NEXT: "custom.return"(%[[OWN]])
// CHECK-LABEL: func.func @function_ends(
// CHECK: "custom.copy"(%[[A:.*]], %[[B:.*]]) :
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: "custom.return"(%[[B]])
// CHECK-NOT: memref.dealloc
func.func @function_ends() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  // REMARK: [[@LINE+1]]:8: remark: is not freed by memref-deallocate: an op of unknown control flow gets it
  %b = memref.alloc() : memref<4xf32>
  "custom.fill"(%a) : (memref<4xf32>) -> ()
  "custom.copy"(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  "custom.return"(%b) : (memref<4xf32>) -> ()
}

// It is not known what the function above returns: neither is its result the
// caller's, nor is it one of the arguments of this one.
// CHECK-LABEL: func.func @returns_at_times(
// CHECK-NOT: memref.dealloc
func.func @returns_at_times(%c: i1, %x: memref<4xf32>, %y: memref<4xf32>) -> memref<4xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  return %x : memref<4xf32>
^b:
  "custom.return"(%y) : (memref<4xf32>) -> ()
}
// CHECK-LABEL: func.func @calls(
// CHECK-NOT: memref.dealloc
func.func @calls(%c: i1, %x: memref<4xf32>) {
  %a = call @function_ends() : () -> memref<4xf32>
  "custom.use"(%a) : (memref<4xf32>) -> ()
  // REMARK: [[@LINE+1]]:8: remark: is not freed by memref-deallocate: it may live on in a result of 'func.call'
  %y = memref.alloc() : memref<4xf32>
  %b = call @returns_at_times(%c, %x, %y) : (i1, memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  "custom.use"(%b) : (memref<4xf32>) -> ()
  return
}

// Where branches are not known nothing is freed, be it handed on or not.
// PIPE-LABEL: func.func @branches(
// PIPE: %[[A:.*]] = memref.alloc()
// PIPE: "custom.cond_br"(%arg0, %[[A]])
// PIPE: %[[B:.*]] = memref.alloc()
// PIPE: "custom.br"(%[[B]])
// PIPE-NOT: memref.dealloc
// CHECK-LABEL: func.func @branches(
// CHECK-NOT: memref.dealloc
func.func @branches(%c: i1) {
  // REMARK: [[@LINE+1]]:8: remark: is not freed by memref-deallocate: an op of unknown control flow gets it
  %a = memref.alloc() : memref<4xf32>
  "custom.fill"(%a) : (memref<4xf32>) -> ()
  "custom.cond_br"(%c, %a)[^bb1, ^bb2] : (i1, memref<4xf32>) -> ()
^bb1:
  // REMARK: [[@LINE+1]]:8: remark: is not freed by memref-deallocate: an op of unknown control flow gets it
  %b = memref.alloc() : memref<4xf32>
  "custom.br"(%b)[^bb3] : (memref<4xf32>) -> ()
^bb2:
  // REMARK: [[@LINE+1]]:8: remark: is not freed by memref-deallocate: control flow around it is not known
  %d = memref.alloc() : memref<4xf32>
  "custom.use"(%d) : (memref<4xf32>) -> ()
  "custom.br"(%a)[^bb3] : (memref<4xf32>) -> ()
^bb3(%e: memref<4xf32>):
  "custom.use"(%e) : (memref<4xf32>) -> ()
  "custom.return"() : () -> ()
}

// A use after a branch inside of an op is a use by the op.
// CHECK-LABEL: func.func @branches_inside(
// CHECK: "custom.end_region"
// CHECK-NEXT: }) : () -> ()
// CHECK-NEXT: memref.dealloc
func.func @branches_inside() {
  %a = memref.alloc() : memref<4xf32>
  "custom.fill"(%a) : (memref<4xf32>) -> ()
  "custom.region"() ({
    "custom.br"()[^bb1] : () -> ()
  ^bb1:
    "custom.use"(%a) : (memref<4xf32>) -> ()
    "custom.end_region"() : () -> ()
  }) : () -> ()
  return
}

// Nothing can be put behind an op that ends its block.
// CHECK-LABEL: func.func @ends_with_a_region(
// CHECK-NOT: memref.dealloc
func.func @ends_with_a_region() {
  // REMARK: [[@LINE+1]]:8: remark: is not freed by memref-deallocate: an op that ends its block uses it
  %a = memref.alloc() : memref<4xf32>
  "custom.fill"(%a) : (memref<4xf32>) -> ()
  "custom.region"() ({
    "custom.use"(%a) : (memref<4xf32>) -> ()
    "custom.yield"() : () -> ()
  }) : () -> ()
}

// Nor after a registered one.
// CHECK-LABEL: func.func @ends_with_a_reduction(
// CHECK-NOT: memref.dealloc
func.func @ends_with_a_reduction(%n: index, %f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%f) -> f32 {
    // REMARK: [[@LINE+1]]:10: remark: is not freed by memref-deallocate: an op that ends its block uses it
    %a = memref.alloc() : memref<4xf32>
    "custom.fill"(%a) : (memref<4xf32>) -> ()
    scf.reduce(%f : f32) {
    ^bb0(%x: f32, %y: f32):
      %z = memref.load %a[%c0] : memref<4xf32>
      scf.reduce.return %z : f32
    }
  }
  return %r : f32
}
