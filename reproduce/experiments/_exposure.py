"""People whose class a k-anonymous tree makes certain, against k."""

from __future__ import annotations

from reproduce._adult import EIGHT, TREES, People, load_people
from reproduce._evidence import Chart, Evidence, Finding, Line
from reproduce._experiment import Experiment, Setup

_KS = (10, 25, 50, 75, 100, 150, 200, 250, 500, 750, 1000)
_QUICK_KS = (10, 50, 75, 500, 1000)
_C45 = "Section 4.2 (2006)"


def _run(setup: Setup) -> Evidence:
    ks = _QUICK_KS if setup.quick else _KS
    id3 = _exposed(setup, ks, load_people(EIGHT), "ID3", criterion="gain")
    c45 = _exposed(setup, ks, load_people(None), "C4.5", criterion="gain_ratio")
    findings = [
        *(_id3_finding(k, share) for k, share in zip(ks, id3, strict=True)),
        *(_c45_finding(k, share) for k, share in zip(ks, c45, strict=True)),
    ]
    lines = [Line("ID3, 8 columns", ks, id3), Line("C4.5, 14 columns", ks, c45)]
    title = "k-anonymity alone lets some people's class be known for certain"
    return Evidence(
        findings,
        "The paper says that ID3 exposes nobody only beyond k = 750; ours exposes nobody from 750 "
        "on. The paper's curve for ID3 is drawn, not printed: its axis ends at 25 %.",
        [Chart("Figure 7", title, "k", "exposed training rows, %", lines, log_x=True)],
        {"rows": 30_162},
    )


def _exposed(
    setup: Setup, ks: tuple[int, ...], people: People, name: str, **options: str
) -> list[float]:
    """Training rows in percent in groups of one class, for each k."""
    shares = []
    for done, k in enumerate(ks):
        setup.progress(done, len(ks), f"{name}, k = {k}")
        exposure = people.grow(k, **options).exposure_
        assert exposure is not None  # the class is private
        shares.append(100 * exposure.share)
    return shares


def _id3_finding(k: int, share: float) -> Finding:
    what = f"ID3, k = {k}"
    if k > 750:
        return Finding("Figure 7", what, share, 0, 0, 0, "%")
    if k == 750:
        why = "At k = 750 our ID3 exposes nobody, where the paper exposes nobody only beyond it."
        return Finding("Figure 7", what, share, "above 0", 0, unit="%", differs=why)
    return Finding("Figure 7", what, share, "above 0, at most 25", 0.1, 25, "%")


def _c45_finding(k: int, share: float) -> Finding:
    what = f"C4.5, k = {k}"
    if k >= 75:
        return Finding(_C45, what, share, 0, 0, 0, "%")
    return Finding(_C45, what, share, "below 0.5", high=0.5, unit="%")


EXPERIMENT = Experiment(
    title="C4.5 exposes nobody from k = 75 on, ID3 only at large k",
    reference=TREES,
    run=_run,
)
