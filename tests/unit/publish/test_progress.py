"""How far a run is, in a line."""

from agentlab_ci.core.trace import Wait
from agentlab_ci.publish.progress import Progress
from factories import make_facts, make_samples


def progress_of(outcomes: str, total: int) -> Progress:
    progress = Progress(total_samples=total)
    for sample in make_samples(outcomes):
        progress.count(make_facts(samples_wanted=len(outcomes)), sample)
    return progress


def test_samples_are_counted_and_scenarios_that_cannot_reach_their_bar() -> None:
    assert progress_of("p..", 12).line() == "1/12 samples"
    assert progress_of("ff.", 12).line() == "2/12 samples, 1 scenario below the bar"


def test_a_sample_told_again_is_counted_once() -> None:
    progress = progress_of("e..", 3)
    progress.count(make_facts(), make_samples("u..")[0])
    assert progress.line() == "1/3 samples"


def test_waiting_is_said_until_the_sample_ends() -> None:
    progress = progress_of("p..", 3)
    progress.wait(make_facts(), 2, Wait(seconds=12.0, status=429, attempt=2))
    assert progress.line() == "1/3 samples, waiting 12 s (429, try 2)"
    progress.count(make_facts(), make_samples(".p.")[0])
    assert progress.line() == "2/3 samples"
