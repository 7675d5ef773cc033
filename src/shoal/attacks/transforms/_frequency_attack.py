"""Frequency analysis: aliases are as rare as the categories behind them."""

from collections.abc import Mapping

import numpy as np

from shoal.attacks._attack_result import AttackResult, percentiles
from shoal.errors import ParameterError
from shoal.typing import Floats


def guess_aliases(
    published: Mapping[str, int], public: Mapping[object, float]
) -> dict[str, object]:
    """The most likely category of each alias, given how common each is in public.

    Matching the k-th most frequent alias with the k-th most frequent category maximises the
    likelihood over all one-to-one assignments.  Aliases beyond the public categories get no guess.
    """
    aliases = sorted(published, key=lambda a: (-published[a], str(a)))
    categories = sorted(public, key=lambda c: (-public[c], str(c)))
    return dict(zip(aliases, categories, strict=False))


def frequency_attack(
    published: Mapping[str, int],
    public: Mapping[object, float],
    truth: Mapping[str, object],
    *,
    column: str = "column",
    repeats: int = 200,
    random_state: int = 0,
) -> AttackResult:
    """Share of aliases that public marginals give away.

    Parameters
    ----------
    published : mapping of alias to count
        How often each alias occurs in the encoded rows.
    public : mapping of category to count or share
        What the attacker knows of the column from elsewhere.
    truth : mapping of alias to category
        The real table, to score the guess.
    column : str
        Name for the report.
    repeats : int
        Resamplings of the published rows behind the interval.
    random_state : int
        Seed of the resamplings.

    Returns
    -------
    AttackResult
        `risk` is the share of aliases recovered; ``details["rows"]`` the share of rows whose
        category is.  The baseline is a random assignment: one alias recovered in expectation.

    Examples
    --------
    >>> published = {"a_1": 60, "a_2": 30, "a_3": 10}
    >>> truth = {"a_1": "flu", "a_2": "gout", "a_3": "cold"}
    >>> found = frequency_attack(published, {"flu": 0.5, "gout": 0.3, "cold": 0.2}, truth)
    >>> found.risk, found.details["rows"]
    (1.0, 1.0)
    """
    if not published or not public:
        raise ParameterError(f"column '{column}': frequency analysis needs counts on both sides.")
    risk, rows = _score(guess_aliases(published, public), published, truth)
    rng = np.random.default_rng(random_state)
    names = list(published)
    counts: Floats = np.array([published[name] for name in names], np.float64)
    drawn = rng.multinomial(int(counts.sum()), counts / counts.sum(), repeats)
    shares = []
    for sample in drawn:
        again = {name: int(n) for name, n in zip(names, sample, strict=True)}
        shares.append(_score(guess_aliases(again, public), again, truth)[0])
    low, high = percentiles(np.array(shares))
    return AttackResult(
        attack=f"frequency analysis of '{column}'",
        measure="share of aliases recovered",
        risk=risk,
        low=min(low, risk),
        high=max(high, risk),
        baseline=1 / max(len(published), len(public)),
        trials=len(published),
        details={"rows": rows, "rows_baseline": float(counts.max() / counts.sum())},
    )


def _score(
    guess: Mapping[str, object], published: Mapping[str, int], truth: Mapping[str, object]
) -> tuple[float, float]:
    right = [alias for alias in published if alias in guess and guess[alias] == truth[alias]]
    total = sum(published.values())
    return len(right) / len(published), sum(published[alias] for alias in right) / max(total, 1)
