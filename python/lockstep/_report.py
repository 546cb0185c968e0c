"""Reports: dicts as JSON has them, that also show themselves in notebooks and give their parts as tables."""
import html
import os

from ._declared import of_cpp
from ._picture import Picture, picture_of

STALLS = {"unit": "a unit", "wait": "an arithmetic result", "no_inst": "instructions", "long_sb": "memory", "membar": "a fence", "barrier": "a barrier",
          "lock": "a lock instruction", "sleeping": "a sleep, or a fixed cost"}
BESIDE = ("counters", "lines", "locks", "barriers", "fences", "samples", "tables", "findings")  # tables of their own
NAMES = ("launches", "counters", "findings", "lines", "locks", "barriers", "fences", "samples")
SHOWN = 10  # lines of a profile


class Table(list):
    """Records, dicts of numbers and texts: what pandas.DataFrame takes.  A notebook shows them as a table."""

    def __add__(self, other):
        return Table([*self, *other])

    def columns(self):
        """The names that some record has, in their order."""
        return list(dict.fromkeys(name for record in self for name in record))

    def select(self, *names):
        """The table with these columns only."""
        unknown = [name for name in names if self and name not in self.columns()]
        if unknown:
            raise KeyError(f"no column '{unknown[0]}', expected some of: {', '.join(self.columns())}")
        return Table({name: record.get(name) for name in names} for record in self)

    def _repr_html_(self):
        return _table(self.columns(), [[record.get(name) for name in self.columns()] for record in self])


# ---- Records ----

def name_of(launch):
    """The kernel's, as C++ has it without parameters."""
    return of_cpp(launch["demangled"])[0] if "demangled" in launch else launch["kernel"]


def _flat(record, prefix="", skip=()):
    """Members of members with dots, lists as texts; lists of records are left out."""
    flat = {}
    for name, value in record.items():
        if name in skip:
            continue
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{name}."))
        elif not isinstance(value, list):
            flat[prefix + name] = value
        elif not any(isinstance(element, (dict, list)) for element in value):
            flat[prefix + name] = ",".join(map(str, value))
    return flat


def _samples(samples):
    begin = 0
    for k, cycles in enumerate(samples["cycles"]):
        yield {"cycle": begin, "cycles": cycles, **{name: values[k] for name, values in samples["counters"].items()}}
        begin += cycles


def _rows_of(launch, name):
    """Records of one table, without what they have in common."""
    if name == "launches":
        return [{name: value for name, value in _flat(launch, skip=BESIDE).items() if name not in ("kernel", "demangled")}]
    if name == "counters":
        return [{"counter": counter, "value": value} for counter, value in launch.get("counters", {}).items()]
    if name == "samples":
        return list(_samples(launch["samples"])) if "samples" in launch else []
    if name in NAMES:
        return [_flat(record) for record in launch.get(name, ())]
    return [_flat(row) for table in launch.get("tables", ()) if table["name"] == name for row in table["rows"]]


def _finding_record(finding):
    line = (finding.get("lines") or [{}])[0]
    parts = {name: finding.get("verdict", {}).get(name) for name in ("what", "who", "checked", "fix")}
    return {"kind": finding["kind"], "cause": finding.get("cause"), "certainty": finding["certainty"], "confirmed": finding["confirmed"], "count": finding["count"],
            "file": line.get("file"), "line": line.get("line"), "message": finding["message"], **parts}


def _table_of(launches, findings, gpu, name):
    """`launches` with their indices; findings have the index of theirs."""
    observed = [table["name"] for _, launch in launches for table in launch.get("tables", ())]
    if name not in NAMES and name not in observed:
        raise KeyError(f"no table '{name}', expected one of: {', '.join(dict.fromkeys([*NAMES, *observed]))}")
    names = {k: name_of(launch) for k, launch in launches}
    if name == "findings":
        return Table({"launch": k, "gpu": gpu, "kernel": names.get(k), **_finding_record(finding)} for k, finding in findings)
    return Table({"launch": k, "gpu": gpu, "kernel": names[k], **row} for k, launch in launches for row in _rows_of(launch, name))


class _Tables(dict):
    """What a launch and a report have in common."""

    def table(self, name):
        """The records of a table: of NAMES, or of one that was observed."""
        launches, findings, gpu = self._parts()
        return _table_of(launches, findings, gpu, name)

    def picture(self):
        """The profile's lines, or else the counters over time, as an SVG that a notebook shows; None: there is neither."""
        return next((picture for _, launch in self._parts()[0] for picture in [picture_of(launch)] if picture), None)


for _name in NAMES:
    setattr(_Tables, _name, property(lambda self, name=_name: self.table(name), doc=f"table('{_name}')"))


# ---- What is shown ----

def _cell(value):
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else f"{value:,.4g}" if isinstance(value, float) else "" if value is None else str(value)


def _table(names, rows, escape=True):
    """Of elements and the attribute `align` alone: GitHub's viewer of notebooks drops styles, scripts and drawings within HTML."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f'<td align="{"right" if isinstance(value, (int, float)) else "left"}">'
                                    f"{html.escape(_cell(value)) if escape else _cell(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _bar(share):
    """In eighths of a letter, ten letters long."""
    eighths = round(80 * share)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def cycles_of(line):
    return line["issued"] + sum(line["stalls"].values())


def _finding_html(finding, sources):
    title = ", ".join(filter(None, [finding.get("cause"), finding["certainty"], finding["confirmed"] and "confirmed"]))
    parts = [(name.capitalize(), text) for name, text in finding.get("verdict", {}).items()] or [("What", finding["message"])]
    rows = [[f"<b>{name}</b>", html.escape(text)] for name, text in parts]
    for line in finding.get("lines", ()):
        role, text = line.get("role"), sources.get((line["file"], line["line"]), "")
        rows.append(["<b>At</b>", html.escape(f"{os.path.basename(line['file'])}:{line['line']}" + (f": {role}" if role else "")) +
                     (f"<br><code>{html.escape(text.strip())}</code>" if text else "")])
    return f"<p><b>{html.escape(finding['kind'].upper())}</b> ({html.escape(title)})</p>" + _table(["", ""], rows, escape=False)


def _profile_html(launch, sources):
    lines = launch.get("lines", [])
    whole = sum(map(cycles_of, lines))
    if not whole:
        return ""
    rows, shown = [], [line for line in sorted(lines, key=cycles_of, reverse=True)[:SHOWN] if cycles_of(line) / whole >= 0.0005]
    for line in shown:
        stall = max(line["stalls"], key=line["stalls"].get, default=None)
        place = f"{os.path.basename(line['file'])}:{line['line']}"
        rows.append([f"{100 * cycles_of(line) / whole:.1f}\u00a0%", _bar(cycles_of(line) / whole), cycles_of(line), line["issued"], STALLS.get(stall, stall or ""), place,
                     sources.get((line["file"], line["line"]), "").strip()])
    left = len(lines) - len(shown)
    more = f"<p>and {left} line{'s' * (left > 1)} with less</p>" if left else ""
    return "<p><b>Profile</b></p>" + _table(["share", "", "cycles", "issued", "waits most for", "line", "source"], rows) + more


def _launch_html(launch, gpu, sources):
    facts = {"kernel": name_of(launch), "GPU": gpu, "outcome": launch["outcome"], "cycles": launch["cycles"], "warp instructions": launch["warp_instructions"],
             "grid": "×".join(map(str, launch.get("grid", ()))), "block": "×".join(map(str, launch.get("block", ())))}
    return _table(facts, [facts.values()]) + "".join(_finding_html(finding, sources) for finding in launch.get("findings", ())) + _profile_html(launch, sources)


class Launch(_Tables):
    """One launch as `launches[]` of the JSON report has it, with its findings: a dict.  docs/python.md"""

    def __init__(self, members, gpu=None, source=None):
        super().__init__(members)
        self.gpu, self.sources = gpu, {}  # texts of lines that it names, by (file, line)
        file, text = source or ("", "")
        named = [*self.get("lines", ()), *(line for finding in self.get("findings", ()) for line in finding.get("lines", ()))]
        lines = text.split("\n") if named else []
        for line in named:
            if os.path.abspath(line["file"]) == os.path.abspath(file) and 0 < line["line"] <= len(lines):
                self.sources[line["file"], line["line"]] = lines[line["line"] - 1]

    def _parts(self):
        return [(0, self)], [(0, finding) for finding in self.get("findings", ())], self.gpu

    def __repr__(self):
        found = len(self.get("findings", ()))
        words = [self["outcome"], f"{self['cycles']:,} cycles", *([f"{found} finding" + "s" * (found > 1)] if found else [])]
        return f"<lockstep.Launch {name_of(self)} on {self.gpu}: {', '.join(words)}>"

    def _repr_html_(self):
        return _launch_html(self, self.gpu, self.sources)


class Report(_Tables):
    """All launches of a GPU, as `--report json` writes it: a dict.  docs/python.md"""

    def _parts(self):
        return list(enumerate(self["launches"])), [(finding.get("launch"), finding) for finding in self["findings"]], self["gpu"]

    def __repr__(self):
        outcomes = [launch["outcome"] for launch in self["launches"]]
        counts = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in dict.fromkeys(outcomes))
        return f"<lockstep.Report of {self['gpu']}: {len(outcomes)} launch{'es' * (len(outcomes) != 1)}{': ' * bool(counts)}{counts}>"

    def _repr_html_(self):
        sources = {(file, int(number)): text for file, known in self.get("sources", {}).items() for number, text in known["lines"].items()}
        return "".join(_launch_html({**launch, "findings": [f for f in self["findings"] if f.get("launch") == k]}, self["gpu"], sources)
                       for k, launch in enumerate(self["launches"]))
