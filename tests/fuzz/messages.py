"""Corrupted messages in live runs: two parties, or owners with helpers.

A run with one message changed, oversized, of another type, or later than the limit ends within the
time limit, with an error of Shoal's at the end that was wronged; whoever ends with a model has the
model of the rows, never another one.
"""

import random
import time
from collections import Counter

import numpy as np

from shoal.errors import ShoalError
from shoal.parties import memory_pair
from shoal.parties._channel import _HEADER, MAGIC, VERSION, _digest
from shoal.parties._wire import DTYPES, encode
from shoal.secure import FirstParty, SecondParty, SecureBayesNet, SecureID3, Settings, TablePart
from shoal.secure.owners._terms import Terms
from tests.reference.owners import run_seats

LIMIT = 5.0
ODD_VALUES = [
    None, True, 0, -1, 2**70, 1.5, float("nan"), "", "role", b"", b"x" * 16, [], {}, (),
    [[[]]], {"role": "FirstParty"}, np.zeros(2), np.zeros((0, 2**40)), np.ones((2, 2), bool),
    np.zeros(3, np.uint64), np.zeros(2**18), np.array(7), [np.zeros(1)],
    {"key": np.zeros(1), "sums": None},
]  # fmt: skip
OVERSIZED = 2**22
PAUSE, LATE = 50, 250  # every so many runs, a message that waits a little, or too long


def corrupted(body, rng):
    """A message that was changed in one of many ways."""
    changed = body
    while changed == body:
        changed = _changed(bytearray(body), rng)
    return changed


def _changed(body, rng):
    match rng.randrange(8):
        case 0:  # one bit, mostly near the start, where types, lengths and shapes are
            spot = rng.randrange(min(len(body), 64) if rng.random() < 0.7 else len(body))
            body[spot] ^= 1 << rng.randrange(8)
        case 1:
            del body[rng.randrange(len(body)) :]
        case 2:
            body += rng.randbytes(rng.randrange(1, 40))
        case 3:  # a length or a number of items
            spot = rng.randrange(min(len(body), 64))
            huge = rng.choice([0, 1, 2**16, 2**31, 2**62, 2**64 - 1])
            body[spot : spot + 8] = huge.to_bytes(8, "little")
        case 4:
            return encode(rng.choice(ODD_VALUES))
        case 5:  # another type of array
            spots = [i for i, b in enumerate(body[:400]) if b == ord("A")]
            if spots:
                spot = rng.choice(spots) + 1
                body[spot : spot + 1] = bytes([rng.randrange(len(DTYPES) + 2)])
        case 6:  # far more than anybody expects, in every type that travels
            dtype = np.dtype(rng.choice(DTYPES))
            size = rng.choice([2**10, OVERSIZED]) // dtype.itemsize
            return encode(np.zeros(rng.choice([size, (size // 4, 4), (1, 1, size)]), dtype))
        case _:
            start = rng.randrange(len(body))
            body[start : start + 8] = rng.randbytes(rng.randrange(9))
    return bytes(body)


class Corrupting:
    """A channel whose n-th message leaves in another form, in a frame that is in order."""

    def __init__(self, channel, number, rng, *, digest=True, wait=0.0, limit=LIMIT):
        self._channel, self._number, self._rng = channel, number, rng
        self._digest, self._wait, self.count, self._sent = digest, wait, 0, []

    def __getattr__(self, name):
        return getattr(self._channel, name)

    def __setattr__(self, name, value):
        if name == "timeout":
            self._channel.timeout = value
        super().__setattr__(name, value)

    def send(self, message):
        self.count += 1
        good = encode(message)
        if self.count != self._number:
            self._sent.append(good)
            return self._channel.send(message)
        if self._wait:  # nothing is wrong with it but the hour
            time.sleep(self._wait)
            return self._channel.send(message)
        old = [body for body in self._sent if body != good]
        if old and self._rng.random() < 0.15:  # a message that was sent before
            bad = self._rng.choice(old)
        else:
            bad = corrupted(good, self._rng)
        digest = _digest(bad if self._digest else good)
        announced = self._rng.choice([2**28 + 1, 2**63]) if self._rng.random() < 0.03 else len(bad)
        head = _HEADER.pack(MAGIC, VERSION, self._channel._next_sent, announced, digest)
        self._channel._next_sent += 1
        return self._channel._write(head + bad)


def parts(split):
    """Two parts of a small table."""
    codes = np.random.default_rng(0).integers(0, 2, (12, 3)).astype(np.int32)
    names, values = ["a", "b", "class"], [["x", "y"]] * 3
    if split == "rows":
        return [TablePart(names, values, codes[i::2], "rows") for i in (0, 1)]
    mine = np.broadcast_to([True, False, True], codes.shape)
    return [TablePart(names, values, np.where(m, codes, -1), "cells") for m in (mine, ~mine)]


RUNS = {
    "id3": (lambda: SecureID3("class", max_depth=1, reveal_counts=True), "rows", None),
    "bayes-net": (lambda: SecureBayesNet(max_parents=1), "cells", None),
    "k": (lambda: SecureID3("class", max_depth=1, k=2), "rows", None),
    "strict": (
        lambda: SecureID3("class", max_depth=1, logarithm="strict", terms=2),
        "rows",
        None,
    ),
    "checked": (
        lambda: SecureBayesNet(max_parents=1),
        "cells",
        Settings(check_transfers=True),
    ),
    "paillier": (
        lambda: SecureID3("class", max_depth=1, logarithm="taylor", terms=2),
        "rows",
        Settings(products="paillier", key_bits=2048),
    ),
}
SEATS = {
    "owners": (lambda: SecureID3("class", max_depth=1), "rows"),
    "cells of owners": (lambda: SecureBayesNet(max_parents=1), "cells"),
}


def model_of(fitted):
    """What a run is for."""
    return fitted.tree_ if hasattr(fitted, "tree_") else fitted.structure_


def both_ends(name, number, seed, who, *, digest=True, wait=0.0, limit=LIMIT):
    """Fit at both ends with one corrupted message: models or errors, and messages of that end."""
    model, split, settings = RUNS[name]
    rng, counted = random.Random(seed), []

    def half(kind, part, corrupts):
        def start(line):
            if corrupts:
                line = Corrupting(line, number, rng, digest=digest, wait=wait)
                counted.append(line)
            try:
                return model_of(model().fit(part, kind(line, settings)))
            except ShoalError as error:
                return error

        return start

    one, two = parts(split)
    ends = memory_pair(timeout=limit)
    results = _two_threads(
        (half(FirstParty, one, who == 0), ends[0]), (half(SecondParty, two, who == 1), ends[1])
    )
    return results, counted[0].count


def _two_threads(*halves):
    from concurrent.futures import ThreadPoolExecutor

    def work(function, end):
        try:
            return function(end)
        finally:
            end.close()

    with ThreadPoolExecutor(2) as pool:
        return [future.result() for future in [pool.submit(work, *half) for half in halves]]


def all_seats(name, number, seed, who, *, wait=0.0, limit=LIMIT):
    """Fit at two owners and both helpers, with one corrupted message of one of the four."""
    rng, counted = random.Random(seed), []
    model, split = SEATS[name]
    own = dict(zip(("north", "south"), parts(split), strict=True))

    def wrap(seat, channels):
        if seat != who:
            return channels
        spot = rng.randrange(len(channels))
        counted.append(Corrupting(channels[spot], number, rng, wait=wait))
        return [counted[0] if i == spot else line for i, line in enumerate(channels)]

    terms = Terms(["north", "south"], most_rows=16, answer_seconds=limit)
    results, _ = run_seats(terms, model, own, wrap=wrap, timeout=limit)
    found = [r if isinstance(r, Exception) else model_of(r) for r in results.values()]
    return found, counted[0].count


CASES = [
    *(
        (both_ends, name, who)
        for name in ("id3", "bayes-net", "k", "strict", "checked")
        for who in (0, 1)
    ),
    *((all_seats, name, who) for name in SEATS for who in ("first", "second", "north", "south")),
]
_EXPECTED: dict = {}


def run_case(case):
    """One corrupted run; what is wrong with how it ended, or how it ended rightly."""
    run, name, who = CASES[case % len(CASES)]
    if (name, who) not in _EXPECTED:
        results, total = run(name, -1, 0, who, limit=60.0)  # nobody is late on a busy machine
        _EXPECTED[name, who] = results[0], total
    expected, total = _EXPECTED[name, who]
    wait = 0.2 if case % PAUSE == PAUSE - 1 else 0.0
    wait = 1.2 * LIMIT if case % LATE == LATE - 1 else wait
    begun = time.monotonic()
    results, _ = run(name, 1 + (case // len(CASES)) % total, case, who, wait=wait)
    took = time.monotonic() - begun
    errors = [result for result in results if isinstance(result, Exception)]
    if took > 4 * LIMIT:
        return f"took {took:.0f} s"
    foreign = [error for error in errors if not isinstance(error, ShoalError)]
    if foreign:
        return f"an error that is not ours: {type(foreign[0]).__name__}"
    if any(result != expected for result in results if not isinstance(result, Exception)):
        return "another model"
    if 0 < wait < LIMIT and errors:
        return "a short pause was an error"
    return None if errors else "unharmed"


def fuzz_messages(seed, minutes):
    """Corrupted runs until the time is up; the number of findings."""
    end, kinds, case = time.time() + 60 * minutes, Counter(), seed * 10**6
    first = case
    while time.time() < end:
        found = run_case(case)
        kinds[found or "an error"] += 1
        if found not in (None, "unharmed"):
            again = f"  .venv/bin/python -m tests.fuzz --only messages --case {case}"
            print(found, again, sep="\n", flush=True)  # noqa: T201
        case += 1
    print(f"seed {seed}: {case - first} corrupted runs, {dict(kinds)}", flush=True)  # noqa: T201
    return sum(n for kind, n in kinds.items() if kind not in ("an error", "unharmed"))


def show_message(_seed, case):
    """Make one corrupted run again and say what happens."""
    found = run_case(case)
    print(found or "an error", flush=True)  # noqa: T201
    return 0 if found in (None, "unharmed") else 1
