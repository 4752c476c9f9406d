"""The documents as a site: a folder of static pages."""

def _doc_site_impl(ctx):
    folder = ctx.actions.declare_directory(ctx.label.name)
    ctx.actions.run(
        executable = "/usr/bin/python3",
        arguments = [ctx.file.maker.path, folder.path] + [file.path for file in ctx.files.srcs],
        inputs = ctx.files.srcs + [ctx.file.maker] + ctx.files.modules,
        outputs = [folder],
        mnemonic = "DocSite",
        progress_message = "Making the site of the documents",
    )
    return [DefaultInfo(files = depset([folder]), runfiles = ctx.runfiles(files = [folder]))]

doc_site = rule(
    implementation = _doc_site_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".md", ".svg", ".png", ".css", ".js"]),
        "maker": attr.label(allow_single_file = [".py"], mandatory = True),
        "modules": attr.label_list(allow_files = [".py"]),
    },
)
