// The memory of a device is that of all modules that run on it: weights of all,
// neurons of the largest. 2 x 4 KiB and 12 KiB on device 0, 4 + 8 KiB on device 1.
//
// RUN: tpuc-opt %s --tpu-global-memory="gmem-bytes=20480" -o /dev/null
// RUN: not tpuc-opt %s --tpu-global-memory="gmem-bytes=20479" 2>&1 | FileCheck %s
// RUN: not tpuc-opt %s --tpu-global-memory="gmem-bytes=20479 chip=bm1688 io-mode=io_alone" 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: sed s/device_id/other/ %s | not tpuc-opt --tpu-global-memory="gmem-bytes=20480" 2>&1 | FileCheck %s --check-prefix=THREE

// CHECK: error: the modules of one device do not fit: together they need 20.0 KiB (20,480 B), have 20.0 KiB (20,479 B), over by 1 B: coeff 8.0 KiB (8,192 B), neuron 12.0 KiB (12,288 B) [TPUMEM-E001]
// ALONE: error: the modules of one device do not fit: together they need 28.0 KiB (28,672 B), have 20.0 KiB (20,479 B), over by 8.0 KiB (8,193 B): coeff 8.0 KiB (8,192 B), neuron 4.0 KiB (4,096 B), io 16.0 KiB (16,384 B) [TPUMEM-E001]
// THREE: error: the modules of one device do not fit: together they need 24.0 KiB (24,576 B)
module @net attributes {module.chip = "bm1684x"} {
  module @first attributes {module.device_id = 0 : i64, module.step = 0 : i64} {
    func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
      %w = "top.Weight"() : () -> tensor<16xi8> loc("w")
      %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
      %a = "tpu.Add"(%x, %w) : (tensor<4096xi8>, tensor<16xi8>) -> tensor<4096xi8> loc("a")
      %y = "tpu.Add"(%a, %x) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("y")
      return %y : tensor<4096xi8>
    }
  }
  module @second attributes {module.device_id = 0 : i64, module.step = 1 : i64} {
    func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
      %w = "top.Weight"() : () -> tensor<16xi8> loc("w2")
      %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x2")
      %y = "tpu.Add"(%x, %w) : (tensor<4096xi8>, tensor<16xi8>) -> tensor<4096xi8> loc("y2")
      return %y : tensor<4096xi8>
    }
  }
  module @third attributes {module.device_id = 1 : i64, module.step = 0 : i64} {
    func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
      %w = "top.Weight"() : () -> tensor<16xi8> loc("w3")
      %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x3")
      %y = "tpu.Add"(%x, %w) : (tensor<4096xi8>, tensor<16xi8>) -> tensor<4096xi8> loc("y3")
      return %y : tensor<4096xi8>
    }
  }
}
