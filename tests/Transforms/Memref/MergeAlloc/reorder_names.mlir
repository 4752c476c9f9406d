// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc=reorder %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc="reorder remarks" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What is read first is overwritten by the other sum: there is no way to free one
// wide buffer before the other is there.
// REMARK-NOT: ops in the order of
// CHECK-LABEL: func.func @same(
// CHECK: linalg.broadcast
// CHECK: linalg.broadcast
// CHECK: linalg.reduce
// CHECK: linalg.reduce
func.func @same(%y: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
  %t = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%t : memref<f32>)
  %a = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%t : memref<f32>) outs(%a : memref<4096xf32>) dimensions = [0]
  %b = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%s : memref<f32>) outs(%b : memref<4096xf32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%t : memref<f32>) dimensions = [0]
  linalg.add ins(%s, %t : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}

// -----

// Without that there is.
// REMARK: remark: ops in the order of
// CHECK-LABEL: func.func @apart(
// CHECK: linalg.broadcast
// CHECK: linalg.reduce
// CHECK: linalg.broadcast
// CHECK: linalg.reduce
func.func @apart(%y: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
  %t = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%t : memref<f32>)
  %u = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%u : memref<f32>)
  %a = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%a : memref<4096xf32>) dimensions = [0]
  %b = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%b : memref<4096xf32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%t : memref<f32>) dimensions = [0]
  linalg.add ins(%s, %t : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}

// -----

// Both names are views of one buffer.
// REMARK-NOT: ops in the order of
// CHECK-LABEL: func.func @views(
// CHECK: linalg.broadcast
// CHECK: linalg.broadcast
// CHECK: linalg.reduce
// CHECK: linalg.reduce
func.func @views(%y: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %both = memref.alloc() : memref<1xf32>
  linalg.fill ins(%zero : f32) outs(%both : memref<1xf32>)
  %s = memref.collapse_shape %both [] : memref<1xf32> into memref<f32>
  %wide = memref.cast %both : memref<1xf32> to memref<?xf32>
  %t = memref.reinterpret_cast %wide to offset: [0], sizes: [], strides: [] : memref<?xf32> to memref<f32>
  %a = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%t : memref<f32>) outs(%a : memref<4096xf32>) dimensions = [0]
  %b = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%s : memref<f32>) outs(%b : memref<4096xf32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%t : memref<f32>) dimensions = [0]
  linalg.add ins(%s, %t : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}

// -----

// It may be either.
// REMARK-NOT: ops in the order of
// CHECK-LABEL: func.func @selected(
// CHECK: linalg.broadcast
// CHECK: linalg.broadcast
// CHECK: linalg.reduce
// CHECK: linalg.reduce
func.func @selected(%y: memref<f32>, %flag: i1) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
  %t = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%t : memref<f32>)
  %u = arith.select %flag, %s, %t : memref<f32>
  %a = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%a : memref<4096xf32>) dimensions = [0]
  %b = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%b : memref<4096xf32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%t : memref<f32>) dimensions = [0]
  linalg.add ins(%s, %t : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}

// -----

// The same as the result of a branch.
// REMARK-NOT: ops in the order of
// CHECK-LABEL: func.func @yielded(
// CHECK: linalg.broadcast
// CHECK: linalg.broadcast
// CHECK: linalg.reduce
// CHECK: linalg.reduce
func.func @yielded(%y: memref<f32>, %flag: i1) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
  %t = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%t : memref<f32>)
  %u = scf.if %flag -> (memref<f32>) {
    scf.yield %s : memref<f32>
  } else {
    scf.yield %t : memref<f32>
  }
  %a = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%a : memref<4096xf32>) dimensions = [0]
  %b = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%b : memref<4096xf32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%t : memref<f32>) dimensions = [0]
  linalg.add ins(%s, %t : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}

// -----

// Nobody knows where it lies.
// REMARK-NOT: ops in the order of
// CHECK-LABEL: func.func @from_outside(
// CHECK: linalg.broadcast
// CHECK: linalg.broadcast
// CHECK: linalg.reduce
// CHECK: linalg.reduce
func.func @from_outside(%y: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
  %t = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%t : memref<f32>)
  %u = "my.find"() : () -> memref<f32>
  %a = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%a : memref<4096xf32>) dimensions = [0]
  %b = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%b : memref<4096xf32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%t : memref<f32>) dimensions = [0]
  linalg.add ins(%s, %t : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}

// -----

// A global under two names.
// REMARK-NOT: ops in the order of
// CHECK-LABEL: func.func @globals(
// CHECK: linalg.broadcast
// CHECK: linalg.broadcast
// CHECK: linalg.reduce
// CHECK: linalg.reduce
memref.global "private" @state : memref<f32> = dense<0.0>
func.func @globals(%y: memref<f32>) {
  %s = memref.get_global @state : memref<f32>
  %t = memref.get_global @state : memref<f32>
  %a = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%t : memref<f32>) outs(%a : memref<4096xf32>) dimensions = [0]
  %b = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%s : memref<f32>) outs(%b : memref<4096xf32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%t : memref<f32>) dimensions = [0]
  linalg.add ins(%s, %t : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}

// -----

// A call may do anything,
// REMARK-NOT: ops in the order of
// CHECK-LABEL: func.func @called(
// CHECK: linalg.broadcast
// CHECK: linalg.broadcast
// CHECK: call @other
// CHECK: linalg.reduce
// CHECK: linalg.reduce
func.func private @other()
func.func @called(%y: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
  %t = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%t : memref<f32>)
  %u = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%u : memref<f32>)
  %a = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%a : memref<4096xf32>) dimensions = [0]
  %b = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%b : memref<4096xf32>) dimensions = [0]
  func.call @other() : () -> ()
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%t : memref<f32>) dimensions = [0]
  linalg.add ins(%s, %t : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}

// -----

// and so may what is inside of an op.
// REMARK-NOT: ops in the order of
// CHECK-LABEL: func.func @inside(
// CHECK: linalg.broadcast
// CHECK: linalg.broadcast
// CHECK: scf.if
// CHECK: linalg.reduce
// CHECK: linalg.reduce
func.func @inside(%y: memref<f32>, %flag: i1) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
  %t = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%t : memref<f32>)
  %u = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%u : memref<f32>)
  %a = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%a : memref<4096xf32>) dimensions = [0]
  %b = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%b : memref<4096xf32>) dimensions = [0]
  scf.if %flag {
    "my.effect"() : () -> ()
  }
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%t : memref<f32>) dimensions = [0]
  linalg.add ins(%s, %t : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}

// -----

// What comes after the loop may never run.
// REMARK-NOT: ops in the order of
// CHECK-LABEL: func.func @endless(
// CHECK: linalg.broadcast
// CHECK: linalg.broadcast
// CHECK: scf.while
// CHECK: linalg.reduce
// CHECK: linalg.reduce
func.func @endless(%y: memref<f32>, %flag: i1) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
  %t = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%t : memref<f32>)
  %u = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%u : memref<f32>)
  %a = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%a : memref<4096xf32>) dimensions = [0]
  %b = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%b : memref<4096xf32>) dimensions = [0]
  scf.while : () -> () {
    scf.condition(%flag)
  } do {
    scf.yield
  }
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%t : memref<f32>) dimensions = [0]
  linalg.add ins(%s, %t : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}

// -----

// It goes on only if that is so.
// REMARK-NOT: ops in the order of
// CHECK-LABEL: func.func @checked(
// CHECK: linalg.broadcast
// CHECK: linalg.broadcast
// CHECK: cf.assert
// CHECK: linalg.reduce
// CHECK: linalg.reduce
func.func @checked(%y: memref<f32>, %flag: i1) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
  %t = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%t : memref<f32>)
  %u = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%u : memref<f32>)
  %a = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%a : memref<4096xf32>) dimensions = [0]
  %b = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%b : memref<4096xf32>) dimensions = [0]
  cf.assert %flag, "no"
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%t : memref<f32>) dimensions = [0]
  linalg.add ins(%s, %t : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}

// -----

// What takes back the stack may take this, too, if it came later.
// REMARK: remark: ops in the order of
// CHECK-LABEL: func.func @stack(
// CHECK: llvm.intr.stacksave
// CHECK: memref.alloca()
// CHECK: "my.effect"
// CHECK: llvm.intr.stackrestore
// CHECK: linalg.broadcast
// CHECK: linalg.reduce
// CHECK: linalg.broadcast
// CHECK: linalg.reduce
func.func @stack(%y: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%s : memref<f32>)
  %t = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%t : memref<f32>)
  %u = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%u : memref<f32>)
  %save = llvm.intr.stacksave : !llvm.ptr
  %local = memref.alloca() : memref<f32>
  "my.effect"() : () -> ()
  llvm.intr.stackrestore %save : !llvm.ptr
  %a = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%a : memref<4096xf32>) dimensions = [0]
  %b = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%u : memref<f32>) outs(%b : memref<4096xf32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%t : memref<f32>) dimensions = [0]
  linalg.add ins(%s, %t : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}
