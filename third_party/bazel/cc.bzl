"""C++ rules with the project's warnings and include paths."""

load(":rooms.bzl", "room_visibility")

COPTS = [
    "-Wall",
    "-Wextra",
    "-Werror",
    # LLVM's option and pass macros leave parameters unused on purpose.
    "-Wno-unused-parameter",
    "-Iinclude",
    "-I$(GENDIR)/include",
]

def tpu_cc_library(name, copts = [], visibility = None, **kwargs):
    """A library; in lib/ those may see it whom rooms.bzl allows to, if it does not say otherwise."""
    native.cc_library(
        name = name,
        copts = COPTS + copts,
        visibility = visibility or room_visibility(native.package_name()),
        **kwargs
    )

def tpu_cc_unit(name, **kwargs):
    """A library of one source and the header beside it, both of its name."""
    tpu_cc_library(name = name, srcs = [name + ".cpp"], hdrs = [name + ".h"], **kwargs)

def tpu_cc_part(name, headers, deps, sources = ["*.cpp"], hdrs = []):
    """A part of a room: sources in the folder of its name, and those public headers of the room that are called `headers`."""
    room = native.package_name()[len("lib/"):]
    tpu_cc_library(
        name = name,
        srcs = native.glob([name + "/" + pattern for pattern in sources]),
        hdrs = native.glob([name + "/" + pattern for pattern in hdrs]) + ["//include/tpu_mlir/%s:%s" % (room, headers)],
        deps = deps + ["//lib/Support", "@llvm//:headers"],
    )

def tpu_cc_room(name, deps = [], sources = ["*.cpp"], exclude = [], **kwargs):
    """The library of a room or shelf of lib/: its sources, and the public headers of the same place in include/."""
    tpu_cc_library(
        name = name,
        srcs = native.glob(sources, exclude = exclude),
        hdrs = ["//include/tpu_mlir/%s:headers" % native.package_name()[len("lib/"):]],
        deps = deps + ["@llvm//:headers"],
        **kwargs
    )

def room_sources(headers = ["headers"]):
    """The sources and public headers of a room of lib/: for the test of what it includes, and the fingerprint of the planner."""
    room = native.package_name().split("/")[-1]
    native.filegroup(
        name = "sources",
        srcs = native.glob(["**/*.cpp", "**/*.h"]) + ["//include/tpu_mlir/%s:%s" % (room, name) for name in headers],
        visibility = [
            "//lib/Planning/Cache:__pkg__",
            "//tests:__subpackages__",
        ],
    )

def tpu_cc_binary(name, copts = [], mlir = True, deps = [], linkopts = [], libraries = "../lib/tpu-memory", **kwargs):
    """A tool; links MLIR statically so that it starts in milliseconds.

    Installed, it looks for what not every system has in `libraries`, seen from where it lies itself, and so does what it
    finds there: hence no RUNPATH.
    """
    extra = ["@llvm//:mlir_static"] if mlir else []
    native.cc_binary(
        name = name,
        copts = COPTS + copts,
        linkopts = linkopts + ["-Wl,--disable-new-dtags,-rpath,\\$$ORIGIN/" + libraries],
        deps = deps + extra,
        **kwargs
    )

def tpu_cc_test(name, copts = [], mlir = True, deps = [], size = "small", **kwargs):
    """A GoogleTest; links the shared libraries so that it links fast."""
    native.cc_test(
        name = name,
        size = size,
        copts = COPTS + copts,
        deps = deps + ["//third_party:gtest_main", "@llvm//:mlir" if mlir else "@llvm//:support"],
        **kwargs
    )

def tpu_cc_benchmark(name, copts = [], mlir = True, deps = [], **kwargs):
    """A Google Benchmark program; built and run by hand only."""
    native.cc_binary(
        name = name,
        copts = COPTS + copts,
        tags = ["manual"],
        deps = deps + ["//third_party:benchmark_main", "@llvm//:mlir_static" if mlir else "@llvm//:support"],
        **kwargs
    )
