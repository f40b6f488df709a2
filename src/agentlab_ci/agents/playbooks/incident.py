"""Incidents: what is wrong with a service, and who is to be called."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentlab_ci.agents.playbooks.play import Job, Play, StuckError, join_words, read_text

_SEVERITIES = ("low", "medium", "high", "critical")
_WELL = frozenset({"operational", "healthy", "ok", "up"})

Alert = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Record:
    """What a tool knows of the service, or in `remark` why it is not known."""

    content: Mapping[str, Any]
    remark: str = ""


def fits(job: Job) -> bool:
    """Tell whether alerts, logs or the status of a service may be looked at."""
    return job.allows("alerts.list_active", "logs.query_service", "status.get_service")


def play(job: Job) -> Play[str]:
    """Say how the service is, what its logs and alerts tell, and whom to call; what is not known is said too."""
    service = job.variable("service")
    alerts, remark = yield from _list_alerts(job)
    if service is None:
        service = _choose(job, alerts, remark)
    asked = _find_name(service, job.text)
    name = asked or service
    logs = yield from _look(job, "logs.query_service", f"the logs of {name}", service)
    status = yield from _look(job, "status.get_service", f"the status of {name}", service)
    sentences = (
        _tell_state(name, status.content, logs.content),
        *(_tell_alert(alert) for alert in alerts if alert["service"] == service),
        "" if asked else _tell_others([alert for alert in alerts if alert["service"] != service]),
        _tell_owner(status.content),
        remark,
        logs.remark,
        status.remark,
    )
    return " ".join(filter(None, sentences))


def _list_alerts(job: Job) -> Play[tuple[list[Alert], str]]:
    """Return the active alerts, and a remark where they cannot be seen."""
    if not job.allows("alerts.list_active"):
        return [], ""
    outcome = yield from job.call("alerts.list_active", "look at the alerts", {})
    if outcome.error is not None:
        return [], f"I could not see the alerts: {outcome.error}"
    if not isinstance(outcome.output, list):
        return [], "I could not read the alerts."
    return [alert for alert in outcome.output if read_text(alert, "service")], ""


def _choose(job: Job, alerts: list[Alert], remark: str) -> str:
    """Return the service with the most severe alert, among those that the instructions name if they name any."""
    named = [alert for alert in alerts if _find_name(alert["service"], job.text)]
    weighed = [(_weigh(alert), alert["service"]) for alert in named or alerts]
    worst = sorted({service for weight, service in weighed if weight == max(weighed)[0]})
    if not worst:
        raise StuckError(
            f"I do not know which service is meant. The task gives no `service`. {remark or 'No alert names one.'}"
        )
    if len(worst) > 1:
        services = join_words(worst, last="and")
        raise StuckError(f"The alerts of {services} are equally severe. Which service is meant?")
    return str(worst[0])


def _find_name(service: str, text: str) -> str | None:
    """Return the service's name as the text writes it: `payments API` for payments-api."""
    name = "[-_ ]".join(re.escape(word) for word in re.split("[-_ ]", service))
    found = re.search(rf"(?<!\w){name}(?!\w)", text, re.IGNORECASE)
    return found.group() if found else None


def _weigh(alert: Alert) -> int:
    severity = alert.get("severity")
    return _SEVERITIES.index(severity) if severity in _SEVERITIES else -1


def _look(job: Job, tool: str, what: str, service: str) -> Play[_Record]:
    if not job.allows(tool):
        return _Record({})
    outcome = yield from job.call(tool, f"look at {what}", {"service": service})
    if outcome.error is not None:
        return _Record({}, f"I could not see {what}: {outcome.error}")
    if not isinstance(outcome.output, Mapping):
        return _Record({}, f"I could not read {what}.")
    return _Record(outcome.output)


def _tell_state(name: str, status: Mapping[str, Any], logs: Mapping[str, Any]) -> str:
    lines = logs.get("lines")
    said = "; ".join(map(str, lines)) if isinstance(lines, list) else ""
    state = read_text(status, "status")
    if state is None:
        return f"How the {name} is, I do not know{f'; its logs say: {said}' if said else ''}."
    return f"The {name} is {state}{f': {said}' if said else ''}."


def _tell_alert(alert: Alert) -> str:
    return f"Alert {alert.get('id')} ({alert.get('severity')}): {alert.get('summary')}."


def _tell_others(alerts: list[Alert]) -> str:
    others = [f"{alert.get('id')} on {alert['service']} ({alert.get('severity')})" for alert in alerts]
    return f"Other active alerts: {join_words(others, last='and')}." if others else ""


def _tell_owner(status: Mapping[str, Any]) -> str:
    owner = read_text(status, "owner")
    if owner is None:
        return "Whom to call, I do not know."
    if read_text(status, "status") in _WELL:
        return f"There is nothing to escalate; the owner is {owner}."
    return f"Escalate to {owner}."
