// RUN: not tpuc-opt %s --tpu-global-memory="gmem-bytes=12288" 2>&1 | FileCheck %s
// The board has to hold regions, not tensors: their sizes rounded up, and what
// lies between them.
// RUN: not tpuc-opt %s --tpu-global-memory="gmem-bytes=16383" 2>&1 | FileCheck %s --check-prefix=ROUNDED
// RUN: tpuc-opt %s --tpu-global-memory="gmem-bytes=16384" -o /dev/null
// RUN: not tpuc-opt %s --tpu-global-memory="gmem-bytes=16384 alignment=8192 strategy=sequential" 2>&1 | FileCheck %s --check-prefix=PADDED
// RUN: not tpuc-opt %s --tpu-global-memory="gmem-bytes=16383 io-mode=io_alone" 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not tpuc-opt %s --tpu-global-memory="gmem-bytes=16383 io-mode=io_reloc" 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not tpuc-opt %s --tpu-global-memory="chip=bm1688 gmem-bytes=16383 io-mode=io_tag" 2>&1 | FileCheck %s --check-prefix=TAGS
// RUN: not tpuc-opt %s --tpu-assign-weight-address=gmem-bytes=4095 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// RUN: not tpuc-opt %s --tpu-global-memory="chip=cv181x gmem-bytes=8192" 2>&1 | FileCheck %s --check-prefix=TOGETHER

// TOGETHER: error: the module does not fit: all regions together need 12.0 KiB (12,304 B), have 8.0 KiB (8,192 B), over by 4.0 KiB (4,112 B): coeff 16 B, shared 4.0 KiB (4,096 B), io0 4.0 KiB (4,096 B), io1 4.0 KiB (4,096 B) [TPUMEM-E001]
// ROUNDED: error: {{.*}}pool 'neuron' needs 12.0 KiB (12,288 B), has 8.0 KiB (8,192 B)
// PADDED: error: {{.*}}does not fit
// ALONE: error: {{.*}}pool 'neuron' needs 4.0 KiB (4,096 B), has 0 B, over by 4.0 KiB (4,096 B) [TPUMEM-E001]
// ALONE: note: the board has 16.0 KiB (16,383 B), all regions together need 16.0 KiB (16,384 B): coeff 4.0 KiB (4,096 B), neuron 4.0 KiB (4,096 B), io 8.0 KiB (8,192 B)
// TAGS: error: {{.*}}
// WEIGHTS: error: the weights do not fit: pool 'coeff' needs 16 B, has 0 B, over by 16 B [TPUMEM-E001]
// CHECK: error: {{.*}}'tpu.Active' op does not fit: pool 'neuron' needs 12.0 KiB (12,288 B), has 8.0 KiB (8,192 B), over by 4.0 KiB (4,096 B) [TPUMEM-E001]
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
