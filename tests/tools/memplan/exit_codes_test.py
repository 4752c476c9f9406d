"""The documented exit codes of memplan."""
import json
import os
import resource
import signal
import subprocess
import time
import unittest

from memplan import MEMPLAN, MemplanTest

PROBLEM = "id,lower,upper,size\na,0,3,4\nb,0,9,4\nc,3,9,4\n"
COMMANDS = ("solve", "validate", "explain", "compare", "diff", "render", "generate", "artefacts")


class ExitCodes(MemplanTest):
    def code(self, *arguments):
        return self.run_memplan(*arguments).returncode

    def setUp(self):
        super().setUp()
        self.write("p.csv", PROBLEM)
        self.write("good.csv", "id,offset\na,0\nb,4\nc,0\n")
        self.write("moved.csv", "id,offset\na,4\nb,0\nc,4\n")
        self.write("broken.csv", "id,offset\na,0\nb,0\nc,0\n")

    def test_ok(self):
        self.assertEqual(self.code("--help"), 0)
        for command in COMMANDS:
            self.assertEqual(self.code(command, "--help"), 0, command)
        self.assertEqual(self.code("solve", "p.csv"), 0)
        self.assertEqual(self.code("solve", "p.csv", "--capacity=8"), 0)
        self.assertEqual(self.code("validate", "p.csv", "good.csv"), 0)
        self.assertEqual(self.code("explain", "p.csv"), 0)
        self.assertEqual(self.code("explain", "p.csv", "broken.csv"), 0)
        self.assertEqual(self.code("compare", "p.csv"), 0)
        self.assertEqual(self.code("compare", "p.csv", "--capacity=8"), 0)
        self.assertEqual(self.code("diff", "p.csv", "good.csv", "good.csv"), 0)
        self.assertEqual(self.code("render", "p.csv", "good.csv"), 0)
        self.assertEqual(self.code("generate", "--family=random"), 0)

    def test_artefacts(self):
        def code(*arguments):
            return self.code("artefacts", *arguments)
        self.assertEqual(code("p.csv", "--prefix=p"), 0)
        self.assertEqual(code("p.csv", "--prefix=p", "--plan=good.csv", "--internal=memory"), 0)
        self.assertEqual(code("p.csv", "p.csv", "--prefix=p", "--models=a,b"), 0)
        self.assertEqual(code("p.csv", "p.csv", "--prefix=p", "--models=a,b", "--sharing=combined"), 0)
        for wrong in ("--plan=broken.csv", "--plan=none.csv", "--out-dir=no/such/folder", "--internal=sram",
                      "--section=memory=.x", "--data=memory=none.bin", "--caller=memory", "--models=a,b",
                      "--prefix=7"):
            self.assertEqual(code("p.csv", *(("--prefix=p",) if "prefix" not in wrong else ()), wrong), 1, wrong)
        self.assertEqual(code("p.csv", "p.csv", "--prefix=p"), 1)
        for wrong in (["p.csv"], ["p.csv", "--prefix=p", "--sharing=max"], ["-", "-", "--prefix=p"],
                      ["p.csv", "p.csv", "--prefix=p", "--models=a"], ["p.csv", "p.csv", "--prefix=p", "--plan=good.csv"],
                      ["p.csv", "--prefix=p", "--plan=good.csv", "--strategy=auto"], ["p.csv", "--prefix=p", "--section=x"],
                      ["p.csv", "--prefix=p", "--section=a=b", "--section=a=c"]):
            self.assertEqual(code(*wrong), 2, wrong)
        self.assertEqual(code("p.csv", "--prefix=p", "--capacity=7"), 3)

    def test_artefacts_are_whole_or_not_there(self):
        os.mkdir(self.path("out"))
        arguments = ("artefacts", "p.csv", "--prefix=net", "--internal=memory", "--out-dir=out")
        os.mkdir(self.path("out/net_map.json"))
        self.assertEqual(self.code(*arguments), 1)
        self.assertEqual(os.listdir(self.path("out")), ["net_map.json"])
        os.rmdir(self.path("out/net_map.json"))
        self.assertEqual(self.code(*arguments), 0)
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["net.c", "net.h", "net_map.json"])
        before = [self.read("out/" + name) for name in ("net.c", "net.h", "net_map.json")]
        self.assertEqual(self.code(*arguments), 0)
        self.assertEqual(before, [self.read("out/" + name) for name in ("net.c", "net.h", "net_map.json")])

    def test_artefacts_do_not_write_over_their_inputs(self):
        self.write("net_map.json", PROBLEM)
        os.symlink("p.csv", self.path("net.h"))
        self.assertEqual(self.code("artefacts", "net_map.json", "--prefix=net"), 2)
        self.assertEqual(self.code("artefacts", "p.csv", "--prefix=net"), 2)
        self.assertEqual(self.read("net_map.json"), PROBLEM)
        self.assertEqual(self.read("p.csv"), PROBLEM)

    def test_diagnostics(self):
        for command in ("solve", "explain", "compare", "render"):
            self.assertEqual(self.code(command, "none.csv"), 1, command)
        self.assertEqual(self.code("validate", "p.csv", "broken.csv"), 1)
        self.assertEqual(self.code("validate", "p.csv", "p.csv"), 1)
        self.assertEqual(self.code("diff", "p.csv", "good.csv", "moved.csv"), 1)
        self.assertEqual(self.code("solve", "p.csv", "--output=no/such/folder"), 1)

    def test_usage(self):
        self.assertEqual(self.code(), 2)
        self.assertEqual(self.code("fly"), 2)
        self.assertEqual(self.code("--fast"), 2)
        for command in COMMANDS:
            self.assertEqual(self.code(command), 2, command)
            self.assertEqual(self.code(command, "--no-such-flag"), 2, command)
        self.assertEqual(self.code("solve", "p.csv", "p.csv", "--output=none"), 2)
        self.assertEqual(self.code("solve", "p.csv", "--strategy=luck"), 2)
        self.assertEqual(self.code("solve", "p.csv", "--capacity=x"), 2)
        self.assertEqual(self.code("solve", "p.csv", "--format=xml"), 2)
        self.assertEqual(self.code("generate", "--family=random", "--buffers=-1"), 2)

    def test_does_not_fit(self):
        for command in ("solve", "explain", "compare", "render"):
            self.assertEqual(self.code(command, "p.csv", "--capacity=7"), 3, command)
            self.assertEqual(self.code(command, "p.csv", "--capacity=0"), 3, command)

    def test_no_plan_found(self):
        # 8 bytes are enough, but not for this strategy.
        for command in ("solve", "explain", "render"):
            self.assertEqual(self.code(command, "p.csv", "--capacity=8", "--strategy=sequential"), 5, command)
        self.assertEqual(self.code("artefacts", "p.csv", "--prefix=p", "--capacity=8", "--strategy=sequential"), 5)
        self.assertEqual(self.code("compare", "p.csv", "--capacity=8", "--strategies=sequential"), 5)
        self.assertEqual(self.code("compare", "p.csv", "--capacity=8", "--strategies=sequential,auto"), 0)
        # What is proved for one problem counts more.
        self.write("wide.csv", "id,lower,upper,size\na,0,3,9\n")
        for files in (("p.csv", "wide.csv"), ("wide.csv", "p.csv")):
            self.assertEqual(self.code("compare", *files, "--capacity=8", "--strategies=sequential"), 3)

    def interrupted(self, sign, *arguments):
        """What memplan has done when `sign` came while it searched."""
        for seconds in (0.5, 2, 8):
            with subprocess.Popen([MEMPLAN, *arguments, "--node-limit=100000000000"], cwd=self.folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
                time.sleep(seconds)
                run.send_signal(sign)
                out, err = run.communicate(timeout=60)
            # A loaded machine may not have begun to search.
            if run.returncode != -sign:
                break
        return run.returncode, out.decode(), err.decode()

    def test_interrupted(self):
        self.code("generate", "--family=pinwheel", "--buffers=256", "--alignments=64,256", "--output=hard.csv")
        for sign in (signal.SIGINT, signal.SIGTERM):
            code, out, err = self.interrupted(sign, "solve", "hard.csv", "--format=json", "--output=best.json")
            self.assertEqual((code, out), (6, ""))
            self.assertIn(", interrupted\n", err)
            self.assertEqual(json.loads(self.read("best.json"))["status"], "interrupted")
            self.assertEqual(self.code("validate", "hard.csv", "best.json"), 0)
        code, out, err = self.interrupted(signal.SIGINT, "solve", "hard.csv", "--capacity=1050000")
        self.assertEqual((code, out), (6, ""))
        self.assertIn("the search was interrupted", err)
        # That nothing fits is proved at once, and what would help is searched for.
        for command in ("solve", "explain"):
            code, out, err = self.interrupted(signal.SIGINT, command, "hard.csv", "--capacity=100KiB")
            self.assertEqual(code, 3, command)
            self.assertIn("[TPUMEM-E001]", err)
        self.write("later.csv", PROBLEM)
        code, out, err = self.interrupted(signal.SIGINT, "solve", "p.csv", "hard.csv", "later.csv", "--output=.")
        self.assertEqual(code, 6)
        self.assertIn("2 of 3 planned, interrupted after 2\n", out)
        strategies = "--strategies=exact,best-fit,auto"
        code, out, err = self.interrupted(signal.SIGTERM, "compare", "hard.csv", strategies)
        self.assertEqual((code, out), (6, ""))
        self.assertIn("interrupted before one was compared", err)
        # What was compared whole is told.
        code, out, err = self.interrupted(signal.SIGTERM, "compare", "--format=json", "p.csv", "hard.csv", strategies)
        self.assertEqual(code, 6)
        self.assertEqual([one["input"] for one in json.loads(out)["inputs"]], ["p.csv"])

    def test_out_of_memory(self):
        """A file without an end."""
        limit = 1 << 30
        done = subprocess.run([MEMPLAN, "solve", "/dev/zero"], capture_output=True, text=True, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual((done.returncode, done.stderr), (4, "error: out of memory\n"))

    def test_failures_leave_no_file(self):
        before = sorted(os.listdir(self.folder))
        self.code("solve", "p.csv", "--capacity=7", "--output=out.csv")
        self.code("render", "none.csv", "--output=out.svg")
        self.code("generate", "--family=spiral", "--output=out.csv")
        self.code("compare", "p.csv", "none.csv", "--output=out.txt")
        self.assertEqual(sorted(os.listdir(self.folder)), before)


if __name__ == "__main__":
    unittest.main()
