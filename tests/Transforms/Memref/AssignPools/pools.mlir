// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --tpu-assign-pools='pools=name=sram,size=512,align=16;name=dram' %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --tpu-assign-pools='pools=name=dram,size=4KiB,cost=10;name=sram,size=512,align=16,cost=1' %s | FileCheck --check-prefix=COST %s

// What does not fit into the first pool goes to the next one. Each function
// gets the pools that it and those it calls need, in the order of the lines.

// CHECK: module.pool_sizes = {dram = 512 : i64, sram = 512 : i64}, module.pools = ["name=sram,size=512,align=16", "name=dram"]
// CHECK-LABEL: func.func private @leaf(
// CHECK-SAME: %{{.*}}: memref<64xf32>, %{{.*}}: memref<512xi8> {tpu.pool = "sram", tpu.pool_alignment = 16 : i64}) attributes {tpu.pool_arguments = ["sram"]}
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[S:[^:]*]]: memref<512xi8> {tpu.pool = "sram", tpu.pool_alignment = 16 : i64}, %[[D:[^:]*]]: memref<512xi8> {tpu.pool = "dram", tpu.pool_alignment = 64 : i64}) attributes {tpu.pool_arguments = ["sram", "dram"]}
// CHECK: %[[A:.*]] = memref.view %[[D]]
// CHECK-SAME: to memref<128xf32>
// CHECK: %[[B:.*]] = memref.view %[[S]]
// CHECK: call @leaf(%[[B]], %[[S]]) {test.kept} : (memref<64xf32>, memref<512xi8>) -> ()
func.func private @leaf(%x: memref<64xf32>) {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%x, %t) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func @main() {
  %a = memref.alloc() : memref<128xf32>
  "test.use"(%a) : (memref<128xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%a, %b) : (memref<128xf32>, memref<64xf32>) -> ()
  call @leaf(%b) {test.kept} : (memref<64xf32>) -> ()
  "test.use"(%a) : (memref<128xf32>) -> ()
  return
}

// -----

// Attributes of arguments of a call.

// CHECK-LABEL: func.func @argument_attributes(
// CHECK: call @leaf(%{{.*}}, %{{.*}}) {arg_attrs = [{test.a}, {}]} :
func.func private @leaf(%x: memref<64xf32> {test.b}) {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%x, %t) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func @argument_attributes(%x: memref<64xf32>) {
  "func.call"(%x) <{callee = @leaf, arg_attrs = [{test.a}]}> : (memref<64xf32>) -> ()
  return
}

// -----

// Loops that are known to run 100 times count 100 accesses: %hot is worth more
// than %cold.

// COST-LABEL: func.func @costs(
// COST-SAME: %[[D:[^:]*]]: memref<{{.*}}> {tpu.pool = "dram"{{.*}}}, %[[S:[^:]*]]: memref<512xi8> {tpu.pool = "sram"
// COST: memref.view %[[D]]
// COST: memref.view %[[S]]
func.func @costs() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %cold = memref.alloc() : memref<128xf32>
  "test.use"(%cold) : (memref<128xf32>) -> ()
  "test.use"(%cold) : (memref<128xf32>) -> ()
  %hot = memref.alloc() : memref<128xf32>
  scf.for %i = %c0 to %c100 step %c1 {
    "test.use"(%hot) : (memref<128xf32>) -> ()
  }
  "test.use"(%cold) : (memref<128xf32>) -> ()
  return
}

// -----

// Candidates win over the order of the lines.

// CHECK-LABEL: func.func @candidates(
// CHECK-SAME: %[[S:[^:]*]]: memref<64xi8> {tpu.pool = "sram", {{.*}}}, %[[D:[^:]*]]: memref<128xi8> {tpu.pool = "dram"
// CHECK: memref.view %[[D]]
// CHECK: memref.view %[[D]]
// CHECK: memref.view %[[S]]
func.func @candidates() {
  %a = memref.alloc() {candidate_pools = ["dram"]} : memref<16xf32>
  %b = memref.alloc() {candidate_pools = ["dram", "sram"]} : memref<16xf32>
  %c = memref.alloc() {candidate_pools = ["sram"]} : memref<16xf32>
  "test.use"(%a, %b, %c) : (memref<16xf32>, memref<16xf32>, memref<16xf32>) -> ()
  return
}

// -----

// A public function that is called from inside as well.

// CHECK-LABEL: func.func @shared(
// CHECK-SAME: %[[P:[^:]*]]: memref<64xi8> {tpu.pool = "sram"
// CHECK-LABEL: func.func @caller(
// CHECK-SAME: %[[Q:[^:]*]]: memref<64xi8> {tpu.pool = "sram"
// CHECK: call @shared(%[[Q]])
func.func @shared() {
  %a = memref.alloc() : memref<16xf32>
  "test.use"(%a) : (memref<16xf32>) -> ()
  return
}
func.func @caller() {
  call @shared() : () -> ()
  return
}
