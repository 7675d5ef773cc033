"""Can I publish this model?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from shoal.audit._carried_rows import RowScan
from shoal.audit._feature_map import encoders_of, last_step, transformed
from shoal.audit._foreign import is_of_library
from shoal.audit._load import check_name
from shoal.audit._model_audit import Breach, ModelAudit, ReleaseKind
from shoal.audit._model_spans import ModelSpans
from shoal.audit._readability import (
    find_carriers,
    open_search,
    row_spans,
    unread_folds,
    unread_init,
    unread_rounds,
    unread_scores,
    unread_target,
)
from shoal.audit._training_table import TrainingTable, read_training_table
from shoal.audit.adapters._adapter import AdapterOptions
from shoal.audit.adapters._registry import find_adapter
from shoal.audit.fits._refitted import uneven_encoders
from shoal.audit.opened._layouts import unknown_entries
from shoal.errors import ParameterError, ShoalError, TableError
from shoal.models import KAnonymousClustering, KAnonymousNaiveBayes, KAnonymousTreeClassifier
from shoal.privacy import KAnonymity, PrivacyModel
from shoal.privacy._promise import refuse_projections
from shoal.privacy.spans._spans import Spans
from shoal.schema import Schema
from shoal.typing import Floats, Native

OWN_MODELS = (KAnonymousTreeClassifier, KAnonymousClustering, KAnonymousNaiveBayes)
"""Published as what :meth:`to_dict` gives, or as a pickle: both are held against the table."""
OF_THE_SEARCH = {"n_tried_", "n_refused_"}
"""What fitted models of Shoal have that their files do not."""
MALFORMED = (
    KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, OverflowError,
)  # fmt: skip
"""What readers of plain JSON stumble over, where a file is not what its library writes."""
RELEASES = ("counts", "frequencies", "majority")
MOST_EXPLAINED = 100  # breaches whose causes are looked up; nobody reads more of them


def audit(
    model: Any,
    table: Native,
    schema: Schema,
    k: int = 10,
    release: ReleaseKind = "counts",
    *,
    privacy: PrivacyModel | None = None,
    domain: Mapping[str, Sequence[Any]] | None = None,
    threshold: float | None = None,
    check_table: bool = True,
    max_points: int = 10_000,
    random_state: int = 0,
) -> ModelAudit:
    """Find out what a model tells about the people it was trained on [FWS08]_.

    Parameters
    ----------
    model : estimator, rules, callable, or path
        A tree, clustering, rule set or naive Bayes of Shoal; a scikit-learn tree, forest, gradient
        boosting, k-means, nearest-centroid, linear or naive Bayes model, alone or in a Pipeline
        with encoders; a model of XGBoost or LightGBM, or the JSON it writes; rules as a table with
        columns `antecedents` and `consequents`; any function of a table; or the path of a file,
        which is audited in a process of its own, with limits, unless it needs trust (then pass
        what `load_model` gives).
    table : table or path
        The training table, with exactly the columns of the schema.
    schema : Schema
        Sensitive columns are private, all others are known to the attacker.
    k : int, default=10
        Rows that every span with more than one equivalence class needs.
    release : {"counts", "frequencies", "majority"}, default="counts"
        What is published with the model.  It does not change spans or breaches, only how certain
        private values become.
    privacy : PrivacyModel, optional
        A condition that spans have to satisfy beside k, diversity for example.
    domain : mapping of str to sequence, optional
        What private attributes can be: a pair ``(low, high)`` for a range of numbers, otherwise a
        list of values.  By default the range or the values in the table, and the leaves of a
        hierarchy.
    threshold : float, optional
        For a linear regression: what is released is whether the prediction exceeds this.
    check_table : bool, default=True
        Refuse a table whose counts are not those of the model.
    max_points : int, default=10_000
        Combinations of private values that are tried for a function; more are sampled.
    random_state : int, default=0
        Seed of that sample.

    Returns
    -------
    ModelAudit
        Spans, breaches, the largest safe k, exposure and a verdict.

    Notes
    -----
    **Guarantee.**  A model is called safe only if it was read completely: wrappers that cannot be
    opened are not called safe, models that keep training rows are unsafe for that reason alone, and
    every array in the object is compared with the rows of the table.  The method is "exact" unless
    the result says otherwise: a row's span is the set of equivalence classes that it can fall in
    when its private values vary over their domains.

    **Assumes** that the attacker knows the public values of everybody, and the domains.

    References
    ----------
    .. [FWS08] A. Friedman, R. Wolff, A. Schuster.  Providing k-anonymity in data mining.
       The VLDB Journal 17, 2008.  doi:10.1007/s00778-006-0039-5

    Examples
    --------
    A function tells who is old and has a car; whether somebody has a car is private.  No group is
    too small, but a function is asked, not read.

    >>> from shoal.schema import Schema
    >>> table = {"age": [30, 40, 70, 80, 90], "car": ["yes", "no", "yes", "no", "no"]}
    >>> schema = Schema(
    ...     {"age": {"role": "quasi-identifier", "kind": "numeric"}, "car": {"role": "sensitive"}}
    ... )
    >>> def predict(rows):
    ...     return (rows["age"] > 65) & (rows["car"] == "yes")
    >>> found = audit(predict, table, schema, k=3)
    >>> found.answer, found.safe_k, found.spans.population.tolist()
    ('cannot tell', 3, [2, 3])
    """
    if not isinstance(k, Integral) or isinstance(k, bool) or k < 1:
        raise ParameterError(f"k must be a whole number of at least 1, got {k!r}.")
    if release not in RELEASES:
        raise ParameterError(f"release must be one of {', '.join(RELEASES)}, got {release!r}.")
    if privacy is not None and not isinstance(privacy, PrivacyModel):
        raise ParameterError("privacy must be a privacy model such as EntropyDiversity(2).")
    is_file = isinstance(model, str | Path)
    if is_file:
        check_name(Path(model))
    training_table = read_training_table(table, schema, domain)
    options = AdapterOptions(threshold, check_table, max_points, random_state, int(k))
    condition: PrivacyModel = KAnonymity(int(k))
    if privacy is not None:
        condition = condition & privacy.bind(tuple(training_table.columns))
    refuse_projections(condition, "a model", schema)
    if is_file:
        from shoal.audit.files._trial_audit import audit_file  # noqa: PLC0415  it begins this file

        read = audit_file(Path(model), training_table, options, condition)
    else:
        read = read_model(model, training_table, options)
    return judge(read, condition, int(k), release)


def read_model(model: Any, table: TrainingTable, options: AdapterOptions) -> ModelSpans:
    """The model as spans with all that was not read, and where it holds training rows."""
    if carriers := find_carriers(model):
        reasons = tuple(f"{kind} keeps training rows" for kind in carriers)
        return replace(row_spans(carriers, table), held=reasons)
    opened, unread = open_search(model)
    try:
        read = find_adapter(opened).read(opened, table, options)
    except MALFORMED as error:
        if isinstance(error, ShoalError) or not _is_written(opened):
            raise
        raise (_malformed(error) if _is_fitted(opened) else _unfitted(opened)) from None
    scan = RowScan(table, options.k, transformed(opened, table))
    told = not read.spans.is_single.all()
    try:
        if isinstance(opened, OWN_MODELS):
            held, closed = _scan_own(scan, opened, tells_something=told)
        else:
            held, closed = scan.scan(model, tells_something=told)
    except ParameterError as refused:  # centroids that are too few people's means
        held, closed = [str(refused).removesuffix(".")], []
    except MALFORMED as error:
        if isinstance(error, ShoalError) or not isinstance(opened, dict | list):
            raise
        raise _malformed(error) from None
    folds = (*unread_target(opened, table), *(unread_folds(opened) if table.columns else ()))
    uneven = uneven_encoders(*encoders_of(opened, table)) if table.columns else ()
    scores = (*unread_scores(opened, table), *(unread_rounds(opened) if told else ()))
    others = (*unread_init(opened), *folds, *scores, *uneven, *unknown_entries(opened))
    unread = (*read.unread, *unread, *others, *closed)
    return replace(read, unread=unread, held=(*read.held, *held))


def _malformed(error: Exception) -> TableError:
    return TableError(
        f"the model is not laid out as its library does it ({type(error).__name__}). "
        "It is damaged or was changed; write it again."
    )


def _is_fitted(model: Any) -> bool:
    """Whether scikit-learn, or a library that keeps its conventions, says that fit was called."""
    try:
        check_is_fitted(last_step(model))
    except NotFittedError:
        return False
    except TypeError:  # no estimator
        return True
    return True


def _unfitted(model: Any) -> TableError:
    name = type(last_step(model)).__name__
    return TableError(f"this {name} is not fitted yet, so it tells nothing. Call fit first.")


def _is_written(model: Any) -> bool:
    """Whether a model is what a library writes: of somebody's own code errors are theirs."""
    return isinstance(model, dict | list) or is_of_library(type(last_step(model)))


def _scan_own(
    scan: RowScan,
    model: KAnonymousTreeClassifier | KAnonymousClustering | KAnonymousNaiveBayes,
    *,
    tells_something: bool,
) -> tuple[list[str], list[str]]:
    """Training rows in the file of a Shoal model, or in a pickle of it."""
    held, closed = scan.scan(_published(model), tells_something=tells_something)
    kind, pickled = type(model), model
    if kind in OWN_MODELS:
        pickled = object.__new__(kind)
        state: Any = kind.__getstate__(model)
        pickled.__dict__.update(state)
        spans = vars(model.spans_)  # without numbers of classes, as in what is published
        pickled.__dict__["spans_"] = {name: spans[name] for name in spans if name != "bins"}
        file = kind.from_dict(model.to_dict())
        known = {*vars(file), *model.get_params(deep=False), *OF_THE_SEARCH}
        closed += [f"{name} is no attribute that Shoal sets" for name in {*vars(pickled)} - known]
    else:
        closed.append(f"{kind.__name__} is a class of its own, which may add anything to a model")
    inside, unread = scan.scan(pickled, tells_something=tells_something)
    return [*dict.fromkeys([*held, *inside])], [*dict.fromkeys([*closed, *unread])]


def _published(
    model: KAnonymousTreeClassifier | KAnonymousClustering | KAnonymousNaiveBayes,
) -> dict[str, Any]:
    """What a model of Shoal publishes, but for spans' lists of class numbers: 0, 1, 2 is no row."""
    data = model.to_dict()
    numbers = set(range(len(data["bins"]["names"])))
    others = [own for own in data["spans"]["bins"] if not numbers.issuperset(own)]
    return data | {"spans": data["spans"] | {"bins": others}}


def judge(model: ModelSpans, condition: PrivacyModel, k: int, release: ReleaseKind) -> ModelAudit:
    """Ask a condition of every span, and sum up what an attacker learns."""
    spans = model.spans
    breaches = tuple(
        Breach(
            span,
            int(spans.population[span]),
            int(spans.n_bins[span]),
            model.explain(span) if rank < MOST_EXPLAINED else (),
        )
        for rank, span in enumerate(_broken(spans, condition))
    )
    shares = {name: _shares(spans, name, release) for name in spans.groups.histograms}
    return ModelAudit(
        kind=model.kind,
        release=release,
        k=k,
        privacy=condition.describe(),
        safe_k=spans.largest_k,
        spans=spans,
        bins=model.bins,
        span_of_row=model.span_of_row,
        breaches=breaches,
        exposed={name: _exposed(spans, name, share) for name, share in shares.items()},
        confidence={name: _highest(spans, name, share) for name, share in shares.items()},
        method=model.method,
        notes=model.notes,
        held=model.held,
        unread=model.unread,
    )


def find_broken(spans: Spans, condition: PrivacyModel) -> list[int]:
    """Spans whose causes are looked up: the smallest of those that break a condition."""
    return _broken(spans, condition)[:MOST_EXPLAINED]


def _broken(spans: Spans, condition: PrivacyModel) -> list[int]:
    broken = np.flatnonzero(spans.breaches(condition))
    rarest_first: list[int] = broken[np.argsort(spans.population[broken], kind="stable")].tolist()
    return rarest_first


def _shares(spans: Spans, name: str, release: ReleaseKind) -> Floats:
    """Certainty about the value of each entry of a histogram, in the span it belongs to.

    Counts and frequencies give its share.  A majority label only tells which value leads: of n
    rows and c values, that at least n / c have it.
    """
    histogram = spans.groups.histograms[name]
    span = histogram.group_of_entry
    size = spans.population[span]
    share = histogram.counts / size
    if release == "majority":
        most = np.zeros(spans.n_spans, np.int64)
        np.maximum.at(most, span, histogram.counts)
        told = -(-size // histogram.coding.n_codes) / size
        share = np.where(histogram.counts == most[span], np.minimum(told, share), 0.0)
    return np.where(spans.is_single[span], 0.0, share)


def _exposed(spans: Spans, name: str, share: Floats) -> int:
    span = spans.groups.histograms[name].group_of_entry
    return int(spans.population[span[share == 1.0]].sum())


def _highest(spans: Spans, name: str, share: Floats) -> dict[str, float]:
    histogram = spans.groups.histograms[name]
    coding = histogram.coding
    if coding.kind in ("numeric", "date"):
        return {"any": float(share.max(initial=0.0))}
    best = np.zeros(coding.n_codes)
    np.maximum.at(best, histogram.codes, share)
    return {
        "missing" if label is None else label: float(highest)
        for label, highest in zip(coding.texts, best, strict=True)
    }
