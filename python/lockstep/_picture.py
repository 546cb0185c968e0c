"""Pictures of a launch as SVG without scripts or styles: GitHub shows them where a notebook has them as an image of their own."""
import html
import os

WIDTH, LEFT, BAR = 720, 170, 22
COLOURS = {"issued": "#2a9d5c", "unit": "#8d6e63", "wait": "#e9c46a", "no_inst": "#b0a8d8", "long_sb": "#d1495b", "membar": "#7b3f98", "barrier": "#2e6fba",
           "lock": "#f08a24", "sleeping": "#8fb8d8"}
MEANINGS = {"issued": "issue", "unit": "unit", "wait": "arithmetic", "no_inst": "instructions", "long_sb": "memory", "membar": "fence", "barrier": "barrier",
            "lock": "lock", "sleeping": "sleep, fixed cost"}


class Picture:
    """`svg`, its text; a notebook shows it."""

    def __init__(self, svg):
        self.svg = svg

    def __repr__(self):
        return f"<lockstep.Picture of {len(self.svg):,} letters of SVG>"

    def _repr_svg_(self):
        return self.svg


def _text(x, y, text, anchor="start", size=12):
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="#444">{html.escape(text)}</text>'


def _legend(reasons, y):
    parts, x = [], 8
    for reason in reasons:
        parts += [f'<rect x="{x:g}" y="{y - 10}" width="11" height="11" fill="{COLOURS[reason]}"/>', _text(x + 15, y, MEANINGS[reason])]
        x += 32 + 6.5 * len(MEANINGS[reason])
    return parts


def _svg(height, title, parts):
    return Picture(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" font-family="sans-serif">'
                   f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>{_text(8, 20, title, size=14)}{"".join(parts)}</svg>')


def _of_lines(lines):
    """A bar for each line, of what its cycles went into."""
    costs = [{"issued": line["issued"], **line["stalls"]} for line in lines]
    order = sorted(range(len(lines)), key=lambda k: -sum(costs[k].values()))[:10]
    most, parts = max(sum(costs[order[0]].values()), 1), []
    reasons = [reason for reason in COLOURS if any(costs[k].get(reason) for k in order)]
    for row, k in enumerate(order):
        x, y = LEFT, 34 + BAR * row
        parts.append(_text(LEFT - 6, y + 13, f"{os.path.basename(lines[k]['file'])}:{lines[k]['line']}", "end"))
        for reason in reasons:
            width = (WIDTH - LEFT - 80) * costs[k].get(reason, 0) / most
            if width:
                parts.append(f'<rect x="{x:.2f}" y="{y}" width="{width:.2f}" height="{BAR - 6}" fill="{COLOURS[reason]}"/>')
                x += width
        parts.append(_text(x + 5, y + 13, f"{sum(costs[k].values()):,}"))
    below = 34 + BAR * len(order) + 16
    return _svg(below + 12, "Scheduler cycles by line", parts + _legend(reasons, below))


def _of_samples(samples):
    """What schedulers that had a warp did, sample by sample, as shares of a stack."""
    names = {"issued": "smsp__issue_active.sum", **{reason: f"smsp__issue_stalled_{reason}.sum" for reason in COLOURS if reason != "issued"}}
    reasons = [reason for reason in COLOURS if names[reason] in samples["counters"]]
    whole, high, parts, begin = max(sum(samples["cycles"]), 1), 140, [], 0
    for k, cycles in enumerate(samples["cycles"]):
        values = [samples["counters"][names[reason]][k] for reason in reasons]
        x, y = LEFT + (WIDTH - LEFT - 20) * begin / whole, 34 + high
        for reason, value in zip(reasons, values):
            height = high * value / max(sum(values), 1)
            y -= height
            if height:
                parts.append(f'<rect x="{x:.2f}" y="{y:.2f}" width="{(WIDTH - LEFT - 20) * cycles / whole:.2f}" height="{height:.2f}" fill="{COLOURS[reason]}"/>')
        begin += cycles
    parts += [_text(LEFT - 6, 46, "100 %", "end"), _text(LEFT - 6, 34 + high, "0 %", "end"), _text(LEFT, 50 + high, "cycle 0"),
              _text(WIDTH - 20, 50 + high, f"{whole:,}", "end")]
    return _svg(high + 84, "What schedulers with a warp did", parts + _legend(reasons, high + 70))


def picture_of(launch):
    if launch.get("lines"):
        return _of_lines(launch["lines"])
    return _of_samples(launch["samples"]) if launch.get("samples", {}).get("cycles") else None
