// top.Input of what is no input of the network is another name for its operand:
// in the body of a loop, of a function that is called, and of a value.
// RUN: split-file %s %t
// RUN: tpuc-opt %t/loop.mlir --tpu-global-memory --mlir-print-debuginfo -o %t/loop_final.mlir
// RUN: FileCheck %s --check-prefix=LOOP < %t/loop_final.mlir
// RUN: tpuc-opt %t/call.mlir --tpu-reorder --tpu-global-memory --mlir-print-debuginfo -o %t/call_final.mlir
// RUN: FileCheck %s --check-prefix=CALL < %t/call_final.mlir
// RUN: model_runner --model %t/call_final.mlir
// RUN: model_runner --model %t/call.mlir --memory=value
// RUN: not tpuc-opt %t/other.mlir --tpu-global-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER

// LOOP: "tpu.Loop"
// LOOP: ^{{.*}}(%{{.*}}: {{.*}}, %{{.*}}: {{.*}}, %[[V:.*]]: tensor
// LOOP-NOT: top.Input
// LOOP: "tpu.Active"(%[[V]])

// CALL: func.func @main
// CALL: "top.Input"
// CALL: %[[A:.*]] = "tpu.Active"
// CALL-NOT: top.Input
// CALL: call @sub(%[[A]])
// CALL: func.func @sub(%[[P:[^:]*]]:
// CALL-NOT: top.Input
// CALL: "tpu.Active"(%[[P]])

// OTHER: error: {{.*}}'top.Input' of what is no input of the network has another type than its operand [TPUMEM-E008]

//--- loop.mlir
module @loop attributes {module.chip = "bm1684x", module.state = "TPU_LOWERED"} {
  func.func @main(%arg0: tensor<1x64xf32>, %arg1: tensor<1xf32>, %arg2: tensor<1xsi32>) -> tensor<1x64xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("x")
    %1 = "top.Input"(%arg1) : (tensor<1xf32>) -> tensor<1xf32> loc("c")
    %2 = "top.Input"(%arg2) : (tensor<1xsi32>) -> tensor<1xsi32> loc("m")
    %3 = "tpu.Loop"(%2, %1, %0) ({
    ^bb0(%i: tensor<1xsi32>, %k: tensor<1xf32>, %v: tensor<1x64xf32>):
      %4 = "top.Input"(%v) : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("vin")
      %5 = "tpu.Active"(%4) {mode = #tpu<active_mode SILU>} : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("t")
      "tpu.Yield"(%k, %5) : (tensor<1xf32>, tensor<1x64xf32>) -> ()
    }) : (tensor<1xsi32>, tensor<1xf32>, tensor<1x64xf32>) -> tensor<1x64xf32> loc("loop")
    return %3 : tensor<1x64xf32>
  }
}

//--- call.mlir
module @call attributes {module.chip = "bm1684x", module.state = "TPU_LOWERED"} {
  func.func @main(%arg0: tensor<1x64xf32>) -> tensor<1x64xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("x")
    %1 = "tpu.Active"(%0) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("a")
    %2 = "top.Input"(%1) : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("again")
    %3 = call @sub(%2) : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("called")
    return %3 : tensor<1x64xf32>
  }
  func.func @sub(%p: tensor<1x64xf32>) -> tensor<1x64xf32> {
    %0 = "top.Input"(%p) : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("y")
    %1 = "tpu.Active"(%0) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("b")
    return %1 : tensor<1x64xf32>
  }
}

//--- other.mlir
module @other attributes {module.chip = "bm1684x", module.state = "TPU_LOWERED"} {
  func.func @main(%arg0: tensor<1x64xf32>) -> tensor<1x64xf16> {
    %0 = "top.Input"(%arg0) : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("x")
    %1 = "tpu.Active"(%0) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("a")
    %2 = "top.Input"(%1) : (tensor<1x64xf32>) -> tensor<1x64xf16> loc("again")
    return %2 : tensor<1x64xf16>
  }
}
