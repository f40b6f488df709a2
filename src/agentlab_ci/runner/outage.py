"""When a model of simulations is not asked any more: it has answered nobody in this run. Pure."""

from collections import Counter

MIN_PROBES = 3


class Outages:
    """What the samples of a run have found of its models, which it calls by name; `slots` run at once.

    One answer is enough to show that a model is there. While there is none, as many samples as run at once, and
    three at least, may wait for it in vain: each more would take as long, and a whole conversation before it.
    """

    def __init__(self, *, slots: int = 1) -> None:
        self._probes = max(MIN_PROBES, slots)
        self._answered: set[str] = set()
        self._failed = Counter[str]()
        self._why: dict[str, str] = {}

    def note_answer(self, name: str) -> None:
        """Note that the model has answered, however usefully."""
        self._answered.add(name)

    def note_failure(self, name: str, why: str) -> None:
        """Note that a sample ended because the model gave no answer."""
        self._failed[name] += 1
        self._why[name] = why

    def why_down(self, name: str) -> str | None:
        """Say why the model is not to be asked; None when it is."""
        if name in self._answered or self._failed[name] < self._probes:
            return None
        return f"the {name} has answered no sample of this run, so it is not asked any more: {self._why[name]}"
