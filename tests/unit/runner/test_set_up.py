"""Scripts that make things ready, run for real."""

import asyncio
from pathlib import Path

import pytest

from agentlab_ci.runner.set_up import SetUpFailedError, make_set_up
from scripted_agent import make_scenario

LONG = 60.0


def run(
    project: Path, script: str, text: str, *, seconds: float = LONG, environ: dict[str, str] | None = None
) -> dict[str, str]:
    """Write the script, run it for sample 2 of a.one, and return what the sample's fixtures hold, by name."""
    path = project / script
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    set_up = make_set_up(project=project, environ=environ or {}, seconds=seconds)

    async def look() -> dict[str, str]:
        async with set_up(make_scenario(setup_script=script), 2) as fixtures:
            assert fixtures is not None
            found = {
                str(path.relative_to(fixtures)): path.read_text(encoding="utf-8")
                for path in fixtures.rglob("*")
                if path.is_file()
            }
        assert not fixtures.parent.exists()
        return found

    return asyncio.run(look())


def test_a_scenario_without_a_script_needs_nothing(tmp_path: Path) -> None:
    async def look() -> Path | None:
        async with make_set_up(project=tmp_path, environ={})(make_scenario(), 1) as fixtures:
            return fixtures

    assert asyncio.run(look()) is None


def test_a_python_file_makes_the_samples_own_fixtures_ready(tmp_path: Path) -> None:
    (tmp_path / "fixtures" / "support").mkdir(parents=True)
    orders = tmp_path / "fixtures" / "support" / "orders.json"
    orders.write_text("[]", encoding="utf-8")
    script = """\
import os, sys
assert open("fixtures/support/orders.json").read() == "[]"
open("fixtures/support/orders.json", "w").write("[1]")
open("fixtures/ran", "w").write(" ".join(sys.argv[1:] + sorted(os.environ)))
"""
    found = run(tmp_path, "ready.py", script, environ={"HOME": "/", "API_TOKEN": "canary-in-the-environment"})
    assert found["support/orders.json"] == "[1]"
    assert found["ran"].startswith("a.one 2 ")
    assert "HOME" in found["ran"]
    assert "API_TOKEN" not in found["ran"]
    assert orders.read_text(encoding="utf-8") == "[]", "the project's own file is as it was"
    assert "support/customers.json" in found, "the shipped ones are there as well"


def test_any_program_can_do_it(tmp_path: Path) -> None:
    found = run(
        tmp_path, "ready.sh", '#!/bin/sh\necho "$1 $2" > fixtures/ran\n', environ={"PATH": "/usr/bin:/bin"}
    )
    assert found["ran"] == "a.one 2\n"


@pytest.mark.parametrize(
    ("script", "text", "why", "stderr"),
    [
        (
            "ready.py",
            "import sys; print('no fixtures', file=sys.stderr); sys.exit(3)",
            "ended with exit code 3",
            "no fix",
        ),
        ("ready.py", "raise SystemExit('no server')", "ended with exit code 1", "no server"),
        ("ready.py", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "was ended by signal 9", ""),
        ("ready.sh", "#!/no/such/program\n", "did not start: No such file or directory; is it executable", ""),
    ],
)
def test_a_script_that_fails_says_how(tmp_path: Path, script: str, text: str, why: str, stderr: str) -> None:
    with pytest.raises(SetUpFailedError) as failed:
        run(tmp_path, script, text)
    assert str(failed.value).startswith(f"the setup script {script} {why}")
    assert stderr in failed.value.stderr


def test_a_script_that_does_not_end_is_ended(tmp_path: Path) -> None:
    with pytest.raises(SetUpFailedError, match=r"did not end within 0\.2 s"):
        run(tmp_path, "ready.py", "import time; time.sleep(3600)", seconds=0.2)


def test_a_script_that_only_talks_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentlab_ci.runner.set_up.MOST_OUTPUT_BYTES", 1 << 20)
    with pytest.raises(SetUpFailedError, match="printed more than 1 MiB"):
        run(tmp_path, "ready.py", "while True: print('x' * 1000)")
