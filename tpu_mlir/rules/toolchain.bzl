"""Which programs place networks in memory: built from source, or prebuilt ones."""

def _tpu_toolchain_impl(ctx):
    return [platform_common.ToolchainInfo(
        compiler = ctx.attr.compiler[DefaultInfo].files_to_run,
        judge = ctx.attr.judge[DefaultInfo].files_to_run,
    )]

_PROGRAM = {"executable": True, "allow_files": True, "cfg": "target", "mandatory": True}

tpu_toolchain = rule(
    implementation = _tpu_toolchain_impl,
    attrs = {
        "compiler": attr.label(doc = "model_deploy: a target or a file.", **_PROGRAM),
        "judge": attr.label(doc = "memplan: a target or a file.", **_PROGRAM),
    },
    doc = "The programs behind tpu_model. Wrap it in toolchain() with @tpu_memory//tpu_mlir/rules:toolchain_type.",
)
