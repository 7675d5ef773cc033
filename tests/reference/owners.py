"""Owners of a table in a process of their own making: seats on threads, any of which may fail."""

import threading

import numpy as np

from shoal.parties import memory_pair
from shoal.secure import FirstParty, Helper, Owner, SecondParty, TablePart
from shoal.secure.owners._memory import without_rows


def split_rows(codes, arities, count, seed=0):
    """A table in as many parts, by rows, of different sizes; the last one may be empty."""
    names = [f"a{i}" for i in range(len(arities) - 1)] + ["class"]
    values = [[f"v{j}" for j in range(a)] for a in arities]
    owner = np.random.default_rng(seed).integers(0, count, len(codes))
    return {f"owner{i}": TablePart(names, values, codes[owner == i], "rows") for i in range(count)}


def run_seats(terms, model, parts, *, wrap=None, timeout=60.0, done=None, progress=None):
    """Fit at every seat; what each one learnt, or the error that ended it.

    `wrap(name, channels)` may replace the lines of a seat, by name; helpers are "first", "second".
    """
    wrap = wrap or (lambda name, channels: channels)
    done, progress = done or {}, progress or {}
    lines = {name: [memory_pair(timeout=timeout) for _ in range(2)] for name in terms.owners}
    between = memory_pair(timeout=timeout)
    public = without_rows(next(iter(parts.values())))
    results, seats = {}, {}

    def seat_of(name, rank, kind):
        if kind is None:
            ends = wrap(name, [pair[0] for pair in lines[name]])
            seats[name] = Owner(*ends, terms, pace=0)
            return seats[name]
        ends = wrap(name, [between[rank], *(pairs[rank][1] for pairs in lines.values())])
        seats[name] = Helper(kind(ends[0]), dict(zip(terms.owners, ends[1:], strict=True)), terms)
        return seats[name]

    def work(name, rank=0, kind=None):
        try:
            seat = seat_of(name, rank, kind)
            more = {"done": done.get(name), "progress": progress.get(name)}
            results[name] = model().fit(public if kind else parts[name], seat, **more)
        except Exception as error:
            results[name] = error
        finally:
            own = [between[rank]] if kind else []
            own += [
                pairs[rank][1] if kind else pair[0]
                for owner, pairs in lines.items()
                if kind or owner == name
                for pair in ([None] if kind else pairs)
            ]
            for end in own:
                end.close()

    threads = [
        threading.Thread(target=work, args=("first", 0, FirstParty)),
        threading.Thread(target=work, args=("second", 1, SecondParty)),
        *(threading.Thread(target=work, args=(name,)) for name in terms.owners),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results, seats
