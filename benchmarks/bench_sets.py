"""k^m-anonymity of the groceries: the figures of docs/guide/sets.md.

    python benchmarks/bench_sets.py [HIERARCHY.csv]

9,835 baskets of 169 items; the hierarchy is that which lies beside the baskets unless one is named.
"""

import argparse
import time
from pathlib import Path

from shoal.anonymize import check_sets, release_sets
from shoal.datasets import groceries
from shoal.datasets._sources import find_data
from shoal.schema import Schema

ASKED = [(2, 1), (5, 1), (2, 2), (5, 2), (20, 2), (5, 3)]


def main(argv=None):
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hierarchy", nargs="?", type=Path)
    arguments = parser.parse_args(argv)
    file = arguments.hierarchy or find_data("groceries/hierarchies/item.csv", how="Name a file")
    column = {"role": "quasi-identifier", "separator": "|", "hierarchy": {"file": str(file)}}
    schema = Schema({"basket": column})
    table = {"basket": ["|".join(basket) for basket in groceries()]}
    print("| k | m | rare in the raw table | labels released | lost | seconds |")
    print("|---:|---:|---:|---:|---:|---:|")
    for k, m in ASKED:
        rare = sum(check_sets(table, schema, k, m).rare)
        started = time.process_time()
        release = release_sets(table, schema, k, m)
        taken = time.process_time() - started
        assert release.table is not None  # judged
        labels = len(set(release.labels.values()))
        print(f"| {k} | {m} | {rare:,} | {labels} | {release.loss:.1%} | {taken:.1f} |")


if __name__ == "__main__":
    main()
