"""Experiments of the papers: which there are, and running one."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from reproduce._evidence import Evidence
from shoal.errors import DataNotFoundError, MissingExtraError, ParameterError
from shoal.typing import Progress

EXPERIMENTS: dict[str, str] = {
    # Name and one line; `two-words` lives in `experiments/_two_words.py` as `EXPERIMENT`.
    "bottom-up": "Tables: error of C4.5 after bottom-up generalization, against K.",
    "scale-up": "Tables: time of bottom-up generalization on enlarged Adult.",
    "mondrian-priorities": "Tables: discernibility of prioritized Mondrian on Adult, against k.",
    "mondrian-credit": "Tables: naive Bayes after prioritized Mondrian on Japanese credit.",
    "kadet-id3": "Trees: error of k-anonymous ID3 against k, beside top-down specialization.",
    "kadet-c45": "Trees: error of k-anonymous C4.5 against k, beside top-down specialization.",
    "classification-metric": "Trees: classification metric of tables made by k-anonymous ID3.",
    "exposure": "Trees: people whose class a tree makes certain, against k.",
    "confidence-limits": "Trees: error under a limit on an attacker's confidence.",
    "quasi-keys": "Quasi-identifiers: keys of Adult and covtype, exact and from samples.",
    "quasi-masking": "Quasi-identifiers: attributes that can be published below a limit.",
    "secure-logarithm": "Two parties: accuracy, gates and time of shared logarithms; a Bayes net.",
    "constrained": "Constrained k-anonymity: violations, suppressed rows, loss and time against k.",
    "transforms": "Keyed transforms: rules, trees and clusters before and after.",
    "random-kernel": "Random kernels on NCCTG lung: joint private, single-site and pooled models.",
}
"""Names of the experiments, and one line on each."""


@dataclass(frozen=True)
class Setup:
    """How an experiment is to be run.

    Parameters
    ----------
    quick : bool
        Fewer rows, splits or values of k: all experiments together take a few minutes.
    seed : int
        Start of everything random.
    progress : callable
        Called with what is done, of how much, and what it is.
    """

    quick: bool
    seed: int
    progress: Progress


@dataclass(frozen=True)
class Experiment:
    """One experiment of one paper.

    Parameters
    ----------
    title : str
        A sentence that claims something.
    reference : str
        Authors, title, venue and year of the paper.
    run : callable
        Does it; raises DataNotFoundError or MissingExtraError where it cannot.
    """

    title: str
    reference: str
    run: Callable[[Setup], Evidence]


@dataclass(frozen=True)
class Outcome:
    """An experiment that was run, or why it was not.

    Parameters
    ----------
    name : str
        As in `EXPERIMENTS`.
    experiment : Experiment
        What was run.
    setup : Setup
        How.
    evidence : Evidence or None
        What it found; None when skipped.
    skipped : str or None
        What is missing and how to get it.
    seconds : float
        Processor time, that of programs it called included: a loaded machine does not change it.
    """

    name: str
    experiment: Experiment
    setup: Setup
    evidence: Evidence | None
    skipped: str | None
    seconds: float

    @property
    def state(self) -> str:
        """`reproduced`, `in part` (a claim is unmet), `differs` (a bound fails) or `skipped`."""
        if self.evidence is None:
            return "skipped"
        if self.evidence.failures:
            return "differs"
        return "in part" if self.evidence.unmet or self.evidence.differences else "reproduced"


def select(names: Sequence[str]) -> list[str]:
    """The experiments asked for, all of them for `all` or nothing; unknown names are an error."""
    unknown = sorted(set(names) - set(EXPERIMENTS) - {"all"})
    if unknown:
        raise ParameterError(
            f"no experiment is called {', '.join(unknown)}; there are {', '.join(EXPERIMENTS)}."
        )
    if not names or "all" in names:
        return list(EXPERIMENTS)
    return [name for name in EXPERIMENTS if name in names]


def load(name: str) -> Experiment:
    """The experiment of that name."""
    module: Any = importlib.import_module(f"reproduce.experiments._{name.replace('-', '_')}")
    found: Experiment = module.EXPERIMENT
    return found


def run(name: str, setup: Setup) -> Outcome:
    """Run one experiment; data or packages that are absent make it skipped, not failed."""
    experiment = load(name)
    began = _processor_time()
    evidence, skipped = None, None
    try:
        evidence = experiment.run(setup)
    except (DataNotFoundError, MissingExtraError) as error:
        skipped = str(error)
    return Outcome(name, experiment, setup, evidence, skipped, _processor_time() - began)


def _processor_time() -> float:
    return sum(os.times()[:4])
