"""The step summary: the comment with transcripts, in bytes; and the page for runs in which nothing was judged."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.results import RunReport
from agentlab_ci.errors import Problem
from agentlab_ci.reports.summary import SUMMARY_LIMIT, render_problems, render_summary
from canned import CANNED_REPORTS, scenario
from factories import make_report, make_row
from github_markdown import to_html
from golden import assert_golden
from hostile import HOSTILE_TEXTS
from pages import LINKS, RUN_URL, big_report


def _summary(report: RunReport, *, limit: int = SUMMARY_LIMIT) -> str:
    return render_summary(report, links=LINKS, run_url=RUN_URL, limit=limit)


@pytest.mark.parametrize("name", CANNED_REPORTS)
def test_summary_of_every_kind_of_run(name: str) -> None:
    assert_golden(f"summary/{name}.md", _summary(CANNED_REPORTS[name]))


def test_every_sample_that_did_not_pass_has_its_transcript() -> None:
    summary = _summary(make_report(scenario("pfe", "a.b", pass_rate="1"), scenario("pfp", "a.c")))
    assert summary.startswith("### ❌ ")
    assert summary.count("<details><summary>Transcript</summary>") == 3
    assert summary.count("**user**\n\n```text\nHello\n```\n\n**agent** · `0.3s`\n\n```text\nHello! How") == 2
    assert "It has shipped." not in summary


def test_a_sample_in_which_nothing_was_said_has_none() -> None:
    assert "Transcript" not in _summary(make_report(make_row("fff")))


def test_500_failing_scenarios_with_long_transcripts() -> None:
    summary = _summary(big_report())
    assert 800_000 < len(summary.encode()) <= SUMMARY_LIMIT
    assert summary.startswith("### ❌ 500 of 500 scenarios finished below the bar: ")
    assert len(re.findall(r"^\| ❌ ", summary, re.MULTILINE)) == 500
    shown = to_html(summary)
    folds = summary.count("<details><summary>❌")
    assert (
        f"The samples of {500 - folds} scenarios below the bar are left out for length. See the report" in summary
    )
    assert "The transcripts of 500 scenarios are left out for length." in summary
    assert shown.count("<details>") == shown.count("</details>") == folds
    assert shown.count("<pre") == 3 * folds


def test_transcripts_are_added_from_the_top() -> None:
    summary = _summary(big_report(30))
    places = [match.start() for match in re.finditer("<details><summary>❌", summary)]
    assert len(places) == 30
    with_transcript = summary.count("<summary>Transcript</summary>") // 3
    assert 0 < with_transcript < 30
    assert summary.rfind("<summary>Transcript</summary>") < places[with_transcript]
    assert f"The transcripts of {30 - with_transcript} scenarios are left out for length." in summary
    assert "below the bar are left out" not in summary


@given(st.integers(0, 12), st.integers(0, 20_000), st.integers(3_000, 200_000))
@settings(derandomize=True, deadline=None, max_examples=40)
def test_the_limit_is_in_bytes(scenarios: int, transcript_bytes: int, limit: int) -> None:
    summary = _summary(big_report(scenarios, transcript_bytes=transcript_bytes), limit=limit)
    assert len(summary.encode()) <= limit
    assert summary.endswith("</sub>\n")
    shown = to_html(summary)
    assert summary.count("<details") == shown.count("<details") == shown.count("</details>")


def test_what_has_no_room_at_all_is_told_all_the_same() -> None:
    summary = _summary(CANNED_REPORTS["below_bar"], limit=0)
    assert "4 scenarios are left out of this table, 3 of them below the bar." in summary
    assert "The samples of 3 scenarios below the bar are left out" in summary


def test_problems_are_linked_to_their_places() -> None:
    problems = [
        Problem(path="scenarios/a b.yaml", line=3, column=7, where="steps[0]", message="unknown key `mesage`"),
        Problem(path="agentlab.config.yaml", message="cannot be read: there is no such file"),
        Problem(path="", message="no scenario matches"),
    ]
    assert render_problems(problems, links=LINKS) == (
        "### ⚠️ Nothing was judged: 3 problems\n\n"
        f"- [`scenarios/a b.yaml:3:7`]({LINKS.base}apps/shop/scenarios/a%20b.yaml#L3) "
        "`` steps[0]: unknown key `mesage` ``\n"
        f"- [`agentlab.config.yaml`]({LINKS.base}apps/shop/agentlab.config.yaml) "
        "`cannot be read: there is no such file`\n"
        "- `no scenario matches`\n"
    )
    assert "](" not in render_problems(problems, links=None)


def test_summaries_of_two_jobs_are_told_apart() -> None:
    for title in ("test/fast", "test/careful"):
        summary = render_summary(make_report(make_row("p")), links=LINKS, run_url=RUN_URL, title=title)
        assert summary.startswith(f"### `{title}` · ✅ ")
        page = render_problems([Problem(path="", message="no")], links=LINKS, title=title)
        assert page.startswith(f"### `{title}` · ⚠️ Nothing was judged: 1 problem\n")


def test_many_problems_are_counted() -> None:
    problems = [Problem(path=f"scenarios/{n}.yaml", line=n, message="é" * 2000) for n in range(1, 1001)]
    page = render_problems(problems, links=LINKS)
    assert len(page.encode()) <= SUMMARY_LIMIT
    shown = len(re.findall("^- ", page, re.MULTILINE))
    assert 500 < shown < 1000
    assert f"\nThere is no room here for {1000 - shown} more; the job log has them all.\n" in page


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_a_hostile_problem_is_text(text: str) -> None:
    page = render_problems([Problem(path=text, where=text, message=text)], links=LINKS)
    tags = re.findall(r"<(\w+)", to_html(page))
    assert set(tags) <= {"h3", "ul", "li", "code", "a"}
    assert tags.count("a") == bool(text)
