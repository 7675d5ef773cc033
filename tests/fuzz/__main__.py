"""``make fuzz MINUTES=10``: random releases, mutated files, killed writers, new examples of tests.

A finding is printed with the line that makes it again: ``python -m tests.fuzz --seed N --case M``.
"""

import argparse
import secrets
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import count, islice

from tests.fuzz import properties
from tests.fuzz.messages import fuzz_messages, show_message
from tests.fuzz.mutations import fuzz_bytes, show_bytes

PARTS = ("releases", "bytes", "messages", "kills", "properties")
SHOWN = 40
CHUNK = 40


def _chunk(seed, first, end):
    from tests.fuzz.releases import run_many

    return run_many(seed, range(first, first + CHUNK), lambda: time.time() > end)


def fuzz_releases(seed: int, minutes: float, jobs: int, cases: int | None) -> int:
    """Random releases until the time is up or so many cases were tried; the number of findings."""
    end, kinds, seen = time.time() + 60 * minutes, Counter(), Counter()
    firsts = count(0, CHUNK) if cases is None else iter(range(0, cases, CHUNK))
    with ProcessPoolExecutor(jobs) as pool:
        waiting = [pool.submit(_chunk, seed, first, end) for first in islice(firsts, 2 * jobs)]
        while waiting:
            try:
                found, findings = waiting.pop(0).result()
            except BrokenProcessPool:
                seen["a process died"] += 1
                print(f"a process died; try --seed {seed} with single cases", flush=True)  # noqa: T201
                break
            kinds += found
            for case, outcome in findings:
                _show(seed, case, outcome, seen)
            if time.time() < end:
                waiting += [pool.submit(_chunk, seed, first, end) for first in islice(firsts, 1)]
    judged = kinds["in memory"] + kinds["written"] + kinds["broken"]
    print(f"seed {seed}: {judged} releases judged, {dict(kinds)}", flush=True)  # noqa: T201
    return sum(seen.values())


def _show(seed, case, outcome, seen):
    what = f"{outcome.kind}: {outcome.broken[0][:60]}"
    seen[what] += 1
    if seen[what] <= 2 and len(seen) <= SHOWN:  # the same again says nothing new
        print(outcome.kind, *outcome.broken[:3], sep="\n  ")  # noqa: T201
        print(f"  .venv/bin/python -m tests.fuzz --seed {seed} --case {case}", flush=True)  # noqa: T201


def fuzz_kills(seed: int, minutes: float, times: int | None) -> int:
    """Kill writers until the time is up, or so many; 1 when something torn was found."""
    from tests.anonymize import kills

    end = time.time() + 60 * minutes
    try:
        seen = kills.main(times or 10**9, seed, lambda: times is None and time.time() > end)
    except AssertionError as error:
        print(f"seed {seed}: a torn set after kill -9: {error}", flush=True)  # noqa: T201
        return 1
    said = {"none yet" if k is None else f"k = {k}": n for k, n in seen.items()}
    print(f"seed {seed}: {sum(seen.values())} writers killed, found {said}", flush=True)  # noqa: T201
    return 0


def show_case(seed: int, case: int) -> int:
    """Make one case again and say what happens."""
    from tests.fuzz.releases import run_case

    outcome = run_case(seed, case)
    print(outcome.about, outcome.kind, *outcome.broken, sep="\n")  # noqa: T201
    return 1 if outcome.broken else 0


def main() -> int:
    """What the arguments ask for; 1 when something was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, help="first seed; the same seed makes the same cases")
    parser.add_argument("--case", type=int, help="make this case again, and nothing else")
    parser.add_argument("--cases", type=int, help="stop after so many releases or kills")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("tests", nargs="*", help="property tests; all of them without any")
    given = parser.parse_args()
    seed = secrets.randbelow(2**31) if given.seed is None else given.seed
    if given.case is not None:
        show = {"bytes": show_bytes, "messages": show_message}.get(given.only, show_case)
        return show(seed, given.case)
    parts = [given.only] if given.only else list(PARTS)
    if given.tests:
        parts = ["properties"]
    minutes, found = given.minutes / len(parts), 0
    if "releases" in parts:
        found += fuzz_releases(seed, minutes, given.jobs, given.cases)
    if "bytes" in parts:
        found += fuzz_bytes(seed, minutes)
    if "messages" in parts:
        found += fuzz_messages(seed, minutes)
    if "kills" in parts:
        found += fuzz_kills(seed, minutes, given.cases)
    if "properties" in parts:
        found += properties.main(["--minutes", str(minutes), "--seed", str(seed), *given.tests])
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
