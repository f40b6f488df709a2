"""What the stand-in does when something is wrong."""

SEVERITIES = ["low", "medium", "high", "critical"]


def work(instructions, known, call):
    """Do the job and return the final answer; `call("tool.name", key=value)` returns what the tool answers."""
    service = known.get("service") or find_worst(call("alerts.list_active"))
    said = call("logs.query_service", service=service)["lines"]
    state = call("status.get_service", service=service)
    whom = "There is nothing to escalate; the owner is" if state["status"] == "operational" else "Escalate to"
    return f"{service} is {state['status']}: {said[0]}. {whom} {state['owner']}."


def find_worst(alerts):
    return max(alerts, key=lambda alert: SEVERITIES.index(alert["severity"]))["service"]
