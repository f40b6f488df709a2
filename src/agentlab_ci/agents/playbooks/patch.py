"""Patches of one file in a repository."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from agentlab_ci.agents.playbooks.play import Job, Play, StuckError, join_words, read_records, read_text

_SMALLEST = re.compile(r"\b(?:smallest|minimal|minimum)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _File:
    """The file to patch. `remark` says how it was found, if it was not where the task says."""

    path: str
    content: str = ""
    remark: str = ""


def fits(job: Job) -> bool:
    """Tell whether patching a file is allowed."""
    return job.allows("repo.apply_patch")


def play(job: Job) -> Play[str]:
    """Find the file, look at it, and patch it with the `replacement` that the task gives."""
    replacement = job.variable("replacement")
    if replacement is None:
        raise StuckError("I cannot patch anything: the task gives no `replacement`.")
    file = yield from _find_file(job)
    if replacement in file.content:
        return f"{file.path} already has what it should have, so I patched nothing.{file.remark}"
    value = {"path": file.path, "replacement": replacement}
    outcome = yield from job.call("repo.apply_patch", f"patch {file.path}", value)
    if outcome.error is not None:
        return f"I did not patch {file.path}: {outcome.error}{file.remark}"
    if not (isinstance(outcome.output, Mapping) and outcome.output.get("applied") is True):
        return f"I asked to patch {file.path}, but the answer does not say that it was done.{file.remark}"
    size = " That is the smallest change: one patch of one file." if job.mentions(_SMALLEST) else ""
    return f"Patched {file.path}: it now has `{' '.join(replacement.split())}`.{size}{file.remark}"


def _find_file(job: Job) -> Play[_File]:
    """Return the file that the task names, or else the only one in the repository that it can mean."""
    wanted = job.variable("target_path", "path")
    if wanted is None:
        found = yield from _search(job, "the task gives no `target_path`")
        return (yield from _read(job, _File(found)))
    if not job.allows("repo.read_file"):
        return _File(wanted)
    outcome = yield from job.call("repo.read_file", f"read {wanted}", {"path": wanted})
    if outcome.error is None:
        return _File(wanted, read_text(outcome.output, "content") or "")
    found = yield from _search(job, f"{wanted} is unavailable: {outcome.error}")
    return (yield from _read(job, _File(found, remark=f" The task names {wanted}: {outcome.error}")))


def _read(job: Job, file: _File) -> Play[_File]:
    if not job.allows("repo.read_file"):
        return file
    subject = f"I patched nothing. {file.path} is"
    output = yield from job.ask("repo.read_file", f"read {file.path}", {"path": file.path}, subject=subject)
    return _File(file.path, read_text(output, "content") or "", file.remark)


def _search(job: Job, why: str) -> Play[str]:
    """Return the one path with the wanted name, or else the one that the instructions name."""
    if not job.allows("repo.list_files"):
        raise StuckError(f"I do not know which file to patch: {why}, and repo.list_files is not allowed.")
    output = yield from job.ask(
        "repo.list_files", "look for the file", {}, subject=f"{why}, and the list of files is"
    )
    files = read_records(output, subject="The list of files")
    paths = [path for file in files if (path := read_text(file, "path")) is not None]
    wanted = job.variable("target_path", "path")
    words = {PurePosixPath(wanted).name} if wanted else {word.strip("`'\".,:;()") for word in job.text.split()}
    near = [path for path in paths if path in words or PurePosixPath(path).name in words]
    if len(near) != 1:
        found = f"it could be {join_words(near)}" if near else "none in the repository has that name"
        raise StuckError(f"I do not know which file to patch: {why}; {found}.")
    return near[0]
