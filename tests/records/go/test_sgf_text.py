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
        ("Müller".encode("latin-1"), b"ISO8859-1", "Müller"),
        ("Müller".encode("latin-1"), b"", "Müller"),
        ("Müller".encode("latin-1"), b"UTF-8", "Müller"),  # CA is wrong
        ("Müller".encode(), b"", "Müller"),
        ("Müller".encode(), b"klingon", "Müller"),
        ("イ".encode("euc-jp"), b"EUC-JP", "イ"),
    ],
)
def test_encodings(raw, encoding, wanted):
    assert decoded(raw, encoding) == wanted


@pytest.mark.parametrize("name", [b"klingon", b"\xff\xfe", b"hex", b"x" * 99, b"utf-16", b"../x"])
def test_unknown_encodings(name):
    assert is_unknown(name)
    assert codec_of(name) == ""


def test_encodings_whose_letters_end_in_brackets():
    assert "\\" in "表".encode("shift-jis").decode("latin-1")  # why they are decoded first
    assert needs_transcoding(b"Shift_JIS")
    assert needs_transcoding(b"GBK")
    assert not needs_transcoding(b"UTF-8")
    assert not needs_transcoding(b"gb2312")  # both bytes are above ASCII
    assert not is_unknown(b"")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"])))
def test_what_was_escaped_reads_back(value):
    assert unescaped(escaped(value)) == value


@given(st.binary(max_size=30), st.binary(max_size=12))
def test_no_bytes_raise(raw, encoding):
    simple_text(raw, encoding)
    text(raw, encoding)
