// RUN: tpuc-opt --allow-unregistered-dialect --tpu-assign-pools %s | FileCheck %s
// RUN: not tpuc-opt --allow-unregistered-dialect --tpu-assign-pools=plan-file=%t %s 2>&1 | FileCheck --check-prefix=FILES %s

// Each module of functions has pools of its own. A function that another
// module names keeps its allocs.

// FILES: error: 'problem-file', 'plan-file' and 'pool-data' are for one module of functions, here are several [TPUMEM-E018]

// CHECK: module attributes {test.users = @one::@named}
// CHECK: module @one attributes {module.pool_sizes = {workspace = 16 : i64}}
// CHECK: memref.global "private" @tpu_workspace : memref<16xi8>
// CHECK-LABEL: func.func @free(
// CHECK: memref.get_global @tpu_workspace
// CHECK-LABEL: func.func @named(
// CHECK: memref.alloc
module attributes {test.users = @one::@named} {
  module @one {
    func.func @free() {
      %a = memref.alloc() : memref<4xf32>
      "test.use"(%a) : (memref<4xf32>) -> ()
      return
    }
    func.func @named() {
      %a = memref.alloc() : memref<4xf32>
      "test.use"(%a) : (memref<4xf32>) -> ()
      return
    }
  }
  // What has pools keeps them.
  // CHECK: module @three attributes {module.pool_sizes = {sram = 16 : i64}}
  // CHECK: memref.alloc
  module @three attributes {module.pool_sizes = {sram = 16 : i64}} {
    func.func @main() {
      %a = memref.alloc() : memref<8xf32>
      "test.use"(%a) : (memref<8xf32>) -> ()
      return
    }
  }
  module @two {
    // CHECK: module @two attributes {module.pool_sizes = {workspace = 32 : i64}}
    // CHECK: memref.global "private" @tpu_workspace_{{.*}} : memref<32xi8>
    func.func private @tpu_workspace()
    func.func @main() {
      %a = memref.alloc() : memref<8xf32>
      "test.use"(%a) : (memref<8xf32>) -> ()
      return
    }
  }
}
