"""The sticky comment at a GitHub that keeps state and fails in every known way, in virtual time."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from agentlab_ci.core.github import GitHubEvent, PullRequest
from agentlab_ci.publish.outcome import CommentAction, CommentOutcome
from agentlab_ci.publish.patience import Patience
from agentlab_ci.publish.pull_request import find_pull_request, publish_comment
from agentlab_ci.publish.sticky import CommentMode, Marker, read_marker
from fake_github import (
    COMMENT,
    COMMENTS,
    DROP,
    FORBIDDEN,
    HANG,
    NOT_FOUND,
    SECONDARY,
    USER,
    Answer,
    FakeGitHub,
    StoredPull,
    fake_github,
    refusal,
)
from virtual_clock import VirtualClock

KEY = "Agent tests/agents/__run"


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeGitHub]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with fake_github() as served:
        yield served
    for thread in threading.enumerate():
        if thread.name == "agentlab-publish":
            thread.join()
    assert served.problems == []


def event_at(github: FakeGitHub, **more: object) -> GitHubEvent:
    event = GitHubEvent(
        name="pull_request",
        repository="o/r",
        sha="a" * 40,
        pull_request=PullRequest(number=7, head_sha="a" * 40),
        run_id=100,
        api_url=github.api_url,
    )
    return replace(event, **more)  # type: ignore[arg-type]  # each test gives fields of the event


def publish(
    github: FakeGitHub,
    text: str = "text",
    *,
    run: int = 100,
    attempt: int = 1,
    key: str = KEY,
    mode: CommentMode = CommentMode.AUTO,
    bad_news: bool = False,
    clock: VirtualClock | None = None,
    seconds: float = 60,
    event: GitHubEvent | None = None,
    kept: list[str] | None = None,
) -> CommentOutcome:
    """Publish a comment as one run does."""
    clock = clock or VirtualClock()

    def keep(body: str) -> str:
        (kept if kept is not None else []).append(body)
        return "agentlab-report/comment.md"

    return publish_comment(
        replace(event or event_at(github), run_id=run, run_attempt=attempt),
        lambda marker: f"{marker}\n{text}",
        token="ghs_token",
        key=key,
        mode=mode,
        bad_news=bad_news,
        keep_unsent=keep,
        patience=Patience(seconds, clock=clock, sleep=clock.sleep, now=clock),
    )


def body(text: str, *, run: int = 100, attempt: int = 1, key: str = KEY) -> str:
    return f"{Marker(key=key, run=run, attempt=attempt)}\n{text}"


def add_ours(github: FakeGitHub, text: str, *, run: int, key: str = KEY) -> int:
    """Put a comment there that an earlier run wrote."""
    written = body(text, run=run, key=key)
    return github.add_comment(written, author="github-actions[bot]", kind="Bot").id


def test_the_first_run_creates(github: FakeGitHub) -> None:
    outcome = publish(github)
    assert github.bodies() == [body("text")]
    assert outcome == CommentOutcome(
        action=CommentAction.CREATED, url="https://github.test/o/r/pull/7#issuecomment-1001"
    )
    assert github.tokens == {"token ghs_token"}


def test_a_later_run_edits(github: FakeGitHub) -> None:
    publish(github, "red")
    outcome = publish(github, "green", run=101)
    assert github.bodies() == [body("green", run=101)]
    assert outcome.action is CommentAction.UPDATED
    assert outcome.url == "https://github.test/o/r/pull/7#issuecomment-1001"
    assert outcome.warning is None


def test_a_second_attempt_edits(github: FakeGitHub) -> None:
    publish(github, "first")
    publish(github, "second", attempt=2)
    assert github.bodies() == [body("second", attempt=2)]


def test_an_older_run_that_comes_later_changes_nothing(github: FakeGitHub) -> None:
    publish(github, "new", run=102)
    outcome = publish(github, "old", run=101)
    assert github.bodies() == [body("new", run=102)]
    assert outcome.action is CommentAction.KEPT_NEWER
    assert github.count("PATCH") == 0


def test_ours_is_found_on_the_second_page(github: FakeGitHub) -> None:
    for number in range(120):
        github.add_comment(f"comment {number}")
    add_ours(github, "old", run=99)
    for number in range(29):
        github.add_comment(f"later comment {number}")
    publish(github, "new")
    assert len(github.comments) == 150
    assert github.bodies()[120] == body("new")
    assert github.count("GET", COMMENTS) == 4, "two pages of a hundred, before and after"


def test_comments_of_others_are_left_alone(github: FakeGitHub) -> None:
    quoted = f"> {body('quoted', run=99)}"
    copied = body("copied whole by a human", run=99)
    github.add_comment(quoted)
    github.add_comment(copied)
    github.add_comment("\n" + body("not at the start", run=99), author="other[bot]", kind="Bot")
    github.add_comment(body("of a vanished account", run=99)).author = None
    others = github.bodies()
    publish(github, "ours")
    assert github.bodies() == [*others, body("ours")]


def test_two_keys_have_two_comments(github: FakeGitHub) -> None:
    publish(github, "linux 1", key="linux")
    publish(github, "mac 1", key="mac")
    publish(github, "linux 2", key="linux", run=101)
    assert github.bodies() == [body("linux 2", key="linux", run=101), body("mac 1", key="mac")]


def test_a_key_may_hold_anything(github: FakeGitHub) -> None:
    key = 'ä --> <b> "matrix, 3.13" %20\n| x'
    publish(github, "1", key=key)
    publish(github, "2", key=key, run=101)
    [only] = github.bodies()
    first_line = only.partition("\n")[0]
    assert first_line.endswith(" run=101 attempt=1 -->")
    assert first_line.count("-->") == 1
    marker = read_marker(only)
    assert marker is not None
    assert marker.key == key


def test_a_personal_token_knows_its_login(github: FakeGitHub) -> None:
    github.login = "Octo-Dev"
    add_ours(github, "the bot's own", run=99)
    bots = github.bodies()
    publish(github, "1")
    publish(github, "2", run=101)
    assert github.bodies() == [*bots, body("2", run=101)]


def test_a_personal_tokens_login_is_compared_without_case(github: FakeGitHub) -> None:
    github.login = "Octo-Dev"
    github.add_comment(body("old", run=99), author="octo-dev")
    publish(github, "new")
    assert github.bodies() == [body("new")]


def test_left_over_doubles_are_deleted(github: FakeGitHub) -> None:
    for run in (97, 99, 98):
        add_ours(github, f"text of {run}", run=run)
    publish(github, "new")
    assert github.bodies() == [body("new")]
    assert github.comments[0].id == 1002, "the newest was edited"


def test_the_same_run_and_attempt_twice_is_a_warning(github: FakeGitHub) -> None:
    publish(github, "3.12")
    outcome = publish(github, "3.13")
    assert github.bodies() == [body("3.13")]
    assert "comment-key" in (outcome.warning or "")


def test_enterprise_server_has_a_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with fake_github(prefix="/api/v3") as github:
        publish(github, "1")
        publish(github, "2", run=101)
        assert github.bodies() == [body("2", run=101)]
        assert github.problems == []


class TestModes:
    """When a comment is created; an existing one is always brought up to date."""

    @pytest.mark.parametrize(
        ("mode", "bad_news", "created"),
        [
            (CommentMode.AUTO, False, True),
            (CommentMode.AUTO, True, True),
            (CommentMode.ON_FAILURE, False, False),
            (CommentMode.ON_FAILURE, True, True),
            (CommentMode.NEVER, False, False),
            (CommentMode.NEVER, True, False),
        ],
    )
    def test_creating(self, github: FakeGitHub, mode: CommentMode, bad_news: bool, created: bool) -> None:
        outcome = publish(github, mode=mode, bad_news=bad_news)
        assert len(github.comments) == created
        assert outcome.action is (CommentAction.CREATED if created else CommentAction.NOT_WANTED)
        assert outcome.warning is None

    @pytest.mark.parametrize("mode", list(CommentMode))
    def test_an_existing_comment_is_brought_up_to_date(self, github: FakeGitHub, mode: CommentMode) -> None:
        add_ours(github, "red", run=99)
        publish(github, "green", mode=mode)
        assert github.bodies() == [body("green")]

    def test_red_then_green_with_on_failure(self, github: FakeGitHub) -> None:
        publish(github, "red", mode=CommentMode.ON_FAILURE, bad_news=True)
        publish(github, "green", run=101, mode=CommentMode.ON_FAILURE)
        assert github.bodies() == [body("green", run=101)]

    def test_a_broken_config_after_a_green_comment(self, github: FakeGitHub) -> None:
        publish(github, "green")
        publish(github, "aaaaaaa was not judged: bad config", run=101, mode=CommentMode.NEVER, bad_news=True)
        assert github.bodies() == [body("aaaaaaa was not judged: bad config", run=101)]

    def test_who_wants_no_comment_needs_no_permission(self, github: FakeGitHub) -> None:
        github.fail("GET", FORBIDDEN, times=9)
        outcome = publish(github, mode=CommentMode.NEVER)
        assert outcome == CommentOutcome(action=CommentAction.NOT_WANTED)


class TestWithoutCalls:
    """Where no call is tried."""

    def test_no_pull_request(self, github: FakeGitHub) -> None:
        outcome = publish(github, event=event_at(github, name="schedule", pull_request=None))
        assert outcome == CommentOutcome(action=CommentAction.NOT_WANTED)
        assert github.asked == []

    def test_a_fork(self, github: FakeGitHub) -> None:
        outcome = publish(github, event=event_at(github, from_fork=True))
        assert outcome.action is CommentAction.NOT_TRIED
        assert "fork" in (outcome.warning or "")
        assert github.asked == []

    def test_a_fork_on_a_privileged_event_is_tried(self, github: FakeGitHub) -> None:
        outcome = publish(github, event=event_at(github, from_fork=True, name="pull_request_target"))
        assert outcome.action is CommentAction.CREATED

    def test_no_token(self, github: FakeGitHub) -> None:
        outcome = publish_comment(
            event_at(github),
            str,
            token="",
            key=KEY,
            mode=CommentMode.AUTO,
            bad_news=True,
            keep_unsent=None,
            patience=Patience(),
        )
        assert outcome.action is CommentAction.NOT_TRIED
        assert "github-token" in (outcome.warning or "")


class TestRaces:
    """Runs of one key that write at the same time; each order is played out by hooks."""

    @pytest.mark.parametrize("late", [99, 101], ids=["by an older run", "by a newer run"])
    @pytest.mark.parametrize("method", ["GET", "POST"])
    def test_both_create(self, github: FakeGitHub, method: str, late: int) -> None:
        github.before(method, lambda: publish(github, f"text of {late}", run=late), path=COMMENTS)
        publish(github, "text of 100", run=100)
        newest = max(late, 100)
        assert github.bodies() == [body(f"text of {newest}", run=newest)]

    def test_three_create(self, github: FakeGitHub) -> None:
        def third() -> None:
            publish(github, "text of 99", run=99)

        def second() -> None:
            github.before("POST", third)
            publish(github, "text of 101", run=101)

        github.before("POST", second)
        publish(github, "text of 100", run=100)
        assert github.bodies() == [body("text of 101", run=101)]

    @pytest.mark.parametrize("path", [COMMENTS, COMMENT], ids=["before the list", "after the list"])
    def test_a_newer_run_edits_before_an_older_one(self, github: FakeGitHub, path: str) -> None:
        add_ours(github, "before", run=1)
        github.before("GET", lambda: publish(github, "new", run=101), path=path)
        outcome = publish(github, "old", run=100)
        assert github.bodies() == [body("new", run=101)]
        assert outcome.action is CommentAction.KEPT_NEWER

    def test_an_older_run_edits_after_a_newer_one(self, github: FakeGitHub) -> None:
        add_ours(github, "before", run=1)

        def overwrite() -> None:
            github.comments[0].body = body("old", run=99)

        # The second look of the newer run finds the older text.
        github.before("PATCH", lambda: github.before("GET", overwrite, path=COMMENTS))
        outcome = publish(github, "new")
        assert github.bodies() == [body("new")]
        assert github.count("PATCH") == 2
        assert outcome.action is CommentAction.UPDATED

    def test_three_edit(self, github: FakeGitHub) -> None:
        add_ours(github, "before", run=1)

        def third() -> None:
            publish(github, "text of 102", run=102)

        def second() -> None:
            github.before("GET", third, path=COMMENT)
            publish(github, "text of 101", run=101)

        github.before("GET", second, path=COMMENT)
        publish(github, "text of 100", run=100)
        assert github.bodies() == [body("text of 102", run=102)]

    def test_the_other_one_deletes_first(self, github: FakeGitHub) -> None:
        add_ours(github, "double", run=98)
        doubled = add_ours(github, "double", run=97)
        github.before("DELETE", lambda: github.comments.remove(github.comments[1]))
        outcome = publish(github, "new")
        assert github.bodies() == [body("new")]
        assert github.count("DELETE", rf".*/{doubled}") == 1
        assert outcome.action is CommentAction.UPDATED

    def test_a_newer_run_writes_what_is_about_to_be_deleted(self, github: FakeGitHub) -> None:
        doubled = add_ours(github, "double", run=1)
        add_ours(github, "before", run=2)

        def overtake() -> None:
            github.comments[0].body = body("newest", run=102)

        github.before("GET", overtake, path=rf".*/{doubled}")
        publish(github, "new")
        assert github.bodies() == [body("newest", run=102)]

    @pytest.mark.parametrize("method", ["GET", "PATCH"], ids=["before it is read", "before it is written"])
    def test_deleted_between_list_and_edit(self, github: FakeGitHub, method: str) -> None:
        add_ours(github, "before", run=1)
        github.before(method, github.comments.clear, path=COMMENT)
        outcome = publish(github, "new")
        assert github.bodies() == [body("new")]
        assert outcome.action is CommentAction.CREATED

    def test_deleted_between_list_and_edit_and_not_wanted(self, github: FakeGitHub) -> None:
        add_ours(github, "before", run=1)
        github.before("PATCH", github.comments.clear)
        outcome = publish(github, "new", mode=CommentMode.NEVER)
        assert github.bodies() == []
        assert outcome == CommentOutcome(action=CommentAction.NOT_WANTED)

    def test_a_list_that_lags_behind_makes_no_double(self, github: FakeGitHub) -> None:
        github.before("POST", lambda: github.fail("GET", Answer(200, []), path=COMMENTS))
        outcome = publish(github, "new")
        assert github.bodies() == [body("new")]
        assert outcome.url is not None

    def test_matrix_jobs_that_create_at_once_are_told(self, github: FakeGitHub) -> None:
        others: list[CommentOutcome] = []
        github.before("POST", lambda: others.append(publish(github, "3.12")))
        outcome = publish(github, "3.13")
        assert len(github.comments) == 1
        assert "comment-key" in (outcome.warning or "")
        assert others[0].action is CommentAction.CREATED


RETRIED = [
    pytest.param(refusal(502, "Server Error"), [0.5], id="502"),
    pytest.param(refusal(503, "Unavailable"), [0.5], id="503"),
    pytest.param(refusal(429, "Too many", retry_after="7"), [7], id="429 with Retry-After"),
    pytest.param(refusal(403, SECONDARY, retry_after="9"), [9], id="secondary with Retry-After"),
    pytest.param(
        refusal(403, "API rate limit exceeded", x_ratelimit_remaining="0", x_ratelimit_reset="1020"),
        [21],
        id="primary limit that resets soon",
    ),
    pytest.param(DROP, [0.5], id="dropped connection"),
]
WRITES = [("POST", False), ("PATCH", True)]


class TestFaults:
    """What GitHub does to a request, and what becomes of the comment. The verdict is none of its business."""

    @pytest.mark.parametrize(("method", "there"), [("GET", False), *WRITES])
    @pytest.mark.parametrize(("answer", "waits"), RETRIED)
    def test_it_is_tried_again(
        self, github: FakeGitHub, answer: Answer, waits: list[float], method: str, there: bool
    ) -> None:
        if there:
            add_ours(github, "before", run=1)
        clock = VirtualClock()
        github.fail(method, answer)
        outcome = publish(github, "new", clock=clock)
        assert github.bodies() == [body("new")]
        assert outcome.warning is None
        assert clock.sleeps == waits

    @pytest.mark.parametrize(("method", "there"), WRITES)
    @pytest.mark.parametrize(
        ("answer", "said"),
        [
            pytest.param(FORBIDDEN, "pull-requests: write", id="403 permission"),
            pytest.param(NOT_FOUND, "pull-requests: write", id="404"),
            pytest.param(refusal(401, "Bad credentials"), "is the github-token valid?", id="401"),
            pytest.param(
                refusal(403, "Unable to create comment because issue is locked."), "issue is locked", id="locked"
            ),
            pytest.param(refusal(403, SECONDARY), "in 60 s", id="secondary without Retry-After"),
            pytest.param(refusal(429, "Too many"), "in 60 s", id="429 without Retry-After"),
            pytest.param(refusal(429, "Too many", retry_after="600"), "in 600 s", id="429 that lasts too long"),
            pytest.param(
                refusal(403, "API rate limit exceeded", x_ratelimit_remaining="0", x_ratelimit_reset="4000"),
                "s left",
                id="primary limit that resets late",
            ),
            pytest.param(refusal(502, "Server Error"), "answered 502, 6 times", id="502 for ever"),
            pytest.param(DROP, "did not answer (ConnectionError), 6 times", id="dropped for ever"),
            pytest.param(Answer(200, b"{broken"), "not understood", id="broken JSON"),
        ],
    )
    def test_it_is_given_up(self, github: FakeGitHub, answer: Answer, said: str, method: str, there: bool) -> None:
        if there:
            add_ours(github, "before", run=1)
        before = github.bodies()
        github.fail(method, answer, times=99)
        clock, kept = VirtualClock(), list[str]()
        outcome = publish(github, "new", clock=clock, kept=kept)
        assert github.bodies() == before
        assert outcome.action is CommentAction.NOT_SENT
        assert said in (outcome.warning or "")
        assert (outcome.warning or "").endswith("It is in agentlab-report/comment.md")
        assert kept == [body("new")]
        assert clock.now - 1000 <= 60

    def test_502_after_the_comment_was_written(self, github: FakeGitHub) -> None:
        github.fail("POST", refusal(502, "Server Error"), applied=True)
        outcome = publish(github, "new")
        assert github.bodies() == [body("new")]
        assert github.count("POST") == 1
        assert outcome.action is CommentAction.CREATED
        assert outcome.warning is None

    def test_502_after_the_edit_was_made(self, github: FakeGitHub) -> None:
        add_ours(github, "before", run=1)
        github.fail("PATCH", refusal(502, "Server Error"), applied=True)
        outcome = publish(github, "new")
        assert github.bodies() == [body("new")]
        assert outcome == CommentOutcome(action=CommentAction.UPDATED, url=outcome.url)

    def test_a_dropped_answer_after_the_comment_was_written(self, github: FakeGitHub) -> None:
        github.fail("POST", DROP, applied=True)
        publish(github, "new")
        assert github.bodies() == [body("new")]

    def test_too_long(self, github: FakeGitHub) -> None:
        kept = list[str]()
        outcome = publish(github, "x" * 65_536, kept=kept)
        assert github.bodies() == []
        assert "Body is too long" in (outcome.warning or "")
        assert len(kept) == 1

    def test_a_page_in_place_of_the_comment(self, github: FakeGitHub) -> None:
        github.fail("POST", Answer(200, b"<html>please log in</html>"))
        outcome = publish(github, "new")
        assert outcome.action is CommentAction.NOT_SENT
        assert "not understood" in (outcome.warning or "")

    def test_dependabot_is_told_why(self, github: FakeGitHub) -> None:
        github.fail("POST", FORBIDDEN)
        outcome = publish(github, event=event_at(github, actor="dependabot[bot]"))
        assert "Dependabot" in (outcome.warning or "")

    def test_a_login_that_is_refused_for_another_reason(self, github: FakeGitHub) -> None:
        add_ours(github, "before", run=1)
        github.fail("GET", refusal(401, "Bad credentials"), path=USER)
        outcome = publish(github, "new")
        assert outcome.action is CommentAction.NOT_SENT

    def test_a_comment_that_may_not_be_written_is_not_tried_for_ever(self, github: FakeGitHub) -> None:
        add_ours(github, "before", run=1)
        github.fail("PATCH", NOT_FOUND, times=99)
        publish(github, "new")
        assert github.count("PATCH") == 2

    def test_a_github_that_hangs_is_left_behind(self, github: FakeGitHub) -> None:
        github.fail("GET", HANG)
        outcome = publish(github, "new", seconds=0.2)
        assert outcome.action is CommentAction.NOT_SENT
        assert "did not answer in time" in (outcome.warning or "")


def test_what_cannot_be_deleted_does_not_undo_the_edit(github: FakeGitHub) -> None:
    add_ours(github, "double", run=98)
    add_ours(github, "newest", run=99)
    github.fail("DELETE", FORBIDDEN)
    kept: list[str] = []
    outcome = publish(github, "new", kept=kept)
    assert outcome.action is CommentAction.UPDATED
    assert "could not be deleted" in (outcome.warning or "")
    assert body("new") in github.bodies()
    assert kept == []


@pytest.mark.parametrize(("author", "warned"), [("other[bot]", True), ("github-actions[bot]", False)])
def test_a_newer_comment_of_another_bot_is_said(github: FakeGitHub, author: str, warned: bool) -> None:
    github.add_comment(body("theirs", run=10**15), author=author, kind="Bot")
    outcome = publish(github)
    assert outcome.action is CommentAction.KEPT_NEWER
    assert ("comment-key" in (outcome.warning or "")) == warned


class TestSearch:
    """Which pull request a pushed commit belongs to."""

    @pytest.mark.parametrize(
        ("pull", "found"),
        [
            (StoredPull(number=7, head_sha="a" * 40), 7),
            (StoredPull(number=7, head_sha="c" * 40, merge_sha="a" * 40), 7),
            (StoredPull(number=7, head_sha="a" * 40, is_open=False), None),
            # The same commit, in a pull request to a fork.
            (StoredPull(number=7, head_sha="a" * 40, repository="someone/r"), None),
            (StoredPull(number=7, head_sha="c" * 40), None),
        ],
    )
    def test_the_open_pull_request_of_the_commit(
        self, github: FakeGitHub, pull: StoredPull, found: int | None
    ) -> None:
        github.pulls = [StoredPull(number=5, head_sha="a" * 40, is_open=False), pull]
        result = find_pull_request(event_at(github, name="push"), token="t", patience=Patience())
        assert (result.found.number if result.found else None) == found
        assert result.warning is None
        if found:
            assert result.found == PullRequest(number=7, head_sha=pull.head_sha, base_sha="b" * 40)

    def test_a_commit_that_github_does_not_know(self, github: FakeGitHub) -> None:
        github.fail("GET", refusal(422, "No commit found for SHA: aaaa"))
        result = find_pull_request(event_at(github, name="push"), token="t", patience=Patience())
        assert (result.found, result.warning) == (None, None)

    def test_a_refusal_is_a_warning(self, github: FakeGitHub) -> None:
        github.fail("GET", FORBIDDEN)
        result = find_pull_request(event_at(github, name="push"), token="t", patience=Patience())
        assert result.found is None
        assert "403 Resource not accessible" in (result.warning or "")

    @pytest.mark.parametrize(("sha", "token"), [(None, "t"), ("a" * 40, "")])
    def test_without_commit_or_token_nothing_is_asked(
        self, github: FakeGitHub, sha: str | None, token: str
    ) -> None:
        result = find_pull_request(event_at(github, name="push", sha=sha), token=token, patience=Patience())
        assert result.found is None
        assert github.asked == []
