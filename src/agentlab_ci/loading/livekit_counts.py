"""Whether LiveKit's run is whole: the counts that it gives of itself, held against the jobs that are there."""

from collections.abc import Iterator, Sequence

from agentlab_ci.core.livekit_run import COMPLETED, FAILED, Job, LivekitExport
from agentlab_ci.core.text import plural
from agentlab_ci.core.verdict import Verdict


def find_doubt(export: LivekitExport, *, kept: Sequence[Job], verdicts: Sequence[Verdict]) -> str | None:
    """Say how the counts differ from the jobs, both figures named; None where they do not.

    `kept` are the jobs that count, `verdicts` those of the scenarios by the run's own pass rate. Of a sample's two
    jobs LiveKit may count both or one; and what has passed or failed may be jobs or, with several samples,
    scenarios. A count of 0 is one that is not known.
    """
    return "; ".join(dict.fromkeys(_differences(export, kept, verdicts))) or None


def _differences(export: LivekitExport, kept: Sequence[Job], verdicts: Sequence[Verdict]) -> Iterator[str]:
    run, summary = export.run, export.summary
    if run.job_count and not len(kept) <= run.job_count <= len(run.jobs):
        yield f"it counts {plural(run.job_count, 'job')}, and the export holds {len(run.jobs)}"
    told = (
        (run.passed_count, "passed", COMPLETED, Verdict.PASSED),
        (run.failed_count, "failed", FAILED, Verdict.FAILED),
        (summary.passed, "passed", COMPLETED, Verdict.PASSED),
        (summary.failed, "failed", FAILED, Verdict.FAILED),
    )
    for count, word, status, verdict in told:
        least, most = (sum(job.status == status for job in jobs) for jobs in (kept, run.jobs))
        if count and not least <= count <= most and count != verdicts.count(verdict):
            yield f"it counts {plural(count, f'{word} job')}, and the export holds {most}"
