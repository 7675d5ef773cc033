"""Accuracy of naive Bayes fit to publish, beside scikit-learn's on the same ranges.

All columns are public; 30 % of the rows are held out once.  scikit-learn counts every row for
every column, in the same ranges of numbers, and promises nothing.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks._row import Row
from benchmarks.bench_tree_accuracy import _frame, nursery_like
from shoal.datasets import adult
from shoal.models import KAnonymousNaiveBayes

SIZES = (2, 10, 50, 200)
SEEDS = 5


def main(quick: bool = False) -> Iterator[Row]:
    yield from beside_sklearn("nursery-like", *nursery_like(), quick=quick)
    yield from beside_sklearn("Adult", *_frame(adult("train").columns, "income"), quick=quick)


def beside_sklearn(name: str, X: Any, y: Any, *, quick: bool) -> Iterator[Row]:
    held_out = np.random.default_rng(0).random(len(y)) < 0.3
    plain = _plain(X[~held_out], y[~held_out], X[held_out], y[held_out])
    for k in SIZES[:1] if quick else SIZES:
        shares = [
            KAnonymousNaiveBayes(privacy=k, random_state=seed)
            .fit(X[~held_out], y[~held_out])
            .score(X[held_out], y[held_out])
            for seed in range(1 if quick else SEEDS)
        ]
        what = f"naive Bayes, {name}, k = {k}, {len(shares)} draws"
        note = f"{min(shares):.3f} to {max(shares):.3f}"
        peer = "scikit-learn CategoricalNB"
        yield Row(what, float(np.mean(shares)), plain, peer, "share predicted right", note)


def _plain(X: Any, y: Any, new: Any, new_y: Any) -> float:
    from sklearn.compose import make_column_transformer
    from sklearn.naive_bayes import CategoricalNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer, OrdinalEncoder

    texts = [name for name in X if X[name].dtype == object]
    numbers = [name for name in X if name not in texts]
    known = {name: sorted(set(X[name]) | set(new[name])) for name in texts}
    encoder = make_column_transformer(
        (OrdinalEncoder(categories=list(known.values())), texts),
        (KBinsDiscretizer(10, encode="ordinal", quantile_method="averaged_inverted_cdf"), numbers),
    )
    least = [len(values) for values in known.values()] + [10] * len(numbers)
    model = make_pipeline(encoder, CategoricalNB(min_categories=least))
    return float(model.fit(X, y).score(new, new_y))
