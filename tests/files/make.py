"""Makes the files in `messy/`: one small table, written in every way in which people write tables.

Run it as ``python -m tests.files.make``; the files are kept, so that a changed one is seen.
"""

import csv
import gzip
import io
import random
from pathlib import Path

FOLDER = Path(__file__).parent / "messy"
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
    yield "zeros.csv", plain.replace("Ulm", "U\x00lm")
    yield "table.unknown", plain


def write():
    FOLDER.mkdir(exist_ok=True)
    for name, content in files():
        data = content if isinstance(content, bytes) else content.encode("utf-8")
        (FOLDER / name).write_bytes(data)


if __name__ == "__main__":
    write()
