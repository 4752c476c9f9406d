// What a network says of itself counts the same on the outer module and on the
// inner one.
//
// RUN: sed 's/OUTER/OWN/; s/, INNER//' %s > %t.outer
// RUN: sed 's/ attributes {OUTER}//; s/INNER/OWN/' %s > %t.inner
//
// RUN: sed 's/OWN/module.chip = "bm1684x", module.mode = "F16", module.state = "TOP_F32"/' %t.outer | tpuc-opt --convert-top-to-tpu | grep -v module > %t.a
// RUN: sed 's/OWN/module.chip = "bm1684x", module.mode = "F16", module.state = "TOP_F32"/' %t.inner | tpuc-opt --convert-top-to-tpu | grep -v module > %t.b
// RUN: FileCheck %s --check-prefix=HALF < %t.b
// RUN: cmp %t.a %t.b
//
// Zero points, by an attribute of their own.
// RUN: sed 's/OWN/module.chip = "bm1684x", module.mode = "INT8", module.state = "TOP_CALIBRATED", module.asymmetric = true/' %t.outer | tpuc-opt --convert-top-to-tpu | grep -v module > %t.a
// RUN: sed 's/OWN/module.chip = "bm1684x", module.mode = "INT8", module.state = "TOP_CALIBRATED", module.asymmetric = true/' %t.inner | tpuc-opt --convert-top-to-tpu | grep -v module > %t.b
// RUN: FileCheck %s --check-prefix=POINTS < %t.b
// RUN: cmp %t.a %t.b
//
// Who is lowered is not lowered again.
// RUN: sed 's/OWN/module.chip = "bm1684x", module.mode = "F16", module.state = "TPU_LOWERED"/' %t.inner | not tpuc-opt --convert-top-to-tpu=mode=BF16 2>&1 | FileCheck %s --check-prefix=AGAIN
//
// What is written goes where it stood.
// RUN: sed 's/OWN/module.chip = "bm1684x", module.mode = "F16", module.state = "TOP_F32", module.q_group_size = 64 : i64, module.q_symmetric = false/' %t.inner | tpuc-opt --convert-top-to-tpu="mode=W4F16 q-group-size=32 q-symmetric" | FileCheck %s --check-prefix=PACKED

// HALF: tensor<1x16x8x8xf16>
// POINTS: !quant.uniform<i8:f32, {{[0-9.e-]+}}:{{-?[1-9]}}
// AGAIN: error: the module is lowered already, to mode 'F16'
// PACKED: module @net attributes
// PACKED-NOT: module.q_
// PACKED: module @net_0 attributes {{.*}}module.mode = "W4F16", module.q_group_size = 0 : i64, module.q_symmetric = true, module.state = "TPU_LOWERED"
module @net attributes {OUTER} {
  module @net_0 attributes {module.device_id = 0 : i64, INNER} {
    func.func @main(%arg0: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8x!quant.calibrated<f32<0.0:6.0>>> {
      %x = "top.Input"(%arg0) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8x!quant.calibrated<f32<-1.0:4.0>>> loc("x")
      %y = "top.Abs"(%x) : (tensor<1x16x8x8x!quant.calibrated<f32<-1.0:4.0>>>) -> tensor<1x16x8x8x!quant.calibrated<f32<0.0:6.0>>> loc("y")
      return %y : tensor<1x16x8x8x!quant.calibrated<f32<0.0:6.0>>>
    }
  }
}
