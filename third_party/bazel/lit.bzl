"""lit under Bazel: one test target a directory, all files in one process."""

def lit_test(name, srcs = None, tools = [], data = [], size = "medium", **kwargs):
    """Runs every .mlir and .test file of this directory; each has a RUN line.

    The name of the target must not be the name of a subdirectory.
    """
    native.py_test(
        name = name,
        size = size,
        srcs = ["//third_party:run_lit.py"],
        main = "//third_party:run_lit.py",
        python_version = "PY3",
        args = [native.package_name()] + ["--tool=$(rootpath %s)" % t for t in tools],
        data = (srcs if srcs != None else native.glob(["*.mlir", "*.test"])) + data + tools + [
            "//tests:lit.cfg.py",
            "@llvm//:lit",
            "@llvm//:bin/FileCheck",
            "@llvm//:bin/not",
            "@llvm//:bin/count",
            "@llvm//:bin/split-file",
        ],
        **kwargs
    )
