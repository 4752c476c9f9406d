"""Which room of lib/ may look at which: this table is the only place that says so."""

_SEES = {
    "Support": [],
    "Target": ["Support"],
    "Planning": ["Support"],
    "CApi": ["Planning", "Support"],
    "Ordering": ["Support"],
    "Log": ["Planning", "Support"],
    "LayerPlanning": ["Planning", "Support", "Target"],
    "Report": ["Planning", "Support"],
    "Dialect": ["Support"],
    "Execution": ["Support"],
    "OneDnn": ["Execution", "Support"],
    "Quantization": ["Execution", "Support"],
    "ModelBuilder": ["Dialect"],
    "Import": ["Dialect", "Execution", "ModelBuilder", "Support"],
    "Analysis": ["Dialect", "LayerPlanning", "Planning", "Support", "Target"],
    "Interpreter": ["Analysis", "Dialect", "Execution", "Quantization", "Support", "Target"],
    "Transforms": ["Analysis", "Dialect", "Execution", "LayerPlanning", "Log", "Ordering", "Planning", "Quantization", "Report", "Support", "Target"],
    "Pipelines": ["Transforms"],
}

def room_visibility(package):
    """For a library of `package` that does not say more: the rooms above its own, tools and tests.

    Outside of lib/ None, which is the package's default.
    """
    parts = package.split("/")
    if parts[0] != "lib":
        return None
    users = [room for room, seen in _SEES.items() if room == parts[1] or parts[1] in seen]
    return ["//lib/%s:__subpackages__" % room for room in users] + ["//tests:__subpackages__", "//tpu_mlir:__subpackages__"]
