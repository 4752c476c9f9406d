// RUN: not tpuc-opt --tpu-assign-pools %s 2>&1 | FileCheck %s

// What has to be in one pool says nothing where all have a choice.

// CHECK: error: the module does not fit: pool 'dram' needs 456 B, has 256 B, over by 200 B [TPUMEM-E001]
// CHECK: note: what has to be there at once sums to 0 B, which would fit; of what may be in other pools, too, some finds no room in any of them, as a search has shown
// CHECK-NOT: it is proved
module attributes {module.pools = ["name=sram,size=256", "name=dram,size=256"]} {
func.func @f(%x: i8, %i: index) {
  %a = memref.alloc() {candidate_pools = ["sram", "dram"]} : memref<200xi8>
  %b = memref.alloc() {candidate_pools = ["sram", "dram"]} : memref<200xi8>
  %c = memref.alloc() {candidate_pools = ["sram", "dram"]} : memref<200xi8>
  linalg.add ins(%a, %b : memref<200xi8>, memref<200xi8>) outs(%c : memref<200xi8>)
  return
}
}
