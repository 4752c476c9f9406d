// RUN: tpuc-opt %s --tpu-assign-weight-address="chip=bm1684x" | FileCheck %s
// RUN: tpuc-opt %s --tpu-assign-weight-address="chip=cv181x" | FileCheck %s --check-prefix=CV
// RUN: tpuc-opt %s --tpu-assign-weight-address="chip=bm1684x dedup" | FileCheck %s --check-prefix=DEDUP
// RUN: sed s/inline_bytes/other_bytes/ %s | tpuc-opt --tpu-assign-weight-address="chip=bm1684x dedup" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: tpuc-opt %s --tpu-assign-weight-address="chip=bm1684x dedup" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// RUN: tpuc-opt %s --tpu-assign-weight-address="chip=bm1684x" --tpu-assign-weight-address="chip=cv181x" | FileCheck %s --check-prefix=CV
// RUN: tpuc-opt %s --tpu-assign-weight-address="chip=bm1684x pack" | FileCheck %s --check-prefix=PACK
// RUN: tpuc-opt %s --tpu-assign-weight-address="chip=bm1684x pack" --tpu-assign-weight-address="chip=bm1684x" | FileCheck %s
// RUN: tpuc-opt %s --tpu-assign-weight-address="chip=cv181x pack" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PACKED
// RUN: not tpuc-opt %s --tpu-assign-weight-address="chip=bm1684x gmem-bytes=8192" 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: tpuc-opt %s --tpu-assign-weight-address="chip=bm1684x gmem-bytes=9223372036854775807" | FileCheck %s

// Static functions first (main counts as one), each weight on its own 4 KiB.
// CHECK: module @net attributes {module.chip = "bm1684x", module.coeff_addr = 4294967296 : i64, module.coeff_size = 40960 : i64, module.dynamic_coeff_offset = 36864 : i64}
// CHECK-LABEL: @dynamic
// CHECK: "top.Weight"() : () -> tensor<3xf32, 4295004160 : i64>
// CHECK-LABEL: @static
// CHECK: -> tensor<1025xf32, 4294967296 : i64>
// CHECK: -> tensor<7xi4, 4294975488 : i64>
// CHECK: {store_mode = "2N"} : () -> tensor<3x1x1x1024xf16, 4294979584 : i64>
// CHECK: {store_mode = "4N"} : () -> tensor<5x1x1x1024xi8, 4294987776 : i64>
// CHECK: inline_bytes = "00000000"{{.*}} -> tensor<2xi16, 4294995968 : i64>
// CHECK: inline_bytes = "00000000"{{.*}} -> tensor<2xi16, 4295000064 : i64>
// 16-byte slots after 1 << 40.
// CV: module.coeff_addr = 1099511627776 : i64, module.coeff_size = 20560 : i64}
// CV-LABEL: @static
// CV: -> tensor<1025xf32, 1099511627776 : i64>
// CV: -> tensor<7xi4, 1099511631888 : i64>
// CV: -> tensor<3x1x1x1024xf16, 1099511631904 : i64>
// DEDUP: inline_bytes = "00000000"{{.*}} -> tensor<2xi16, 4294995968 : i64>
// DEDUP-NEXT: inline_bytes = "00000000"{{.*}} -> tensor<2xi16, 4294995968 : i64>
// Multiples of the 64 bytes that an execution unit takes; the region's size stays a multiple of 4 KiB, so that all else
// begins where it may.
// PACK: module.coeff_addr = 4294967296 : i64, module.coeff_align = 64 : i64, module.coeff_size = 24576 : i64, module.dynamic_coeff_offset = 20736 : i64}
// PACK-LABEL: @dynamic
// PACK: -> tensor<3xf32, 4294988032 : i64>
// PACK-LABEL: @static
// PACK: -> tensor<1025xf32, 4294967296 : i64>
// PACK: -> tensor<7xi4, 4294971456 : i64>
// PACK: -> tensor<3x1x1x1024xf16, 4294971520 : i64>
// PACKED: remark: 'pack' has no effect: chip 'cv181x' aligns weights to 16 B anyway
// NOTHING: remark: 'dedup' has no effect: no two weights have equal inline data
// SILENT-NOT: remark
// OVER: error: the weights do not fit: pool 'coeff' needs {{.*}} KiB ({{.*}} B), has 8.0 KiB (8,192 B), over by {{.*}} KiB ({{.*}} B) [TPUMEM-E001]
// OVER: note: the board has 8.0 KiB (8,192 B); the region of the weights takes multiples of 4.0 KiB (4,096 B)
module @net {
  func.func @dynamic() attributes {mode = #tpu<run_mode TPU_DYNAMIC>} {
    %0 = "top.Weight"() : () -> tensor<3xf32>
    return
  }
  func.func @static() attributes {mode = #tpu<run_mode TPU_STATIC>} {
    %0 = "top.Weight"() : () -> tensor<1025xf32>
    %1 = "top.Weight"() : () -> tensor<7xi4>
    // Two halves share a slot of four bytes: 2 slots of 4096 bytes.
    %2 = "top.Weight"() {store_mode = "2N"} : () -> tensor<3x1x1x1024xf16>
    // Four bytes share a slot: 2 slots of 4096 bytes.
    %3 = "top.Weight"() {store_mode = "4N"} : () -> tensor<5x1x1x1024xi8>
    %4 = "top.Weight"() {inline_bytes = "00000000"} : () -> tensor<2xi16>
    %5 = "top.Weight"() {inline_bytes = "00000000"} : () -> tensor<2xi16>
    return
  }
}
