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


class _Column:
    """What stands at one place of the instances laid down so far."""

    def __init__(self, label: str, total: int) -> None:
        self.label = label
        self.runs: list[Run | None] = [None] * total
        self._digests: set[str] = set()

    def put(self, number: int, run: Run) -> None:
        self.runs[number] = run
        self._digests.add(run[0].digest)

    def gain(self, node: Node) -> float:
        """What it is worth to put a node of this label here."""
        return 3.0 if node.digest in self._digests else 1.0


def aligned(sequences: Sequence[list[Run]]) -> list[list[Run | None]]:
    """Columns that hold each instance's runs, or None where it has none; the longest sequence is laid down first."""
    order = sorted(range(len(sequences)), key=lambda number: (-len(sequences[number]), number))
    columns: list[_Column] = []
    for number in order:
        sequence = sequences[number]
        if [column.label for column in columns] == [run[0].label for run in sequence]:
            for column, run in zip(columns, sequence, strict=True):
                column.put(number, run)
        else:
            columns = _laid(columns, sequence, number, len(sequences))
    return [column.runs for column in columns]


def _laid(columns: list[_Column], sequence: list[Run], number: int, total: int) -> list[_Column]:
    """The columns with one more instance in them, placed by Needleman and Wunsch."""
    width, height = len(columns), len(sequence)
    gains = [[column.gain(run[0]) if column.label == run[0].label else 0.0 for run in sequence] for column in columns]
    best = [[0.0] * (height + 1) for _ in range(width + 1)]
    for c in range(width - 1, -1, -1):
        row, below, gain = best[c], best[c + 1], gains[c]
        for s in range(height - 1, -1, -1):
            value = max(below[s], row[s + 1])
            row[s] = max(value, below[s + 1] + gain[s]) if gain[s] else value
    found: list[_Column] = []
    c = s = 0
    while c < width or s < height:
        if c < width and s < height and gains[c][s] and best[c][s] == best[c + 1][s + 1] + gains[c][s]:
            columns[c].put(number, sequence[s])
            found.append(columns[c])
            c, s = c + 1, s + 1
        elif c < width and (s == height or best[c][s] == best[c + 1][s]):
            found.append(columns[c])
            c += 1
        else:
            fresh = _Column(sequence[s][0].label, total)
            fresh.put(number, sequence[s])
            found.append(fresh)
            s += 1
    return found


def is_prose(columns: Sequence[Sequence[Run | None]], instances: int) -> bool:
    """Whether most of what stands there stands on one page only."""
    alone = sum(sum(run is not None for run in column) == 1 for column in columns)
    return instances > 2 and len(columns) > 4 and alone > len(columns) / 2
