"""Scripts that make things ready, run for real."""

import asyncio
from pathlib import Path

import pytest

from agentlab_ci.runner.set_up import SetUpFailedError, make_set_up
from scripted_agent import make_scenario

LONG = 60.0


def run(
    folder: Path, script: str, text: str, *, seconds: float = LONG, environ: dict[str, str] | None = None
) -> None:
    """Write the script and run it for sample 2 of a.one."""
    path = folder / script
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    set_up = make_set_up(project=folder, environ=environ or {}, seconds=seconds)
    asyncio.run(set_up(make_scenario(setup_script=script), 2))


def test_a_scenario_without_a_script_needs_nothing(tmp_path: Path) -> None:
    asyncio.run(make_set_up(project=tmp_path, environ={}, seconds=LONG)(make_scenario(), 1))


def test_a_python_file_runs_in_the_project_with_what_it_is_for(tmp_path: Path) -> None:
    text = "import os, sys; open('ran', 'w').write(' '.join(sys.argv[1:]) + ' ' + ','.join(sorted(os.environ)))"
    run(tmp_path, "ready.py", text, environ={"HOME": "/", "API_TOKEN": "canary-in-the-environment"})
    said, _, seen = (tmp_path / "ran").read_text(encoding="utf-8").rpartition(" ")
    assert said == "a.one 2"
    assert "HOME" in seen.split(",")
    assert "API_TOKEN" not in seen


def test_any_program_can_do_it(tmp_path: Path) -> None:
    run(tmp_path, "ready.sh", '#!/bin/sh\necho "$1 $2" > ran\n', environ={"PATH": "/usr/bin:/bin"})
    assert (tmp_path / "ran").read_text(encoding="utf-8") == "a.one 2\n"


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
