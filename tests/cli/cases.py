"""Cases that the test file of a command brings along for the contract suites.

``CANARY_CASES`` are arguments with the exit code that they must give, by command; ``FORMAT_CASES``
are lines to be run on every file format.
"""

from importlib import import_module
from pathlib import Path

TESTS = Path(__file__).parents[1]


def found_cases(name):
    """What the test files of commands list under a name, in one dictionary."""
    found = {}
    for path in sorted(Path(__file__).parent.rglob("test_*.py")):
        if f"\n{name} = " in path.read_text("utf-8"):  # the others need not be loaded
            module = ".".join(["tests", *path.relative_to(TESTS).with_suffix("").parts])
            found |= getattr(import_module(module), name)
    return found
