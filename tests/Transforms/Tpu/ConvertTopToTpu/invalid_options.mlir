// RUN: not tpuc-opt %s --convert-top-to-tpu="mode=INT8 chip=bm1684x" 2>&1 | FileCheck %s --check-prefix=INT8
// RUN: not tpuc-opt %s --convert-top-to-tpu 2>&1 | FileCheck %s --check-prefix=NOMODE
// RUN: not tpuc-opt %s --convert-top-to-tpu="mode=F16 chip=bm1" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tpuc-opt %s --convert-top-to-tpu="mode=F16 chip-file=%t.none" 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F16 chip-file=%root/tpu_mlir/chips/bm1688.json" | FileCheck %s --check-prefix=OWN

// INT8: error: INT8 needs the ranges of tensors, and there are none: give a calibration table to --import-calibration-table before [TPUMEM-E005]
// NOMODE: error: no mode is given: set the option 'mode' or the attribute 'module.mode' to INT8, F8E4M3, F8E5M2 or one of F32, F16, BF16, W4F16, W8F16, W4BF16, W8BF16 [TPUMEM-E005]
// CHIP: error: unknown chip 'bm1'{{.*}}[TPUMEM-E003]
// FILE: error: cannot read chip file '{{.*}}.none'{{.*}}[TPUMEM-E003]
// OWN: module.chip = "bm1688"
module @net attributes {module.chip = "ALL", module.state = "TOP_F32"} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "top.Abs"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
