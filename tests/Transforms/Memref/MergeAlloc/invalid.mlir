// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=alignment=48 %s 2>&1 | FileCheck --check-prefix=ALIGN %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=alignment=-64 %s 2>&1 | FileCheck --check-prefix=NEGATIVE %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=planner=magic %s 2>&1 | FileCheck --check-prefix=PLANNER %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=planner-options=magic %s 2>&1 | FileCheck --check-prefix=OPTIONS %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc='planner=best-fit planner-options=size-first' %s 2>&1 | FileCheck --check-prefix=BOTH %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=capacity=workgroup %s 2>&1 | FileCheck --check-prefix=CAPACITY %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=capacity=3:-1 %s 2>&1 | FileCheck --check-prefix=BELOW %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=capacity=3:1,3:2 %s 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=capacity=defualt:100 %s 2>&1 | FileCheck --check-prefix=TYPO %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=capacity='#gpu.address_space<wrokgroup>:100' %s 2>&1 | FileCheck --check-prefix=LONG %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=memory-spaces=default,wrokgroup %s 2>&1 | FileCheck --check-prefix=SPACES %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=memory-spaces='#my.space<1>' %s 2>&1 | FileCheck --check-prefix=OPAQUE %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=memory-spaces='"sram"' %s 2>&1 | FileCheck --check-prefix=QUOTES %s
// RUN: not tpuc-opt --merge-alloc=capacity='#gpu.address_space<workgroup>:1,workgroup:2' %s 2>&1 --allow-unregistered-dialect | FileCheck --check-prefix=SAME %s
// RUN: not tpuc-opt --pass-pipeline='builtin.module(func.func(merge-alloc{memory-spaces=-3}))' --allow-unregistered-dialect %s 2>&1 | FileCheck --check-prefix=MINUS %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc='analysis-only reorder' %s 2>&1 | FileCheck --check-prefix=ORDER %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=reorder=perhaps %s 2>&1 | FileCheck --check-prefix=WORD %s
// RUN: tpuc-opt --allow-unregistered-dialect --verify-diagnostics --merge-alloc=capacity=default:700,7:1 %s

// ALIGN: error: option 'alignment' is 48, expected a power of two from 1 to 2^31 [TPUMEM-E018]
// NEGATIVE: error: option 'alignment' is -64, expected a power of two from 1 to 2^31 [TPUMEM-E018]
// PLANNER: error: unknown planner 'magic'; planners: auto, best-fit, {{.*}} [TPUMEM-E016]
// OPTIONS: error: unrecognized planner option 'magic'; there are: cost-model, size-first [TPUMEM-E016]
// BOTH: error: the planner is 'best-fit' and 'size-first' at once; leave out one of the options [TPUMEM-E018]
// CAPACITY: error: option 'capacity': 'workgroup' is no memory space and number of bytes; write as in 'workgroup:512' [TPUMEM-E018]
// TYPO: error: option 'capacity': 'defualt' is no memory space; there are: default, numbers, {{.*}} [TPUMEM-E018]
// TYPO-NOT: error: option
// LONG: error: option 'capacity': '#gpu.address_space<wrokgroup>' is no memory space: {{.*}}workgroup{{.*}} [TPUMEM-E018]
// No memref has such a space, registered or not.
// OPAQUE: error: option 'memory-spaces': '#my.space<1>' is no memory space: unsupported memory space Attribute; there are: {{.*}} [TPUMEM-E018]
// What parses the options has taken the quotes.
// QUOTES: error: option 'memory-spaces': 'sram' is no memory space; {{.*}} strings as in '{"sram"}' [TPUMEM-E018]
// SAME: error: option 'capacity': memory space 'workgroup' has two capacities [TPUMEM-E018]
// One error, however many functions there are.
// MINUS: error: option 'memory-spaces': '-3' is no memory space; {{.*}} [TPUMEM-E018]
// MINUS-NOT: memory-spaces
// SPACES: error: option 'memory-spaces': 'wrokgroup' is no memory space; {{.*}} [TPUMEM-E018]
// ORDER: error: option 'reorder' has no effect: 'analysis-only' plans nothing [TPUMEM-E018]
// WORD: 'perhaps' is invalid value for boolean argument
// BELOW: error: option 'capacity': '3:-1' is no memory space
// TWICE: error: option 'capacity': memory space '3' has two capacities [TPUMEM-E018]

// expected-error @+2 {{'func.func' op does not fit: its buffers in memory space 'default' need 768 B, have 700 B, over by 68 B [TPUMEM-E001]}}
// expected-note @+1 {{1 more, 64 B in all}}
func.func @too_much() {
  // expected-note @+1 {{256 B in use for ticks [7,8)}}
  %a = memref.alloc() : memref<64xf32>
  // expected-note @+1 {{192 B in use for ticks [7,8)}}
  %b = memref.alloc() : memref<48xf32>
  // expected-note @+1 {{128 B in use for ticks [7,9)}}
  %c = memref.alloc() : memref<32xf32>
  // expected-note @+1 {{128 B in use for ticks [7,8)}}
  %d = memref.alloc() : memref<32xf32>
  %e = memref.alloc() : memref<16xf32>
  // expected-note @+1 {{most is alive here, at tick 7: 768 B, so no layout can fit}}
  "test.use"(%a, %b, %c, %d, %e) : (memref<64xf32>, memref<48xf32>, memref<32xf32>, memref<32xf32>, memref<16xf32>) -> ()
  "test.use"(%c) : (memref<32xf32>) -> ()
  return
}

func.func @another() {
  return
}
