// RUN: not tpuc-opt %s --tpu-global-memory="gmem-bytes=12288" 2>&1 | FileCheck %s
// RUN: not tpuc-opt %s --tpu-global-memory="chip=cv181x gmem-bytes=8192" 2>&1 | FileCheck %s --check-prefix=TOGETHER

// TOGETHER: error: the module does not fit: all regions together need 12.0 KiB (coeff 16 B, shared 4.0 KiB, io0 4.0 KiB, io1 4.0 KiB), has 8.0 KiB, over by 4.0 KiB [TPUMEM-E001]
// CHECK: error: {{.*}}'tpu.Active' op does not fit: pool 'neuron' needs 12.0 KiB, has 8.0 KiB, over by 4.0 KiB [TPUMEM-E001]
// CHECK: note: peak is step 1 of 3; what is alive there already sums to 12.0 KiB, so no layout can fit
// CHECK: note: {{.*}}4.0 KiB alive for steps [0,3): 'x' (input, unused for 2 steps)
// CHECK: note: {{.*}}4.0 KiB alive for steps [0,2): 'a' (activation)
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %w = "top.Weight"() : () -> tensor<16xi8> loc("w")
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %a = "tpu.Add"(%x, %w) : (tensor<4096xi8>, tensor<16xi8>) -> tensor<4096xi8> loc("a")
    %y = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("y")
    return %y : tensor<4096xi8>
  }
}
