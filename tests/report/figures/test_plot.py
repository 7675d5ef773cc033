import pytest

from shoal.anonymize import FullDomain, compare_methods
from shoal.audit import audit
from shoal.discover import survey
from shoal.errors import ParameterError
from shoal.report import measure_frontier, plot
from shoal.schema import Schema
from tests.extras import need

PEOPLE = {"age": [31, 34, 38, 52, 55, 58], "ill": ["yes", "no", "no", "yes", "yes", "no"]}
SCHEMA = Schema(
    {
        "age": {
            "role": "quasi-identifier",
            "kind": "numeric",
            "hierarchy": {"intervals": [10, 40]},
        },
        "ill": {"role": "sensitive", "target": True},
    }
)
RESULTS = {
    "frontier": lambda: measure_frontier(
        PEOPLE, {"full": lambda k: FullDomain(SCHEMA, k)}, [2, 3], n_jobs=1
    ),
    "comparison": lambda: compare_methods(PEOPLE, SCHEMA, 2, methods=["full-domain"]),
    "lattice": lambda: FullDomain(SCHEMA, 2).fit(PEOPLE).lattice_,
    "audit": lambda: audit(lambda rows: rows["age"] > 50, PEOPLE, SCHEMA, 2),
    "survey": lambda: survey(PEOPLE, random_state=0),
}


@pytest.mark.parametrize("name", RESULTS)
def test_whatever_has_a_figure_is_drawn(name, tmp_path):
    need("matplotlib")
    drawn = plot(RESULTS[name](), tmp_path / f"{name}.svg")
    assert "</svg>" in drawn.read_text("utf-8")
    # what is measured against the raw table says that it is not to be published
    assert ("for the house" in drawn.read_text("utf-8")) == (name != "audit")


def test_what_has_no_figure_is_said(tmp_path):
    with pytest.raises(ParameterError, match=r"a dict is no figure.*measure_frontier"):
        plot({"age": [31]}, tmp_path / "people.svg")
    assert not list(tmp_path.iterdir())
