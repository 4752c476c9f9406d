// RUN: tpuc-opt --allow-unregistered-dialect --memref-hoist %s | FileCheck %s --check-prefixes=CHECK,COST
// RUN: tpuc-opt --allow-unregistered-dialect --memref-hoist=mode=dominator %s | FileCheck %s --check-prefixes=CHECK,DOM

// Branches that are not registered make loops like others; what they take may
// be carried round.

// CHECK-LABEL: func.func @one_is_enough(
// CHECK: memref.alloc()
// CHECK: "custom.br"()
func.func @one_is_enough(%c: i1) {
  "custom.br"()[^bb1] : () -> ()
^bb1:
  %a = memref.alloc() : memref<4xf32>
  "custom.use"(%a) : (memref<4xf32>) -> ()
  "custom.cond_br"(%c)[^bb1, ^bb2] : (i1) -> ()
^bb2:
  "custom.return"() : () -> ()
}

// CHECK-LABEL: func.func @carried_round(
// CHECK: "custom.br"
// CHECK: ^bb1
// CHECK: memref.alloc()
func.func @carried_round(%c: i1, %x: memref<4xf32>) {
  "custom.br"(%x)[^bb1] : (memref<4xf32>) -> ()
^bb1(%b: memref<4xf32>):
  %a = memref.alloc() : memref<4xf32>
  "custom.copy"(%b, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  "custom.cond_br"(%c, %a)[^bb1, ^bb2] : (i1, memref<4xf32>) -> ()
^bb2:
  "custom.return"() : () -> ()
}

// Nothing leaves a region of unknown control flow, or gets behind its end.
// CHECK-LABEL: func.func @in_a_region(
// CHECK: "custom.region"
// COST: "custom.mark"()
// COST-NEXT: memref.alloc()
// DOM: memref.alloc()
// DOM-NEXT: "custom.mark"()
// CHECK: "custom.yield"
func.func @in_a_region() {
  "custom.region"() ({
    "custom.mark"() : () -> ()
    %a = memref.alloc() : memref<4xf32>
    "custom.yield"(%a) : (memref<4xf32>) -> ()
  }) : () -> ()
  return
}
