import pytest

from agentlab_ci.action.container import default_gateway, in_image, unreached_on_loopback
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.results import AgentIdentity
from factories import make_report, make_row

HEAD = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
NETWORK = "eth0\t000012AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"
DEFAULT = "eth0\t00000000\t010012AC\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
ELSEWHERE = "eth0\t0000A8C0\t020012AC\t0003\t0\t0\t0\t0000FFFF\t0\t0\t0\n"
DOWN = "eth1\t00000000\t0100A8C0\t0002\t0\t0\t0\t00000000\t0\t0\t0\n"


@pytest.mark.parametrize(
    ("routes", "gateway"),
    [
        (HEAD + NETWORK + DEFAULT, "172.18.0.1"),
        (HEAD + ELSEWHERE + DEFAULT, "172.18.0.1"),
        (HEAD + DOWN + DEFAULT, "172.18.0.1"),
        (HEAD + NETWORK, None),
        (HEAD, None),
        ("", None),
    ],
)
def test_the_gateway_is_that_of_the_default_route(
    monkeypatch: pytest.MonkeyPatch, routes: str, gateway: str | None
) -> None:
    monkeypatch.setattr("sys.byteorder", "little")
    assert default_gateway(routes) == gateway


def test_the_image_is_known_by_its_variable() -> None:
    assert in_image({"AGENTLAB_CONTAINER": "1"})
    assert not in_image({})


def agent(url: str | None) -> AgentIdentity:
    return AgentIdentity(name="mine", provider=Provider.HTTP, label="mine", url=url)


def test_only_unreached_urls_on_loopback_are_told_and_once() -> None:
    report = make_report(
        make_row("uuu", "a.one", agent=agent("http://localhost:3000/chat")),
        make_row("uuu", "a.two", agent=agent("http://localhost:3000/chat")),
        make_row("uuu", "a.three", agent=agent("http://agent:3000/chat")),
        make_row("eep", "a.four", agent=agent("http://127.0.0.1:4000/chat")),  # it answers, with errors
        make_row("uuu", "a.five", agent=agent(None)),
        make_row("uuu", "a.six", agent=None),
    )
    assert list(unreached_on_loopback(report)) == ["http://localhost:3000/chat"]
