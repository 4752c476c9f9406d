"""A small network of many kinds of layers, with weights and samples of random numbers."""
import os
import random

from arrays import array, write_arrays

INPUT = (1, 3, 16, 16)


class Builder:
    """Lines of a Top module, and the numbers of its weights."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.weights, self.shapes = [], {}, {"x": INPUT}

    @staticmethod
    def type_of(shape):
        return "tensor<%sxf32>" % "x".join(str(size) for size in shape)

    def weight(self, name, shape, size):
        count = 1
        for each in shape:
            count *= each
        self.weights[name] = array("<f4", shape, [self.random.uniform(-size, size) for _ in range(count)])
        self.shapes[name] = tuple(shape)
        self.lines.append('%%%s = "top.Weight"() : () -> %s loc("%s")' % (name, self.type_of(shape), name))
        return name

    def layer(self, name, kind, operands, shape, attributes=""):
        self.shapes[name] = tuple(shape)
        types = ["none" if each == "none" else self.type_of(self.shapes[each]) for each in operands]
        self.lines.append('%%%s = "top.%s"(%s) {%s} : (%s) -> %s loc("%s")' % (
            name, kind, ", ".join("%" + each for each in operands), attributes, ", ".join(types), self.type_of(shape), name))
        return name

    def conv(self, name, source, channels, kernel=3, stride=1, group=1, relu=False, bias=True):
        _, inputs, height, width = self.shapes[source]
        terms = inputs // group * kernel * kernel
        self.weight(name + "_w", (channels, inputs // group, kernel, kernel), (4.5 / terms) ** 0.5)
        if bias:
            self.weight(name + "_b", (channels,), 0.2)
        shape = (1, channels, height // stride, width // stride)
        pad = kernel // 2
        return self.layer(name, "Conv", [source, name + "_w", name + "_b" if bias else "none"], shape,
                          "kernel_shape = [%d, %d], strides = [%d, %d], pads = [%d, %d, %d, %d], group = %d : i64, do_relu = %s" % (
                              kernel, kernel, stride, stride, pad, pad, pad, pad, group, "true" if relu else "false"))

    def text(self, *results):
        values = ", ".join("%" + each for each in results)
        types = ", ".join(self.type_of(self.shapes[each]) for each in results)
        body = "\n".join("    " + line for line in self.lines)
        return """module @net attributes {module.state = "TOP_F32", module.weight_file = "net_w.npz"} {
  func.func @main(%%arg0: %s) -> (%s) {
    %%none = "top.None"() : () -> none
    %%x = "top.Input"(%%arg0) : (%s) -> %s loc("x")
%s
    return %s : %s
  }
}
""" % (self.type_of(INPUT), types, self.type_of(INPUT), self.type_of(INPUT), body, values, types)


def build(seed=1):
    """The network's text and its weights."""
    b = Builder(seed)
    b.conv("a", "x", 8, stride=1)
    b.layer("silu", "SiLU", ["a"], b.shapes["a"])
    b.conv("dw", "silu", 8, group=8, relu=True)
    b.conv("pw", "dw", 16, kernel=1, bias=False)
    b.layer("pool", "MaxPool", ["pw"], (1, 16, 8, 8), "kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0]")
    b.conv("p", "pool", 16)
    b.layer("sum", "Add", ["p", "pool"], (1, 16, 8, 8))
    b.layer("up", "Upsample", ["sum"], (1, 16, 16, 16), "scale_h = 2 : i64, scale_w = 2 : i64")
    b.layer("cat", "Concat", ["up", "silu"], (1, 24, 16, 16), "axis = 1 : si32")
    b.conv("c", "cat", 12, kernel=1)
    b.layer("gate", "Sigmoid", ["c"], b.shapes["c"])
    b.layer("gated", "Mul", ["gate", "c"], b.shapes["c"])
    none = ["none"] * 3
    b.layer("half", "Slice", ["gated"] + none, (1, 6, 16, 16),
            "axes = [], ends = [-1, 6, -1, -1], offset = [0, 0, 0, 0], steps = [1, 1, 1, 1]")
    b.layer("mean", "AvgPool", ["half"], (1, 6, 4, 4), "kernel_shape = [4, 4], strides = [4, 4], pads = [0, 0, 0, 0]")
    b.layer("leaky", "LeakyRelu", ["mean"], (1, 6, 4, 4), "alpha = 1.000000e-01 : f64")
    b.layer("turned", "Permute", ["leaky"], (1, 4, 4, 6), "order = [0, 2, 3, 1]")
    b.layer("flat", "Reshape", ["turned"], (1, 96), "shape = [1, 96]")
    b.weight("m_w", (96, 10), (4.5 / 96) ** 0.5)
    b.weight("m_b", (10,), 0.2)
    b.layer("y", "MatMul", ["flat", "m_w", "m_b"], (1, 10))
    return b.text("y"), b.weights


def write(folder, seed=1, samples=3):
    """net.mlir, net_w.npz, and samples in a folder of their own; the last sample, for tests, beside it."""
    text, weights = build(seed)
    with open(os.path.join(folder, "net.mlir"), "w", encoding="utf-8") as file:
        file.write(text)
    write_arrays(os.path.join(folder, "net_w.npz"), weights)
    numbers = random.Random(seed + 1)
    os.mkdir(os.path.join(folder, "samples"))
    count = INPUT[1] * INPUT[2] * INPUT[3]
    for number in range(samples + 1):
        name = "samples/%d.npz" % number if number < samples else "test.npz"
        values = [numbers.uniform(-1, 1) for _ in range(count)]
        write_arrays(os.path.join(folder, name), {"x": array("<f4", INPUT, values)})
