"""What the environment says of proxies and certificates, and what becomes of it when it cannot be used."""

import asyncio
import ssl
from pathlib import Path

import pytest

from agentlab_ci.agents.http_client import open_client, read_trusted_authorities
from agentlab_ci.agents.opening import check_agents, make_agent_opener
from agentlab_ci.core.config import AgentConfig, MockAgent
from agentlab_ci.core.provider import Provider
from agentlab_ci.errors import BadInputError
from http_talk import config

AWAY = "http://agent.test/chat"
VARIABLES = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "SSLKEYLOGFILE",
)


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def check(*agents: AgentConfig) -> list[str]:
    return check_agents(agents, make_agent_opener(environ={}, project=Path(), max_reply_bytes=1, mask=str))


def open_and_close(url: str) -> None:
    asyncio.run(open_client(url, None).aclose())


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        (
            "ALL_PROXY",
            "socks5://proxy:1080",
            "it is a SOCKS proxy, for which the package `socksio` is not installed",
        ),
        ("HTTP_PROXY", "ftp://proxy", "it starts with none of http://, https://, socks5://, socks5h://"),
        ("HTTP_PROXY", "http://127.0.0.1:99999", "it is no address such as `http://proxy.example:8080`"),
        ("HTTPS_PROXY", "http://127.0.0.1:0", "it is no address such as `http://proxy.example:8080`"),
        ("http_proxy", "http://[::1", "it is no address such as `http://proxy.example:8080`"),
        ("http_proxy", "http://", "it is no address such as `http://proxy.example:8080`"),
        ("https_proxy", ":", "it is no address such as `http://proxy.example:8080`"),
        ("all_proxy", "☃.net:80", "it is no address such as `http://proxy.example:8080`"),
        ("HTTP_PROXY", "http://me:hunter22/@proxy", "it is no address such as `http://proxy.example:8080`"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, says: str
) -> None:
    monkeypatch.setattr("agentlab_ci.agents.http_client.find_spec", lambda _name: None)
    monkeypatch.setenv(variable, value)
    with pytest.raises(BadInputError) as problem:
        open_client(AWAY, None)
    assert str(problem.value) == f"the environment variable {variable} is no proxy to use: {says}"


@pytest.mark.parametrize("value", ["http://[::1", "ok.test, é.test", "[::1]", "all://x:abc"])
def test_exceptions_from_the_proxy_that_cannot_be_read_are_named(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.test:8080")
    monkeypatch.setenv("NO_PROXY", value)
    with pytest.raises(BadInputError, match="the environment variable NO_PROXY cannot be used: Invalid "):
        open_client(AWAY, None)


@pytest.mark.parametrize(
    "environ",
    [
        {"HTTP_PROXY": "http://me:p%40ss@proxy.test:8080", "NO_PROXY": "localhost,127.0.0.1,::1,.test, *.test"},
        {"HTTP_PROXY": "proxy.test:8080"},
        {"HTTP_PROXY": "ftp://proxy", "http_proxy": "http://proxy.test"},  # the small letters win
        {"HTTP_PROXY": "ftp://proxy", "NO_PROXY": "a, *"},  # no proxy at all
        {"FTP_PROXY": "ftp://proxy"},  # not for us
        {"ALL_PROXY": ""},
    ],
)
def test_what_can_be_used_is_no_problem(monkeypatch: pytest.MonkeyPatch, environ: dict[str, str]) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    open_and_close(AWAY)


def test_loopback_has_no_use_for_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "ftp://proxy")
    open_and_close("http://localhost:3000/")


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSLKEYLOGFILE"])
def test_a_file_that_tls_cannot_use_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str
) -> None:
    (tmp_path / "keys.log").touch()
    monkeypatch.setenv("SSLKEYLOGFILE", str(tmp_path / "keys.log"))
    monkeypatch.setenv(variable, str(tmp_path / "nowhere" / "file"))
    with pytest.raises(BadInputError) as problem:
        read_trusted_authorities()
    assert str(problem.value) == f"the environment variable {variable} cannot be used: No such file or directory"


def test_certificates_that_are_none_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate", encoding="utf-8")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    with pytest.raises(
        BadInputError, match=r"the environment variable SSL_CERT_FILE cannot be used: .*CERTIFICATE"
    ):
        read_trusted_authorities()


def test_a_fault_of_nobodys_environment_is_not_blamed_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> ssl.SSLContext:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("httpx.create_ssl_context", fail)
    with pytest.raises(OSError, match="Input/output error"):
        read_trusted_authorities()


def test_agents_are_looked_at_before_a_run_and_each_reason_said_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mock = MockAgent(name="m", provider=Provider.MOCK)
    safe, lacking = config("https://agent.test/"), config(AWAY, headers={"A": "{{env.NOT_SET}}"})
    assert check(mock, config(AWAY), safe) == []
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "nowhere.pem"))
    assert check(mock, lacking, safe, config(AWAY), safe) == [
        "agent a: set the environment variable NOT_SET",
        "the environment variable SSL_CERT_FILE cannot be used: No such file or directory",
    ]
