"""The customer whom a support task is about."""

import re

from agentlab_ci.agents.playbooks.play import Job, Play, StuckError, read_text

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def find_email(job: Job) -> str | None:
    """Return the e-mail address that a variable or else the instructions name."""
    found = _EMAIL.search(job.text)
    return job.variable("customer_email", "email") or (found.group() if found else None)


def find_customer(job: Job) -> Play[str]:
    """Return the customer's id, looked up by e-mail address unless the task gives it."""
    given = job.variable("customer_id")
    if given is not None:
        return given
    email = find_email(job)
    if email is None:
        raise StuckError("I cannot look for the customer: the task gives neither an e-mail address nor an id.")
    customer = yield from job.ask(
        "crm.search_customer",
        f"look for the customer {email}",
        {"email": email},
        subject=f"The record of {email} is",
    )
    customer_id = read_text(customer, "id")
    if customer_id is None:
        raise StuckError(f"The record of {email} came back without an id, so I know no customer to act for.")
    return customer_id
