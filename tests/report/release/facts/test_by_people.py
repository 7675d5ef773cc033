"""The promise of a release with a subject or a household, counted again with the raw table."""

import html
import json

import numpy as np
import pandas as pd
import pytest

from shoal import Schema, release
from shoal.anonymize import Mondrian
from shoal.report import release_report
from shoal.tables import RowOptions

CASES = [("subject", name) for name in ("bottom-up", "full-domain", "local", "top-down")]
CASES += [("household", name) for name in ("local", "mondrian")]


def make(tmp_path, role, method, **asked):
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(60), rng.integers(1, 5, 60))
    rows = pd.DataFrame(
        {
            "who": who,
            "age": rng.integers(20, 90, 60)[who] + rng.integers(0, 4, len(who)),
            "ill": rng.choice(["flu", "gout", "cold"], len(who)),
        }
    )
    schema = Schema(
        {
            "who": {"role": role},
            "age": {
                "role": "quasi-identifier",
                "kind": "numeric",
                "hierarchy": {"intervals": [5, 10, 20, 40]},
            },
            "ill": {"role": "sensitive"},
        }
    )
    made = release(rows, schema, method=method, **asked)
    made.write(tmp_path / "out.csv")
    rows.to_csv(tmp_path / "raw.csv", index=False)
    return rows, made


@pytest.mark.parametrize(("role", "method"), CASES)
def test_people_are_counted_again(tmp_path, role, method):
    make(tmp_path, role, method, k=5)
    assert release_report(tmp_path / "out.csv").promise == "judged when written"
    with_raw = release_report(tmp_path / "out.csv", tmp_path / "raw.csv", n_people=10)
    assert with_raw.promise == "holds"
    unit = "people" if role == "subject" else "households"
    assert f"released rows, by {unit}" in with_raw.html


def test_rows_of_one_person_do_not_keep_a_promise(tmp_path):
    """The rows are those of the release, and whose they are is not: nobody hides among others."""
    rows, _ = make(tmp_path, "subject", "mondrian", k=5)
    rows.assign(who=rows["who"] // 12).to_csv(tmp_path / "raw.csv", index=False)
    found = release_report(tmp_path / "out.csv", tmp_path / "raw.csv", n_people=10)
    assert found.promise == "broken"
    assert any("other numbers" in one or "broken in" in one for one in found.problems)


def test_other_rows_or_no_recoding_leave_it_as_judged(tmp_path):
    rows, _ = make(tmp_path, "subject", "mondrian", k=5)
    rows.assign(age=rows["age"].sample(frac=1, random_state=1).to_numpy() // 2 + 10).to_csv(
        tmp_path / "raw.csv", index=False
    )
    found = release_report(tmp_path / "out.csv", tmp_path / "raw.csv", n_people=10)
    assert found.promise == "judged when written"
    rows.to_csv(tmp_path / "raw.csv", index=False)
    (tmp_path / "out.private" / "recoding.json").unlink()
    found = release_report(tmp_path / "out.csv", tmp_path / "raw.csv", n_people=10)
    assert found.promise == "judged when written"


def test_tokens_are_the_tables_own_word(tmp_path):
    """Whoever writes a table may give every row a token of its own: only the raw table tells."""
    rows, made = make(tmp_path, "subject", "mondrian", k=5)
    schema = made.schema.replace(who={"role": "pseudonym"})
    rows = rows.assign(age=rows.groupby("who")["age"].transform("min"))
    rows.to_csv(tmp_path / "raw.csv", index=False)
    key = b"0123456789abcdef0123456789abcdef"
    with_tokens = Mondrian(schema, 5).fit(rows, output=RowOptions(key=key)).release_
    with_tokens.write(tmp_path / "out.csv", force=True)
    assert release_report(tmp_path / "out.csv").promise == "judged when written"
    found = release_report(tmp_path / "out.csv", tmp_path / "raw.csv", n_people=10)
    assert found.promise == "holds"


def test_diversity_among_people_is_counted_again(tmp_path):
    from shoal.privacy import DistinctDiversity, KAnonymity

    asked = KAnonymity(4) & DistinctDiversity(2, column="ill")
    _, made = make(tmp_path, "subject", "local", privacy=asked)
    found = release_report(tmp_path / "out.csv", tmp_path / "raw.csv", n_people=10)
    assert found.promise == "holds"
    size, values = json.loads((tmp_path / "out.manifest.json").read_text())["reached"]
    assert size["reached"] >= 4
    # how many illnesses the people of a group have says which rows are one person's
    assert values["reached"] is None
    page = html.unescape(found.html)
    assert '["reached", 0, "reached"]' in page
    assert '["reached", 1, "reached"]' not in page
    assert len(made.reached) == 2
