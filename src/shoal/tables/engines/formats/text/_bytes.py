"""Bytes of a text file: unpacked, and turned into UTF-8 whatever they were written in."""

from __future__ import annotations

import codecs
import gzip
import io
import re
import shutil
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

from shoal.errors import MissingExtraError, TableError, TableWarning

SAMPLE_BYTES = 1 << 18
"""Bytes from which the shape of a file is told."""

PACKED = (".gz", ".zst")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_EASTERN = ("gb18030", "shift_jis", "euc_jp", "big5", "euc_kr")
_CONTROLS = [bytes([code]) for code in (*range(9), *range(14, 31)) if code != 0x1A]
"""Bytes that texts do not have."""

_GUESSED = (
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "iso8859_2",
    "iso8859_7", "koi8_r", "mac_roman", "cp437", "cp850", "cp852", "cp866", "shift_jis", "euc_jp",
    "euc_kr", "gb18030", "big5",
)  # fmt: skip

_LETTER = rb"[A-Za-z\x8a\x8c-\x8f\x9a\x9c-\x9f\xc0-\xd6\xd8-\xf6\xf8-\xff]"
_SAME = (
    rb"\x80\x82\x84-\x87\x89\x8b\x91-\x97\x99\x9b"
    rb"\xa0\xa4\xa6\xa7\xa9\xab\xac\xae\xb0\xb1\xb5-\xb7\xbb\xd7\xf7"
)
_SIGN = re.compile(
    rb"(?<!%b)[%b]|[%b](?!%b)|(?<=m)[\xb2\xb3](?!%b)|(?<=[nN0-9])[\xaa\xba](?!%b)"
    % (_LETTER, _SAME, _SAME, _LETTER, _LETTER, _LETTER)
)
"""Signs outside words, which the code pages of west and middle Europe share: they tell nothing.

Between letters the same bytes are letters of another code page. Powers (`m³`) and ordinals (`nº`)
are letters in Poland and Romania, where they do not stand behind these.
"""
_ITALIAN = re.compile(rb"(?<=[A-Za-z])[\xe0\xc0](?!%b)" % _LETTER)
_ITALIAN_ENDS = re.compile(rb"(?<=[A-Za-z])[\xec\xf2\xcc\xd2](?!%b)" % _LETTER)
"""Words that end in ì or ò. Czech ones end in these bytes, too (`Plzeň`), but not in that of à."""
_HUNGARIAN = re.compile(rb"\xf5(?!e)")


@dataclass(frozen=True)
class Encoded:
    """Which encoding a file has, and whether a byte order mark says so."""

    name: str
    bom: bool = False


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked where its name says that it is packed."""
    ending = path.suffix.lower()
    try:
        if ending == ".gz":
            with gzip.open(path, "rb") as unpacked:
                yield unpacked  # type: ignore[misc]
        elif ending == ".zst":
            with path.open("rb") as file, _zstandard().ZstdDecompressor().stream_reader(file) as z:
                yield z
        else:
            with path.open("rb") as file:
                yield file
    except (EOFError, gzip.BadGzipFile):
        raise _damaged(path) from None
    except OSError as error:
        if error.errno is None:  # what packers raise; the system's own errors have a number
            raise _damaged(path) from None
        raise TableError(
            f"{path.name!r} cannot be read: {error.strerror}. Check the file and its permissions."
        ) from None
    except Exception as error:
        if type(error).__name__ == "ZstdError":
            raise _damaged(path) from None
        raise


def pack(path: Path, target: Path) -> None:
    """Pack a file into another whose name says how; the packed file does not say when."""
    ending = target.suffix.lower()
    with path.open("rb") as source, target.open("wb") as sink:
        if ending == ".gz":
            with gzip.GzipFile("", "wb", 6, sink, mtime=0) as packed:
                shutil.copyfileobj(source, packed, 1 << 20)
        elif ending == ".zst":
            _zstandard().ZstdCompressor().copy_stream(source, sink)
        else:
            shutil.copyfileobj(source, sink, 1 << 20)


def _zstandard() -> Any:
    try:
        import zstandard  # noqa: PLC0415  an extra
    except ImportError:
        raise MissingExtraError("zstandard", "files", "reading and writing .zst files") from None
    return zstandard


def _damaged(path: Path) -> TableError:
    return TableError(
        f"{path.name!r} cannot be unpacked: it is damaged, cut short, or not packed as its name "
        "says. Copy it again from where it came."
    )


def find_encoding(path: Path, asked: str | None) -> Encoded:
    """The encoding that was asked for, that a mark states, or that the bytes can be."""
    with open_bytes(path) as file:
        block = file.read(SAMPLE_BYTES)
        marked = next((name for mark, name in _MARKS if block.startswith(mark)), None)
        if asked is not None:
            _say_if_utf8(path, block, _known(asked))
            return Encoded(_known(asked), marked is not None)
        if marked is not None:
            return Encoded(marked, bom=True)
        if b"\0" in block and (wide := _wide(block)) is not None:
            return Encoded(wide)
        if sum(map(block.count, _CONTROLS)) * 50 > len(block):
            raise TableError(
                f"{path.name!r} is no text by its content. Rename it to end as what it is, or say "
                "--encoding."
            )
        decoder = codecs.getincrementaldecoder("utf-8")()
        with suppress(UnicodeDecodeError):
            while block:
                if not block.isascii() or decoder.getstate()[0]:
                    decoder.decode(block)
                block = file.read(1 << 20)
            decoder.decode(b"", final=True)
            return Encoded("utf-8")
    return Encoded(_guess(path))


def _say_if_utf8(path: Path, block: bytes, name: str) -> None:
    """Say that a file looks like UTF-8 which is to be read letter by letter: it would not fail."""
    if block.isascii() or not name.startswith(("cp", "iso8859", "mac", "koi")):
        return
    with suppress(UnicodeDecodeError):
        codecs.getincrementaldecoder("utf-8")().decode(block)
        warnings.warn(
            f"{path.name} looks like UTF-8, and is read as {name}, as was said. If letters are "
            "wrong, leave --encoding out (or encoding in the schema's [reading]).",
            TableWarning,
            stacklevel=2,
        )


def _known(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise TableError(
            f"there is no encoding {name!r}. Names are, for example, utf-8, cp1252, latin-1, "
            "utf-16, cp1250, cp1251, shift_jis, gb18030."
        ) from None


def _wide(head: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of plain letters is zero."""
    if head.count(0) * 4 < len(head) or len(head) < 4:
        return None
    return "utf-16-le" if head[1::2].count(0) > head[::2].count(0) else "utf-16-be"


def _guess(path: Path) -> str:
    with open_bytes(path) as file:
        # only lines with signs beyond ASCII tell encodings apart
        telling = b"".join([line for line in file if not line.isascii()][:2000])
    _refuse_damaged_utf8(path, telling)
    name = "cp1252" if _is_western(telling) else _by_language(telling)
    if name is None:
        raise TableError(
            f"{path.name!r} is not UTF-8, and its encoding cannot be told. Say it, e.g. "
            "--encoding cp1252."
        )
    warnings.warn(
        f"{path.name} is not UTF-8; it was read as {name}, by its look. "
        "If letters are wrong, say --encoding.",
        TableWarning,
        stacklevel=2,
    )
    return name


def _refuse_damaged_utf8(path: Path, telling: bytes) -> None:
    """Raise for a file that is UTF-8 but for some places: another encoding would spoil the rest."""
    text = telling.decode("utf-8", "surrogateescape")
    broken = sum("\udc80" <= sign <= "\udcff" for sign in text)
    whole = sum(sign > "\x7f" for sign in text) - broken
    if whole <= 3 * broken:
        return
    with open_bytes(path) as file:
        line = next((number for number, line in enumerate(file, 1) if not _decodes(line)), 0)
    raise TableError(
        f"{path.name}, line {line}: bytes that are not UTF-8, while the rest of the file is. Mend "
        "the line, or say --encoding."
    )


def _decodes(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _by_language(content: bytes) -> str | None:
    try:
        from charset_normalizer import from_bytes  # noqa: PLC0415  an extra
    except ImportError:
        return None
    guess = from_bytes(content, cp_isolation=list(_GUESSED)).best()
    names = [str(guess.encoding)] if guess is not None else []
    # a sign within a word, or a capital behind a small letter, speaks against an encoding
    several = sum(a >= 128 and b >= 64 for a, b in pairwise(content))  # bytes of one sign
    high = sum(byte >= 128 for byte in content)
    known = [*_EASTERN, *_GUESSED] if several * 2 > high else list(_GUESSED)
    return min([*names, *known], key=lambda name: _oddities(content, name))


def _oddities(content: bytes, encoding: str) -> int:
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return len(content)
    odd = 0
    for before, sign in pairwise(text):
        if before.isascii() and sign.isascii():
            continue
        if before.isalpha() and sign.isalpha():
            odd += before.islower() and sign.isupper()
            odd += _script(before) != _script(sign)
        elif before.isalpha() or sign.isalpha():
            odd += not all(map(_stands_by_letters, before + sign))
        else:  # frames are drawn of many signs, texts are not
            odd += not (before.isascii() or sign.isascii())
    return odd


def _stands_by_letters(sign: str) -> bool:
    return sign.isalpha() or (sign.isascii() and (sign.isprintable() or sign.isspace()))


def _script(letter: str) -> str:
    name = unicodedata.name(letter, "").partition(" ")[0]
    return "CJK" if name in ("HIRAGANA", "KATAKANA", "CJK") else name


def _is_western(content: bytes) -> bool:
    """Whether signs beyond ASCII are the usual letters of Western Europe's code page."""
    usual = {
        *"äöüßÄÖÜéèêëàâçîïôûùœÉÈÀÇñáíóúÑ¿¡åæøÅÆØãõ€°«»§ÁÍÓÚÂÊÎÔÛËÏÙŒŸÃÕ".encode("cp1252"),
        *range(0x91, 0x98),
        0x85,
    }
    content = _SIGN.sub(b" ", content)
    if _ITALIAN.search(content):
        content = _ITALIAN_ENDS.sub(b" ", content)
    beyond = [byte for byte in content if byte >= 128]
    if not beyond:
        return True
    # Hungary's letters are Portugal's in another place: there õ stands beside ã, and before e
    if _HUNGARIAN.search(content) and not {0xE3, 0xE4} & set(beyond):
        return False
    # two letters beyond ASCII in a row are rare in the west, and the rule elsewhere
    pairs = sum(a >= 128 and b >= 128 for a, b in pairwise(content))
    share = sum(byte in usual for byte in beyond) / len(beyond)
    return share > 0.95 and pairs * 4 <= len(beyond)


@contextmanager
def open_text(path: Path, encoded: Encoded) -> Iterator[IO[str]]:
    """The text of a file, line ends as they are."""
    name = "utf-8-sig" if encoded.name in ("utf-8", "utf_8") else encoded.name
    with open_bytes(path) as file:
        text = io.TextIOWrapper(file, encoding=name, newline="")
        try:
            yield text
        except UnicodeDecodeError:
            raise TableError(
                f"{path.name!r} is not written in {encoded.name}. Say how it is encoded, e.g. "
                "--encoding cp1252, or leave --encoding out to have it found."
            ) from None
        finally:
            text.detach()
