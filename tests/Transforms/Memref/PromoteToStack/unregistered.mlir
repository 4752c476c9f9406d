// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --verify-diagnostics --memref-promote-to-stack=remarks %s | FileCheck %s

// What an op takes that ends its block, but does not say where it leads, leaves.

// CHECK-LABEL: func.func @function_ends(
// CHECK: memref.alloca()
// CHECK: memref.alloc()
func.func @function_ends() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  // expected-remark @+1 {{it is returned by 'custom.return'}}
  %b = memref.alloc() : memref<4xf32>
  "custom.copy"(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  "custom.return"(%b) : (memref<4xf32>) -> ()
}

// -----

// CHECK-LABEL: func.func @no_results(
// CHECK-NOT: memref.alloca
func.func @no_results() {
  // expected-remark @+1 {{'custom.yield' hands it on to an unknown place}}
  %a = memref.alloc() : memref<4xf32>
  "custom.region"() ({
    "custom.yield"(%a) : (memref<4xf32>) -> ()
  }, {
  ^bb0(%b: memref<4xf32>):
    "custom.use"(%b) : (memref<4xf32>) -> ()
    "custom.yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

// CHECK-LABEL: func.func @branches(
// CHECK: memref.alloca()
// CHECK: memref.alloc()
func.func @branches(%c: i1) {
  %a = memref.alloc() : memref<4xf32>
  "custom.cond_br"(%c)[^bb1, ^bb2] : (i1) -> ()
^bb1:
  // expected-remark @+1 {{'custom.br' hands it on to an unknown place}}
  %b = memref.alloc() : memref<4xf32>
  "custom.br"(%b)[^bb2] : (memref<4xf32>) -> ()
^bb2:
  "custom.use"(%a) : (memref<4xf32>) -> ()
  "custom.return"() : () -> ()
}

// -----

// A branch that is not known may make a loop.
// CHECK-LABEL: func.func @loops(
// CHECK-NOT: memref.alloca
func.func @loops(%c: i1) {
  "custom.br"()[^bb1] : () -> ()
^bb1:
  // expected-remark @+1 {{it is allocated again and again in a loop, at 'custom.cond_br'}}
  %a = memref.alloc() : memref<4xf32>
  "custom.use"(%a) : (memref<4xf32>) -> ()
  "custom.cond_br"(%c)[^bb1, ^bb2] : (i1) -> ()
^bb2:
  "custom.return"() : () -> ()
}
