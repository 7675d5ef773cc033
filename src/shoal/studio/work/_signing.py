"""A release written as the command line writes it, with the report that says whether it may go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal._atomic import refuse_existing, write_text
from shoal.anonymize._registry import make_method
from shoal.anonymize._release_files import digest, file_beside, release_files
from shoal.errors import ShoalError
from shoal.report import release_report
from shoal.report.dossier._dossier import make_dossier
from shoal.report.dossier._form import read_form
from shoal.report.release.pages._html import report_path
from shoal.schema import Schema
from shoal.studio.work._bench import Args, Bench, like, privacy_of, source_of, suppression_of
from shoal.studio.work._keys import open_key
from shoal.studio.work._registered import task
from shoal.tables import RowOptions
from shoal.typing import Progress


@task("sign")
def write_release(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Fit, write, have it judged and reported on: the calls of `shoal anonymize` and `report`."""
    out = Path(args["out"])
    refuse_existing(release_files(out).values(), force=False)
    page = report_path(out)
    out.parent.mkdir(exist_ok=True)
    schema = Schema.from_toml(args["schema_path"])
    key = open_key(args, schema)  # a wrong passphrase is told before any work
    method = make_method(
        args["method"],
        schema,
        privacy_of(args),
        suppression_of(args["method"], args),
    )
    rows = RowOptions(shuffle=args.get("order_seed"), key=key)
    source = source_of(args)
    method.fit(source, output=rows, progress=progress)
    progress(0, 0, "writing and counting again")
    paths = method.release_.write(out)
    progress(0, 0, "attacking it for the report")
    reported = _reported(args, out, page, {name: str(path) for name, path in paths.items()})
    if reported["promise"] in ("not evaluated", "judged when written") and not reported["problems"]:
        # whose the rows are cannot be seen in a release: the judge, who has both tables, counted
        reported["promise"] = "judged"
    return reported


def _reported(args: Args, out: Path, page: Path, files: dict[str, str]) -> dict[str, Any]:
    """The findings of a report, and the digest of the bytes it is about."""
    source = source_of(args)
    written = {
        "files": files, "digest": digest(out), "promise": "not evaluated", "report": None,
    }  # fmt: skip
    try:
        report = release_report(out, source, encoding=source.options.encoding)
        report.write(page, force=True)
    except ShoalError as error:  # the release is there; without its report it must not go
        return written | {"problems": [str(error)]}
    return written | report.to_dict() | {"report": str(page)}


@task("judge")
def judge_release(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Count a release of whoever wrote it again, and attack it for its report."""
    progress(0, 0, "counting it again and attacking it")
    out = Path(args["release"])
    return _reported(args, out, file_beside(out, "report"), {"table": str(out)})


@task("dossier")
def write_dossier(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Count, attack and compare for the dossier, with the answers of the form beside a release."""
    release = Path(args["release"])
    progress(0, 0, "attacking and comparing for the dossier")
    written = make_dossier(
        release,
        read_form(file_beside(release, "dossier form")),
        source_of(args),
        control=like(args, args["control"]) if args.get("control") else None,
        encoding=source_of(args).options.encoding,
    )
    write_text(file_beside(release, "dossier"), written.html)
    content = written.to_dict()
    del content["utility"]  # the page has it; what is kept of a project stays small
    return content | {"digest": digest(release)}
