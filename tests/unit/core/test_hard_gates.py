import pytest

from agentlab_ci.core.hard_gates import LostGate, find_lost_gates
from agentlab_ci.core.results import SampleResult
from agentlab_ci.core.scenario import Mode
from agentlab_ci.core.trace import Evaluation
from factories import make_samples


def _gate(
    answer: str, *, id_: str = "refunds", step: int | None = None, mode: Mode = Mode.HARD_GATE
) -> Evaluation:
    return Evaluation(id=id_, type="x", mode=mode, step=step, passed=answer == "+", message="")


def _samples(outcomes: str, answers: str, **gate: object) -> list[SampleResult]:
    """Return samples whose gate passed (`+`), failed (`-`), or did not run (a blank)."""
    return [
        sample.model_copy(update={"evaluations": () if answer == " " else (_gate(answer, **gate),)})  # type: ignore[arg-type]
        for sample, answer in zip(make_samples(outcomes), answers, strict=True)
    ]


@pytest.mark.parametrize(
    ("old", "new", "missed"),
    [
        (("ppp", "+++"), ("fff", "---"), 3),
        (("ppp", "+++"), ("ffp", "--+"), 2),
        (("ppp", "+++"), ("fpp", "-++"), None),  # one of three is not most
        (("pp", "++"), ("fp", "-+"), None),  # nor is one of two
        (("ppf", "++-"), ("fff", "---"), None),  # it did not pass in all old samples
        (("ppf", "++ "), ("fff", "---"), None),  # nor did it run in all of them
        (("fff", "+++"), ("fff", "---"), 3),  # something else failed them before
        (("ppe", "++ "), ("fff", "---"), 3),  # most of the old ones were judged
        (("pee", "+  "), ("fff", "---"), None),  # most of the old ones were not
        (("ppp", "+++"), ("fee", "-  "), None),  # an error is no missed gate
        (("ppp", "+++"), ("ffe", "-- "), 2),
        (("ppp", "+++"), ("fcc", "-  "), None),  # the others might have passed it
        (("ppp", "+++"), ("ffs", "-- "), 2),  # the last one could not matter any more
        (("p", "+"), ("f", "-"), 1),
        (("p", "+"), ("f", " "), None),  # the sample ended before it
        (("eee", "   "), ("fff", "---"), None),
    ],
)
def test_a_gate_is_lost_that_always_passed_and_mostly_fails(
    old: tuple[str, str], new: tuple[str, str], missed: int | None
) -> None:
    lost = find_lost_gates(_samples(*old), _samples(*new))
    assert [gate.missed for gate in lost] == ([] if missed is None else [missed])


def test_it_is_named_with_its_step_and_how_often_it_is_missed() -> None:
    lost = find_lost_gates(_samples("ppp", "+++", step=2), _samples("ffs", "-- ", step=2))
    assert lost == (LostGate(id="refunds", step=2, missed=2, of=2),)


def test_a_weighted_evaluator_is_no_gate() -> None:
    weighted = {"mode": Mode.WEIGHTED}
    assert find_lost_gates(_samples("ppp", "+++", **weighted), _samples("fff", "---", **weighted)) == ()


def test_a_gate_of_another_step_is_another_gate() -> None:
    assert find_lost_gates(_samples("p", "+", step=1), _samples("f", "-", step=2)) == ()


def test_several_are_named_in_their_order() -> None:
    [old], [new] = make_samples("p"), make_samples("f")
    old = old.model_copy(update={"evaluations": (_gate("+", id_="b"), _gate("+", id_="a"))})
    new = new.model_copy(update={"evaluations": (_gate("-", id_="b"), _gate("-", id_="a"))})
    assert [gate.id for gate in find_lost_gates([old], [new])] == ["b", "a"]
