"""How far a judge agrees with what it said before."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejudged:
    """A sample whose transcript was judged again.

    `stored` is whether the expectations were met by the stored judgement. `met` and `not_met` count the new ones;
    `unusable` the replies that were no judgement, and `unanswered` the requests that failed.
    """

    title: str
    sample: int
    of: int
    run_id: str | None
    stored: bool
    met: int = 0
    not_met: int = 0
    unusable: int = 0
    unanswered: int = 0
    dissent: str | None = None
    """The reason of the first judgement that was not as the stored one; untrusted."""

    @property
    def judged(self) -> int:
        """How many new judgements there are."""
        return self.met + self.not_met

    @property
    def agreed(self) -> int:
        """How many of them are as the stored one."""
        return self.met if self.stored else self.not_met

    @property
    def overturned(self) -> bool:
        """Whether most of the new judgements are not as the stored one."""
        return 2 * self.agreed < self.judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """`part` of `whole`; nothing is known where `whole` is 0."""

    part: int
    whole: int


def agreement(samples: Iterable[Rejudged], *, stored: bool | None = None) -> Share:
    """Return how many of the new judgements are as the stored ones, of those that were `stored` so, or of all."""
    counted = [sample for sample in samples if stored is None or sample.stored is stored]
    return Share(part=sum(it.agreed for it in counted), whole=sum(it.judged for it in counted))
