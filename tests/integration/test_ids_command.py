"""`agentlab ids`: files are written in place, whole or not at all, and only inside the project."""

import os
from pathlib import Path

import pytest

from command import agentlab
from yaml_projects import CONFIG, CONVERSATION, ROWS, SIMULATION, load, write_files

NAMED = ROWS.replace("  - label: ", "  - id: shop.late-order-angry\n    label: ")


def test_ids_are_written_and_nothing_changes_for_the_history(tmp_path: Path) -> None:
    folder = write_files(tmp_path, {"agentlab.config.yaml": CONFIG, "scenarios/shop.yaml": ROWS})
    before = [scenario.id for scenario in load(folder).scenarios]
    ended = agentlab(folder, "ids", "scenarios/shop.yaml")
    assert (ended.code, ended.out, ended.err) == (
        0,
        "scenarios/shop.yaml: wrote 1 id\n  shop.late-order-angry\n",
        "",
    )
    assert (folder / "scenarios/shop.yaml").read_text() == NAMED
    assert [scenario.id for scenario in load(folder).scenarios] == before
    assert not any("agentlab ids" in note for note in load(folder).notes)
    again = agentlab(folder, "ids", "scenarios/*.yaml")
    assert (again.code, again.out) == (0, "scenarios/shop.yaml: every row has an id\n")


def test_files_of_one_stem_share_no_id(tmp_path: Path) -> None:
    folder = write_files(tmp_path, {"a/shop.yaml": ROWS.replace("id: shop.refund, ", ""), "b/shop.yaml": ROWS})
    assert agentlab(folder, "ids", "a/shop.yaml").code == 0
    assert agentlab(folder, "ids", "a/shop.yaml", "b/shop.yaml").code == 0
    assert "id: shop.late-order-angry-2\n" in (folder / "b/shop.yaml").read_text()


OTHER = "shop.late-order-angry"


@pytest.mark.parametrize(
    ("files", "given", "written"),
    [
        (
            {"scenarios/other.yaml": SIMULATION.replace("support.moody", OTHER)},
            "scenarios/shop.yaml",
            f"{OTHER}-2",
        ),
        ({"scenarios/a/shop.yaml": ROWS}, "scenarios/shop.yaml", f"{OTHER}-2"),  # ids made of labels are ids too
        # What is not valid there counts as far as it can be read.
        ({"scenarios/o.yaml": f"id: {OTHER}\ntype: oops\n"}, "scenarios/shop.yaml", f"{OTHER}-2"),
        # A file that is no part of the project shares no ids with it.
        ({"scenarios/other.yaml": SIMULATION.replace("support.moody", OTHER)}, "shop.yaml", OTHER),
    ],
)
def test_an_id_of_another_file_of_the_project_is_taken(
    tmp_path: Path, files: dict[str, str], given: str, written: str
) -> None:
    folder = write_files(tmp_path, {"agentlab.config.yaml": CONFIG, given: ROWS, **files})
    ended = agentlab(folder, "ids", given)
    assert (ended.code, ended.out) == (0, f"{given}: wrote 1 id\n  {written}\n")
    assert f"  - id: {written}\n" in (folder / given).read_text()


def test_a_link_stays_a_link_and_a_mode_stays(tmp_path: Path) -> None:
    folder = write_files(tmp_path, {"lists/shop.yaml": ROWS})
    (folder / "lists/shop.yaml").chmod(0o640)
    (folder / "shop.yaml").symlink_to("lists/shop.yaml")
    assert agentlab(folder, "ids", "shop.yaml").code == 0
    assert (folder / "shop.yaml").is_symlink()
    assert (folder / "lists/shop.yaml").read_text() == NAMED
    assert (folder / "lists/shop.yaml").stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in (folder / "lists").iterdir()) == ["shop.yaml"]


def test_a_link_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    write_files(tmp_path, {"outside.yaml": ROWS, "project/ours.yaml": ROWS})
    (tmp_path / "project/theirs.yaml").symlink_to("../outside.yaml")
    ended = agentlab(tmp_path / "project", "ids", "ours.yaml", "theirs.yaml")
    assert ended.code == 2
    assert "theirs.yaml: is outside of the project" in ended.err
    assert (tmp_path / "outside.yaml").read_text() == ROWS
    assert (tmp_path / "project/ours.yaml").read_text() == ROWS  # nothing is written where there is a problem


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CONVERSATION, "x.yaml:1:1: has no list of simulations"),
        ("name: [", "x.yaml:2:1: not valid YAML"),
        (None, "x.yaml: there is no such file or folder"),
    ],
)
def test_what_is_no_list_file_is_refused(tmp_path: Path, content: str | None, said: str) -> None:
    folder = write_files(tmp_path, {} if content is None else {"x.yaml": content})
    ended = agentlab(folder, "ids", "x.yaml")
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_said(tmp_path: Path) -> None:
    folder = write_files(tmp_path, {"lists/x.yaml": ROWS})
    (folder / "lists").chmod(0o555)
    ended = agentlab(folder, "ids", "lists/x.yaml")
    assert ended.code == 2
    assert "cannot write lists/x.yaml: Permission denied" in ended.err
    assert (folder / "lists/x.yaml").read_text() == ROWS


def test_ids_that_stand_anywhere_in_the_files_are_taken(tmp_path: Path) -> None:
    """Also in the same file's other documents, and in files that come later."""
    other = SIMULATION.replace("support.moody", OTHER)
    later = ROWS.replace("  - label: ", f"  - id: {OTHER}-2\n    label: ")
    folder = write_files(tmp_path, {"a/shop.yaml": f"{ROWS}---\n{other}", "b/shop.yaml": later})
    ended = agentlab(folder, "ids", "a/shop.yaml", "b/shop.yaml")
    assert (ended.code, ended.out.splitlines()[:2]) == (0, ["a/shop.yaml: wrote 1 id", f"  {OTHER}-3"])


def test_a_read_only_file_stays_as_it_is(tmp_path: Path) -> None:
    folder = write_files(tmp_path, {"shop.yaml": ROWS})
    (folder / "shop.yaml").chmod(0o444)
    ended = agentlab(folder, "ids", "shop.yaml")
    assert (ended.code, ended.err) == (2, "agentlab: cannot write shop.yaml: it is read-only\n")
    assert (folder / "shop.yaml").read_text() == ROWS


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_keeps_its_owner(tmp_path: Path) -> None:
    folder = write_files(tmp_path, {"shop.yaml": ROWS})
    file = folder / "shop.yaml"
    file.chmod(0o640)
    os.chown(file, 1234, 2345)
    assert agentlab(folder, "ids", "shop.yaml").code == 0
    after = file.stat()
    assert (after.st_uid, after.st_gid, after.st_mode & 0o777) == (1234, 2345, 0o640)
