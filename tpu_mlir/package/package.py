"""A Debian package and a tarball of the programs and libraries, the same bytes for the same inputs.

Programs bring the libraries that not every Linux has, in a folder of their own, and need glibc and libstdc++ from the system.
"""
import argparse
import gzip
import io
import os
import re
import shutil
import subprocess
import tarfile
import tempfile

# What every system has; the rest comes along.
SYSTEM = re.compile(r"^(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so")
NAME = "tpu-memory"
SUMMARY = "plans the memory of neural networks on accelerators"
# No file of a package says when it was made.
EPOCH = 315532800
CMAKE = """# tpu_memory::planner (C interface) and tpu_memory::memref_passes (C++, with MLIR {llvm} beside it);
# tpu_memory_PASS_PLUGIN is the library for mlir-opt --load-pass-plugin.
get_filename_component(_tpu_memory_prefix "${{CMAKE_CURRENT_LIST_DIR}}/../../.." ABSOLUTE)
set(tpu_memory_PASS_PLUGIN "${{_tpu_memory_prefix}}/lib/libtpu_memory_passes.so")
foreach(_target planner memref_passes)
  if(NOT TARGET tpu_memory::${{_target}})
    add_library(tpu_memory::${{_target}} SHARED IMPORTED)
    set_target_properties(tpu_memory::${{_target}} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${{_tpu_memory_prefix}}/include")
  endif()
endforeach()
set_target_properties(tpu_memory::planner PROPERTIES
  IMPORTED_LOCATION "${{_tpu_memory_prefix}}/lib/libtpu_memory.so.1" IMPORTED_SONAME libtpu_memory.so.1)
set_target_properties(tpu_memory::memref_passes PROPERTIES
  IMPORTED_LOCATION "${{tpu_memory_PASS_PLUGIN}}" IMPORTED_SONAME libtpu_memory_passes.so)
"""
CMAKE_VERSION = """set(PACKAGE_VERSION {version})
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
"""
PKG_CONFIG = """prefix=${{pcfiledir}}/../..
Name: tpu_memory
Description: {summary}
Version: {version}
Libs: -L${{prefix}}/lib -ltpu_memory
Cflags: -I${{prefix}}/include
"""
COMPLETION = """# Options as --help lists them, of the command where there is one; files otherwise.
_tpu_memory() {
  local command=
  [[ $COMP_CWORD -gt 1 && ${COMP_WORDS[1]} != -* ]] && command=${COMP_WORDS[1]}
  [[ $2 == -* ]] || return 0
  COMPREPLY=($(compgen -W "$("$1" $command --help 2>/dev/null | grep -oE -- '--?[A-Za-z][A-Za-z0-9_-]*' | sort -u)" -- "$2"))
}
complete -o default -F _tpu_memory @PROGRAM@
"""
CONTROL = """Package: {name}
Version: {version}
Architecture: amd64
Maintainer: The tpu_memory authors <tpu-memory@localhost>
Section: devel
Priority: optional
Depends: libc6 (>= 2.36), libgcc-s1 (>= 12), libstdc++6 (>= 12)
Installed-Size: {kilobytes}
Description: {summary}
 Reads Top and TPU modules and models of ONNX, gives every tensor an address in
 global and in local memory, and proves how far that is from the best. With the
 planner as a library for C, C++ and Python, and passes for mlir-opt.
"""


class Tree:
    """The folder that becomes the packages; paths are below the prefix."""

    def __init__(self, root):
        self.root = root

    def path(self, name):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def copy(self, source, name, mode):
        shutil.copyfile(source, self.path(name))
        os.chmod(self.path(name), mode)

    def write(self, name, text):
        data = text.encode() if isinstance(text, str) else text
        with open(self.path(name), "wb") as file:
            file.write(data)
        os.chmod(self.path(name), 0o644)

    def link(self, target, name):
        os.symlink(target, self.path(name))

    def entries(self):
        """Every folder, file and link, sorted."""
        for folder, folders, files in os.walk(self.root):
            folders.sort()
            for name in sorted(folders + files):
                yield os.path.relpath(os.path.join(folder, name), self.root)


def packed(text):
    """As gzip -9n does it."""
    out = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=out, mtime=0) as file:
        file.write(text.encode() if isinstance(text, str) else text)
    return out.getvalue()


def libraries_of(path):
    """The libraries that a program or library loads and that not every system has: name to path."""
    out = subprocess.run(["ldd", path], capture_output=True, check=True, text=True).stdout
    found = re.findall(r"^\s*(\S+)(?: => (\S+))? ", out, re.MULTILINE)
    for name, where in found:
        if where == "not":
            raise SystemExit("%s needs %s, which is not there" % (path, name))
    return {name: where for name, where in found if where and not SYSTEM.match(os.path.basename(name))}


def man_page(program, path, version):
    """What --help says, as a page of section 1."""
    text = subprocess.run([path, "--help"], capture_output=True, check=True, text=True).stdout
    text = text.replace(path, program).replace("\\", "\\e")
    body = "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())
    summary = next((line[len("OVERVIEW: "):] for line in text.splitlines() if line.startswith("OVERVIEW: ")), SUMMARY)
    return ('.TH %s 1 "" "%s %s"\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n%s\n.fi\n' %
            (program.upper(), NAME, version, program, summary.rstrip("."), body.replace("-", "\\-")))


def licence_of(library):
    """The copyright file of the Debian package that a library is from."""
    for path in (library, os.path.realpath(library), os.path.realpath(library).replace("/usr/lib/", "/lib/")):
        found = subprocess.run(["dpkg-query", "-S", path], capture_output=True, check=False, text=True)
        if found.returncode == 0:
            package = found.stdout.split(":")[0]
            return package, "/usr/share/doc/%s/copyright" % package
    raise SystemExit("no package has %s" % library)


def stage(tree, options, version):
    needed = {}
    for path in options.program:
        program = os.path.basename(path)
        tree.copy(path, "bin/" + program, 0o755)
        needed.update(libraries_of(path))
        tree.write("share/man/man1/%s.1.gz" % program, packed(man_page(program, path, version)))
        tree.write("share/bash-completion/completions/" + program, COMPLETION.replace("@PROGRAM@", program))
    for path in options.library:
        tree.copy(path, "lib/" + os.path.basename(path), 0o644)
        needed.update(libraries_of(path))
        stem, dot, number = os.path.basename(path).rpartition(".so.")
        if dot and number:
            tree.link(os.path.basename(path), "lib/%s.so" % stem)
    for name in sorted(needed):
        package, licence = licence_of(needed[name])
        tree.copy(os.path.realpath(needed[name]), "lib/%s/%s" % (NAME, name), 0o644)
        tree.copy(licence, "share/doc/%s/licences/%s" % (NAME, package), 0o644)
    for header in options.header:
        tree.copy(header, header[header.index("include/"):], 0o644)
    for module in options.python:
        tree.copy(module, "lib/python3/dist-packages/" + os.path.basename(module), 0o644)
    words = {"version": version, "summary": SUMMARY, "llvm": options.llvm}
    tree.write("lib/cmake/tpu_memory/tpu_memoryConfig.cmake", CMAKE.format(**words))
    tree.write("lib/cmake/tpu_memory/tpu_memoryConfigVersion.cmake", CMAKE_VERSION.format(**words))
    tree.write("lib/pkgconfig/tpu_memory.pc", PKG_CONFIG.format(**words))
    tree.copy(options.licence, "share/doc/%s/copyright" % NAME, 0o644)
    with open(options.changelog, encoding="utf-8") as file:
        tree.write("share/doc/%s/changelog.gz" % NAME, packed(file.read()))


def write_tar(tree, path, top):
    with open(path, "wb") as out, gzip.GzipFile("", "wb", 6, out, mtime=0) as packer, tarfile.open(fileobj=packer, mode="w") as tar:
        for name in tree.entries():
            entry = tar.gettarinfo(os.path.join(tree.root, name), os.path.join(top, name))
            entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = EPOCH, 0, 0, "root", "root"
            entry.mode = entry.mode if entry.isfile() else 0o755
            if entry.isfile():
                with open(os.path.join(tree.root, name), "rb") as file:
                    tar.addfile(entry, file)
            else:
                tar.addfile(entry)


def write_deb(tree, path, version):
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o755)
        shutil.copytree(tree.root, scratch + "/usr", symlinks=True)
        size = sum(os.lstat(os.path.join(tree.root, name)).st_size for name in tree.entries())
        os.mkdir(scratch + "/DEBIAN")
        with open(scratch + "/DEBIAN/control", "w", encoding="utf-8") as file:
            file.write(CONTROL.format(name=NAME, version=version, kilobytes=size // 1024, summary=SUMMARY))
        with open(scratch + "/DEBIAN/triggers", "w", encoding="utf-8") as file:
            file.write("activate-noawait ldconfig\n")
        for folder, folders, _ in os.walk(scratch):
            for name in folders:
                os.chmod(os.path.join(folder, name), 0o755)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-z6", "-b", scratch, path], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH), "PATH": "/usr/bin:/bin"})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for flag in ("--deb", "--tar", "--version-header", "--licence", "--changelog"):
        parser.add_argument(flag, required=True)
    parser.add_argument("--llvm", default="22")
    for flag in ("--program", "--library", "--header", "--python"):
        parser.add_argument(flag, nargs="*", default=[])
    options = parser.parse_args()
    with open(options.version_header, encoding="utf-8") as file:
        version = re.search(r'TPU_MEMORY_VERSION "([^"]+)"', file.read()).group(1)
    with tempfile.TemporaryDirectory() as scratch:
        tree = Tree(os.path.join(scratch, "tree"))
        stage(tree, options, version)
        write_tar(tree, options.tar, "%s-%s" % (NAME, version))
        write_deb(tree, options.deb, version)


if __name__ == "__main__":
    main()
