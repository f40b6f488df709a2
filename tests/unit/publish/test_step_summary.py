"""The step summary shares its file, and is left out rather than spoiled."""

from pathlib import Path

from agentlab_ci.publish.summary import FILE_LIMIT, OUR_LIMIT, append_summary


def test_an_empty_file_gets_the_summary_alone(tmp_path: Path) -> None:
    given: list[int] = []
    file = tmp_path / "summary"

    def render(room: int) -> str:
        given.append(room)
        return "# Ours\n"

    assert append_summary(file, render) is None
    assert file.read_text() == "# Ours\n"
    assert given == [OUR_LIMIT]


def test_what_others_wrote_stays_and_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "summary"
    file.write_text("x" * 900_000)  # without a line end
    assert append_summary(file, lambda room: "é" * (room // 2)) is None
    assert file.read_text().startswith("x" * 900_000 + "\n\né")
    assert file.stat().st_size == FILE_LIMIT


def test_what_does_not_fit_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "summary"
    for taken in (FILE_LIMIT - 8, FILE_LIMIT, FILE_LIMIT + 5):
        file.write_bytes(b"x" * taken)
        warning = append_summary(file, lambda _: "é" * 5)
        assert warning == f"no step summary was written: {taken} bytes of the file are taken already"
        assert file.stat().st_size == taken


def test_a_file_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    warning = append_summary(tmp_path / "missing" / "summary", lambda _: "x")
    assert warning == "no step summary was written: No such file or directory"
