"""Newsletters, switched off and on."""

import re
from collections.abc import Mapping

from agentlab_ci.agents.playbooks.customer import find_customer
from agentlab_ci.agents.playbooks.play import Job, Play, StuckError

_NEWSLETTER = re.compile(r"\bnews ?letter|\bmailing list", re.IGNORECASE)
_OFF = re.compile(
    r"\b(?:stop|disable|unsubscribe|cancel|opt out|remove|no longer|(?:turn|switch)(?: \w+)* off)", re.IGNORECASE
)
_ON = re.compile(r"\b(?:enable|subscribe\b|sign up|start|opt in|(?:turn|switch)(?: \w+)* on)", re.IGNORECASE)


def fits(job: Job) -> bool:
    """Tell whether the task is about a newsletter and allows to see or change it."""
    return job.mentions(_NEWSLETTER) and job.allows("accounts.get_profile", "accounts.update_newsletter")


def play(job: Job) -> Play[str]:
    """Switch the newsletter, unless it already is as it should be."""
    customer_id = yield from find_customer(job)
    wanted = _read_wish(job)
    state = "enabled" if wanted else "disabled"
    if job.allows("accounts.get_profile"):
        account = yield from job.ask(
            "accounts.get_profile",
            f"look at the account of {customer_id}",
            {"customer_id": customer_id},
            subject=f"I changed nothing. The account of {customer_id} is",
        )
        if isinstance(account, Mapping) and account.get("newsletter_subscribed") is wanted:
            return f"The newsletter was already {state} for {customer_id}; I changed nothing."
    outcome = yield from job.call(
        "accounts.update_newsletter",
        f"have the newsletter {state} for {customer_id}",
        {"customer_id": customer_id, "subscribed": wanted},
    )
    if outcome.error is not None:
        return f"The newsletter of {customer_id} could not be {state}: {outcome.error}"
    if not (isinstance(outcome.output, Mapping) and outcome.output.get("newsletter_subscribed") is wanted):
        return f"I asked for the newsletter of {customer_id} to be {state}, but cannot tell whether it is."
    return f"The newsletter is now {state} for {customer_id}."


def _read_wish(job: Job) -> bool:
    if job.mentions(_OFF):
        return False
    if job.mentions(_ON):
        return True
    raise StuckError("I cannot tell from the task whether the newsletter is to be switched on or off.")
