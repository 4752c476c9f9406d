"""Runs lit on one directory of the source tree, in this one process.

Arguments: the directory, then --tool=PATH for each program that the tests
call. tests/lit.cfg.py holds the configuration.
"""
import os
import sys

RUNFILES = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
LLVM = os.path.join(os.environ["TEST_SRCDIR"], "llvm")
sys.path.insert(0, os.path.join(LLVM, "utils", "lit"))

import lit.main  # noqa: E402
import lit.run  # noqa: E402
import lit.worker  # noqa: E402


def execute_serially(self, deadline):
    """lit's process pool needs /dev/shm; one process does as well here."""
    lit.worker.initialize(self.lit_config, {})
    for test in self.tests:
        lit.worker.execute(test)
        self.progress_callback(test)
        self.failures += test.isFailure()


def main():
    directory = sys.argv[1]
    tools = [a[len("--tool="):] for a in sys.argv[2:] if a.startswith("--tool=")]
    paths = [os.path.dirname(os.path.join(RUNFILES, t)) for t in tools]
    paths += [os.path.join(LLVM, "bin"), "/usr/bin", "/bin"]
    os.environ["LIT_TOOLS_PATH"] = os.pathsep.join(dict.fromkeys(paths))
    os.environ["LIT_ROOT"] = RUNFILES
    arguments = ["lit", "-v"]
    if "XML_OUTPUT_FILE" in os.environ:
        arguments += ["--xunit-xml-output", os.environ["XML_OUTPUT_FILE"]]
    lit.run.Run._execute = execute_serially
    sys.argv = arguments + [os.path.join(RUNFILES, directory)]
    lit.main.main()


if __name__ == "__main__":
    main()
