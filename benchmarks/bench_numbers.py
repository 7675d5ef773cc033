"""What microaggregation loses and how long it takes: the figures of docs/guide/numbers.md.

    python benchmarks/bench_numbers.py

Half normal and half exponential numbers in four columns, brought to the same spread.
"""

import argparse
import time

import numpy as np

from shoal.anonymize.numbers._bunch import bunch, sum_of_squares

SEARCHES = ("mdav", "exchange")


def points(n, rng):
    """Rows of four numbers, each with mean 0 and variance 1."""
    half = n // 2
    rows = np.concatenate([rng.normal(size=(half, 4)), rng.exponential(size=(n - half, 4))])
    return (rows - rows.mean(axis=0)) / rows.std(axis=0)


def measure(rows, k, search):
    """Share of the squares that lies within groups, and seconds of processor time."""
    ones = np.ones(len(rows), np.int64)
    started = time.process_time()
    group_of = bunch(rows, ones, k, search)
    taken = time.process_time() - started
    return sum_of_squares(rows, ones, group_of) / rows.size, taken


def main(argv=None):
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("-k", type=int, nargs="+", default=[5, 20])
    arguments = parser.parse_args(argv)
    rng = np.random.default_rng(0)
    measure(points(200, rng), 3, "exchange")  # compiled before anything is timed
    rng = np.random.default_rng(0)
    print("| rows | k | search | lost | seconds |")
    print("|---:|---:|---|---:|---:|")
    for n in arguments.rows:
        rows = points(n, rng)
        for k in arguments.k:
            for search in SEARCHES:
                lost, taken = measure(rows, k, search)
                print(f"| {n} | {k} | {search} | {lost:.2%} | {taken:.1f} |")


if __name__ == "__main__":
    main()
