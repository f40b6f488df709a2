"""The comment: its order, its links, its limit; what is left out is left out whole."""

import html
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.results import RunReport, SourceIdentity
from agentlab_ci.core.trace import Role, Turn
from agentlab_ci.reports.comment import render_comment, render_not_judged
from agentlab_ci.reports.section import fold_scenario
from agentlab_ci.reports.table import TABLE_HEAD, table_row
from canned import CANNED_REPORTS, scenario
from factories import make_report, make_row, make_samples
from github_markdown import to_html
from golden import assert_golden
from hostile import HOSTILE_TEXTS
from pages import COMMIT, LINKS, MARKER, RUN_URL, big_report

LIMIT = 65_000
URL = "https://github.com/acme/shop/blob/0123456789abcdef0123456789abcdef01234567/apps/shop/scenarios/support.yaml"


def _comment(report: RunReport, *, limit: int = LIMIT) -> str:
    return render_comment(report, marker=MARKER, links=LINKS, run_url=RUN_URL, limit=limit)


@pytest.mark.parametrize("name", CANNED_REPORTS)
def test_comment_of_every_kind_of_run(name: str) -> None:
    assert_golden(f"comment/{name}.md", _comment(CANNED_REPORTS[name]))


def test_the_order_of_the_comment() -> None:
    report = make_report(
        scenario("pfp", "support.refund", line=3), scenario("ppp", "support.b"), scenario("fpf", "support.cancel")
    ).model_copy(update={"source": SourceIdentity(commit=COMMIT)})
    comment = _comment(report)
    parts = [
        MARKER + "\n",
        "### ❌ 1 of 3 scenarios finished below the bar: `support.cancel`\n",
        "9 samples: 6 passed, 3 failed · 1/3 scenarios failed\\\npass@3 3/3 (1.00), pass^3 1/3 (0.33)\n",
        TABLE_HEAD,
        f"\n| ✅ | [`support.refund`]({URL}#L3) | ✅❌✅ | 2/3,\u00a0needs\u00a02 | flaky: `1 failed: ",
        "| ✅ | [`support.b`]",
        "| ❌ | [`support.cancel`]",
        "<details open><summary>❌ <b>",
        "#### ❌ samples 1, 3 of 3 · failed · `run_",
        "```text\nuser: Where is my order?\nagent: I cannot help with that.\n```",
        "**Other samples that did not pass**",
        "<details><summary>✅ <b>",
        "#### ❌ sample 2/3 · failed",
        f"<sub>commit `0123456789ab` · [workflow run]({RUN_URL}) · batch `batch_20260407_001230_9x2c`",
    ]
    places = [comment.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    assert places[0] == 0
    assert "sample 2/3" not in comment[: places[10]]


def test_without_links_nothing_is_linked() -> None:
    comment = render_comment(CANNED_REPORTS["below_bar"], marker=MARKER, links=None, run_url=None)
    assert "](" not in comment
    assert "href" not in comment
    imported = make_report(make_row("fff", file=None, line=None))
    assert "blob" not in _comment(imported)


def test_many_folds_are_closed() -> None:
    assert _comment(make_report(*(make_row("fff", f"a.{n}") for n in range(3)))).count("<details open>") == 3
    assert _comment(make_report(*(make_row("fff", f"a.{n}") for n in range(4)))).count("<details open>") == 0


def test_many_samples_are_counted() -> None:
    comment = _comment(make_report(make_row("f" * 30)))
    assert "| 30×❌ | 0/30," in comment
    assert comment.count("#### ") == comment.count("#### ❌ samples 1–5 of 30 · failed · ") == 1
    assert "And 25 more samples that did not pass." in comment
    assert "| 20×❌ 9×✅ 1×⏳ |" in _comment(make_report(make_row("f" * 20 + "p" * 9 + ".")))


def test_samples_are_together_only_if_all_that_is_said_of_them_is_the_same() -> None:
    row = scenario("fffe", "support.cancel")
    other = row.samples[1].model_copy(update={"turns": (Turn(role=Role.AGENT, text="Goodbye."),)})
    changed = row.model_copy(update={"samples": (row.samples[0], other, *row.samples[2:])})
    titles = re.findall("^#### (.*)$", _comment(make_report(changed)), re.MULTILINE)
    runs = [f"`{sample.run_id}`" for sample in row.samples]
    assert titles == [
        f"❌ samples 1, 3 of 4 · failed · {runs[0]} · {runs[2]}",
        f"❌ sample 2/4 · failed · 1.0s · {runs[1]}",
        f"⚠️ sample 4/4 · error · 0.8s · {runs[3]}",
    ]


def test_a_bad_commit_is_text() -> None:
    report = make_report(make_row("p")).model_copy(update={"source": SourceIdentity(commit="`](x)<b>")})
    assert "<sub>commit `` `](x)<b> `` · " in _comment(report)


def test_a_run_address_cannot_leave_its_link() -> None:
    comment = render_comment(
        make_report(make_row("p")), marker=MARKER, links=None, run_url='https://a/)<b> "x`\ud800'
    )
    assert "[workflow run](https://a/%29%3Cb%3E%20%22x%60?)" in comment


def test_500_failing_scenarios_with_long_transcripts() -> None:
    report = big_report()
    comment = _comment(report)
    assert 50_000 < len(comment.encode("utf-16-le")) // 2 <= LIMIT
    assert len(comment) <= LIMIT
    assert comment.startswith(f"{MARKER}\n### ❌ 500 of 500 scenarios finished below the bar: ")
    rows = len(re.findall(r"^\| ❌ ", comment, re.MULTILINE))
    assert (
        f"{500 - rows} scenarios are left out of this table, {500 - rows} of them below the bar. See the step"
        in comment
    )
    folds = comment.count("</details>")
    assert folds > 0
    assert f"The samples of {500 - folds} scenarios below the bar are left out for length." in comment
    shown = to_html(comment)
    assert shown.count("<details>") == shown.count("</details>") == folds
    assert shown.count("<tr>") == rows + 1
    assert shown.count("<pre") == 3 * folds


def test_what_is_below_the_bar_stays_in_the_table() -> None:
    rows = [make_row("fff" if n % 100 == 99 else "ppp", f"support.{n}-{'x' * 150}") for n in range(600)]
    comment = _comment(make_report(*rows))
    assert len(re.findall(r"^\| ❌ ", comment, re.MULTILINE)) == 6
    assert comment.count("</details>") == 6
    listed = len(re.findall(r"^\| ✅ ", comment, re.MULTILINE))
    assert 0 < listed < 594
    assert f"{594 - listed} scenarios are left out of this table, 0 of them below the bar." in comment


def test_a_table_that_fits_is_not_cut_for_the_samples() -> None:
    rows = [make_row("ppp", f"a.{n}") for n in range(60)] + [*big_report(40).scenarios]
    comment = _comment(make_report(*rows))
    assert "left out of this table" not in comment
    assert "below the bar are left out for length" in comment


@given(st.lists(st.sampled_from(["ppp", "fff", "pfp", "e", "p.."]), max_size=30), st.integers(3_000, 20_000))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_pieces_are_whole_or_missing_and_all_are_accounted_for(outcomes: list[str], limit: int) -> None:
    report = make_report(*(scenario(text, f"a.{number}") for number, text in enumerate(outcomes)))
    comment = _comment(report, limit=limit)
    assert len(comment) <= limit
    below = [row for row in report.scenarios if row.below_bar]
    others = [row for row in report.scenarios if not row.below_bar and "f" in outcomes[int(row.scenario_id[2:])]]
    rest, counts = comment, []
    for pieces in (
        [table_row(row, LINKS) + "\n" for row in report.scenarios],
        [fold_scenario(row, LINKS, opened=len(below) <= 3) + "\n" for row in below],
        [fold_scenario(row, LINKS, opened=False) + "\n" for row in others],
    ):
        there = [piece for piece in pieces if piece in rest]
        counts.append(len(pieces) - len(there))
        for piece in there:
            rest = rest.replace(piece, "")
    assert "details" not in rest
    assert "sample " not in rest
    assert re.search(r"^\| [^|S:]", rest, re.MULTILINE) is None
    said = [
        re.search(pattern, rest)
        for pattern in (
            r"(\d+) scenarios? (?:is|are) left out of",
            r"samples of (\d+) scen",
            r"Those of (\d+) scen",
        )
    ]
    assert [int(match[1]) if match else 0 for match in said] == counts


@given(st.sampled_from(sorted(CANNED_REPORTS)), st.integers(40_000, 65_000))
@settings(derandomize=True, deadline=None, max_examples=40)
def test_the_limit_holds_for_every_kind_of_run(name: str, limit: int) -> None:
    assert len(_comment(CANNED_REPORTS[name], limit=limit)) <= limit


def test_hostile_text_neither_adds_nor_takes_structure() -> None:
    report = CANNED_REPORTS["hostile"]
    comment = _comment(report)
    assert comment.count("<!-- agentlab:") == 1
    shown = to_html(comment)
    folds = comment.count("<details><summary>")
    assert folds > 20
    tags = re.findall(r"<(\w+)", shown)
    listed = tags.count("tr") - 1
    assert {tag: tags.count(tag) for tag in set(tags) - {"code", "p", "br", "ul", "li", "pre", "a"}} == {
        "h3": 1, "table": 1, "thead": 1, "tbody": 1, "tr": listed + 1, "th": 5, "td": 5 * listed,
        "details": folds, "summary": folds, "b": folds, "h4": 3 * folds, "sub": 1,
    }  # fmt: skip
    assert len(report.scenarios) >= listed >= folds
    ours = [url for url in re.findall(r'href="(.*?)"', shown) if url.startswith(LINKS.base)]
    assert len(ours) == listed + folds
    plain = html.unescape(re.sub(r"<code>.*?</code>|<[^>]*>", "", shown, flags=re.DOTALL))
    assert re.search(r"(?<!pass)[@#](?!\u200b)", plain) is None


def test_why_a_commit_was_not_judged() -> None:
    reason = "a.yaml:3:1: steps: must not be empty\nb.yaml: cannot be read"
    assert render_not_judged(reason, marker=MARKER, sha=COMMIT, run_url=RUN_URL) == (
        f"{MARKER}\n### ⚠️ `{COMMIT[:12]}` was not judged\n\n```text\n{reason}\n```\n\n"
        f"<sub>[workflow run]({RUN_URL})</sub>\n"
    )
    assert render_not_judged("interrupted", marker=MARKER, sha=None, run_url=None) == (
        f"{MARKER}\n### ⚠️ This run was not judged\n\n```text\ninterrupted\n```\n"
    )


@pytest.mark.parametrize("text", HOSTILE_TEXTS[1:])
def test_a_hostile_reason_is_text(text: str) -> None:
    comment = render_not_judged(text, marker=MARKER, sha=text, run_url=RUN_URL)
    assert comment.count("<!-- agentlab:") == 1
    tags = re.findall(r"<(\w+)", to_html(comment))
    assert sorted(tags) == sorted(["h3", "code", "pre", "code", "p", "sub", "a"])


def test_comments_of_two_jobs_are_told_apart() -> None:
    report = make_report(make_row("p"))
    fast, careful = (
        (
            render_comment(report, marker=MARKER, links=LINKS, run_url=RUN_URL, title=title),
            render_not_judged("interrupted", marker=MARKER, sha=COMMIT, run_url=None, title=title),
        )
        for title in ("test/fast", "test/careful")
    )
    assert fast[0].startswith(f"{MARKER}\n### `test/fast` · ✅ ")
    assert fast[1].startswith(f"{MARKER}\n### `test/fast` · ⚠️ `0123456789ab` was not judged\n")
    assert careful[0].startswith(f"{MARKER}\n### `test/careful` · ✅ ")
    assert careful[1].startswith(f"{MARKER}\n### `test/careful` · ⚠️ ")
    assert fast[0].replace("`test/fast` · ", "") == _comment(report)


@pytest.mark.parametrize("text", HOSTILE_TEXTS[1:])
def test_a_hostile_title_is_text(text: str) -> None:
    comment = render_not_judged("interrupted", marker=MARKER, sha=COMMIT, run_url=None, title=text)
    assert comment.count("<!-- agentlab:") == 1
    assert sorted(re.findall(r"<(\w+)", to_html(comment))) == ["code", "code", "code", "h3", "pre"]
    page = render_comment(make_report(make_row("p")), marker=MARKER, links=None, run_url=None, title=text * 100)
    assert len(page.splitlines()[1].encode()) < 800
    assert to_html(page).count("<h3>") == 1


def test_a_long_reason_is_cut() -> None:
    comment = render_not_judged("a.yaml:1:1: 🙂\n" * 10_000, marker=MARKER, sha=None, run_url=RUN_URL)
    assert len(comment) < 30_000
    assert "more bytes left out]\n```\n" in comment


def test_what_makes_the_run_red_is_not_crowded_out_by_what_only_reports() -> None:
    reply = "It went wrong in a long-winded way. " * 100
    noisy = [
        make_row("f", f"v.s{n}", variant="exp", gate=False).model_copy(
            update={"samples": (make_samples("f")[0].model_copy(update={"final_output": f"{n} {reply}"}),)}
        )
        for n in range(70)
    ]
    red = scenario("f", "v.red")
    comment = _comment(make_report(*noisy, red))
    assert "names-tracking" in comment, "the evidence of the one scenario that gates"
    assert "are left out for length" in comment
