"""What users unpack: programs that want glibc and libstdc++ alone, a library for CMake, pkg-config and Python, man pages; the same bytes
for the same inputs."""
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TAR = "tpu_mlir/package/tpu-memory.tar.gz"
DEB = "tpu_mlir/package/tpu-memory.deb"
HEADER = "include/tpu_mlir/Support/Version.h"
PROGRAMS = ("memplan", "model_builder", "model_calibrate", "model_deploy", "model_runner", "model_transform", "tpuc-lsp-server", "tpuc-opt")
CHROOT = "/usr/sbin/chroot"
# What a program finds on any system.
SYSTEM = ("libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libdl.so.2", "libpthread.so.0", "librt.so.1")
BUFFERS = "id,lower,upper,size\na,0,2,64\nb,1,3,32\nc,2,4,64\n"


def run(*command, **more):
    return subprocess.run(command, capture_output=True, check=False, text=True, **more)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.root = cls.scratch.name
        subprocess.run(["tar", "-xzf", TAR, "-C", cls.root], check=True)
        cls.version = re.search(r'TPU_MEMORY_VERSION "([^"]+)"', read(HEADER)).group(1)
        cls.tree = os.path.join(cls.root, "tpu-memory-" + cls.version)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def path(self, *parts):
        return os.path.join(self.tree, *parts)

    def test_version_is_that_of_the_changelog(self):
        self.assertEqual(re.search(r"^## \[([^\]]+)\]", read("CHANGELOG.md"), re.MULTILINE).group(1), self.version)
        for program in PROGRAMS:
            with self.subTest(program=program):
                self.assertRegex(run(self.path("bin", program), "--version").stdout, r"^tpu_memory %s \(LLVM 22\." % re.escape(self.version))

    def test_libraries_come_along(self):
        for name in ["bin/" + program for program in PROGRAMS] + ["lib/libtpu_memory.so.1", "lib/libtpu_memory_passes.so"]:
            for found, where in re.findall(r"^\s*(\S+) => (\S+)", run("ldd", self.path(name)).stdout, re.MULTILINE):
                with self.subTest(name=name, library=found):
                    self.assertTrue(found in SYSTEM or os.path.realpath(where).startswith(os.path.realpath(self.tree)), where)

    def test_in_an_empty_system(self):
        """Nothing there but the loader, glibc and libstdc++."""
        if os.geteuid() != 0 or run(CHROOT, "/", "true").returncode != 0:
            self.skipTest("chroot is not allowed here")
        jail = os.path.join(self.root, "jail")
        shutil.copytree(self.tree, jail + "/opt", symlinks=True)
        for library in SYSTEM:
            os.makedirs(jail + "/lib/x86_64-linux-gnu", exist_ok=True)
            shutil.copy("/lib/x86_64-linux-gnu/" + library if os.path.exists("/lib/x86_64-linux-gnu/" + library) else
                        "/usr/lib/x86_64-linux-gnu/" + library, jail + "/lib/x86_64-linux-gnu/")
        os.makedirs(jail + "/lib64")
        shutil.copy("/lib64/ld-linux-x86-64.so.2", jail + "/lib64/")
        os.makedirs(jail + "/tmp")
        os.makedirs(jail + "/proc/self")

        def inside(program, *arguments):
            """The loader asks /proc where the program lies."""
            if os.path.islink(jail + "/proc/self/exe"):
                os.unlink(jail + "/proc/self/exe")
            os.symlink("/opt/bin/" + program, jail + "/proc/self/exe")
            return run(CHROOT, jail, "/opt/bin/" + program, *arguments)

        for program in PROGRAMS:
            with self.subTest(program=program):
                started = inside(program, "--help")
                self.assertEqual((started.returncode, started.stderr), (0, ""))
        with open(jail + "/tmp/in.csv", "w", encoding="utf-8") as file:
            file.write(BUFFERS)
        self.assertIn("c,2,4,64,", inside("memplan", "solve", "--quiet", "/tmp/in.csv").stdout)
        built = inside("model_builder", "--model=mobilenet_v2", "-o", "/tmp/net.mlir")
        self.assertEqual(built.returncode, 0, built.stderr)
        deployed = inside("model_deploy", "--mlir=/tmp/net.mlir", "--chip=bm1684x", "--quantize=F16", "--model=/tmp/net")
        self.assertEqual(deployed.returncode, 0, deployed.stderr)
        ran = inside("model_runner", "--model", "/tmp/net_final.mlir")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_cmake(self):
        if not shutil.which("cmake"):
            self.skipTest("cmake is not installed")
        build = os.path.join(self.root, "build")
        made = run("cmake", "-S", os.path.realpath("tpu_mlir/examples/cmake"), "-B", build, "-DCMAKE_PREFIX_PATH=" + self.tree)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        built = run("cmake", "--build", build)
        self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
        self.assertRegex(run(build + "/plan").stdout, r"(buffer \d: offset \d+\n){3}96 bytes, at least 96\n")
        freed = run(build + "/free_buffers", input="""func.func @f(%n: index, %x: f32) {
          %a = memref.alloc(%n) : memref<?xf32>
          memref.store %x, %a[%n] : memref<?xf32>
          return
        }""")
        self.assertEqual(freed.returncode, 0, freed.stderr)
        self.assertIn("memref.dealloc", freed.stdout)

    def test_pkg_config_and_c(self):
        flags = ["-I" + self.path("include"), "-L" + self.path("lib"), "-ltpu_memory", "-Wl,-rpath," + self.path("lib")]
        if shutil.which("pkg-config"):
            told = run("pkg-config", "--cflags", "--libs", "tpu_memory", env={**os.environ, "PKG_CONFIG_PATH": self.path("lib/pkgconfig")})
            self.assertEqual(told.returncode, 0, told.stderr)
            flags = told.stdout.split() + flags[-1:]
        program = os.path.join(self.root, "plan")
        built = run("gcc", "-Wall", "-Werror", "-std=c11", "tpu_mlir/examples/cmake/plan.c", "-o", program, *flags)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertIn("96 bytes", run(program).stdout)

    def test_python(self):
        asked = run(sys.executable, "-c", "import tpu_memory; print(tpu_memory.plan([3, 4], [0, 0], [1, 1]).used)",
                    env={"PYTHONPATH": self.path("lib/python3/dist-packages"), "LD_LIBRARY_PATH": self.path("lib"), "PATH": "/usr/bin:/bin"})
        self.assertEqual((asked.stdout, asked.stderr), ("7\n", ""))

    def test_man_pages_and_completion(self):
        for program in PROGRAMS:
            with gzip.open(self.path("share/man/man1", program + ".1.gz"), "rt") as file:
                page = file.read()
            self.assertIn(".SH NAME\n%s \\- " % program, page)
            self.assertIn("\\-\\-help", page)
            self.assertNotIn("/bazel-out/", page)
        asked = run("bash", "-c", """source "$1"; COMP_WORDS=(memplan solve --cap) COMP_CWORD=2
            _tpu_memory "$2" --cap solve; echo "${COMPREPLY[@]}" """, "-", self.path("share/bash-completion/completions/memplan"),
                    self.path("bin/memplan"))
        self.assertEqual(asked.stdout, "--capacity\n", asked.stderr)

    def test_deb(self):
        control = run("dpkg-deb", "-f", DEB).stdout
        self.assertIn("Version: %s\n" % self.version, control)
        depends = re.search(r"^Depends: (.*)$", control, re.MULTILINE).group(1)
        self.assertEqual(re.findall(r"(?:^|, )(\S+)", depends), ["libc6", "libgcc-s1", "libstdc++6"])
        files = run("dpkg-deb", "-c", DEB).stdout
        for name in ("./usr/bin/model_deploy", "./usr/lib/libtpu_memory.so -> libtpu_memory.so.1", "./usr/share/man/man1/memplan.1.gz",
                     "./usr/lib/python3/dist-packages/tpu_memory.py"):
            self.assertIn(" %s\n" % name, files)
        for line in files.splitlines():
            self.assertRegex(line, r"^\S+ root/root +\d+ 1980-01-01 ")

    def test_same_bytes_again(self):
        made = []
        for i in ("1", "2"):
            out = [os.path.join(self.root, i + end) for end in (".deb", ".tar.gz")]
            again = run(sys.executable, "tpu_mlir/package/package.py", "--deb", out[0], "--tar", out[1], "--version-header", HEADER,
                        "--licence", "LICENSE", "--changelog", "CHANGELOG.md", "--program", "tpu_mlir/tools/memplan/memplan")
            self.assertEqual(again.returncode, 0, again.stderr)
            made.append([])
            for path in out:
                with open(path, "rb") as file:
                    made[-1].append(file.read())
        self.assertEqual(made[0], made[1])


if __name__ == "__main__":
    unittest.main()
