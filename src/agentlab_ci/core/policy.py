"""The config's policy on samples: `max_samples` and `require_odd`."""

from agentlab_ci.core.config import SamplingConfig


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
