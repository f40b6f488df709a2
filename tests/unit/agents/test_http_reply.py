import gzip
import json
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.agents.http_advice import URL_ADVICE
from agentlab_ci.agents.http_body import UnreadableBodyError, decode_body, read_text
from agentlab_ci.agents.http_reply import (
    CUT_MARK,
    LONGEST_SECRET,
    SHOWN_BYTES,
    Answer,
    read_reply,
    read_retry_after,
    read_usage,
)
from agentlab_ci.agents.interface import AgentBusyError, AgentFailedError, Reply
from agentlab_ci.agents.json_path import MissingValueError, find_value
from agentlab_ci.core.config import HttpAgent, UsageFields
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.trace import Usage

NOW = datetime(2026, 4, 7, 0, 12, 30, tzinfo=UTC)
CAP = 1000


def read(
    body: bytes,
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
    mask: Callable[[str], str] = str,
) -> Reply:
    answer = Answer(
        where="POST http://a/",
        status=status,
        headers=headers or {},
        body=body,
        latency_ms=5,
        mask=mask,
        advice=URL_ADVICE,
    )
    return read_reply(answer, config=HttpAgent(name="a", provider=Provider.HTTP), cap=CAP, now=NOW)


CHAT = {"choices": [{"message": {"content": "hello"}}], "a.b": "dotted key", "ünï": "cöde"}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("choices.0.message.content", "hello"),
        ("choices", CHAT["choices"]),
        ("a.b", "dotted key"),  # a key that holds a dot, before it is a path
        ("ünï", "cöde"),
    ],
)
def test_a_path_leads_to_its_value(path: str, value: object) -> None:
    assert find_value(CHAT, path) == value


@pytest.mark.parametrize(
    ("data", "path", "says"),
    [
        (CHAT, "message", "it is an object with choices, a.b, ünï"),
        (CHAT, "choices.1.message", "`choices` is a list of 1"),
        (CHAT, "choices.-1.message", "`choices` is a list of 1"),
        (CHAT, "choices.first", "`choices` is a list of 1"),
        (CHAT, "choices.0.message.content.text", "`choices.0.message.content` is text"),
        ({}, "message", "it is an empty object"),
        ([], "message", "it is a list of 0"),
        (None, "message", "it is null"),
        (True, "message", "it is true"),
        (1.5, "message", "it is a number"),
        (dict.fromkeys("abcdefghij"), "z", "it is an object with a, b, c, d, e, f, g, h, …"),
        ({"a": {"b": 1}}, "a..b", "`a` is an object with b"),
    ],
)
def test_a_path_that_leads_nowhere_says_how_far_it_leads(data: object, path: str, says: str) -> None:
    with pytest.raises(MissingValueError) as missing:
        find_value(data, path)
    assert str(missing.value) == says


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"in": 10, "out": 20, "cost": 0.5}, Usage(input_tokens=10, output_tokens=20, cost_usd=0.5)),
        ({"in": 10.0, "cost": 0}, Usage(input_tokens=10, cost_usd=0.0)),
        ({"in": "10", "out": None, "cost": "0.5"}, Usage()),  # text is no number
        ({"in": True, "out": 1.5, "cost": False}, Usage()),  # nor is true, and tokens are whole
        ({"in": -1, "out": 10**400, "cost": float("nan")}, Usage()),
        ({"cost": float("inf")}, Usage()),
        ({}, Usage()),
    ],
)
def test_usage_is_unknown_unless_it_is_a_number(usage: dict[str, Any], expected: Usage) -> None:
    fields = UsageFields(input_tokens="usage.in", output_tokens="usage.out", cost_usd="usage.cost")
    assert read_usage({"usage": usage}, fields) == expected


def test_usage_is_not_looked_for_unless_asked() -> None:
    assert read_usage({"usage": {"in": 1}}, UsageFields()) == Usage()


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        (" 7 ", 7.0),
        ("0.5", 0.5),
        ("0", 0.0),
        ("Tue, 07 Apr 2026 00:12:45 GMT", 15.0),
        ("Tuesday, 07-Apr-26 00:12:45 GMT", 15.0),
        ("Tue, 07 Apr 2026 02:12:45 +0200", 15.0),
        ("Tue, 07 Apr 2026 00:12:45", 15.0),  # without a zone it is UTC
        ("Mon, 06 Apr 2026 00:00:00 GMT", 0.0),  # past
        ("soon", None),
        ("", None),
        ("-1", None),
        ("inf", None),
        ("1e9", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert read_retry_after(header, NOW) == seconds


@settings(derandomize=True, deadline=None)
@given(st.text())
def test_retry_after_survives_any_text(header: str) -> None:
    seconds = read_retry_after(header, NOW)
    assert seconds is None or seconds >= 0


@settings(derandomize=True, deadline=None)
@given(st.binary(max_size=2000), st.integers(200, 599), st.sampled_from(["", "gzip", "deflate", "br"]))
def test_noise_is_never_an_answer(body: bytes, status: int, encoding: str) -> None:
    # bytes at random hold no JSON object with a `message`
    with pytest.raises(AgentBusyError if status in {429, 503} else AgentFailedError):
        read(body, status=status, headers={"Content-Encoding": encoding})


@settings(derandomize=True, deadline=None)
@given(st.text(max_size=100))
def test_any_text_comes_through(text: str) -> None:
    assert read(json.dumps({"message": text}).encode()).text == text


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("gzip", gzip.compress(b"hello")),
        ("gzip", gzip.compress(b"hel") + gzip.compress(b"") + gzip.compress(b"lo")),  # members are one file
        ("gzip", gzip.compress(b"hello") + bytes(512)),  # padding, as of a tape
        ("X-Gzip ", gzip.compress(b"hello")),
        ("deflate", zlib.compress(b"hello")),
        ("deflate", zlib.compress(b"hello", wbits=-15)),
        ("identity", b"hello"),
        ("", b"hello"),
    ],
)
def test_known_encodings_are_undone(encoding: str, data: bytes) -> None:
    assert decode_body(data, encoding, limit=CAP) == (b"hello", True)


def test_no_more_is_decoded_than_wanted() -> None:
    decoded, whole = decode_body(gzip.compress(b"x" * 100_000), "gzip", limit=10)
    assert (decoded, whole) == (b"x" * 10, False)


def test_a_cap_may_be_larger_than_any_memory() -> None:
    assert decode_body(gzip.compress(b"hello"), "gzip", limit=10**300) == (b"hello", True)


def test_the_cap_is_on_all_members_together() -> None:
    decoded, whole = decode_body(gzip.compress(b"x" * 60) * 1000, "gzip", limit=100)
    assert (decoded, whole) == (b"x" * 100, False)


def test_the_last_member_must_be_whole_too() -> None:
    assert decode_body(gzip.compress(b"x") + gzip.compress(b"y")[:-1], "gzip", limit=CAP) == (b"xy", False)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.binary(max_size=9000), min_size=1, max_size=4), st.integers(0, 9))
def test_members_add_up(members: list[bytes], level: int) -> None:
    data = b"".join(gzip.compress(member, level) for member in members)
    assert decode_body(data, "gzip", limit=1 << 20) == (b"".join(members), True)


def test_an_unknown_encoding_is_named_as_it_came() -> None:
    # in other letters it might be a secret that is not found any more
    with pytest.raises(UnreadableBodyError, match="its Content-Encoding 'Sk-SECRET' was not asked for"):
        decode_body(b"x", "Sk-SECRET", limit=CAP)


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "gzip", "deflate"])
def test_other_encodings_are_refused(encoding: str) -> None:
    with pytest.raises(UnreadableBodyError):
        decode_body(b"\xff hello", encoding, limit=CAP)


def test_compressed_data_that_ends_too_early_is_no_reply() -> None:
    body = gzip.compress(b'{"message": "hello"}')[:-9]
    with pytest.raises(AgentFailedError, match="the reply's gzip data ends too early"):
        read(body, headers={"Content-Encoding": "gzip"})


def test_the_body_of_an_error_is_undone_as_far_as_it_goes() -> None:
    body = gzip.compress(b"no such model" + b"." * LONGEST_SECRET)
    with pytest.raises(AgentFailedError) as failure:
        read(body[:-4], status=404, headers={"Content-Encoding": "gzip"})
    assert failure.value.body == "no such model" + CUT_MARK


def test_the_cap_holds_to_the_byte() -> None:
    frame = len(b'{"message": ""}')
    assert read(json.dumps({"message": "x" * (CAP - frame)}).encode()).text
    with pytest.raises(AgentFailedError, match=r"longer than 1000 bytes"):
        read(json.dumps({"message": "x" * (CAP - frame + 1)}).encode())


@pytest.mark.parametrize("status", [200, 429, 500])
@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_no_piece_of_a_secret_is_left_at_a_cut(status: int, encoding: str) -> None:
    # Masked, a body of nothing but secrets is so short that the place where it was cut would be shown.
    secret = "sk-" + "0123456789abcdef" * 250
    body = (secret * 20).encode()
    assert len(body) > SHOWN_BYTES
    with pytest.raises((AgentFailedError, AgentBusyError)) as failure:
        read(
            gzip.compress(body) if encoding else body,
            status=status,
            headers={"Content-Encoding": encoding},
            mask=lambda text: text.replace(secret, "***"),
        )
    assert isinstance(failure.value, AgentFailedError | AgentBusyError)
    assert (failure.value.body or "").removesuffix(CUT_MARK).strip("*") == ""


def test_a_long_body_shows_its_beginning() -> None:
    with pytest.raises(AgentFailedError) as failure:
        read(
            b"<title>Oops</title>" + b"x" * SHOWN_BYTES, status=500, mask=lambda text: text.replace("Oops", "***")
        )
    assert (failure.value.body or "").startswith("<title>***</title>xxx")


@pytest.mark.parametrize("size", [10, SHOWN_BYTES])
def test_a_body_that_can_be_shown_whole_is(size: int) -> None:
    with pytest.raises(AgentFailedError) as failure:
        read(b"x" * size, status=500)
    assert failure.value.body == "x" * size


def test_what_the_cap_cut_off_a_reply_may_be_half_a_secret() -> None:
    with pytest.raises(AgentFailedError, match="longer than 1000 bytes") as failure:
        read(b"x" * (CAP + 1))
    assert failure.value.body == CUT_MARK


@pytest.mark.parametrize(
    ("location", "says"),
    [
        ("https://user:pw@login.test/in?code=1", "(https://login.test/in)"),
        ("/in?code=1", "(/in)"),
        ("http://[", "set `url` to where it points"),
        ("", "set `url` to where it points"),
    ],
)
def test_a_redirect_says_where_to(location: str, says: str) -> None:
    with pytest.raises(AgentFailedError) as failure:
        read(b"", status=302, headers={"Location": location})
    assert failure.value.message.endswith(says)


def test_a_byte_order_mark_is_no_text() -> None:
    assert read_text(b'\xef\xbb\xbf{"a": 1}') == ('{"a": 1}', None)
