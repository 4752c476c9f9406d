// RUN: not tpuc-opt --tpu-assign-pools=remarks %s 2>&1 | FileCheck %s --implicit-check-not=remark:

// Pools of all modules are looked at before the first one gets any.

// CHECK: error: 'align' of pool 'q' is 48, expected a power of two from 1 to 2^31 [TPUMEM-E018]
module {
  module @fine attributes {module.pools = ["name=p,align=16"]} {
    func.func @f() {
      %a = memref.alloc() : memref<4xf32>
      memref.dealloc %a : memref<4xf32>
      return
    }
  }
  module @odd attributes {module.pools = ["name=q,align=48"]} {
    func.func @f() {
      %a = memref.alloc() : memref<4xf32>
      memref.dealloc %a : memref<4xf32>
      return
    }
  }
}
