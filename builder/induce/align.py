"""Children of the same element on several pages, laid side by side. Pure."""

from collections import Counter
from collections.abc import Iterator, Sequence

from builder.induce.tree import Node

_MUST_REPEAT = 3
"""Equal neighbours of the same count everywhere are columns up to here, and a loop beyond."""
_CELLS = frozenset(("td", "th", "col"))

Run = tuple[Node, ...]


def looping(found: Sequence[tuple[Node, ...]]) -> frozenset[str]:
    """Labels of neighbours that repeat: as often as they like, or more often than columns do."""
    longest: dict[str, set[int]] = {}
    for children in found:
        runs: Counter[str] = Counter()
        for label, run in _runs(children):
            runs[label] = max(runs[label], len(run))
        for label, size in runs.items():
            longest.setdefault(label, set()).add(size)
    return frozenset(
        label
        for label, sizes in longest.items()
        if max(sizes) > 1
        and not label.startswith("#")
        and (len(sizes) > 1 or (label.partition(".")[0] not in _CELLS and max(sizes) > _MUST_REPEAT))
    )


def _runs(children: Sequence[Node]) -> Iterator[tuple[str, Run]]:
    at = 0
    while at < len(children):
        end = at + 1
        while end < len(children) and children[end].label == children[at].label:
            end += 1
        yield children[at].label, tuple(children[at:end])
        at = end


def collapsed(children: Sequence[Node], looping: frozenset[str]) -> list[Run]:
    found: list[Run] = []
    for label, run in _runs(children):
        if label in looping:
            found.append(run)
        else:
            found += [(node,) for node in run]
    return found


def aligned(sequences: Sequence[list[Run]]) -> list[list[Run | None]]:
    """Columns that hold each instance's runs, or None where it has none; the longest sequence is laid down first."""
    order = sorted(range(len(sequences)), key=lambda number: (-len(sequences[number]), number))
    columns: list[list[Run | None]] = []
    for number in order:
        columns = _laid(columns, sequences[number], number, len(sequences))
    return columns


def _laid(columns: list[list[Run | None]], sequence: list[Run], number: int, total: int) -> list[list[Run | None]]:
    """The columns with one more instance in them, placed by Needleman and Wunsch."""
    labels = [next(run for run in column if run is not None)[0].label for column in columns]
    digests = [{run[0].digest for run in column if run is not None} for column in columns]
    width, height = len(columns), len(sequence)
    best = [[0.0] * (height + 1) for _ in range(width + 1)]
    for c in range(width - 1, -1, -1):
        for s in range(height - 1, -1, -1):
            value = max(best[c + 1][s], best[c][s + 1])
            node = sequence[s][0]
            if labels[c] == node.label:
                value = max(value, best[c + 1][s + 1] + (3.0 if node.digest in digests[c] else 1.0))
            best[c][s] = value
    found: list[list[Run | None]] = []
    c = s = 0
    while c < width or s < height:
        if c < width and s < height and labels[c] == sequence[s][0].label:
            gain = 3.0 if sequence[s][0].digest in digests[c] else 1.0
            if best[c][s] == best[c + 1][s + 1] + gain:
                columns[c][number] = sequence[s]
                found.append(columns[c])
                c, s = c + 1, s + 1
                continue
        if c < width and (s == height or best[c][s] == best[c + 1][s]):
            found.append(columns[c])
            c += 1
        else:
            fresh: list[Run | None] = [None] * total
            fresh[number] = sequence[s]
            found.append(fresh)
            s += 1
    return found


def is_prose(columns: Sequence[Sequence[Run | None]], instances: int) -> bool:
    """Whether most of what stands there stands on one page only."""
    alone = sum(sum(run is not None for run in column) == 1 for column in columns)
    return instances > 2 and len(columns) > 4 and alone > len(columns) / 2
