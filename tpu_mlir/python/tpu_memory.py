"""The planner of memory from Python: which buffer is where, so that those alive together share no byte.

    import tpu_memory
    plan = tpu_memory.plan(sizes=[64, 32, 64], lower=[0, 1, 2], upper=[2, 3, 4], alignment=32, capacity=128)
    plan.offsets, plan.used, plan.proof

A layer over the C interface (tpu_mlir/CApi/MemoryPlan.h) with the standard library's ctypes. Arrays of numpy with 64-bit
integers are read where they lie, and then offsets are an array of numpy, too; any other sequence of integers will do.
"""
import array
import ctypes
import json
import os

API_VERSION = 1
_NO_LIMIT = 2**63 - 1
_PROOFS = ("none", "lower-bound", "optimal", "limit-hit")


class Error(Exception):
    """A question without a plan. `status` is the exit code that programs have for it, `need` the bytes that are needed."""

    def __init__(self, message, status=4, need=0):
        super().__init__(message)
        self.status = status
        self.need = need


class BadInput(Error, ValueError):
    """The problem or an option makes no sense."""


class DoesNotFit(Error):
    """No plan exists, which is proved."""


class NotFound(Error):
    """No plan was found, though one may exist."""


_ERRORS = {1: BadInput, 2: BadInput, 3: DoesNotFit, 5: NotFound}


class _Options(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("strategy", ctypes.c_char_p), ("seed", ctypes.c_uint64),
                ("node_limit", ctypes.c_int64), ("time_limit", ctypes.c_double), ("capacity", ctypes.c_int64),
                ("threads", ctypes.c_int32)]


class _Buffers(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("count", ctypes.c_int64), ("sizes", ctypes.c_void_p),
                ("lower", ctypes.c_void_p), ("upper", ctypes.c_void_p), ("alignments", ctypes.c_void_p)]


class _Result(ctypes.Structure):
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("used", ctypes.c_int64), ("bound", ctypes.c_int64),
                ("need", ctypes.c_int64), ("proof", ctypes.c_int32), ("message", ctypes.c_void_p)]


class Plan:
    """`offsets`: one a buffer, in their order. `used`: the largest end. `lower_bound`: no plan uses less. `proof`: "none",
    "lower-bound", "optimal" or "limit-hit"."""

    def __init__(self, offsets, result):
        self.offsets = offsets
        self.used = result.used
        self.lower_bound = result.bound
        self.proof = _PROOFS[result.proof]

    def __repr__(self):
        return "Plan(%d buffers, used=%d, lower_bound=%d, proof=%r)" % (len(self.offsets), self.used, self.lower_bound, self.proof)


def _load():
    """The library: what TPU_MEMORY_LIBRARY names, what lies beside this file, or what the system finds."""
    here = os.path.dirname(os.path.realpath(__file__))
    for path in (os.environ.get("TPU_MEMORY_LIBRARY"), os.path.join(here, "libtpu_memory.so.1"), "libtpu_memory.so.1"):
        if path and (os.path.exists(path) or os.sep not in path):
            library = ctypes.CDLL(path)
            break
    library.tpumemVersion.restype = ctypes.c_char_p
    library.tpumemSolve.argtypes = [ctypes.POINTER(_Buffers), ctypes.POINTER(_Options), ctypes.c_void_p, ctypes.POINTER(_Result)]
    library.tpumemSolveJson.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(_Options),
                                        ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(_Result)]
    library.tpumemFree.argtypes = [ctypes.c_void_p]
    library.tpumemFree.restype = None
    if library.tpumemApiVersion() < API_VERSION:
        raise ImportError("libtpu_memory.so.1 has version %d of the interface, %d is needed" % (library.tpumemApiVersion(), API_VERSION))
    return library


_LIBRARY = _load()


def version():
    """"0.1.0 (LLVM 22.1.8)"."""
    return _LIBRARY.tpumemVersion().decode()


def _words(values, name):
    """64-bit integers in one piece of memory; what is already like that is not copied."""
    try:
        view = memoryview(values)
    except TypeError:
        view = None
    if view is not None and view.ndim == 1 and view.contiguous and view.itemsize == 8 and view.format in ("l", "q"):
        return values
    try:
        return array.array("q", (value.__index__() for value in values))
    except AttributeError:
        raise BadInput("%s has to hold integers" % name, 2) from None
    except OverflowError:
        raise BadInput("%s holds a number that has no 64 bits" % name, 2) from None


def _address(words):
    """Where the words lie, and what keeps them there."""
    view = memoryview(words)
    if not len(view):
        return None, view
    if view.readonly:
        view = memoryview(array.array("q", view))
    return ctypes.addressof(ctypes.c_char.from_buffer(view)), view


def _options(strategy, seed, node_limit, time_limit, capacity, threads):
    options = _Options()
    _LIBRARY.tpumemDefaultOptions(ctypes.byref(options))
    options.strategy = strategy.encode() if strategy is not None else None
    for field, value in (("seed", seed), ("node_limit", node_limit), ("time_limit", time_limit), ("capacity", capacity),
                         ("threads", threads)):
        if value is None:
            continue
        limit = {"seed": 2**64, "threads": 2**31}.get(field, 2**63)
        if not 0 <= value < limit:
            raise BadInput("%s has to be at least 0 and below %d, is %s" % (field, limit, value), 2)
        setattr(options, field, value)
    return options


def _judge(status, result):
    """Nothing where there is a plan, else an exception with the library's message."""
    message = ctypes.string_at(result.message).decode("utf-8", "replace") if result.message else "status %d" % status
    _LIBRARY.tpumemFree(result.message)
    if status != 0:
        raise MemoryError(message) if status == 6 else _ERRORS.get(status, Error)(message, status, result.need)


def plan(sizes, lower, upper, alignment=1, capacity=None, strategy=None, seed=None, node_limit=None, time_limit=None, threads=None):
    """Offsets in one memory. Buffer i has sizes[i] bytes and is alive in the steps [lower[i], upper[i]); `alignment` is one
    number or one a buffer. Without `capacity` the memory is as large as it has to be; the plan is as low as can be found.
    Raises DoesNotFit, NotFound or BadInput."""
    wanted = [_words(values, name) for values, name in ((sizes, "sizes"), (lower, "lower"), (upper, "upper"))]
    count = len(wanted[0])
    wanted.append(array.array("q", [alignment]) * count if isinstance(alignment, int) else _words(alignment, "alignment"))
    for words, name in zip(wanted[1:], ("lower", "upper", "alignment")):
        if len(words) != count:
            raise BadInput("%s has %d entries, sizes has %d" % (name, len(words), count), 2)
    kept = [_address(words) for words in wanted]
    if hasattr(sizes, "dtype"):
        import numpy
        offsets = numpy.empty(count, dtype=numpy.int64)
    else:
        offsets = array.array("q", bytes(8 * count))
    buffers = _Buffers(ctypes.sizeof(_Buffers), count, *(address for address, _ in kept))
    target, target_view = _address(offsets)
    result = _Result(ctypes.sizeof(_Result))
    status = _LIBRARY.tpumemSolve(ctypes.byref(buffers), ctypes.byref(_options(strategy, seed, node_limit, time_limit, capacity, threads)),
                                  target, ctypes.byref(result))
    del kept, target_view
    _judge(status, result)
    return Plan(offsets, result)


def plan_json(problem, strategy=None, seed=None, node_limit=None, time_limit=None, threads=None):
    """The plan of a problem as tpu_mlir/schema/problem.schema.json has it (a dict, or its text), as plan.schema.json has it:
    several memories, aliases, pins, pairs that must not share, schedules that repeat."""
    text = (problem if isinstance(problem, str) else json.dumps(problem)).encode()
    result = _Result(ctypes.sizeof(_Result))
    out = ctypes.c_void_p()
    options = _options(strategy, seed, node_limit, time_limit, None, threads)
    status = _LIBRARY.tpumemSolveJson(text, len(text), ctypes.byref(options), ctypes.byref(out), ctypes.byref(result))
    _judge(status, result)
    answer = ctypes.string_at(out.value)
    _LIBRARY.tpumemFree(out)
    return json.loads(answer)
