"""Error of k-anonymous ID3 against k, beside ID3 on what top-down specialization releases."""

from __future__ import annotations

import numpy as np

from reproduce._adult import EIGHT, TREE_KS, TREES, People, load_people
from reproduce._evidence import Chart, Evidence, Finding, Line
from reproduce._experiment import Experiment, Setup
from shoal.models import KAnonymousTreeClassifier

_WHERE = "Figure 6"
_QUICK_KS = (10, 750, 1000)
_BAND = (17.1, 19.8)  # 0.3 points, a standard error on 15,060 rows, beyond what is published
_FULL_GAP, _QUICK_GAP = (0.4, 1.0), (0.2, 1.3)  # points; fewer k, larger scatter


def root_test(tree: KAnonymousTreeClassifier) -> tuple[str, int]:
    """Column that the root tests, and how often its values are generalized there."""
    fitted = tree.tree_
    view = fitted.views[fitted.nodes.slot[0]]
    return fitted.attributes[view.attribute].name, int(view.level)


def _run(setup: Setup) -> Evidence:
    people = load_people(EIGHT)
    ks = _QUICK_KS if setup.quick else TREE_KS
    trees, ours, peer = {}, [], []
    for done, k in enumerate(ks):
        setup.progress(done, len(ks), f"ID3, k = {k}")
        trees[k] = people.grow(k)
        ours.append(people.error(trees[k]))
        peer.append(people.top_down_error(k, "gain"))
    plain, pruned = _baselines(people)
    by_k = dict(zip(ks, ours, strict=True))
    findings = [
        *(
            Finding(_WHERE, f"ID3, k = {k}", error, "17.4 to 19.5", *_BAND, unit="%")
            for k, error in by_k.items()
        ),
        *(
            Finding(_WHERE, f"top-down specialization and ID3, k = {k}", error, unit="%")
            for k, error in zip(ks, peer, strict=True)
        ),
        Finding(_WHERE, "ID3 without privacy", plain, unit="%"),
        Finding(_WHERE, "C4.5 without privacy, confidence factor 0.27", pruned, unit="%"),
        Finding(
            "Section 6.1",
            "points below top-down specialization, mean over k",
            float(np.mean(np.subtract(peer, ours))),
            0.6,
            *(_QUICK_GAP if setup.quick else _FULL_GAP),
        ),
        *_roots(trees),
        Finding(
            "Section 6.1",
            "error at k = 1,000 less that at k = 750, points",
            by_k[1000] - by_k[750],
            "below 0",
            high=-0.1,
        ),
    ]
    lines = [
        Line("k-anonymous ID3", ks, ours),
        Line("top-down specialization and ID3", ks, peer),
        Line("ID3 without privacy", ks, [plain] * len(ks)),
        Line("C4.5 without privacy", ks, [pruned] * len(ks)),
    ]
    title = "A tree grown under k loses less than a tree grown on a k-anonymous table"
    return Evidence(
        findings,
        "The paper draws its errors and prints only the axis, 17.4 to 19.5 %; at k = 25 ours is a "
        "little below it. Its top-down specialization chose with the test rows in sight, ours "
        "sees training rows only. The bounds allow one standard error of the test set (0.3 "
        "points) on either side.",
        [Chart(_WHERE, title, "k", "test error, %", lines, log_x=True)],
        {"training rows": len(people.train), "test rows": len(people.test), "columns": EIGHT},
    )


def _baselines(people: People) -> tuple[float, float]:
    """Errors without privacy: ID3, and C4.5 as the paper set it."""
    pruned = people.grow(1, criterion="gain_ratio", confidence_factor=0.27)
    return people.error(people.grow(1)), people.error(pruned)


def _roots(trees: dict[int, KAnonymousTreeClassifier]) -> list[Finding]:
    published = {
        750: ("relationship", 0, "relationship as it is"),
        1000: ("marital-status", 1, "marital-status one level up"),
    }
    return [
        Finding(
            "Section 6.1",
            f"k = {k:,}: the root tests {what} (1 is yes)",
            float(root_test(trees[k]) == (name, level)),
            1,
            1,
            1,
        )
        for k, (name, level, what) in published.items()
    ]


EXPERIMENT = Experiment(
    title="k-anonymous ID3 errs less than ID3 on a k-anonymous table",
    reference=TREES,
    run=_run,
)
