"""The Debian packages that the build needs; bazelw reads this file too."""

DEBIAN_PACKAGES = [
    "bazel-bootstrap",
    "libbenchmark-dev",
    "libboost-dev",
    "libdnnl-dev",
    "libfmt-dev",
    "libgmock-dev",
    "libgtest-dev",
    "libmlir-22-dev",
    "libonnx-dev",
    "libonnx-testdata",
    "libprotobuf-dev",
    "libspdlog-dev",
    "libzstd-dev",
    "llvm-22-dev",
    "llvm-22-tools",
    "mlir-22-tools",
    "zlib1g-dev",
]
