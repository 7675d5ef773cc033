import numpy as np
import pandas as pd
import pytest

from shoal import Schema, release
from shoal.errors import TableError
from shoal.report import release_dossier

SCHEMA = Schema(
    {
        "who": {"role": "subject"},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "ill": {"role": "sensitive"},
    }
)


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(80), 2)
    rows = pd.DataFrame({"who": who, "age": rng.integers(20, 60, 80)[who], "ill": "flu"})
    rows["ill"] = rng.choice(["flu", "gout"], len(rows))
    rows.to_csv(tmp_path / "raw.csv", index=False)
    release(rows, SCHEMA, k=12, method="mondrian").write(tmp_path / "out.csv")
    return tmp_path


def test_people_are_counted_again_where_the_raw_table_is_there(files):
    alone = release_dossier(files / "out.csv")
    assert alone.residual.source == "manifest, by people"
    found = release_dossier(files / "out.csv", files / "raw.csv", n_people=20)
    assert found.residual.source == "counted again, by people"
    assert found.residual.after == alone.residual.after
    assert found.residual.accepted


def test_shadow_tables_stand_among_the_attacks(files):
    found = release_dossier(files / "out.csv", files / "raw.csv", n_people=20, n_shadows=6)
    assert found.measured.attacks[-1].attack == "membership, shadow tables"
    assert "membership, shadow tables" in found.html


def test_a_form_beside_the_release_is_read(files):
    (files / "out.dossier.toml").write_text("[risk]\nthreshold = 0.01\n")
    found = release_dossier(files / "out.csv")
    assert (found.residual.threshold, found.residual.accepted) == (0.01, False)
    page = found.write(files / "page.html")
    assert page.read_text("utf-8") == found.html
    with pytest.raises(TableError, match="there already"):
        found.write(page)
    with pytest.raises(TableError, match=r"\.html or \.pdf"):
        found.write(files / "page.txt")
