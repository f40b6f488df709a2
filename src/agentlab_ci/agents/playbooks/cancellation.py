"""Subscriptions that a customer wants to end."""

import re

from agentlab_ci.agents.playbooks.customer import find_customer
from agentlab_ci.agents.playbooks.play import Job, Play, read_text

_CANCEL = re.compile(r"\b(?:cancel|terminat|unsubscrib)|\bend (?:\w+ ){0,3}subscription", re.IGNORECASE)
_NOT_YET = re.compile(r"\b(?:do not|don't|never) cancel", re.IGNORECASE)


def fits(job: Job) -> bool:
    """Tell whether something is to be cancelled, and cancelling a subscription is allowed."""
    return job.mentions(_CANCEL) and job.allows("subscriptions.cancel")


def play(job: Job) -> Play[str]:
    """Cancel the customer's subscription and name it."""
    customer_id = yield from find_customer(job)
    if job.mentions(_NOT_YET):
        return f"I have cancelled nothing for {customer_id}, as the task says."
    outcome = yield from job.call(
        "subscriptions.cancel", f"cancel the subscription of {customer_id}", {"customer_id": customer_id}
    )
    if outcome.error is not None:
        return f"I did not cancel a subscription of {customer_id}: {outcome.error}"
    subscription_id = read_text(outcome.output, "subscription_id")
    if subscription_id is None or read_text(outcome.output, "status") != "cancelled":
        return f"I asked to cancel the subscription of {customer_id}, but the answer does not say that it is."
    return f"Cancelled subscription {subscription_id} of {customer_id}."
