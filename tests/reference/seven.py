"""`python -m tests.reference.seven`: five owners and two helpers as processes, on all of Adult.

Prints whether all seven learnt the tree that plain ID3 grows from the pooled rows, and what it
took.  The suite does the same on fewer rows (`tests/cli/together/test_together.py`).
"""

import argparse
import csv
import json
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.cli.together import test_together as seats
from tests.extras import DATA
from tests.reference.id3 import id3

COLUMNS = {
    "workclass": 1, "education": 3, "marital": 5, "occupation": 6, "relationship": 7, "race": 8,
    "sex": 9, "country": 13, "class": 14,
}  # fmt: skip


def adult(rows):
    """Names, values and codes of Adult's categorical columns."""
    with (DATA / "adult" / "adult.data").open(newline="") as file:
        lines = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15]
    raw = np.array(lines[:rows])[:, list(COLUMNS.values())]
    pairs = [np.unique(column, return_inverse=True) for column in raw.T]
    return list(COLUMNS), [v.tolist() for v, _ in pairs], np.stack([c for _, c in pairs], axis=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int)
    parser.add_argument("--min-rows", type=int, default=1)
    given = parser.parse_args()
    names, values, codes = adult(given.rows)
    everybody = ["first", "second", *seats.OWNERS]
    options = ["--max-depth", "3", "--min-rows", str(given.min_rows), "--answer-seconds", "300"]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        seats.prepare(folder, names, values, codes, seats.OWNERS, *options)
        start = time.monotonic()
        processes = {name: seats.start(folder, name, "--timeout", "600") for name in everybody}
        ended = seats.finish(processes, timeout=3000)
        took = time.monotonic() - start
        failed = {name: end[2] for name, end in ended.items() if end[0]}
        assert not failed, failed
        trees = [seats.tree_of(folder, name) for name in everybody]
        traffic = {
            name: json.loads((folder / f"{name}.json").read_text())["traffic"]["bytes_sent"] / 1e6
            for name in ("first", "second", seats.OWNERS[0])
        }
    target, arities = len(names) - 1, [len(v) for v in values]
    pooled, margin = id3(codes, target, arities, max_depth=3, min_rows=given.min_rows)
    same = sum(tree == seats.as_dict(pooled, names, values, target) for tree in trees)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{len(codes)} rows, {json.dumps(trees[0]).count('class')} leaves")  # noqa: T201
    print(f"{same} of 7 have the pooled tree; least margin {margin:.2g} nats per row")  # noqa: T201
    print(f"{took:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of processor")  # noqa: T201
    print({name: f"{sent:.2f} MB sent" for name, sent in traffic.items()})  # noqa: T201
    return 0 if same == len(everybody) else 1


if __name__ == "__main__":
    raise SystemExit(main())
