import pytest

from agentlab_ci.processes.environment import child_environment

ENVIRON = {"PATH": "/bin", "LANG": "C", "TOKEN": "t", "OTHER": "o", "EMPTY": ""}


@pytest.mark.parametrize(
    ("allow", "seen"),
    [
        ([], {"PATH": "/bin", "LANG": "C"}),  # HOME is not set, and is not made up
        (["TOKEN", "NOT_SET"], {"PATH": "/bin", "LANG": "C", "TOKEN": "t"}),
        (["EMPTY", "PATH"], {"PATH": "/bin", "LANG": "C", "EMPTY": ""}),
    ],
)
def test_a_child_sees_what_every_program_needs_and_what_is_allowed(allow: list[str], seen: dict[str, str]) -> None:
    assert child_environment(ENVIRON, allow) == seen
