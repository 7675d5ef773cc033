import pytest
from hypothesis import given, strategies as st

from shoal.errors import HierarchyError
from shoal.schema import Hierarchy, _csv, read_hierarchy
from shoal.schema._csv import FromFile, write_hierarchy
from tests.schema.strategies import hierarchies, labels


@given(tree=hierarchies)
def test_a_written_hierarchy_reads_back_the_same(tree, tmp_path_factory):
    path = tmp_path_factory.mktemp("h") / "tree.csv"
    write_hierarchy(tree.with_missing(), path)
    assert read_hierarchy(path) == tree


@given(names=st.lists(labels.filter(lambda s: s != "*"), min_size=1, max_size=6, unique=True))
def test_odd_labels_survive_the_file(names, tmp_path_factory):
    path = tmp_path_factory.mktemp("h") / "tree.csv"
    tree = Hierarchy.flat([name.replace("\r", "") + str(i) for i, name in enumerate(names)])
    write_hierarchy(tree, path)
    assert read_hierarchy(path) == tree


@pytest.mark.parametrize("separator", [";", ",", "\t", "|"])
def test_the_separator_is_found(tmp_path, separator):
    path = tmp_path / "h.csv"
    path.write_text("\ufeff" + separator.join(("a ", " X", "*")) + "\n\n" + separator.join("bX*"))
    tree = read_hierarchy(path)
    assert tree.labels == ("a", "b", "X", "*")


def test_commas_inside_labels_do_not_mislead(tmp_path):
    path = tmp_path / "h.csv"
    path.write_text("a, b, c, d;X;*\ne;X;*\n")
    assert read_hierarchy(path).labels[0] == "a, b, c, d"


def test_errors_name_the_line_of_the_file(tmp_path):
    path = tmp_path / "h.csv"
    path.write_text("a;X;*\n\n\nb;X;*\na;X;*\n")
    with pytest.raises(HierarchyError, match="'sex', line 5: value 'a' was given before, on"):
        read_hierarchy(path, column="sex")
    path.write_text("a;X;*\n\nb;*\n")
    with pytest.raises(HierarchyError, match="line 3: 2 levels where line 1 has 3"):
        read_hierarchy(path, column="sex")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "h.csv is empty"),
        (b"\n \n", "h.csv is empty"),
        (b"a\nb\n", "h.csv has one level. Give lines such as `Kansas;Midwest;*`"),
        (b"\xe9;*\n", "h.csv is not UTF-8"),
        (b"a;x\nb;y\n", "2 roots"),
    ],
)
def test_wrong_files_say_what_is_wrong(tmp_path, content, message):
    (tmp_path / "h.csv").write_bytes(content)
    with pytest.raises(HierarchyError) as caught:
        FromFile("h.csv", str(tmp_path)).build([], column="sex")
    assert message in str(caught.value)
    assert "'sex'" in str(caught.value)


def test_an_absent_file_says_so(tmp_path):
    with pytest.raises(HierarchyError, match=r"cannot read nothing\.csv: No such file"):
        read_hierarchy(tmp_path / "nothing.csv")


CELLS = st.text(st.sampled_from("ab1 *\t"), min_size=0, max_size=3)


@given(
    rows=st.lists(st.lists(CELLS, min_size=1, max_size=3), min_size=1, max_size=4),
    separator=st.sampled_from([";", ",", "|", None]),
    end=st.sampled_from(["", "\n", "\n\n"]),
)
def test_plain_files_are_read_as_all_files_are(rows, separator, end):
    content = "\n".join((separator or ";").join([*row, "*"]) for row in rows) + end
    columns = _csv._plain_columns(content, separator)
    if columns is not None:
        found = _csv._parse(content, separator or _csv.find_separator(content))
        assert [row for _, row in found] == [list(row) for row in zip(*columns, strict=True)]


def test_files_of_codes_are_plain():
    lines = "".join(f"{code:05d};{code // 100:03d}**;*\n" for code in range(0, 100_000, 50))
    columns = _csv._plain_columns(lines, None)
    assert columns is not None
    assert [len(column) for column in columns] == [2_000] * 3
