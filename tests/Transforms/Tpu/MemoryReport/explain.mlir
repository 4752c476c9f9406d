// Why bytes are there at the peak, and what alone would lower it.
// RUN: tpuc-opt %s --tpu-global-memory --tpu-memory-report -o /dev/null 2>&1 | FileCheck %s
// RUN: tpuc-opt %s --tpu-global-memory --tpu-memory-report=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: tpuc-opt %s --tpu-global-memory=io-mode=in_reuse --tpu-memory-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=REUSE

// The input is kept although nothing reads it any more; 'a' waits for 'y'.
// CHECK: alive at the peak of 'neuron' (step 2, 'tpu.Active' (c)):
// CHECK-NEXT: b 16.0 KiB (16,384 B) op: read in this step
// CHECK-NEXT: c 16.0 KiB (16,384 B) op: made in this step
// CHECK-NEXT: x 8.0 KiB (8,192 B) pinned: an input, kept in this I/O mode
// CHECK-NEXT: a 4.9 KiB (5,000 B) order: in use up to step 1, next read in step 4 by 'tpu.Custom' (y)
// CHECK-NEXT: alignment: 3.1 KiB (3,192 B)
// CHECK-NEXT: what alone would lower the largest live sum of 'neuron', most first:
// CHECK-NEXT: 16.0 KiB (16,384 B) 'c' stays in local memory
// CHECK-NEXT: 12.0 KiB (12,288 B) 'b' stays in local memory
// CHECK-NEXT: 8.0 KiB (8,192 B) inputs go after their last reader (I/O mode in_reuse)
// CHECK-NEXT: 8.0 KiB (8,192 B) 'a' stays in local memory
// CHECK-NEXT: 8.0 KiB (8,192 B) 'a' is computed again for its later readers
// CHECK-NEXT: 3.1 KiB (3,192 B) no padding between tensors (alignment 1)

// JSON: "changes": [
// JSON: "change": "'c' stays in local memory",
// JSON-NEXT: "savedBytes": 16384
// JSON: "peak": [
// JSON: "name": "a",
// JSON-NEXT: "paddingBytes": 3192,
// JSON-NEXT: "reason": "order",
// JSON-NEXT: "sizeBytes": 5000,
// JSON-NEXT: "why": "in use up to step 1, next read in step 4 by 'tpu.Custom' (y)"

// REUSE-NOT: pinned
// REUSE-NOT: inputs go after
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<8192xi8>) -> tensor<4096xi8> {
    %x = "top.Input"(%arg0) : (tensor<8192xi8>) -> tensor<8192xi8> loc("x")
    %a = "tpu.Custom"(%x) {name = "f", params = []} : (tensor<8192xi8>) -> tensor<5000xi8> loc("a")
    %b = "tpu.Custom"(%a) {name = "f", params = []} : (tensor<5000xi8>) -> tensor<16384xi8> loc("b")
    %c = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (tensor<16384xi8>) -> tensor<16384xi8> loc("c")
    %d = "tpu.Custom"(%c) {name = "f", params = []} : (tensor<16384xi8>) -> tensor<4096xi8> loc("d")
    %y = "tpu.Custom"(%d, %a) {name = "f", params = []} : (tensor<4096xi8>, tensor<5000xi8>) -> tensor<4096xi8> loc("y")
    return %y : tensor<4096xi8>
  }
}
