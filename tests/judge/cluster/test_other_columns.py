"""Columns that a cluster releases as they are: names left in them, and values of other rows."""

import pytest

from shoal import release
from shoal.errors import GuaranteeError
from shoal.judge.cluster._judge_cluster import judge_cluster
from shoal.judge.cluster._other_columns import judge_others
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from tests.engines import spark_session
from tests.extras import need

SCHEMA = Schema(
    {
        "name": {"role": "identifier"},
        "age": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
        "ward": {"role": "insensitive"},
        "paid": {"role": "insensitive"},
        "seal": {"role": "insensitive"},
    }
)
DEFECTS = {
    "names": ("age", "ill", "name AS ward", "paid", "seal"),
    "one name": ("age", "ill", "if(name = 'n3', name, ward) AS ward", "paid", "seal"),
    "a column of another": ("age", "ill", "ward", "-paid AS paid", "seal"),
    "missing values": ("age", "ill", "nullif(ward, 'w1') AS ward", "paid", "seal"),
    "other rows' values": (
        "age", "ill", "lag(ward) OVER (ORDER BY name) AS ward", "paid", "seal"
    ),
}  # fmt: skip
WRITTEN = ("age", "ill", "ward", "paid", "seal")


@pytest.fixture(scope="module")
def source():
    need("pyarrow")
    return spark_session().sql(
        "SELECT concat('n', id) AS name, id % 4 AS age, concat('i', id % 3) AS ill, "
        "CASE WHEN id > 2 THEN concat('w', id % 5) END AS ward, "
        "CASE id WHEN 1 THEN double('NaN') WHEN 2 THEN double('-0.0') ELSE id / 7D END AS paid, "
        "encode(concat('s', id), 'UTF-8') AS seal FROM range(30)"
    )


@pytest.mark.parametrize("keeps_all", [True, False])
def test_equal_columns_pass_in_any_order_and_form(source, keeps_all):
    written = source.selectExpr(
        "age", "ill", "ward", "nanvl(paid, NULL) + 0D AS paid", "lower(hex(seal)) AS seal"
    )
    kept = written if keeps_all else written.where("age > 0")
    judge_others(kept.orderBy("ward"), source, SCHEMA, keeps_all=keeps_all)


@pytest.mark.parametrize("defect", DEFECTS)
@pytest.mark.parametrize("keeps_all", [True, False])
def test_what_the_source_does_not_say_is_withheld(source, defect, keeps_all):
    written = source.selectExpr(*DEFECTS[defect])
    kept = written if keeps_all else written.where("age > 0")
    with pytest.raises(GuaranteeError, match=r"'ill', 'ward'.*withheld"):
        judge_others(kept, source, SCHEMA, keeps_all=keeps_all)


def test_a_row_given_twice_is_withheld(source):
    written = source.selectExpr(*WRITTEN)
    twice = written.where("age > 1").union(written.where("age = 3").limit(1))
    with pytest.raises(GuaranteeError, match="withheld"):
        judge_others(twice, source, SCHEMA, keeps_all=False)


def test_names_in_a_release_by_regions_are_seen(source, monkeypatch):
    made = release(source, SCHEMA, k=2, method="mondrian", regions=2)
    monkeypatch.setattr(type(made.rows), "rows", _with_names(type(made.rows).rows))
    with pytest.raises(GuaranteeError, match=r"'ward'.*withheld"):
        _ = made.table


def _with_names(rows):
    def wrong(self, output):
        table, witness = rows(self, output)
        return table.selectExpr("age", "ill", "concat('n', ill) AS ward", "paid", "seal"), witness

    return wrong


@pytest.mark.parametrize("regions", [None, 2])
def test_notes_on_columns_are_not_written(source, tmp_path, regions):
    functions = need("pyspark.sql.functions")
    noted = {
        name: functions.col(name).alias(name, metadata={"comment": "Ann Lee"})
        for name in source.columns
    }
    made = release(source.withColumns(noted), SCHEMA, k=5, method="mondrian", regions=regions)
    assert not any(field.metadata for field in made.table.schema)
    made.write(tmp_path / "out.parquet")
    written = [file.read_bytes() for file in (tmp_path / "out.parquet").iterdir()]
    assert written
    assert not any(b"Ann Lee" in text for text in written)


def test_notes_on_columns_are_seen(source):
    functions = need("pyspark.sql.functions")
    noted = functions.col("ward").alias("ward", metadata={"comment": "Ann Lee"})
    frame = source.drop("name").withColumn("ward", noted)
    with pytest.raises(GuaranteeError, match="metadata of the columns 'ward'") as raised:
        judge_cluster(frame, SCHEMA, 30, lambda whole: KAnonymity(5))
    assert "Ann" not in str(raised.value)
