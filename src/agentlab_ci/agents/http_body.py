"""The bytes of a reply: taken out of their content encoding under a cap, and read as text. Pure."""

import contextlib
import sys
import zlib

_EITHER = zlib.MAX_WBITS | 32  # finds out whether it is gzip or zlib
_BARE = -zlib.MAX_WBITS  # what some servers call deflate
_WINDOW_BITS = {"gzip": (_EITHER,), "x-gzip": (_EITHER,), "deflate": (_EITHER, _BARE)}
_GZIP_MAGIC = b"\x1f\x8b"
_PIECE = 4 << 10  # what follows a member is copied each time: in one piece, a body of empty members takes minutes
_NOT_UTF8 = "the reply held bytes that are not UTF-8; each is shown as U+FFFD"


class UnreadableBodyError(Exception):
    """The body is not what its Content-Encoding says, or is in one that is not known."""


def decode_body(data: bytes, encoding: str, *, limit: int) -> tuple[bytes, bool]:
    """Return at most `limit` bytes of the decoded body, and whether the data ended where its format says.

    A limit on the encoded size would be none: 200 KB of gzip can hold 200 MB. Raises UnreadableBodyError.
    """
    name = encoding.strip().lower()
    if name in {"", "identity"}:
        return data[:limit], True
    if name not in _WINDOW_BITS:
        raise UnreadableBodyError(f"its Content-Encoding {encoding!r} was not asked for")
    for bits in _WINDOW_BITS[name]:
        with contextlib.suppress(zlib.error):
            return _unpack(data, bits, limit)
    raise UnreadableBodyError(f"it is not the {name} data that its Content-Encoding announces")


def _unpack(data: bytes, bits: int, limit: int) -> tuple[bytes, bool]:
    """Unpack the data and the gzip members that follow it, each of which is a whole file."""
    unpacked = bytearray()
    unpacker = zlib.decompressobj(bits)
    position = 0
    while position < len(data) and len(unpacked) < limit:
        piece = data[position : position + _PIECE]
        unpacked += unpacker.decompress(piece, min(limit - len(unpacked), sys.maxsize))
        position += len(piece) - len(unpacker.unused_data)
        if unpacker.eof:
            if not data.startswith(_GZIP_MAGIC, position):
                break
            unpacker = zlib.decompressobj(bits)
    return bytes(unpacked), unpacker.eof


def read_text(body: bytes) -> tuple[str, str | None]:
    """Read UTF-8, which is what JSON is whatever the charset says; a note says that bytes were replaced."""
    body = body.removeprefix(b"\xef\xbb\xbf")
    try:
        return body.decode(), None
    except UnicodeDecodeError:
        return body.decode(errors="replace"), _NOT_UTF8
