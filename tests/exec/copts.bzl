"""How what computes whole networks in tests is compiled."""

# Optimised, but for debug builds.
KERNEL_COPTS = select({
    "//third_party/bazel:is_dbg": [],
    "//conditions:default": ["-O3"],
})
