"""Joint spans of several trees: classes are named and listed when asked for."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from shoal.audit import audit
from tests.audit.people import random_people


def grown(seed):
    case = random_people(seed, whole=True)
    model = RandomForestClassifier(4, max_depth=2, random_state=seed)
    model.fit(case.table[list("abcd")], case.table["y"])
    return case, model, audit(model, case.table, case.schema, k=3)


def test_every_class_of_every_span_has_a_name_and_a_population():
    seen = 0
    for seed in range(12):
        case, model, found = grown(seed)
        names = list(found.bins.names)
        assert len(names) == len(set(names)) == len(found.bins) == len(found.bins.population)
        for span in range(found.spans.n_spans):
            own = found.spans.bins_of(span)
            assert len(own) == found.spans.n_bins[span]
            assert (np.diff(own) > 0).all()
            assert own[-1] < len(names)
            seen += len(own)
        told = found.spans.to_dict()["bins"]
        assert [len(one) for one in told] == found.spans.n_bins.tolist()
        leaves = [n for n in names if n.startswith("tree 0 ")]
        if leaves:
            of_tree = [p for n, p in zip(names, found.bins.population, strict=True) if n in leaves]
            assert sum(of_tree) == len(case.table)
            ends = model.estimators_[0].tree_.apply(
                case.table[list("abcd")].to_numpy().astype(np.float32)
            )
            assert sorted(of_tree)[-1] == np.bincount(ends).max()
    assert seen > 100


def test_names_are_a_sequence():
    _, _, found = grown(0)
    names = found.bins.names
    assert names[:2] == tuple(list(names)[:2])
    assert [*names[len(names) - 1 :]] == [list(names)[-1]]


def test_breaches_name_trees_and_tests():
    breaches = [breach for seed in range(6) for breach in grown(seed)[2].breaches]
    assert breaches
    for breach in breaches:
        assert 1 <= len(breach.causes) <= 3
        assert all(cause.startswith("tree ") and "leaf" in cause for cause in breach.causes)
