"""Charts that can be read on white and on near-black, and come out the same each time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK: Final = "#7d848d"
COLOURS: Final = ("#2f9bd0", "#d1762e", "#8b7bd0", "#4fa88f", "#d19a2e", "#c2607a", "#8d8d94")
_STYLE: Final[dict[str, Any]] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "svg.hashsalt": "graphmem",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}


@contextmanager
def chart(
    path: str,
    rows: int,
    columns: int,
    size: tuple[float, float],
    *,
    sharey: bool = False,
    style: Mapping[str, Any] | None = None,
) -> Iterator[list[Axes]]:
    """Axes in `rows` of `columns`, left to right; what is drawn on them goes to `path`, as SVG or
    what its ending says. `size`: width and height in inches. `style`: settings of matplotlib that
    differ."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    with mpl.rc_context({**_STYLE, **(style or {})}):
        layout = ConstrainedLayoutEngine(h_pad=0.12, w_pad=0.12)
        figure, axes = pyplot.subplots(
            rows, columns, figsize=size, layout=layout, squeeze=False, sharey=sharey
        )
        yield list(axes.flat)
        figure.savefig(path, metadata={"Date": None} if path.endswith(".svg") else None)
        pyplot.close(figure)
