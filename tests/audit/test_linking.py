"""The linking attack on models, released tables and two releases of the same people."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from shoal.audit import linking_attack
from shoal.errors import ParameterError, SchemaError
from shoal.schema import Schema
from tests.extras import need

pd = need("pandas")

SCHEMA = Schema(
    {
        "name": {"role": "identifier"},
        "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": [2]}},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "ill": {"role": "sensitive"},
    }
)
PEOPLE = pd.DataFrame(
    {
        "name": ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay"],
        "zip": ["1101", "1101", "1203", "1204", "1205", "1206"],
        "age": [20, 25, 31, 38, 35, 44],
        "ill": ["flu", "flu", "flu", "hiv", "cold", "hiv"],
    }
)
RELEASED = pd.DataFrame(
    {
        "zip": ["11**", "11**", "12**", "12**", "12**", "12**"],
        "age": ["[20-29]", "[20-29]", "[30-39]", "[30-39]", "[30-39]", "*"],
        "ill": PEOPLE["ill"],
    }
)


def values(found, row):
    return found.person(row)["values"]


def test_a_released_table_homogeneity_and_overlap():
    found = linking_attack(RELEASED, PEOPLE, SCHEMA)
    assert values(found, 0) == {"flu": 1.0}  # two people, one illness
    assert found.hides_among.tolist() == [2, 2, 4, 4, 4, 1]
    assert values(found, 2) == {"flu": 0.25, "hiv": 0.5, "cold": 0.25}  # two groups fit Cid
    assert values(found, 5) == {"hiv": 1.0}  # only the starred row fits Fay
    told = found.summary
    assert told.details["certain"] == 3
    assert told.details["several_groups"] == 3
    assert told.baseline == pytest.approx(0.5)
    assert told.risk == pytest.approx((2 + 1 + 1) / 6)
    assert told.low < told.risk < told.high


def test_background_knowledge():
    """Whoever knows what Dan and Fay have is sure of less, and of more."""
    table = RELEASED.assign(age=["[20-29]", "[20-29]", *["[30-49]"] * 4])
    found = linking_attack(table, PEOPLE, SCHEMA, known=[3, 5])
    assert values(found, 2) == {"flu": 0.5, "cold": 0.5}
    assert found.summary.trials == 4


def test_two_releases_intersect():
    one = RELEASED.assign(age=["[20-29]", "[20-29]", *["[30-49]"] * 4])
    alone = linking_attack(one, PEOPLE, SCHEMA)
    both = linking_attack(one, PEOPLE, SCHEMA, second=RELEASED)
    assert set(values(both, 5)) == {"hiv"}
    assert set(values(alone, 5)) == {"hiv", "flu", "cold"}
    assert both.summary.risk >= alone.summary.risk


def test_a_model():
    """Lisa, John, ...: three people in each span, as in worked example 1."""
    table = pd.DataFrame(
        {
            "marital": ["Unmarried", "Married", "Married", "Married", "Unmarried", "Unmarried"],
            "car": ["Yes", "Yes", "No", "No", "Yes", "No"],
            "risk": ["good", "good", "bad", "bad", "bad", "bad"],
        }
    )
    encode = OrdinalEncoder(categories=[["Married", "Unmarried"], ["No", "Yes"]])
    model = make_pipeline(encode, DecisionTreeClassifier(max_depth=2, random_state=0))
    model.fit(table[["marital", "car"]], table["risk"])

    def schema(car):
        return Schema(
            {
                "marital": {"role": "quasi-identifier"},
                "car": {"role": car},
                "risk": {"role": "sensitive", "target": True},
            }
        )

    found = linking_attack(model, table, schema("sensitive"))
    assert found.hides_among.tolist() == [3] * 6
    assert values(found, 1)["good"] == pytest.approx(1 / 3)
    public = linking_attack(model, table, schema("quasi-identifier"))
    assert public.hides_among[1] == 1
    assert values(public, 1) == {"good": 1.0}
    assert public.summary.details["smallest_group"] == 1
    assert linking_attack(model, table, schema("sensitive"), column="car").column == "car"


def test_nothing_is_learnt_from_a_constant():
    found = linking_attack(lambda rows: np.zeros(len(rows)), PEOPLE, SCHEMA)
    assert np.allclose(found.left, found.left[0])
    assert found.summary.risk == pytest.approx(found.summary.baseline)


def test_what_is_refused():
    with pytest.raises(SchemaError, match="private column to guess"):
        linking_attack(RELEASED, PEOPLE, SCHEMA, column="zip")
    with pytest.raises(ParameterError, match="needs the column 'ill'"):
        linking_attack(RELEASED.drop(columns="ill"), PEOPLE, SCHEMA)
    with pytest.raises(SchemaError, match="released values are not among"):
        linking_attack(RELEASED.assign(ill="gout"), PEOPLE, SCHEMA)


def test_no_value_in_the_repr():
    found = linking_attack(RELEASED, PEOPLE, SCHEMA)
    assert "flu" not in repr(found)
    assert "flu" not in str(found.to_dict())
