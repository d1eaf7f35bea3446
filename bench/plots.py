"""Two pictures, drawn as SVG: bars of throughput, and lines of time against length on logarithmic axes.

They bring their own ground, light or dark as the reader's system is, so they can be read on any page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from .table import geomean, speed

# Okabe and Ito's colours, which colour-blind readers can tell apart; ours is always the first.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
STYLE = """<style>
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 15px } .small { font-size: 11px; fill: #59636e }
  .ground { fill: #fff; stroke: #d1d9e0 } .grid { stroke: #d1d9e0; fill: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9198a1 } .ground { fill: #151b23; stroke: #3d444d } .grid { stroke: #3d444d }
  }
</style>"""
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
Row = Mapping[str, Any]


def svg(width: float, height: float, title: str, body: Iterable[str]) -> str:
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    ground = f'<rect class="ground" x=".5" y=".5" width="{width - 1:g}" height="{height - 1:g}" rx="8"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", STYLE, ground, *body, "</svg>\n"])


def label(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    attribute = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{attribute}>{escape(text)}</text>'


def bars(title: str, groups: Sequence[tuple[str, Sequence[tuple[str, float, str]]]]) -> str:
    """Horizontal bars in groups; each bar has a name, a value in MB/s, and a colour."""
    left, width, bar = 235, 760, 20
    longest = max((value for _, group in groups for _, value, _ in group), default=1)
    y, body = 30.0, [label(20, 30, title, kind="title")]
    for heading, group in groups:
        y += 34
        body.append(label(20, y, heading, kind="title"))
        for name, value, colour in group:
            y += bar + 4
            size = value / longest * (width - left - 80)
            body.append(label(left - 10, y, name, "end"))
            body.append(
                f'<rect x="{left}" y="{y - 14:.1f}" width="{size:.1f}" height="{bar - 3}" rx="2" fill="{colour}"/>'
            )
            body.append(label(left + size + 6, y, speed(value), kind="small"))
    return svg(width, y + 24, title, body)


def lines(title: str, panels: Sequence[tuple[str, Sequence[tuple[str, Sequence[int], Sequence[float]]]]]) -> str:
    """Small panels with common axes: characters across, seconds up, both logarithmic."""
    names = list(dict.fromkeys(name for _, series in panels for name, _, _ in series))
    colours = dict(zip(sorted(names, key=lambda name: name != "bpeek"), COLOURS, strict=False))
    xs = [math.log10(x) for _, series in panels for _, sizes, _ in series for x in sizes] or [4, 6]
    ys = [math.log10(y) for _, series in panels for _, _, seconds in series for y in seconds] or [-3, 0]
    x_range, y_range = (math.floor(min(xs)), math.ceil(max(xs))), (math.floor(min(ys)), math.ceil(max(ys)))
    columns, panel_width, panel_height = min(4, len(panels)), 220.0, 190.0
    body = [label(20, 30, title, kind="title"), *_legend(colours)]
    for index, (heading, series) in enumerate(panels):
        x = 65 + index % columns * (panel_width + 20)
        y = 85 + index // columns * (panel_height + 60)
        body += _panel((x, y, panel_width - 30, panel_height), heading, series, colours, x_range, y_range)
    rows = math.ceil(len(panels) / columns)
    return svg(60 + columns * (panel_width + 20), 90 + rows * (panel_height + 60), title, body)


def _legend(colours: Mapping[str, str]) -> list[str]:
    body, x = [], 20.0
    for name, colour in colours.items():
        body.append(f'<rect x="{x:.0f}" y="45" width="14" height="14" rx="2" fill="{colour}"/>')
        body.append(label(x + 20, 57, name))
        x += 40 + 8 * len(name)
    return body


def _panel(
    box: tuple[float, float, float, float],
    heading: str,
    series: Sequence[tuple[str, Sequence[int], Sequence[float]]],
    colours: Mapping[str, str],
    x_range: tuple[float, float],
    y_range: tuple[float, float],
) -> list[str]:
    left, top, width, height = box

    def place(size: float, seconds: float) -> tuple[float, float]:
        across = (math.log10(size) - x_range[0]) / (x_range[1] - x_range[0] or 1)
        up = (math.log10(seconds) - y_range[0]) / (y_range[1] - y_range[0] or 1)
        return left + across * width, top + (1 - up) * height

    body = [label(left, top - 8, heading)]
    for power in range(int(y_range[0]), int(y_range[1]) + 1):
        _, y = place(10 ** x_range[0], 10.0**power)
        body.append(f'<path class="grid" d="M{left:.1f} {y:.1f}h{width:.1f}"/>')
        body.append(label(left - 5, y + 4, f"{10.0**power:g} s", "end", "small"))
    for power in range(int(x_range[0]), int(x_range[1]) + 1):
        x, y = place(10.0**power, 10.0 ** y_range[0])
        body.append(f'<path class="grid" d="M{x:.1f} {y:.1f}v{-height:.1f}"/>')
        body.append(label(x, top + height + 15, f"10{str(power).translate(RAISED)}", "middle", "small"))
    for name, sizes, seconds in series:
        points = [place(size, time) for size, time in zip(sizes, seconds, strict=True)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colours[name]}" stroke-width="2"/>')
        body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="{colours[name]}"/>' for x, y in points]
    return body


def _throughput(place: str, answer: Row) -> str | None:
    """Geometric mean over all texts, for each vocabulary and engine that was right on all of them."""
    speeds: dict[str, dict[str, list[float]]] = {}
    wrong = {(row["vocabulary"], row["engine"]) for row in answer["rows"] if row["error"]}
    for row in answer["rows"]:
        if (row["vocabulary"], row["engine"]) not in wrong:
            of = speeds.setdefault(row["vocabulary"], {}).setdefault(row["engine"], [])
            of.append(row["bytes"] / min(row["seconds"]["unseen"]) / 1e6)
    groups = [
        (vocabulary, [(name, geomean(values), _colour(name)) for name, values in engines.items()])
        for vocabulary, engines in speeds.items()
    ]
    return bars(f"{place}: MB/s on text not seen before, geometric mean of all texts", groups) if groups else None


def _colour(name: str) -> str:
    if not name.startswith("bpeek"):
        return COLOURS[6]
    return COLOURS[5] if "offsets" in name else COLOURS[4] if "without" in name else COLOURS[0]


def _scaling(answer: Row) -> str | None:
    vocabulary = answer["rows"][0]["vocabulary"]
    panels: dict[str, list[tuple[str, Sequence[int], Sequence[float]]]] = {}
    for row in answer["rows"]:
        if row["vocabulary"] == vocabulary and row["sizes"]:
            panels.setdefault(row["kind"], []).append((row["engine"], row["sizes"], row["seconds"]))
    return lines(f"{vocabulary}: time against length in characters", list(panels.items())) if panels else None


def pictures(answers: Mapping[str, Row]) -> dict[str, str]:
    """Every picture that these results are enough for, by name."""
    places = {"native": "CPython", "node": "Node", "browser": "Chromium"}
    drawn = {
        part: _throughput(place, answers[part]) for part, place in places.items() if answers.get(part, {}).get("rows")
    }
    if answers.get("scaling", {}).get("rows"):
        drawn["scaling"] = _scaling(answers["scaling"])
    return {name: picture for name, picture in drawn.items() if picture}
