// RUN: not tpuc-opt --tpu-assign-pools=alignment=48 %s 2>&1 | FileCheck --check-prefix=ALIGN %s
// RUN: not tpuc-opt --tpu-assign-pools=strategy=magic %s 2>&1 | FileCheck --check-prefix=STRATEGY %s
// RUN: not tpuc-opt --tpu-assign-pools=pool-policy=magic %s 2>&1 | FileCheck --check-prefix=POLICY %s
// RUN: not tpuc-opt --tpu-assign-pools=max-ticks=0 %s 2>&1 | FileCheck --check-prefix=TICKS %s
// RUN: not tpuc-opt --tpu-assign-pools=pools=name=a,siez=4 %s 2>&1 | FileCheck --check-prefix=FIELD %s
// RUN: not tpuc-opt --tpu-assign-pools=problem-file=/nowhere/x.json %s 2>&1 | FileCheck --check-prefix=FILE %s
// RUN: not tpuc-opt --tpu-assign-pools=pins=a=sram %s 2>&1 | FileCheck --check-prefix=PINS %s
// RUN: not tpuc-opt --tpu-assign-pools=pools='name=a,base=0x1020,align=64' %s 2>&1 | FileCheck --check-prefix=LINE %s
// RUN: not tpuc-opt --tpu-assign-pools=pools='name=a,base=0x1020' %s 2>&1 | FileCheck --check-prefix=BASE %s
// RUN: not tpuc-opt --tpu-assign-pools=pools=';' %s 2>&1 | FileCheck --check-prefix=NOPOOL %s
// RUN: tpuc-opt --tpu-assign-pools='alignment=32 pools=name=a,base=0x1020' %s -o /dev/null

// BASE: error: pool 'a' begins at 4128, which is no multiple of 64, its alignment [TPUMEM-E005]
// LINE: error: option 'pools': 'name=a,base=0x1020,align=64': base 4128 is no multiple of the alignment, 64 [TPUMEM-E005]
// NOPOOL: error: option 'pools': ';' has no pool [TPUMEM-E005]
// PINS: error: 'pins' is for networks; an alloc says by 'candidate_pools' where it wants to be [TPUMEM-E018]
// ALIGN: error: option 'alignment' is 48, expected a power of two from 1 to 2^31 [TPUMEM-E018]
// STRATEGY: error: unknown strategy 'magic'; strategies: {{.*}} [TPUMEM-E016]
// POLICY: error: unknown pool policy 'magic'; policies: auto, order, value, exact [TPUMEM-E018]
// TICKS: error: option 'max-ticks' is 0, expected at least 1 [TPUMEM-E018]
// FIELD: error: option 'pools': 'name=a,siez=4': unknown field 'siez'; fields: name, base, size, align, access, cost, reserved, target [TPUMEM-E005]
// FILE: error: {{.*}}/nowhere/x.json{{.*}} [TPUMEM-E017]

func.func @fine() {
  %a = memref.alloc() : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return
}
