import asyncio
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from agentlab_ci.tools.builtin.kind import FixtureKind
from agentlab_ci.tools.fixture_file import MAX_BYTES, FixtureError, read_records
from agentlab_ci.tools.fixture_folder import SHIPPED, FixtureFolder, SampleFixtures, copy_fixtures
from agentlab_ci.tools.interface import ToolBrokenError
from tool_samples import outcomes_of
from yaml_projects import write_files

KIND = FixtureKind(path="shop/things.json", fields={"id": str, "price": float, "sold": bool, "tags": list})
GOOD = '{"id": "a", "price": 1, "sold": true, "tags": [], "more": 1}'


@pytest.mark.parametrize(
    ("content", "problem", "line", "column"),
    [
        (f"[{GOOD},\n  {{]", "is not JSON: Expecting property name enclosed in double quotes", 2, 4),
        ("", "is not JSON: Expecting value", 1, 1),
        ('{"id": "a"}', "must be a JSON array of records, `[{…}, …]`", 1, None),
        (f"[\n{GOOD},\n\n  3]", "record 2 must be an object, `{…}`", 4, None),
        (f'[\n{GOOD},\n{{"id": "b"}}\n]', "record 2 lacks `price`", 3, None),
        (f"[{GOOD.replace('1,', 'true,')}]", "record 1 must have a number in `price`", 1, None),
        (f"[{GOOD.replace('true', '1')}]", "record 1 must have true or false in `sold`", 1, None),
        (f"[{GOOD.replace('[]', 'null')}]", "record 1 must have a list in `tags`", 1, None),
        ('[{"id": 7}]', "record 1 must have text in `id`", 1, None),
        (f"[{GOOD.replace('1,', 'NaN,')}]", "is not JSON: holds NaN, which JSON cannot", None, None),
        ("[" * 100_000, "is not JSON: is nested deeper than 64 levels", None, None),
        (b'[\n{"id": "\xff"}]', "is not UTF-8", 2, None),
        (b" " * (MAX_BYTES + 1), "is larger than 16 MB", None, None),
    ],
)
def test_a_faulty_file_is_named_with_its_place(
    tmp_path: Path, content: str | bytes, problem: str, line: int | None, column: int | None
) -> None:
    write_files(tmp_path, {"a.json": content})
    with pytest.raises(FixtureError) as raised:
        read_records(tmp_path / "a.json", KIND)
    assert (raised.value.message, raised.value.line, raised.value.column) == (problem, line, column)


def test_a_good_file_is_read_whatever_begins_it(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.json": f"\ufeff [{GOOD}]\n"})
    (record,) = read_records(tmp_path / "a.json", KIND)
    assert record["more"] == 1


def test_what_is_no_file_is_not_waited_on(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    for name in ("pipe.json", "folder.json", "none.json"):
        with pytest.raises(FixtureError, match="cannot be read: it is not a file"):
            read_records(tmp_path / name, KIND)


def test_a_file_of_the_project_replaces_the_shipped_one_and_no_other(tmp_path: Path) -> None:
    record = '{"service": "till", "status": "fine", "owner": "shop", "since": 1}'
    write_files(tmp_path, {"fixtures/ops/status.json": f"[{record}]"})
    own, gone, logs = outcomes_of(
        tmp_path,
        ("status.get_service", {"service": "till"}),
        ("status.get_service", {"service": "checkout-api"}),
        ("logs.query_service", {"service": "checkout-api"}),
    )
    assert own.output == {"service": "till", "status": "fine", "owner": "shop"}
    assert gone.error == "there is no service checkout-api"
    assert logs.error is None


def test_a_sample_s_own_folder_wins_over_the_project_s(tmp_path: Path) -> None:
    record = '[{"service": "till", "status": "%s", "owner": "shop"}]'
    write_files(
        tmp_path,
        {"fixtures/ops/status.json": record % "project", "made/ops/status.json": record % "script"},
    )
    (outcome,) = outcomes_of(tmp_path, ("status.get_service", {"service": "till"}), fixtures=tmp_path / "made")
    assert outcome.output["status"] == "script"


def test_a_fixture_that_went_bad_is_the_tool_s_and_not_the_agent_s_fault(tmp_path: Path) -> None:
    write_files(tmp_path, {"fixtures/ops/status.json": "[\n{}]"})
    with pytest.raises(
        ToolBrokenError, match=r"^tool `status.get_service`: fixtures/ops/status.json:2: record 1 lacks `service`$"
    ):
        outcomes_of(tmp_path, ("status.get_service", {"service": "x"}))


def test_a_file_that_cannot_be_read_is_not_taken_for_none(tmp_path: Path) -> None:
    (tmp_path / "fixtures/ops").mkdir(parents=True)
    (tmp_path / "fixtures/ops/status.json").symlink_to("gone.json")
    with pytest.raises(ToolBrokenError, match=r"fixtures/ops/status\.json: cannot be read: it is not a file"):
        outcomes_of(tmp_path, ("status.get_service", {"service": "checkout-api"}))


def make_pipe(folder: Path) -> None:
    os.mkfifo(folder / "ops/pipe")


def make_link_to_a_pipe(folder: Path) -> None:
    os.mkfifo(folder.parent / "pipe")
    (folder / "ops/pipe").symlink_to(folder.parent / "pipe")


def make_a_file_where_a_folder_ships(folder: Path) -> None:
    (folder / "support").write_text("[]", encoding="utf-8")


def make_a_folder_where_a_file_ships(folder: Path) -> None:
    (folder / "ops/status.json").mkdir()


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (make_pipe, "fixtures/ops/pipe: it is neither a file nor a folder"),
        (make_a_file_where_a_folder_ships, "fixtures/support: Is a directory"),
        (make_a_folder_where_a_file_ships, "fixtures/ops/status.json: File exists"),
    ],
)
def test_a_folder_that_cannot_be_copied_is_a_sentence(
    tmp_path: Path, make: Callable[[Path], None], problem: str
) -> None:
    (tmp_path / "fixtures/ops").mkdir(parents=True)
    make(tmp_path / "fixtures")
    with pytest.raises(ToolBrokenError) as raised:
        asyncio.run(folder_of(SampleFixtures(None, tmp_path)))
    assert str(raised.value) == f"the project's `fixtures` cannot be copied: {problem}"


def test_a_link_to_no_regular_file_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "fixtures/ops").mkdir(parents=True)
    make_link_to_a_pipe(tmp_path / "fixtures")
    copy_fixtures(tmp_path, tmp_path / "copy")
    assert not (tmp_path / "copy/ops/pipe").exists()


@pytest.mark.parametrize("elsewhere", ["outside", "project/.git/hooks"])
def test_a_folder_that_leads_out_of_the_project_is_not_copied(tmp_path: Path, elsewhere: str) -> None:
    write_files(tmp_path, {f"{elsewhere}/mine/a.json": "[1]", "project/mine.py": ""})
    (tmp_path / "project/fixtures").symlink_to(tmp_path / elsewhere)
    with pytest.raises(OSError, match=r"^it leads out of the project, or into its `\.git`$"):
        copy_fixtures(tmp_path / "project", tmp_path / "copy")
    assert not list((tmp_path / "copy").rglob("a.json"))


def test_a_folder_may_be_a_link_within_the_project(tmp_path: Path) -> None:
    write_files(tmp_path, {"data/mine/a.json": "[1]"})
    (tmp_path / "fixtures").symlink_to("data")
    copy_fixtures(tmp_path, tmp_path / "copy")
    assert (tmp_path / "copy/mine/a.json").is_file()


async def folder_of(fixtures: SampleFixtures) -> Path:
    try:
        return await fixtures.folder()
    finally:
        await fixtures.remove()


def test_a_large_folder_does_not_hold_the_run_and_its_copies_are_removed_whenever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    write_files(tmp_path, {f"fixtures/mine/{n}.json": "[1]" for n in range(1000)})

    async def copy_and_give_up(turns: int) -> int:
        fixtures = SampleFixtures(None, tmp_path)
        copying = asyncio.create_task(fixtures.folder())
        for turn in range(turns):
            await asyncio.sleep(0)
            if copying.done():
                return turn
        copying.cancel()
        await asyncio.gather(copying, return_exceptions=True)
        await fixtures.remove()
        return turns

    assert asyncio.run(copy_and_give_up(5)) == 5
    assert not list((tmp_path / "temporary").iterdir())


def test_a_fixture_is_read_once(tmp_path: Path) -> None:
    write_files(tmp_path, {"shop/things.json": f"[{GOOD}]"})
    folder = FixtureFolder(tmp_path)
    first = folder.records(KIND)
    (tmp_path / "shop/things.json").write_text("no JSON any more", encoding="utf-8")
    assert folder.records(KIND) is first


def test_copies_are_the_shipped_files_and_the_project_s_over_them(tmp_path: Path) -> None:
    project = write_files(
        tmp_path / "project",
        {"fixtures/ops/status.json": "[]", "fixtures/mine/a.json": "[1]", "data/b.json": "[2]"},
    )
    write_files(tmp_path, {"secret.json": "[3]"})
    write_files(project, {".git/config": "token"})
    links = {
        "inside": "../data/b.json",
        "git": "../.git/config",
        "outside": "../../secret.json",
        "nothing": "gone",
        "round": ".",
    }
    for name, target in links.items():
        (project / "fixtures" / name).symlink_to(target)
    copy_fixtures(project, tmp_path / "copy")
    copied = {
        str(path.relative_to(tmp_path / "copy")) for path in (tmp_path / "copy").rglob("*") if path.is_file()
    }
    shipped = {str(path.relative_to(SHIPPED)) for path in SHIPPED.rglob("*.json")}
    assert copied == shipped | {"mine/a.json", "inside"}
    assert (tmp_path / "copy/ops/status.json").read_text() == "[]"
    assert not (tmp_path / "copy/inside").is_symlink()


def test_a_sample_s_copies_are_made_once_and_removed(tmp_path: Path) -> None:
    async def use() -> Path:
        fixtures = SampleFixtures(None, tmp_path)
        folder, again = await asyncio.gather(fixtures.folder(), fixtures.folder())
        assert folder == again == await fixtures.folder()
        assert (folder / "support/orders.json").is_file()
        await fixtures.remove()
        return folder

    assert not asyncio.run(use()).parent.exists()


def test_a_folder_that_was_given_is_not_removed(tmp_path: Path) -> None:
    assert asyncio.run(folder_of(SampleFixtures(tmp_path, tmp_path))) == tmp_path
    assert tmp_path.exists()


@pytest.mark.parametrize("removed", ["ops/status.json", "ops", "."])
def test_a_file_that_a_setup_script_removed_is_not_replaced_by_the_shipped_one(
    tmp_path: Path, removed: str
) -> None:
    copy_fixtures(tmp_path, tmp_path / "made")
    gone = tmp_path / "made" / removed
    gone.unlink() if gone.is_file() else shutil.rmtree(gone)
    with pytest.raises(ToolBrokenError) as raised:
        outcomes_of(tmp_path, ("status.get_service", {"service": "checkout-api"}), fixtures=tmp_path / "made")
    assert str(raised.value) == (
        "tool `status.get_service`: fixtures/ops/status.json: it is gone since the setup script ran"
    )
