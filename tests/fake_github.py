"""A GitHub on loopback that keeps comments and pull requests, and fails as it is told.

`with fake_github() as github:` serves `o/r` in threads on a free port; `github.api_url` is where. What is asked of
it is held against GitHub's own description of its API: `github.problems` must stay empty. `github.fail(...)`
lets requests fail, `github.before(...)` does something else first, such as a whole other run: so races are played
out in a fixed order.
"""

import contextlib
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from github_description import GitHubDescription

REPOSITORY = "o/r"
DESCRIPTION = GitHubDescription()
LONGEST_BODY = 65_536
COMMENTS = rf"/repos/{REPOSITORY}/issues/(\d+)/comments"
COMMENT = rf"/repos/{REPOSITORY}/issues/comments/(\d+)"
PULL = rf"/repos/{REPOSITORY}/pulls/(\d+)"
PULLS = f"/repos/{REPOSITORY}/pulls"
PULLS_OF = rf"/repos/{REPOSITORY}/commits/(\w+)/pulls"
USER = "/user"


@dataclass
class StoredComment:
    """A comment as it stands. `author` is (login, type of account), None where the account is gone."""

    id: int
    issue: int
    author: tuple[str, str] | None
    body: str


@dataclass(frozen=True)
class StoredPull:
    """A pull request of the repository, or of another that shares the commit; `branch` is `owner:name`."""

    number: int
    head_sha: str
    merge_sha: str | None = None
    base_sha: str = "b" * 40
    is_open: bool = True
    repository: str = REPOSITORY
    branch: str = "fork:topic"
    fork_is_gone: bool = False


@dataclass(frozen=True)
class Answer:
    """What goes back, as JSON unless it is bytes. Without a status the connection is closed, or held open."""

    status: int | None
    data: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    holds: bool = False


def refusal(status: int, message: str, **headers: str) -> Answer:
    """Return an answer as GitHub words its refusals; `retry_after=` is the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, {"message": message, "documentation_url": "https://docs.github.com/rest"}, named)


FORBIDDEN = refusal(403, "Resource not accessible by integration")
NOT_FOUND = refusal(404, "Not Found")
SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
DROP = Answer(None)
HANG = Answer(None, holds=True)


@dataclass
class Fault:
    """An answer for the next requests of a kind. `applied` ones do their work all the same."""

    method: str
    path: re.Pattern[str]
    answer: Answer
    times: int
    applied: bool


class FakeGitHub:
    """The state of one repository, and what was asked. `login` is the token's, None for a workflow's own token."""

    def __init__(self, *, prefix: str) -> None:
        self.prefix = prefix
        self.port = 0
        self.login: str | None = None
        self.comments: list[StoredComment] = []
        self.pulls: list[StoredPull] = []
        self.asked: list[tuple[str, str]] = []
        self.sent: list[str] = []
        self.tokens: set[str] = set()
        self.problems: list[str] = []
        self.stopped = threading.Event()
        self._faults: list[Fault] = []
        self._before: list[tuple[str, re.Pattern[str], Callable[[], object]]] = []
        self._lock = threading.Lock()

    @property
    def api_url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.prefix}"

    def add_comment(
        self, body: str, *, author: str = "octocat", kind: str = "User", issue: int = 7
    ) -> StoredComment:
        """Put a comment there, by a human unless told otherwise."""
        return self._store(issue, (author, kind), body)

    def fail(
        self, method: str, answer: Answer, *, path: str = ".*", times: int = 1, applied: bool = False
    ) -> None:
        """Give this answer to the next `times` requests of a method; `path` is a pattern."""
        self._faults.append(Fault(method, re.compile(path), answer, times, applied))

    def before(self, method: str, act: Callable[[], object], *, path: str = ".*") -> None:
        """Do something before the next request of a method is handled, and only then."""
        self._before.append((method, re.compile(path), act))

    def count(self, method: str, path: str = ".*") -> int:
        """Count the requests so far."""
        return sum(asked == method and bool(re.fullmatch(path, where)) for asked, where in self.asked)

    def bodies(self) -> list[str]:
        """Return what stands there, oldest first."""
        return [comment.body for comment in self.comments]

    def handle(self, method: str, target: str, body: Any) -> Answer:
        """Answer one request."""
        target = target.removeprefix(self.prefix)
        path = urlsplit(target).path
        with self._lock:
            self.asked.append((method, path))
            self.sent.append(f"{method} {target} {body or ''}")
            self.problems += DESCRIPTION.find_problems(method, target, body)
            found = next((it for it in self._before if it[0] == method and it[1].fullmatch(path)), None)
            if found is not None:
                self._before.remove(found)
        if found is not None:
            found[2]()
        with self._lock:
            fault = self._next_fault(method, path)
            if fault is not None and not fault.applied:
                return fault.answer
            answer = self._serve(method, path, target, body)
            return fault.answer if fault is not None else answer

    def _next_fault(self, method: str, path: str) -> Fault | None:
        for fault in self._faults:
            if fault.times and fault.method == method and fault.path.fullmatch(path):
                fault.times -= 1
                return fault
        return None

    def _serve(self, method: str, path: str, target: str, body: Any) -> Answer:
        if method == "GET" and path == USER:
            return FORBIDDEN if self.login is None else Answer(200, self._show_user((self.login, "User")))
        if found := re.fullmatch(COMMENTS, path):
            if method == "POST":
                return self._create(int(found[1]), body)
            return self._list([self._show(it) for it in self.comments if it.issue == int(found[1])], target)
        if found := re.fullmatch(COMMENT, path):
            return self._serve_comment(method, int(found[1]), body)
        return self._serve_pulls(path, target)

    def _serve_pulls(self, path: str, target: str) -> Answer:
        if path == PULLS:
            return self._list([self._show_pull(pull) for pull in self._find_pulls(target)], target)
        if found := re.fullmatch(PULL, path):
            pulls = [pull for pull in self.pulls if pull.number == int(found[1])]
            return Answer(200, self._show_pull(pulls[0])) if pulls else NOT_FOUND
        if found := re.fullmatch(PULLS_OF, path):
            pulls = [pull for pull in self.pulls if found[1] in (pull.head_sha, pull.merge_sha)]
            return Answer(200, [self._show_pull(pull) for pull in pulls])
        return NOT_FOUND

    def _find_pulls(self, target: str) -> list[StoredPull]:
        query = parse_qs(urlsplit(target).query)
        ours = [pull for pull in self.pulls if pull.repository == REPOSITORY]
        with_state = [pull for pull in ours if pull.is_open or query.get("state") != ["open"]]
        return [pull for pull in with_state if query.get("head") in (None, [pull.branch])]

    def _list(self, there: list[dict[str, Any]], target: str) -> Answer:
        query = {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}
        size, page = int(query.get("per_page", "30")), int(query.get("page", "1"))
        following = urlencode(query | {"page": str(page + 1)})
        url = f"{self.api_url}{urlsplit(target).path}?{following}"
        links = {"Link": f'<{url}>; rel="next"'} if page * size < len(there) else {}
        return Answer(200, there[(page - 1) * size : page * size], links)

    def _create(self, issue: int, body: Any) -> Answer:
        return self._refuse_length(body) or Answer(201, self._show(self._store(issue, self._author, body["body"])))

    def _serve_comment(self, method: str, comment_id: int, body: Any) -> Answer:
        comment = next((it for it in self.comments if it.id == comment_id), None)
        if comment is None:
            return NOT_FOUND
        if method == "DELETE":
            self.comments.remove(comment)
            return Answer(204)
        if method == "PATCH":
            if refused := self._refuse_length(body):
                return refused
            comment.body = body["body"]
        return Answer(200, self._show(comment))

    @property
    def _author(self) -> tuple[str, str]:
        return ("github-actions[bot]", "Bot") if self.login is None else (self.login, "User")

    def _store(self, issue: int, author: tuple[str, str], body: str) -> StoredComment:
        comment_id = max((it.id for it in self.comments), default=1000) + 1
        comment = StoredComment(id=comment_id, issue=issue, author=author, body=body)
        self.comments.append(comment)
        return comment

    def _refuse_length(self, body: Any) -> Answer | None:
        if len(body["body"]) <= LONGEST_BODY:
            return None
        detail = {
            "resource": "IssueComment",
            "code": "unprocessable",
            "field": "data",
            "message": f"Body is too long (maximum is {LONGEST_BODY} characters)",
        }
        return Answer(422, {"message": "Validation Failed", "errors": [detail]})

    def _show(self, comment: StoredComment) -> dict[str, Any]:
        return {
            "id": comment.id,
            "url": f"{self.api_url}/repos/{REPOSITORY}/issues/comments/{comment.id}",
            "html_url": f"https://github.test/{REPOSITORY}/pull/{comment.issue}#issuecomment-{comment.id}",
            "user": self._show_user(comment.author),
            "body": comment.body,
        }

    def _show_user(self, author: tuple[str, str] | None) -> dict[str, Any] | None:
        if author is None:
            return None
        login, kind = author
        return {"login": login, "id": 1, "type": kind, "url": f"{self.api_url}/users/{login}"}

    def _show_pull(self, pull: StoredPull) -> dict[str, Any]:
        def show_side(sha: str) -> dict[str, Any]:
            return {"sha": sha, "repo": {"full_name": pull.repository, "url": f"{self.api_url}/repos/x"}}

        head = show_side(pull.head_sha) | ({"repo": None} if pull.fork_is_gone else {})

        return {
            "number": pull.number,
            "url": f"{self.api_url}/repos/{REPOSITORY}/pulls/{pull.number}",
            "state": "open" if pull.is_open else "closed",
            "head": head,
            "base": show_side(pull.base_sha),
            "merge_commit_sha": pull.merge_sha,
        }


@contextlib.contextmanager
def fake_github(*, prefix: str = "") -> Iterator[FakeGitHub]:
    """Serve until the block ends; GitHub Enterprise Server has the prefix `/api/v3`."""
    github = FakeGitHub(prefix=prefix)

    class Handler(_Handler):
        state = github

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        github.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield github
        finally:
            github.stopped.set()
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Translates between HTTP and the state."""

    state: FakeGitHub
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        """Stay silent."""

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        self.state.tokens.add(self.headers.get("Authorization", ""))
        answer = self.state.handle(self.command, self.path, body)
        if answer.holds:
            self.state.stopped.wait()
        if answer.status is None:
            self.close_connection = True
            return
        content = answer.data if isinstance(answer.data, bytes) else json.dumps(answer.data).encode()
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if answer.status != 204:
            self.wfile.write(content)

    do_GET = do_POST = do_PATCH = do_DELETE = _answer  # noqa: N815 - the base class calls them so
