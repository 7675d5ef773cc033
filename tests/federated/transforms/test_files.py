import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal

from shoal.errors import ParameterError, ProtocolError, SchemaError, TableError
from shoal.federated import (
    AliasTable,
    GradedRanges,
    TransformKey,
    decode,
    decode_file,
    encode,
    encode_file,
)
from shoal.federated.transforms._files import combine_files, read_provenance


def make_key(high=90):
    return TransformKey.create(
        {
            "age": GradedRanges.uniform(15, high, 5),
            "disease": AliasTable.random(["flu", "cold", "it's"], "Illness"),
            "zip": AliasTable.random(["01234", "1234"], "zip"),
        }
    )


@pytest.fixture
def key():
    return make_key()


@pytest.fixture
def table():
    return pl.DataFrame(
        {
            "age": [15, 58, 90, None] * 50,
            "disease": ["flu", "cold", None, "it's"] * 50,
            "zip": ["01234", "1234", "01234", None] * 50,
            "ward": list(range(200)),
        }
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "shared").mkdir()
    return tmp_path / "shared"


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
def test_a_file_is_encoded_like_a_frame_and_decoded_exactly(table, key, tmp_path, folder, suffix):
    source = tmp_path / f"rows.{suffix}"
    write = {"csv": table.write_csv, "parquet": table.write_parquet, "arrow": table.write_ipc}
    write[suffix](source)
    encoded = encode_file(source, folder, key, "gent", clear=["ward"], keep_order=True)
    assert encoded.name == "gent.encoded.parquet"
    plain = encode(table, key, clear=["ward"])
    assert_frame_equal(pl.read_parquet(encoded), plain, check_exact=True)
    back = tmp_path / ("back.csv" if suffix == "csv" else "back.parquet")
    decode_file(encoded, back, key)
    reader = pl.read_csv if suffix == "csv" else pl.read_parquet
    options = {"schema_overrides": {"zip": pl.String}} if suffix == "csv" else {}
    assert_frame_equal(reader(back, **options), table, check_exact=True)


def test_where_a_file_came_from_is_in_its_metadata(table, key, tmp_path, folder):
    table.write_parquet(tmp_path / "rows.parquet")
    encoded = encode_file(tmp_path / "rows.parquet", folder, key, "gent", clear=["ward"])
    assert read_provenance(encoded) == {
        "sites": ["gent"],
        "version": 1,
        "fingerprint": key.fingerprint,
        "columns": {"age": "graded", "disease": "mapped", "zip": "mapped"},
        "clear": ["ward"],
    }
    assert b"01234" not in encoded.read_bytes()
    assert b"flu" not in encoded.read_bytes()


def test_sites_are_combined_and_decoded_as_one(table, key, tmp_path, folder):
    table.write_parquet(tmp_path / "rows.parquet")
    files = [
        encode_file(tmp_path / "rows.parquet", folder, key, site, clear=["ward"], keep_order=True)
        for site in ("gent", "leuven")
    ]
    union = combine_files(
        files, tmp_path / "union.parquet", sites=["leuven", "gent"], keep_order=True
    )
    assert read_provenance(union)["sites"] == ["gent", "leuven"]
    decoded = decode_file(union, tmp_path / "back.parquet", key)
    assert_frame_equal(pl.read_parquet(decoded), pl.concat([table, table]), check_exact=True)
    tagged = combine_files(files, tmp_path / "tagged.parquet", with_site=True)
    assert pl.read_parquet(tagged)["site"].value_counts(sort=True)["count"].to_list() == [200, 200]


def test_the_order_of_a_union_does_not_tell_whose_rows_they_are(table, key, tmp_path, folder):
    files = []
    for site, age in (("gent", 15), ("leuven", 90)):
        table.with_columns(age=pl.lit(age)).write_parquet(tmp_path / "rows.parquet")
        files.append(encode_file(tmp_path / "rows.parquet", folder, key, site, clear=["ward"]))
    orders = []
    for with_site in (False, True):
        union = combine_files(files, tmp_path / f"{with_site}.parquet", with_site=with_site)
        rows = pl.read_parquet(union)
        assert sorted(rows["age"].unique()) == [1.0, rows["age"].max()]
        assert 40 < (rows["age"][:200] == 1).sum() < 160  # half of them, of either site
        orders.append(rows["age"].to_list())
        parts = [pl.read_parquet(file) for file in files]
        kept = rows.select(parts[0].columns)
        assert_frame_equal(kept, pl.concat(parts), check_row_order=False)
    assert orders[0] != orders[1]


@pytest.mark.parametrize("other", ["key", "ranges"])
def test_a_site_with_another_key_is_refused_before_anything_is_written(
    table, key, tmp_path, folder, other
):
    table.write_parquet(tmp_path / "rows.parquet")
    encode_file(tmp_path / "rows.parquet", folder, key, "gent", clear=["ward"])
    foreign = make_key() if other == "key" else make_key(high=95)
    with pytest.raises(ProtocolError, match=r"'gent.encoded.parquet' has a key with another"):
        encode_file(tmp_path / "rows.parquet", folder, foreign, "leuven", clear=["ward"])
    assert [p.name for p in folder.iterdir()] == ["gent.encoded.parquet"]


def test_a_union_holds_the_files_that_are_named_and_nothing_of_their_folders(table, key, tmp_path):
    """A name that DuckDB takes for a pattern read others; NAME=VALUE became a column."""
    home = tmp_path / "ward=7" / "name=smith"
    home.mkdir(parents=True)
    table.write_parquet(home / "rows.parquet")
    files = [
        encode_file(home / "rows.parquet", home, key, site, drop_others=True)
        for site in ("gent", "leuven")
    ]
    named = files[1].rename(home / "[gl]*.encoded.parquet")
    union = combine_files([files[0], named], tmp_path / "union.parquet")
    read = pl.read_parquet(union)
    assert read.columns == ["age", "disease", "zip"]
    assert len(read) == 2 * len(table)


def test_files_of_different_keys_are_not_combined(table, key, tmp_path):
    table.write_parquet(tmp_path / "rows.parquet")
    files = []
    for site, its_key in (("gent", key), ("leuven", make_key())):
        (tmp_path / site).mkdir()
        files.append(
            encode_file(tmp_path / "rows.parquet", tmp_path / site, its_key, site, clear=["ward"])
        )
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ProtocolError, match="were encoded with different keys"):
        combine_files(files, tmp_path / "union.parquet")
    assert sorted(tmp_path.iterdir()) == before


def test_more_sites_than_files_or_one_twice_is_refused(table, key, tmp_path, folder):
    table.write_parquet(tmp_path / "rows.parquet")
    encoded = encode_file(tmp_path / "rows.parquet", folder, key, "gent", clear=["ward"])
    target = tmp_path / "union.parquet"
    with pytest.raises(ProtocolError, match="2 sites were expected and 1 files given"):
        combine_files([encoded], target, sites=["gent", "leuven"])
    with pytest.raises(ProtocolError, match="two files come from the same site"):
        combine_files([encoded, encoded], target)
    with pytest.raises(ProtocolError, match="no files"):
        combine_files([], target)
    assert not target.exists()


def test_a_column_that_nobody_named_does_not_leave_the_site(table, key, tmp_path, folder):
    """Names in a column that the agreement forgot: refused, dropped, or asked for by name."""
    people = table.with_columns(name=pl.lit("CANARY"), **{'sel\'ect "x"': pl.lit("CANARY")})
    for suffix in ("csv", "parquet", "arrow"):
        source = tmp_path / f"rows.{suffix}"
        write = {
            "csv": people.write_csv,
            "parquet": people.write_parquet,
            "arrow": people.write_ipc,
        }
        write[suffix](source)
        with pytest.raises(SchemaError, match="does not name: 'ward', 'name', ") as caught:
            encode_file(source, folder, key, "gent")
        assert "CANARY" not in str(caught.value)
        with pytest.raises(SchemaError, match="does not name: 'name', "):
            encode_file(source, folder, key, "gent", clear=["ward"])
        assert list(folder.iterdir()) == []
        encoded = encode_file(source, folder, key, "gent", clear=["ward"], drop_others=True)
        assert pl.read_parquet(encoded).columns == ["age", "disease", "zip", "ward"]
        assert b"CANARY" not in encoded.read_bytes()
        assert read_provenance(encoded)["clear"] == ["ward"]
        encoded.unlink()
    for name, why in (("age", "is in the key"), ("absent", "is not in the table")):
        with pytest.raises(SchemaError, match=why):
            encode_file(source, folder, key, "gent", clear=[name], drop_others=True)


@pytest.mark.parametrize(
    "meta",
    ["7", "[]", "{}", '{"sites": "gent"}', '{"sites": [], "fingerprint": 7}', "[[", '"text"',
     '{"sites": [7], "fingerprint": "%s"}' % ("0" * 64), '{"sites": ["../x"], "fingerprint": ""}'],
)  # fmt: skip
def test_impossible_metadata_of_another_site_are_an_error_of_ours(
    table, key, tmp_path, folder, meta
):
    changed = table.to_arrow().replace_schema_metadata({"shoal.encoded": meta})
    pq.write_table(changed, folder / "leuven.encoded.parquet")
    table.write_parquet(tmp_path / "rows.parquet")
    with pytest.raises((ProtocolError, TableError), match=r"leuven\.encoded\.parquet"):
        encode_file(tmp_path / "rows.parquet", folder, key, "gent", clear=["ward"])
    with pytest.raises((ProtocolError, TableError), match=r"leuven\.encoded\.parquet"):
        combine_files([folder / "leuven.encoded.parquet"], tmp_path / "union.parquet")


def test_files_with_other_columns_are_not_combined(table, key, tmp_path, folder):
    table.write_parquet(tmp_path / "rows.parquet")
    table.drop("ward").write_parquet(tmp_path / "less.parquet")
    files = [
        encode_file(tmp_path / "rows.parquet", folder, key, "gent", clear=["ward"]),
        encode_file(tmp_path / "less.parquet", folder, key, "leuven"),
    ]
    with pytest.raises(ProtocolError, match="differ in columns or types"):
        combine_files(files, tmp_path / "union.parquet")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("column", "value", "match"),
    [
        ("age", 99123, "'age': 1 of 201 values lie outside the agreed ranges"),
        ("age", 40.5, "'age': 1 of 201 values have more than 0 decimals"),
        ("disease", "gout", "'disease': categories without an alias: 'gout'"),
    ],
)
def test_what_the_key_does_not_know_is_refused_and_nothing_written(
    table, key, tmp_path, folder, suffix, column, value, match
):
    odd = pl.DataFrame({column: [value]})
    bad = pl.concat([table.cast({"age": pl.Float64}), odd], how="diagonal_relaxed")
    source = tmp_path / f"rows.{suffix}"
    (bad.write_csv if suffix == "csv" else bad.write_parquet)(source)
    with pytest.raises(SchemaError, match=match) as caught:
        encode_file(source, folder, key, "gent", clear=["ward"])
    assert "99123" not in str(caught.value)
    assert list(folder.iterdir()) == []


def test_decoding_with_another_key_is_refused_and_nothing_written(table, key, tmp_path, folder):
    table.write_parquet(tmp_path / "rows.parquet")
    encoded = encode_file(tmp_path / "rows.parquet", folder, key, "gent", clear=["ward"])
    with pytest.raises(ProtocolError, match="another fingerprint"):
        decode_file(encoded, tmp_path / "back.parquet", make_key())
    bare = tmp_path / "bare.parquet"
    pl.read_parquet(encoded).with_columns(age=pl.lit(77.5)).write_parquet(bare)
    with pytest.raises(SchemaError, match="not published under this key"):
        decode_file(bare, tmp_path / "back.parquet", key)
    assert not (tmp_path / "back.parquet").exists()


def test_a_newer_key_reads_what_an_older_one_wrote(table, key, tmp_path, folder):
    table.write_parquet(tmp_path / "rows.parquet")
    encoded = encode_file(
        tmp_path / "rows.parquet", folder, key, "gent", clear=["ward"], keep_order=True
    )
    newer = key.extend({"disease": ["gout"]})
    decode_file(encoded, tmp_path / "back.parquet", newer)
    assert_frame_equal(pl.read_parquet(tmp_path / "back.parquet"), table)
    with pytest.raises(ProtocolError, match="another fingerprint"):
        encode_file(
            tmp_path / "rows.parquet", folder, newer, "leuven", clear=["ward"], keep_order=True
        )


def test_many_categories_are_looked_up_alike(tmp_path, folder):
    names = [f"c{i}'" for i in range(600)]
    key = TransformKey.create({"c": AliasTable.random(names, "c")})
    table = pl.DataFrame({"c": [*names, None]})
    table.write_parquet(tmp_path / "rows.parquet")
    encoded = encode_file(tmp_path / "rows.parquet", folder, key, "gent", keep_order=True)
    assert_frame_equal(pl.read_parquet(encoded), encode(table, key))
    decode_file(encoded, tmp_path / "back.parquet", key)
    assert_frame_equal(pl.read_parquet(tmp_path / "back.parquet"), table)
    pl.DataFrame({"c": ["new"]}).write_parquet(tmp_path / "rows.parquet")
    with pytest.raises(SchemaError, match="without an alias: 'new'"):
        encode_file(tmp_path / "rows.parquet", folder, key, "other", keep_order=True)


@pytest.mark.parametrize(
    ("name", "error", "match"),
    [
        ("absent.csv", TableError, "no file or folder 'absent.csv'"),
        ("cut.parquet", TableError, "cannot be read: it is damaged, cut short"),
        ("table.xlsx", TableError, "cannot be read: it is damaged, cut short"),
        ("less.csv", SchemaError, "missing from the table: 'age', 'disease'"),
        ("text.csv", SchemaError, "'age' is graded by the key, and some of its values are no"),
    ],
)
def test_unreadable_input_is_an_error_without_its_content(
    key, tmp_path, folder, name, error, match
):
    (tmp_path / "cut.parquet").write_bytes(b"PAR1")
    (tmp_path / "table.xlsx").write_bytes(b"x")
    (tmp_path / "less.csv").write_text("zip\n01234\n")
    (tmp_path / "text.csv").write_text("age,disease,zip\nCANARY,flu,1234\n")
    with pytest.raises(error, match=match) as caught:
        encode_file(tmp_path / name, folder, key, "gent")
    assert "CANARY" not in str(caught.value)
    assert list(folder.iterdir()) == []


def test_other_mistakes_are_refused(table, key, tmp_path, folder):
    table.write_parquet(tmp_path / "rows.parquet")
    with pytest.raises(ParameterError, match="plain name"):
        encode_file(tmp_path / "rows.parquet", folder, key, "../gent", clear=["ward"])
    with pytest.raises(TableError, match="'nowhere' does not exist"):
        encode_file(tmp_path / "rows.parquet", tmp_path / "nowhere", key, "gent", clear=["ward"])
    with pytest.raises(ProtocolError, match="not a file that Shoal encoded"):
        combine_files([tmp_path / "rows.parquet"], tmp_path / "union.parquet")
    with pytest.raises(ParameterError, match="must end in"):
        decode_file(tmp_path / "rows.parquet", tmp_path / "back.xlsx", key)
    table.select("ward").write_parquet(tmp_path / "ward.parquet")
    with pytest.raises(SchemaError, match="none of the key's columns"):
        decode_file(tmp_path / "ward.parquet", tmp_path / "back.csv", key)


def test_a_large_file_is_streamed_in_little_memory(key, tmp_path, folder, monkeypatch):
    connect = duckdb.connect

    def small(*arguments, **options):
        connection = connect(*arguments, **options)
        connection.execute("SET memory_limit = '120MB'")
        connection.execute("SET threads = 1")
        return connection

    source = tmp_path / "rows.parquet"
    connect().execute(
        "COPY (SELECT 15 + (i % 76) AS age, ['flu', 'cold'][1 + i % 2] AS disease, '1234' AS zip, "
        f"md5(i::VARCHAR) AS note FROM range(600000) t(i)) TO '{source}' (FORMAT parquet)"
    )
    monkeypatch.setattr("shoal.tables.engines._duck_connection.duckdb.connect", small)
    encoded = encode_file(source, folder, key, "gent", clear=["note"], keep_order=True)
    back = decode_file(encoded, tmp_path / "back.parquet", key)
    assert_frame_equal(pl.read_parquet(back), pl.read_parquet(source))


def test_rows_leave_in_a_secret_order(key, tmp_path, folder):
    ages = [15 + i % 70 for i in range(300)]
    rows = pl.DataFrame({"age": ages, "disease": ["flu"] * 300, "zip": ["01234"] * 300})
    rows.write_parquet(tmp_path / "rows.parquet")
    orders = []
    for site in ("gent", "leuven"):
        encoded = encode_file(tmp_path / "rows.parquet", folder, key, site)
        orders.append(decode(pl.read_parquet(encoded), key)["age"].to_list())
    assert sorted(orders[0]) == sorted(orders[1]) == sorted(ages)
    assert len({tuple(ages), *map(tuple, orders)}) == 3


def test_a_table_in_memory_leaves_with_no_column_that_nobody_named(table, key):
    with pytest.raises(SchemaError, match="columns that the key does not name: 'ward'"):
        encode(table, key)
    assert encode(table, key, clear=["ward"])["ward"].equals(table["ward"])


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_texts_in_a_graded_column_are_told_without_one(key, tmp_path, suffix):
    source = tmp_path / f"rows{suffix}"
    rows = {"age": ["31", "Quellmann"], "disease": ["flu", "cold"], "zip": ["01234", "1234"]}
    table = pl.DataFrame(rows)
    (table.write_csv if suffix == ".csv" else table.write_parquet)(source)
    with pytest.raises(SchemaError, match=r"'age' is graded.*no numbers.*--missing") as caught:
        encode_file(source, tmp_path, key, "gent")
    assert "Quellmann" not in str(caught.value)
    with pytest.raises(SchemaError, match="no numbers") as caught:
        key.columns["age"].encode(["31", "Quellmann"], "age")
    assert "Quellmann" not in str(caught.value)
    assert not list(tmp_path.glob("*.encoded.parquet"))
