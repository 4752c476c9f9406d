// RUN: not tpuc-opt --tpu-reorder=alignment=-1 %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALIGN
// RUN: not tpuc-opt --tpu-reorder=max-sets=-1 %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SETS
// RUN: not tpuc-opt --tpu-reorder=chip=bm1 %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tpuc-opt --tpu-reorder=io-mode=io %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not tpuc-opt --tpu-reorder %s -o /dev/null 2>&1 | FileCheck %s

// ALIGN: error: {{.*}}alignment{{.*}}-1
// SETS: error: {{.*}}max-sets{{.*}}-1
// MODE: error: unknown I/O mode 'io'; modes: basic, {{.*}}[TPUMEM-E007]
// CHIP: error: unknown chip 'bm1'
// CHECK: error: {{.*}}has no static size in bytes{{.*}}[TPUMEM-E002]

func.func @main(%arg0: tensor<1x?xf32>) -> tensor<1x?xf32> {
  %x = "top.Input"(%arg0) : (tensor<1x?xf32>) -> tensor<1x?xf32>
  return %x : tensor<1x?xf32>
}
