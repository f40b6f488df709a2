"""Which playbook works on a task: the first that fits its words and its allowed tools."""

from collections.abc import Callable
from dataclasses import dataclass

from agentlab_ci.agents.playbooks import cancellation, incident, look_up, newsletter, patch, question, refund
from agentlab_ci.agents.playbooks.play import Job, Play, StuckError
from agentlab_ci.core.tool import TaskBrief


@dataclass(frozen=True, slots=True)
class Playbook:
    """A row of the table."""

    fits: Callable[[Job], bool]
    play: Callable[[Job], Play[str]]


PLAYBOOKS: tuple[Playbook, ...] = (
    Playbook(newsletter.fits, newsletter.play),
    Playbook(refund.fits, refund.play),
    Playbook(cancellation.fits, cancellation.play),
    Playbook(patch.fits, patch.play),
    Playbook(question.fits, question.play),
    Playbook(incident.fits, incident.play),
)
"""The first that fits is taken."""


def work(brief: TaskBrief) -> Play[str]:
    """Work on a task and return the final answer.

    Looks at the brief and at what tools answer, at nothing else: the same brief and outcomes give the same calls
    and the same answer. Never raises, whatever tools answer.
    """
    job = Job(brief)
    play = next((playbook.play for playbook in PLAYBOOKS if playbook.fits(job)), look_up.play)
    try:
        return (yield from play(job))
    except StuckError as stuck:
        return str(stuck)
