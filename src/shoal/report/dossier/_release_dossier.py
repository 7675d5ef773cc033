"""The dossier from Python: what `shoal dossier` does, without its files."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from shoal.report.dossier._dossier import Dossier, dossier_file, make_dossier
from shoal.report.dossier._form import empty_form, read_form
from shoal.tables._engine import OpenOptions, TableFile
from shoal.tables._open import ReadingOptions
from shoal.typing import PathText


def release_dossier(
    source: PathText,
    original: PathText | None = None,
    *,
    form: PathText | None = None,
    control: PathText | None = None,
    n_shadows: int = 0,
    n_people: int = 5_000,
    random_state: int = 0,
    encoding: str | None = None,
    **reading: Unpack[ReadingOptions],
) -> Dossier:
    """The dossier on a release: context, variables, risk against a threshold, attacks, utility.

    Parameters
    ----------
    source : path
        The released table with `NAME.manifest.json` beside it, or that manifest.
    original : path, optional
        The raw table.  With it people are attacked, and utility is measured.
    form : path, optional
        Answers in TOML; `NAME.dossier.toml` beside the release where it is there, else none.
    control : path, optional
        Rows of others, drawn alike, which were not used.
    n_shadows : int
        Releases to make for shadow tables, 6 or more; 0 for none.
    n_people : int
        People to attack; drawn at random where the raw table has more.
    random_state : int
        Seed of everything that is drawn.
    encoding : str, optional
        Encoding of CSV tables.
    **reading
        How the raw table is read besides, as for :func:`shoal.tables.open_table`.

    Returns
    -------
    Dossier
        `html`, `problems`, `residual` (risk against the threshold), `measured` (attacks, utility);
        :meth:`write` it to a file that ends in .html or .pdf.

    Examples
    --------
    >>> import shoal, tempfile
    >>> schema = shoal.Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})
    >>> made = shoal.release({"age": [31, 34, 52, 58]}, schema, k=2, method="mondrian")
    >>> path = made.write(tempfile.mkdtemp() + "/people.csv")["table"]
    >>> found = release_dossier(path)
    >>> found.residual.after, found.residual.accepted
    (0.5, False)
    """
    beside = dossier_file(source, ".toml") if form is None else Path(form)
    answered = read_form(beside) if form is not None or beside.exists() else empty_form()
    if original is not None and reading:
        original = TableFile.of(str(original), OpenOptions(encoding, **reading))
    return make_dossier(
        source,
        answered,
        original,
        control=control,
        n_shadows=n_shadows,
        n_people=n_people,
        random_state=random_state,
        encoding=encoding,
    )
