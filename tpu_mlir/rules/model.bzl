"""A network for one chip under one setting."""

TpuModelInfo = provider(
    doc = "What model_deploy made of a network.",
    fields = {
        "module": "The module with addresses; empty if the network does not fit.",
        "report": "The memory report, JSON; empty if the network does not fit.",
        "log": "What the compiler said; why the network does not fit.",
        "chip": "The chip's name.",
    },
)

_TOOLCHAIN = "@tpu_memory//tpu_mlir/rules:toolchain_type"

def _declare(ctx, suffix):
    return ctx.actions.declare_file(ctx.label.name + suffix)

def _flags(ctx, stem):
    """The command line, and the files that it reads."""
    args = ctx.actions.args()
    inputs = [ctx.file.src] + ctx.files.data
    args.add("--onnx" if ctx.file.src.extension == "onnx" else "--mlir", ctx.file.src)
    args.add("--model", stem)
    args.add("--quiet")
    for flag, label in [
        ("--chip-file", ctx.file.chip_file),
        ("--weight", ctx.file.weights),
        ("--calibration_table", ctx.file.calibration_table),
        ("--quantize_table", ctx.file.quantize_table),
    ]:
        if label:
            args.add(flag, label)
            inputs.append(label)
    if ctx.attr.chip:
        args.add("--chip", ctx.attr.chip)
    if ctx.attr.quantize:
        args.add("--quantize", ctx.attr.quantize)
    for flag in ctx.attr.flags:
        args.add(ctx.expand_location(flag, ctx.attr.data))
    return args, inputs

def _tpu_model_impl(ctx):
    if bool(ctx.attr.chip) == bool(ctx.file.chip_file):
        fail("%s: one of chip and chip_file is needed" % ctx.label)
    compiler = ctx.toolchains[_TOOLCHAIN].compiler
    module, report = _declare(ctx, "_final.mlir"), _declare(ctx, "_memory.json")
    text, log = _declare(ctx, "_memory.txt"), _declare(ctx, "_log.txt")
    local = [_declare(ctx, "_local.json"), _declare(ctx, "_local.txt")]
    pages = [_declare(ctx, "_map.html"), _declare(ctx, "_local.html")]
    imported = []
    if ctx.file.src.extension == "onnx":
        imported = [_declare(ctx, "_top.mlir"), _declare(ctx, "_top_f32_all_weight.npz")]
    outputs = [module, report, text] + local + pages + imported

    flags, inputs = _flags(ctx, module.path[:-len("_final.mlir")])
    wrapper = ctx.actions.args()
    wrapper.add(log)
    wrapper.add(len(outputs))
    wrapper.add_all(outputs)
    wrapper.add(compiler.executable)
    ctx.actions.run(
        executable = ctx.executable._deploy,
        arguments = [wrapper, flags],
        inputs = inputs,
        tools = [compiler],
        outputs = outputs + [log],
        mnemonic = "TpuModel",
        progress_message = "Placing %s for %s" % (ctx.label, ctx.attr.chip or ctx.file.chip_file.short_path),
    )
    return [
        DefaultInfo(files = depset([module])),
        OutputGroupInfo(
            reports = depset([report, text, log] + local + pages),
            imported = depset(imported),
        ),
        TpuModelInfo(
            module = module,
            report = report,
            log = log,
            chip = ctx.attr.chip or ctx.file.chip_file.basename,
        ),
    ]

tpu_model_rule = rule(
    implementation = _tpu_model_impl,
    attrs = {
        "src": attr.label(allow_single_file = [".mlir", ".onnx"], mandatory = True, doc = "The network."),
        "chip": attr.string(doc = "A chip by name."),
        "chip_file": attr.label(allow_single_file = [".json"], doc = "Or a file that describes one."),
        "quantize": attr.string(doc = "Element type of a Top module: F16, INT8 and so on."),
        "weights": attr.label(allow_single_file = [".npz"], doc = "Numbers of the weights."),
        "calibration_table": attr.label(allow_single_file = True, doc = "Ranges of tensors, for INT8."),
        "quantize_table": attr.label(allow_single_file = True, doc = "Layers that stay floats, for INT8."),
        "data": attr.label_list(allow_files = True, doc = "What flags name by $(location)."),
        "flags": attr.string_list(doc = "More flags of model_deploy."),
        "_deploy": attr.label(default = "@tpu_memory//tpu_mlir/rules:deploy", executable = True, cfg = "exec"),
    },
    toolchains = [_TOOLCHAIN],
    # What stands behind a toolchain would be built a second time for the host.
    incompatible_use_toolchain_transition = True,
)
