from pathlib import Path

from shoal.cli.publish.walk._schema_files import hierarchy_folder, hierarchy_paths, write_schema
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
