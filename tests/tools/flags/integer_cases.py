"""The same for INT8: a network of one convolution, its ranges, its weights, and how flags change what becomes of it."""
import io

from arrays import array, write_arrays

FLOATS = """module @net attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<2x2x1x1xf32> loc("w")
    %3 = "top.Conv"(%1, %2, %0) {kernel_shape = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, none) -> tensor<1x2x4x4xf32> loc("y")
    return %3 : tensor<1x2x4x4xf32>
  }
}
"""
INTEGERS = """module @net attributes {module.chip = "cv181x", module.state = "TPU_LOWERED"} {
  func.func @main(%x: tensor<1x2x4x4x!quant.uniform<i8:f32, 0.01>>) -> tensor<1x2x4x4x!quant.uniform<i8:f32, 0.02>> {
    %0 = "top.None"() : () -> none
    %1 = "top.Weight"() : () -> tensor<2x2x1x1xsi8> loc("y_filter_i8")
    %2 = "tpu.Conv2D"(%x, %1, %0) {kernel_shape = [1, 1], multiplier = [1073741824, 1073741824], pads = [0, 0, 0, 0], rshift = [9, 8], strides = [1, 1], with_bias = false} : (tensor<1x2x4x4x!quant.uniform<i8:f32, 0.01>>, tensor<2x2x1x1xsi8>, none) -> tensor<1x2x4x4x!quant.uniform<i8:f32, 0.02>> loc("y")
    return %2 : tensor<1x2x4x4x!quant.uniform<i8:f32, 0.02>>
  }
}
"""


def npz(**arrays):
    data = io.BytesIO()
    write_arrays(data, arrays)
    return data.getvalue()


def sample(size):
    return npz(x=array("<f4", (1, 2, 4, 4), [size * (i % 5) for i in range(32)]))


MATRIX = """module @net {
  func.func @main(%arg0: tensor<1x128xf32>) -> tensor<1x128xf32> {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x128xf32>) -> tensor<1x128xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<128x128xf32> loc("w")
    %3 = "top.MatMul"(%1, %2, %0) : (tensor<1x128xf32>, tensor<128x128xf32>, none) -> tensor<1x128xf32> loc("y")
    return %3 : tensor<1x128xf32>
  }
}
"""

INPUTS = {
    "matrix.mlir": MATRIX,
    "conv.mlir": FLOATS,
    "conv_w.npz": npz(w=array("<f4", (2, 2, 1, 1), [0.5, -0.25, 1, 0.125])),
    "conv_table": "x 1.0 -0.5 1.0\ny 2.0 -0.5 2.0\n",
    "floats": "y F32\n",
    "a.npz": sample(0.25),
    "integers.mlir": INTEGERS,
    "integers_w.npz": npz(y_filter_i8=array("|i1", (2, 2, 1, 1), [1, 2, 3, 4])),
}
IMPORT, CONVERT, REORDER = "import-calibration-table", "convert-top-to-tpu", "tpu-reorder-weights"
# Ranges in types, casts at the borders, a folder of two samples.
PREPARED = [
    ["tpuc-opt", "conv.mlir", "--%s=file=conv_table chip=bm1684x" % IMPORT, "--mlir-print-debuginfo", "-o", "ranged.mlir"],
    ["tpuc-opt", "ranged.mlir", "--%s=mode=INT8 chip=bm1684x" % CONVERT, "--mlir-print-debuginfo", "-o", "conv_tpu.mlir"],
]


def model_deploy(deploy, both):
    plain = deploy("--chip=bm1684x", "--quantize=INT8", net="conv.mlir")
    packed = deploy("--chip=bm1684x", "--quantize=W4F16", net="matrix.mlir")
    table = [*plain, "--calibration_table=conv_table"]
    return {
        "calibration_table": both(plain, "--calibration_table=conv_table"),
        "quantize_table": both(table, "--quantize_table=floats"),
        "weight": both(plain, "--weight=conv_w.npz"),
        "asymmetric": both(table, "--asymmetric"),
        "q_group_size": both(packed, "--q_group_size=128"),
        "q_symmetric": both(packed, "--q_symmetric"),
        "quant_input_list": both(table, "--quant_input_list=1"),
        "quant_output_list": both(table, "--quant_output_list=1"),
    }


def model_calibrate(both):
    run = ["model_calibrate", "--mlir=conv.mlir", "-o", "out_table"]
    sampled = [*run, "--dataset=a.npz"]
    return {
        "mlir": (["model_calibrate", "-o", "out_table"], run),
        "weight": both(sampled, "--weight=conv_w.npz"),
        "dataset": both(run, "--dataset=a.npz"),
        # The next file by name is no sample.
        "input_num": both([*run, "--dataset=."], "--input_num=1"),
        "cali_method": both(sampled, "--cali_method=max"),
        "o": (["model_calibrate", "--mlir=conv.mlir"], run),
        "threads": "results do not depend on the number of threads",
        "seed": both(run, "--seed=7"),
        "quiet": both(run, "--quiet"),
    }


def passes(opt):
    ranges = opt(IMPORT, "conv.mlir", "file=conv_table chip=bm1684x")[0]
    return {
        IMPORT: {
            "file": opt(IMPORT, "conv.mlir", "chip=bm1684x", "file=conv_table"),
            "chip": opt(IMPORT, "conv.mlir", "file=conv_table", "chip=bm1684x"),
            "chip-file": opt(IMPORT, "conv.mlir", "file=conv_table", "chip-file=bm1688.json"),
            "asymmetric": (ranges, opt(IMPORT, "conv.mlir", "file=conv_table chip=bm1684x", "asymmetric=true")[1]),
        },
        REORDER: {
            "chip": opt(REORDER, "integers.mlir", "", "chip=bm1688"),
            "chip-file": opt(REORDER, "integers.mlir", "", "chip-file=bm1688.json"),
            "weights": opt(REORDER, "integers.mlir", "weights-out=out_w.npz", "weights=integers_w.npz"),
            "weights-out": opt(REORDER, "integers.mlir", "weights=integers_w.npz", "weights-out=out_w.npz"),
        },
    }


def more_of_passes(opt):
    """Options of passes that have others, too."""
    integers = "mode=INT8 chip=bm1684x"
    return {
        CONVERT: {
            "weights": opt(CONVERT, "ranged.mlir", integers, "weights=conv_w.npz"),
            "weights-out": opt(CONVERT, "ranged.mlir", integers + " weights=conv_w.npz", "weights-out=out_w.npz"),
            "q-group-size": opt(CONVERT, "matrix.mlir", "mode=W8F16", "q-group-size=32"),
            "q-symmetric": opt(CONVERT, "matrix.mlir", "mode=W8F16", "q-symmetric=true"),
            "quantize-table": opt(CONVERT, "ranged.mlir", integers, "quantize-table=floats"),
        },
        "tpu-strip-io-cast": {
            "input-list": opt("tpu-strip-io-cast", "conv_tpu.mlir", "", "input-list=2"),
            "output-list": opt("tpu-strip-io-cast", "conv_tpu.mlir", "", "output-list=2"),
        },
    }
