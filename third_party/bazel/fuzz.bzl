"""Fuzz targets: one function, run by libFuzzer or by a GoogleTest."""

load("//third_party/bazel:cc.bzl", "tpu_cc_binary", "tpu_cc_library")

def tpu_fuzz_target(name, entry, srcs, deps = [], mutator = None):
    """The library `name` with `entry`, and the program `name`_fuzzer.

    The program is built by hand only, with --config=fuzz: it needs clang and
    its runtime (Debian: clang-22 libclang-rt-22-dev).

    Args:
      name: of the library; tests depend on it.
      entry: the function declared in tests/fuzz/Entries.h.
      srcs: where it is.
      deps: of the library.
      mutator: a library that has LLVMFuzzerCustomMutator, or none.
    """
    tpu_cc_library(
        name = name,
        testonly = True,
        srcs = srcs,
        deps = deps + ["//tests/fuzz:entries"],
    )
    tpu_cc_binary(
        name = name + "_fuzzer",
        testonly = True,
        srcs = ["//tests/fuzz:Driver.cpp"],
        copts = ["-fsanitize=fuzzer"],
        linkopts = ["-fsanitize=fuzzer"],
        local_defines = ["FUZZ_ENTRY=" + entry],
        mlir = False,
        tags = ["manual"],
        deps = [
            ":" + name,
            "//tests/fuzz:entries",
            "@llvm//:support",
        ] + ([mutator] if mutator else []),
    )
