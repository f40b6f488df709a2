"""What a command was asked to do, whichever edge it was asked at: the command line or the Action."""

from dataclasses import dataclass
from enum import StrEnum

from agentlab_ci.core.formats import DEFAULT_FORMATS, FileFormat, JUnitStyle
from agentlab_ci.core.gate import FailOn
from agentlab_ci.core.provider import Provider
from agentlab_ci.core.sampling import PassRate


class ResultsSource(StrEnum):
    """Whose results a file holds."""

    AGENTLAB = "agentlab"
    LIVEKIT = "livekit"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSettings:
    """What is written where, what the results are held against, and what sets the exit code.

    `baseline` is the path of a baseline file.
    """

    report_dir: str = "agentlab-report"
    formats: tuple[FileFormat, ...] = DEFAULT_FORMATS
    junit_style: JUnitStyle = JUnitStyle.SAMPLES
    require_finished: bool = False
    baseline: str | None = None
    fail_on: FailOn = FailOn.BELOW_BAR
    pass_rate: PassRate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentSettings:
    """One `agentlab comment`. None leaves the choice to the GitHub event, then to the results.

    `head_sha` is the commit that the results must be of, or that was not judged; `token_env` names the variable
    that holds the token. `working_directory` is where in the repository the run was, for links to its files.
    """

    pull_request: int | None = None
    key: str | None = None
    token_env: str = "GITHUB_TOKEN"  # noqa: S105 - the name of a variable
    repository: str | None = None
    head_sha: str | None = None
    working_directory: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """One `agentlab run`. None leaves the choice to the scenario, the config, or the default, in this order.

    `timeout` is the whole run's, in seconds. `annotate` is for GitHub. `loopback_host` takes the place of a
    loopback host in agents' URLs: inside a container, the machine around it.
    """

    ids: tuple[str, ...] = ()
    suite: str | None = None
    suite_def: str | None = None
    tags: tuple[str, ...] = ()
    scenario_paths: tuple[str, ...] = ()
    config_file: str | None = None
    agent: str | None = None
    provider: Provider | None = None
    variant_set: str | None = None
    samples: int | None = None
    stop_when_settled: bool | None = None
    concurrency: int | None = None
    timeout: float | None = None
    database: str | None = None
    dry_run: bool = False
    annotate: bool = True
    loopback_host: str | None = None
    report: ReportSettings = ReportSettings()
