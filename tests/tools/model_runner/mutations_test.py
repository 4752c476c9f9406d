"""Plans of networks with one thing wrong: what changes a number, or reads a byte that is not its own, the run reports and a verifier refuses.

MUTANTS in the environment says how many there are, MUTANT_SEED which."""
import collections
import os
import random
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.environ["TEST_SRCDIR"], os.environ["TEST_WORKSPACE"])
TOOLS = os.path.join(ROOT, "tpu_mlir/tools")
MUTANTS, SEED = int(os.environ.get("MUTANTS", "60")), int(os.environ.get("MUTANT_SEED", "0"))
PLACE = re.compile(r"tensor<[^,>]*, (\d+) : i64>")
RESULT = re.compile(r' *(%\w+) = "tpu\.\w+"\(.*-> (tensor<[^,>]*), (\d+) : i64>')


def tool(name, *flags):
    return subprocess.run([os.path.join(TOOLS, name, name), *flags], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False)


def move_result(text, line, address):
    """The result of that line, where it is made and where it is read, at another address."""
    lines = text.split("\n")
    name, kind, _ = RESULT.match(lines[line]).groups()
    there = "%s, %d : i64>" % (kind, address)
    head, _, tail = lines[line].rpartition("-> tensor<")
    lines[line] = head + "-> " + there + tail.split(">", 1)[1]
    for i, other in enumerate(lines):
        reads = re.match(r' *(?:%\S+ = "[\w.]+"\(|"[\w.]+"\(|return )([^)]*?)(?:\)| :)', other)
        if i == line or not reads or name not in reads.group(1).split(", "):
            continue
        operands = reads.group(1).split(", ")
        if other.endswith("({"):  # Its types are behind its region.
            i = next(end for end in range(i, len(lines)) if lines[end].startswith(re.match(" *", other)[0] + "})"))
        at = lines[i].rindex(" : (") if '"(' in other else lines[i].index(" : ")
        kinds = iter(there if operand == name else None for operand in operands)
        lines[i] = lines[i][:at] + re.sub(r"tensor<[^>]*>+|none", lambda found: next(kinds, None) or found[0], lines[i][at:])
        if other.lstrip().startswith("return"):
            lines = [re.sub(r"-> tensor<[^>]*>", "-> " + there, each) if "@main" in each else each for each in lines]
    return "\n".join(lines)


def wrong_address(text, choice):
    """That of another tensor, inside another tensor, or without its upper half."""
    found = [i for i, line in enumerate(text.split("\n")) if RESULT.match(line)]
    if not found:
        return None
    line = choice.choice(found)
    places = sorted({int(place) for place in PLACE.findall(text)})
    own = int(RESULT.match(text.split("\n")[line]).group(3))
    address = choice.choice([choice.choice(places), choice.choice(places) + 4096 * choice.randrange(1, 8), own + 4096, own & 0xffffffff])
    return move_result(text, line, address)


def wrong_order(text, choice):
    """Two ops that follow each other, where neither reads the other."""
    lines = text.split("\n")
    found = [i for i in range(len(lines) - 1) if RESULT.match(lines[i]) and RESULT.match(lines[i + 1])
             and not re.search(RESULT.match(lines[i]).group(1) + r"\b", lines[i + 1])]
    if not found:
        return None
    i = choice.choice(found)
    lines[i], lines[i + 1] = lines[i + 1], lines[i]
    return "\n".join(lines)


def other_number(pattern, change):
    """One number of one layer of a group."""
    def mutate(text, choice):
        found = list(re.finditer(pattern, text))
        if not found:
            return None
        place = choice.choice(found)
        number = change(int(place.group(1)), found, choice)
        return text[:place.start(1)] + str(number) + text[place.end(1):]
    return mutate


def of_another(_, found, choice):
    return int(choice.choice(found).group(1))


def by_one(number, _, choice):
    return max(0, number + choice.choice([-1, 1]))


def wrong_times(text, choice):
    """Of a group, one op or load in another timestep, or two of them exchanged."""
    found = list(re.finditer(r"flow = \[([^\]]*)\]", text))
    if not found:
        return None
    place = choice.choice(found)
    entries = place.group(1).split(", ")
    numbers = [i for i, entry in enumerate(entries) if not entry.startswith("-")]
    i, j = choice.choice(numbers), choice.choice(numbers)
    if choice.random() < 0.5:
        entries[i], entries[j] = entries[j], entries[i]
    else:
        entries.insert(choice.randrange(1, len(entries)), entries.pop(i))
    return text[:place.start(1)] + ", ".join(entries) + text[place.end(1):]


KINDS = {
    "global address": wrong_address, "order of ops": wrong_order, "order of transfers": wrong_times,
    "local address": other_number(r"out_addr = (\d+)", of_another), "local scratch": other_number(r"buffer_addr = (\d+)", of_another),
    "life of a load": other_number(r"stage = (\d)", by_one), "section": other_number(r"[nhcdw]_slice = \[(?:\d+, )*?(\d+)", by_one),
    "start of a section": other_number(r"[nhcdw]_idx = \[(?:\d+, )*?(\d+)", by_one)}


class Mutations(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.counts = collections.Counter()

    def path(self, name):
        return os.path.join(self.folder, name)

    def plan(self, module, *flags):
        done = tool("model_deploy", "--mlir", module, "--model", self.path("net"), "--quiet", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("net_final.mlir"), encoding="utf-8") as file:
            return file.read()

    def networks(self):
        built = tool("model_builder", "--model=chain", "--ops=40", "--level=tpu", "-o", self.path("chain.mlir"))
        self.assertEqual(built.returncode, 0, built.stderr)
        example = os.path.join(ROOT, "tpu_mlir/examples/%s.mlir")
        yield "chain", 18, self.plan(self.path("chain.mlir"), "--disable_layer_group")
        yield "chain, groups", 18, self.plan(self.path("chain.mlir"))
        yield "mobilenet_v2", 9, self.plan(example % "mobilenet_v2", "--chip=bm1684x", "--quantize=F16", "--addr_mode=in_reuse",
                                           "--disable_layer_group")
        yield "mobilenet_v2, groups", 15, self.plan(example % "mobilenet_v2", "--chip=cv184x", "--quantize=BF16")
        yield "resnet50, groups", 3, self.plan(example % "resnet50", "--chip=cv184x", "--quantize=BF16")
        yield "densenet121, groups", 3, self.plan(example % "densenet121", "--chip=bm1688", "--quantize=BF16", "--addr_mode=io_alone")
        if MUTANTS < 1000:
            return
        # Seconds each.
        yield "yolo_fpn, groups", 2, self.plan(example % "yolo_fpn", "--chip=bm1684x", "--quantize=F16")
        yield "unet, groups", 2, self.plan(example % "unet", "--chip=cv184x", "--quantize=BF16")
        yield "bert_base, groups", 1, self.plan(example % "bert_base", "--chip=bm1688", "--quantize=BF16")
        yield "llama_block", 1, self.plan(example % "llama_block", "--chip=bm1684x", "--quantize=F16", "--disable_layer_group")

    def run_text(self, text):
        """What the runner says, its digests, and whether the verifiers accept the module."""
        with open(self.path("mutant.mlir"), "w", encoding="utf-8") as file:
            file.write(text)
        ran = tool("model_runner", "--model", self.path("mutant.mlir"))
        self.assertIn(ran.returncode, (0, 1), ran.stderr)
        return ran, ran.stdout.split("weights and inputs")[0]

    def refusal(self, passes):
        done = tool("tpuc-opt", *passes, self.path("mutant.mlir"), "-o", os.devnull)
        codes = re.findall(r"TPUMEM-E\d+", done.stderr)
        return (codes or ["no code"])[0] if done.returncode else ""

    def judge(self, kind, text, wanted):
        ran, digests = self.run_text(text)
        if ran.returncode == 1 and "[TPUMEM-E012]" not in ran.stderr:
            self.counts[kind, "is no module that can be run"] += 1
            return
        refusal = self.refusal(["--tpu-verify-local", "--tpu-verify-addresses"])
        if ran.returncode == 1:
            self.counts[kind, "wrong"] += 1
            verifier = "--tpu-verify-local" if "in local memory, " in ran.stderr else "--tpu-verify-addresses"
            self.assertNotEqual(self.refusal([verifier]), "", ran.stderr)
            return
        self.assertEqual(digests, wanted, "%s: other numbers, and nothing said" % kind)
        self.counts[kind, "the same numbers, refused with " + refusal if refusal else "the same numbers"] += 1

    def test_all(self):
        networks = list(self.networks())
        shares = sum(share for _, share, _ in networks)
        for name, share, text in networks:
            ran, wanted = self.run_text(text)
            self.assertEqual((ran.returncode, self.refusal(["--tpu-verify-local", "--tpu-verify-addresses"])), (0, ""), ran.stderr)
            choice, made, tries = random.Random("%d %s" % (SEED, name)), 0, 0
            while made < max(1, MUTANTS * share // shares) and tries < 50 * MUTANTS:
                tries += 1
                kind = choice.choice(list(KINDS))
                mutant = KINDS[kind](text, choice)
                if mutant is None or mutant == text:
                    continue
                made += 1
                with self.subTest(network=name, kind=kind, mutant=made):
                    self.judge(kind, mutant, wanted)
        for (kind, what), count in sorted(self.counts.items()):
            print("%-20s %6d  %s" % (kind, count, what))
        wrong = sum(count for (_, what), count in self.counts.items() if what == "wrong")
        self.assertGreater(wrong, sum(self.counts.values()) // 5)


if __name__ == "__main__":
    unittest.main()
