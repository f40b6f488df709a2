import pytest

from agentlab_ci.agents.url import check_url, is_loopback
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
        ("http://host:99999/", "cannot be read"),
        ("http://host:pw/", "cannot be read"),
        ("http://[bad/", "cannot be read"),
    ],
)
def test_anything_else_is_refused(url: str | None, says: str) -> None:
    with pytest.raises(BadInputError, match=says):
        check_url(url)


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
