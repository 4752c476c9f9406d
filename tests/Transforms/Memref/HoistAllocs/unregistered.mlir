// RUN: tpuc-opt --allow-unregistered-dialect --memref-hoist %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --memref-hoist=mode=dominator %s | FileCheck %s

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

// In a region of an op that is not registered ops may be in no order of time.
// CHECK-LABEL: func.func @in_a_region(
// CHECK: "custom.region"
// CHECK: "custom.mark"()
// CHECK-NEXT: memref.alloc()
// CHECK-NEXT: "custom.yield"
func.func @in_a_region() {
  "custom.region"() ({
    "custom.mark"() : () -> ()
    %a = memref.alloc() : memref<4xf32>
    "custom.yield"(%a) : (memref<4xf32>) -> ()
  }) : () -> ()
  return
}
