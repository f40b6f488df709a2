import os
from pathlib import Path

import pytest

from agentlab_ci.errors import BadInputError
from agentlab_ci.publish.artifact import MAX_RESULTS_BYTES, read_artifact


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(b"{}")
    assert read_artifact(path, shown="results.json") == b"{}"


def test_a_file_of_the_greatest_size_is_read(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.touch()
    os.truncate(path, MAX_RESULTS_BYTES)
    assert len(read_artifact(path, shown="results.json")) == MAX_RESULTS_BYTES


class TestHostileFiles:
    """What an archive may hold in place of a file."""

    def test_a_huge_file(self, tmp_path: Path) -> None:
        path = tmp_path / "results.json"
        path.touch()
        os.truncate(path, MAX_RESULTS_BYTES + 1)
        self.refuses(path, "longer than 32 MiB")

    def test_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "secret").write_text("token", encoding="utf-8")
        (tmp_path / "results.json").symlink_to("secret")
        self.refuses(tmp_path / "results.json", "Too many levels of symbolic links")

    def test_a_pipe_that_nobody_writes_to(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "results.json")
        self.refuses(tmp_path / "results.json", "not a file")

    def test_a_folder(self, tmp_path: Path) -> None:
        self.refuses(tmp_path, "Is a directory|not a file")

    def test_nothing(self, tmp_path: Path) -> None:
        self.refuses(tmp_path / "results.json", "No such file")

    def refuses(self, path: Path, reason: str) -> None:
        with pytest.raises(BadInputError, match=f"cannot read results.json: .*({reason})"):
            read_artifact(path, shown="results.json")
