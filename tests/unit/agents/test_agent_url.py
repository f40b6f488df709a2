import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.agents.url import check_url, find_url_fault, is_loopback
from agentlab_ci.errors import BadInputError


@pytest.mark.parametrize("url", ["http://localhost:3000/chat", "https://me:pw@agent.test", "HTTP://[::1]/"])
def test_an_http_address_is_fine(url: str) -> None:
    assert check_url(url) == url


@pytest.mark.parametrize(
    ("url", "says"),
    [
        (None, "HTTP agents require a configured url"),
        ("", "HTTP agents require a configured url"),
        ("localhost:3000/chat", "no http:// or https:// address"),
        ("/chat", "no http:// or https:// address"),
        ("ftp://host/", "no http:// or https:// address"),
        ("http://", "no http:// or https:// address"),
        ("http://host:99999/", "no http:// or https:// address"),
        ("http://host:pw/", "no http:// or https:// address"),
        ("http://[bad/", "no http:// or https:// address"),
        ("http://host:0/", "no http:// or https:// address"),
        ("http://host:٣/", "no http:// or https:// address"),
        (" http://host/", "no http:// or https:// address"),  # urllib forgives the space, httpx does not
        ("http://user@/", "no http:// or https:// address"),
        ("http://999.1.1.1/", "cannot be used in a request: Invalid IPv4 address"),
        ("http://[v1.x]/", "cannot be used in a request: Invalid IPv6 address"),
        ("http://☃.net/", "cannot be used in a request: Invalid IDNA hostname"),
        ("http://xn--/", "cannot be used in a request: Malformed A-label"),
        ("http://host/\0", "cannot be used in a request: Invalid non-printable ASCII character"),
        ("http://host/" + "a" * 70_000, "cannot be used in a request: URL too long"),
        ("http://host/\ud800", "cannot be used in a request: 'utf-8' codec can't encode"),
    ],
)
def test_anything_else_is_refused(url: str | None, says: str) -> None:
    with pytest.raises(BadInputError, match=says):
        check_url(url)


@settings(derandomize=True, deadline=None)
@given(st.text(), st.sampled_from(["", "http://", "https://", "http://h:", "http://[", "http://u:p@h/"]))
def test_a_request_can_be_made_to_whatever_is_accepted(text: str, beginning: str) -> None:
    url = beginning + text
    if find_url_fault(url) is None:
        request = httpx.Request("GET", httpx.URL(url))
        assert request.url.host
        assert request.url.scheme in {"http", "https"}
        assert request.headers["host"]


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://localhost:1/", True),
        ("http://agent.localhost/", True),
        ("http://127.8.8.8/", True),
        ("http://[::1]:80/", True),
        ("http://10.0.0.1/", False),
        ("http://localhost.test/", False),
        ("http://agent.test/?h=localhost", False),
    ],
)
def test_loopback_is_told_by_name(url: str, loopback: bool) -> None:
    assert is_loopback(url) is loopback
