// RUN: tpuc-opt --allow-unregistered-dialect --tpu-assign-pools=remarks %s 2>/dev/null | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --tpu-assign-pools=remarks %s 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

// What an op takes that ends its block, but does not say where it leads, is in
// no pool.

// CHECK-LABEL: func.func @main(
// CHECK: memref.view
// CHECK: %[[OWN:.*]] = memref.alloc() : memref<16xf32>
// CHECK: "custom.return"(%[[OWN]])
func.func @main() -> memref<16xf32> {
  %a = memref.alloc() : memref<16xf32>
  // REMARK: [[@LINE+1]]:8: remark: buffer stays: it is returned by 'custom.return'
  %b = memref.alloc() : memref<16xf32>
  "custom.copy"(%a, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  // REMARK: [[@LINE+1]]:8: remark: buffer stays: 'custom.yield' hands it on to an unknown place
  %c = memref.alloc() : memref<16xf32>
  call @callee(%c) : (memref<16xf32>) -> ()
  "custom.return"(%b) : (memref<16xf32>) -> ()
}

func.func private @callee(%x: memref<16xf32>) {
  "custom.region"() ({
    "custom.yield"(%x) : (memref<16xf32>) -> ()
  }, {
  ^bb0(%y: memref<16xf32>):
    "custom.keep"(%y) : (memref<16xf32>) -> ()
    "custom.yield"() : () -> ()
  }) : () -> ()
  "custom.return"() : () -> ()
}
