import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, export_text

from shoal.errors import ParameterError, SchemaError
from shoal.federated import (
    AliasTable,
    GradedRanges,
    TransformKey,
    decode_results,
    decode_tree,
    encode,
)
from shoal.federated.transforms._decode_results import (
    decode_centroids,
    decode_contingency,
    decode_items,
    decode_label,
    decode_rules,
    decode_text,
)
from shoal.models import KAnonymousTreeClassifier
from shoal.privacy import KAnonymity

KEY = TransformKey(
    {
        "age": GradedRanges.from_breaks([15, 20, 60, 90]),
        "dose": GradedRanges.uniform(0, 10, 4, decimals=1),
        "disease": AliasTable("Illness", tuple(f"d{i}" for i in range(1, 13))),
        "sex": AliasTable("sex", ("female", "male")),
    }
)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(15, 91, 300), rng.integers(0, 101, 300) / 10])
    Y = np.column_stack([KEY.columns["age"].encode(X[:, 0]), KEY.columns["dose"].encode(X[:, 1])])
    y = (X[:, 0] + 3 * X[:, 1] + rng.normal(0, 10, 300) > 70).astype(int)
    return X, Y, y


@pytest.mark.parametrize(
    "model", [DecisionTreeClassifier(random_state=0), RandomForestClassifier(5, random_state=0)]
)
def test_a_decoded_tree_predicts_from_original_rows_what_it_predicted_from_encoded_ones(
    rows, model
):
    X, Y, y = rows
    labels = np.array(["sex_1", "sex_2"])[y]
    mined = model.fit(Y, labels)
    before = mined.predict(Y)
    decoded, names = decode_tree(mined, KEY, ["num__age", "dose"])
    assert names == ["num__age", "dose"]
    expected = np.where(before == "sex_1", "female", "male")
    np.testing.assert_array_equal(decoded.predict(X), expected)
    np.testing.assert_array_equal(mined.predict(Y), before)  # the miner's model is not changed
    grid = np.array([[a, d / 10] for a in range(15, 91) for d in range(101)])
    published = np.column_stack(
        [KEY.columns["age"].encode(grid[:, 0]), KEY.columns["dose"].encode(grid[:, 1])]
    )
    same = np.where(mined.predict(published) == "sex_1", "female", "male")
    np.testing.assert_array_equal(decoded.predict(grid), same)


def test_indicator_features_get_their_category_in_the_name():
    X = np.array([[0, 1], [1, 0]])
    tree = DecisionTreeClassifier().fit(X, [0, 1])
    _, names = decode_tree(tree, KEY, ["disease_Illness_1", "cat__disease_Illness_12"])
    assert names == ["disease_d1", "cat__disease_d12"]
    with pytest.raises(SchemaError, match="1 feature names were given for a tree over 2"):
        decode_tree(tree, KEY, ["age"])
    with pytest.raises(SchemaError, match="KMeans is not a tree"):
        decode_tree(KMeans(), KEY, ["age"])


def test_rules_keep_their_figures():
    rules = pd.DataFrame(
        {
            "antecedents": [frozenset({"disease=Illness_1", "sex_2"}), frozenset({"other"})],
            "consequents": [frozenset({"Illness_12"}), frozenset({"sex_1"})],
            "support": [0.25, 0.5],
        }
    )
    decoded = decode_rules(rules, KEY)
    assert decoded["antecedents"].tolist() == [{"disease=d1", "male"}, {"other"}]
    assert decoded["consequents"].tolist() == [{"d12"}, {"female"}]
    assert decoded["support"].tolist() == [0.25, 0.5]
    assert rules["consequents"][0] == {"Illness_12"}
    listed = decode_rules([{"if": ("sex_1",), "then": "sex_2", "lift": 1.5}], KEY)
    assert listed == [{"if": ("female",), "then": "male", "lift": 1.5}]
    assert decode_items(["Illness_2", 7], KEY) == {"d2", 7}


def test_contingency_counts_get_their_categories():
    assert decode_contingency({("Illness_1", "sex_2"): 3, "sex_1": 4}, KEY) == {
        ("d1", "male"): 3,
        "female": 4,
    }
    cross = pd.crosstab(
        pd.Series(["Illness_1", "Illness_2"], name="disease"), pd.Series(["sex_1"] * 2, name="sex")
    )
    decoded = decode_contingency(cross, KEY)
    assert decoded.index.tolist() == ["d1", "d2"]
    assert decoded.columns.tolist() == ["female"]
    assert decoded.to_numpy().tolist() == [[1], [1]]


def test_text_with_aliases_and_thresholds_is_read_back():
    text = "age <= 2.50 and Illness_1, (Illness_12) but not Illness_13: sex_2 20%; pager <= 2.5"
    assert decode_text(text, KEY) == (
        "age <= 40 and d1, (d12) but not Illness_13: male 20%; pager <= 2.5"
    )
    assert decode_text("dose > 2.5, dose: 1.25", KEY) == "dose > 3.75, dose: 0.625"
    assert decode_label("sex_1", KEY) == "female"
    assert decode_label(5, KEY) == 5


def test_a_printed_tree_is_read_back(rows):
    _, Y, y = rows
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(Y, y)
    printed = export_text(tree, feature_names=["age", "dose"], decimals=6)
    decoded, names = decode_tree(tree, KEY, ["age", "dose"])
    read = decode_text(printed, KEY)
    real = export_text(decoded, feature_names=names, decimals=6)
    numbers = [float(line.split()[-1]) for line in read.splitlines() if "=" in line]
    expected = [float(line.split()[-1]) for line in real.splitlines() if "=" in line]
    np.testing.assert_allclose(numbers, expected, atol=0.01)


def test_centroids_of_uniform_ranges_are_those_of_the_original_rows(rows):
    X, Y, _ = rows
    inner = X[:, 1] < 10  # the largest value is published as .999
    labels = (X[:, 0] > 50)[inner]
    centres = np.array([Y[inner][labels == c].mean(axis=0) for c in (0, 1)])
    expected = np.array([X[inner][labels == c].mean(axis=0) for c in (0, 1)])
    decoded = decode_centroids(centres, KEY, ["age", "dose"])
    np.testing.assert_allclose(decoded[:, 1], expected[:, 1], atol=1e-9)
    assert np.abs(decoded[:, 0] - expected[:, 0]).max() > 0.5  # uneven ranges: not the mean
    with pytest.raises(SchemaError, match="one column for each of 1 names"):
        decode_centroids(centres, KEY, ["age"])


def test_a_tree_of_shoal_is_read_back():
    rng = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "age": rng.integers(15, 91, 400),
            "disease": rng.choice(KEY.columns["disease"].categories, 400),
        }
    )
    sick = table["disease"].isin(["d1", "d2", "d3"]) | (table["age"] > 60)
    sex = pd.Series(np.where(sick ^ (rng.random(400) < 0.1), "male", "female"), name="sex")
    key = TransformKey({n: KEY.columns[n] for n in ("age", "disease")}, blind=KEY.blind)
    encoded = encode(table, key)
    aliases = sex.map(KEY.columns["sex"].to_alias)
    mined = KAnonymousTreeClassifier(privacy=KAnonymity(10)).fit(encoded, aliases.to_numpy())
    decoded, names = decode_tree(mined, KEY)
    assert names == ["age", "disease"]
    assert decoded.classes_.tolist() == ["female", "male"]
    expected = [KEY.columns["sex"].to_category[a] for a in mined.predict(encoded)]
    assert decoded.predict(table).tolist() == expected
    assert mined.get_n_leaves() == decoded.get_n_leaves() > 2
    shown = decoded.export_text()
    assert "Illness_" not in shown
    assert "sex_" not in shown
    with pytest.raises(SchemaError, match="feature_names are needed"):
        decode_tree(DecisionTreeClassifier(), KEY)


def test_whatever_a_miner_sends_is_read_by_one_function():
    counts = pd.DataFrame({"sex_1": [3, 0]}, index=["Illness_1", "Illness_2"])
    rules = pd.DataFrame({"items": [frozenset({"Illness_2"})], "support": [0.5]})
    assert decode_results("age <= 1.5: Illness_12", KEY) == decode_text(
        "age <= 1.5: Illness_12", KEY
    )
    assert decode_results({"Illness_1": 3}, KEY) == {"d1": 3}
    assert decode_results([{"if": {"Illness_2"}}], KEY) == [{"if": frozenset({"d2"})}]
    read = decode_results(counts, KEY)
    assert (list(read.index), list(read.columns)) == (["d1", "d2"], ["female"])
    assert list(decode_results(counts["sex_1"], KEY).index) == ["d1", "d2"]
    assert decode_results(rules, KEY)["items"].tolist() == [frozenset({"d2"})]
    assert rules["items"].tolist() == [frozenset({"Illness_2"})]  # not changed
    centre = decode_results([[1.0, 1.0]], KEY, ["age", "weight"])
    assert centre.tolist() == decode_centroids([[1.0, 1.0]], KEY, ["age", "weight"]).tolist()
    with pytest.raises(ParameterError, match=r"a ndarray.*feature_names"):
        decode_results(np.zeros((2, 2)), KEY)
