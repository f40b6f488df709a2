from pathlib import Path

import pytest

from agentlab_ci.publish.git_head import read_head

SHA, OTHER = "a" * 40, "b" * 40


def write(root: Path, **files: str) -> Path:
    """Write files below `.git`; `__` in a name stands for a slash."""
    for name, content in files.items():
        path = root / ".git" / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return root


def test_a_detached_head(tmp_path: Path) -> None:
    assert read_head(write(tmp_path, HEAD=f"{SHA}\n")) == SHA


def test_a_head_of_sha_256(tmp_path: Path) -> None:
    assert read_head(write(tmp_path, HEAD=f"{'c' * 64}\n")) == "c" * 64


def test_a_branch(tmp_path: Path) -> None:
    assert read_head(write(tmp_path, HEAD="ref: refs/heads/main\n", refs__heads__main=f"{SHA}\n")) == SHA


def test_a_packed_branch(tmp_path: Path) -> None:
    packed = f"# pack-refs with: peeled\n{OTHER} refs/heads/main2\n^{OTHER}\n{SHA} refs/heads/main\n"
    assert read_head(write(tmp_path, HEAD="ref: refs/heads/main\n", **{"packed-refs": packed})) == SHA


def test_a_loose_branch_is_newer_than_a_packed_one(tmp_path: Path) -> None:
    packed = {"packed-refs": f"{OTHER} refs/heads/main\n"}
    assert read_head(write(tmp_path, HEAD="ref: refs/heads/main", refs__heads__main=SHA, **packed)) == SHA


def test_the_nearest_repository_counts(tmp_path: Path) -> None:
    write(tmp_path, HEAD=OTHER)
    inner = write(tmp_path / "vendor", HEAD=SHA) / "scenarios" / "deep"
    inner.mkdir(parents=True)
    assert read_head(inner) == SHA
    assert read_head(tmp_path) == OTHER


@pytest.mark.parametrize("absolute", [True, False])
def test_a_worktree(tmp_path: Path, absolute: bool) -> None:
    main = write(tmp_path / "main", HEAD=OTHER, refs__heads__topic=SHA)
    admin = main / ".git" / "worktrees" / "topic"
    admin.mkdir(parents=True)
    (admin / "HEAD").write_text("ref: refs/heads/topic\n", encoding="utf-8")
    (admin / "commondir").write_text("../..\n", encoding="utf-8")
    worktree = tmp_path / "topic"
    worktree.mkdir()
    target = admin if absolute else Path("../main/.git/worktrees/topic")
    (worktree / ".git").write_text(f"gitdir: {target}\n", encoding="utf-8")
    assert read_head(worktree) == SHA


@pytest.mark.parametrize(
    "files",
    [
        {"config": ""},
        {"HEAD": ""},
        {"HEAD": "main"},
        {"HEAD": SHA[:39]},
        {"HEAD": f"{SHA} and more"},
        {"HEAD": "ref: refs/heads/gone"},
        {"HEAD": "ref: refs/heads/gone", "packed-refs": f"{SHA} refs/heads/main\n"},
        {"HEAD": "ref: refs/../../secret"},
        {"HEAD": "ref: /etc/hostname"},
        {"HEAD": "ref: refs/heads/a", "refs__heads__a": "ref: refs/heads/a"},
        # The reftable format keeps its branches elsewhere.
        {"HEAD": "ref: refs/heads/.invalid"},
    ],
)
def test_what_cannot_be_told(tmp_path: Path, files: dict[str, str]) -> None:
    (tmp_path / "secret").write_text(SHA, encoding="utf-8")
    (tmp_path / ".git" / "refs").mkdir(parents=True)
    assert read_head(write(tmp_path, **files)) is None


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(b"\xff\xfe")
    assert read_head(tmp_path) is None


def test_no_repository(tmp_path: Path) -> None:
    assert read_head(tmp_path) is None
