"""URLs as they may be shown."""

import pytest

from agentlab_ci.core.url import safe_url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://localhost:3000/api/chat", "http://localhost:3000/api/chat"),
        ("https://user:secret@host/path", "https://host/path"),
        ("https://user:p@ss@host/path", "https://host/path"),  # an @ in the password
        ("https://host/path?key=secret#secret", "https://host/path"),
        ("https://secret@[::1]:8080/", "https://[::1]:8080/"),
    ],
)
def test_safe_url(url: str, shown: str) -> None:
    assert safe_url(url) == shown
