"""Who is let in, and who may write."""

import pytest

from agentlab_ci.ui.security import Guard, is_loopback, make_token, show_host

OWN = "127.0.0.1:4770"
ANY = "0.0.0.0"  # noqa: S104 - nothing is listened on


def guard(host: str = "127.0.0.1", port: int = 4770) -> Guard:
    return Guard(host=host, port=port, token="secret")


@pytest.mark.parametrize(
    ("host", "header"),
    [
        ("127.0.0.1", "127.0.0.1:4770"),
        ("127.0.0.1", "localhost:4770"),
        ("127.0.0.1", "LocalHost:4770"),
        ("::1", "[::1]:4770"),
        ("shop.example", "shop.example:4770"),
        ("fd00::7", "[fd00::7]:4770"),
        (ANY, "192.168.1.7:4770"),
        ("::", "[fd00::7]:4770"),
        (ANY, "localhost:4770"),
    ],
)
def test_our_own_names_are_known(host: str, header: str) -> None:
    assert guard(host).knows_host([header])


@pytest.mark.parametrize(
    ("host", "headers"),
    [
        ("127.0.0.1", []),  # HTTP/1.0
        ("127.0.0.1", [""]),
        ("127.0.0.1", ["evil.example:4770"]),  # a name that was rebound to 127.0.0.1
        ("127.0.0.1", ["evil.example"]),
        ("127.0.0.1", ["127.0.0.1"]),  # port 80 is another server
        ("127.0.0.1", ["127.0.0.1:4771"]),
        ("127.0.0.1", ["127.0.0.1:4770", "127.0.0.1:4770"]),
        ("127.0.0.1", ["127.0.0.1.evil.example:4770"]),
        ("127.0.0.1", ["localhost.evil.example:4770"]),
        ("127.0.0.1", ["localhost:4770@evil.example"]),
        ("127.0.0.1", ["evil.example/127.0.0.1:4770"]),
        ("127.0.0.1", ["127.0.0.1:٤٧٧٠"]),  # digits, but no port
        ("127.0.0.1", ["127.0.0.1:"]),
        ("127.0.0.1", ["127.0.0.1:04770x"]),
        ("127.0.0.1", ["192.168.1.7:4770"]),
        ("127.0.0.1", ["2130706433:4770"]),  # 127.0.0.1 as a number
        ("127.0.0.1", ["[::ffff:127.0.0.1]:4770"]),
        ("127.0.0.1", ["0.0.0.0:4770"]),
        (ANY, ["evil.example:4770"]),
        ("shop.example", ["evil.shop.example:4770"]),
    ],
)
def test_every_other_name_is_not(host: str, headers: list[str]) -> None:
    assert not guard(host).knows_host(headers)


def test_the_port_of_http_need_not_be_said() -> None:
    assert guard(port=80).knows_host(["127.0.0.1"])
    assert guard("::1", port=80).knows_host(["[::1]"])
    assert not guard(port=80).knows_host(["evil.example"])


def test_who_comes_from_elsewhere_needs_the_token_to_read() -> None:
    assert guard().may_read(None)
    assert not guard(ANY).may_read(None)
    assert not guard(ANY).may_read("secre")
    assert guard(ANY).may_read("secret")


SAME = {"host": OWN, "origin": f"http://{OWN}", "sec-fetch-site": "same-origin"}


@pytest.mark.parametrize(
    "headers",
    [SAME, {"host": OWN, "origin": f"http://{OWN}"}, {"host": OWN, "sec-fetch-site": "same-origin"}],
)
def test_our_own_form_writes(headers: dict[str, str]) -> None:
    assert guard().refuse_write(headers, cookie="secret", form_token="secret") is None


@pytest.mark.parametrize(
    "headers",
    [
        {"host": OWN},
        SAME | {"origin": "http://evil.example"},
        SAME | {"origin": "null"},
        SAME | {"origin": f"https://{OWN}"},
        SAME | {"origin": "http://127.0.0.1:4771"},
        SAME | {"origin": f"http://{OWN}.evil.example"},
        SAME | {"sec-fetch-site": "cross-site"},
        SAME | {"sec-fetch-site": "same-site"},  # another port of this machine
        SAME | {"sec-fetch-site": "none"},
        {"host": OWN, "sec-fetch-site": "same-site"},
    ],
)
def test_a_form_of_another_site_does_not(headers: dict[str, str]) -> None:
    assert guard().refuse_write(headers, cookie="secret", form_token="secret")


@pytest.mark.parametrize(
    ("cookie", "form_token"),
    [(None, "secret"), ("secret", None), ("", ""), (None, None), ("secret", "Secret"), ("sécret", "secret")],
)
def test_nothing_is_written_without_both_tokens(cookie: str | None, form_token: str | None) -> None:
    refusal = guard().refuse_write(SAME, cookie=cookie, form_token=form_token)
    assert refusal is not None
    assert "the address that `agentlab ui` printed" in refusal


def test_tokens_are_long_and_each_start_has_its_own() -> None:
    assert len({make_token() for _ in range(100)}) == 100
    assert len(make_token()) >= 40
    assert guard().cookie != guard(port=4771).cookie


@pytest.mark.parametrize(
    ("host", "private", "shown"),
    [
        ("127.0.0.1", True, "127.0.0.1"),
        ("127.1.2.3", True, "127.1.2.3"),
        ("localhost", True, "localhost"),
        ("::1", True, "[::1]"),
        (ANY, False, "127.0.0.1"),
        ("::", False, "[::1]"),
        ("192.168.1.7", False, "192.168.1.7"),
        ("localhost.example", False, "localhost.example"),
    ],
)
def test_a_host_is_private_or_not_and_can_be_opened(host: str, private: bool, shown: str) -> None:
    assert (is_loopback(host), show_host(host)) == (private, shown)
