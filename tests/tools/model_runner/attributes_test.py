"""Every attribute of every op that has a kernel: another value changes the numbers, or is refused, or is known not to mean any.

The ops and their attributes are those of the toolchain's own tables, $TPU_MEMORY_DATA/tpu_mlir_ops."""
import json
import os
import re
import subprocess
import tempfile
import unittest

from arrays import array, read_arrays, write_arrays

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
RUNNER = os.path.join(ROOT, "tpu_mlir/tools/model_runner/model_runner")
TABLES = os.path.join(os.environ.get("TPU_MEMORY_DATA", ""), "tpu_mlir_ops")

# A tensor is a letter, its sizes and, behind a %, how many indices there are: f floats, i integers of 32 bits, q of 8 bits with a
# scale, b bytes, n small negative integers; behind a ~ most are negative. Those behind an @ are weights, - is none. One op has several cases where integers are computed in another way.
ROW, IMAGE = "f2x3", "f1x4x6x6"
ONE_BY_ONE = {name: [(ROW, ROW, "")] for name in (
    "Abs Arccos Arcsin Arctan Arctanh Ceil Cos Cosh Erf Exp Floor GELU HardSwish Log Mish Round Rsqrt SiLU Sigmoid Sign Sin Sinh Softplus Softsign "
    "Sqrt Tan Tanh Relu Identity CoreSplit CoreJoin Join Input Weight2Activation Store").split()}
BINARY = {name: [(ROW + " " + ROW, ROW, "")] for name in "Add Sub Mul Div Min LogicalAnd Mod Pow3 Remainder".split()}
BINARY_CONST = {name: [(ROW, ROW, "const_val = 0.75 : f64")] for name in
                "AddConst SubConst MulConst DivConst MaxConst MinConst Pow2 AutoIncrease".split()}
CONV = "kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 2 : i64, dilations = [1, 1], with_bias = true"
CONV3 = CONV.replace("[3, 3]", "[1, 3, 3]").replace("[1, 1]", "[1, 1, 1]").replace("[1, 1, 1, 1]", "[0, 1, 1, 0, 1, 1]")
POOL = "kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Avg>"
ATTEND = "batch = 1 : i64, q_head = 2 : i64, kv_head = 2 : i64, dim = 4 : i64, mq = 3 : i64, mk = 3 : i64, scale = 0.5 : f64"
DELTA = "num_k_heads = 2 : i64, num_v_heads = 2 : i64, d = 4 : i64, scale = 0.5 : f64, use_qk_l2norm = true, chunk_size = 2 : i64"
PACKED = 'weight_bits = 8 : i64, q_group_size = 4 : i64, w_transpose = true, right_transpose = true, dq_type = "NONE"'
MULTIPLY = "multiplier = 3 : si32, rshift = 2 : si32"
CASES = {
    **ONE_BY_ONE, **BINARY, **BINARY_CONST,
    "A16MatMul": [("f2x8 @u4x8 @f4x2 @u4x2 -", "f2x4", PACKED)],
    "Active": [(ROW, ROW, "mode = #tpu<active_mode ELU>, coeffs = [0.5 : f64]")],
    "Arg": [("i2x5%3", "i2 i2", 'axis = 1 : i64, mode = "ArgMax", keepdims = false')],
    "AvgPool": [("f1x2x4x4", "f1x2x2x2", POOL), ("f1x2x4x4", "b1x2x2x2", POOL)],
    # More than the least of the variances, so that all roots are numbers.
    "BatchNorm": [("f1x3x2 @f3 @f3 @f3 @f3", "f1x3x2", "epsilon = 8.0 : f64")],
    "Cast": [(ROW, "i2x3", ""), (ROW, "q2x3", ""), ("q2x3", "f2x3", "")],
    "ChunkGatedDeltaRule": [("f1x3x2x4 f1x3x2x4 f1x3x2x4 f1x3x2 f1x3x2 f1x2x4x4 - - - -", "f1x3x2x4", DELTA)],
    "Clip": [(ROW, ROW, "min = -0.5 : f64, max = 0.75 : f64")],
    "Compare": [(ROW + " " + ROW, ROW, 'mode = "Less"')],
    "CompareConst": [(ROW, ROW, 'mode = "Less", const_val = 0.25 : f64, inversed = false')],
    "Concat": [(ROW + " " + ROW, "f2x6", "axis = 1 : si32"),
               ("q2x3 q2x3", "q2x6", "axis = 1 : si32, multipliers = [2, 3], rshifts = [1, 2]")],
    "ConcatSlice": [("f3x3 f3x3", "f3x3", "axis = 0 : i64")],
    "Conv": [(IMAGE + " @f8x2x3x3 @f8", "f1x8x6x6", CONV)],
    "Conv2D": [(IMAGE + " @f8x2x3x3 @f8", "f1x8x6x6", CONV),
               ("q1x4x6x6 @b8x2x3x3 @i8", "q1x8x6x6", CONV + ", multiplier = [3], rshift = [9]")],
    "Conv1D": [("f1x4x6 @f8x2x3 @f8", "f1x8x6", CONV.replace("[3, 3]", "[3]").replace("[1, 1]", "[1]").replace("1, 1, 1, 1", "1, 1"))],
    "Conv3D": [("f1x4x2x6x6 @f8x2x1x3x3 @f8", "f1x8x2x6x6", CONV3)],
    "CumSum": [(ROW + " -", ROW, "axis = 1 : i64")],
    "Deconv": [(IMAGE + " @f8x2x3x3 @f8", "f1x8x6x6", CONV)],
    "Deconv3D": [("f1x4x2x6x6 @f8x2x1x3x3 @f8", "f1x8x2x6x6", CONV3)],
    "Depth2Space": [("f1x8x2x2", "f1x2x4x4", "block_h = 2 : i64, block_w = 2 : i64, is_CRD = true, is_inversed = false")],
    "DequantInt": [("i2x3", "i2x3", "multiplier = 5 : si32, shift = 3 : i64, lshift = 1 : i64, quant_mode = #tpu<dq_mode Normal>")],
    "Elu": [(ROW, ROW, "alpha = 0.5 : f64")],
    "Expand": [("f1x3", "f2x3", "shape = [2, 3]")],
    "FAttention": [("f1x3x2x4 f1x3x2x4 f1x3x2x4 - -", "f1x3x2x4", ATTEND)],
    "Flatten": [(ROW, "f6", "")],
    "Gather": [("f3x3 i2%3", "f2x3", "axis = 0 : si32")],
    "GatherElements": [("f3x3 i3x3%3", "f3x3", "axis = 0 : i64")],
    "GatherND": [("f3x3 i3x1%3", "f3x3", "batch_dims = 0 : i64")],
    "GenericCpu": [(ROW, "q2x3", 'cpu_op_name = "quant"')],
    "GRU": [("f2x2x3 @f1x6x3 @f1x6x2 @f1x12 -", "f2x1x2x2 f1x2x2",
             "hidden_size = 2 : i64, bidirectional = false, linear_before_reset = true, batch_first = false")],
    "GridSampler": [("f1x1x4x4 f1x2x2x2", "f1x1x2x2", "mode = 0 : i64, padding_mode = 0 : i64, align_corners = false")],
    "GroupNorm": [("f1x4x3x3 @f4 @f4", "f1x4x3x3", "num_groups = 2 : i64, eps = 1.0e-1 : f64")],
    "HardSigmoid": [(ROW, ROW, "alpha = 0.25 : f64, beta = 0.5 : f64")],
    "Insert": [("f3x3 f1x3 -", "f3x3", "axis = 0 : i64, offset = 1 : i64")],
    "InstanceNorm": [("f1x4x3x3 @f4 @f4", "f1x4x3x3", "eps = 1.0e-1 : f64")],
    "Interp": [("f1x1x4x5 - -", "f1x1x2x2", "mode = #tpu<mode linear>, coord_mode = #tpu<coord_mode half_pixel>, scale_h = 0.5 : f64, "
                                           "scale_w = 0.5 : f64")],
    "LRN": [("f1x4x3x3", "f1x4x3x3", "size = 3 : i64, alpha = 0.5 : f64, beta = 0.5 : f64, bias = 2.0 : f64")],
    "LSTM": [("f2x2x3 @f1x8x3 @f1x8x2 @f1x16 - - -", "f2x1x2x2 f1x2x2",
              "hidden_size = 2 : i64, bidirectional = false, batch_first = false")],
    "LayerNorm": [("f2x3x4 @f4 @f4", "f2x3x4", "axis = 2 : si32, eps = 1.0e-1 : f64, normalized_shape = [4]")],
    "LeakyRelu": [(ROW, ROW, "alpha = 0.25 : f64"), (ROW, "i2x3", "alpha = 0.25 : f64")],
    "Lut": [("b2x3 @b1x1x1x256", "b2x3", "")],
    "MaskedFill": [(ROW + " " + ROW, ROW, "inversed = false, const_val = 3.0 : f64")],
    "MatMul": [("f2x3x3 @f2x3x3 @f3 - -", "f2x3x3", ""),
               ("q3x3 @b3x3 @i3 - -", "q3x3", "multipliers = [3], rshifts = [5]")],
    "MaxPool": [("f1x2x4x4~", "f1x2x2x2", POOL)],
    "MulShift": [("i2x3", "q2x3", MULTIPLY)],
    "PRelu": [("f1x3x2 @f1x3x1", "f1x3x2", "")],
    "Pad": [("f2x3 - - - -", "f4x5", 'paddings = [1, 1, 1, 1], val = 0.5 : f64, mode = #tpu<Pad_Mode constant>')],
    "Permute": [("f2x2x2 -", "f2x2x2", "order = [0, 2, 1]")],
    "Pool1D": [("f1x2x4", "f1x2x2", POOL.replace("[2, 2]", "[2]").replace("[0, 0, 0, 0]", "[0, 0]"))],
    "Pool2D": [("f1x2x4x4", "f1x2x2x2", POOL), ("b1x2x4x4", "b1x2x2x2", POOL),
               ("q1x2x4x4", "q1x2x2x2", POOL + ", " + MULTIPLY), ("q1x2x4x4", "q1x2x2x2", POOL + ", scale = 0.3 : f64, offset = 0.5 : f64")],
    "Pool3D": [("f1x2x2x4x4 -", "f1x2x1x2x2", POOL.replace("[2, 2]", "[2, 2, 2]").replace("[0, 0, 0, 0]", "[0, 0, 0, 0, 0, 0]"))],
    "Pow": [("f2x3", "f2x3", "exponent = 2.0 : f64")],
    "RMSNorm": [("f2x3 @f3", "f2x3", "eps = 1.0e-1 : f64")],
    "Reciprocal": [(ROW, ROW, "const_val = 2.0 : f64")],
    "RecurrentGatedDeltaRule": [("f1x3x2x4 f1x3x2x4 f1x3x2x4 f1x3x2 f1x3x2 f1x2x4x4", "f1x3x2x4", DELTA)],
    "Reduce": [("f3x3 - -", "f3x1", 'axes = [1], keepdims = true, mode = "ReduceSum"')],
    "RequantFp": [("i2x3", "q2x3", "scale = 0.3 : f64, offset = 1.0 : f64, quant_mode = #tpu<rq_mode MultiplierShift>")],
    "RequantInt": [("i2x3", "q2x3", MULTIPLY + ", quant_mode = #tpu<rq_mode MultiplierShift>")],
    "RequantIntAxis": [("i1x2x3 @n1x2x1x3", "q1x2x3", "quant_mode = #tpu<rq_mode MultiplierShift>")],
    "Reshape": [(ROW, "f3x2", "shape = [3, 2]")],
    "Reverse": [("f3x3", "f3x3", "axis = 0 : i64")],
    "Rope": [("f1x2x2x4 f1x2x1x4 f1x2x1x4", "f1x2x2x4", "rope_mode = #tpu<rope_mode interleaved_pairs>")],
    "Scale": [("f1x3x2 @f1x3x1 @f1x3x1 -", "f1x3x2", "")],
    "ScatterElements": [("f3x3 i3x3%3 f3x3 - -", "f3x3", "axis = 0 : i64")],
    "ScatterND": [("f3x3 i2x1%3 f2x3 -", "f3x3", "")],
    "ShuffleChannel": [("f1x4x2", "f1x4x2", "group = 2 : i64")],
    "Slice": [("f4x4 - - - -", "f2x4", "offset = [1, 0], steps = [1, 1], ends = [3, 4], axes = []")],
    "Softmax": [("f3x3 - - - - -", "f3x3", "axis = 1 : si32"), ("f3x3 - - - - -", "i3x3", "axis = 1 : si32, log = true")],
    "Sort": [("f3x3 -", "f3x3 i3x3", "axis = 1 : i64")],
    "Split": [("f4x4", "f2x4 f2x4", "axis = 0 : si32, num = 2 : i64")],
    "Squeeze": [("f1x3x1", "f3", "axes = [0, 2]")],
    "SwapChannel": [("f1x3x2", "f1x3x2", "channel_order = [2, 0, 1]")],
    "SwapDimInner": [("f3x3", "f3x3", "offset = [1, 0]")],
    "Swish": [(ROW, ROW, "beta = 2.0 : f64")],
    "Tile": [("f1x3 - -", "f2x3", "tile = [2, 1]")],
    "TopK": [("f3x3 - - -", "f3x2 i3x2", "axis = 1 : i64, K = 2 : i64")],
    "Transpose": [("f3x3x3", "f3x3x3", "dim0 = 0 : si32, dim1 = 1 : si32")],
    "Trilu": [("f3x3", "f3x3", "upper = 1 : si32, diagonal = 0 : si32")],
    "Unsqueeze": [("f3", "f1x3", "axes = [0]")],
    "Upsample": [("f1x1x2x2", "f1x1x4x4", "scale_h = 2 : i64, scale_w = 2 : i64")],
    "View": [(ROW + " -", "f6", "")],
    "Where": [("i2x3%2 " + ROW + " " + ROW + " -", ROW, "x_const_val = 3.0 : f64, y_const_val = 4.0 : f64")],
}
CASES["CoreSplit"] = [("f4x4", "f2x4 f2x4", "axis = 0 : si32")]
CASES["CoreJoin"] = CASES["Join"] = [("f2x4 f2x4", "f4x4", "axis = 0 : si32")]
CASES["Max"] = [(ROW + "~ " + ROW + "~", ROW, "")]
CASES["MaxConst"] = [(ROW, ROW, "const_val = -0.75 : f64")]
CASES["Add"] += [("q2x3 q2x3", "q2x3", "multipliers = [2, 3], rshifts = [1, 2]")]
CASES["Mul"] += [("q2x3 q2x3", "q2x3", MULTIPLY)]
CASES["Weight2Activation"] = [("@f2x3", ROW, "")]

# Attributes that mean no numbers, and why; those of one op are named with it.
SAYS_SHAPE = "the type of the result says it"
HOW = "how the chip computes, not what"
RECORD = "a record of how pictures become the input, before the network"
NO_NUMBERS = {
    **dict.fromkeys("keepdims keep_dims ceil_mode auto_pad ends tile shape axes normalized_shape start_dim end_dim flatten_start_dim "
                    "output_padding K is_scalar num".split(), SAYS_SHAPE),
    **dict.fromkeys("multicore multi_core do_core_parallel ginfo layer_group indexing_map_s2l indexing_map_l2s support_compress "
                    "compress_info left_reuse ppl_flag chunk_size nc_can_split force_f32 weight_keep_f32 use_int_input "
                    "only_merge is_lora if_neg_index do_winograd".split(), HOW),
    **dict.fromkeys("hasparamConvert_axes indice_dims with_bias weight_is_coeff values_used_only".split(), "the operands and results say it"),
    **dict.fromkeys("do_preprocess shape_tensor pixel_format channel_format resize_dims keep_aspect_ratio keep_ratio_mode pad_type mean "
                    "customization_format aligned yuv_type".split(), RECORD),
    **dict.fromkeys("early_stride_h early_stride_w".split(), "read only with do_early_stride, which is refused"),
    **dict.fromkeys("neg_slope multiplier_pos rshift_pos".split(), "read only with do_leaky_relu, which is refused"),
    **dict.fromkeys("in_int4_scale in_int4_zp out_int8_scale out_int8_zp".split(), "for the compiler that makes integers of floats"),
    "relu_limit": "read only with do_relu",
    "extra_input": "marks a cast that a compiler put in",
    "sorted": "any order of the largest is theirs",
    "param": "types say scales",
    "sign": "zero points say it: the numbers are stored without a sign",
    "q_group_size": "read only with packed weights", "weight_bits": "read only with packed weights",
    "insert_zeros": "read only with with_insert_zero, which is refused",
    "x_const_val": "read only with x_is_const", "y_const_val": "read only with y_is_const",
    "Input.scale": RECORD,
    "Input.pad_value": RECORD,
    "count_include_pad": "nothing without pads", "is_adaptive": "windows of whole sizes are the same",
    "pad_value": "nothing without pads",
    "Conv2D.multiplier_neg": "read only with do_leaky_relu, which is refused",
    "Conv2D.rshift_neg": "read only with do_leaky_relu, which is refused",
}
# What rounds to integers says nothing about floats.
FOR_INTEGERS = re.compile(r"(round_mode|quant_mode|_saturation)$")
# With these the attribute is read.
WITH = {"relu_limit": "do_relu = true", "x_const_val": "x_is_const = true", "y_const_val": "y_is_const = true"}


def fields(attributes):
    """Name -> text of 'a = [1, 2], b = 3 : i64'."""
    return dict(re.findall(r"(\w+) = ((?:\[[^\]]*\]|[^,\[]+))", attributes))


def text_of(given):
    return ", ".join("%s = %s" % pair for pair in given.items())


def element(letter):
    return {"f": "f32", "i": "i32", "n": "i32", "b": "i8", "u": "ui8", "q": "!quant.uniform<i8:f32, 0.5:3>"}[letter]


def type_of(tensor):
    tensor = re.split("[%~]", tensor.lstrip("@"))[0]
    return "none" if tensor == "-" else "tensor<%sx%s>" % (tensor[1:], element(tensor[0]))


def data_of(tensor, number):
    """Halves among them, where ways of rounding differ."""
    kind, _, limit = tensor.lstrip("@").partition("%")
    low = 8 * kind.endswith("~")
    sizes = [int(size) for size in kind[1:].rstrip("~").split("x")]
    count = 1
    for size in sizes:
        count *= size
    steps = [(index * 37 + number * 5 + 5) % 23 for index in range(count)]
    if limit:
        return array("<i4", sizes, [step % int(limit) for step in steps])
    if kind[0] == "n":
        return array("<i4", sizes, [-1 - step % 3 for step in steps])
    if kind[0] == "f":
        return array("<f4", sizes, [(step - 11 - low) / 4 for step in steps])
    return array({"i": "<i4", "u": "|u1"}.get(kind[0], "|i1"), sizes, [step if kind[0] == "u" else 3 * (step - 11) for step in steps])


def module_of(op, case, attributes):
    operands, results, _ = case
    lines, arrays, names, arguments = ['%none = "top.None"() : () -> none'], {}, [], []
    for number, tensor in enumerate(operands.split()):
        kind, name = type_of(tensor), "x%d" % number
        names.append("%none" if tensor == "-" else "%" + name)
        if tensor == "-":
            continue
        arrays[name] = data_of(tensor, number)
        if tensor[0] == "@":
            lines.append('%%%s = "top.Weight"() : () -> %s loc("%s")' % (name, kind, name))
            continue
        arguments.append("%%arg%d: %s" % (len(arguments), kind))
        if op != "top.Input":
            lines.append('%%%s = "top.Input"(%%arg%d) : (%s) -> %s loc("%s")' % (name, len(arguments) - 1, kind, kind, name))
        else:
            names[-1] = "%arg0"
    kinds = [type_of(tensor) for tensor in results.split()]
    outs = ["%y"] if len(kinds) == 1 else ["%%y#%d" % index for index in range(len(kinds))]
    where = 'loc("x0")' if op == "top.Input" else 'loc("y")' if len(kinds) == 1 else 'loc(fused["y0", "y1"])'
    lines.append('%%y%s = "%s"(%s) {%s} : (%s) -> %s %s' % (
        ":%d" % len(kinds) if len(kinds) > 1 else "", op, ", ".join(names), attributes,
        ", ".join(map(type_of, operands.split())), "(%s)" % ", ".join(kinds) if len(kinds) > 1 else kinds[0], where))
    return "module {\nfunc.func @main(%s) -> (%s) {\n%s\nreturn %s : %s\n}\n}\n" % (
        ", ".join(arguments), ", ".join(kinds), "\n".join(lines), ", ".join(outs), ", ".join(kinds)), arrays


def others(attribute, enums, text):
    """Other values, as text; those of enums and words are listed in the table."""
    kind, name = attribute["type"], attribute["name"]
    if "enum" in attribute:
        return ["%d : i32" % case["value"] for case in enums.get(attribute["enum"], [])]
    words = re.match(r"string attribute whose value is (.*)", kind)
    if words:
        return ['"%s"' % word for word in words[1].split(", or ")]
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d*)?(?:e-?\d+)?", (text or "").split(":")[0])]
    if kind == "string attribute":
        return ['"other"']
    if kind == "bool attribute":
        return ["true", "false"]
    if "integer array" in kind:
        numbers = [int(number) for number in numbers] or [0]
        return ["[%s]" % ", ".join(map(str, changed)) for changed in
                (numbers[:i] + [numbers[i] + by] + numbers[i + 1:] for i in range(len(numbers)) for by in (1, -1))]
    if "float array" in kind:
        return ["[%s]" % ", ".join("%r : f64" % (number + 0.5) for number in numbers or [1.0, 1.0])]
    if "integer" in kind:
        bits = "si32" if "32-bit signed" in kind else "i64"
        base = int(numbers[0]) if numbers else int(float(attribute.get("default", "0") or 0))
        return ["%d : %s" % (base + by, bits) for by in (1, -1, 2)]
    if "float" in kind:
        base = numbers[0] if numbers else float(attribute.get("default", "0") or 0)
        return ["%r : f64" % (base + by) for by in ((0.5, 1.0) if name != "relu_limit" else (1.01, 1.25))]
    return []


class Attributes(unittest.TestCase):
    def setUp(self):
        if not os.path.isdir(TABLES):
            self.skipTest("TPU_MEMORY_DATA is not set: there is no table of ops")
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.tables = {}
        for dialect in ("top", "tpu"):
            with open(os.path.join(TABLES, dialect + ".json"), encoding="utf-8") as file:
                self.tables[dialect] = json.load(file)
        cases = self.tables["tpu"]["enums"]
        known = {name.lower(): listed for name, listed in cases.items()}
        known.update(rqmode=cases["RequantMode"], dqmode=cases["DequantMode"], mode=cases["ResizeMode"], coordmode=cases["ResizeCoordMode"],
                     padmode=cases["PaddingMode"])
        self.enums = {name: known.get(name.replace("_", "").lower(), []) for name in self.tables["tpu"]["attributes"]}

    def numbers(self, op, case, attributes):
        """What the op computes; None when it is refused."""
        model, given, out = (os.path.join(self.folder, name) for name in ("net.mlir", "in.npz", "out.npz"))
        text, arrays = module_of(op, case, attributes)
        with open(model, "w", encoding="utf-8") as file:
            file.write(text)
        write_arrays(given, arrays)
        done = subprocess.run([RUNNER, "--model", model, "--memory=value", "--input", given, "--weight", given, "--output", out,
                               "--quiet", "--threads=1"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        self.assertIn(done.returncode, (0, 1), "%s\n%s" % (text, done.stderr))
        self.error = done.stderr
        if done.returncode == 1:
            return None
        arrays = read_arrays(out)
        return [arrays[name] for name in sorted(arrays)]

    def has(self, op, *names):
        """The op has such an attribute, as far as the table knows the op."""
        record = self.tables[op[:3]]["ops"].get(op[4:])
        return not record or {attribute["name"] for attribute in record["attributes"]}.issuperset(names)

    def fields_of(self, op, case):
        """Those of the case that the op has."""
        return {name: text for name, text in fields(case[2]).items() if self.has(op, name)}

    def is_silent(self, op, case, base, attribute):
        """No other value of the attribute changes numbers, or is refused."""
        name, given = attribute["name"], self.fields_of(op, case)
        more = fields(WITH.get(name, ""))
        if more and self.has(op, *more):
            given.update(more)
            base = self.numbers(op, case, text_of(given))
        if base is None:
            return False
        for text in others(attribute, self.enums, given.get(name, str(attribute.get("default", "")))):
            now = self.numbers(op, case, text_of(dict(given, **{name: text})))
            if now != base:
                return False
        return True

    def check(self, dialect, stem):
        op, record = dialect + "." + stem, self.tables[dialect]["ops"].get(stem)
        for case in CASES[stem]:
            if not self.has(op, *(name for name in fields(case[2]) if name.startswith("mult"))):
                continue
            base = self.numbers(op, case, text_of(self.fields_of(op, case)))
            self.assertIsNotNone(base, "%s %s: %s" % (op, case, self.error))
            for attribute in record["attributes"] if record else []:
                name = attribute["name"]
                if FOR_INTEGERS.search(name) and all(kind[0] == "f" for kind in case[1].split()):
                    continue
                if name == "with_scale" and "q" not in case[0] + case[1]:
                    continue
                if name in NO_NUMBERS and name not in WITH or stem + "." + name in NO_NUMBERS:
                    continue
                with self.subTest(op=op, attribute=name, case=case):
                    self.assertFalse(self.is_silent(op, case, base, attribute), "no value of '%s' means anything" % name)

    def test_all(self):
        ops = subprocess.run([RUNNER, "--kernels"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True).stdout.split()
        self.assertGreater(len(ops), 150)
        for op in ops:
            if op == "tpu.LineBuffer":
                continue  # In layer groups alone, and without attributes but ginfo.
            with self.subTest(op=op):
                self.assertIn(op[4:], CASES, "a kernel without a case here")
                self.check(op[:3], op[4:])


if __name__ == "__main__":
    unittest.main()
