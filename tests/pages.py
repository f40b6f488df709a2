"""What PR comments and step summaries are tested with: links, a marker, and runs too big to be shown whole."""

from agentlab_ci.core.github import Links
from agentlab_ci.core.judge import judge_scenario
from agentlab_ci.core.results import RunReport, ScenarioResult
from agentlab_ci.core.trace import Role, SampleError, Turn
from canned import answered
from factories import make_facts, make_report, make_samples

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LINKS = Links(base=f"https://github.com/acme/shop/blob/{COMMIT}/", prefix="apps/shop/")
RUN_URL = "https://github.com/acme/shop/actions/runs/7/attempts/2"
MARKER = "<!-- agentlab:comment key=ci/test/agentlab run=7 attempt=2 -->"

_TALK = "Your order 📦 is on its way ✈️ — ``` | <b> @you #1 日本 "


def big_report(scenarios: int = 500, *, outcomes: str = "fff", transcript_bytes: int = 20_000) -> RunReport:
    """Return a run of scenarios with long names, whose samples all have long transcripts full of emoji."""
    return make_report(*(_big_scenario(number, outcomes, transcript_bytes) for number in range(scenarios)))


def _big_scenario(number: int, outcomes: str, transcript_bytes: int) -> ScenarioResult:
    scenario_id = f"support.{number}-{'refund-the-correct-order-' * 6}"
    text = (_TALK * (transcript_bytes // 10 // len(_TALK.encode()) + 1))[: transcript_bytes // 10]
    facts = make_facts(
        scenario_id, name="👩‍👩‍👧‍👦 Ünïcode " * 10, file="scenarios/bestellung-ü.yaml", line=number + 1
    )
    samples = [
        sample.model_copy(update={"turns": _talk(f"{sample.sample}: {text}")})
        for sample in answered(outcomes, scenario_id)
    ]
    return judge_scenario(facts, samples)


def _talk(text: str) -> tuple[Turn, ...]:
    return tuple(Turn(role=role, text=text) for _ in range(5) for role in (Role.USER, Role.AGENT))


def marked_scenario(text: str, number: int = 0) -> ScenarioResult:
    """Return a failing scenario that says the text wherever a page shows what others said."""
    (sample,) = make_samples("e", scenario_id=f"{text}{number}")
    facts = make_facts(sample.scenario_id, name=text, file=text, samples_wanted=1)
    evidence = {"run_id": text, "error": SampleError(message=text, body=text), "final_output": text}
    return judge_scenario(facts, [sample.model_copy(update=evidence)])
