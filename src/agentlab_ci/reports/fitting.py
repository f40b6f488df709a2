"""Which pieces of a page are shown where there is not room for all."""

from collections.abc import Collection, Sequence


def choose(sizes: Sequence[int], room: int, *, first: Collection[int] = ()) -> tuple[int, ...]:
    """Return the indexes of the pieces that fit into `room`, in their own order.

    Pieces are taken one after the other, those in `first` before the others; one that is too big for what is left
    is passed over.
    """
    chosen = []
    for index in sorted(range(len(sizes)), key=lambda index: index not in first):
        if sizes[index] <= room:
            room -= sizes[index]
            chosen.append(index)
    return tuple(sorted(chosen))
