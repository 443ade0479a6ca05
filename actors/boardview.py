"""How is a board shown? As a table, as Markdown, as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from .board import Board, BoardError, Difference, Interval, Standing

PICTURES = (".png", ".svg", ".pdf")
_HEAD = (
    "planner",
    "weeks",
    "mean reward",
    "95% interval",
    "feasible",
    "at anchor",
    "regret",
    "excused",
    "failed",
)


def _interval(interval: Interval) -> tuple[str, str]:
    return f"{interval.mean:.4f}", f"{interval.low:.3f} to {interval.high:.3f}"


def _row(standing: Standing) -> tuple[str, ...]:
    regret = "-" if standing.regret is None else f"{standing.regret:.1f}"
    return (
        standing.planner,
        str(standing.weeks),
        *_interval(standing.reward),
        f"{standing.feasible} of {standing.episodes}",
        str(standing.at_anchor),
        regret,
        f"{standing.excused_cost:.1f}",
        str(standing.failed),
    )


def _difference_row(difference: Difference) -> tuple[str, ...]:
    pair = f"{difference.planner} - {difference.other}"
    return (pair, str(difference.weeks), *_interval(difference.reward))


def _tables(board: Board) -> Iterator[tuple[str, Sequence[str], list[Sequence[str]]]]:
    planners = [standing.planner for standing in board.standings]
    yield f"The {board.port} port", _HEAD, [_row(standing) for standing in board.standings]
    if board.differences:
        head = ("paired difference", "weeks", "mean", "95% interval")
        yield "Differences on the same weeks", head, [_difference_row(d) for d in board.differences]
    tiers = sorted({tier for standing in board.standings for tier in standing.tiers})
    tier_rows = [
        [s.planner, *(f"{s.tiers[t]:.4f}" if t in s.tiers else "-" for t in tiers)]
        for s in board.standings
    ]
    yield "By tier", ("planner", *tiers), list(tier_rows)
    week_rows = [
        [week, *(f"{rewards[p]:.4f}" if p in rewards else "-" for p in planners)]
        for week, rewards in board.by_week.items()
    ]
    yield "By week", ("week", *planners), list(week_rows)


def text(board: Board) -> str:
    """The board for a terminal."""
    parts = []
    for title, head, rows in _tables(board):
        widths = [max(len(cell) for cell in column) for column in zip(head, *rows, strict=True)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (head, *rows)
        ]
        parts.append("\n".join([title, *lines]))
    return "\n\n".join(parts) + "\n"


def markdown(board: Board) -> str:
    """The board as Markdown tables."""
    parts = []
    for title, head, rows in _tables(board):
        lines = [f"## {title}", "", _cells(head), _cells(["---"] * len(head)), *map(_cells, rows)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _cells(row: Sequence[str]) -> str:
    return "| " + " | ".join(row) + " |"


def picture(board: Board, path: Path) -> None:
    """Each planner's mean reward with its interval, best on top, as PNG, SVG or PDF by the name.

    Raises BoardError for another name.
    """
    if path.suffix not in PICTURES:
        raise BoardError(f"{path}: a picture is named {', '.join(PICTURES[:-1])} or {PICTURES[-1]}")
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    standings = list(reversed(board.standings))
    figure, axes = pyplot.subplots(figsize=(8, 1 + 0.5 * len(standings)), layout="constrained")
    for place, standing in enumerate(standings):
        reward = standing.reward
        axes.plot([reward.low, reward.high], [place, place], color="tab:blue", linewidth=3)
        axes.plot([reward.mean], [place], "o", color="tab:blue", markersize=8)
        axes.annotate(
            f"{reward.mean:.3f}", (reward.mean, place), (0, 8), textcoords="offset points"
        )
    axes.set_yticks(range(len(standings)), [standing.planner for standing in standings])
    axes.set_xlim(-0.02, 1.05)
    axes.set_ylim(-0.6, len(standings) - 0.2)
    axes.set_xlabel("mean reward over weeks, 95% bootstrap interval")
    axes.set_title(f"The {board.port} port, {len(board.by_week)} weeks")
    axes.grid(axis="x", alpha=0.3)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
