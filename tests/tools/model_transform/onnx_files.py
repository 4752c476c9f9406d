"""Models of ONNX, byte by byte: no package is needed to make a small one."""
import struct

FLOAT, INT64, BOOL = 1, 7, 9


def varint(number):
    """As protobuf writes whole numbers."""
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, *parts):
    body = b"".join(part.encode() if isinstance(part, str) else part for part in parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


def value(field, name, kind, shape):
    """An input (11) or an output (12); a dimension that is a text has no number."""
    dims = [message(1, number(1, size) if isinstance(size, int) else message(2, size)) for size in shape]
    return message(field, message(1, name), message(2, message(1, number(1, kind), message(2, *dims))))


def node(op, inputs, outputs, *attributes, name=""):
    return message(1, *(message(1, text) for text in inputs), *(message(2, text) for text in outputs), message(3, name),
                   message(4, op), *attributes)


def text_attribute(name, text):
    return message(5, message(1, name), message(4, text), number(20, 3))


def texts_attribute(name, list_of):
    return message(5, message(1, name), *(message(9, one) for one in list_of), number(20, 8))


def whole_attribute(name, one):
    return message(5, message(1, name), number(3, one), number(20, 2))


def wholes_attribute(name, list_of):
    return message(5, message(1, name), *(number(8, one) for one in list_of), number(20, 7))


def real_attribute(name, one):
    return message(5, message(1, name), varint(2 << 3 | 5) + struct.pack("<f", one), number(20, 1))


def tensor_fields(name, shape, numbers):
    """A tensor of int64."""
    return b"".join([*(number(1, size) for size in shape), number(2, INT64), *(number(7, one) for one in numbers),
                     message(8, name)])


def initializer(name, shape, numbers):
    return message(5, tensor_fields(name, shape, numbers))


def packed(name, kind, spelled, shape, numbers):
    """An initializer of numbers that `struct` knows as `spelled`."""
    return message(5, *(number(1, size) for size in shape), number(2, kind), message(8, name),
                   message(9, struct.pack("<%d%s" % (len(numbers), spelled), *numbers)))


def model(*parts, opset=13, domain=""):
    return number(1, 7) + message(7, *parts, message(2, "g")) + message(8, message(1, domain), number(2, opset))
