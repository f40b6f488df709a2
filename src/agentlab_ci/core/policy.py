"""Who says how often a scenario is sampled and against which bar, and the config's policy on it."""

from agentlab_ci.core.config import SamplingConfig
from agentlab_ci.core.sampling import PassRate, Sampling
from agentlab_ci.core.scenario import SamplingChoice


def choose_sampling(
    own: SamplingChoice, shared: SamplingConfig, *, samples: int | None = None, pass_rate: PassRate | None = None
) -> Sampling:
    """Take samples and rate as the flags say, else the scenario's `own`, else the config's, else the defaults."""
    default = Sampling()
    return Sampling(
        samples=samples or own.samples or shared.samples or default.samples,
        pass_rate=pass_rate or own.pass_rate or shared.pass_rate or default.pass_rate,
    )


def why_against_policy(samples: int, policy: SamplingConfig) -> str | None:
    """Say what the policy has against so many samples, and how to change it; None when nothing."""
    if policy.max_samples is not None and samples > policy.max_samples:
        return (
            f"{samples} samples are more than the {policy.max_samples} that `sampling.max_samples` of the config "
            "allows: lower them, or raise it there"
        )
    if policy.require_odd and samples % 2 == 0:
        return (
            f"{samples} samples are an even number, which `sampling.require_odd` of the config forbids: "
            f"take {samples + 1 if policy.max_samples is None or samples < policy.max_samples else samples - 1}, "
            "or turn it off there"
        )
    return None
