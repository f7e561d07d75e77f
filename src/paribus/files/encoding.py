"""Detecting the encoding of a text file, and reading it as UTF-8."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import IO

from paribus.base.extras import need

UTF8 = "utf-8-sig"  # with or without a byte order mark
MARKS = re.compile(rb"\A(?:\xef\xbb\xbf)+")
BLOCK = 1 << 22  # bytes read at a time
SAMPLE = 20_000  # bytes that determine the encoding
FIELD = re.compile(rb'[^,;\t\r\n"]*[\x80-\xff][^,;\t\r\n"]*')
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
USUAL = "cp1252"  # the usual one on older Windows
WESTERN = set(
    "äöüßÄÖÜéèêëàâçñáíóúîïôûùìòãõåæøœÅÆØÉÈÊÀÂÇÑÁÍÓÚÎÔÕÃ€£°§«»„“”…·²³½¼®©™µ¿¡ºª"
    "\u00a0\u00d7\u2013\u2014\u2018\u2019"
)
EASTERN = re.compile(r"[^\W\d][³¹¿]|[³¹][^\W\d]|£[a-zó]|õ(?!e)|œ(?!u)")
TURKISH = re.compile(r"\bÝ[a-z]|[a-z]þ")
ROWS = re.compile(r"[^\x00-\x7f]{3,}")
SPOILT = 0.1  # share of damaged characters up to which a file still counts as UTF-8


def found_encoding(opened: Callable[[], IO[bytes]]) -> str:
    """Detect the encoding of a file: UTF-8, UTF-16, or else what its characters suggest.

    Examples
    --------
    >>> from io import BytesIO
    >>> text = "город;цена Москва;1 Казань;2 Санкт-Петербург;3"
    >>> [found_encoding(lambda e=e: BytesIO(text.encode(e))) for e in ("utf-8", "cp1251")]
    ['utf-8-sig', 'cp1251']
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    with opened() as file:
        block = file.read(BLOCK)
        wide = _wide(block)
        if wide is not None:
            return wide
        while block:
            try:
                decoder.decode(block)
            except UnicodeDecodeError:
                return _guessed(block)
            block = file.read(BLOCK)
    return UTF8


def utf8_blocks(file: IO[bytes], encoding: str, size: int) -> Iterator[bytes]:
    """Read a file in blocks of about `size` bytes, as UTF-8 without byte order marks.

    All of it is one block if `size` is negative. What cannot be decoded becomes the replacement
    character.
    """
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    begun = False
    while block := file.read(size):
        text = block if encoding == UTF8 else decoder.decode(block).encode()
        yield text if begun else MARKS.sub(b"", text)  # each tool that saves it may add one
        begun = True
    if encoding != UTF8:
        yield decoder.decode(b"", final=True).encode()


def _wide(start: bytes) -> str | None:
    if start.startswith(UTF16):
        return "utf-16"
    for half, encoding in ((start[1:200:2], "utf-16-le"), (start[:200:2], "utf-16-be")):
        if half and half.count(0) > 0.8 * len(half):
            return encoding
    return None


def _guessed(block: bytes) -> str:
    """Guess from the fields with non-ASCII characters, each of them once."""
    if b"\0" in block:
        return USUAL  # not text, which the caller will notice
    fields = FIELD.findall(block)
    text = b"\n".join(fields).decode(errors="replace")
    if text.count("\ufffd") < SPOILT * sum(not c.isascii() for c in text):
        return "utf-8"
    sample = b"\n".join(dict.fromkeys(fields))[:SAMPLE]
    usual = sample.decode(USUAL, errors="replace")
    if _is_western(usual):
        return USUAL
    chardet = need("chardet", "Finding out the encoding", "files")
    found = codecs.lookup(chardet.detect(sample)["encoding"] or USUAL).name
    if found.startswith(("utf-16", "utf-32")):
        return USUAL  # two bytes per letter would have been noticed earlier
    if sample.decode(found, errors="replace") == usual:
        return "cp1254" if TURKISH.search(usual) else USUAL
    # Of the families of old Macs and of DOS the western one is the commonest.
    western = "mac_roman" if found.startswith("mac") else "cp850" if found.startswith("cp8") else ""
    return western if western and _is_western(sample.decode(western)) else found


def _is_western(text: str) -> bool:
    """Tell whether text decoded as Western European looks like a Western European language.

    Wrongly decoded, other alphabets give runs of accented letters, eastern languages odd symbols.
    """
    others = [c for c in text if not c.isascii()]
    in_rows = sum(len(row) for row in ROWS.findall(text))
    return WESTERN.issuperset(others) and not EASTERN.search(text) and in_rows < 0.2 * len(others)
