"""All passes, by the names of their folders in lib/Transforms: a new one is a line here."""

NETWORK_PASSES = [
    "AssignGlobalAddress",
    "AssignLocalAddress",
    "AssignWeightAddress",
    "ConvertTopToTpu",
    "LayerGroup",
    "LocalReport",
    "MemoryReport",
    "StripIoCast",
    "VerifyAddresses",
    "VerifyLocal",
    "VerifyPlan",
]

# These are for compilers without networks, too: MemrefPasses.cpp registers
# them, from headers in include/tpu_mlir/Transforms.
MEMREF_PASSES = [
    "AssignPools",
    "CopyRemoval",
    "DeallocateBuffers",
    "HoistAllocs",
    "MergeAlloc",
    "PackSharedMemory",
    "PromoteToStack",
    "VerifyDeallocation",
]

PASSES = sorted(NETWORK_PASSES + MEMREF_PASSES)

def pass_labels(passes, suffix = ""):
    return ["//lib/Transforms/{0}:{0}{1}".format(name, suffix) for name in passes]

def pass_registration(name, passes):
    """<name>.h.inc: what declares the passes, and void register<name>()."""
    lines = ['#include "lib/Transforms/{0}/{0}.h"'.format(p) for p in passes]
    lines += ["namespace tpu_mlir {", "static void register%s() {" % name]
    lines += ["  register%s();" % p for p in passes]
    lines += ["}", "} // namespace tpu_mlir"]
    native.genrule(
        name = name + "_inc",
        outs = [name + ".h.inc"],
        cmd = "\n".join(["cat > $@ <<'END'"] + lines + ["END"]),
    )
