import numpy as np
import pytest

from shoal.anonymize import FullDomain, Mondrian
from shoal.report.dossier._dossier import dossier_file, make_dossier
from shoal.report.dossier._form import QUESTIONS, Form
from shoal.schema import Schema

SCHEMA = Schema(
    {
        "name": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "ill": {"role": "sensitive"},
    }
)
EMPTY = Form({section: dict.fromkeys(keys, "") for section, keys in QUESTIONS.items()})


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    table = {
        "name": [f"person{i}" for i in range(120)],
        "age": rng.integers(18, 90, 120),
        "ill": list(rng.choice(["canaryflu", "gout"], 120)),
    }
    raw = tmp_path / "raw.csv"
    rows = zip(*table.values(), strict=True)
    lines = [",".join(table), *(",".join(map(str, row)) for row in rows)]
    raw.write_text("\n".join(lines) + "\n", "utf-8")

    def released(k):
        Mondrian(SCHEMA, k).fit(raw).release_.write(tmp_path / f"k{k}.csv")
        return tmp_path / f"k{k}.csv", raw

    return released


def test_the_risk_is_counted_again_and_held_against_the_threshold(files):
    release, raw = files(12)
    dossier = make_dossier(release, EMPTY, raw)
    assert dossier.problems == ()
    assert dossier.residual.after <= 1 / 12
    assert dossier.residual.accepted is True
    assert dossier.residual.share_above == 0
    assert "within the threshold of 0.09" in dossier.html
    assert "No people were linked" not in dossier.html
    assert "is no legal advice" in dossier.html
    assert dossier.unanswered == sum(map(len, QUESTIONS.values()))
    assert "canaryflu" not in dossier.html
    assert "person7" not in dossier.html


def test_small_groups_are_above_the_threshold_unless_it_is_higher(files):
    release, _ = files(2)
    dossier = make_dossier(release, EMPTY)
    assert dossier.residual.accepted is False
    assert 0 < dossier.residual.share_above <= 1
    assert "above the threshold of 0.09" in dossier.html
    assert make_dossier(release, Form(EMPTY.answers, 0.5)).residual.accepted is True


def test_rows_that_were_changed_are_said_first(files):
    release, _ = files(12)
    release.write_text(release.read_text("utf-8").rsplit("\n", 2)[0] + "\n", "utf-8")
    dossier = make_dossier(release, EMPTY)
    assert dossier.problems
    assert dossier.residual.accepted is None
    assert "must not be published" in dossier.html


def test_answers_are_text_and_never_markup(files):
    answers = {s: dict(keys) for s, keys in EMPTY.answers.items()}
    answers["context"]["recipient"] = "<script>alert(1)</script>"
    html = make_dossier(files(12)[0], Form(answers)).html
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_the_files_lie_beside_the_release():
    assert dossier_file("out/people.csv", ".toml").as_posix() == "out/people.dossier.toml"
    assert dossier_file("out/people.manifest.json", ".html").name == "people.dossier.html"


def test_attacks_and_utility_are_measured_where_the_raw_table_is_there(files):
    release, raw = files(12)
    with_raw = make_dossier(release, EMPTY, raw, control=raw)
    names = [attack.attack.split(",")[0] for attack in with_raw.measured.attacks]
    assert names == ["singling out", "linkability", "inference", "closest record"]
    assert with_raw.measured.kept.n_raw == 120
    assert "singling out, 2 columns" in with_raw.html
    assert "pMSE ratio" in with_raw.html
    assert "people who were not in the table" in with_raw.html
    assert "canaryflu" not in with_raw.html
    assert [a["attack"] for a in with_raw.to_dict()["attacks"]]
    without = make_dossier(release, EMPTY)
    assert without.measured.attacks == ()
    assert "were not measured: the raw table" in without.html


def test_people_with_several_rows_are_not_taken_for_several_people(tmp_path):
    """Twelve rows of a group may be of three people: the risk is one in three."""
    schema = SCHEMA.replace(name={"role": "subject"})
    table = {
        "name": [f"person{i // 4}" for i in range(24)],
        "age": [30 + i // 12 for i in range(24)],
        "ill": ["flu", "gout"] * 12,
    }
    Mondrian(schema, 3).fit(table).release_.write(tmp_path / "r.csv")
    dossier = make_dossier(tmp_path / "r.csv", EMPTY)
    assert dossier.residual.after >= 1 / 6
    assert dossier.residual.accepted is False
    assert "manifest, by people" in dossier.html


def test_what_was_done_to_coarse_columns_is_said(tmp_path):
    pay = {"role": "insensitive", "kind": "numeric", "round_to": 500, "top": 9000}
    schema = SCHEMA.replace(pay=pay)
    n = 24
    table = {"name": [f"p{i}" for i in range(n)], "age": list(range(n)), "ill": ["flu"] * n}
    table["pay"] = [100 * i for i in range(n)]
    Mondrian(schema, 12).fit(table).release_.write(tmp_path / "r.csv")
    html = make_dossier(tmp_path / "r.csv", EMPTY).html
    assert "by public lines: rounded to 500, not above 9000" in html


def test_shadow_tables_are_made_where_they_are_asked_for(files):
    release, raw = files(12)
    without = make_dossier(release, EMPTY, raw)
    found = make_dossier(release, EMPTY, raw, n_shadows=6)
    assert found.measured.attacks[:-1] == without.measured.attacks
    assert found.measured.attacks[-1].attack == "membership, shadow tables"
    assert "membership, shadow tables" in found.html
    assert "canaryflu" not in found.html


@pytest.mark.parametrize(("left_out", "told"), [(0, True), (1, False), (14, True)])
def test_a_dossier_tells_nothing_of_few_rows_that_were_left_out(left_out, told, tmp_path):
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "hierarchy": {"prefix": [1]}},
            "ill": {"role": "sensitive"},
        }
    )
    ages = [20 + i % 40 for i in range(120)] + [60 + 10 * (i % 4) for i in range(left_out)]
    ills = ["flu" if i % 3 else "gout" for i in range(120)] + ["gout"] * left_out
    raw = {"age": list(map(str, ages)), "ill": ills}
    (tmp_path / "raw.csv").write_text(
        "age,ill\n" + "".join(f"{a},{b}\n" for a, b in zip(*raw.values(), strict=True))
    )
    made = FullDomain(schema, 12, max_suppression=0.2).fit(tmp_path / "raw.csv").release_
    assert made.n_suppressed == left_out
    made.write(tmp_path / "r.csv")
    dossier = make_dossier(tmp_path / "r.csv", EMPTY, tmp_path / "raw.csv")
    assert (dossier.measured.kept is not None) == told
    assert ("rows that would have to change" in dossier.html) == told
    assert ("fewer than 12 rows were left out" in dossier.html) != told
    assert ("nobody was linked" in dossier.html) != told
    if told:
        assert dossier.measured.attacks[2].trials == 120 + left_out
        return
    assert dossier.measured.attacks == ()
    text = (tmp_path / "raw.csv").read_text()
    for other in ("flu", "kuru"):  # what that one person has changes nothing
        (tmp_path / "raw.csv").write_text(text.removesuffix("gout\n") + f"{other}\n")
        assert make_dossier(tmp_path / "r.csv", EMPTY, tmp_path / "raw.csv").html == dossier.html
