"""Alerts, and the logs and status of services."""

from typing import Any

from agentlab_ci.tools.builtin.kind import BuiltinTool, FixtureKind, text
from agentlab_ci.tools.builtin.table import Record, Table
from agentlab_ci.tools.interface import ToolFailedError

_ALERTS = FixtureKind(path="ops/alerts.json", fields={"id": str, "service": str, "severity": str, "summary": str})
_LOGS = FixtureKind(path="ops/logs.json", fields={"service": str, "lines": list})
_STATUS = FixtureKind(path="ops/status.json", fields={"service": str, "status": str, "owner": str})
_SERVICE = text("The name of the service, as alerts.list_active returns it.")


def _list_active(alerts: Table, _: Record) -> Any:
    return list(alerts)


def _query_service(logs: Table, value: Record) -> Any:
    found = logs.where(service=value["service"])
    if not found:
        raise ToolFailedError(f"there are no logs of the service {value['service']}")
    return {"service": found[0]["service"], "lines": found[0]["lines"]}


def _get_service(services: Table, value: Record) -> Any:
    found = services.where(service=value["service"])
    if not found:
        raise ToolFailedError(f"there is no service {value['service']}")
    return {key: found[0][key] for key in ("service", "status", "owner")}


KINDS: tuple[BuiltinTool, ...] = (
    BuiltinTool(
        name="alerts.list_active",
        description="List the alerts that are active.",
        returns="a list of alerts",
        fixture=_ALERTS,
        act=_list_active,
    ),
    BuiltinTool(
        name="logs.query_service",
        description="Read the latest log lines of a service.",
        arguments={"service": _SERVICE},
        returns="`{service, lines}`",
        fixture=_LOGS,
        act=_query_service,
    ),
    BuiltinTool(
        name="status.get_service",
        description="Get the status of a service and who owns it.",
        arguments={"service": _SERVICE},
        returns="`{service, status, owner}`",
        fixture=_STATUS,
        act=_get_service,
    ),
)
