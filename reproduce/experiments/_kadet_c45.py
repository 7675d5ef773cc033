"""Error of k-anonymous C4.5 against k, beside C4.5 on what top-down specialization releases."""

from __future__ import annotations

import numpy as np

from reproduce._adult import TREE_KS, TREES, load_people
from reproduce._evidence import Chart, Evidence, Finding, Line
from reproduce._experiment import Experiment, Setup

_WHERE = "Figure 4 (2006)"
_QUICK_KS = (100,)
_FULL_GAP, _QUICK_GAP = (2.5, 3.5), (2.0, 4.5)  # points around the published 3


def _run(setup: Setup) -> Evidence:
    people = load_people(None)
    ks = _QUICK_KS if setup.quick else TREE_KS
    ours, peer = [], []
    for done, k in enumerate(ks):
        setup.progress(done, len(ks), f"C4.5, k = {k}")
        ours.append(people.error(people.grow(k, criterion="gain_ratio")))
        peer.append(people.top_down_error(k, "gain_ratio"))
    plain = people.error(people.grow(1, criterion="gain_ratio"))
    gaps = np.subtract(peer, ours)
    findings = [
        *(
            Finding(_WHERE, f"C4.5, k = {k}", error, unit="%")
            for k, error in zip(ks, ours, strict=True)
        ),
        *(
            Finding(_WHERE, f"top-down specialization and C4.5, k = {k}", error, unit="%")
            for k, error in zip(ks, peer, strict=True)
        ),
        Finding(_WHERE, "C4.5 without privacy", plain, low=14.2, high=15.2, unit="%"),
        Finding(
            "Section 4.1 (2006)",
            "points below top-down specialization, mean over k",
            float(gaps.mean()),
            3,
            *(_QUICK_GAP if setup.quick else _FULL_GAP),
        ),
        Finding(
            "Section 4.1 (2006)",
            "points below top-down specialization, least over k",
            float(gaps.min()),
            "above 0",
            low=0.5,
        ),
    ]
    lines = [
        Line("k-anonymous C4.5", ks, ours),
        Line("top-down specialization and C4.5", ks, peer),
        Line("C4.5 without privacy", ks, [plain] * len(ks)),
    ]
    title = "With 14 quasi-identifiers, anonymizing the table first costs three points"
    return Evidence(
        findings,
        "The paper draws its errors without printing them; the text gives the mean gap. Weka's J48 "
        "gets 14.7 % wrong without privacy, and the bounds for ours are half a point around that. "
        "Top-down specialization chose with the test rows in sight there, ours sees training rows "
        "only.",
        [Chart(_WHERE, title, "k", "test error, %", lines, log_x=True)],
        {"training rows": len(people.train), "test rows": len(people.test), "columns": 14},
    )


EXPERIMENT = Experiment(
    title="k-anonymous C4.5 errs three points less than C4.5 on a k-anonymous table",
    reference=TREES,
    run=_run,
)
