"""The report folder."""

from pathlib import Path

import pytest

from agentlab_ci.errors import BadInputError
from agentlab_ci.publish.files import prepare_report_folder
from agentlab_ci.settings import ReportSettings
from factories import make_report, make_row


def test_the_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    folder = prepare_report_folder(tmp_path, ReportSettings(report_dir="a/b"))
    assert (tmp_path / "a" / "b").is_dir()
    assert list(folder.path.iterdir()) == []


def test_a_folder_that_cannot_be_is_refused_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(BadInputError, match=r"cannot write reports to taken: .*; give another --report-dir"):
        prepare_report_folder(tmp_path, ReportSettings(report_dir="taken"))


def test_a_folder_where_a_report_should_be_is_refused_too(tmp_path: Path) -> None:
    (tmp_path / "out" / "junit.xml").mkdir(parents=True)
    with pytest.raises(BadInputError, match=r"cannot write out/junit\.xml: there is a folder of that name"):
        prepare_report_folder(tmp_path, ReportSettings(report_dir="out"))


def test_the_other_reports_are_written_when_one_cannot_be(tmp_path: Path) -> None:
    folder = prepare_report_folder(tmp_path, ReportSettings(report_dir="out"))
    (tmp_path / "out" / "junit.xml").mkdir()
    written = folder.write(make_report(make_row("ppp")), ReportSettings(report_dir="out"))
    assert written.paths == {"md": "out/report.md", "json": "out/results.json"}
    assert written.problems == ("cannot write out/junit.xml: Is a directory",)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["junit.xml", "report.md", "results.json"]


def test_a_folder_that_was_cleaned_up_during_the_run_is_made_again(tmp_path: Path) -> None:
    folder = prepare_report_folder(tmp_path, ReportSettings())
    folder.path.rmdir()
    written = folder.write(make_report(make_row("p")), ReportSettings())
    assert written.problems == ()
    assert len(list(folder.path.iterdir())) == len(written.paths)
