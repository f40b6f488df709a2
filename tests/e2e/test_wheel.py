"""What is built works where the checkout is not: sdist, wheel from it, fresh environment, demo."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentlab_ci.core.domain import Domain
from agentlab_ci.core.provider import Provider
from browser import find_browser, visit
from demo import ENDS, ROOT, clean_environ, copy_demo, read_ends
from scaffolds import ready_to_run

pytestmark = pytest.mark.network


def _run(*command: str | Path, cwd: Path, code: int = 0, environ: Mapping[str, str] | None = None) -> str:
    """Run a command that is to end with `code`, and return its output."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=clean_environ() | dict(environ or {}),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=600,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=True)
    _run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", wheel, cwd=folder)
    return folder / "bin" / "agentlab"


def test_the_wheel_holds_what_is_needed_at_run_time(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    templates = {
        f"agentlab_ci/{path.relative_to(ROOT)}" for path in (ROOT / "templates").rglob("*") if path.is_file()
    }
    assert templates
    assert templates <= names
    assert "agentlab_ci/py.typed" in names
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/", "docs/"))]


def test_the_demo_runs_from_the_wheel(command: Path, tmp_path: Path) -> None:
    folder = copy_demo(tmp_path)
    _run(command, "run", cwd=folder, code=1)
    reports = folder / "agentlab-report"
    assert read_ends(json.loads((reports / "results.json").read_text(encoding="utf-8"))) == ENDS
    assert "billing.double-charge" in (reports / "report.md").read_text(encoding="utf-8")
    assert "billing.double-charge" in (reports / "junit.xml").read_text(encoding="utf-8")


def test_the_html_report_of_the_wheel_opens(command: Path, tmp_path: Path) -> None:
    packages = os.environ.get("AGENTLAB_PLAYWRIGHT_DIR")
    if not packages or find_browser() is None:
        pytest.skip("AGENTLAB_PLAYWRIGHT_DIR is not set, or there is no Chromium: .ci/run installs both")
    folder = copy_demo(tmp_path)
    _run(command, "run", "--format", "html", cwd=folder, code=1)
    page = (folder / "agentlab-report/report.html").as_uri()
    steps = [("click", ".cell.failed"), ("look", 'document.querySelector(".panel h4").textContent'), ("axe",)]
    seen = visit(Path(packages), page, *steps)
    assert (seen.seen, seen.trouble) == (["✗ sample 1 of 3, failed", []], [])
    assert set(seen.requests) - {"data:,"} == {page}


def test_the_pages_of_the_wheel_open(wheel: Path, command: Path, tmp_path: Path) -> None:
    packages = os.environ.get("AGENTLAB_PLAYWRIGHT_DIR")
    if not packages or find_browser() is None:
        pytest.skip("AGENTLAB_PLAYWRIGHT_DIR is not set, or there is no Chromium: .ci/run installs both")
    _run(command.with_name("python"), "-m", "pip", "install", "--quiet", f"{wheel}[ui]", cwd=tmp_path)
    folder = copy_demo(tmp_path)
    _run(command, "run", cwd=folder, code=1)
    with subprocess.Popen(
        [command, "ui", "--port", "0"], cwd=folder, env=clean_environ(), stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            address = [server.stdout.readline() for _ in range(2)][1].strip()
            steps = [("click", ".list th a"), ("arrive", "/batch?id="), ("click", ".cell.failed")]
            steps += [("click", ".panel a[href^='/run?']"), ("arrive", "/run?id=")]
            look = ("look", 'document.querySelector("h1").innerText')
            seen = visit(Path(packages), address, *steps, ("axe",), look)
        finally:
            server.kill()
    assert (seen.seen, seen.trouble) == ([[], "✗\nSample 1 of 3, failed"], [])
    assert {url.split("/")[2] for url in seen.requests if url != "data:,"} == {address.split("/")[2]}


def test_stored_results_are_judged_again_from_the_wheel(command: Path, tmp_path: Path) -> None:
    folder = copy_demo(tmp_path)
    _run(command, "run", "support.*", cwd=folder)
    _run(command, "report", "agentlab-report/results.json", "--pass-rate", "1", cwd=folder, code=1)


def test_the_story_is_told_from_the_wheel(command: Path, tmp_path: Path) -> None:
    said = _run(command, "run", "--demo", cwd=tmp_path)
    assert "1 regressed, 1 unchanged_pass" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("domain", Domain)
@pytest.mark.parametrize("provider", Provider)
def test_a_new_project_runs_green_from_the_wheel(
    command: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: Provider, domain: Domain
) -> None:
    _run(command, "init", "shop", "--provider", provider, "--domain", domain, cwd=tmp_path)
    folder = tmp_path / "shop"
    with ready_to_run(folder, provider, domain, monkeypatch) as environ:
        _run(command, "validate", cwd=folder, environ=environ)
        said = _run(command, "run", cwd=folder, environ=environ)
    assert said.splitlines()[-1].startswith("✓ ")
    results = json.loads((folder / "agentlab-report/results.json").read_text(encoding="utf-8"))
    assert {sample["status"] for row in results["scenarios"] for sample in row["samples"]} == {"passed"}
    assert {row["samples_wanted"] for row in results["scenarios"]} == {3}
