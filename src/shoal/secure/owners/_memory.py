"""Owners and helpers inside one process, for tests and for trying a run out."""

import copy
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from shoal.errors import ParameterError
from shoal.parties import memory_pair
from shoal.parties._channel import Channel
from shoal.secure._party import FirstParty, SecondParty, Settings
from shoal.secure.miners._table_part import TablePart
from shoal.secure.owners._helper import Helper
from shoal.secure.owners._owner import Owner
from shoal.secure.owners._terms import Terms

HELPERS = ("first helper", "second helper")


def run_owners(
    terms: Terms,
    model: Any,
    parts: Mapping[str, TablePart],
    *,
    settings: Settings | None = None,
    timeout: float = 60.0,
) -> dict[str, Any]:
    """Fit a model at every owner and both helpers, in this process.

    Parameters
    ----------
    terms : Terms
        What all agreed on.
    model : SecureID3 or SecureBayesNet
        Fitted copies are returned.
    parts : mapping of str to TablePart
        What each owner holds.
    settings : Settings, optional
        Of the session between the helpers.
    timeout : float, default=60
        Longest wait on any line.

    Returns
    -------
    dict
        The model as each one learnt it: by owner, and ``"first helper"``, ``"second helper"``.

    Examples
    --------
    >>> from shoal.secure import SecureBayesNet
    >>> names, values = ["rain", "wet"], [["no", "yes"], ["no", "yes"]]
    >>> parts = {
    ...     "north": TablePart(names, values, np.array([[0, 0], [1, 1]] * 4)),
    ...     "south": TablePart(names, values, np.array([[1, 1]] * 3)),
    ... }
    >>> learnt = run_owners(Terms(list(parts), most_rows=20), SecureBayesNet(), parts)
    >>> learnt["south"].structure_.to_dict()
    {'rain': [], 'wet': ['rain']}
    """
    if set(parts) != set(terms.owners):
        raise ParameterError("every owner that the terms name needs a part, and nobody else.")
    lines = {name: [memory_pair(timeout=timeout) for _ in HELPERS] for name in terms.owners}
    between = memory_pair(timeout=timeout)
    public = without_rows(next(iter(parts.values())))

    def helper(rank: int, kind: type[FirstParty] | type[SecondParty]) -> Any:
        ends = {name: pairs[rank][1] for name, pairs in lines.items()}
        seat = Helper(kind(between[rank], settings), ends, terms)
        return copy.deepcopy(model).fit(public, seat)

    def owner(name: str) -> Any:
        first, second = (pair[0] for pair in lines[name])
        seat = Owner(first, second, terms, pace=0)  # nobody else is there to look at a clock
        return copy.deepcopy(model).fit(parts[name], seat)

    jobs: dict[str, tuple[Callable[[], Any], list[Channel]]] = {
        HELPERS[0]: (lambda: helper(0, FirstParty), [between[0], *_ends(lines, 0)]),
        HELPERS[1]: (lambda: helper(1, SecondParty), [between[1], *_ends(lines, 1)]),
    }
    for name in terms.owners:
        jobs[name] = (partial(owner, name), [pair[0] for pair in lines[name]])
    return _run(jobs)


def without_rows(part: TablePart) -> TablePart:
    """What a helper knows of the table: names and values."""
    return replace(part, codes=np.zeros((0, len(part.names)), np.int32))


def _ends(lines: Mapping[str, list[Any]], rank: int) -> list[Channel]:
    return [pairs[rank][1] for pairs in lines.values()]


def _run(jobs: Mapping[str, tuple[Callable[[], Any], list[Channel]]]) -> dict[str, Any]:
    """Run all jobs, each on a thread; the error that came first is raised."""
    results: dict[str, Any] = {}
    errors: list[BaseException] = []

    def work(name: str, job: Callable[[], Any], ends: list[Channel]) -> None:
        try:
            results[name] = job()
        except BaseException as error:
            errors.append(error)
        finally:
            for end in ends:
                end.close()

    threads = [
        threading.Thread(target=work, args=(name, job, ends), daemon=True)
        for name, (job, ends) in jobs.items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return {name: results[name] for name in jobs}
