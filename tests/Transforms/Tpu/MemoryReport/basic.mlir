// RUN: tpuc-opt %s --tpu-memory-report -o /dev/null 2>&1 | FileCheck %s
// RUN: tpuc-opt %s --tpu-memory-report=format=table -o /dev/null 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: tpuc-opt %s --tpu-memory-report=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: not tpuc-opt %s --tpu-memory-report=format=poem -o /dev/null 2>&1 | FileCheck %s --check-prefix=POEM

// CHECK: module net, chip bm1684x, I/O mode basic, 3 steps
// CHECK: region {{ *}}used  capacity  %  peak step  lower bound  gap
// CHECK: coeff {{ *}}16 B
// CHECK: neuron {{ *}}12.0 KiB {{.*}} 12.0 KiB  0 B
// CHECK: by reference counts alone (refcount-eol): neuron 12.0 KiB (12,288 B)
// CHECK: alive at the peak of 'neuron' (step 1, 'tpu.Active' (y)):
// CHECK-NEXT: x 4.0 KiB (4,096 B)
// CHECK: coeff   weight {{ *}}[4294967296, 4294967312) {{ *}}16  always  w
// CHECK: neuron  input {{ *}}[4294971392, 4294975488)  4,096  [0, 1)  x
// TABLE: neuron
// TABLE-NOT: input
// JSON: "chip": "bm1684x"
// JSON: "classicBytes": 12288
// JSON-NEXT: "lowerBoundBytes": 12288
// JSON: "kind": "output"
// POEM: error: unknown report format 'poem'; formats: text, table, json, html, svg, csv [TPUMEM-E005]
module @net attributes {module.addr_mode = "basic", module.chip = "bm1684x", module.coeff_addr = 4294967296 : i64, module.coeff_size = 4096 : i64, module.neuron_addr = 4294971392 : i64, module.neuron_size = 12288 : i64} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8, 4294979584 : i64> {
    %w = "top.Weight"() : () -> tensor<16xi8, 4294967296 : i64> loc("w")
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294971392 : i64> loc("x")
    %a = "tpu.Add"(%x, %w) : (tensor<4096xi8, 4294971392 : i64>, tensor<16xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294975488 : i64> loc("a")
    %y = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294975488 : i64>) -> tensor<4096xi8, 4294979584 : i64> loc("y")
    return %y : tensor<4096xi8, 4294979584 : i64>
  }
}
