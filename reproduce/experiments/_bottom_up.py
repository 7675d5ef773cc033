"""Error of C4.5 on what bottom-up generalization releases, against K."""

from __future__ import annotations

from collections.abc import Callable

from reproduce._adult import BOTTOM_UP, TARGET, People, load_people
from reproduce._classify import Examples, raw_examples, tree_error
from reproduce._evidence import Chart, Evidence, Finding, Line
from reproduce._experiment import Experiment, Setup
from reproduce._weka import find_weka, j48_error
from shoal.anonymize import BottomUpGeneralization, TopDownSpecialization
from shoal.anonymize._anonymizer import Anonymizer
from shoal.datasets._adult import SCALE_UP_COLUMNS
from shoal.privacy import KAnonymity

_WHERE = "Figure 3"
_PUBLISHED = (18.4, 18.5)
_SLACK = 0.63  # two standard errors of a share of 18.4 % of 15,060 test rows
_DEAREST = 1.1  # points beyond nothing generalized, for all K
_OURS = (17.1, 18.8)  # what we reached, for what the paper did not try
_KS, _QUICK_KS = (10, 50, 100, 200, 500), (10, 500)
_GREEDY, _OTHER, _ANNEALED = "greedy", "greedy, trees of top-down specialization", "annealed"
_TOP_DOWN = "top-down specialization"
_LOCAL = (
    "The greedy search: the paper's trees are not printed. With trees that have the leaves and "
    "levels of its table 1 ours falls into a local optimum from K = 200 on, of which the paper "
    "warns; with the trees of top-down specialization it errs in 19 % at K = 100, 200 and 500."
)
_LESS = "K = 10: less is lost than the paper lost."
Judge = Callable[[Examples, Examples], float]


def _run(setup: Setup) -> Evidence:
    people = load_people(SCALE_UP_COLUMNS, hierarchies="iyengar")
    others = load_people(SCALE_UP_COLUMNS, hierarchies="tds")
    name, judge = _judge(setup)
    ks = _QUICK_KS if setup.quick else _KS
    errors: dict[str, list[float]] = {_GREEDY: [], _OTHER: [], _ANNEALED: [], _TOP_DOWN: []}
    seconds = 0.0
    for done, k in enumerate(ks):
        for method, estimator in _methods(people, k, setup).items():
            setup.progress(done, len(ks), f"{method}, K = {k}")
            errors[method].append(judge(*people.release(estimator)))
            if method == _GREEDY:
                seconds = estimator.release_.seconds["solve"]
        setup.progress(done, len(ks), f"{_OTHER}, K = {k}")
        errors[_OTHER].append(judge(*others.release(_greedy(others, k))))
    baseline, worst = _ends(people, judge)
    findings = [
        Finding("Section 6.1", "nothing generalized", baseline, 17.4, 16.9, 17.9, "%"),
        Finding("Section 6.1", "everything generalized", worst, 24.6, 24.55, 24.65, "%"),
        *(
            _finding(method, k, error)
            for method, found in errors.items()
            for k, error in zip(ks, found, strict=True)
        ),
        *(_dearest(method, errors[method], baseline) for method in (_GREEDY, _OTHER, _ANNEALED)),
        Finding("Section 6.1", f"greedy search, K = {ks[-1]}", seconds, "at most 22", unit="s"),
    ]
    lines = [
        *(
            Line(f"bottom-up, {method}", ks, errors[method])
            for method in (_GREEDY, _OTHER, _ANNEALED)
        ),
        Line(_TOP_DOWN, ks, errors[_TOP_DOWN]),
        Line("nothing generalized", ks, [17.4] * len(ks), published=True),
        Line("bottom-up, least", ks, [_PUBLISHED[0]] * len(ks), published=True),
        Line("bottom-up, most", ks, [_PUBLISHED[1]] * len(ks), published=True),
    ]
    title = "Generalizing to K = 500 costs about a point when local optima are escaped"
    return Evidence(
        findings,
        "The paper prints 18.4 to 18.5 % for every K from 10 to 500, and not its trees. Our greedy "
        "search loses less at small K and falls into a local optimum at large ones; where that "
        "is depends on the trees: with those of the top-down paper, which have one level more for "
        "marital status, it stays near the published errors for every K. Annealing, which the "
        "paper names as further work, stays at or below its figures. Where Weka is absent our "
        "C4.5 is the judge.",
        [Chart(_WHERE, title, "K", "test error, %", lines, log_x=True)],
        {"training rows": len(people.train), "test rows": len(people.test), "classifier": name},
        unmet=[
            "The greedy search loses at most 1.1 points up to K = 500: ours up to K = 50, with "
            "other trees 1.5 points at most, annealed up to 500.",
        ],
        bounds="Errors may be two standard errors (0.63 points, of 15,060 test rows) from the "
        "printed range; the baseline half a point, since C4.5 has settings that the paper does "
        "not give.",
    )


def _judge(setup: Setup) -> tuple[str, Judge]:
    """Weka's J48 where it is and there is time, our C4.5 otherwise."""
    jar = None if setup.quick else find_weka()
    if jar is None:
        return "KAnonymousTreeClassifier, gain ratio, k = 1", tree_error
    return "Weka's J48", lambda train, test: j48_error(jar, train, test)


def _methods(people: People, k: int, setup: Setup) -> dict[str, Anonymizer]:
    schema, privacy = people.schema, KAnonymity(k)
    iterations = 1_000 if setup.quick else 5_000
    return {
        _GREEDY: _greedy(people, k),
        _ANNEALED: BottomUpGeneralization(
            schema,
            privacy,
            metric="information",
            ranges="exact",
            search="anneal",
            iterations=iterations,
            random_state=setup.seed,
        ),
        _TOP_DOWN: TopDownSpecialization(schema, privacy, metric="information", ranges="exact"),
    }


def _greedy(people: People, k: int) -> Anonymizer:
    return BottomUpGeneralization(
        people.schema, KAnonymity(k), metric="information", ranges="exact"
    )  # fmt: skip


def _ends(people: People, judge: Judge) -> tuple[float, float]:
    """Errors with nothing generalized, and with nothing left."""
    train, test = (raw_examples(data, people.names, TARGET) for data in (people.train, people.test))
    usual = max(set(train.classes.tolist()), key=train.classes.tolist().count)
    return judge(train, test), 100 * float((test.classes != usual).mean())


def _finding(method: str, k: int, error: float) -> Finding:
    if method == _TOP_DOWN:
        return Finding(_WHERE, f"{method}, K = {k}", error, None, *_OURS, "%")
    low, high = _PUBLISHED[0] - _SLACK, _PUBLISHED[1] + _SLACK
    why = "" if method == _ANNEALED else _LOCAL
    why = _LESS if k == 10 else why
    what = f"bottom-up, {method}, K = {k}"
    return Finding(_WHERE, what, error, "18.4 to 18.5", low, high, "%", differs=why)


def _dearest(method: str, errors: list[float], baseline: float) -> Finding:
    what = f"bottom-up, {method}: most points beyond nothing generalized"
    said, lost = f"at most {_DEAREST}", max(errors) - baseline
    why = "" if method == _ANNEALED else _LOCAL
    return Finding("Section 6.1", what, lost, said, high=_DEAREST, differs=why)


EXPERIMENT = Experiment(
    title="Bottom-up generalization keeps most of what C4.5 learns from Adult",
    reference=BOTTOM_UP,
    run=_run,
)
