"""Inputs on which flags matter, and a pair of commands for each flag."""

import io

import arrays
import integer_cases as integers
import onnx_files as onnx

NET = """module @net attributes {module.chip = "bm1684x"CORES} {
  func.func @main(%arg0: tensor<1x64x64xi8>) -> tensor<1x64x64xi8> {
    %w = "top.Weight"() {inline_bytes = "00000000"} : () -> tensor<2xi16> loc("w")
    %v = "top.Weight"() {inline_bytes = "00000000"} : () -> tensor<2xi16> loc("v")
    %x = "top.Input"(%arg0) : (tensor<1x64x64xi8>) -> tensor<1x64x64xi8> loc("x")
    %a = "tpu.OP"(%x, %w) : (tensor<1x64x64xi8>, tensor<2xi16>) -> tensor<1x64x64xi8> loc("a")
    %b = "tpu.Add"(%a, %v) : (tensor<1x64x64xi8>, tensor<2xi16>) -> tensor<1x64x64xi8> loc("b")
    %c = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64x64xi8>) -> tensor<1x64x64xi8> loc("c")
    %y = "tpu.Active"(%c) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64x64xi8>) -> tensor<1x64x64xi8> loc("y")
    return %y : tensor<1x64x64xi8>
  }
}
"""

# 'b' is read early and late.
SKIP = """module @skip attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<8x8x4x4xf16>) -> tensor<8x8x4x4xf16> {
    %x = "top.Input"(%arg0) : (TYPE) -> TYPE loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (TYPE) -> TYPE loc("a")
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode SIGMOID>} : (TYPE) -> TYPE loc("b")
    %c = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (TYPE) -> TYPE loc("c")
    %d = "tpu.Add"(%c, %a) {do_relu = false} : (TYPE, TYPE) -> TYPE loc("d")
    %y = "tpu.Add"(%d, %b) {do_relu = false} : (TYPE, TYPE) -> TYPE loc("y")
    return %y : TYPE
  }
}
""".replace("TYPE", "tensor<8x8x4x4xf16>")

TOP = """module @top {
  func.func @main(%arg0: tensor<1x8xf32>) -> tensor<1x4xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<8x4xf32> loc("w")
    %3 = "top.MatMul"(%1, %2, %0) : (tensor<1x8xf32>, tensor<8x4xf32>, none) -> tensor<1x4xf32> loc("y")
    return %3 : tensor<1x4xf32>
  }
}
"""

# The last one may write over what it reads.
PAIR = """module @pair attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x4096xi8>) -> tensor<1x4096xi8> {
    %x = "top.Input"(%arg0) : (tensor<1x4096xi8>) -> tensor<1x4096xi8> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8>) -> tensor<1x4096xi8> loc("a")
    %y = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8>) -> tensor<1x4096xi8> loc("y")
    return %y : tensor<1x4096xi8>
  }
}
"""

# A window that looks back by a row: its result may begin so far below what it reads.
WINDOW = """module @window attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x4x64x64xi8>) -> tensor<1x4x8x8xi8> {
    %x = "top.Input"(%arg0) : (tensor<1x4x64x64xi8>) -> tensor<1x4x64x64xi8> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4x64x64xi8>) -> tensor<1x4x64x64xi8> loc("a")
    %b = "tpu.Pool2D"(%a) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>} : (tensor<1x4x64x64xi8>) -> tensor<1x4x64x64xi8> loc("b")
    %y = "tpu.Pool2D"(%b) {kernel_shape = [8, 8], strides = [8, 8], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Max>} : (tensor<1x4x64x64xi8>) -> tensor<1x4x8x8xi8> loc("y")
    return %y : tensor<1x4x8x8xi8>
  }
}
"""

# Large enough to be divided among the cores of any chip that has several.
ON_CORES = """module @on_cores attributes {module.chip = "bm1690", module.cores = 8 : i64} {
  func.func @main(%arg0: tensor<1x64x256x256xf16>) -> tensor<1x64x256x256xf16> {
    %x = "top.Input"(%arg0) : (tensor<1x64x256x256xf16>) -> tensor<1x64x256x256xf16> loc("x")
    %y = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64x256x256xf16>) -> tensor<1x64x256x256xf16> loc("y")
    return %y : tensor<1x64x256x256xf16>
  }
}
"""

# Of a chip, and nets whose middle is in its L2: no use for a group with rows that are computed twice, nor for two
# cores.
FAST_L2 = {
    "cores": 2, "barrierCycles": 300, "laneBytes": 5120, "banks": 4, "dmaBytesPerCycle": 4, "l2BytesPerCycle": 4096,
    "l2Base": "0x6980000000", "l2Bytes": 1048576, "pools": ["name=l2,cost=1", "name=neuron,cost=10"]
}
CONVS = """module @convs {
  func.func @main(%arg0: TYPE) -> TYPE {
    %n = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (TYPE) -> TYPE loc("x")
    %w = "top.Weight"() : () -> tensor<16x16x3x3xf16> loc("w")
    %v = "top.Weight"() : () -> tensor<16x16x3x3xf16> loc("v")
    %a = "tpu.Conv2D"(%x, %w, %n) CONV : (TYPE, tensor<16x16x3x3xf16>, none) -> TYPE loc("a")
    %b = "tpu.Conv2D"(%a, %v, %n) CONV : (TYPE, tensor<16x16x3x3xf16>, none) -> TYPE loc("b")
    return %b : TYPE
  }
}
""".replace("TYPE", "tensor<1x16x64x64xf16>").replace(
    "CONV", "{kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64}")
MIDDLE = """module @middle attributes {module.cores = 2 : i64} {
  func.func @main(%arg0: TYPE) -> TYPE {
    %x = "top.Input"(%arg0) : (TYPE) -> TYPE loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (TYPE) -> TYPE loc("a")
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (TYPE) -> TYPE loc("b")
    %c = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (TYPE) -> TYPE loc("c")
    return %c : TYPE
  }
}
""".replace("TYPE", "tensor<1x16x64x64xf16>")

# Every core reads the matrix.
PRODUCT_ON_CORES = """module @product attributes {module.chip = "bm1688", module.cores = 2 : i64} {
  func.func @main(%arg0: tensor<1x512x512xf16>) -> tensor<1x512x512xf16> {
    %n = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x512x512xf16>) -> tensor<1x512x512xf16> loc("x")
    %w = "top.Weight"() : () -> tensor<512x512xf16> loc("w")
    %y = "tpu.MatMul"(%x, %w, %n, %n, %n) {left_transpose = false, right_transpose = false} : (tensor<1x512x512xf16>, tensor<512x512xf16>, none, none, none) -> tensor<1x512x512xf16> loc("y")
    return %y : tensor<1x512x512xf16>
  }
}
"""

# Sizes of tensors, and what each op reads: rules of thumb for the order need more than a search.
SIZES = [10, 69, 42, 50, 14, 22, 51, 24, 53, 97, 74, 11, 24, 50, 66, 22, 38, 100, 74, 49, 43]
READS = [[0], [0], [0, 2], [0], [2], [1], [0, 2], [5], [3, 4], [2, 6], [4, 8], [2, 6], [4, 7], [9], [14], [11, 14], [10],
         [9, 14], [11, 16], [16, 19]]


def customs(inputs, layers, outputs):
    """Ops of any kind on tensors of KiB: {result: operands} with sizes in the names' order."""
    size = {**inputs, **{name: kib for name, (kib, _) in layers.items()}}
    typed = lambda name: "tensor<%dxi8>" % (size[name] * 1024)
    types = lambda names: ", ".join(map(typed, names))
    lines = ["module attributes {module.chip = \"bm1684x\"} {",
             "  func.func @main(%s) -> (%s) {" % (", ".join("%%arg_%s: %s" % (name, typed(name)) for name in inputs), types(outputs))]
    lines += ["    %%%s = \"top.Input\"(%%arg_%s) : (%s) -> %s loc(\"%s\")" % (name, name, typed(name), typed(name), name) for name in inputs]
    lines += ["    %%%s = \"tpu.Custom\"(%s) : (%s) -> %s loc(\"%s\")" % (name, ", ".join("%" + one for one in operands), types(operands),
                                                                       typed(name), name)
              for name, (_, operands) in layers.items()]
    return "\n".join(lines + ["    return %s : %s" % (", ".join("%" + name for name in outputs), types(outputs)), "  }", "}", ""])


def tangle():
    def types(tensors):
        return ", ".join("tensor<1x%dxf32>" % (64 * SIZES[tensor]) for tensor in tensors)
    lines = ['%%t0 = "top.Input"(%%arg0) : (%s) -> %s' % (types([0]), types([0]))]
    for op, reads in enumerate(READS):
        lines.append('%%t%d = "tpu.Custom"(%s) {name = "x", params = []} : (%s) -> %s' % (
            op + 1, ", ".join("%%t%d" % tensor for tensor in reads), types(reads), types([op + 1])))
    last = len(READS)
    return 'module attributes {module.chip = "bm1684x"} {\nfunc.func @main(%%arg0: %s) -> %s {\n%s\nreturn %%t%d : %s\n}\n}\n' % (
        types([0]), types([last]), "\n".join(lines), last, types([last]))


# A factor that the product could take if its numbers were known.
SCALE = TOP.replace('loc("y")', 'loc("m")').replace("    return %3 : tensor<1x4xf32>", """    %4 = "top.Weight"() : () -> tensor<4xf32> loc("s")
    %5 = "top.Scale"(%3, %4, %0) : (tensor<1x4xf32>, tensor<4xf32>, none) -> tensor<1x4xf32> loc("y")
    return %5 : tensor<1x4xf32>""")
NUMBERS = io.BytesIO()
arrays.write_arrays(NUMBERS, {"w": arrays.array("<f4", [8, 4], range(32)), "s": arrays.array("<f4", [4], range(4))})

# Three that follow each other and one that is there all the time; a loop, a
# branch, a call, a copy, threads.
MEMREF = """
func.func @chain(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<48xf32>
  "test.use"(%b) : (memref<48xf32>) -> ()
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%c : memref<64xf32>)
  memref.copy %c, %y : memref<64xf32> to memref<64xf32>
  return
}
func.func @rows(%x: memref<?x64xf32>, %out: memref<?xf32>, %l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c1 : memref<?x64xf32>
    %a = memref.alloc(%n) : memref<?xf32>
    "my.row"(%x, %i, %a) : (memref<?x64xf32>, index, memref<?xf32>) -> ()
    "my.sum"(%a, %out) : (memref<?xf32>, memref<?xf32>) -> ()
  }
  return
}
func.func @threads() {
  scf.forall (%i, %j) in (3, 5) {
    %a = memref.alloc() : memref<25xf32>
    "test.use"(%a) : (memref<25xf32>) -> ()
    %b = memref.alloc() : memref<25xf32>
    "test.use"(%b) : (memref<25xf32>) -> ()
  }
  return
}
func.func @dynamic_rank(%m: memref<*xf32>) {
  %r = memref.rank %m : memref<*xf32>
  %a = memref.alloc(%r) : memref<?xindex>
  "test.use"(%a) : (memref<?xindex>) -> ()
  return
}
"""

CALLS = """
memref.global "private" constant @numbers : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func private @leaf(%x: memref<64xf32>) {
  "test.use"(%x) : (memref<64xf32>) -> ()
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @middle(%x: memref<64xf32>) {
  call @leaf(%x) : (memref<64xf32>) -> ()
  %u = memref.alloc() : memref<48xf32>
  "test.use"(%u) : (memref<48xf32>) -> ()
  return
}
func.func @main() {
  %n = memref.get_global @numbers : memref<4xf32>
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  "test.use"(%b, %n) : (memref<64xf32>, memref<4xf32>) -> ()
  call @middle(%b) : (memref<64xf32>) -> ()
  return
}
""".replace("  %n = memref.get", "  %f = arith.constant 1.0 : f32\n  %n = memref.get")

# Sizes and lives with which planners that follow the order of time differ from others.
MANY = "func.func @many() {\n" + "".join(
    "  %%b%d = memref.alloc() : memref<%dxf32>\n" % (i, 16 + (i * 37) % 101) + "".join(
        '  "test.use"(%%b%d) : (memref<%dxf32>) -> ()\n' % (j, 16 + (j * 37) % 101)
        for j in range(max(0, i - 3), i + 1) if (i + j) % 3 != 1) for i in range(24)) + "  return\n}\n"

WIDE = """
func.func @wide(%x: memref<64xf32>, %y: memref<f32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.log ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<f32>)
  linalg.reduce { arith.addf } ins(%a : memref<64xf32>) outs(%sum : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<64xf32>) outs(%sum : memref<f32>) dimensions = [0]
  memref.copy %sum, %y : memref<f32> to memref<f32>
  return
}
"""

COPY = """
func.func @copies(%x: memref<2xf32>, %result: memref<2xf32>) {
  %temp = memref.alloc() : memref<2xf32>
  linalg.exp ins(%x : memref<2xf32>) outs(%temp : memref<2xf32>)
  memref.copy %temp, %result : memref<2xf32> to memref<2xf32>
  memref.dealloc %temp : memref<2xf32>
  return
}
"""

OWN_COPY = """
func.func @own_copy(%x: f32) -> memref<4xf32> {
  %s = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%s : memref<4xf32>)
  %t = memref.alloc() : memref<4xf32>
  "my.copy"(%s, %t) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.dealloc %s : memref<4xf32>
  return %t : memref<4xf32>
}
"""

FLAGS = """
func.func @loop(%n: index, %buf: memref<4xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f1 = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %buf) -> memref<4xf32> {
    %c = arith.cmpi eq, %i, %c1 : index
    %s = scf.if %c -> memref<4xf32> {
      %a = memref.alloc() : memref<4xf32>
      linalg.fill ins(%f1 : f32) outs(%a : memref<4xf32>)
      scf.yield %a : memref<4xf32>
    } else {
      scf.yield %b : memref<4xf32>
    }
    scf.yield %s : memref<4xf32>
  }
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}
"""

# A buffer that cannot be freed.
KEPT = """
func.func @f(%box: memref<1xmemref<4xf32>>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  memref.store %a, %box[%c0] : memref<1xmemref<4xf32>>
  return
}
"""

# Each of six conditions matters later: 64 worlds.
WORLDS = "func.func @f(%s, %%x: f32) {\n  %%a = memref.alloc() : memref<4xf32>\n" % ", ".join(
    "%%c%d: i1" % i for i in range(6)) + "".join(
        "  scf.if %%c%d {\n    linalg.fill ins(%%x : f32) outs(%%a : memref<4xf32>)\n  }\n" % i
        for i in [*range(6)] * 2) + "  memref.dealloc %a : memref<4xf32>\n  return\n}\n"
FREES = """
func.func @correlated(%x: index, %y: index) {
  %a = memref.alloc() : memref<4xf32>
  %c = arith.cmpi eq, %x, %y : index
  %d = arith.cmpi ne, %x, %y : index
  scf.if %c {
    memref.dealloc %a : memref<4xf32>
  }
  scf.if %d {
    memref.dealloc %a : memref<4xf32>
  }
  return
}
"""

KERNEL = """
!tile = memref<60xf32, #gpu.address_space<workgroup>>
gpu.module @kernels {
gpu.func @gemm(%tiles: index) workgroup(%a: !tile, %b: !tile, %out: !tile) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %tiles step %c1 {
    gpu.barrier
    "copy"(%a, %b) : (!tile, !tile) -> ()
    gpu.barrier
    "multiply"(%a, %b) : (!tile, !tile) -> ()
  }
  "transpose"(%out) : (!tile) -> ()
  gpu.return
}
}
"""

BRANCH = """
func.func @branch(%c: i1, %x: memref<2xf32>, %y: memref<2xf32>) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  cf.br ^bb3(%x : memref<2xf32>)
^bb2:
  %0 = memref.alloc() : memref<2xf32>
  "test.use"(%0) : (memref<2xf32>) -> ()
  cf.br ^bb3(%0 : memref<2xf32>)
^bb3(%1: memref<2xf32>):
  memref.copy %1, %y : memref<2xf32> to memref<2xf32>
  return
}
"""

PROBLEM = """{"version": 1, "pools": [{"name": "sram", "capacityBytes": 64, "accessCost": 1},
                         {"name": "dram", "accessCost": 10}],
 "buffers": [
  {"name": "a", "sizeBytes": 30, "lifespans": [[0, 3]], "accesses": 9, "pools": ["dram", "sram"]},
  {"name": "b", "sizeBytes": 40, "lifespans": [[1, 4]], "accesses": 9, "pools": ["dram", "sram"]},
  {"name": "c", "sizeBytes": 20, "lifespans": [[2, 5]], "accesses": 3, "pools": ["dram", "sram"]}]}
"""

ENDLESS = """module {
  func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
    %none = "top.None"() : () -> none
    %y = "tpu.Loop"(%none, %none, %x) ({
    ^bb0(%i: tensor<1xi32>, %c: none, %s: tensor<1xf32>):
      "tpu.Yield"(%c, %s) : (none, tensor<1xf32>) -> ()
    }) : (none, none, tensor<1xf32>) -> tensor<1xf32>
    return %y : tensor<1xf32>
  }
}
"""

# A chain with a value in the middle; a batch without a number; a shape that is an input.
X, Y = onnx.value(11, "x", onnx.FLOAT, [2, 4]), onnx.value(12, "y", onnx.FLOAT, [2, 4])
ONNX = onnx.model(onnx.node("Relu", ["x"], ["a"]), onnx.node("Exp", ["a"], ["y"]), X, Y)
OPEN_ONNX = onnx.model(onnx.node("Relu", ["x"], ["y"]), onnx.value(11, "x", onnx.FLOAT, ["n", 4]),
                       onnx.value(12, "y", onnx.FLOAT, ["n", 4]))
BOUND_ONNX = onnx.model(onnx.node("Reshape", ["x", "s"], ["y"]), X, onnx.value(11, "s", onnx.INT64, [2]),
                        onnx.value(12, "y", onnx.FLOAT, ["n", "m"]))

# A picture of three channels.
PICTURE_ONNX = onnx.model(onnx.node("Relu", ["x"], ["y"]), onnx.value(11, "x", onnx.FLOAT, [1, 3, 8, 8]),
                          onnx.value(12, "y", onnx.FLOAT, [1, 3, 8, 8]))

# A concat whose copy decides what is worth a group.
JOINED = """
module @net attributes {module.chip = "narrow"} {
  func.func @main(%arg0: tensor<1x32x13x33xf32>) -> tensor<1x12x13x33xf32> {
    %n = "top.None"() : () -> none
    %in = "top.Input"(%arg0) : (tensor<1x32x13x33xf32>) -> tensor<1x32x13x33xf32> loc("in")
    %wa = "top.Weight"() : () -> tensor<16x32x3x3xf32> loc("wa")
    %a = "tpu.Conv2D"(%in, %wa, %n) {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1], group = 1 : i64} : (tensor<1x32x13x33xf32>, tensor<16x32x3x3xf32>, none) -> tensor<1x16x13x33xf32> loc("a")
    %wb = "top.Weight"() : () -> tensor<8x16x3x3xf32> loc("wb")
    %b = "tpu.Conv2D"(%a, %wb, %n) {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1], group = 1 : i64} : (tensor<1x16x13x33xf32>, tensor<8x16x3x3xf32>, none) -> tensor<1x8x13x33xf32> loc("b")
    %ab = "tpu.Concat"(%a, %b) {axis = 1 : si32} : (tensor<1x16x13x33xf32>, tensor<1x8x13x33xf32>) -> tensor<1x24x13x33xf32> loc("ab")
    %wy = "top.Weight"() : () -> tensor<12x24x3x3xf32> loc("wy")
    %y = "tpu.Conv2D"(%ab, %wy, %n) {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1], group = 1 : i64} : (tensor<1x24x13x33xf32>, tensor<12x24x3x3xf32>, none) -> tensor<1x12x13x33xf32> loc("y")
    return %y : tensor<1x12x13x33xf32>
  }
}
"""
NARROW = """{"name": "narrow", "lanes": 32, "euBytes": 12, "laneBytes": 2040, "banks": 3, "cores": 1, "addressForm": "linear",
"batchLayout": "1N", "weightAlignment": 4096, "neuronAlignment": 16, "weightBase": "0x30000000", "icParallelBytes": 2,
"requantBytes": 5, "dmaBytesPerCycle": 1, "dmaSetupCycles": 100, "localInPlace": false}"""
INPUTS = {
    **integers.INPUTS,
    "endless.mlir": ENDLESS,
    "picture.onnx": PICTURE_ONNX,
    "net.onnx": ONNX,
    "open.onnx": OPEN_ONNX,
    "bound.onnx": BOUND_ONNX,
    "shape.pb": onnx.tensor_fields("s", [2], [4, 2]),
    "net.mlir": NET.replace("OP", "Add").replace("CORES", ""),
    "bm1690.mlir": NET.replace("OP", "Add").replace("bm1684x", "bm1690").replace("CORES", ", module.cores = 8 : i64"),
    "tangle.mlir": tangle(),
    "ties.mlir": customs({"x": 4, "z": 4}, {"a": (16, "zx"), "b": (8, "x"), "c": (4, "b"), "d": (4, "b")}, "dac"),
    "pair.mlir": PAIR,
    "window.mlir": WINDOW,
    "unknown.mlir": NET.replace("OP", "NoSuchOp").replace("CORES", ""),
    "on_cores.mlir": ON_CORES,
    "product_on_cores.mlir": PRODUCT_ON_CORES,
    "convs.mlir": CONVS,
    "joined.mlir": JOINED,
    "narrow.json": NARROW,
    "middle.mlir": MIDDLE,
    "skip.mlir": SKIP,
    "top.mlir": TOP,
    "scale.mlir": SCALE,
    "weights.npz": NUMBERS.getvalue(),
    "memref.mlir": MEMREF,
    "calls.mlir": CALLS,
    "many.mlir": MANY,
    "wide.mlir": WIDE,
    "copy.mlir": COPY,
    "own_copy.mlir": OWN_COPY,
    "flags.mlir": FLAGS,
    "frees.mlir": FREES,
    "worlds.mlir": WORLDS,
    "kept.mlir": KEPT,
    "kernel.mlir": KERNEL,
    "branch.mlir": BRANCH,
    "pools.json": PROBLEM,
    "small.csv": "id,lower,upper,size\na,0,3,4\nb,1,4,4\nc,2,5,8\n",
    "other.csv": "id,lower,upper,size\nd,0,3,4\n",
    "empty.json": "",
    "little.golden": "coeff used 0\nneuron used 1\n",
    "much.golden": "coeff used 0\nneuron used 1000000000\n",
    "broken.csv": "id,lower,upper,size,offset\na,0,3,4,0\nb,1,4,4,0\nc,2,5,8,0\n",
}

# Made by the tools, in this order; each command writes into the folder of inputs.
PREPARED = [
    *integers.PREPARED,
    ["model_builder", "--model=mobilenet_v2", "-o", "mobilenet.mlir"],
    ["tpuc-opt", "mobilenet.mlir", "--convert-top-to-tpu=mode=F16 chip=bm1684x", "--mlir-print-debuginfo", "-o",
     "mobilenet_f16.mlir"],
    ["model_builder", "--model=llama_block", "-o", "llama.mlir"],
    ["tpuc-opt", "llama.mlir", "--convert-top-to-tpu=mode=F16 chip=bm1684x", "-o", "llama_f16.mlir"],
    ["model_builder", "--model=chain", "--ops=20", "--level=tpu", "-o", "chain.mlir"],
    ["tpuc-opt", "chain.mlir", "--tpu-global-memory", "--mlir-print-debuginfo", "-o", "chain_final.mlir"],
    ["tpuc-opt", "chain.mlir", "--tpu-global-memory=chip-file=own.json", "-o", "own_final.mlir"],
    ["tpuc-opt", "chain.mlir", "--tpu-local-memory", "--mlir-print-debuginfo", "-o", "grouped.mlir"],
    ["tpuc-opt", "chain.mlir", "--tpu-local-memory=chip=cv184x max-layers=3 overlap=false remarks=false",
     "--mlir-print-debuginfo", "-o", "apart.mlir"],
    ["tpuc-opt", "grouped.mlir", "--tpu-global-memory", "--mlir-print-debuginfo", "-o", "grouped_final.mlir"],
    ["tpuc-opt", "mobilenet_f16.mlir", "--tpu-layer-group=remarks=false", "--mlir-print-debuginfo", "-o",
     "mobilenet_grouped.mlir"],
    ["tpuc-opt", "top.mlir", "--convert-top-to-tpu=mode=F16 chip=bm1684x", "--mlir-print-debuginfo", "-o",
     "casts.mlir"],
    ["tpuc-opt", "net.mlir", "--tpu-global-memory", "--mlir-print-debuginfo", "-o", "addressed.mlir"],
    ["tpuc-opt", "bm1690.mlir", "--tpu-assign-weight-address", "--mlir-print-debuginfo", "-o", "bm1690_weights.mlir"],
    ["memplan", "generate", "--family=guillotine", "--buffers=80", "--seed=2", "--quiet", "--output=hard.csv"],
    ["memplan", "solve", "small.csv", "--quiet", "--output=plan.csv"],
    ["tpuc-opt", "net.mlir", "--tpu-global-memory", "--tpu-memory-report=format=json file=net_memory.json", "-o",
     "reported.mlir"],
    ["tpuc-opt", "chain.mlir", "--tpu-global-memory", "--tpu-memory-report=format=json file=chain_memory.json", "-o",
     "reported.mlir"],
]

SRAM = "name=sram,base=0x20000000,size=4KiB"


# Other names of flags, which --help does not list.
ALIASES = {"processor"}


def deploy(*flags, net="net.mlir", model="out"):
    return ["model_deploy", "--mlir", net, "--model", model, *flags]


def both(command, *flags):
    return command, command + list(flags)


def onnx_flags(command, opened, bound, picture):
    """The flags that every tool has which reads models of ONNX."""
    return {
        "input_shapes": both(opened, "--input_shapes=[[3,4]]"),
        "output_names": both(command, "--output_names=a"),
        "bind": both(bound, "--bind=s=shape.pb"),
        "resize_dims": both(picture, "--resize_dims=10,12"),
        "keep_aspect_ratio": both(picture, "--keep_aspect_ratio"),
        "keep_ratio_mode": both([*picture, "--keep_aspect_ratio"], "--keep_ratio_mode=short_side_scale"),
        "mean": both(picture, "--mean=1,2,3"),
        "scale": both(picture, "--scale=0.5,0.25,2"),
        "pixel_format": both(picture, "--pixel_format=rgb"),
        "channel_format": both(picture, "--channel_format=none"),
        "pad_value": both(picture, "--pad_value=114"),
        "pad_type": both(picture, "--pad_type=normal"),
        "preprocess_list": both(picture, "--preprocess_list=2"),
    }


def deploy_onnx(net):
    return ["model_deploy", "--onnx", net, "--chip=bm1684x", "--quantize=F16", "--model", "out"]


TOP_NET = deploy("--chip=bm1684x", "--quantize=F16", net="top.mlir")
MOBILENET = deploy(net="mobilenet_f16.mlir")
ARTEFACTS = deploy("--disable_layer_group", "--artefacts=c")
MODEL_DEPLOY = {
    **integers.model_deploy(deploy, both),
    "mlir": (deploy(), deploy(net="chain.mlir")),
    "onnx": (deploy_onnx("net.onnx"), deploy_onnx("picture.onnx")),
    **onnx_flags(*(deploy_onnx(name) for name in ("net.onnx", "open.onnx", "bound.onnx", "picture.onnx"))),
    "model": (deploy(), deploy(model="other")),
    "chip": both(deploy(), "--chip=bm1688"),
    "processor": both(deploy(), "--processor=bm1688"),
    "chip-file": both(deploy(), "--chip-file=bm1688.json"),
    "quantize": (TOP_NET, deploy("--chip=bm1684x", "--quantize=BF16", net="top.mlir")),
    "quant_input": both(TOP_NET, "--quant_input"),
    "quant_output": both(TOP_NET, "--quant_output"),
    "num_core": both(deploy("--chip=bm1688", net="chain.mlir"), "--num_core=2"),
    "addr_mode": both(deploy(), "--addr_mode=io_alone"),
    "same_addr": both(deploy("--addr_mode=io_alone"), "--same_addr=0:0"),
    "pool": both(deploy("--disable_layer_group"), "--pool=" + SRAM),
    "pin": both(deploy("--disable_layer_group", "--pool=" + SRAM), "--pin=c=neuron@0x4000"),
    "pool_io": both(deploy("--disable_layer_group", "--pool=name=sram,base=0x20000000,size=1MiB"), "--pool_io"),
    "disable_l2": both(deploy("--disable_layer_group", net="bm1690.mlir"), "--disable_l2"),
    "strategy": both(deploy("--disable_layer_group"), "--strategy=sequential"),
    "alignment": both(deploy("--disable_layer_group"), "--alignment=12288"),
    "gmem-size": both(deploy(), "--gmem-size=1M"),
    "fit": both(deploy("--gmem-size=20K", net="chain.mlir"), "--fit"),
    "pareto": both(deploy(net="chain.mlir"), "--pareto"),
    "weight_deduplicate": both(deploy(), "--weight_deduplicate"),
    "weight_pack": both(deploy(), "--weight_pack"),
    "kernels_in_order": both(deploy("--disable_layer_group", net="window.mlir"), "--kernels_in_order"),
    "share": both(deploy("--disable_layer_group", net="pair.mlir"), "--share=none"),
    "disable_layer_group": both(deploy(net="chain.mlir"), "--disable_layer_group"),
    "layer_group_search": both(MOBILENET, "--layer_group_search=greedy"),
    "layer_group_objective": both(MOBILENET, "--layer_group_objective=traffic"),
    "layer_group_max_layers": both(deploy(net="chain.mlir"), "--layer_group_max_layers=3"),
    "line_buffers": both(deploy("--layer_group_objective=traffic", "--chip-file=tiny.json", net="mobilenet_f16.mlir"),
                         "--line_buffers"),
    "disable_group_overlap": both(deploy("--layer_group_max_layers=3", "--chip=cv184x", net="chain.mlir"),
                                  "--disable_group_overlap"),
    "order": both(deploy("--disable_layer_group", net="tangle.mlir"), "--order=text"),
    "regroup": both(deploy("--chip=bm1688", net="grouped.mlir"), "--regroup"),
    "run": both(deploy("--chip=bm1688", net="chain.mlir"), "--run"),
    "trace": both(deploy("--disable_layer_group"), "--trace=net_trace.json"),
    # A file where the folder should be: a warning; what is in a cache shows in the time alone.
    "plan-cache": both(deploy("--disable_layer_group"), "--plan-cache=chain.mlir"),
    "time-limit": both(deploy("--disable_layer_group"), "--time-limit=0"),
    "artefacts": both(deploy("--disable_layer_group"), "--artefacts=c"),
    "internal": both(ARTEFACTS, "--internal=neuron"),
    "section": both([*ARTEFACTS, "--internal=neuron"], "--section=neuron=.sram"),
    "strict": both(deploy(net="unknown.mlir"), "--strict"),
    "debug": both(TOP_NET, "--debug"),
    "log-level": both(deploy(), "--log-level=debug"),
    "quiet": both(deploy(), "--quiet"),
}

BUILD = ["model_builder", "--model=bert_base", "-o", "out.mlir"]
CHAIN = ["model_builder", "--model=chain", "-o", "out.mlir"]
MODEL_BUILDER = {
    "model": (BUILD, CHAIN),
    "o": (BUILD, BUILD[:-1] + ["other.mlir"]),
    "batch": both(BUILD, "--batch=2"),
    "level": both(BUILD, "--level=tpu"),
    "format": both(BUILD, "--format=onnx"),
    "list": (BUILD, ["model_builder", "--list"]),
    "ops": both(CHAIN, "--ops=3"),
    "seed": both(CHAIN, "--seed=7"),
    "seq": both(BUILD, "--seq=16"),
}

RUN = ["model_runner", "--model=chain_final.mlir"]
MODEL_RUNNER = {
    "model": (RUN, ["model_runner", "--model=chain.mlir"]),
    "chip-file": both(["model_runner", "--model=own_final.mlir"], "--chip-file=own.json"),
    "memory": both(RUN, "--memory=value"),
    "executor": both(["model_runner", "--model=chain.mlir", "--memory=value"], "--executor=onednn"),
    "input": both(RUN, "--input=small.csv"),
    "weight": both(RUN, "--weight=small.csv"),
    "output": both(RUN, "--output=out.npz"),
    "dump_all_tensors": both([*RUN, "--output=out.npz"], "--dump_all_tensors"),
    "seed": both(RUN, "--seed=7"),
    "threads": "results do not depend on the number of threads",
    "max_iterations": both(["model_runner", "--model=endless.mlir", "--memory=value"], "--max_iterations=10"),
    "mix_unknown": both(["model_runner", "--model=unknown.mlir", "--memory=value"], "--mix_unknown"),
    "kernels": (RUN, ["model_runner", "--kernels"]),
    "compare": (RUN, ["model_runner", "--compare", "small.csv", "other.csv"]),
    "quiet": both(RUN, "--quiet"),
}

MODEL_CALIBRATE = integers.model_calibrate(both)

TRANSFORM = ["model_transform", "--model_name=net", "--model_def=net.onnx", "--mlir=out.mlir"]
OPEN, BOUND, PICTURE = ([flag.replace("net.onnx", name) for flag in TRANSFORM]
                        for name in ("open.onnx", "bound.onnx", "picture.onnx"))
MODEL_TRANSFORM = {
    "model_name": (TRANSFORM, [flag.replace("=net", "=other") if "name" in flag else flag for flag in TRANSFORM]),
    "model_def": (TRANSFORM, OPEN),
    "mlir": (TRANSFORM, [flag.replace("out.mlir", "result.mlir") for flag in TRANSFORM]),
    **onnx_flags(TRANSFORM, OPEN, BOUND, PICTURE),
    "quiet": both(TRANSFORM, "--quiet"),
}

# Flags that add up when they are there several times.
LISTS = {"bind", "known-plans", "output_names", "pool", "pin", "internal", "section", "ablate", "strategies", "data", "caller", "models",
         "alignments", "budget"}

# What shows in the time that a run takes, if at all.
NO_THREADS = "plans do not depend on the number of threads"


def solver(command, choose="--strategy="):
    """The flags that every command which plans has, on a problem that takes a search."""
    search = [*command, "hard.csv"]
    exact = [*search, choose + "exact", "--threads=1", "--node-limit=2000"]
    return {
        "ablate": both(exact, "--ablate=unplaced-floor,reranking,restarts,symmetry,dominance"),
        "capacity": both(search, "--capacity=1"),
        "minimize": both([*search, "--capacity=100MiB"], "--minimize"),
        "node-limit": both([*search, choose + "exact", "--threads=1"], "--node-limit=1"),
        "pool-policy": both([*command, "pools.json"], "--pool-policy=order"),
        "seed": both([*search, choose + "hill-climb"], "--seed=5"),
        "threads": NO_THREADS,
        "time-limit": both([*search, choose + "exact"], "--time-limit=0.000001"),
    }


def plan(command):
    return {**solver(command), "strategy": both([*command, "hard.csv"], "--strategy=sequential")}


SOLVE, EXPLAIN = ["memplan", "solve"], ["memplan", "explain"]
RENDER, COMPARE = ["memplan", "render"], ["memplan", "compare", "--time=false"]
ARTEFACTS = ["memplan", "artefacts", "--prefix=net"]
GENERATE = ["memplan", "generate", "--family=guillotine", "--output=out.csv"]
VARY = ["memplan", "generate", "small.csv", "--output=out.csv"]
CHECK = ["memplan", "check", "net_memory.json", "--budget=neuron=2G"]

MEMPLAN = {
    "solve": {
        **plan(SOLVE),
        "format": both([*SOLVE, "small.csv"], "--format=json"),
        "output": both([*SOLVE, "small.csv"], "--output=out.csv"),
        "plan-cache": both([*SOLVE, "small.csv"], "--plan-cache=small.csv"),
        "quiet": both([*SOLVE, "small.csv"], "--quiet"),
        "why": both([*SOLVE, "small.csv", "--capacity=1"], "--why=why.json"),
    },
    "validate": {
        "limit": both(["memplan", "validate", "small.csv", "broken.csv"], "--limit=1"),
        "quiet": both(["memplan", "validate", "small.csv", "plan.csv"], "--quiet"),
    },
    "explain": {
        **plan(EXPLAIN),
        "format": both([*EXPLAIN, "small.csv"], "--format=json"),
        "output": both([*EXPLAIN, "small.csv"], "--output=out.txt"),
        "rows": both([*EXPLAIN, "hard.csv"], "--rows=1"),
    },
    "compare": {
        **solver(COMPARE, "--strategies="),
        "format": both([*COMPARE, "small.csv"], "--format=json"),
        "output": both([*COMPARE, "small.csv"], "--output=out.txt"),
        "quiet": "progress shows after some seconds, which no test waits for",
        "strategies": both([*COMPARE, "small.csv"], "--strategies=auto"),
        "time": (["memplan", "compare", "small.csv", "--time=false"], ["memplan", "compare", "small.csv", "--time"]),
    },
    "check": {
        "budget": (CHECK, [*CHECK, "--budget=neuron=1"]),
        "golden": both(CHECK, "--golden=little.golden"),
        "quiet": both(["memplan", "check", "net_memory.json", "--golden=much.golden"], "--quiet"),
        "tolerance": both(["memplan", "check", "net_memory.json", "--golden=little.golden"], "--tolerance=1e9"),
        "why": both(["memplan", "check", "empty.json", "--budget=neuron=1"], "--why=small.csv"),
        "write-golden": both(CHECK, "--write-golden=new.golden"),
    },
    "diff": {
        "format": both(["memplan", "diff", "net_memory.json", "chain_memory.json"], "--format=html"),
        "output": both(["memplan", "diff", "net_memory.json", "chain_memory.json"], "--output=diff.txt"),
        "tolerance": both(["memplan", "diff", "net_memory.json", "chain_memory.json"], "--tolerance=1e9"),
    },
    "table": {
        "format": both(["memplan", "table", "net_memory.json"], "--format=csv"),
        "output": both(["memplan", "table", "net_memory.json"], "--output=table.txt"),
    },
    "render": {
        **plan(RENDER),
        "format": both([*RENDER, "small.csv"], "--format=html"),
        "output": both([*RENDER, "small.csv"], "--output=out.svg"),
        "quiet": both([*RENDER, "small.csv", "--output=out.svg"], "--quiet"),
    },
    "generate": {
        "alignments": both(GENERATE, "--alignments=64"),
        "buffers": both(GENERATE, "--buffers=20"),
        "delete-percent": both(GENERATE, "--delete-percent=30"),
        "family": (GENERATE, ["memplan", "generate", "--family=random", "--output=out.csv"]),
        "format": both(GENERATE, "--format=json"),
        "gap-percent": both(["memplan", "generate", "--family=guillotine", "--format=json"], "--gap-percent=50"),
        "grid": both([*VARY, "--vary=alignment"], "--grid=64"),
        "jitter": both(GENERATE, "--jitter"),
        "known-plans": both([*VARY, "--vary=minus-byte", "--plan=plan2.csv"], "--known-plans=plan.csv"),
        "output": both(["memplan", "generate", "--family=guillotine"], "--output=out.csv"),
        "percent": both([*VARY, "--vary=sizes"], "--percent=90"),
        "pin-percent": both(["memplan", "generate", "--family=guillotine", "--format=json"], "--pin-percent=50"),
        "plan": both(GENERATE, "--plan=plan2.csv"),
        "quiet": both(GENERATE, "--quiet"),
        "seed": both(GENERATE, "--seed=9"),
        "vary": ([*VARY, "--vary=alignment"], [*VARY, "--vary=concat"]),
    },
    "artefacts": {
        **plan(ARTEFACTS),
        "caller": both([*ARTEFACTS, "pools.json"], "--caller=dram"),
        "data": both([*ARTEFACTS, "small.csv"], "--data=memory=small.csv"),
        "internal": both([*ARTEFACTS, "small.csv"], "--internal=memory"),
        "models": both([*ARTEFACTS, "small.csv"], "--models=first"),
        "out-dir": both([*ARTEFACTS, "small.csv"], "--out-dir=/nonexistent/folder"),
        "plan": both([*ARTEFACTS, "small.csv"], "--plan=broken.csv"),
        "prefix": (["memplan", "artefacts", "small.csv", "--prefix=a"], ["memplan", "artefacts", "small.csv",
                                                                         "--prefix=b"]),
        "quiet": both([*ARTEFACTS, "small.csv"], "--quiet"),
        "section": both([*ARTEFACTS, "small.csv", "--internal=memory"], "--section=memory=.bss.fast"),
        "sharing": both([*ARTEFACTS, "small.csv", "other.csv", "--models=a,b"], "--sharing=combined"),
    },
}


def opt(name, file, plain="", changed=""):
    """A pass without and with an option; `plain` is there in both."""
    def command(options):
        text = "--" + name + ("=" + options if options else "")
        return ["tpuc-opt", file, "--allow-unregistered-dialect", text, "--mlir-print-debuginfo"]
    return command(plain), command((plain + " " + changed).strip())


def chips(name, file, chip="bm1688"):
    return {"chip": opt(name, file, "", "chip=" + chip), "chip-file": opt(name, file, "", "chip-file=" + chip + ".json")}


WEIGHTS, NEURONS, GLOBAL = "tpu-assign-weight-address", "tpu-assign-global-address", "tpu-global-memory"
LOCAL, GROUPS, LOCAL_ADDRESS = "tpu-local-memory", "tpu-layer-group", "tpu-assign-local-address"
POOLS = "pools=" + SRAM
FLASH = "pools=name=flash,base=0x8000000,size=64KiB,access=ro"


def weights(name):
    return {
        **chips(name, "net.mlir"),
        "dedup": opt(name, "net.mlir", "", "dedup"),
        "pack": opt(name, "net.mlir", "", "pack"),
        "gmem-bytes": opt(name, "net.mlir", "", "gmem-bytes=4096"),
        "pools": opt(name, "net.mlir", "", FLASH),
        "pins": opt(name, "net.mlir", FLASH, "pins=w=coeff"),
    }


def neurons(name, net, bm1690):
    return {
        **chips(name, net),
        "strategy": opt(name, net, "", "strategy=sequential"),
        "io-mode": opt(name, net, "", "io-mode=in_reuse"),
        "same-addr": opt(name, net, "io-mode=io_alone", "same-addr=0:0"),
        "alignment": opt(name, net, "", "alignment=12288"),
        "gmem-bytes": opt(name, net, "", "gmem-bytes=12288"),
        "pools": opt(name, net, "", POOLS),
        "pins": opt(name, net, POOLS, "pins=c=neuron@0x4000"),
        "pool-io": opt(name, net, "pools=name=sram,base=0x20000000,size=1MiB", "pool-io"),
        "l2": opt(name, bm1690, "", "l2=false"),
        "plan-cache": opt(name, net, "", "plan-cache=chain.mlir"),
        "share": opt(name, "pair.mlir", "", "share"),
        "in-order": opt(name, "window.mlir", "share", "in-order"),
        "strict": opt(name, "unknown.mlir", "", "strict"),
        "unlimited": opt(name, net, "gmem-bytes=8192", "unlimited"),
    }


def groups(name):
    return {
        **chips(name, "chain.mlir"),
        "search": opt(name, "mobilenet_f16.mlir", "", "search=greedy"),
        "objective": opt(name, "mobilenet_f16.mlir", "", "objective=traffic"),
        "max-layers": opt(name, "chain.mlir", "", "max-layers=3"),
        "keep-local": opt(name, "chain.mlir", "", "keep-local=nobody"),
        "pools": opt(name, "convs.mlir", "chip-file=fast_l2.json remarks=false", "pools=name=l2,cost=50"),
        "l2": opt(name, "convs.mlir", "chip-file=fast_l2.json remarks=false", "l2=false"),
        "merges": opt(name, "joined.mlir", "objective=traffic chip-file=narrow.json", "merges"),
        "plan-cache": opt(name, "chain.mlir", "", "plan-cache=net.mlir"),
        "max-recompute": opt(name, "mobilenet_f16.mlir", "chip-file=tiny.json", "max-recompute=100"),
        "line-buffers": opt(name, "mobilenet_f16.mlir", "chip-file=tiny.json objective=traffic remarks=false",
                            "line-buffers"),
        "reorder": opt(name, "llama_f16.mlir", "remarks=false", "reorder=false"),
        "regroup": opt(name, "grouped.mlir", "chip=bm1688", "regroup"),
        "remarks": opt(name, "mobilenet_f16.mlir", "chip-file=tiny.json", "remarks=false"),
    }


def passes_of(name, file, option):
    """The pipeline as it is put together: a check that finds nothing shows nowhere else."""
    return tuple([*command, "--dump-pass-pipeline"] for command in opt(name, file, "", option))


PIPELINE, POOLS_PASS, MERGE = "memref-memory", "tpu-assign-pools", "merge-alloc"
TWO_POOLS = "pools=name=fast,size=384,cost=1;name=slow,cost=10"
SLOW_FIRST = "pools=name=slow,cost=10;name=fast,size=384,cost=1"
FLASH_ROM = "pools=name=ram;name=flash,access=ro"
PASSES = {
    WEIGHTS: weights(WEIGHTS),
    NEURONS: {
        **neurons(NEURONS, "addressed.mlir", "bm1690_weights.mlir"),
        "problem-file": opt(NEURONS, "addressed.mlir", "", "problem-file=problem.json"),
        "plan-file": opt(NEURONS, "addressed.mlir", "", "plan-file=plan.json"),
        "pool-data": opt(NEURONS, "addressed.mlir", "", "pool-data=weights"),
    },
    GLOBAL: {
        **weights(GLOBAL),
        **neurons(GLOBAL, "net.mlir", "bm1690.mlir"),
        "verify": passes_of(GLOBAL, "net.mlir", "verify=false"),
    },
    "tpu-verify-addresses": {
        **chips("tpu-verify-addresses", "addressed.mlir"),
        "alignment": opt("tpu-verify-addresses", "addressed.mlir", "", "alignment=12288"),
    },
    "tpu-memory-report": {
        "chip": opt("tpu-memory-report", "addressed.mlir", "", "chip=bm1690"),
        "chip-file": opt("tpu-memory-report", "addressed.mlir", "", "chip-file=bm1688.json"),
        "gmem-bytes": opt("tpu-memory-report", "addressed.mlir", "", "gmem-bytes=1048576"),
        "format": opt("tpu-memory-report", "addressed.mlir", "", "format=json"),
        "local-map": opt("tpu-memory-report", "grouped_final.mlir", "format=html", "local-map=local.html"),
        "before": opt("tpu-memory-report", "addressed.mlir", "", "before=net_memory.json"),
        "tolerance": opt("tpu-memory-report", "chain_final.mlir", "before=net_memory.json", "tolerance=1e9"),
        "file": opt("tpu-memory-report", "addressed.mlir", "", "file=report.txt"),
    },
    **integers.passes(opt),
    "convert-top-to-tpu": {
        **integers.more_of_passes(opt)["convert-top-to-tpu"],
        "chip": opt("convert-top-to-tpu", "top.mlir", "mode=F16", "chip=bm1688"),
        "chip-file": opt("convert-top-to-tpu", "top.mlir", "mode=F16", "chip-file=bm1688.json"),
        "mode": opt("convert-top-to-tpu", "top.mlir", "", "mode=F16"),
        "high-precision": opt("convert-top-to-tpu", "top.mlir", "mode=W8BF16", "high-precision"),
    },
    "tpu-group-overlap": chips("tpu-group-overlap", "apart.mlir"),
    "core-parallel": {
        **chips("core-parallel", "on_cores.mlir"),
        "objective": opt("core-parallel", "product_on_cores.mlir", "", "objective=traffic"),
        "l2": opt("core-parallel", "middle.mlir", "chip-file=fast_l2.json", "l2=false"),
    },
    "processor-assign": {
        **chips("processor-assign", "mobilenet_f16.mlir"),
        "num_core": opt("processor-assign", "mobilenet_f16.mlir", "chip=bm1688", "num_core=2"),
    },
    "tpu-rematerialize": {
        "tensors": opt("tpu-rematerialize", "skip.mlir", "", "tensors=a"),
        "depth": opt("tpu-rematerialize", "skip.mlir", "tensors=b", "depth=2"),
    },
    "tpu-section": {
        "tensors": opt("tpu-section", "skip.mlir", "dim=1", "tensors=a"),
        "dim": opt("tpu-section", "skip.mlir", "tensors=a", "dim=1"),
        "parts": opt("tpu-section", "skip.mlir", "tensors=a", "parts=4"),
    },
    "tpu-reorder": {
        **{flag: opt("tpu-reorder", "top.mlir", "remarks", value) for flag, value in (
            ("chip", "chip=bm1688"), ("chip-file", "chip-file=bm1688.json"), ("alignment", "alignment=4096"))},
        "io-mode": opt("tpu-reorder", "net.mlir", "remarks", "io-mode=in_reuse"),
        "same-addr": opt("tpu-reorder", "ties.mlir", "", "same-addr=0:0"),
        "pools": opt("tpu-reorder", "ties.mlir", "", POOLS),
        "pins": opt("tpu-reorder", "net.mlir", POOLS, "pins=c=neuron"),
        "pool-io": opt("tpu-reorder", "ties.mlir", "pools=name=sram,base=0x20000000,size=16KiB", "pool-io"),
        "l2": opt("tpu-reorder", "tangle.mlir", "chip=bm1690", "l2=false"),
        "in-place": opt("tpu-reorder", "pair.mlir", "remarks", "in-place"),
        "max-sets": opt("tpu-reorder", "tangle.mlir", "remarks alignment=64", "max-sets=0"),
        "remarks": opt("tpu-reorder", "tangle.mlir", "", "remarks"),
    },
    "top-fuse": {
        "weight-file": opt("top-fuse", "scale.mlir", "new-weight-file=new.npz", "weight-file=weights.npz"),
        "new-weight-file": opt("top-fuse", "scale.mlir", "weight-file=weights.npz", "new-weight-file=new.npz"),
    },
    "tpu-strip-io-cast": {
        **integers.more_of_passes(opt)["tpu-strip-io-cast"],
        "inputs": opt("tpu-strip-io-cast", "casts.mlir", "", "inputs=false"),
        "outputs": opt("tpu-strip-io-cast", "casts.mlir", "", "outputs=false"),
    },
    GROUPS: {
        **groups(GROUPS),
        "max-parts": opt(GROUPS, "mobilenet_f16.mlir", "chip-file=tiny.json remarks=false", "max-parts=2"),
        "cut-channels": opt(GROUPS, "llama_f16.mlir", "remarks=false", "cut-channels=false"),
        "node-limit": opt(GROUPS, "mobilenet_f16.mlir", "chip-file=tiny.json", "node-limit=0"),
    },
    LOCAL: {
        **groups(LOCAL),
        "overlap": opt(LOCAL, "chain.mlir", "chip=cv184x max-layers=3 remarks=false", "overlap=false"),
        "verify": passes_of(LOCAL, "chain.mlir", "verify=false"),
    },
    LOCAL_ADDRESS: {
        **chips(LOCAL_ADDRESS, "grouped.mlir"),
        "node-limit": opt(LOCAL_ADDRESS, "mobilenet_grouped.mlir", "minimize-peak", "node-limit=0"),
        "minimize-peak": opt(LOCAL_ADDRESS, "mobilenet_grouped.mlir", "", "minimize-peak"),
    },
    "tpu-local-report": {
        **chips("tpu-local-report", "grouped.mlir"),
        "format": opt("tpu-local-report", "grouped.mlir", "", "format=json"),
        "group": tuple(opt("tpu-local-report", "mobilenet_grouped.mlir", "format=svg group=%d" % group)[0]
                       for group in (0, 1)),
        "file": opt("tpu-local-report", "grouped.mlir", "", "file=report.txt"),
    },
    "tpu-verify-local": chips("tpu-verify-local", "grouped.mlir"),
    "tpu-verify-plan": {
        "problem-file": opt("tpu-verify-plan", "addressed.mlir", "", "problem-file=problem.json"),
    },
    POOLS_PASS: {
        "pools": opt(POOLS_PASS, "calls.mlir", "", TWO_POOLS),
        "strategy": opt(POOLS_PASS, "calls.mlir", "", "strategy=sequential"),
        "pins": opt(POOLS_PASS, "net.mlir", POOLS, "pins=c=neuron"),
        "pool-io": opt(POOLS_PASS, "net.mlir", "pools=name=sram,base=0x20000000,size=1MiB", "pool-io"),
        "pool-policy": opt(POOLS_PASS, "calls.mlir", SLOW_FIRST, "pool-policy=order"),
        "alignment": opt(POOLS_PASS, "calls.mlir", "", "alignment=1024"),
        "in-place": opt(POOLS_PASS, "calls.mlir", "", "in-place=false"),
        "max-ticks": opt(POOLS_PASS, "calls.mlir", "remarks", "max-ticks=20"),
        "problem-file": opt(POOLS_PASS, "calls.mlir", "", "problem-file=problem.json"),
        "plan-file": opt(POOLS_PASS, "calls.mlir", "", "plan-file=plan.json"),
        "pool-data": opt(POOLS_PASS, "calls.mlir", FLASH_ROM, "pool-data=data"),
        "remarks": opt(POOLS_PASS, "calls.mlir", "", "remarks"),
    },
    MERGE: {
        "analysis-only": opt(MERGE, "memref.mlir", "", "analysis-only"),
        "planner": opt(MERGE, "memref.mlir", "", "planner=sequential"),
        "planner-options": opt(MERGE, "many.mlir", "", "planner-options=size-first"),
        "memory-spaces": opt(MERGE, "memref.mlir", "", "memory-spaces=workgroup"),
        "capacity": opt(MERGE, "memref.mlir", "", "capacity=default:64"),
        "alignment": opt(MERGE, "memref.mlir", "", "alignment=1024"),
        "in-place": opt(MERGE, "memref.mlir", "", "in-place=false"),
        "hoist-threads": opt(MERGE, "memref.mlir", "", "hoist-threads"),
        "free": opt(MERGE, "memref.mlir", "", "free"),
        "reorder": opt(MERGE, "wide.mlir", "", "reorder"),
        "merge-always": opt(MERGE, "branch.mlir", "", "merge-always"),
        "remarks": opt(MERGE, "memref.mlir", "", "remarks"),
    },
    "gpu-pack-shared-memory": {
        "strategy": opt("gpu-pack-shared-memory", "kernel.mlir", "", "strategy=sequential"),
        "capacity": opt("gpu-pack-shared-memory", "kernel.mlir", "", "capacity=64"),
        "alignment": opt("gpu-pack-shared-memory", "kernel.mlir", "", "alignment=256"),
        "remarks": opt("gpu-pack-shared-memory", "kernel.mlir", "", "remarks"),
    },
    "memref-deallocate": {
        "prefer-flags": opt("memref-deallocate", "flags.mlir", "", "prefer-flags"),
        "remarks": opt("memref-deallocate", "kept.mlir", "", "remarks=false"),
    },
    "memref-hoist": {
        "mode": opt("memref-hoist", "branch.mlir", "", "mode=dominator"),
        "assume-loops-run": opt("memref-hoist", "memref.mlir", "", "assume-loops-run=false"),
        "remarks": opt("memref-hoist", "memref.mlir", "assume-loops-run=false", "remarks"),
    },
    "memref-promote-to-stack": {
        "max-bytes": opt("memref-promote-to-stack", "memref.mlir", "", "max-bytes=4"),
        "max-rank": opt("memref-promote-to-stack", "memref.mlir", "", "max-rank=0"),
        "remarks": opt("memref-promote-to-stack", "memref.mlir", "max-bytes=4", "remarks"),
    },
    "copy-removal": {
        "assume-no-argument-overlap": opt("copy-removal", "copy.mlir", "", "assume-no-argument-overlap"),
        "copy-ops": opt("copy-removal", "own_copy.mlir", "", "copy-ops=my.copy"),
        "remarks": opt("copy-removal", "copy.mlir", "", "remarks"),
    },
    "memref-verify-deallocation": {
        "leaks": opt("memref-verify-deallocation", "frees.mlir", "", "leaks=ignore"),
        "strict": opt("memref-verify-deallocation", "frees.mlir", "", "strict"),
        "max-worlds": opt("memref-verify-deallocation", "worlds.mlir", "", "max-worlds=1"),
    },
    PIPELINE: {
        **{flag: passes_of(PIPELINE, "memref.mlir", flag + "=false")
           for flag in ("hoist", "promote", "merge", "remove-copies", "verify")},
        "hoist-mode": opt(PIPELINE, "branch.mlir", "promote=false", "hoist-mode=dominator"),
        "copy-ops": opt(PIPELINE, "own_copy.mlir", "promote=false merge=false", "copy-ops=my.copy"),
    },
}
