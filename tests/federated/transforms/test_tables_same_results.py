"""What a miner finds in encoded rows is what it would have found in the original ones."""

import warnings
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from mlxtend.frequent_patterns import apriori, association_rules
from mlxtend.preprocessing import TransactionEncoder
from sklearn.cluster import KMeans
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import MinMaxScaler, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from shoal.federated import AliasTable, GradedRanges, TransformKey, decode, decode_tree, encode
from shoal.federated.transforms._decode_results import (
    decode_centroids,
    decode_contingency,
    decode_rules,
)
from tests.extras import DATA

NUMERIC = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
CATEGORICAL = ["workclass", "education", "marital-status", "occupation", "relationship", "race",
               "sex", "native-country", "income"]  # fmt: skip


@pytest.fixture(scope="module")
def adult():
    if not (DATA / "adult" / "adult.data").exists():
        pytest.skip("needs the Adult data in SHOAL_DATA")
    names = (DATA / "adult" / "columns.txt").read_text().split()
    return pd.read_csv(DATA / "adult" / "adult.data", names=names, skipinitialspace=True)


@pytest.fixture(scope="module")
def key(adult):
    graded = {n: GradedRanges.uniform(adult[n].min(), adult[n].max(), 5) for n in NUMERIC}
    mapped = {n: AliasTable.random(adult[n].unique(), n) for n in CATEGORICAL}
    return TransformKey.create({**graded, **mapped})


@pytest.fixture(scope="module")
def encoded(adult, key):
    return encode(adult, key)


def test_every_value_of_adult_comes_back(adult, key, encoded):
    pd.testing.assert_frame_equal(decode(encoded, key), adult)
    assert not set(encoded["education"]) & set(adult["education"])


@pytest.mark.parametrize("n_groups", [1, 3, 7, 50])
def test_every_numeric_value_of_adult_comes_back_in_order(adult, n_groups):
    for name in NUMERIC:
        values = np.unique(adult[name])
        ranges = GradedRanges.uniform(values[0], values[-1], n_groups)
        published = ranges.encode(values)
        assert (np.diff(published) > 0).all()
        np.testing.assert_array_equal(ranges.decode(published), values)
        assert round(np.corrcoef(values, published)[0, 1], 3) == 1


def test_a_decision_tree_is_the_same(adult, key, encoded):
    """Marital status from the columns of the paper, aliases as indicators."""
    numeric = ["age", "education-num", "hours-per-week", "capital-gain", "capital-loss"]
    inputs = ["workclass", "occupation", "race", "sex"]
    pairs = [(n, c) for n in inputs for c in key.columns[n].categories]

    def features(table, names):
        shown = [np.asarray(table[n] == c, float) for n, c in names]
        return np.column_stack([table[numeric].to_numpy(float), *shown])

    X = features(adult, pairs)
    Y = features(encoded, [(n, key.columns[n].to_alias[c]) for n, c in pairs])
    settings = {"min_samples_leaf": 20, "max_depth": 12, "random_state": 0}
    plain = DecisionTreeClassifier(**settings).fit(X, adult["marital-status"])
    mined = DecisionTreeClassifier(**settings).fit(Y, encoded["marital-status"])
    names = [*numeric, *(f"{n}_{key.columns[n].to_alias[c]}" for n, c in pairs)]
    decoded, shown = decode_tree(mined, key, names)
    assert shown[-1] == f"{pairs[-1][0]}_{pairs[-1][1]}"
    np.testing.assert_array_equal(decoded.tree_.feature, plain.tree_.feature)
    np.testing.assert_array_equal(decoded.tree_.n_node_samples, plain.tree_.n_node_samples)
    # Same path for every row.  (A value that no training row of a node has may lie on the node's
    # threshold, half-way between two that some have; there rounding decides.)
    np.testing.assert_array_equal(decoded.apply(X), plain.apply(X))
    np.testing.assert_array_equal(mined.apply(Y), plain.apply(X))
    numbers = plain.tree_.feature < len(numeric)
    np.testing.assert_allclose(
        decoded.tree_.threshold[numbers], plain.tree_.threshold[numbers], atol=0.51
    )
    np.testing.assert_array_equal(decoded.predict(X), plain.predict(X))
    # The miner breaks ties of a leaf by the order of aliases, decoding by that of categories.
    counts = np.sort(plain.tree_.value[plain.apply(X), 0], axis=1)
    tied = np.isclose(counts[:, -1], counts[:, -2])
    aliases = np.array([key.columns["marital-status"].to_alias[c] for c in plain.predict(X)])
    np.testing.assert_array_equal(mined.predict(Y)[~tied], aliases[~tied])
    assert tied.mean() < 0.01


def mine(items, support):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # mlxtend's use of pandas
        return association_rules(
            apriori(items, min_support=support, use_colnames=True),
            metric="confidence",
            min_threshold=0.3,
        )


def rules_of(frame):
    return {
        (row.antecedents, row.consequents, row.support, row.confidence)
        for row in frame.itertuples(index=False)
    }


def test_apriori_on_groceries_finds_the_same_rules():
    path = DATA / "groceries" / "groceries.csv"
    if not path.exists():
        pytest.skip("needs the Groceries data in SHOAL_DATA")
    baskets = [line.split(",") for line in path.read_text().splitlines()]
    table = AliasTable.random({item for basket in baskets for item in basket}, "Item")
    key = TransformKey.create({"item": table})
    found = []
    for rows in (baskets, [table.encode(basket) for basket in baskets]):
        encoder = TransactionEncoder()
        items = pd.DataFrame(encoder.fit_transform(rows), columns=encoder.columns_)
        found.append(mine(items, 0.01))
    assert len(found[0]) == len(found[1]) == 125
    assert rules_of(found[0]) == rules_of(decode_rules(found[1], key))


def test_apriori_on_adult_finds_the_same_rules(adult, key, encoded):
    found = []
    for table in (adult, encoded):
        found.append(mine(pd.get_dummies(table[CATEGORICAL], prefix_sep="="), 0.2))
    assert len(found[0]) == len(found[1]) > 100
    assert rules_of(found[0]) == rules_of(decode_rules(found[1], key))


def test_naive_bayes_on_mapped_columns_predicts_the_same(adult, key, encoded):
    predictions = []
    for table in (adult, encoded):
        codes = OrdinalEncoder().fit_transform(table[CATEGORICAL[:-1]])
        predictions.append(CategoricalNB().fit(codes, table["income"]).predict(codes))
    back = [key.columns["income"].to_category[a] for a in predictions[1]]
    np.testing.assert_array_equal(back, predictions[0])


def test_contingency_counts_are_the_same(adult, key, encoded):
    plain = pd.crosstab(adult["education"], adult["sex"])
    read = decode_contingency(pd.crosstab(encoded["education"], encoded["sex"]), key)
    pd.testing.assert_frame_equal(read.loc[plain.index, plain.columns], plain)


def clusters(matrix):
    return KMeans(4, n_init=1, random_state=0).fit(matrix)


def test_clusters_are_the_same_with_uniform_ranges_after_rescaling(adult, key, encoded):
    names = ["age", "education-num", "hours-per-week"]
    below = (adult[names] < adult[names].max()).all(axis=1)  # the largest is published as .999
    plain = adult.loc[below, names].to_numpy(float)
    published = encoded.loc[below, names].to_numpy(float)
    one = clusters(MinMaxScaler().fit_transform(plain))
    scaler = MinMaxScaler().fit(published)
    two = clusters(scaler.transform(published))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    centres = decode_centroids(scaler.inverse_transform(two.cluster_centers_), key, names)
    means = [plain[one.labels_ == c].mean(axis=0) for c in range(4)]
    np.testing.assert_allclose(centres, means, atol=0.05)


def test_clusters_are_not_the_same_with_uneven_ranges(adult):
    names = ["age", "hours-per-week"]
    plain = adult[names].to_numpy(float)
    uneven = GradedRanges.from_breaks([17, 20, 22, 25, 90])
    published = np.column_stack([uneven.encode(plain[:, 0]), plain[:, 1]])
    one = clusters(MinMaxScaler().fit_transform(plain)).labels_
    two = clusters(MinMaxScaler().fit_transform(published)).labels_
    same = max((np.array(order)[two] == one).mean() for order in permutations(range(4)))
    assert same < 0.95
