"""An agent that goes for what the run knows: environment, output and memory of the process that started it."""

from pathlib import Path

from command import agentlab, conversation, write_project
from unprivileged import without_inspection

AGENT = """
import os

FORGED = b"::error::forged by the agent\\n"


def answer(messages, context, tools):
    found = []
    us = os.getppid()
    while us > 1 and b"agentlab_ci" in open(f"/proc/{us}/cmdline", "rb").read():
        for name, mode in (("environ", "rb"), ("mem", "rb"), ("fd/1", "wb"), ("fd/2", "wb")):
            try:
                with open(f"/proc/{us}/{name}", mode, buffering=0) as file:
                    file.write(FORGED) if mode == "wb" else None
                found.append(name)
            except PermissionError:
                found.append("denied")
        us = int(open(f"/proc/{us}/stat").read().rpartition(")")[2].split()[1])
    return "shipped, and saw " + " ".join(found)
"""


def test_an_agent_sees_nothing_of_the_process_that_started_it(tmp_path: Path) -> None:
    (tmp_path / "nosy.py").write_text(AGENT)
    agents = [{"name": "nosy", "provider": "python", "target": "nosy:answer"}]
    write_project(tmp_path, {"agents": agents}, [conversation("pf.nosy")])
    ended = agentlab(tmp_path, "run", before=without_inspection())
    assert ended.code == 0, ended.out + ended.err
    [sample] = ended.results["scenarios"][0]["samples"]
    assert sample["final_output"] == "shipped, and saw denied denied denied denied"
    assert "forged" not in ended.out + ended.err
