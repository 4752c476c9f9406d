#!/usr/bin/python3
"""Counts the test cases of the last `bazel test` from its XML results.

Usage: summarize_tests.py <bazel-testlogs> <exit code of bazel test>
Prints one line; fails when nothing ran or anything failed.
"""
import os
import sys
import xml.etree.ElementTree as ElementTree


def count(path):
    """(cases, failures, skipped) of one test.xml."""
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError:
        return 1, 1, 0
    cases = list(root.iter("testcase"))
    failed = sum(1 for c in cases if c.find("failure") is not None or c.find("error") is not None)
    skipped = sum(1 for c in cases if c.find("skipped") is not None or c.get("result") == "skipped")
    return len(cases), failed, skipped


def main():
    logs, status = sys.argv[1], int(sys.argv[2])
    targets = cases = failed = skipped = 0
    for directory, _, files in os.walk(logs, followlinks=True):
        if "test.xml" in files:
            targets += 1
            one = count(os.path.join(directory, "test.xml"))
            cases, failed, skipped = cases + one[0], failed + one[1], skipped + one[2]
    word = "passed" if status == 0 and failed == 0 and targets else "FAILED"
    print(f"tests {word}: {targets} targets, {cases} cases, {failed} failed, {skipped} skipped")
    return 0 if word == "passed" else 1


if __name__ == "__main__":
    sys.exit(main())
