"""`python -m tests.recorder`: record outputs into a folder, or compare two such folders."""

import argparse
import os
import sys
from pathlib import Path

# Sums of floats depend on the number of threads, tables of text on the width of the terminal.
os.environ.update(
    {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "100", "NO_COLOR": "1"}
)

from tests.recorder._compare import differences


def main() -> int:
    """Read the arguments and do what they say; 1 when folders differ or a case broke."""
    parser = argparse.ArgumentParser(prog="python -m tests.recorder", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="Run cases, each into FOLDER/NAME.")
    recording.add_argument("folder", type=Path)
    comparing = commands.add_parser("compare", help="List the files that differ.")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--lines", type=int, default=5, help="Changed lines to show of each.")
    for command in (recording, comparing):
        command.add_argument("--only", default="", help="Cases whose name contains this.")
    given = parser.parse_args()
    if given.command == "record":
        from tests.recorder._cases import CASES  # loads Shoal, which comparing can do without
        from tests.recorder._record import record

        return record({n: case for n, case in CASES.items() if given.only in n}, given.folder)
    found = differences(given.before, given.after, only=given.only, lines=given.lines)
    for text in found:
        sys.stdout.write(text + "\n")
    sys.stdout.write(f"{len(found)} files differ.\n" if found else "No file differs.\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
