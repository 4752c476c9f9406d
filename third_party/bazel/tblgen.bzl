"""Macros that hide mlir-tblgen: a BUILD file says what a thing is, not how it is generated."""

load("@debian//:versions.bzl", "VERSIONS")
load(":cc.bzl", "tpu_cc_library")

def _tblgen_impl(ctx):
    args = [
        "-I",
        "/usr/lib/llvm-22/include",
        "-I",
        ".",
        "-I",
        "include",
        "-I",
        ctx.bin_dir.path,
    ] + ctx.attr.opts + [ctx.file.td_file.path, "-o", ctx.outputs.out.path]
    ctx.actions.run(
        executable = ctx.executable._tool,
        arguments = args,
        inputs = depset([ctx.file.td_file] + ctx.files.td_srcs),
        outputs = [ctx.outputs.out],
        mnemonic = "MlirTblgen",
        progress_message = "Generating " + ctx.outputs.out.short_path,
        # The headers of the package are no inputs: its version is the key.
        env = {"LLVM_PACKAGE": VERSIONS["libmlir-22-dev"]},
    )
    return [
        DefaultInfo(files = depset([ctx.outputs.out])),
        CcInfo(compilation_context = cc_common.create_compilation_context(headers = depset([ctx.outputs.out]))),
    ]

mlir_tblgen = rule(
    implementation = _tblgen_impl,
    attrs = {
        "td_file": attr.label(allow_single_file = [".td"], mandatory = True),
        "td_srcs": attr.label_list(allow_files = [".td"]),
        "opts": attr.string_list(mandatory = True),
        "out": attr.output(mandatory = True),
        "_tool": attr.label(
            default = "@llvm//:bin/mlir-tblgen",
            executable = True,
            allow_single_file = True,
            cfg = "exec",
        ),
    },
    doc = "One run of mlir-tblgen; usable in deps of a cc_library.",
)

def _generate(prefix, td_file, td_srcs, outs, visibility):
    """outs: {file name: [options]}. Returns the labels."""
    labels = []
    for out, opts in outs.items():
        name = prefix + "_" + out.replace(".", "_").replace("/", "_")
        mlir_tblgen(name = name, td_file = td_file, td_srcs = td_srcs, opts = opts, out = out, visibility = visibility)
        labels.append(":" + name)
    return labels

def _op_outs(ops, dialect):
    """The two files of each .td in `ops`: {.td file: number of shards}."""
    outs = {}
    for td, shards in ops.items():
        opts = ["-dialect=" + dialect] + (["-op-shard-count=%d" % shards] if shards > 1 else [])
        outs[td] = {
            td.replace(".td", ".h.inc"): ["-gen-op-decls"] + opts,
            td.replace(".td", ".cpp.inc"): ["-gen-op-defs"] + opts,
        }
    return outs

def mlir_dialect(name, dialect, td_file, ops = None, td_srcs = [], visibility = None):
    """Ops, attributes, enums and the dialect class of one dialect.

    Makes <name>Dialect, <name>Attrs and <name>Enums .{h,cpp}.inc and
    <name>Dialect.md from td_file, and a header library called <name>IncGen.

    Ops come from td_file, or from the files in `ops`, {file: shards}: X.td
    makes X.{h,cpp}.inc. Headers of few ops compile faster, and with n shards n
    sources define GET_OP_DEFS_<i> instead of one that defines GET_OP_CLASSES.
    The files must not have an op in common.
    """
    d = "-dialect=" + dialect
    labels = []
    for td, outs in _op_outs(ops or {td_file: 1}, dialect).items():
        labels += _generate(name, td, [s for s in td_srcs if s != td], outs, visibility)
    labels += _generate(name, td_file, td_srcs, {
        name + "Dialect.h.inc": ["-gen-dialect-decls", d],
        name + "Dialect.cpp.inc": ["-gen-dialect-defs", d],
        name + "Attrs.h.inc": ["-gen-attrdef-decls", "-attrdefs-dialect=" + dialect],
        name + "Attrs.cpp.inc": ["-gen-attrdef-defs", "-attrdefs-dialect=" + dialect],
        name + "Enums.h.inc": ["-gen-enum-decls"],
        name + "Enums.cpp.inc": ["-gen-enum-defs"],
    }, visibility)
    _generate(name + "Doc", td_file, td_srcs, {name + "Dialect.md": ["-gen-dialect-doc", d]}, ["//visibility:public"])
    native.cc_library(name = name + "IncGen", deps = labels, visibility = visibility)

def mlir_interfaces(name, td_file, td_srcs = [], kind = "op", visibility = None):
    """Interfaces of ops, or with kind = "attr" of attributes.

    Makes <name>.h.inc, <name>.cpp.inc and the library <name>IncGen.
    """
    labels = _generate(name, td_file, td_srcs, {
        name + ".h.inc": ["-gen-%s-interface-decls" % kind],
        name + ".cpp.inc": ["-gen-%s-interface-defs" % kind],
    }, visibility)
    native.cc_library(name = name + "IncGen", deps = labels, visibility = visibility)

def mlir_pass(name, srcs = None, deps = [], hdrs = None, visibility = None, **kwargs):
    """A pass called <name>: <name>.td, <name>.h, <name>.cpp in this folder."""
    td = name + ".td"
    td_srcs = ["//lib/Transforms/Tpu:ChipOptions.td"]
    labels = _generate(name, td, td_srcs, {
        name + ".h.inc": ["-gen-pass-decls", "-name=" + name],
    }, None)
    _generate(name + "Doc", td, td_srcs, {name + ".md": ["-gen-pass-doc"]}, ["//visibility:public"])
    tpu_cc_library(
        name = name,
        srcs = srcs or [name + ".cpp"],
        hdrs = hdrs or [name + ".h"],
        deps = deps + labels + ["@llvm//:headers"],
        visibility = visibility,
        **kwargs
    )

def _op_shards(name, header, shards):
    """Sources that define the ops of `header` (X.h beside X.cpp.inc); returns their file names."""
    sources = ["%s%d.cpp" % (name, shard) for shard in range(shards)]
    for shard, source in enumerate(sources):
        native.genrule(
            name = source.replace(".", "_"),
            outs = [source],
            cmd = "\n".join([
                "cat > $@ <<'END'",
                "#include \"%s\"" % header,
                "#include \"mlir/IR/OpImplementation.h\"",
                "#define GET_OP_DEFS_%d" % shard,
                "#include \"%s\"" % header.replace(".h", ".cpp.inc"),
                "END",
            ]),
        )
    return sources

def dialect_library(dialect, shards):
    """The library of a dialect: the sources here, and the ops of its layers in `shards` files.

    They are split by number only so that none takes long to compile; the number is that of mlir_dialect.
    """
    home = "tpu_mlir/Dialect/%s/IR" % dialect
    layers = dialect + "LayerOps"
    tpu_cc_library(
        name = "IR",
        srcs = native.glob(["*.cpp", "*.h"]) + _op_shards(layers, "%s/%s.h" % (home, layers), shards),
        hdrs = ["//include/%s:headers" % home],
        deps = [
            "//include/%s:%sIncGen" % (home, dialect),
            "//lib/Dialect/Interfaces",
            "//lib/Support",
            "@llvm//:headers",
        ],
    )
