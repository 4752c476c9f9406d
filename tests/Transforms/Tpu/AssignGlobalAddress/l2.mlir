// Chips whose file opens L2: activations are there without a word from the
// user, inputs and outputs of functions and what the host touches never; the
// program has the share of the cores that it uses.
//
// RUN: tpuc-opt %s --tpu-global-memory --mlir-print-debuginfo -o %t.l2
// RUN: FileCheck %s < %t.l2
// RUN: tpuc-opt %t.l2 --tpu-verify-addresses --tpu-memory-report=format=table -o /dev/null 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: tpuc-opt %s --tpu-global-memory="l2=false" | FileCheck %s --check-prefix=OFF
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1684x" | FileCheck %s --check-prefix=CLOSED
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1684x l2=false" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not tpuc-opt %s --tpu-global-memory="l2=false pools=name=l2" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: sed s/8192xi8/17825792xi8/g %s | tpuc-opt --tpu-global-memory | FileCheck %s --check-prefix=SHARE
// RUN: sed -e s/8192xi8/17825792xi8/g -e 's/module.chip/module.cores = 2 : i64, module.chip/' %s | tpuc-opt --tpu-global-memory -o %t.two
// RUN: FileCheck %s --check-prefix=TWO < %t.two
// RUN: tpuc-opt %t.two --tpu-verify-addresses -o /dev/null
// RUN: sed 's/module.cores = 2/module.cores = 1/' %t.two | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: sed 's/, 2199023255552 : i64/, 33438467883008 : i64/g' %t.l2 | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=EDGE

// The replanned module is the same, and for a chip without the default it has
// nothing left of it.
// RUN: tpuc-opt %t.l2 --tpu-global-memory --mlir-print-debuginfo | diff - %t.l2
// RUN: tpuc-opt %t.l2 --tpu-global-memory="chip=bm1688" | FileCheck %s --check-prefix=CLOSED

// CHECK: module.neuron_size = 24576 : i64
// CHECK: "top.Input"{{.*}} -> tensor<8192xi8, 2199023
// CHECK: "tpu.Active"{{.*}} -> tensor<8192xi8, 3343846
// CHECK: "tpu.Add"{{.*}} -> tensor<8192xi8, 2199023
// CHECK: "tpu.GenericCpu"{{.*}} -> tensor<8192xi8, 2199023
// CHECK: "tpu.Add"{{.*}} -> tensor<8192xi8, 2199023
// CHECK: func.func @s
// CHECK: "tpu.Active"{{.*}} -> tensor<8192xi8, 3343846
// CHECK: "tpu.Active"{{.*}} -> tensor<8192xi8, 2199023
// TABLE: neuron 24.0 KiB 1.00 TiB 0.0 % {{[0-9]+}} 24.0 KiB 0 B
// TABLE: l2 8.0 KiB 16.0 MiB {{.*}} 8.0 KiB 0 B
// OFF-NOT: 3343846
// CLOSED-NOT: 3343846
// NOTHING: remark: 'l2=false' has no effect: on chip 'bm1684x' L2 is for scratch only
// BOTH: error: 'l2=false' keeps tensors out of L2, but the pool 'l2' opens it; leave out one of the two [TPUMEM-E018]
// SHARE-NOT: 3343846
// TWO: 3343846
// OUTSIDE: error: {{.*}}lies in no region for results [TPUMEM-E013]
// EDGE: error: {{.*}}lies in L2, but goes into or out of a function or to the host [TPUMEM-E013]
module @net attributes {module.chip = "bm1690"} {
  func.func @main(%arg0: tensor<8192xi8>) -> tensor<8192xi8> {
    %x = "top.Input"(%arg0) : (tensor<8192xi8>) -> tensor<8192xi8> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<8192xi8>) -> tensor<8192xi8> loc("a")
    %b = "tpu.Add"(%a, %x) : (tensor<8192xi8>, tensor<8192xi8>) -> tensor<8192xi8> loc("b")
    %h = "tpu.GenericCpu"(%b) {cpu_op_name = "f"} : (tensor<8192xi8>) -> tensor<8192xi8> loc("h")
    %y = "tpu.Add"(%h, %x) : (tensor<8192xi8>, tensor<8192xi8>) -> tensor<8192xi8> loc("y")
    %z = func.call @s(%y) : (tensor<8192xi8>) -> tensor<8192xi8>
    return %z : tensor<8192xi8>
  }
  func.func @s(%p: tensor<8192xi8>) -> tensor<8192xi8> {
    %q = "tpu.Active"(%p) {mode = #tpu<active_mode ABSVAL>} : (tensor<8192xi8>) -> tensor<8192xi8> loc("q")
    %r = "tpu.Active"(%q) {mode = #tpu<active_mode ABSVAL>} : (tensor<8192xi8>) -> tensor<8192xi8> loc("r")
    return %r : tensor<8192xi8>
  }
}
