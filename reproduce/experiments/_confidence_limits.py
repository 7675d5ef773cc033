"""Error of trees whose groups leave an attacker unsure of the class."""

from __future__ import annotations

import numpy as np

from reproduce._adult import EIGHT, TARGET, TREES, People, load_people
from reproduce._evidence import Chart, Evidence, Finding, Line
from reproduce._experiment import Experiment, Setup
from shoal.models import KAnonymousTreeClassifier
from shoal.privacy import ConfidenceLimit, EntropyDiversity
from shoal.privacy.models._diversity import confidence_to_l

_LIMITS = (0.99, 0.97, 0.95, 0.925, 0.9, 0.875, 0.85, 0.8)
_QUICK_LIMITS = (0.95, 0.85)
_USELESS = 0.85  # up to which the papers grow no useful ID3 tree
_CHEAP, _PENALTY = 0.9, 0.6  # from which limit on how many points above no privacy are few
_KINDS = {"ID3": "gain", "C4.5": "gain_ratio"}


def _run(setup: Setup) -> Evidence:
    limits = _QUICK_LIMITS if setup.quick else _LIMITS
    findings = _entropy_findings()
    lines = []
    for name, criterion in _KINDS.items():
        people = load_people(EIGHT if name == "ID3" else None)
        plain = people.error(people.grow(1, criterion=criterion))
        errors = []
        for done, limit in enumerate(limits):
            setup.progress(done, len(limits), f"{name}, confidence at most {limit:.1%}")
            tree = people.grow(ConfidenceLimit(limit), criterion=criterion)
            errors.append(people.error(tree))
            findings += _findings(name, limit, people, tree, plain)
        shown = [100 * limit for limit in limits]
        lines += [
            Line(f"{name} under a limit", shown, errors),
            Line(f"{name} without privacy", shown, [plain] * len(limits)),
        ]
        if name == "ID3":
            findings += _root_findings(people)
    title = "High limits on confidence cost little; below some limit no useful tree is left"
    return Evidence(
        findings,
        "At 85 % some splits of the root are still allowed, where the papers say none is, but all "
        "leaves of that tree predict the same class. The papers draw their errors without printing "
        "them; what counts as no significant penalty (0.6 points, two standard errors of the test "
        "set) is our reading.",
        [Chart("Figure 8", title, "limit on confidence, %", "test error, %", lines)],
        {"training rows": 30_162, "test rows": 15_060},
    )


def _entropy_findings() -> list[Finding]:
    """The example of the text: what 85 % is as a diversity."""
    least = confidence_to_l(0.85)
    return [
        Finding("Section 6.3", "l that stands for 85 %", least, 1.526, 1.5255, 1.5265),
        Finding("Section 6.3", "its logarithm", float(np.log2(least)), 0.61, 0.605, 0.615),
    ]


def _root_findings(people: People) -> list[Finding]:
    _, rows = np.unique(np.array(people.train[TARGET]), return_counts=True)
    share = 100 * float(rows.max() / rows.sum())
    limited = people.grow(ConfidenceLimit(0.95))
    diverse = people.grow(EntropyDiversity(confidence_to_l(0.95)))
    gap = abs(people.error(limited) - people.error(diverse))
    return [
        Finding("Section 6.3", "confidence at the root", share, 75.1, 75.05, 75.15, "%"),
        Finding("Section 6.3", "limit and diversity at 95 %, points apart", gap, None, 0, 0),
    ]


def _findings(
    name: str, limit: float, people: People, tree: KAnonymousTreeClassifier, plain: float
) -> list[Finding]:
    what = f"{name}, at most {limit:.1%}"
    where = "Figure 8" if name == "ID3" else "Figure 6 (2006)"
    assert tree.exposure_ is not None  # the class is private
    error, confidence = people.error(tree), 100 * tree.exposure_.confidence
    guesses = len(np.unique(tree.predict(people.test.select(people.names).columns)))
    useless = name == "ID3" and limit <= _USELESS
    said, most = ("no significant penalty", plain + _PENALTY) if limit >= _CHEAP else (None, None)
    return [
        Finding(where, f"{what}: error", error, said, high=most, unit="%"),
        Finding(where, f"{what}: confidence reached", confidence, high=100 * limit, unit="%"),
        Finding(
            where,
            f"{what}: classes predicted",
            guesses,
            "no useful tree" if useless else "a useful tree",
            *((1, 1) if useless else (2, 2)),
        ),
    ]


EXPERIMENT = Experiment(
    title="A limit on confidence is cheap until it forbids every useful split",
    reference=TREES,
    run=_run,
)
