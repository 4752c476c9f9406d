// RUN: tpuc-opt %s --tpu-assign-pools=remarks --verify-diagnostics | FileCheck %s

// Who is called by a value may free what it gets: only a buffer of its own can be freed.
func.func private @take(%m: memref<4xi32>) {
  memref.dealloc %m : memref<4xi32>
  return
}

// CHECK-LABEL: func.func @constant
// CHECK: memref.alloc
func.func @constant() {
  %f = func.constant @take : (memref<4xi32>) -> ()
  // expected-remark @+1 {{buffer stays: 'func.call_indirect' may free it}}
  %m = memref.alloc() : memref<4xi32>
  // expected-note @+1 {{here}}
  call_indirect %f(%m) : (memref<4xi32>) -> ()
  return
}

// CHECK-LABEL: func.func @value
// CHECK: memref.alloc
func.func @value(%f: (memref<4xi32>) -> ()) {
  // expected-remark @+1 {{buffer stays: 'func.call_indirect' may free it}}
  %m = memref.alloc() : memref<4xi32>
  // expected-note @+1 {{here}}
  call_indirect %f(%m) : (memref<4xi32>) -> ()
  return
}
