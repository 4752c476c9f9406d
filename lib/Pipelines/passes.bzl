"""All passes, by their folders in lib/Transforms: a new one is a line here."""

NETWORK_PASSES = [
    "Tpu/AssignGlobalAddress",
    "Tpu/AssignLocalAddress",
    "Tpu/AssignWeightAddress",
    "Tpu/ConvertTopToTpu",
    "Tpu/CoreParallel",
    "Tpu/GroupOverlap",
    "Tpu/ImportCalibrationTable",
    "Tpu/LayerGroup",
    "Tpu/LocalReport",
    "Tpu/MemoryReport",
    "Tpu/ProcessorAssign",
    "Tpu/Rematerialize",
    "Tpu/Reorder",
    "Tpu/ReorderWeights",
    "Tpu/Section",
    "Tpu/StripIoCast",
    "Tpu/TopFuse",
    "Tpu/VerifyAddresses",
    "Tpu/VerifyLocal",
    "Tpu/VerifyPlan",
]

# These are for compilers without networks, too: MemrefPasses.cpp registers
# them, from headers in include/tpu_mlir/Transforms.
MEMREF_PASSES = [
    "Gpu/PackSharedMemory",
    "Memref/AssignPools",
    "Memref/CopyRemoval",
    "Memref/DeallocateBuffers",
    "Memref/HoistAllocs",
    "Memref/MergeAlloc",
    "Memref/PromoteToStack",
    "Memref/VerifyDeallocation",
]

PASSES = sorted(NETWORK_PASSES + MEMREF_PASSES)

def _name(folder):
    return folder.split("/")[-1]

def pass_labels(passes, suffix = ""):
    return ["//lib/Transforms/%s:%s%s" % (folder, _name(folder), suffix) for folder in passes]

def pass_registration(name, passes):
    """<name>.h.inc: what declares the passes, and void register<name>()."""
    lines = ['#include "lib/Transforms/%s/%s.h"' % (p, _name(p)) for p in passes]
    lines += ["namespace tpu_mlir {", "static void register%s() {" % name]
    lines += ["  register%s();" % _name(p) for p in passes]
    lines += ["}", "} // namespace tpu_mlir"]
    native.genrule(
        name = name + "_inc",
        outs = [name + ".h.inc"],
        cmd = "\n".join(["cat > $@ <<'END'"] + lines + ["END"]),
    )
