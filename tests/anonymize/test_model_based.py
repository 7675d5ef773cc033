"""The table that is equivalent to a tree."""

from collections import Counter

import numpy as np
import pytest
from sklearn.base import clone

from shoal.anonymize import ModelBased, check_table, load_recoding
from shoal.anonymize._model_based import TreeGeneralization
from shoal.anonymize._registry import make_method
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.models import KAnonymousTreeClassifier
from shoal.privacy import (
    AverageRisk,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    TCloseness,
)
from shoal.schema import Schema
from shoal.tables import RowOptions
from tests.extras import need
from tests.models.tables import ROLES, SCHEMA, clients, mortgage, people

pd = need("pandas")
pl = need("polars")

IN_ORDER = RowOptions(keep_order=True)  # rows are compared with those they came from
NAMES = ["gender", "married", "age", "sports car"]


def journal_schema():
    columns = {name: {"role": "quasi-identifier"} for name in NAMES}
    return Schema({**columns, "risk": {"role": "sensitive", "target": True}})


def test_table_2_of_the_journal_paper():
    columns, risk = clients()
    frame = pd.DataFrame(columns)
    tree = KAnonymousTreeClassifier(journal_schema(), 3)
    release = ModelBased(tree).fit(frame.assign(risk=risk), output=IN_ORDER).release_
    rows = Counter(map(tuple, release.table[NAMES].itertuples(index=False)))
    assert rows == {
        ("Male", "*", "Young", "*"): 3,
        ("Male", "*", "Old", "*"): 3,
        ("Female", "No", "*", "*"): 3,
        ("Female", "Yes", "*", "*"): 3,
    }
    assert release.table["risk"].tolist() == risk.tolist()
    # trained on its table, a tree tells the same people apart
    again = KAnonymousTreeClassifier(journal_schema(), 1).fit(release.table[NAMES], risk)
    own = clone(tree).fit(frame, risk).apply(frame)
    told = again.apply(release.table[NAMES])
    assert len(set(zip(own, told, strict=True))) == len(set(own)) == len(set(told)) == 4


def test_a_fitted_tree_with_private_tests_makes_its_spans():
    columns, risk = mortgage()
    frame = pd.DataFrame(columns)
    tree = KAnonymousTreeClassifier(ROLES, 3).fit(frame, risk)
    release = ModelBased(tree).fit(frame.assign(risk=risk), output=IN_ORDER).release_
    assert Counter(release.table["marital status"]) == {"Married": 3, "Unmarried": 3}
    assert release.table["sports car"].tolist() == frame["sports car"].tolist()


@pytest.fixture
def table():
    X, y = people(500, seed=2)
    frame = pd.DataFrame({name: X[name] for name in ("age", "job", "size", "debt")})
    frame["class"] = y
    frame.loc[::10, "age"] = np.nan
    frame.loc[::8, "job"] = None
    return frame


def schema():
    names = ("age", "job", "size", "debt", "class")
    return Schema({name: SCHEMA[name] for name in names})


@pytest.mark.parametrize("splits", ["multiway", "binary"])
@pytest.mark.parametrize("unseen", ["node", "majority"])
@pytest.mark.parametrize("privacy", [KAnonymity(12), KAnonymity(5) & DistinctDiversity(2, "class")])
def test_groups_keep_the_promise_and_follow_the_spans(table, privacy, unseen, splits):
    tree = KAnonymousTreeClassifier(schema(), privacy, unseen=unseen, splits=splits)
    method = ModelBased(tree).fit(table, output=IN_ORDER)
    released = method.release_.table  # counted again on the way
    groups = released.groupby(["age", "job", "size"], dropna=False, observed=True)
    assert groups.size().min() >= privacy.minimum_size
    assert groups.ngroups > 3
    own = method.tree_
    _, span_of_row = own.find_spans(table[["age", "job", "size"]], table["class"])
    written = released[["age", "job", "size"]].fillna("missing").agg("|".join, axis=1)
    for span in range(span_of_row.max() + 1):  # rows of one span are written alike
        assert written[span_of_row == span].nunique() == 1
    assert sorted(released["debt"]) == sorted(table["debt"])


def test_fitting_cells_is_fitting_rows(table):
    frame = table.drop(columns="debt")
    roles = Schema({name: SCHEMA[name] for name in ("age", "job", "size", "class")})
    tree = KAnonymousTreeClassifier(roles, 9)
    method = ModelBased(tree).fit(frame)
    by_rows = clone(tree).fit(frame.drop(columns="class"), frame["class"])
    assert method.tree_.export_text() == by_rows.export_text()
    assert sorted(method.tree_.spans_.population) == sorted(by_rows.spans_.population)
    polars = ModelBased(tree).fit(pl.from_pandas(frame))
    assert polars.tree_.export_text() == by_rows.export_text()


def test_the_recoding_can_be_saved_and_applied(table, tmp_path):
    method = ModelBased(KAnonymousTreeClassifier(schema(), 12)).fit(table)
    method.recoding_.save(tmp_path / "recoding.json")
    again = load_recoding(tmp_path / "recoding.json")
    cells = method.release_.recoded.cells
    first, second = method.recoding_.recode(cells), again.recode(cells)
    assert (first.codes == second.codes).all()
    assert [label.texts for label in first.labels] == [label.texts for label in second.labels]
    new = table.head(5).assign(age=[17.0, 33.3, 90.0, 20.0, 60.0])
    new.loc[new.index[0], "job"] = "never heard"
    told = method.transform(new)
    assert told["job"].iloc[0] == "*"
    assert len(method.transform(new, unseen="suppress")) == 4
    with pytest.raises(SchemaError, match="never saw"):
        method.transform(new, unseen="error")
    paths = method.release_.write(tmp_path / "out.csv")
    assert "leaves" in paths["manifest"].read_text()


def test_what_cannot_be():
    columns, risk = clients()
    frame = pd.DataFrame(columns)
    table = frame.assign(risk=risk)
    with pytest.raises(InfeasibleError):
        ModelBased(KAnonymousTreeClassifier(journal_schema(), 13)).fit(table)
    with pytest.raises(ParameterError, match="schema must be a Schema"):
        ModelBased(KAnonymousTreeClassifier()).fit(table)
    plain = journal_schema().replace(risk={"role": "sensitive"})
    with pytest.raises(SchemaError, match="names no target"):
        ModelBased(KAnonymousTreeClassifier(plain, 3)).fit(table)
    public = journal_schema().replace(risk={"role": "quasi-identifier", "target": True})
    with pytest.raises(SchemaError, match="'risk' is a quasi-identifier"):
        ModelBased(KAnonymousTreeClassifier(public, 3)).fit(table)


BY_NAME = (
    KAnonymity(12),
    KAnonymity(5) & DistinctDiversity(2, "class"),
    KAnonymity(5) & EntropyDiversity(1.3, "class"),
    KAnonymity(4) & TCloseness(0.4, "class"),
    AverageRisk(0.05),
)


@pytest.mark.parametrize("privacy", BY_NAME, ids=lambda privacy: privacy.describe()[:40])
def test_the_method_by_name_makes_the_same_table_and_is_judged(table, privacy, tmp_path):
    parameters = {"max_depth": 3, "splits": "binary", "ranges": "exact"}
    made = make_method("tree", schema(), privacy, parameters)
    method = made.fit(table, output=IN_ORDER)
    tree = KAnonymousTreeClassifier(schema(), privacy, max_depth=3, splits="binary")
    if not isinstance(privacy, AverageRisk):  # which is climbed to, rung by rung
        other = ModelBased(tree).fit(table, output=IN_ORDER).release_
        pd.testing.assert_frame_equal(method.release_.table, other.table)
    paths = method.release_.write(tmp_path / "out.csv")  # judged before it gets its name
    verdict = check_table(tmp_path / "out.csv", Schema.from_toml(paths["schema"]), privacy)
    assert verdict.holds
    assert '"TreeGeneralization"' in paths["manifest"].read_text()
    assert isinstance(method, TreeGeneralization)
    assert "ranges of 'age', 'size' end at values of people" in " ".join(method.release_.notes)
    saved = load_recoding(tmp_path / "out.private" / "recoding.json")
    assert saved.kind == "tree"


def test_ranges_of_the_method_end_on_public_lines(table, tmp_path):
    asked = schema().replace(
        age={"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [10]}}
    )
    release = make_method("tree", asked, 12, {"max_depth": 3}).fit(table).release_
    release.write(tmp_path / "out.csv")
    ranges = {text for text in map(str, release.table["age"]) if text.startswith("[")}
    ends = [tuple(map(int, text[1:-1].split("-"))) for text in ranges]
    assert ends
    assert all(low % 10 == 0 and high % 10 == 9 for low, high in ends)
    assert "'age'" not in " ".join(release.notes)
    saved = load_recoding(tmp_path / "out.private" / "recoding.json")
    assert saved.ranges == "lines"


def test_what_the_method_by_name_refuses(table):
    with pytest.raises(ParameterError, match="ranges must be one of"):
        make_method("tree", schema(), 5, {"ranges": "tight"}).fit(table)
    with pytest.raises(ParameterError, match="criterion must be one of"):
        make_method("tree", schema(), 5, {"criterion": "luck"}).fit(table)
    with pytest.raises(ParameterError, match="has no parameter 'metric'"):
        make_method("tree", schema(), 5, {"metric": "ncp"})
    plain = schema().replace(**{"class": {"role": "sensitive"}})
    with pytest.raises(SchemaError, match="names no target"):
        make_method("tree", plain, 5).fit(table)
