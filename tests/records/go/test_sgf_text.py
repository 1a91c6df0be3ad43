"""Escapes, line breaks and encodings of SGF values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenmatch.records.go.sgf_text import (
    codec_of,
    decoded,
    escaped,
    is_unknown,
    needs_transcoding,
    simple_text,
    text,
    unescaped,
)


@pytest.mark.parametrize(
    ("raw", "one_line", "lines"),
    [
        (rb"a\]b\\c\:d", "a]b\\c:d", "a]b\\c:d"),
        (b"one\\\ntwo", "onetwo", "onetwo"),
        (b"one\\\r\ntwo", "onetwo", "onetwo"),
        (b"one\r\ntwo\n\rthree\rfour", "one two three four", "one\ntwo\nthree\nfour"),
        (b"a\tb\x0bc", "a b c", "a b c"),
        (b"ends in \\", "ends in", "ends in "),
    ],
)
def test_escapes_and_breaks(raw, one_line, lines):
    assert simple_text(raw) == one_line
    assert text(raw) == lines


@pytest.mark.parametrize(
    ("raw", "encoding", "wanted"),
    [
        ("柯洁".encode(), b"UTF-8", "柯洁"),
        ("柯洁".encode("gb2312"), b"gb2312", "柯洁"),
        ("柯洁".encode("gb2312"), b" GB 2312 ", "柯洁"),
        ("朱镕".encode("gbk"), b"gb2312", "朱镕"),
        ("髙尾".encode("cp932"), b"Shift_JIS", "髙尾"),
        ("圍碁".encode("cp950"), b"Big5", "圍碁"),
        ("똠방".encode("cp949"), b"EUC-KR", "똠방"),
        ("Müller".encode("latin-1"), b"ISO8859-1", "Müller"),
        ("Đặng €".encode("cp1258", "ignore"), b"windows-1258", "Đng €"),
        ("€".encode("cp1252"), b"latin1", "€"),
        ("Müller".encode("latin-1"), b"", "Müller"),
        ("Müller".encode("latin-1"), b"UTF-8", "Müller"),  # CA is wrong
        ("Müller".encode(), b"", "Müller"),
        ("Müller".encode(), b"klingon", "Müller"),
        ("イ".encode("euc-jp"), b"EUC-JP", "イ"),
    ],
)
def test_encodings(raw, encoding, wanted):
    assert decoded(raw, encoding) == wanted


CODECS = {
    "gb18030": "gb2312 GB2312 gbk GBK cp936 x-gbk gb_2312-80 chinese ms936 windows-936 gb18030",
    "cp932": "Shift_JIS shift-jis sjis x-sjis Windows-31J ms_kanji cp932 csShiftJIS",
    "big5hkscs": "big5 Big5-HKSCS cn-big5 x-x-big5 cp950 windows-950",
    "cp949": "euc-kr EUCKR ks_c_5601-1987 ksc5601 windows-949 cp949 korean uhc",
    "cp1252": "latin1 iso8859-1 ISO-8859-1 iso88591 l1 windows-1252 x-cp1252 ascii us-ascii",
    "utf-8": "utf8 UTF-8 utf_8 unicode-1-1-utf-8",
    "iso8859-2": "iso88592 latin2",
    "koi8-r": "koi8-r koi",
    "cp874": "tis-620 windows-874",
}


@pytest.mark.parametrize(("codec", "names"), CODECS.items())
def test_names_of_encodings(codec, names):
    assert {name: codec_of(name.encode()) for name in names.split()} == dict.fromkeys(
        names.split(), codec
    )


@pytest.mark.parametrize("name", [b"klingon", b"\xff\xfe", b"hex", b"x" * 99, b"utf-16", b"../x"])
def test_unknown_encodings(name):
    assert is_unknown(name)
    assert codec_of(name) == ""


def test_encodings_whose_letters_end_in_brackets():
    assert "\\" in "表".encode("shift-jis").decode("latin-1")  # why they are decoded first
    assert needs_transcoding(b"Shift_JIS")
    assert needs_transcoding(b"GBK")
    assert not needs_transcoding(b"UTF-8")
    assert needs_transcoding(b"gb2312")  # its bytes are above ASCII; those of GBK, its name's, not
    assert not needs_transcoding(b"latin1")
    assert not is_unknown(b"")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])))
def test_what_was_escaped_reads_back(value):
    assert unescaped(escaped(value)) == value


@given(st.binary(max_size=30), st.binary(max_size=12))
def test_no_bytes_raise(raw, encoding):
    simple_text(raw, encoding)
    text(raw, encoding)
