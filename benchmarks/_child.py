"""`python -m benchmarks._child MODULE [--full]`: one benchmark, its rows as lines of JSON."""

import importlib
import json
import os
import sys
from time import perf_counter
from typing import Any

from benchmarks._row import missing, rows_of
from benchmarks._timing import peak_megabytes


def main(module: str, full: bool) -> int:
    """Run one benchmark; what it or its libraries print goes to stderr."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(2, 1)

        def say(**line: Any) -> None:
            print(json.dumps(line), file=out, flush=True)

        started = perf_counter()
        try:
            for row in rows_of(importlib.import_module(module).main(quick=not full)):
                say(row=row.to_dict())
        except Exception as error:
            if type(error).__name__ != "DataNotFoundError":
                raise
            say(row=missing("needs data that is not here", str(error)).to_dict())
        say(seconds=perf_counter() - started, megabytes=peak_megabytes())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--full" in sys.argv[2:]))
