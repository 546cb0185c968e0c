#!/usr/bin/env python3
"""The pictures of docs/papers.md: each value of a paper that is a number, and ours beside it.

    tests/paper_pictures.py            whether docs/papers-NAME.svg are those of docs/results; exit status 1 if one is stale or was changed by hand
    tests/paper_pictures.py --accept   draws those that are stale, with gnuplot

A picture has two hashes in its description: of what gnuplot was given, that is of the results and of how they are drawn, and of the rest of the picture.  So this check
needs no gnuplot, and another version of gnuplot is no change."""
import hashlib
import math
import os
import re
import subprocess
import sys
import xml.sax.saxutils

import results

WIDTH, ROW, ABOVE, BELOW, LABELS = 730, 15, 26, 36, 360     # pixels; of a row, around a panel, and for the names of rows
BENCHMARKS = {"P2-36": "instructions on failed attempts, HT", "P2-37": "memory operations on them, HT", "P2-38": "SIMD efficiency, many warps, HT", "P2-39": "SIMD efficiency, one warp, HT"}
BLOCKED = {"P5-07": "simple", "P5-08": "2-way light out-of-order", "P5-09": "2-way out-of-order", "P5-10": "4-way out-of-order"}
GRIDS = {"P3-10": "atomic locks", "P3-11": "data-parallel", "P3-12": "tiny locks"}
# For each experiment the panels: what the axis shows, whether it is logarithmic, and the claims with the names of their rows, behind which the part of the claim is shown.
PANELS = {
    "lock-instructions": [
        ("cycles with over cycles without", False, {"P1-13": "lock instructions over atomics", "P1-16": "queue over no queue, Apriori"}),
        ("queue storage, MB", True, {"P1-18": "BarnesHut, 50K bodies", "P1-19": "BarnesHut, 100K bodies", "P1-20": "Apriori"})],
    "bows": [
        ("times", True, {
            "P2-01": "speed over LRR", "P2-02": "speed over GTO", "P2-03": "speed over CAWA", "P2-04": "energy saving over LRR", "P2-05": "energy saving over GTO", "P2-06": "energy saving over CAWA",
            "P2-07": "speed over LRR, 1080 Ti", "P2-08": "speed over GTO, 1080 Ti", "P2-09": "speed over CAWA, 1080 Ti", "P2-10": "instructions, GTO over BOWS", "P2-12": "lock failures, HT, GTO over BOWS",
            "P2-13": "SIMD efficiency, HT", "P2-14": "SIMD efficiency, ATM", "P2-15": "speed, HT, most contention", "P2-16": "speed, HT, least contention", "P2-17": "instructions saved, HT, most contention",
            "P2-18": "instructions saved, HT, least contention", "P2-44": "slowdown by a barrier, HT, 1080 Ti"}),
        ("percent", False, {"P2-11": "L1D transactions saved", "P2-20": "saved on ST", "P2-33": "slowdown, MODULO, delay 5000", **BENCHMARKS}),
        ("detection, as a share", False, {
            "P2-25": "DPR, XOR, m=k=8", "P2-26": "FSDR, XOR, m=k=4", "P2-27": "FSDR, MODULO, m=k=8", "P2-28": "FSDR, MODULO, m=k=4", "P2-29": "TSDR, l=4", "P2-31": "TSDR, shared histories",
            "P2-32": "DPR, m=k=4"})],
    "lock-bits": [
        ("times as fast", False, {"P3-01": "tiny_lock over atom_lock", "P3-02": "warp_barr over atom_lock", "P3-03": "shrd_lock over atom_lock", "P3-04": "warp_vote over atom_lock",
            "P3-13": "NW: tiny over atomic locks", "P3-14": "NW: tiny locks over data-parallel", "P3-16": "tiny_lock over warp_barr"}),
        ("NW, microseconds", True, GRIDS)],
    "portable-barrier": [
        ("work-groups found with the spin lock", True, {"P4-14": ""}),
        ("work-groups found on a CPU of 4", False, {"P4-19": ""}),
        ("milliseconds of discovery", True, {"P4-15": ""}),
        ("portable form, slowdown", True, {"P4-18": "Lonestar, mean"}),
        ("one kernel, speed-up over many", False, {"P4-16": "", "P4-17": ""})],
    "channels": [
        ("speed-up from 1 to 8 units", False, {"P5-01": "Strassen", "P5-02": "Sort", "P5-03": ""}),
        ("speed over the usual form", False, {"P5-16": "Strassen", "P5-17": "Queens"}),
        ("time blocked on the aggregator, percent", False, BLOCKED),
        ("wavefronts, and cycles of one", True, {"P5-05": "wavefronts", "P5-06": "cycles"}),
        ("times fewer swaps, at most; stalls, percent, at most", True, {"P5-11": "swaps, efficient channel", "P5-14": "freeing elements"})],
}


def svg(name):
    return os.path.join(results.ROOT, f"docs/papers-{name}.svg")


def numbers(words):
    """The least and the greatest of the paper: "2.6 to 4.3" are two."""
    found = [float(word) for word in words.split(" to ")]
    return found[0], found[-1]


def rows(name, claims):
    """(label, paper's least and greatest, ours, its interval, whether fitted) of each part that was measured and is a number."""
    for identity, label in claims.items():
        for part in results.by_claim(name).get(identity, []):
            if part.kind not in results.NUMBERS or not part.ours:
                continue
            words = ", ".join(word for word in (label, part.key[1]) if word)
            yield (words, *numbers(part.plan[2]), float(part.ours), *(part.interval or (float(part.ours),) * 2), part.role == "fitted")


def not_drawn(name):
    """Claims with a number that no panel has: a picture leaves none out."""
    drawn = {identity for _, _, claims in PANELS[name] for identity in claims}
    return sorted({identity for identity, parts in results.by_claim(name).items() if any(part.kind in results.NUMBERS and part.ours for part in parts)} - drawn)


def panels(name):
    """Those that have rows."""
    all_of_them = [(title, logarithmic, list(rows(name, claims))) for title, logarithmic, claims in PANELS[name]]
    return [panel for panel in all_of_them if panel[2]]


def commands(name):
    """What gnuplot is given: the data, then a panel below the other."""
    shown = panels(name)
    height = 26 + sum(len(data) * ROW + ABOVE + BELOW for _, _, data in shown)
    lines = []
    for number, (_, _, data) in enumerate(shown):
        lines.append(f"$panel{number} << END")
        for row, (label, low, high, ours, least, most, fitted) in enumerate(data, 1):
            lines.append(f'{row} "{label}" {low:.6g} {high:.6g} {ours:.6g} {least:.6g} {most:.6g} {int(fitted)}')
        lines.append("END")
    lines += [f"set terminal svg size {WIDTH},{height} font 'sans-serif,11' noenhanced background '#ffffff'", "set multiplot", "set border 3 lc rgb '#555555'", "set tics nomirror",
              "set grid lc rgb '#d8d8d8' lt 1 lw 0.6", "unset mxtics", "set ytics scale 0", "set bars 0.5", f"set lmargin at screen {LABELS / WIDTH:.4f}", "set rmargin at screen 0.96"]
    top = height - 26
    for number, (title, logarithmic, data) in enumerate(shown):
        lower = top - ABOVE - len(data) * ROW
        lines += [f"set tmargin at screen {(top - ABOVE) / height:.4f}", f"set bmargin at screen {lower / height:.4f}", f"set title '{title}' offset 0,-0.5"]
        lines += logarithmic_axis(data) if logarithmic else ["unset logscale", "set xtics autofreq", "set xrange [0:*]"]
        lines += legend() if number == 0 else ["unset key"]
        lines += [f"set yrange [{len(data) + 0.5}:0.5]", draw(f"$panel{number}")]
        top = lower - BELOW
    return "\n".join(lines + ["unset multiplot", ""])


def logarithmic_axis(data):
    """With marks at 1, 2 and 5 of each decade, or where there are many decades at 1 alone."""
    values = [value for _, *numbers_of_row, _ in data for value in numbers_of_row]
    least, most = min(values) / 1.25, max(values) * 1.25
    decades = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    marks = [digit * 10.0 ** decade for decade in decades for digit in ((1, 2, 5) if most / least < 200 else (1,))]
    return ["set logscale x", f"set xrange [{least:.6g}:{most:.6g}]", "set xtics (" + ", ".join(f"{mark:.6g}" for mark in marks) + ")"]


def legend():
    return ["set key at screen 0.98,screen 1 top right horizontal maxrows 1 samplen 1 width -3"]


def draw(data):
    """A grey line from the paper's value to ours, the interval of ours, and both as marks."""
    ours = "lw 1.2 lc rgb '#0072b2'"
    return (f"plot {data} using (($3 + $4) / 2):1:($5 - ($3 + $4) / 2):(0):ytic(2) with vectors nohead lw 0.8 lc rgb '#999999' notitle, "
            f"{data} using 3:1:($4 - $3):(0) with vectors nohead lw 3 lc rgb '#000000' notitle, "
            f"{data} using 5:1:($6 > 0 ? $6 : $5):7 with xerrorbars ps 0 {ours} notitle, "
            f"{data} using ($8 > 0 ? NaN : $5):1 with points pt 7 ps 0.7 {ours} title 'ours', "
            f"{data} using ($8 > 0 ? $5 : NaN):1 with points pt 6 ps 0.7 {ours} title 'ours, fitted', "
            f"{data} using 3:1 with points pt 8 ps 0.9 lw 1.2 lc rgb '#000000' title 'paper', {data} using 4:1 with points pt 8 ps 0.9 lw 1.2 lc rgb '#000000' notitle")


# ---- The hashes ----

def digest(words):
    return hashlib.sha256(words.encode()).hexdigest()[:32]


def hashes(name, body):
    return f"results {digest(commands(name))}, picture {digest(body)}"


def is_current(name):
    try:
        with open(svg(name), encoding="utf-8") as file:
            picture = file.read()
    except FileNotFoundError:
        return False
    description = re.search(r"<desc>(.*?)</desc>", picture)
    return bool(description) and description[1].endswith(hashes(name, picture.replace(description[0], "<desc></desc>")))


def accept(name):
    made = subprocess.run(["gnuplot"], input=commands(name), capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    title = xml.sax.saxutils.escape(f"{name}: the paper's values and ours")
    body = re.sub(r"<desc>.*?</desc>", "<desc></desc>", made.stdout.replace("<title>Gnuplot</title>", f"<title>{title}</title>"))
    body = re.sub(r"<g [^>]*>\s*</g>\n|^\s+(?=<)|^\s*\n", "", body, flags=re.M)      # groups of nothing, which are most of gnuplot's
    if made.stderr or body.count("<desc></desc>") != 1:
        raise RuntimeError(f"gnuplot: {made.stderr or 'no description'}")
    with open(svg(name), "w", encoding="utf-8") as file:
        file.write(body.replace("<desc></desc>", f"<desc>by tests/paper_pictures.py; {hashes(name, body)}</desc>"))
    print(f"{os.path.relpath(svg(name), results.ROOT)} drawn")


def main():
    wrong = 0
    for name in results.PAPERS:
        for identity in not_drawn(name):
            wrong += 1
            print(f"{name}: {identity} is in no panel of tests/paper_pictures.py")
        if not is_current(name):
            if "--accept" in sys.argv:
                accept(name)
            else:
                wrong += 1
                print(f"docs/papers-{name}.svg is stale or was changed by hand: tests/paper_pictures.py --accept draws it anew")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
