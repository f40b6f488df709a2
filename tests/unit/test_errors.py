"""Exit codes, and how problems are told."""

import pytest

from agentlab_ci.errors import EXIT_CODES, AgentlabError, BadInputError, ExitCode, InvalidFilesError, Problem


def test_every_exit_code_is_unique_and_explained() -> None:
    values = [member.value for member in ExitCode.__members__.values()]
    assert len(set(values)) == len(ExitCode.__members__)
    assert set(EXIT_CODES) == set(ExitCode)
    assert len(set(EXIT_CODES.values())) == len(EXIT_CODES)


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (
            Problem(path="a.yaml", line=3, column=5, where="steps[0]", message="no such key"),
            "a.yaml:3:5: steps[0]: no such key",
        ),
        (Problem(path="a.yaml", line=3, message="duplicate"), "a.yaml:3: duplicate"),
        (Problem(path="a.yaml", message="cannot be read"), "a.yaml: cannot be read"),
    ],
)
def test_a_problem_names_its_place(problem: Problem, text: str) -> None:
    assert str(problem) == text


def test_problems_are_told_all_at_once_by_place() -> None:
    late, early, whole_file = (
        Problem(path="b.yaml", line=10, column=1, message="late"),
        Problem(path="b.yaml", line=9, column=2, message="early"),
        Problem(path="a.yaml", message="unreadable"),
    )
    error = InvalidFilesError([late, early, whole_file])
    assert error.problems == (whole_file, early, late)
    assert str(error) == "a.yaml: unreadable\nb.yaml:9:2: early\nb.yaml:10:1: late"


@pytest.mark.parametrize("kind", [AgentlabError, BadInputError, InvalidFilesError])
def test_errors_of_the_user_exit_2(kind: type[AgentlabError]) -> None:
    assert kind.exit_code is ExitCode.BAD_INPUT
