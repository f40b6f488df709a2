from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentlab_ci.core.github import GitHubEvent, Links

ROOT = f"https://github.test/o/r/blob/{'a' * 40}/"


@pytest.mark.parametrize(
    ("file", "line", "path"),
    [
        ("a.yaml", 3, "desk/a.yaml#L3"),
        ("a b#?%.yaml", None, "desk/a%20b%23%3F%25.yaml"),
        ("x/../a.yaml", 1, "desk/a.yaml#L1"),
        ("../a.yaml", 1, "a.yaml#L1"),
        ("../../a.yaml", 1, ""),
        ("../../../../attacker/repo/malware.exe", 1, ""),
        ("/etc/passwd", 1, ""),
        ("//evil.test/x", 1, ""),
        ("..", None, ""),
    ],
)
def test_where_a_link_leads(file: str, line: int | None, path: str) -> None:
    assert Links(base=ROOT, prefix="desk/").to_line(file, line) == ROOT + path


@given(st.lists(st.sampled_from(["..", ".", "", "a", "%2e%2e", "..\\..", "?#"]), max_size=8).map("/".join))
@settings(derandomize=True, deadline=None)
def test_no_link_leaves_the_commit(file: str) -> None:
    url = urlsplit(Links(base=ROOT, prefix="desk/").to_line(file, 1))
    assert url.geturl().startswith(ROOT)
    assert not {"..", "."} & set(url.path.split("/"))


@pytest.mark.parametrize(
    ("sha", "repository", "there"),
    [
        ("a" * 40, "o/r", True),
        (None, "o/r", False),
        ("main/../..", "o/r", False),
        ("a" * 40, "o/r/../..", False),
        ("a" * 40, "o", False),
    ],
)
def test_there_are_links_only_where_they_can_lead_somewhere(sha: str | None, repository: str, there: bool) -> None:
    event = GitHubEvent(name="push", repository=repository, sha=sha, run_id=1)
    assert (event.links is not None) == there
