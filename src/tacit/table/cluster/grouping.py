"""Persons of a table on a cluster: workers bring each person's rows together, in partitions by a public hash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np
from distributed import Client, Future
from numpy.typing import NDArray

from tacit.table.batches import Batch
from tacit.table.cluster.client import fetched, new_keys, sent
from tacit.table.cluster.shipping import Held, PackedCall, held, packed_argument, unpacked
from tacit.table.persons import Members, key_of

_PARTITION_ROWS = 2**20
"""Of a partition, on average: a worker holds one as a whole, and tasks grow with the square of their number."""

_MAX_PARTITIONS = 128

_NAMES_BYTES, _NUMBER_BYTES = 2**25, 64
"""What a dashboard is told of identifiers and of a count."""

Names = tuple[list[str], NDArray[np.int64]]
"""Identifiers, and the positions of their rows in the table."""

Own = tuple[NDArray[np.int64], Members]
"""Positions of rows in the table, and whose they are."""


def grouped(
    client: Client, read: Sequence[Future], n_rows: Sequence[int], most: int | None, size: int
) -> tuple[list[Future], int]:
    """Return the parts of a table with the members of their rows, and the number of persons.

    Parameters
    ----------
    read : sequence of Future
        Of pairs: a part's batch, and the identifier of each row.
    n_rows : sequence of int
        Of each part.
    most : int or None
        Rows of a person that are kept, the first by their public order.
    size : int
        What a dashboard is told that a part takes.

    Notes
    -----
    ``members`` are those of ``Members.of`` for all identifiers together, but for the numbers of persons, which ascend
    in the same order: the hash only decides where a person is looked for, and names that share one stay apart.
    """
    n_partitions = max(1, min(_MAX_PARTITIONS, -(-sum(n_rows) // _PARTITION_ROWS)))
    starts = [packed_argument((start, n_partitions)) for start in accumulate(n_rows[:-1], initial=0)]
    divided = _mapped(client, _divided, read, starts)
    of_parts = [_pieces(client, each, n_partitions) for each in divided]
    partitions = [_mapped(client, _together, *zip(of_partition))[0] for of_partition in zip(*of_parts, strict=True)]
    n_persons = sum(fetched(client, _mapped(client, _persons, partitions)))
    of_partitions = [_pieces(client, each, len(read)) for each in partitions]
    order, sizes = [packed_argument(most)] * len(read), [size] * len(read)
    return _mapped(client, _joined, read, order, sizes, *of_partitions), n_persons


def _mapped(client: Client, task: Callable[..., Held], *given: Sequence[Any]) -> list[Future]:
    keys = new_keys("persons", len(given[0]))
    futures: list[Future] = sent(client, lambda: client.map(task, *given, key=keys, pure=False))
    return futures


def _pieces(client: Client, whole: Future, n_pieces: int) -> list[Future]:
    """Return futures of a list's items: a worker is sent those that it needs, and not the list."""
    return _mapped(client, _piece, [whole] * n_pieces, range(n_pieces))


def _piece(whole: Held, at: int) -> Held:
    return held(lambda pieces: pieces[at], (whole,), _NAMES_BYTES)


def _divided(part: Held, order: PackedCall) -> Held:
    """Divide a part's identifiers by partition."""

    def divided(read: tuple[Batch, list[str]]) -> list[Names]:
        names, (start, n_partitions) = read[1], unpacked(order)
        numbers = {name: key_of(name) % n_partitions for name in set(names)}
        partition = np.asarray([numbers[name] for name in names], dtype=np.int64)
        each = (np.flatnonzero(partition == at) for at in range(n_partitions))
        return [([names[at] for at in rows], rows + start) for rows in each]

    return held(divided, (part,), _NAMES_BYTES)


def _together(*pieces: Held) -> Held:
    """Return whose the rows of a partition are, for each part of the table."""

    def together(*parts: Names) -> list[Own]:
        rows = np.concatenate([rows for _, rows in parts])
        own = Members.of(list(chain.from_iterable(names for names, _ in parts)))
        # A person's first row is its number: ascending as persons first appear, and no worker need know all persons.
        first = rows[np.unique(own.person, return_index=True)[1]]
        members = Members(first[own.person], own.rank, own.count, own.key)
        ends = list(accumulate((len(rows) for _, rows in parts), initial=0))
        places = [slice(start, stop) for start, stop in pairwise(ends)]
        return [(rows[place], members.take(place)) for place in places]

    return held(together, pieces, _NAMES_BYTES)


def _persons(partition: Held) -> Held:
    return held(lambda parts: sum(members.n_persons for _, members in parts), (partition,), _NUMBER_BYTES)


def _joined(part: Held, order: PackedCall, size: int, *own: Held) -> Held:
    """Return a part with the members of its rows."""

    def joined(read: tuple[Batch, list[str]], *given: Own) -> Batch:
        batch, most = read[0], unpacked(order)
        if len(batch) == 0:
            return batch
        members = Members.joined([members for _, members in given])
        assert members is not None
        rows = np.concatenate([rows for rows, _ in given])
        made = Batch(batch.rows, batch.labels, members.take(np.argsort(rows)))
        return made if most is None else made.first_of_each(most)

    return held(joined, (part, *own), size)
