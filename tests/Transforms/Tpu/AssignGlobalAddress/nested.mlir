// RUN: tpuc-opt %s --tpu-global-memory | FileCheck %s

// Functions are planned in whatever depth their module stands.

module attributes {module.chip = "bm1684x"} {
  module @a {
    module @b {
      // CHECK-LABEL: module @b attributes {{.*}}module.neuron_size
      // CHECK: top.Input{{.*}} -> tensor<64xf32, {{[0-9]+}} : i64>
      func.func @main(%arg0: tensor<64xf32>) -> tensor<64xf32> {
        %x = "top.Input"(%arg0) : (tensor<64xf32>) -> tensor<64xf32> loc("x")
        return %x : tensor<64xf32>
      }
    }
    // CHECK-LABEL: module @c attributes {{.*}}module.neuron_size
    module @c {
      func.func @main(%arg0: tensor<64xf32>) -> tensor<64xf32> {
        %x = "top.Input"(%arg0) : (tensor<64xf32>) -> tensor<64xf32> loc("x")
        return %x : tensor<64xf32>
      }
    }
  }
}
