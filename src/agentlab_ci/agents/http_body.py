"""The bytes of a reply: taken out of their content encoding under a cap, and read as text. Pure."""

import contextlib
import zlib

_EITHER = zlib.MAX_WBITS | 32  # finds out whether it is gzip or zlib
_BARE = -zlib.MAX_WBITS  # what some servers call deflate
_WINDOW_BITS = {"gzip": (_EITHER,), "x-gzip": (_EITHER,), "deflate": (_EITHER, _BARE)}
_NOT_UTF8 = "the reply held bytes that are not UTF-8; each is shown as U+FFFD"


class UnreadableBodyError(Exception):
    """The body is not what its Content-Encoding says, or is in one that is not known."""


def decode_body(data: bytes, encoding: str, *, limit: int) -> tuple[bytes, bool]:
    """Return at most `limit` bytes of the decoded body, and whether the data ended where its format says.

    A limit on the encoded size would be none: 200 KB of gzip can hold 200 MB. Raises UnreadableBodyError.
    """
    encoding = encoding.strip().lower()
    if encoding in {"", "identity"}:
        return data[:limit], True
    if encoding not in _WINDOW_BITS:
        raise UnreadableBodyError(f"its Content-Encoding {encoding!r} was not asked for")
    for bits in _WINDOW_BITS[encoding]:
        with contextlib.suppress(zlib.error):
            unpacker = zlib.decompressobj(bits)
            return unpacker.decompress(data, limit), unpacker.eof
    raise UnreadableBodyError(f"it is not the {encoding} data that its Content-Encoding announces")


def read_text(body: bytes) -> tuple[str, str | None]:
    """Read UTF-8, which is what JSON is whatever the charset says; a note says that bytes were replaced."""
    body = body.removeprefix(b"\xef\xbb\xbf")
    try:
        return body.decode(), None
    except UnicodeDecodeError:
        return body.decode(errors="replace"), _NOT_UTF8
