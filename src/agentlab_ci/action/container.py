"""Being inside the Action's container: where the runner's own network is, and what to do about localhost."""

import sys
from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address
from pathlib import Path

from agentlab_ci.agents.url import is_loopback
from agentlab_ci.core.results import RunReport
from agentlab_ci.core.sample import TerminationReason
from agentlab_ci.errors import BadInputError

IMAGE_VARIABLE = "AGENTLAB_CONTAINER"
"""Set by the Dockerfile. In a job's own container, where the composite action runs, localhost is right."""
LOOPBACK_ADVICE = (
    "inside the Action's container, localhost is the container itself. Run the server as a service of the job "
    "and use the service's name as the host; or let it listen on 0.0.0.0 and set `localhost-gateway: true`; or "
    "use the composite action, which runs on the runner itself"
)
_ROUTES = Path("/proc/net/route")
_UP_AND_GATEWAY = 0x3


def in_image(environ: Mapping[str, str]) -> bool:
    """Tell whether this is the Action's own container."""
    return environ.get(IMAGE_VARIABLE) == "1"


def find_gateway() -> str:
    """Return the address of the default route's gateway: the machine that the container runs on.

    Raises BadInputError when there is none.
    """
    try:
        gateway = default_gateway(_ROUTES.read_text(encoding="ascii"))
    except OSError:
        gateway = None
    if gateway is None:
        raise BadInputError("input `localhost-gateway`: this container has no default route, so no gateway")
    return gateway


def default_gateway(routes: str) -> str | None:
    """Read the default route's gateway from /proc/net/route; its addresses are hexadecimal, in host byte order."""
    for line in routes.splitlines()[1:]:
        _, destination, gateway, flags, *_ = line.split()
        if destination == "00000000" and int(flags, 16) & _UP_AND_GATEWAY == _UP_AND_GATEWAY:
            return str(IPv4Address(int(gateway, 16).to_bytes(4, sys.byteorder)))
    return None


def unreached_on_loopback(report: RunReport) -> Iterator[str]:
    """Yield, once each, the URLs on loopback that no connection could be made to."""
    seen = set()
    for row in report.scenarios:
        url = row.agent.url if row.agent else None
        failed = any(sample.termination_reason is TerminationReason.AGENT_UNREACHABLE for sample in row.samples)
        if url and failed and is_loopback(url) and url not in seen:
            seen.add(url)
            yield url
