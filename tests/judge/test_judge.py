"""Releases made by hand, good and bad: the checker sees every way in which one can be bad."""

import datetime as dt
import re
from decimal import Decimal
from pathlib import Path

import pytest

from tests.extras import need
from tests.judge.judge import Claim, judge
from tests.judge.labels import Fact
from tests.judge.values import plain, said_by, says

QI, SENSITIVE = Fact("quasi-identifier", "numeric"), Fact("sensitive")
COLUMNS = {
    "name": ["Ada Alvarez", "Ben Bertram", "Cem Cetinkaya", "Dee Dragomir"],
    "age": [31, 34, 52, 58],
    "ill": ["flu", "gout", "flu", "asthma"],
}
FACTS = {"name": Fact("identifier"), "age": QI, "ill": SENSITIVE}
GOOD = "age,ill\n[31-34],flu\n[31-34],gout\n[52-58],asthma\n[52-58],flu\n"


def verdict(tmp_path, text, *, models=({"model": "KAnonymity", "k": 2},), files=(), **other):
    path = tmp_path / "release.csv"
    path.write_text(text, encoding="utf-8", newline="")
    claim = Claim(**({"columns": COLUMNS, "facts": FACTS, "models": list(models)} | other))
    return judge(path, claim, [path, *files])


def test_it_imports_nothing_of_shoal():
    for path in Path(__file__).parent.glob("*.py"):
        assert not re.search(r"^\s*(from|import) shoal", path.read_text(), re.MULTILINE), path


def test_a_good_release_breaks_nothing(tmp_path):
    assert verdict(tmp_path, GOOD) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("age,ill\n[31-34],flu\n[31-34],gout\n[52-57],asthma\n[52-57],flu\n", "not true"),
        ("age,ill\n[31-34],flu\n[31-34],flu\n[52-58],asthma\n[52-58],flu\n", "not true"),
        ("age,ill\n[31-34],flu\n[31-34],gout\n52,flu\n58,asthma\n", "KAnonymity"),
        ('age,ill\n[31-34],flu\n"[31-34]",gout\n*,flu\n*,asthma\n', "KAnonymity"),
        ("age,ill\n[31-34],flu\n[31-34],gout\n", "2 rows where 4"),
        ("age,ill\n[31-34],flu\n[31-34],gout\n*,asthma\n", "KAnonymity"),
        ("age,ill,row\n*,flu,1\n*,gout,2\n*,flu,3\n*,asthma,4\n", "columns are"),
        ('age,ill\n*,flu\n*,gout\n*,"flu"\n*,asthma\n', "one value"),
    ],
)  # fmt: skip
def test_bad_releases_are_seen(tmp_path, text, says):
    assert any(says in sentence for sentence in verdict(tmp_path, text))


def test_a_name_in_any_published_file_is_seen(tmp_path):
    manifest = tmp_path / "release.manifest.json"
    manifest.write_text('{"notes": ["Ben Bertram was left out"]}')
    assert "Ben Bertram" in verdict(tmp_path, GOOD, files=[manifest])[0]


@pytest.mark.parametrize(
    ("model", "holds"),
    [
        ({"model": "DistinctDiversity", "l": 2}, True),
        ({"model": "DistinctDiversity", "l": 3}, False),
        ({"model": "EntropyDiversity", "l": 2}, True),
        ({"model": "EntropyDiversity", "l": 2.1}, False),
        ({"model": "RecursiveDiversity", "c": 1.5, "l": 2}, True),
        ({"model": "RecursiveDiversity", "c": 0.9, "l": 2}, False),
        ({"model": "ConfidenceLimit", "c": 0.5}, True),
        ({"model": "AlphaKAnonymity", "alpha": 0.5, "k": 2}, True),
        ({"model": "AlphaKAnonymity", "alpha": 0.4, "k": 2}, False),
        ({"model": "AlphaKAnonymity", "alpha": 0.4, "k": 2, "values": ("cold",)}, True),
        ({"model": "PSensitive", "p": 2, "k": 2}, True),
        ({"model": "PSensitive", "p": 2, "k": 3}, False),
        ({"model": "TCloseness", "t": 0.25}, True),
        ({"model": "TCloseness", "t": 0.2}, False),
        ({"model": "BetaLikeness", "beta": 1}, True),
        ({"model": "BetaLikeness", "beta": 0.9}, False),
        ({"model": "DeltaDisclosure", "delta": 1}, False),  # no gout among the old
        ({"model": "AverageRisk", "risk": 0.5}, True),
        ({"model": "AverageRisk", "risk": 0.49}, False),
        ({"model": "AverageRisk", "risk": 0.1, "fraction": 0.2}, True),
        ({"model": "CorrectGuesses", "guesses": 2}, True),
        ({"model": "CorrectGuesses", "guesses": 1.9}, False),
        ({"model": "RecordsAtRisk", "share": 0, "threshold": 0.5}, True),
        ({"model": "RecordsAtRisk", "share": 0.9, "threshold": 0.4}, False),
        ({"model": "RiskThresholds", "at_risk": 0, "highest": 0.5, "success": 0.5}, True),
        ({"model": "RiskThresholds", "at_risk": 0.5, "highest": 0.4}, False),
        ({"model": "RiskThresholds", "at_risk": 0, "highest": 0.5, "success": 0.4}, False),
        ({"model": "Uniqueness", "share": 0}, True),
        ({"model": "KMap", "k": 3, "fraction": 0.1}, True),
        ({"model": "KMap", "k": 3, "fraction": 0.5}, False),
    ],
)
def test_models_by_hand(tmp_path, model, holds):
    # two groups with two values each; flu has half of all rows, gout and asthma a quarter
    assert (verdict(tmp_path, GOOD, models=[model]) == []) is holds


@pytest.mark.parametrize(
    ("distance", "t", "holds"),
    [
        ("ordered", 0.34, True),
        ("ordered", 0.33, False),
        ("equal", 0.5, True),
        ("equal", 0.49, False),
    ],
)
def test_closeness_in_order(tmp_path, distance, t, holds):
    # groups {1, 2} and {3, 4} of 1..4: two quarters move two places of three each
    columns = {"age": [1, 2, 8, 9], "pay": [1, 2, 3, 4]}
    facts = {"age": QI, "pay": Fact("sensitive", "numeric")}
    text = "age,pay\n[1-2],1\n[1-2],2\n[8-9],3\n[8-9],4\n"
    model = {"model": "TCloseness", "t": t, "distance": distance}
    assert (verdict(tmp_path, text, columns=columns, facts=facts, models=[model]) == []) is holds


@pytest.mark.parametrize(
    ("model", "holds"),
    [
        ({"model": "RecordsAtRisk", "share": 0.25, "threshold": 0.5}, True),
        ({"model": "RecordsAtRisk", "share": 0.2, "threshold": 0.5}, False),
        ({"model": "Uniqueness", "share": 0.25}, True),
        ({"model": "Uniqueness", "share": 0.2}, False),
    ],
)
def test_models_of_rows_that_are_alone(tmp_path, model, holds):
    text = "age,ill\n*,flu\n*,gout\n*,flu\n58,asthma\n"  # one of four
    assert (verdict(tmp_path, text, models=[model]) == []) is holds


@pytest.mark.parametrize(("delta", "holds"), [(0.6, True), (0.5, False)])
def test_disclosure_by_hand(tmp_path, delta, holds):
    # a third and two thirds where half of all have either: two thirds are 2^0.585 halves
    columns = {"age": [1, 1, 1, 2, 2, 2], "ill": list("abbaab")}
    text = "age,ill\n1,a\n1,b\n1,b\n2,a\n2,a\n2,b\n"
    given = {"columns": columns, "facts": {"age": QI, "ill": SENSITIVE}}
    model = {"model": "DeltaDisclosure", "delta": delta}
    assert (verdict(tmp_path, text, models=[model], **given) == []) is holds


def test_texts_say_what_they_say():
    texts = [None, "", "a", "1", "+1", "1.0", "true", "TRUE", "inf", "-inf", "2020-01-01", "nan"]
    values = [None, 1, 2.5, True, False, float("inf"), dt.date(2020, 1, 1), *texts]
    for text in texts:
        for value in map(plain, values):
            assert (value in said_by(text)) is says(text, value), (text, value)


def test_closeness_in_a_tree(tmp_path):
    above = {"flu": ("chest",), "cough": ("chest",), "gout": ("feet",), "corn": ("feet",)}
    columns = {"age": [1, 2, 8, 9], "ill": ["flu", "gout", "cough", "corn"]}
    facts = {"age": QI, "ill": Fact("sensitive", above=above)}
    text = "age,ill\n[1-2],flu\n[1-2],gout\n[8-9],cough\n[8-9],corn\n"
    for t, holds in ((0.25, True), (0.24, False)):  # half the earth moves within its node
        model = {"model": "TCloseness", "t": t, "distance": "hierarchical"}
        assert (
            verdict(tmp_path, text, columns=columns, facts=facts, models=[model]) == []
        ) is holds


def test_proximity_and_presence(tmp_path):
    columns = {"age": [1, 2, 8, 9], "pay": [10, 20, 10, 11]}
    facts = {"age": QI, "pay": Fact("sensitive", "numeric")}
    text = "age,pay\n[1-2],10\n[1-2],20\n[8-9],10\n[8-9],11\n"
    for model, holds in (
        ({"model": "Proximity", "e": 0.5, "m": 2}, True),
        ({"model": "Proximity", "e": 1, "m": 2}, False),
        ({"model": "DeltaPresence", "low": 0, "high": 0.5}, False),
        ({"model": "DeltaPresence", "low": 0, "high": 0.7}, True),
    ):
        given = {"columns": columns, "facts": facts, "population": {"age": [1, 2, 2, 8, 9, 9]}}
        assert (verdict(tmp_path, text, models=[model], **given) == []) is holds


def test_people_are_counted_where_rows_have_one(tmp_path):
    columns = {"who": ["p1", "p1", "p2", "p3"], "age": [1, 1, 2, 2], "row": [1, 2, 3, 4]}
    facts = {"who": Fact("subject"), "age": QI, "row": Fact("insensitive", "numeric")}
    text = "age,row\n1,1\n1,2\n2,3\n2,4\n"
    assert "KAnonymity" in verdict(tmp_path, text, columns=columns, facts=facts)[0]
    text = "age,row\n*,1\n*,2\n*,3\n*,4\n"
    assert verdict(tmp_path, text, columns=columns, facts=facts) == []


def test_a_mean_of_one_person_is_seen(tmp_path):
    columns, facts = {"age": [30, None]}, {"age": QI}
    text = "age,age_min,age_max,age_mean\n*,30,30,30\n*,30,30,30\n"
    given = {"columns": columns, "facts": facts, "ranges": ("age",)}
    assert "mean" in verdict(tmp_path, text, **given)[0]


def test_values_are_what_they_mean_and_written_once(tmp_path):
    columns = {"age": [1, 1, 1, 1], "x": [20, 20.0, Decimal("20.00"), 2**53 + 1]}
    facts = {"age": QI, "x": Fact("insensitive", "numeric")}
    given = {"columns": columns, "facts": facts}
    assert verdict(tmp_path, "age,x\n1,20\n1,20\n1,20\n1,9007199254740993\n", **given) == []
    assert verdict(tmp_path, "age,x\n1,20\n1,20.0\n1,20\n1,9007199254740993\n", **given)
    assert verdict(tmp_path, "age,x\n1,20\n1,20\n1,20\n1,9007199254740992\n", **given)


def test_side_doors_of_frames_and_files(tmp_path):
    pd, pa, pq = need("pandas"), need("pyarrow"), need("pyarrow.parquet")
    columns = {"age": [1, 1], "ill": ["flu", "flu"]}
    claim = Claim(columns, {"age": QI, "ill": SENSITIVE}, [{"model": "KAnonymity", "k": 2}])
    frame = pd.DataFrame(columns)
    assert judge(frame, claim) == []
    assert "index" in judge(frame.set_axis(["ada", "ben"]), claim)[0]
    kept = frame.assign(ill=pd.Categorical(["flu", "flu"], ["flu", "gout"]))
    assert "category gout" in judge(kept, claim)[0]
    table = pa.table({"age": [1, 1], "ill": pa.array(["flu", "flu"])})
    assert judge(table, claim) == []
    assert "metadata" in judge(table.replace_schema_metadata({"who": "ada"}), claim)[0]
    pq.write_table(table, tmp_path / "good.parquet")
    assert judge(tmp_path / "good.parquet", claim) == []
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "bad.parquet")
    assert "metadata" in judge(tmp_path / "bad.parquet", claim)[0]


def test_missing_in_two_forms_is_two_groups_in_the_file():
    pd = need("pandas")
    frame = pd.DataFrame({"age": pd.Series([None, float("nan")], dtype=object)})
    claim = Claim({"age": [None, None]}, {"age": QI}, [{"model": "KAnonymity", "k": 2}])
    assert "KAnonymity" in judge(frame, claim)[0]


def test_days_and_the_same_days_at_midnight_are_one(tmp_path):
    columns = {"born": [dt.date(2000, 1, 1), dt.datetime(2000, 1, 1)]}
    facts = {"born": Fact("quasi-identifier", "date")}
    assert verdict(tmp_path, "born\n2000-01-01\n2000-01-01\n", columns=columns, facts=facts) == []
