import json

import numpy as np
import pandas as pd
import pytest

from shoal import Schema, release
from shoal.report import release_report


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"age": rng.integers(20, 60, 60), "ill": rng.choice(["flu", "gout"], 60)})
    columns = {"age": {"role": "quasi-identifier", "kind": "numeric"}, "ill": {"role": "sensitive"}}
    rows.to_csv(tmp_path / "raw.csv", index=False)
    release(rows, Schema(columns), k=3, method="mondrian").write(tmp_path / "out.csv")
    return tmp_path


def test_a_report_tells_members_where_it_is_asked_to(files):
    told = release_report(files / "out.csv", files / "raw.csv", n_people=10, n_shadows=6)
    assert told.members.details["releases"] == 6
    assert told.to_dict()["membership"] == told.members.to_dict()
    assert json.dumps(told.to_dict())
    assert "Telling who is in the table" in told.html
    plain = release_report(files / "out.csv", files / "raw.csv", n_people=10)
    assert plain.members is None
    assert plain.to_dict()["membership"] is None
    assert "Telling who is in the table" not in plain.html


def test_without_the_raw_table_nobody_is_told(files):
    assert release_report(files / "out.csv", n_shadows=6).members is None
