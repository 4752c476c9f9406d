"""Files of arrays, as numpy writes and reads them, without numpy."""
import ast
import math
import struct
import zipfile

FORMATS = {"<f4": "f", "<f8": "d", "<i4": "i", "<i8": "q", "<u8": "Q", "|i1": "b", "|u1": "B", "<u2": "H", "<f2": "e"}


def write_arrays(path, arrays):
    """name -> (dtype, shape as text, bytes), as numpy.savez_compressed does, sizes of 64 bits included."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for key, (dtype, shape, data) in arrays.items():
            header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (dtype, shape)
            header += " " * (63 - (10 + len(header)) % 64) + "\n"
            with file.open(key + ".npy", "w", force_zip64=True) as entry:
                entry.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
    return path


def array(dtype, shape, values):
    return dtype, str(tuple(shape)), struct.pack("<%d%s" % (len(values), FORMATS[dtype]), *values)


def read_arrays(path):
    """name -> list of numbers"""
    arrays = {}
    with zipfile.ZipFile(path) as file:
        for name in file.namelist():
            data = file.read(name)
            length = struct.unpack("<H", data[8:10])[0]
            header = ast.literal_eval(data[10:10 + length].decode())
            count = math.prod(header["shape"])
            arrays[name[:-4]] = list(struct.unpack("<%d%s" % (count, FORMATS[header["descr"]]), data[10 + length:]))
    return arrays
