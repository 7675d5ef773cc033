"""`python -m benchmarks [--full] [NAME ...]`: run them, print one table, store it as JSON.

`python -m benchmarks compare A.json B.json` shows what changed between two results;
`python -m benchmarks publish A.json ...` makes them a page of the manual.
Each `bench_NAME.py` has `main(quick: bool)`, which returns or yields `Row`s.
"""

import argparse
import sys
from pathlib import Path

from benchmarks._compare import compare
from benchmarks._publish import publish
from benchmarks._results import default_path, read, results, write
from benchmarks._run import names_in, run_all
from benchmarks._show import HEAD, figures, table


def main(words: list[str]) -> int:
    """Run, compare or publish; 1 where a benchmark did not finish."""
    if words[:1] == ["compare"]:
        parser = argparse.ArgumentParser(prog="benchmarks compare", description=compare.__doc__)
        parser.add_argument("before", type=Path)
        parser.add_argument("after", type=Path)
        given = parser.parse_args(words[1:])
        print(compare(read(given.before), read(given.after)))
        return 0
    if words[:1] == ["publish"]:
        parser = argparse.ArgumentParser(prog="benchmarks publish", description=publish.__doc__)
        parser.add_argument("results", type=Path, nargs="+")
        for path in publish([read(path) for path in parser.parse_args(words[1:]).results]):
            print(path)
        return 0
    return _run(words)


def _run(words: list[str]) -> int:
    known = names_in()
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--full", action="store_true", help="whole tables: an hour, not minutes")
    parser.add_argument("--out", type=Path, help="JSON to write; results/COMMIT.json unless given")
    parser.add_argument("--limit", type=float, help="seconds for each; 300 unless --full")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}")
    given = parser.parse_args(words)
    unknown = sorted(set(given.names) - set(known))
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}")
    limit = given.limit or (None if given.full else 300)
    path = given.out or default_path(given.full, given.names)
    done = list(run_all(given.names or known, given.full, limit, _progress))
    print(table(HEAD, figures(done)), flush=True)
    write(path, results(done, given.full))
    failed = [benchmark.name for benchmark in done if benchmark.failure]
    print(f"\nstored in {path}", file=sys.stderr)
    if failed:
        print(f"did not finish: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _progress(line: str, ended: bool) -> None:
    """A line that is written over on a terminal; elsewhere a line for each that ended."""
    if sys.stderr.isatty():
        print(f"\r\033[K{line[:100]}", end="\n" if ended else "", file=sys.stderr, flush=True)
    elif ended:
        print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
