from pathlib import Path

import pytest

from shoal.cli.publish.walk._schema_files import hierarchy_folder, hierarchy_paths, write_schema
from shoal.errors import TableError
from shoal.schema import Hierarchy, Schema


def test_names_become_files_that_stay_in_the_folder():
    names = ["town", "a/b", "a b", "../../etc/passwd", "..", "Größe"]
    paths = hierarchy_paths(names, Path("h"))
    assert len(set(paths.values())) == len(names)
    assert all(path.parent == Path("h") for path in paths.values())
    assert paths["town"] == Path("h/town.csv")


def test_a_schema_names_its_files_wherever_they_are(tmp_path):
    tree = Hierarchy.from_tree({"North": ["Kiel"], "South": ["Ulm"]})
    schema = Schema({"town": {"role": "quasi-identifier", "hierarchy": tree}})
    for folder in (tmp_path / "x" / "h", tmp_path / "elsewhere"):
        out = tmp_path / "x" / "s.toml"
        write_schema(out, schema, {"town": tree}, folder, comments={}, header=["Mine."])
        read = Schema.from_toml(out)
        assert read["town"].hierarchy.build([]) == tree
    assert hierarchy_folder(out, None) == tmp_path / "x" / "s-hierarchies"


@pytest.mark.parametrize("place", ["s-hierarchies", "../elsewhere"])
def test_what_fails_leaves_nothing_and_nothing_half(tmp_path, monkeypatch, place):
    tree = Hierarchy.from_tree({"North": ["Kiel"], "South": ["Ulm"]})
    columns = {name: {"role": "quasi-identifier", "hierarchy": tree} for name in ("town", "home")}
    home = tmp_path / "x"
    written = []

    def fail(hierarchy, path):
        if written:
            raise OSError(28, "No space left on device")
        written.append(path)
        path.write_text("Kiel;North;*\n")

    monkeypatch.setattr("shoal.schema._csv.write_hierarchy", fail)
    with pytest.raises(TableError, match="nothing was kept"):
        write_schema(
            home / "s.toml", Schema(columns), dict.fromkeys(columns, tree), home / place,
            comments={}, header=[],
        )  # fmt: skip
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
