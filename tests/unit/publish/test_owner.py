"""What is created belongs to the workspace's owner, and no link leads out of it."""

import os
from pathlib import Path

import pytest

from agentlab_ci.publish.owner import hand_over, not_there_yet

OWNER = 54_321
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    path = tmp_path / "workspace"
    path.mkdir()
    if os.geteuid() == 0:
        os.chown(path, OWNER, OWNER)
    return path


def owner_of(path: Path) -> tuple[int, int]:
    info = path.lstat()
    return info.st_uid, info.st_gid


def test_what_making_a_path_creates(workspace: Path) -> None:
    (workspace / "apps").mkdir()
    assert not_there_yet(workspace / "apps/a/b", workspace=workspace) == (
        workspace / "apps/a/b",
        workspace / "apps/a",
    )
    assert not_there_yet(workspace / "apps/../new/", workspace=workspace) == (workspace / "new",)
    assert not_there_yet(workspace / "apps", workspace=workspace) == ()
    assert not_there_yet(workspace, workspace=workspace) == ()
    assert not_there_yet(workspace / "../outside/a", workspace=workspace) == ()
    (workspace / "dangling").symlink_to("nowhere")
    assert not_there_yet(workspace / "dangling", workspace=workspace) == ()


@needs_root
def test_files_and_folders_are_handed_over(workspace: Path) -> None:
    file = workspace / "out/deep/report.md"
    created = [file, *not_there_yet(file.parent, workspace=workspace)]
    file.parent.mkdir(parents=True)
    file.touch()
    untouched = workspace / "out/other"
    untouched.touch()
    assert hand_over(created, workspace=workspace) == ()
    assert {owner_of(path) for path in created} == {(OWNER, OWNER)}
    assert len(created) == 3
    assert owner_of(untouched) == (0, 0)


@needs_root
def test_no_link_is_followed(workspace: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "report.md").touch()
    (workspace / "folder").symlink_to(outside)
    (workspace / "file").symlink_to(outside / "report.md")
    warnings = hand_over(
        [
            workspace / "folder/report.md",
            workspace / "file",
            outside / "report.md",
            workspace / "../outside/report.md",
        ],
        workspace=workspace,
    )
    assert [warning.split(":")[0] for warning in warnings] == [
        f"{workspace}/folder/report.md could not be given to the workspace's owner"
    ]
    assert owner_of(workspace / "file") == (OWNER, OWNER)  # the link itself
    assert owner_of(outside / "report.md") == (0, 0)


@needs_root
def test_what_could_not_be_given_is_said(workspace: Path) -> None:
    there = workspace / "there"
    there.touch()
    assert hand_over([workspace / "gone", there], workspace=workspace) == (
        f"{workspace}/gone could not be given to the workspace's owner: No such file or directory",
    )
    assert owner_of(there) == (OWNER, OWNER)


@pytest.mark.skipif(os.geteuid() == 0, reason="root does try")
def test_others_than_root_own_what_they_create(workspace: Path) -> None:
    assert hand_over([workspace / "gone"], workspace=workspace) == ()
