"""The command line: reads, calls the library, writes.  No arithmetic lives here.

Exit codes: 0 done, 1 a check failed, 2 bad usage or input, 3 infeasible, 4 the other party,
70 a defect in Shoal, 130 interrupted, 143 terminated.
"""

import gc

from shoal.cli._ending import ends_when_asked
from shoal.cli._group import root as app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line."""
    # a command makes a hundred thousand texts and few cycles: looking for these would take longer
    gc.set_threshold(200_000)
    with ends_when_asked():
        app(prog_name="shoal")
