"""lit's configuration for every directory of tests; see third_party/run_lit.py."""
import os

import lit.formats

config.name = "tpu_memory"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.environ["TEST_TMPDIR"]
config.environment["PATH"] = os.environ["LIT_TOOLS_PATH"]
config.environment["FILECHECK_OPTS"] = "--dump-input=fail --enable-var-scope"
config.environment["NO_COLOR"] = "1"
# %root is the top of the source tree as the test sees it.
config.substitutions.append(("%root", os.environ["LIT_ROOT"]))
