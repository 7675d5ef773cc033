"""Run the property tests with fresh examples, round after round.

``make test`` always tries the same examples.  A round tries new ones: seed N of a round fixes the
examples that Hypothesis draws, the order of the tests and the state of every random generator, so
the same seed makes the same round.
"""

import argparse
import os
import secrets
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]


def property_tests(root: Path = ROOT) -> list[str]:
    """Test files that draw examples."""
    files = sorted((root / "tests").rglob("test_*.py"))
    return [str(path.relative_to(root)) for path in files if "@given" in path.read_text("utf-8")]


def command(seed: int, tests: list[str]) -> list[str]:
    """One round, or one test of a round."""
    seeds = [f"--hypothesis-seed={seed}", f"--randomly-seed={seed}"]
    return [sys.executable, "-m", "pytest", "-m", "hypothesis", *seeds, *tests]


def failed_tests(output: str) -> list[str]:
    """Ids that a run reports as failed."""
    lines = (line.split() for line in output.splitlines())
    return [words[1] for words in lines if words[:1] in (["FAILED"], ["ERROR"]) and len(words) > 1]


def run_round(seed: int, tests: list[str], seconds: float) -> str | None:
    """What one round printed; None when the time was up before it ended."""
    environment = os.environ | {"SHOAL_FUZZ": "1"}
    try:
        done = subprocess.run(
            command(seed, tests),
            cwd=ROOT,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode not in (0, 1):  # neither passed nor failed: nothing was tested
        raise SystemExit(done.stdout)
    return done.stdout


def repeat_line(seed: int, test: str) -> str:
    """What to type to see a failure again."""
    words = ["SHOAL_FUZZ=1", ".venv/bin/python", *command(seed, [test])[1:]]
    return " ".join([words[0], *map(shlex.quote, words[1:])])


def main(arguments: list[str] | None = None) -> int:
    """Rounds until the time is up; 1 when a test failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, help="first seed; later rounds count on from it")
    parser.add_argument("tests", nargs="*", help="files or ids; all property tests without any")
    given = parser.parse_args(arguments)
    tests = given.tests or property_tests()
    seed = secrets.randbelow(2**31) if given.seed is None else given.seed
    end, rounds, failures = time.monotonic() + 60 * given.minutes, 0, 0
    while (left := end - time.monotonic()) > 0:
        output = run_round(seed, tests, left)
        if output is None:
            break
        rounds += 1
        failed = failed_tests(output)
        print(f"seed {seed}: {output.strip().splitlines()[-1]}", flush=True)  # noqa: T201
        if failed:
            failures += len(failed)
            print(output, "To repeat:", sep="\n")  # noqa: T201
            print(*(f"  {repeat_line(seed, test)}" for test in failed), sep="\n", flush=True)  # noqa: T201
        seed += 1
    print(f"{rounds} rounds of {len(tests)} files, {failures} failures")  # noqa: T201
    return 1 if failures else 0
