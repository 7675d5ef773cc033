import os

import pytest

from shoal.errors import ParameterError
from shoal.parties._certificates import read_certificate
from shoal.studio._folders import Folders
from tests.studio.desks import Bureau


@pytest.fixture
def places(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "people.csv").write_text("age\n1\n")
    (inside / "deep").mkdir()
    (inside / ".hidden.csv").write_text("age\n1\n")
    (inside / "link.csv").symlink_to(outside / "people.csv")
    (inside / "out").symlink_to(outside)
    (inside / "notes.pdf").write_text("no table")
    return inside, outside


def test_only_tables_projects_and_folders_inside_are_listed(places):
    inside, _ = places
    names = [entry["name"] for entry in Folders([inside]).list("")["entries"]]
    assert names == ["deep", "people.csv"]


def test_how_many_files_are_no_tables_is_told(places):
    inside, _ = places
    assert Folders([inside]).list("")["others"] == 1  # notes.pdf; neither hidden ones nor links


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/passwd", "..", "../outside/people.csv", "link.csv", "out/people.csv", "~root"),
        *("deep/../../outside", "people.csv\0.txt", "", "\ud800"),
    ],
)
def test_nothing_outside_is_reached(places, path):
    inside, _ = places
    folders = Folders([inside])
    with pytest.raises(ParameterError):
        folders.resolve(path, base=inside)
    if path:
        with pytest.raises(ParameterError):
            folders.list(str(inside / path) if not path.startswith(("/", "~")) else path)


def test_what_is_allowed_is_found(places):
    inside, outside = places
    folders = Folders([inside])
    assert folders.resolve("people.csv", base=inside) == inside / "people.csv"
    assert folders.list(str(inside / "deep"))["parent"] == str(inside)
    folders.allow(str(outside))
    assert folders.resolve("link.csv", base=inside) == outside / "people.csv"
    with pytest.raises(ParameterError, match="no folder"):
        folders.allow(str(inside / "people.csv"))


@pytest.mark.parametrize("pasted", ['"{}"', "'{}'", "file://{}", " file://{}\n"])
def test_paths_are_taken_as_file_managers_copy_them(places, pasted):
    inside, outside = places
    table = inside / "people 2.csv"
    table.write_text("age\n1\n")
    shown = str(table).replace(" ", "%20") if "file" in pasted else str(table)
    assert Folders([inside]).resolve(pasted.format(shown)) == table
    with pytest.raises(ParameterError, match="outside"):
        Folders([inside]).resolve(pasted.format(outside / "people.csv"))


def test_names_that_are_no_text_are_passed_over(places):
    inside, _ = places
    with open(os.fsencode(str(inside)) + b"/\xff.csv", "w") as file:
        file.write("age\n1\n")
    assert [entry["name"] for entry in Folders([inside]).list("")["entries"]] == [
        "deep", "people.csv",
    ]  # fmt: skip


def test_archives_are_listed_as_they_are_read(tmp_path):
    for name in ("people.zip", "people.csv.gz", "people.ZIP", "people.rar"):
        (tmp_path / name).write_bytes(b"x")
    listed = [entry["name"] for entry in Folders([tmp_path]).list("")["entries"]]
    assert sorted(listed) == ["people.ZIP", "people.csv.gz", "people.zip"]


def test_what_is_read_while_others_wait_is_a_plain_file_of_some_size(tmp_path):
    """A pipe, or a file of gigabytes, kept every page waiting."""
    folders = Folders([tmp_path])
    (tmp_path / "one.csv").write_text("1;2;3")
    assert folders.file("one.csv", most=5, base=tmp_path).name == "one.csv"
    with pytest.raises(ParameterError, match=r"'one.csv' has more than"):
        folders.file("one.csv", most=4, base=tmp_path)
    os.mkfifo(tmp_path / "pipe.csv")
    for name in ("pipe.csv", "none.csv", "."):
        with pytest.raises(ParameterError, match="no such file"):
            folders.file(name, most=10**6, base=tmp_path)


def test_hierarchies_and_certificates_are_read_of_such_files_only(tmp_path):
    bureau = Bureau(tmp_path).with_roles()
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "large.csv").touch()
    os.truncate(tmp_path / "large.csv", 10**9)
    for name, said in (("pipe.csv", "no such file"), ("large.csv", "has more than")):
        path = str(tmp_path / name)
        with pytest.raises(ParameterError, match=said):
            bureau.act("hierarchies", "import", column="age", path=path)
        with pytest.raises(ParameterError, match=said):
            bureau.act("together", "peer", path=path)
    with pytest.raises(ParameterError, match="not a PEM certificate"):
        read_certificate(tmp_path / "large.csv")
