"""`python -m benchmarks [--quick] [NAME ...]`: run them and print name, ours, peer, ratio.

Each `bench_NAME.py` has `main(quick: bool)` that returns rows of (what, ours, peer, ratio):
seconds or any other number, None where there is no peer.
"""

import argparse
import importlib
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small tables, seconds not minutes")
    parser.add_argument("names", nargs="*", help="which ones; all without")
    arguments = parser.parse_args()
    found = sorted(p.stem.removeprefix("bench_") for p in Path(__file__).parent.glob("bench_*.py"))
    for name in arguments.names or found:
        print(f"\n## {name}\n\n| what | ours | peer | ratio |\n|---|---|---|---|")
        for row in importlib.import_module(f"benchmarks.bench_{name}").main(arguments.quick):
            print("| " + " | ".join(map(_cell, row)) + " |", flush=True)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return "-" if value is None else str(value)


if __name__ == "__main__":
    main()
