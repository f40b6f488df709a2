"""The report folder."""

from pathlib import Path

import pytest

from agentlab_ci.errors import BadInputError
from agentlab_ci.publish.files import prepare_report_folder


def test_the_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    folder = prepare_report_folder(tmp_path, "a/b")
    assert (tmp_path / "a" / "b").is_dir()
    assert list(folder.path.iterdir()) == []


def test_a_folder_that_cannot_be_is_refused_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(BadInputError, match=r"cannot write reports to taken: .*; give another --report-dir"):
        prepare_report_folder(tmp_path, "taken")
