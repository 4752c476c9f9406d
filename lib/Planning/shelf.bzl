"""A shelf of the planning core: a package whose deps say which shelves it may see."""

load("//third_party/bazel:cc.bzl", "tpu_cc_library")

def planning_shelf(name, sees = [], srcs = ["*.cpp"], hdrs = ["*.h"], more_hdrs = [], more_srcs = [], **kwargs):
    """The library of this folder, and `sources` for the test of includes.

    sees: names of shelves, or labels of parts of them; Model and Support are
    seen by all. srcs, hdrs: patterns.
    """
    shelves = [s if s.startswith(":") else "//lib/Planning/" + s for s in sees]
    tpu_cc_library(
        name = name,
        srcs = native.glob(srcs) + more_srcs,
        hdrs = native.glob(hdrs) + more_hdrs,
        visibility = ["//lib/Planning:users"],
        deps = shelves + ([] if name == "Model" else ["//lib/Planning/Model"]) + [
            "//lib/Support",
            "@llvm//:headers",
        ],
        **kwargs
    )
    if not native.existing_rule("sources"):
        native.filegroup(
            name = "sources",
            srcs = native.glob(["**/*.cpp", "**/*.h"]),
            visibility = ["//lib/Planning:__pkg__"],
        )
