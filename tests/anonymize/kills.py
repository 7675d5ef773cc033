"""Kill a process that writes releases, at random moments, and look at what the next command finds.

``python -m tests.fuzz --only kills --cases 500`` says how often which set was found.
"""

import json
import os
import random
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path

from shoal.anonymize import Mondrian
from shoal.anonymize._release_files import digest
from shoal.report.release.facts._release_file import read_release
from shoal.schema import Schema

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "town": {"role": "quasi-identifier", "hierarchy": "flat"},
        "ill": {"role": "sensitive"},
    }
)
PER_FOLDER = 21
"""Kills in a folder: a third of them of first writes."""

FILES = {"r.csv", "r.manifest.json", "r.schema.toml", "r.private", "r.private/recoding.json"}


def releases():
    """Two releases of the same people, told apart by their k."""
    rng = random.Random(4)
    people = {
        "age": [rng.randint(20, 60) for _ in range(300)],
        "town": [rng.choice("ABC") for _ in range(300)],
        "ill": [rng.choice(["flu", "gout"]) for _ in range(300)],
    }
    made = {k: Mondrian(SCHEMA, k).fit(people).release_ for k in (3, 20)}
    for release in made.values():  # measured once, not by every child
        release.to_dict()
    return made


def kill_one(folder, made, rng, longest):
    """Let a child rewrite a release until it is killed; which release the next command finds."""
    child = os.fork()
    if child == 0:
        while True:
            for release in made.values():
                release.write(folder / "r.csv", force=True)
    time.sleep(rng.uniform(0, longest))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return found(folder, made)


def found(folder, made):
    """The k of the one complete set in a folder; None when there is none.  Fails on a torn set."""
    from shoal._atomic import settle

    settle(folder)  # what every command does first
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    if not there:
        return None
    assert there == FILES, f"left behind: {sorted(there ^ FILES)}"
    release = read_release(folder / "r.csv")
    assert release.torn == ()
    k = release.get("privacy", "k")
    assert json.loads((folder / "r.private" / "recoding.json").read_text()) == json.loads(
        json.dumps({"shoal": "recoding", "version": 1, "kind": "regions",
                    **made[k].recoding.to_dict()})
    )  # fmt: skip
    assert release.manifest["files"]["r.csv"] == digest(folder / "r.csv")
    return k


def main(times, seed=0, until=lambda: False):
    """Kill writers and rewriters so many times, or until then; counts of what was found.

    Every folder sees first writes, then rewrites.  How long a write takes is measured, since a
    writer that is killed before it comes to anything shows nothing.
    """
    rng, made, seen = random.Random(seed), releases(), Counter()
    with tempfile.TemporaryDirectory() as name:
        for run in range(times):
            if until():
                break
            folder = Path(name) / f"{run // PER_FOLDER}"
            folder.mkdir(exist_ok=True)
            if run % PER_FOLDER in (0, PER_FOLDER // 3):
                longest = 2.5 * _time_of_write(folder if run % PER_FOLDER else Path(name), made)
            seen[kill_one(folder, made, rng, longest)] += 1
    return seen


def _time_of_write(folder, made):
    started = time.perf_counter()
    made[3].write(folder / "r.csv", force=True)
    return time.perf_counter() - started
