"""Our requests to GitHub are held against GitHub's own description of them."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cut_openapi import CUT, cut, read_description
from github_description import GitHubDescription

COMMENTS = "/repos/o/r/issues/7/comments"
COMMENT = "/repos/o/r/issues/comments/5"


@pytest.mark.parametrize(
    ("method", "target", "body"),
    [
        ("GET", "/user", None),
        ("GET", f"{COMMENTS}?per_page=100&page=2", None),
        ("POST", COMMENTS, {"body": "text"}),
        ("PATCH", COMMENT, {"body": "text"}),
        ("DELETE", COMMENT, None),
        ("GET", "/repos/o/r/commits/abc/pulls?per_page=100", None),
        ("GET", "/repos/o/r/pulls?state=open&head=owner%3Abranch&per_page=100", None),
    ],
)
def test_a_request_that_github_describes(method: str, target: str, body: Any) -> None:
    assert GitHubDescription().find_problems(method, target, body) == []


@pytest.mark.parametrize(
    ("method", "target", "body", "problem"),
    [
        ("PUT", COMMENTS, None, "no such request"),
        ("GET", "/repos/o/r/comments", None, "no such request"),
        ("GET", f"{COMMENTS}?perpage=100", None, "unknown: query parameter perpage"),
        ("GET", f"{COMMENTS}?per_page=many", None, "per_page: 'many' is not of type 'integer'"),
        ("GET", "/repos/o/r/issues/seven/comments", None, "issue_number: 'seven' is not"),
        ("GET", "/user", {"body": "text"}, "a body where none is described"),
        ("POST", COMMENTS, None, "body: None is not"),
        ("POST", COMMENTS, {}, "body: 'body' is a required property"),
        ("POST", COMMENTS, {"body": 3}, "body: 3 is not of type 'string'"),
        ("POST", COMMENTS, {"body": "text", "draft": True}, "unknown: draft in the body"),
    ],
)
def test_a_request_that_github_would_refuse(method: str, target: str, body: Any, problem: str) -> None:
    [found] = GitHubDescription().find_problems(method, target, body)
    assert found.startswith(problem)


@pytest.mark.network
def test_the_cut_is_current() -> None:
    folder = os.environ.get("AGENTLAB_OPENAPI_DIR")
    if not folder:
        pytest.skip("AGENTLAB_OPENAPI_DIR is not set: `npm install --prefix DIR @octokit/openapi`, set it to DIR")
    committed = json.loads(CUT.read_text(encoding="utf-8"))
    assert committed == cut(read_description(Path(folder))), "run `python tests/cut_openapi.py DIR`"
