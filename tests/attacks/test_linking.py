"""The linking attack on models, released tables and two releases of the same people."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from shoal.anonymize import ModelBased, Mondrian
from shoal.anonymize._registry import known_methods
from shoal.anonymize._release_files import find_schema
from shoal.attacks import linking_attack
from shoal.audit import audit
from shoal.errors import ParameterError, SchemaError
from shoal.models import KAnonymousClustering, KAnonymousTreeClassifier
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from shoal.schema._text import text
from shoal.tables import RowOptions
from tests.extras import need
from tests.reference import linking as slow

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


def example_linking():
    return (RELEASED, PEOPLE, SCHEMA), {"known": [1]}


def test_a_release_of_a_file_is_attacked_like_that_of_a_frame(tmp_path):
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    for table in (tmp_path / "people.csv", PEOPLE):
        release = Mondrian(SCHEMA, KAnonymity(2)).fit(table).release_
        found = linking_attack(release, table, SCHEMA)
        assert found.summary.details["smallest_group"] == 2
        assert found.summary.trials == 6


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


MIXED = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [5, 10]}},
        "mark": {"role": "quasi-identifier", "kind": "ordinal", "order": ["low", "so-so", "high"]},
        "city": {"role": "quasi-identifier", "hierarchy": {"tree": {"n": ["a", "b"], "s": ["c"]}}},
        "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": [1, 2]}},
        "day": {"role": "quasi-identifier", "kind": "date", "hierarchy": {"dates": ["month"]}},
        "ill": {"role": "sensitive"},
    }
)
PUBLIC = ["age", "mark", "city", "zip", "day"]


def mixed(seed=0, n=60):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 40, n),
            "mark": rng.choice(["low", "so-so", "high"], n),
            "city": rng.choice(list("abc"), n),
            "zip": rng.choice(["0110", "0121", "0123", "1100"], n),
            "day": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 70, n), "D"),
            "ill": rng.choice(["flu", "hiv", "cold"], n, p=[0.6, 0.1, 0.3]),
        }
    )


def structural(release):
    """Whether a label covers a value, by the codes that the recoding keeps beside its text."""
    covered = {}
    for labels in release.recoded.labels:
        code_of = labels.coding.code_of
        for label, low, high in zip(labels.texts, labels.low, labels.high, strict=True):
            inside = {value for value, code in code_of.items() if low <= code <= high}
            covered.setdefault((labels.coding.name, label), set()).update(inside)

    def fits(name, label, value):
        return label == "*" or text(value) in covered[name, text(label)]

    return fits


def rows_of(table, names):
    return [dict(zip(names, row, strict=True)) for row in table[names].itertuples(index=False)]


def agree(found, expected):
    for row, own in enumerate(expected):
        assert values(found, row) == pytest.approx(own), row


def methods():
    more = {
        "mondrian relaxed": lambda s, p: Mondrian(s, p, relaxed=True),
        "model-based": lambda s, p: ModelBased(KAnonymousTreeClassifier(s, p)),
    }
    return {**known_methods(), **more}


@pytest.mark.parametrize("name", methods())
def test_releases_of_every_method_agree_with_row_by_row_matching(name, tmp_path):
    table, schema = mixed(), MIXED
    if name in ("bottom-up", "top-down", "model-based"):
        schema = schema.replace(ill={"role": "sensitive", "target": True})
    release = methods()[name](schema, KAnonymity(4)).fit(table, output=RowOptions()).release_
    found = linking_attack(release, table, schema)
    fits = structural(release)
    rows, private = rows_of(release.table, PUBLIC), release.table["ill"].tolist()
    agree(found, slow.posterior(rows_of(table, PUBLIC), rows, private, fits))
    assert found.hides_among.min() >= 4
    told = found.summary
    assert told.low < told.risk < told.high
    assert told.baseline == pytest.approx(table["ill"].value_counts(normalize=True).max())
    release.write(tmp_path / "out.csv")
    house = Schema.from_toml(find_schema(tmp_path / "out.csv"))  # the published one tells less
    again = linking_attack(tmp_path / "out.csv", table, house)
    assert np.allclose(again.left, found.left)
    assert again.to_dict() == found.to_dict()


def test_overlapping_ranges_let_a_person_fit_several_groups():
    """Relaxed Mondrian writes ranges that share their ends."""
    table, schema = mixed(3, 80)[["age", "ill"]], Schema({n: MIXED[n] for n in ("age", "ill")})
    release = Mondrian(schema, KAnonymity(3), relaxed=True).fit(table).release_
    written = pd.DataFrame(
        {"age": ["[18-25]", "[18-25]", "[25-40]", "[25-40]"], "ill": list("abab")}
    )
    people = pd.DataFrame({"age": [20, 25, 25, 30], "ill": list("abab")})
    found = linking_attack(written, people, schema)
    assert found.groups.tolist() == [1, 2, 2, 1]
    assert found.hides_among.tolist() == [2, 4, 4, 2]
    assert linking_attack(release, table, schema).hides_among.min() >= 3


def test_suppressed_rows_kept_as_stars_may_be_anybodys():
    released = RELEASED.assign(age=["[20-29]", "[20-29]", *["[30-39]"] * 3, "*"])
    released.loc[5, "zip"] = "*"
    found = linking_attack(released, PEOPLE, SCHEMA)
    assert found.hides_among.tolist() == [3, 3, 4, 4, 4, 1]
    assert values(found, 0) == pytest.approx({"flu": 2 / 3, "hiv": 1 / 3})


def test_sets_in_braces_and_half_open_bands():
    schema = Schema(
        {
            "job": {"role": "quasi-identifier"},
            "dose": {"role": "quasi-identifier", "kind": "numeric"},
            "ill": {"role": "sensitive"},
        }
    )
    people = pd.DataFrame(
        {
            "job": ["cook", "nurse, senior", "nurse", "cook"],
            "dose": [0.5, 1.0, 1.5, -2.0],
            "ill": ["a", "b", "a", "b"],
        }
    )
    released = pd.DataFrame(
        {
            "job": ["{cook, nurse, senior}", "{cook, nurse, senior}", "nurse", "*"],
            "dose": ["[0.5-1)", "[1-2)", "[1-2)", "[-3--1]"],
            "ill": ["a", "b", "a", "b"],
        }
    )
    found = linking_attack(released, people, schema)
    assert found.groups.tolist() == [1, 1, 2, 1]  # the text does not tell "nurse" from a part
    assert [set(values(found, row)) for row in range(4)] == [{"a"}, {"b"}, {"a", "b"}, {"b"}]


def test_half_open_ends_belong_to_the_upper_band():
    schema = Schema(
        {"age": {"role": "quasi-identifier", "kind": "numeric"}, "ill": {"role": "sensitive"}}
    )
    people = pd.DataFrame({"age": [17, 18, 65], "ill": ["a", "b", "c"]})
    released = pd.DataFrame({"age": ["<18", "[18-65)", ">=65"], "ill": ["a", "b", "c"]})
    found = linking_attack(released, people, schema)
    assert found.groups.tolist() == [1, 1, 1]
    assert found.summary.details["certain"] == 3


def random_release(seed):
    """People and a release of bands of ages, of which some overlap, and masked codes."""
    rng = np.random.default_rng(seed)
    people = pd.DataFrame({"name": "", "age": rng.integers(20, 50, 12)})
    people.insert(1, "zip", rng.choice(["1101", "1203", "1204"], 12))
    people["ill"] = rng.choice(["flu", "hiv", "cold"], 12)
    low = people["age"] - rng.integers(0, 6, 12)
    high = people["age"] + rng.integers(0, 6, 12)
    released = pd.DataFrame({"zip": people["zip"].str[:2] + "**", "ill": people["ill"]})
    released["age"] = [f"[{a}-{b}]" for a, b in zip(low, high, strict=True)]
    return people, released


def plain_fits(name, label, value):
    if name == "zip":
        return str(value)[:2] == label[:2]
    low, high = label[1:-1].split("-")
    return int(low) <= value <= int(high)


@pytest.mark.parametrize("seed", range(6))
def test_background_knowledge_and_two_releases_agree_with_the_slow_twin(seed):
    people, released = random_release(seed)
    other = released.assign(age=random_release(seed)[1]["age"], zip="12**")
    other["zip"] = np.where(people["zip"] == "1101", "11**", "12**")
    other["age"] = [f"[{a // 10 * 10}-{a // 10 * 10 + 9}]" for a in people["age"]]
    asked, truth = rows_of(people, ["zip", "age"]), people["ill"].tolist()
    known = [0, 5]
    sides = [
        slow.posterior(asked, rows_of(one, ["zip", "age"]), truth, plain_fits, known, truth)
        for one in (released, other)
    ]
    one = linking_attack(released, people, SCHEMA, known=known)
    prior = slow.shares(truth)
    agree(one, [own or prior for own in sides[0]])
    both = linking_attack(released, people, SCHEMA, known=known, second=other)
    agree(both, [own or prior for own in slow.intersect(*sides, prior)])
    assert both.summary.trials == 10
    assert (both.hides_among <= one.hides_among).all()


@pytest.mark.parametrize("seed", range(4))
def test_probabilities_are_exact_where_everybody_fits_one_group(seed):
    rng = np.random.default_rng(seed)
    people = pd.DataFrame({"name": "", "zip": ["1101"] * 3 + ["1203"] * 3, "age": 30})
    people["ill"] = rng.choice(["flu", "hiv"], 6)
    released = pd.DataFrame({"zip": ["11**"] * 3 + ["12**"] * 3, "age": "*", "ill": people["ill"]})
    rows, private = rows_of(released, ["zip"]), released["ill"].tolist()
    expected = slow.by_assignments(rows_of(people, ["zip"]), rows, private, plain_fits)
    agree(linking_attack(released, people, SCHEMA), expected)


def test_a_clustering_gives_away_no_more_than_its_audit_says():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.integers(0, 6, 80) * 1.0, "c": rng.choice(list("xyz"), 80)})
    schema = Schema(
        {"a": {"role": "quasi-identifier", "kind": "numeric"}, "c": {"role": "sensitive"}}
    )
    model = KAnonymousClustering(schema, 5).fit(table)
    found = linking_attack(model, table, schema)
    judged = audit(model, table, schema, k=5)
    several = ~judged.spans.is_single[judged.span_of_row]
    assert several.any()
    assert found.hides_among[several].min() == judged.safe_k
    assert found.left[several].max() == pytest.approx(max(judged.confidence["c"].values()))


def test_what_is_refused():
    with pytest.raises(ParameterError, match="rows from 0 to 5"):
        linking_attack(RELEASED, PEOPLE, SCHEMA, known=[6])
    with pytest.raises(ParameterError, match="nobody left"):
        linking_attack(RELEASED, PEOPLE, SCHEMA, known=range(6))
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


def test_people_with_several_rows_are_attacked_once():
    """Two patients with three visits each: rows hide nobody, and a value of any visit counts."""
    visits = pd.DataFrame(
        {
            "patient": ["p", "q", "p", "q", "p", "q"],
            "village": ["A", "A", "A", "A", "B", "A"],
            "ill": ["flu", "flu", "flu", "gout", "cold", "flu"],
        }
    )
    schema = Schema(
        {
            "patient": {"role": "subject"},
            "village": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
        }
    )
    found = linking_attack(visits.drop(columns="patient"), visits, schema)
    assert found.summary.trials == 2
    assert found.hides_among.tolist() == [3, 2]  # A: five rows of two people; B: one of one
    assert found.groups.tolist() == [2, 1]
    assert found.summary.risk == 1.0  # flu is the best guess, and everybody had it
    assert found.summary.baseline == 1.0
    rows = linking_attack(
        visits.drop(columns="patient"), visits, schema.replace(patient={"role": "identifier"})
    )
    assert rows.summary.trials == 6
    with pytest.raises(SchemaError, match="an audit counts rows"):
        audit(rows, visits, schema)
