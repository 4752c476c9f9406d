"""A workspace of its own that uses the rules with prebuilt programs, as a team would have it, and a Bazel of its own in it."""
import os
import shutil
import subprocess
import tempfile

HERE = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
ROOT = os.path.dirname(os.path.realpath(os.path.join(HERE, "WORKSPACE")))
WORKSPACE = """workspace(name = "team")
local_repository(name = "tpu_memory", path = "{root}")
[local_repository(name = stub, path = "{root}/third_party/stubs/" + stub) for stub in ["rules_cc", "rules_java", "remote_coverage_tools"]]
register_toolchains("//:prebuilt")
"""
# What every BUILD file of such a workspace begins with.
PROGRAMS = """load("@tpu_memory//tpu_mlir/rules:defs.bzl", "tpu_model", "tpu_model_fleet", "tpu_model_test", "tpu_toolchain")
tpu_toolchain(name = "programs", compiler = "model_deploy", judge = "memplan")
toolchain(name = "prebuilt", toolchain = ":programs", toolchain_type = "@tpu_memory//tpu_mlir/rules:toolchain_type")
"""


class Team:
    """The folder and its Bazel. `networks`: names in the workspace to names among the examples."""

    def __init__(self, build, networks):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = os.path.join(self.scratch.name, "team")
        os.mkdir(self.folder)
        self.write("WORKSPACE", WORKSPACE.format(root=ROOT))
        self.write("BUILD", PROGRAMS + build)
        files = [("tools/memplan/memplan", "memplan"), ("tools/model_deploy/model_deploy", "model_deploy")]
        for source, target in files + [("examples/" + source, target) for target, source in networks.items()]:
            shutil.copy(os.path.join(HERE, "tpu_mlir", source), os.path.join(self.folder, target))

    def close(self):
        for name in os.listdir(self.scratch.name):
            if name.startswith("root"):
                self.bazel("shutdown", root=name)
        subprocess.run(["chmod", "-R", "u+w", self.scratch.name], check=False)
        self.scratch.cleanup()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def command(self, command, *flags, root="root"):
        """Everything that Bazel keeps goes to `root`: another one knows nothing of what was built before."""
        rest = ["--jobs=2", "--noshow_progress", "--color=no"] if command in ("build", "test", "run") else []
        return ["bazel", "--output_user_root=" + os.path.join(self.scratch.name, root), "--max_idle_secs=60", command, *rest, *flags]

    def environment(self):
        return {"HOME": self.scratch.name, "USER": "tester", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}

    def bazel(self, command, *flags, root="root"):
        return subprocess.run(self.command(command, *flags, root=root), cwd=self.folder, capture_output=True, check=False, text=True,
                              env=self.environment())
