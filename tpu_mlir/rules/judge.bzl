"""What a network takes, against what it took."""

load(":model.bzl", "TpuModelInfo")

_TOOLCHAIN = "@tpu_memory//tpu_mlir/rules:toolchain_type"

def _script(ctx, lines, files):
    judge = ctx.toolchains[_TOOLCHAIN].judge
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, "\n".join(["#!/bin/sh"] + lines) + "\n", is_executable = True)
    runfiles = ctx.runfiles(files = files + [judge.executable])
    return [DefaultInfo(executable = script, runfiles = runfiles)]

def _quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"

def _command(ctx, *flags):
    judge = ctx.toolchains[_TOOLCHAIN].judge.executable
    info = ctx.attr.model[TpuModelInfo]
    words = ["./" + judge.short_path, "check", info.report.short_path, "--why=" + info.log.short_path]
    return " ".join([_quoted(word) for word in words + list(flags)])

def _inputs(ctx):
    info = ctx.attr.model[TpuModelInfo]
    return [info.report, info.log]

def _test_impl(ctx):
    flags = ["--budget=%s=%s" % budget for budget in sorted(ctx.attr.budgets.items())]
    files = _inputs(ctx)
    if ctx.file.golden:
        flags += ["--golden=" + ctx.file.golden.short_path, "--tolerance=" + ctx.attr.tolerance]
        files.append(ctx.file.golden)
    if not flags:
        fail("%s: neither golden nor budgets" % ctx.label)
    return _script(ctx, ["exec " + _command(ctx, *flags)], files)

_COMMON = {
    "model": attr.label(providers = [TpuModelInfo], mandatory = True, doc = "The tpu_model."),
}

tpu_model_judge_test = rule(
    implementation = _test_impl,
    attrs = dict(
        _COMMON,
        golden = attr.label(allow_single_file = True, doc = "Figures under version control."),
        tolerance = attr.string(default = "0", doc = "Percent more that is no error."),
        budgets = attr.string_dict(doc = "What regions may take: {\"neuron\": \"2M\"}."),
    ),
    test = True,
    toolchains = [_TOOLCHAIN],
    incompatible_use_toolchain_transition = True,
)

def _update_impl(ctx):
    # Runfiles are links: the file is written where its source is.
    target = '"$BUILD_WORKSPACE_DIRECTORY"/' + _quoted(ctx.attr.path)
    return _script(ctx, [
        # `bazel run` names the caller's directory, and paths mean that one then.
        "unset BUILD_WORKING_DIRECTORY",
        "exec " + _command(ctx) + " --write-golden=" + target,
    ], _inputs(ctx))

tpu_model_update = rule(
    implementation = _update_impl,
    attrs = dict(_COMMON, path = attr.string(mandatory = True, doc = "Of the golden file, from the workspace.")),
    executable = True,
    toolchains = [_TOOLCHAIN],
    incompatible_use_toolchain_transition = True,
)

def _table_impl(ctx):
    judge = ctx.toolchains[_TOOLCHAIN].judge
    reports = [model[TpuModelInfo].report for model in ctx.attr.models]
    outputs = []
    for format in ["csv", "html", "txt"]:
        output = ctx.actions.declare_file("%s.%s" % (ctx.label.name, format))
        args = ctx.actions.args()
        args.add("table")
        args.add("--format", "text" if format == "txt" else format)
        args.add("--output", output)
        args.add_all(reports)
        args.use_param_file("@%s")
        args.set_param_file_format("shell")
        ctx.actions.run_shell(
            # A file of the topmost package has a path without a folder.
            command = 'program="$1"; shift; case "$program" in */*) ;; *) program="./$program" ;; esac; exec "$program" "$@"',
            tools = [judge],
            arguments = [judge.executable.path, args],
            inputs = reports,
            outputs = [output],
            mnemonic = "TpuFleet",
            progress_message = "One table of %d networks" % len(reports),
        )
        outputs.append(output)
    return [DefaultInfo(files = depset(outputs), runfiles = ctx.runfiles(files = outputs))]

tpu_model_table = rule(
    implementation = _table_impl,
    attrs = {"models": attr.label_list(providers = [TpuModelInfo], doc = "A row each.")},
    toolchains = [_TOOLCHAIN],
    incompatible_use_toolchain_transition = True,
)
