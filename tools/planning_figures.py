#!/usr/bin/python3
"""Writes the figures of the planning core into its page of figures.

Usage: tools/planning_figures.py <folder of problems> <memplan> <page.md>
           [--only=NAME,...] [--baseline=<minimalloc>] [--skip-measured]

Tables stand between <!-- figures: NAME --> and <!-- end of figures -->. What a table called
measured-NAME says depends on the machine and the day; all others are the same everywhere and come
out of the same runs. --baseline is a command that is run as
    <minimalloc> --capacity=N --input=problem.csv --output=plan.csv
on the problems that have a capacity; our processor time is then told as a part of its.

The folder holds A.1048576.csv to E.1048576.csv and G_1.csv, and dnn/ with networks. Generated
problems are made by memplan itself. Build it with --config=opt. Takes a few minutes.
"""
import argparse
import collections
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time

CAPACITY = 1048576
BLOCK = re.compile(r"(<!-- figures: ([a-z-]+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
CUTS = ("guillotine", "pinwheel")
CUT_SIZES = (64, 256, 1000, 10_000, 100_000)
SEEDS = (1, 2, 3)
FAMILIES = ("guillotine", "interleaved", "micro-batches", "pinwheel", "random", "training")
SCALES = (1000, 10_000, 100_000, 1_000_000)
ABLATION_NODES = 1_000_000
# Perfect packings with something changed, as flags of memplan generate.
NEARLY = ("--delete-percent=5", "--jitter", "--alignments=64,256", "--gap-percent=10", "--pin-percent=5")
NEARLY_SIZES = (256, 1000)
NEARLY_NODES = 2_000_000
# What is done to the hard problems, as memplan generate --vary has it.
VARIATIONS = (("sizes", "each size up to 3 % larger or smaller"), ("grid", "the same, to the next multiple of 64"),
              ("minus-byte", "a byte less, or not"), ("plus-byte", "a byte more, or not"),
              ("primes", "the next prime below"), ("lives", "lives end a step earlier, later, or not"),
              ("drop", "one of ten buffers is not there"), ("alignment", "aligned to 4,096"),
              ("concat", "two problems one after the other"), ("side-by-side", "two problems at the same time"))
OF_TWO = ("concat", "side-by-side")

Cost = collections.namedtuple("Cost", "seconds mebibytes instructions")


def table(heading, rows):
    """Columns whose heading ends in ':' are aligned to the right."""
    rule = ["--:" if cell.endswith(":") else "---" for cell in heading]
    lines = [[cell.rstrip(":") for cell in heading], rule] + rows
    return "".join("| " + " | ".join(map(str, cells)) + " |\n" for cells in lines)


def number(value):
    return f"{value:,}"


def percent(outcome):
    return f"{100 * (outcome['usedBytes'] / outcome['lowerBoundBytes'] - 1):.3f} %"


def seconds(value):
    return f"{value:.4f}" if value < 1 else f"{value:.2f}"


def total(costs):
    costs = list(costs)
    counts = [cost.instructions for cost in costs]
    return Cost(sum(cost.seconds for cost in costs), max(cost.mebibytes for cost in costs),
                None if None in counts else sum(counts))


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


class Runner:
    """Runs programs, each run in a process of its own, and keeps what it took."""

    # Short runs are repeated, and the shortest counts: others use the machine, too.
    REPEAT_BELOW_SECONDS = 0.5
    REPETITIONS = 5

    def __init__(self, memplan, folder):
        self.memplan = os.path.abspath(memplan)
        self.folder = folder
        self.optimum = {}  # By path, in words.
        self.has_instructions = self.perf_counts()

    @staticmethod
    def perf_counts():
        try:
            text = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "true"],
                                  capture_output=True, text=True, check=False).stderr
        except OSError:
            return False
        return re.match(r"\d+,", text) is not None

    def once(self, command):
        counts = os.path.join(self.folder, "instructions")
        if self.has_instructions:
            command = ["perf", "stat", "-x,", "-e", "instructions:u", "-o", counts] + command
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        instructions = None
        if self.has_instructions:
            with open(counts, encoding="utf-8") as file:
                instructions = int(re.search(r"^(\d+),", file.read(), re.MULTILINE).group(1))
        return process.returncode, output, Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024,
                                                instructions)

    def measured(self, command):
        code, output, best = self.once(command)
        for _ in range(self.REPETITIONS - 1):
            if best.seconds >= self.REPEAT_BELOW_SECONDS:
                break
            best = min(best, self.once(command)[2])
        return code, output, best

    def compare(self, paths, strategies, *flags):
        """What memplan compare says, input by input, and what the process took."""
        command = [self.memplan, "compare", "--quiet", "--format=json", "--time=false",
                   "--strategies=" + ",".join(strategies), *flags, *paths]
        code, output, cost = self.measured(command)
        if code not in (0, 3):  # 3: some problem has no plan.
            sys.exit(f"{' '.join(command)}: exit code {code}")
        return json.loads(output)["inputs"], cost

    def solve(self, path, strategy, *flags):
        inputs, cost = self.compare([path], [strategy], *flags)
        return dict(inputs[0]["outcomes"][0], cost=cost, buffers=inputs[0]["buffers"])

    def generate(self, family, buffers, seed=1, *flags):
        path = os.path.join(self.folder, "-".join([family, str(buffers), str(seed), *flags]) + ".csv")
        if not os.path.exists(path):
            made = subprocess.run([self.memplan, "generate", f"--family={family}", f"--buffers={buffers}",
                                   f"--seed={seed}", f"--output={path}", *flags],
                                  check=True, stderr=subprocess.PIPE, text=True)
            known = re.search(r"optimum .*?([\d,]+) B\)", made.stderr)
            self.optimum[path] = known.group(1) if known else "not known"
        return path

    def vary(self, kind, paths, plans, seed):
        """A problem like that in `paths`, and the bytes of the plan that is made from `plans`."""
        name = "-".join([kind, *(os.path.basename(path) for path in paths), str(seed)])
        path, plan = (os.path.join(self.folder, name + end) for end in (".csv", ".plan.json"))
        subprocess.run([self.memplan, "generate", "--quiet", f"--vary={kind}", f"--seed={seed}", *paths,
                        "--known-plans=" + ",".join(plans), f"--output={path}", f"--plan={plan}"], check=True)
        with open(plan, encoding="utf-8") as file:
            return path, json.load(file)["pools"][0]["usedBytes"]

    def plan(self, path):
        """The plan of `path` that memplan finds."""
        plan = os.path.join(self.folder, os.path.basename(path) + ".plan.json")
        if not os.path.exists(plan):
            subprocess.run([self.memplan, "solve", "--quiet", "--format=json", path, f"--output={plan}"], check=True)
        return plan

    def strategies(self):
        """Names of all strategies: what compare runs when nothing is asked for."""
        path = self.generate("random", 10)
        return [one["strategy"] for one in self.compare([path], ["all"])[0][0]["outcomes"]]


class Figures:
    """A method a group of tables; each returns the tables by name."""

    def __init__(self, runner, problems, baseline):
        self.runner = runner
        self.problems = problems
        self.baseline = baseline

    def hard(self):
        return sorted(glob.glob(os.path.join(self.problems, f"*.{CAPACITY}.csv")))

    def name(self, path):
        return os.path.basename(path).split(".")[0]

    def took(self, cost):
        cells = [seconds(cost.seconds), f"{cost.mebibytes:.0f}"]
        return cells + ([number(cost.instructions)] if self.runner.has_instructions else [])

    def took_heading(self):
        return ["CPU s:", "MiB resident:"] + (["instructions:"] if self.runner.has_instructions else [])

    def of_baseline(self, path):
        plan = os.path.join(self.runner.folder, "baseline.csv")
        code, _, cost = self.runner.measured([self.baseline, f"--capacity={CAPACITY}", f"--input={path}",
                                              f"--output={plan}"])
        return cost.seconds if code == 0 else None

    def capacity(self):
        rows, measured, ours, theirs = [], [], [], []
        for path in self.hard():
            for strategy in ("auto", "exact"):
                one = self.runner.solve(path, strategy, f"--capacity={CAPACITY}")
                rows.append([self.name(path), one["buffers"], f"`{strategy}`", "yes" if one["fits"] else "no",
                             number(one.get("usedBytes", one.get("needBytes"))), number(one["lowerBoundBytes"]),
                             number(one["nodes"]), one.get("winner", "-")])
                cells = [self.name(path), f"`{strategy}`"] + self.took(one["cost"])
                if self.baseline:
                    other = self.of_baseline(path)
                    cells += ["not solved", "-"] if other is None else [
                        seconds(other), f"{one['cost'].seconds / other:.4f}"]
                    if strategy == "auto" and other is not None and one["fits"]:
                        ours.append(one["cost"].seconds)
                        theirs.append(other)
                measured.append(cells)
        heading = ["problem", "strategy"] + self.took_heading()
        if self.baseline:
            heading += ["CPU s of the reference:", "ours / reference:"]
            rest = [""] * (len(heading) - 5)
            if theirs:
                measured.append(["all that both solve", "`auto`", seconds(sum(ours))] + rest +
                                [seconds(sum(theirs)), f"{sum(ours) / sum(theirs):.4f}"])
        return {"capacity": table(["problem", "buffers:", "strategy", "fits", "used:", "bound:", "nodes:", "winner"],
                                  rows),
                "measured-capacity": table(heading, measured)}

    def minimised(self):
        rows, measured = [], []
        for path in self.hard() + [os.path.join(self.problems, "G_1.csv")]:
            for strategy in ("auto", "exact"):
                one = self.runner.solve(path, strategy)
                rows.append([self.name(path), one["buffers"], f"`{strategy}`", number(one["usedBytes"]),
                             number(one["lowerBoundBytes"]), percent(one), one["proof"], number(one["nodes"]),
                             one.get("winner", "-")])
                measured.append([self.name(path), f"`{strategy}`"] + self.took(one["cost"]))
        return {"minimised": table(["problem", "buffers:", "strategy", "used:", "bound:", "gap:", "proof", "nodes:",
                                    "winner"], rows),
                "measured-minimised": table(["problem", "strategy"] + self.took_heading(), measured)}

    def strategies(self):
        rows, measured = [], []
        for strategy in self.runner.strategies():
            inputs, cost = self.runner.compare(self.hard(), [strategy])
            outcomes = [one["outcomes"][0] for one in inputs]
            ratios = [one["usedBytes"] / one["lowerBoundBytes"] for one in outcomes]
            rows.append((geometric_mean(ratios), [
                f"`{strategy}`", f"{geometric_mean(ratios):.4f}", f"{max(ratios):.4f}",
                *[f"{ratio:.3f}" for ratio in ratios], number(sum(one["nodes"] for one in outcomes))]))
            measured.append([f"`{strategy}`"] + self.took(cost))
        names = [self.name(path) + ":" for path in self.hard()]
        return {"strategies": table(["strategy", "geometric mean:", "worst:", *names, "nodes:"],
                                    [row for _, row in sorted(rows)]),
                "measured-strategies": table(["strategy"] + self.took_heading(), measured)}

    def ablation(self):
        """Nodes of the exact search with parts of it off, first with restarts, then without."""
        parts = ["dominance", "unplaced-floor", "decomposition", "reranking", "symmetry"]
        rows = []
        for off in [[], *[[part] for part in parts], ["restarts"], *[["restarts", part] for part in parts]]:
            flags = [f"--node-limit={ABLATION_NODES}"] + (["--ablate=" + ",".join(off)] if off else [])
            inputs, _ = self.runner.compare(self.hard(), ["exact"], *flags)
            outcomes = [one["outcomes"][0] for one in inputs]
            rows.append([", ".join(off) or "nothing"] + [
                number(one["nodes"]) if one["usedBytes"] == one["lowerBoundBytes"] else percent(one)
                for one in outcomes])
        return {"ablation": table(["off"] + [self.name(path) + ":" for path in self.hard()], rows)}

    def networks(self):
        paths = sorted(glob.glob(os.path.join(self.problems, "dnn", "*.csv")))
        inputs, cost = self.runner.compare(paths, self.runner.strategies())
        by_strategy = collections.defaultdict(list)
        for one in inputs:
            for outcome in one["outcomes"]:
                by_strategy[outcome["strategy"]].append(outcome["usedBytes"] / outcome["lowerBoundBytes"])
        buffers = [one["buffers"] for one in inputs]
        rows = [(-sum(ratio == 1 for ratio in ratios), geometric_mean(ratios), [
            f"`{strategy}`", sum(ratio == 1 for ratio in ratios), f"{geometric_mean(ratios):.4f}",
            f"{max(ratios):.4f}"]) for strategy, ratios in by_strategy.items()]
        text = f"{len(inputs)} networks of {min(buffers)} to {max(buffers)} buffers, {sum(buffers)} in all.\n\n"
        return {"networks": text + table(["strategy", "meets the bound:", "geometric mean:", "worst:"],
                                         [row[2] for row in sorted(rows)]),
                "measured-networks": table(["run"] + self.took_heading(),
                                           [["all strategies on all networks"] + self.took(cost)])}

    def perfect(self):
        rows, measured = [], []
        for family in CUTS:
            for buffers in CUT_SIZES:
                for strategy in ("auto", "exact"):
                    runs = [self.runner.solve(self.runner.generate(family, buffers, seed), strategy)
                            for seed in SEEDS]
                    gaps = [one["usedBytes"] - one["lowerBoundBytes"] for one in runs]
                    worst = max(runs, key=lambda one: one["usedBytes"] / one["lowerBoundBytes"])
                    rows.append([family, number(buffers), f"`{strategy}`", f"{gaps.count(0)} of {len(SEEDS)}",
                                 percent(worst), ", ".join(sorted({one["proof"] for one in runs})),
                                 *[number(one["nodes"]) for one in runs],
                                 ", ".join(sorted({one.get("winner", "-") for one in runs}))])
                    measured.append([family, number(buffers), f"`{strategy}`"] +
                                    self.took(total(one["cost"] for one in runs)))
        nodes = [f"nodes, seed {seed}:" for seed in SEEDS]
        return {"perfect": table(["family", "buffers:", "strategy", "optimum found:", "worst gap:", "proof", *nodes,
                                  "winner"], rows),
                "measured-perfect": table(["family", "buffers:", "strategy"] + self.took_heading(), measured)}

    def nearly(self):
        rows, measured = [], []
        for flags in NEARLY:
            for buffers in NEARLY_SIZES:
                path = self.runner.generate("pinwheel", buffers, 1, flags)
                for strategy in ("auto", "exact"):
                    one = self.runner.solve(path, strategy, f"--node-limit={NEARLY_NODES}")
                    key = [f"`{flags}`", number(buffers), f"`{strategy}`"]
                    rows.append(key + [number(one["usedBytes"]), number(one["lowerBoundBytes"]), percent(one),
                                       self.runner.optimum[path], one["proof"], number(one["nodes"])])
                    measured.append(key + self.took(one["cost"]))
        heading = ["change", "buffers:", "strategy"]
        return {"nearly": table(heading + ["used:", "bound:", "gap:", "optimum:", "proof", "nodes:"], rows),
                "measured-nearly": table(heading + self.took_heading(), measured)}

    def scale(self):
        rows, measured = [], []
        for family in FAMILIES:
            before = None
            for buffers in SCALES:
                one = self.runner.solve(self.runner.generate(family, buffers), "auto")
                rows.append([family, number(buffers), number(one["usedBytes"]), number(one["lowerBoundBytes"]),
                             percent(one), one["proof"], number(one["nodes"]), one.get("winner", "-")])
                spent = one["cost"].seconds
                measured.append([family, number(buffers)] + self.took(one["cost"]) +
                                [f"{1e6 * spent / buffers:.2f}", f"{spent / before:.1f}" if before else "-"])
                before = spent
        return {"scale": table(["family", "buffers:", "used:", "bound:", "gap:", "proof", "nodes:", "winner"], rows),
                "measured-scale": table(["family", "buffers:"] + self.took_heading() +
                                        ["us a buffer:", "times the size before:"], measured)}

    def variations(self):
        """Seeds 1 and 2 of each problem, of two problems each with the next two."""
        rows, measured = [], []
        hard = self.hard()
        for kind, words in VARIATIONS:
            ratios, built, costs, proved = [], [], [], 0
            for index, first in enumerate(hard):
                for seed in (1, 2):
                    paths = [first] + ([hard[(index + seed) % len(hard)]] if kind in OF_TWO else [])
                    path, known = self.runner.vary(kind, paths, [self.runner.plan(one) for one in paths], seed)
                    one = self.runner.solve(path, "auto")
                    ratios.append(one["usedBytes"] / one["lowerBoundBytes"])
                    built.append(known / one["lowerBoundBytes"])
                    costs.append(one["cost"])
                    proved += one["proof"] in ("lower-bound", "optimal")
            rows.append([f"`{kind}`", words, f"{geometric_mean(ratios):.4f}", f"{max(ratios):.4f}",
                         f"{geometric_mean(built):.4f}", f"{proved} of {len(ratios)}"])
            longest = max(costs, key=lambda cost: cost.seconds)
            measured.append([f"`{kind}`", seconds(sum(cost.seconds for cost in costs) / len(costs))] +
                            self.took(longest))
        return {"variations": table(["variation", "what", "mean:", "worst:", "constructed:", "proved:"], rows),
                "measured-variations": table(["variation", "CPU s, mean:"] +
                                             [f"{cell[:-1]}, longest:" for cell in self.took_heading()], measured)}

    def machine(self):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = re.search(r"model name\s*: (.*)", file.read())
        return {"measured-machine": f"{model.group(1) if model else 'processor not known'}, {os.cpu_count()} cores "
                f"that others used, too, {time.strftime('%Y-%m-%d', time.gmtime())}; one thread.\n"}

    GROUPS = ("capacity", "minimised", "strategies", "ablation", "networks", "perfect", "nearly", "variations", "scale",
              "machine")


def fill(page, tables):
    """Replaces the tables that there are; says which have no place."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    places = {match.group(2) for match in BLOCK.finditer(text)}
    for name in sorted(set(tables) - places):
        print(f"{page} has no place for '{name}'", file=sys.stderr)
    new = BLOCK.sub(lambda block: block.group(1) + tables[block.group(2)] + block.group(3)
                    if block.group(2) in tables else block.group(0), text)
    with open(page + ".new", "w", encoding="utf-8") as file:
        file.write(new)
    os.replace(page + ".new", page)
    return set(tables) <= places


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems")
    parser.add_argument("memplan")
    parser.add_argument("page")
    parser.add_argument("--only", default=",".join(Figures.GROUPS), help="of " + ", ".join(Figures.GROUPS))
    parser.add_argument("--baseline", help="a minimalloc program to compare processor time with")
    parser.add_argument("--skip-measured", action="store_true", help="leave what depends on the machine as it is")
    options = parser.parse_args()
    groups = options.only.split(",")
    if not set(groups) <= set(Figures.GROUPS):
        parser.error("--only takes names of " + ", ".join(Figures.GROUPS))
    tables = {}
    with tempfile.TemporaryDirectory() as folder:
        figures = Figures(Runner(options.memplan, folder), options.problems, options.baseline)
        if not figures.hard():
            parser.error(f"no problems in '{options.problems}'")
        for group in groups:
            print(group, file=sys.stderr)
            tables.update(getattr(figures, group)())
    if options.skip_measured:
        tables = {name: text for name, text in tables.items() if not name.startswith("measured-")}
    return 0 if fill(options.page, tables) else 1


if __name__ == "__main__":
    sys.exit(main())
