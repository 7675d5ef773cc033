"""Makes the files in `messy/`: one small table, written in every way in which people write tables.

Run it as ``python -m tests.files.make``; the files are kept, so that a changed one is seen.
"""

import csv
import gzip
import io
import json
import random
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

FOLDER = Path(__file__).parent / "messy"
OFFICE = "application/vnd.openxmlformats"
NAMES = ["name", "age", "city", "sex", "admitted", "cost", "illness"]


def people():
    draw = random.Random(18)
    return [
        [
            f"Quellmann{i:02}",
            str(draw.randint(20, 59)),
            draw.choice(["Köln", "Ulm", "Orléans"]),
            draw.choice("fm"),
            f"2024-{draw.randint(1, 12):02}-{draw.randint(13, 28)}",
            f"{draw.randint(100, 99999) / 100 + 1000 * (i % 3):.2f}",
            draw.choice(["flu", "cold", "asthma"]),
        ]
        for i in range(30)
    ]


def change(rows, column, how):
    at = NAMES.index(column)
    return [[*row[:at], how(i, row[at]), *row[at + 1 :]] for i, row in enumerate(rows)]


def text(rows, *, header=NAMES, end="\n", **how):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=end, **how)
    writer.writerows([header, *rows] if header else rows)
    return out.getvalue()


def german(_, cost):
    whole, cents = cost.split(".")
    return f"{int(whole):,}".replace(",", ".") + f",{cents}"


def workbook(sheets, merged=()):
    """A minimal Excel workbook, the same bytes each time; numbers are numbers, others texts."""
    out, main = io.BytesIO(), "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    listed, links, types = "", "", ""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:

        def put(name, content):
            archive.writestr(zipfile.ZipInfo(name), f'<?xml version="1.0"?>{content}')

        for i, (title, rows) in enumerate(sheets.items(), 1):
            listed += f'<sheet name="{title}" sheetId="{i}" r:id="r{i}"/>'
            links += (f'<Relationship Id="r{i}" Type="{kinds}/worksheet" '
                      f'Target="worksheets/sheet{i}.xml"/>')  # fmt: skip
            types += (f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{OFFICE}-'
                      'officedocument.spreadsheetml.worksheet+xml"/>')  # fmt: skip
            lines = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
            areas = "".join(f'<mergeCell ref="{area}"/>' for area in merged)
            areas = f"<mergeCells>{areas}</mergeCells>" if areas else ""
            put(
                f"xl/worksheets/sheet{i}.xml",
                f'<worksheet xmlns="{main}"><sheetData>{lines}</sheetData>{areas}</worksheet>',
            )
        put("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{package}/relationships">{links}'
            "</Relationships>")  # fmt: skip
        put("xl/workbook.xml", f'<workbook xmlns="{main}" xmlns:r="{kinds}"><sheets>{listed}'
            "</sheets></workbook>")  # fmt: skip
        put("_rels/.rels", f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1"'
            f' Type="{kinds}/officeDocument" Target="xl/workbook.xml"/>'
            "</Relationships>")  # fmt: skip
        put("[Content_Types].xml", f'<Types xmlns="{package}/content-types"><Default '
            f'Extension="rels" ContentType="{OFFICE}-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{OFFICE}-'
            f'officedocument.spreadsheetml.sheet.main+xml"/>{types}</Types>')  # fmt: skip
    return out.getvalue()


def cell(value):
    if value in ("", None):
        return "<c/>"
    if value.startswith("=1"):
        return f"<c><f>{value[1:]}</f><v></v></c>"
    if value.startswith("#"):
        return f'<c t="e"><v>{value}</v></c>'
    if value.replace(".", "").isdigit():
        return f"<c><v>{value}</v></c>"
    return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'


def month_name(day):
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    return f"{day[8:]} {months[int(day[5:7]) - 1]} {day[:4]}"


def files():  # noqa: PLR0915  a line for each file
    rows = people()
    plain = text(rows)
    lines = plain.splitlines(keepends=True)
    turned = change(rows, "admitted", lambda _, day: ".".join(reversed(day.split("-"))))
    english = change(rows, "admitted", lambda _, day: f"{day[5:7]}/{day[8:]}/{day[:4]}")
    first_days = change(rows, "admitted", lambda i, day: f"0{1 + i % 9}/0{1 + i % 7}/2024")
    some = {0: "NA", 7: "NA"}
    yield "plain.csv", plain
    yield "semicolons.csv", text(rows, delimiter=";")
    yield "tabs.tsv", text(rows, delimiter="\t")
    yield "tabs_in_csv.csv", text(rows, delimiter="\t")
    yield "bars.txt", text(rows, delimiter="|")
    yield "carets.txt", text(rows, delimiter="^")
    yield "spaces.txt", text(rows, delimiter=" ")
    yield "cp1252.csv", plain.encode("cp1252")
    yield (
        "cp1250.csv",
        text(change(rows, "city", lambda i, _: ["Łódź", "Kraków", "Ząbki"][i % 3])).encode(
            "cp1250"
        ),
    )
    yield (
        "cp1251.csv",
        text(change(rows, "city", lambda i, _: ["Москва", "Казань", "Тверь"][i % 3])).encode(
            "cp1251"
        ),
    )
    yield (
        "shift_jis.csv",
        text(change(rows, "city", lambda i, _: ["東京都", "大阪市", "名古屋"][i % 3])).encode(
            "shift_jis"
        ),
    )
    yield "mac_roman.csv", plain.encode("mac_roman")
    yield "utf16.csv", plain.encode("utf-16")
    yield "utf16_unmarked.csv", plain.encode("utf-16-le")
    yield "utf8_marked.csv", plain.encode("utf-8-sig")
    yield "crlf.csv", text(rows, end="\r\n")
    yield "cr.csv", text(rows, end="\r")
    yield (
        "mixed_ends.csv",
        "".join(line.replace("\n", "\r\n") if i % 2 else line for i, line in enumerate(lines)),
    )
    yield "no_end.csv", plain.rstrip("\n")
    yield "blank_lines.csv", plain.replace("\nQuellmann07", "\n\n\nQuellmann07") + "\n\n"
    yield "all_quoted.csv", text(rows, quoting=csv.QUOTE_ALL)
    yield (
        "breaks_in_quotes.csv",
        text(
            change(rows, "illness", lambda i, ill: ill if i % 5 else 'a "long"\nnote, in\n\nlines')
        ),
    )
    yield (
        "backslashes.csv",
        "".join(line.replace("flu", '"the \\"flu\\", he said"') for line in lines),
    )
    yield (
        "apostrophes.csv",
        text(change(rows, "illness", lambda _, ill: f"{ill}, acute"), quotechar="'"),
    )
    yield (
        "decimal_commas.csv",
        text(change(rows, "cost", lambda _, cost: cost.replace(".", ",")), delimiter=";"),
    )
    yield (
        "german.csv",
        text(change(turned, "cost", german), delimiter=";", end="\r\n").encode("cp1252"),
    )
    yield "english_thousands.csv", text(change(rows, "cost", lambda _, cost: f"{float(cost):,.2f}"))
    yield (
        "swiss_thousands.csv",
        text(change(rows, "cost", lambda _, cost: f"{float(cost):,.2f}".replace(",", "'"))),
    )
    yield (
        "doubtful_commas.csv",
        text(change(rows, "cost", lambda i, _: f"{1 + i},{100 + i}"), delimiter=";"),
    )
    yield "turned_dates.csv", text(turned)
    yield "english_dates.csv", text(english)
    yield "mixed_dates.csv", text([row if i % 2 else turned[i] for i, row in enumerate(rows)])
    yield "doubtful_dates.csv", text(first_days)
    yield "not_available.csv", text(change(rows, "age", lambda i, age: some.get(i, age)))
    yield (
        "points_for_nothing.csv",
        text(change(rows, "cost", lambda i, c: "." if i % 9 == 0 else c)),
    )
    yield (
        "questions_for_nothing.csv",
        text(
            change(
                change(rows, "age", lambda i, a: a if i else "?"),
                "city",
                lambda i, c: c if i % 8 else "?",
            )
        ),
    )
    yield (
        "null_words.csv",
        text(
            change(
                change(rows, "age", lambda i, a: a if i else "NULL"),
                "city",
                lambda i, c: c if i % 8 else "NULL",
            )
        ),
    )
    yield "empty_cells.csv", text(change(rows, "age", lambda i, age: age if i % 6 else ""))
    yield "blanks_for_nothing.csv", text(change(rows, "age", lambda i, age: age if i % 6 else "  "))
    yield "own_word.csv", text(change(rows, "age", lambda i, age: age if i % 6 else "refused"))
    yield (
        "short_rows.csv",
        "".join(line if i != 7 else "Quellmann06,44\n" for i, line in enumerate(lines)),
    )
    yield (
        "long_rows.csv",
        "".join(
            line if i not in (3, 9) else line.replace("\n", ",extra,more\n")
            for i, line in enumerate(lines)
        ),
    )
    yield (
        "unclosed_quote.csv",
        "".join(
            line if i != 5 else line.replace("Quell", '"Quell') for i, line in enumerate(lines)
        ),
    )
    yield (
        "closed_within.csv",
        "".join(
            line if i != 5 else line.replace("Quellmann", '"Quell"mann')
            for i, line in enumerate(lines)
        ),
    )
    yield "headerless.csv", text(rows, header=None)
    yield "headerless_words.csv", text([[r[0], r[2], r[3], r[6]] for r in rows], header=None)
    yield (
        "named_years.csv",
        text([[r[2], r[3], "1", "2"] for r in rows], header=["city", "sex", "2023", "2024"]),
    )
    yield "title_lines.csv", f"Patients of 2024\nprinted on Monday\n\n{plain}"
    yield "sep_line.csv", f"sep=;\n{text(rows, delimiter=';')}"
    yield (
        "row_numbers.csv",
        ",".join(NAMES) + "\n" + "".join(f"{i},{line}" for i, line in enumerate(lines[1:], 1)),
    )
    yield (
        "unnamed_column.csv",
        text([[str(i), *r] for i, r in enumerate(rows)], header=["", *NAMES]),
    )
    yield "trailing_commas.csv", "".join(line.replace("\n", ",\n") for line in lines)
    yield "blanks_in_names.csv", text(rows, header=[f" {name} " for name in NAMES])
    yield "twice_named.csv", text(rows, header=["name", "age", "age", *NAMES[3:]])
    yield "leading_zeros.csv", text(change(rows, "city", lambda i, _: f"0{1234 + i % 3}"))
    yield (
        "long_numbers.csv",
        text(change(rows, "name", lambda i, _: f"1234567890123456789012{i:02}")),
    )
    yield (
        "formulas.csv",
        text(
            change(
                rows,
                "illness",
                lambda i, ill: [ill, "=cmd|' /C calc'!A0", "@SUM(1)", "-2+3", "'=x"][i % 5],
            )
        ),
    )
    yield "late_text.csv", text(change(rows, "age", lambda i, age: age if i < 29 else "old"))
    yield "one_column.csv", "age\n" + "".join(f"{row[1]}\n" for row in rows)
    yield "only_header.csv", ",".join(NAMES) + "\n"
    yield "one_row.csv", "".join(lines[:2])
    yield "empty.csv", b""
    yield "blank.csv", b"\n \n\n"
    yield "packed.csv.gz", gzip.compress(plain.encode(), mtime=0)
    yield "cut.csv.gz", gzip.compress(plain.encode(), mtime=0)[:200]
    yield "cut.parquet", b"PAR1\x15\x04\x15\x10\x15\x14L\x15\x02"
    yield "workbook.csv", b"PK\x03\x04\x14\x00\x06\x00" + bytes(40)
    yield "old_excel.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(40)
    polish = change(rows, "city", lambda i, _: ["Łódź", "Kraków", "Śrem"][i % 3])
    russian = change(rows, "city", lambda i, _: ["Москва", "Казань", "Тверь"][i % 3])
    yield "iso8859_2.csv", text(polish).encode("iso8859_2")
    yield "koi8.csv", text(russian).encode("koi8_r")
    yield "bars.psv", text(rows, delimiter="|")
    yield "end_mark.csv", plain + "\x1a"
    yield "month_names.csv", text(change(rows, "admitted", lambda _, day: month_name(day)))
    yield (
        "three_spellings.csv",
        text(
            [
                [row, turned[i], [*row[:4], month_name(row[4]), *row[5:]]][i % 3]
                for i, row in enumerate(rows)
            ]
        ),
    )
    yield "failed_formulas.csv", text(change(rows, "cost", lambda i, c: c if i % 7 else "#DIV/0!"))
    yield "units.csv", text(change(rows, "cost", lambda _, cost: f"{cost} EUR"))
    yield "codes_for_nothing.csv", text(change(rows, "age", lambda i, a: a if i % 7 else "-99"))
    yield "total.csv", f"{plain}Total,,,,,99999.99,\n"
    yield (
        "fixed_places.txt",
        "".join("".join(f"{c:14}" for c in row).rstrip() + "\n" for row in [NAMES, *rows]),
    )
    yield "page.csv", "<!DOCTYPE html>\n<html><table><tr><td>1</td></tr></table></html>\n"
    yield (
        "odd_names.csv",
        text(rows, header=["name", "age", "city", "sex", "a\nb", 'x"y', "illness"]),
    )
    told = [dict(zip(NAMES, row, strict=True)) for row in rows]
    within = [
        {"name": r["name"], "age": r["age"], "at": {"city": r["city"], "day": r["admitted"]}}
        for r in told
    ]
    yield "nested.jsonl", "".join(json.dumps(row) + "\n" for row in within)
    yield "lists.jsonl", "".join(json.dumps({"name": r["name"], "x": [1]}) + "\n" for r in told)
    titled = [["Patients of 2024"], ["Printed", "", "on", "Monday"], [], NAMES, *rows]
    yield "titles.xlsx", workbook({"Data": titled}, ["A1:D1"])
    groups = ["", "Person", "", "", "Stay", "", ""]
    yield "groups_of_names.xlsx", workbook({"Data": [groups, NAMES, *rows]}, ["B1:D1", "E1:F1"])
    merged = change(rows, "city", lambda i, _: ["Ulm", "", ""][i % 3])
    areas = [f"C{i}:C{i + 2}" for i in range(2, 32, 3)]
    yield "merged_cells.xlsx", workbook({"Data": [NAMES, *merged]}, areas)
    failed = change(rows, "cost", lambda i, c: c if i % 7 else "#DIV/0!")
    yield "failed_formulas.xlsx", workbook({"Data": [NAMES, *failed]})
    notes = [["This workbook holds patients."]]
    yield "two_sheets.xlsx", workbook({"Read me": notes, "People": [NAMES, *rows]})
    uncomputed = change(rows, "cost", lambda i, c: c if i % 7 else "=1+1")
    yield "uncomputed.xlsx", workbook({"Data": [NAMES, *uncomputed]})
    notes = change(rows, "illness", lambda i, ill: ill if i % 5 else 'a "long"\r\nnote')
    yield "windows_breaks.csv", text(notes, end="\r\n", delimiter=";").encode("cp1252")
    yield "old_breaks.csv", text(change(notes, "illness", lambda _, ill: ill.replace("\r\n", "\r")))
    yield "title_of_unix.csv", "Patients of 2024\n\n" + text(rows, end="\r\n")
    yield "comments.csv", f"# printed on Monday\n# 30 people, of 2024\n{plain}"
    yield "footer.csv", f"{plain}\n30 rows selected.\n"
    yield "objects.csv", "".join(json.dumps(row) + "\n" for row in told)
    yield "only_called.csv.gz", plain
    years = [f"{row[4][8:]}.{row[4][5:7]}.{row[4][2:4]}" for row in rows]
    yield "short_years.csv", text(change(rows, "admitted", lambda i, _: years[i]))
    yield (
        "halves.csv",
        text(change(rows, "admitted", lambda i, day: f"{day} {1 + i % 12}:05 {'AP'[i % 2]}M")),
    )
    yield "zones.csv", text(change(rows, "admitted", lambda _, day: f"{day}T10:05:00+02:00"))
    yield "brackets.csv", text(change(rows, "cost", lambda i, c: c if i % 4 else f"({c})"))
    yield "utf16_big.csv", b"\xfe\xff" + plain.encode("utf-16-be")
    yield (
        "long_names.csv",
        text(rows, header=["name", "age", "\U0001f3d9 city", "s" * 500, *NAMES[4:]]),
    )
    yield (
        "truths.csv",
        text(
            change(rows, "sex", lambda i, _: ["ja", "nein"][i % 2]),
            header=[*NAMES[:3], "raucher", *NAMES[4:]],
        ),
    )
    yield "nothing_known.csv", text([[*row, ""] for row in rows], header=[*NAMES, "phone"])
    yield "zeros.csv", plain.replace("Ulm", "U\x00lm")
    yield "table.unknown", plain


def write():
    FOLDER.mkdir(exist_ok=True)
    for name, content in files():
        data = content if isinstance(content, bytes) else content.encode("utf-8")
        (FOLDER / name).write_bytes(data)


if __name__ == "__main__":
    write()
