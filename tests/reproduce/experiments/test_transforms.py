import numpy as np

from reproduce._apriori import Rule
from reproduce.experiments._transforms import Key

ROWS = {
    "age": np.array([17.0, 30.0, 90.0, 44.0]),
    "education": np.array(["10th", "Masters", "10th", "?"]),
    "sex": np.array(["Male", "Male", "Female", "Male"]),
}


def test_only_ages_and_educations_are_hidden():
    mined = Key.agree(ROWS, seed=1).encode(ROWS)
    np.testing.assert_array_equal(mined["sex"], ROWS["sex"])
    assert not set(mined["education"]) & set(ROWS["education"])
    assert mined["education"][0] == mined["education"][2]
    assert len(set(mined["education"])) == 3
    np.testing.assert_array_equal(np.argsort(mined["age"]), np.argsort(ROWS["age"]))


def test_a_rule_is_read_back():
    key = Key.agree(ROWS, seed=1)
    alias = key.educations.to_alias["Masters"]
    found = Rule(frozenset({("education", alias)}), frozenset({("sex", "Male")}), 1, 1)
    read = key.decode(found)
    assert read.when == {("education", "Masters")}
    assert read.then == {("sex", "Male")}
    assert (read.rows, read.hits) == (1, 1)
