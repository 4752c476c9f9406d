"""Looks at the installed Debian packages and at LLVM's static archives."""

# Archives that hold a main(), tests, or tools that no program here links.
_NOT_LINKED = [
    "Test",
    "MlirOptMain",
    "Reduce",
    "CAPI",
    "LspServer",
    "Query",
    "Tblgen",
    "TableGen",
    "Exegesis",
    "BOLT",
    "Main",
]

def _linked(name):
    if not name.endswith(".a"):
        return False
    if not (name.startswith("libMLIR") or name.startswith("libLLVM")):
        return False
    for part in _NOT_LINKED:
        if part in name:
            return False
    return True

def _debian_packages_impl(ctx):
    result = ctx.execute([
        "dpkg-query",
        "-W",
        "-f",
        "${binary:Package} ${Version} ${db:Status-Status}\\n",
    ])
    if result.return_code != 0:
        fail("dpkg-query failed: " + result.stderr)
    versions = {}
    for line in result.stdout.splitlines():
        words = line.split(" ")
        if len(words) == 3 and words[2] == "installed":
            versions[words[0].split(":")[0]] = words[1]

    missing = [p for p in ctx.attr.packages if p not in versions]
    if missing:
        fail("Debian packages are missing; run ./bazelw instead of bazel, or:\n" +
             "  apt-get install --no-install-recommends --no-remove " + " ".join(missing))

    wanted = {p: versions[p] for p in ctx.attr.packages}
    libs = sorted([
        f.basename
        for f in ctx.path("/usr/lib/llvm-22/lib").readdir()
        if _linked(f.basename)
    ])
    ctx.file("BUILD", "")
    ctx.file("versions.bzl", "VERSIONS = %s\n\nSTATIC_LIBS = %s\n" % (repr(wanted), repr(libs)))

debian_packages = repository_rule(
    implementation = _debian_packages_impl,
    attrs = {"packages": attr.string_list(mandatory = True)},
    local = True,
    doc = "Checks that the packages are installed and writes versions.bzl.",
)
