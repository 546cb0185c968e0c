#!/usr/bin/env python3
"""Pages (docs/page.md) and samples (docs/report.md).

    tests/page.py             the data of pages; and in Chromium, if it is installed, that their scripts run and show the result's numbers
    tests/page.py firefox     that in Firefox

Expectations: the sums of samples are the launch's counters, the numbers of the page are those of the JSON report, as the documents say."""
import html
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

LOCKSTEP = os.environ.get("LOCKSTEP", os.path.join(os.path.dirname(__file__), "..", "build", "release", "lockstep"))
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
CHROMIUM = shutil.which("chromium")
FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
failures = []
# What would end the script that has the data, or run, if it were not text.
EVIL = "</script><script>document.title = 'run';</script><!-- <b>"
KERNEL = f"""// {EVIL}
.version 6.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 lock, .param .u64 count)
{{
    .reg .pred %p;
    .reg .u32 %r<4>;
    .reg .u64 %rd<3>;
    ld.param.u64 %rd1, [lock];
    ld.param.u64 %rd2, [count];
TRY:
    atom.global.cas.b32 %r1, [%rd1], 0, 1; // {EVIL}
    setp.ne.u32 %p, %r1, 0;
    @%p bra TRY;
    ld.volatile.global.u32 %r2, [%rd2];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%rd2], %r2;
    membar.gl;
    atom.global.exch.b32 %r3, [%rd1], 0;
    ret;
}}
"""
LINE = 1 + KERNEL[: KERNEL.index("atom.global.cas")].count("\n")


def expect(what, truth):
    if not truth:
        failures.append(what)


def lockstep(*words, status=0):
    done = subprocess.run([LOCKSTEP, *words], capture_output=True, text=True, timeout=60, check=False)
    expect(f"{words}: status {done.returncode}, expected {status}: {done.stderr}", done.returncode == status)
    return done


def run_kernel(output, *more):
    lockstep("kernel", "spin.ptx", "--grid", "24", "--block", "1", "--arg", "buf:lock:u32:1:zero", "--arg", "buf:count:u32:1:zero", "--report",
             "html" if output.endswith(".html") else "json", "--output", output, *more)
    if output.endswith(".json"):
        with open(output, encoding="utf-8") as file:
            return json.load(file)
    return None


def data_of(page):
    """The data of a page: the element that has it must end where the data does."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    expect(f"{page}: something is loaded", not re.search(r'(src|href)\s*=\s*"https?:', text))
    expect(f"{page}: an element of the result's", "document.title = 'run'" not in text.replace("\\u003c/script>\\u003cscript>document.title = 'run'", ""))
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))


def check_samples():
    report = run_kernel("samples.json", "--samples", "200", "--profile")
    launch = report["launches"][0]
    samples = launch["samples"]
    expect("samples: the interval", samples["interval"] == 200)
    expect("samples: not several", len(samples["cycles"]) > 10)
    check_sums("samples", launch)
    # A quantum is 66 cycles (gtx480: crossbar.reply_latency), so each is at least as long, and at most that longer than asked for.
    expect("samples: too short or too long", all(66 <= cycles <= 266 + 200 for cycles in samples["cycles"]))
    # Each of the 24 groups is one warp, which tries for the lock: it waits for memory at least half the time, and is gone at the end.
    warps = samples["warps"]
    expect(f"samples: {len(warps)} warps", len(warps) == 24 and len({(w["core"], w["warp"]) for w in warps}) == 24)
    expect("samples: a state for each", all(len(w["states"]) == len(samples["cycles"]) and set(w["states"]) <= set("rwnmfblsh.") for w in warps))
    expect("samples: warps do not wait for memory", all(2 * w["states"].count("m") >= len(w["states"].rstrip(".")) for w in warps))
    expect("samples: warps that never end", all(w["states"][-1] == "." for w in warps))
    other = run_kernel("threads.json", "--samples", "200", "--threads", "3")["launches"][0]
    expect("samples depend on --threads", other["samples"] == samples)
    plain = run_kernel("plain.json")["launches"][0]
    expect("samples change the run", {**plain, "wall_seconds": 0} == {k: 0 if k == "wall_seconds" else v for k, v in other.items() if k != "samples"})
    longer = run_kernel("longer.json", "--samples", "1000")["launches"][0]["samples"]["cycles"]
    expect("samples: the time of all depends on their interval", sum(longer) == sum(samples["cycles"]) and len(longer) < len(samples["cycles"]))
    functional = run_kernel("functional.json", "--samples", "200", "--mode", "functional")["launches"][0]
    expect("samples without a clock", "samples" not in functional)
    return report


def check_sums(name, launch):
    samples = launch["samples"]
    for counter, values in samples["counters"].items():
        expect(f"{name}: {counter}: {sum(values)}, counted {launch['counters'][counter]}", sum(values) == launch["counters"][counter])
        expect(f"{name}: {counter} has {len(values)} values", len(values) == len(samples["cycles"]))
    for counter in ("smsp__issue_active.sum", "smsp__issue_stalled_long_sb.sum", "sm__warps_active.sum", "sync__lock_acquire_success.sum", "lts__t_atomics.sum"):
        expect(f"{name}: {counter} is not there", counter in samples["counters"])
    expect(f"{name}: cycles {sum(samples['cycles'])} of {launch['cycles']}", launch["cycles"] <= sum(samples["cycles"]) < launch["cycles"] + 2 * 66)


def check_bound():
    """More quanta than samples: neighbours are merged, and the interval doubles until they fit."""
    report = lockstep("kernel", "spin.ptx", "--grid", "240", "--block", "1", "--arg", "buf:lock:u32:1:zero", "--arg", "buf:count:u32:1:zero", "--samples", "1", "--report", "json")
    launch = json.loads(report.stdout)["launches"][0]
    expect(f"bound: {launch['cycles']} cycles are too few for this test", launch["cycles"] > 1024 * 66)
    expect(f"bound: {len(launch['samples']['cycles'])} samples", 300 < len(launch["samples"]["cycles"]) <= 1024)
    expect("bound: the interval", launch["samples"]["interval"] > 1 and launch["samples"]["interval"] & (launch["samples"]["interval"] - 1) == 0)
    check_sums("bound", launch)


def check_data(report):
    lockstep("report", "samples.json", "-o", "page.html")
    data = data_of("page.html")
    result, launch = data["results"][0], report["launches"][0]
    names = [row[0] for row in data["counters"]]
    kernel = result["kernels"][0]
    expect("page: counters", dict(zip(names, kernel["counters"])) == launch["counters"])
    expect("page: lines", kernel["lines"] == launch["lines"])
    fences = kernel["fences"]
    expect("page: fences", kernel["barriers"] == [] and [f["text"] for f in fences] == ["membar.gl"] and fences[0]["times"] == 24 and
           fences[0]["waited"] == launch["counters"]["sync__fence_wait_cycles.sum"])
    expect("page: samples", result["launches"][0]["samples"] == launch["samples"])
    expect("page: the source", result["sources"]["spin.ptx"] == {"state": "same", "text": KERNEL})
    expect("result: the line's text", report["sources"]["spin.ptx"]["lines"][str(LINE)] == KERNEL.split("\n")[LINE - 1])
    run_kernel("direct.html", "--samples", "200", "--profile")
    direct = data_of("direct.html")
    for page in (data, direct):
        page["results"][0]["name"] = ""
        page["results"][0]["launches"][0]["wall_seconds"] = page["results"][0]["launches"][0].pop("mode", 0) and 0
    expect("--report html is another page", direct == data)


def check_timeline():
    """The slices and waits of the timeline's warps, no more and no less, behind their result alone."""
    run_kernel("traced.json", "--profile", "--samples", "200", "--trace", "trace.json", "--trace-window", ":9000")
    lockstep("report", "traced.json", "trace.json", "-o", "warps.html")
    with open("trace.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    kinds, begun, wanted = ["barrier wait", "lock wait", "lock held"], {}, []
    for e in events:
        if e["ph"] == "X" and e["name"].startswith("warp "):
            wanted.append((f"core {e['pid']} {e['name']}", e["ts"], e["dur"], 0, e["args"]["work-group"]))
        if e["ph"] == "b":
            begun[e["id"]] = e
        if e["ph"] == "e":
            b = begun[e["id"]]
            wanted.append((f"core {b['pid']} warp {b['tid']}", b["ts"], e["ts"] - b["ts"], 1 + kinds.index(b["cat"]), b["args"]["work-group"]))
    timeline = data_of("warps.html")["results"][0]["timeline"]
    shown = [(timeline["rows"][row], *rest) for row, *rest in timeline["slices"]]
    expect(f"timeline: {len(shown)} slices of {len(wanted)}", sorted(shown) == sorted(wanted) and {s[3] for s in shown} == {0, 2, 3})
    expect("timeline: left out", timeline["left_out"] == 0)
    for words in (("trace.json", "traced.json"), ("traced.json", "trace.json", "trace.json")):
        done = lockstep("report", *words, "-o", "no.html", status=2)
        expect(f"timeline: {words}: {done.stderr}", done.stderr == "trace.json: a timeline, expected behind the result of its run\n" and not os.path.exists("no.html"))
    many = [{**e, "ts": e["ts"] + 10000 * k} for k in range(20000 // len(wanted) + 1) for e in events if e["ph"] == "X" and e["name"].startswith("warp ")]
    with open("long.json", "w", encoding="utf-8") as file:
        json.dump({"traceEvents": many * 3, "otherData": {"left out": 7}}, file)
    lockstep("report", "traced.json", "long.json", "-o", "long.html")
    timeline = data_of("long.html")["results"][0]["timeline"]
    expect("timeline: its bound", len(timeline["slices"]) == 20000 and timeline["left_out"] == 3 * len(many) - 20000 + 7)


def check_sources(report):
    """A file that has changed since is not shown, nor one of which an older result says nothing."""
    with open("spin.ptx", "a", encoding="utf-8") as file:
        file.write("// changed\n")
    lockstep("report", "samples.json", "-o", "changed.html")
    source = data_of("changed.html")["results"][0]["sources"]["spin.ptx"]
    expect("page: a source that has changed", source == {"state": "changed", "lines": report["sources"]["spin.ptx"]["lines"]})
    old = {k: v for k, v in report.items() if k != "sources"}
    with open("old.json", "w", encoding="utf-8") as file:
        json.dump(old, file)
    lockstep("report", "old.json", "-o", "old.html")
    expect("page: a source of an old result", data_of("old.html")["results"][0]["sources"]["spin.ptx"] == {"state": "unknown"})
    os.rename("spin.ptx", "elsewhere.ptx")
    lockstep("report", "samples.json", "-o", "gone.html")
    expect("page: a source that is gone", data_of("gone.html")["results"][0]["sources"]["spin.ptx"]["state"] == "gone")
    with open("spin.ptx", "w", encoding="utf-8") as file:
        file.write(KERNEL)


def check_comparison(report):
    """With 100 launches: the page has their sums, and stays small.  The first has findings, of three groups that wait in a ring."""
    ring = lockstep("kernel", os.path.join(ROOT, "tests", "kernel", "verdict", "ring_groups.ptx"), "--grid", "3", "--arg", "buf:lock:u32:3:zero", "--arg", "buf:have:u32:1:zero", "--report", "json", status=3)
    with open("first.json", "w", encoding="utf-8") as file:
        json.dump({**report, "findings": json.loads(ring.stdout)["findings"]}, file)
    many = {**report, "launches": [{**report["launches"][0], "kernel": EVIL} for _ in range(100)]}
    with open("many.json", "w", encoding="utf-8") as file:
        json.dump(many, file)
    lockstep("report", "first.json", "many.json", "-o", "both.html")
    data = data_of("both.html")
    after = data["results"][1]
    expect("comparison: cycles", data["comparisons"][0]["cycles"] == [report["launches"][0]["cycles"], 100 * report["launches"][0]["cycles"]])
    expect("comparison: lines are summed", [line["issued"] for line in after["kernels"][0]["lines"]] == [100 * line["issued"] for line in report["launches"][0]["lines"]])
    expect("comparison: launches", len(after["launches"]) == 100)
    expect(f"comparison: {os.path.getsize('both.html')} bytes", os.path.getsize("both.html") < 2 << 20)
    compared = lockstep("compare", "first.json", "many.json", "--report", "html")
    with open("compared.html", "w", encoding="utf-8") as file:
        file.write(compared.stdout)
    expect("compare --report html is another page", data_of("compared.html") == data)


# ---- Browsers ----

PAGES = ("paper.html", "renamed.html", "both.html", "old.html", "small.html", "single.html", "mbarriers.html")


def old_page(report):
    """Of a result as a version wrote it that had neither profiles, samples, sources, the occupancy nor one of today's counters."""
    launch = {key: value for key, value in report["launches"][0].items() if key not in ("lines", "locks", "barriers", "fences", "samples", "occupancy")}
    launch["counters"] = {name: value for name, value in launch["counters"].items() if name != "sync__fences.sum"}
    old = {key: value for key, value in report.items() if key not in ("sources", "configuration")}
    old["findings"] = [{"kind": "fault", "cause": "address", "certainty": "proved", "confirmed": False, "message": "m", "lines": [{"file": "spin.ptx", "line": 3}],
                        "threads": [], "addresses": [], "count": 1}]
    with open("old.json", "w", encoding="utf-8") as file:
        json.dump({**old, "launches": [launch]}, file)
    lockstep("report", "old.json", "-o", "old.html")


def check_old(browser, dom):
    """The box says of all of them that they are missing; a result that has everything has no such box."""
    box = re.search(r'<div class="box" id="missing">(.*?)</div>', dom, re.S)
    expect(f"{browser}: an old result: nothing is said to be missing", box)
    for words in ("the occupancy: the result is of an older version", "costs of lines and locks: the run had no --profile", "values over time: the run had no --samples",
                  "1 counter that this version has, and the result does not", "what the sources were: they are not shown", "the configuration"):
        expect(f"{browser}: an old result: '{words}' is not in the box", box and words in box[1])
    expect(f"{browser}: an old result shows a source that may have changed", EVIL not in dom and "atom.global.cas" not in dom)


def paper_page(report):
    """A page as on paper that says how wide it is: two results, the first of two kernels, its locks named and waited for as those of long runs are."""
    launch = json.loads(json.dumps(report["launches"][0]))
    for lock in launch["locks"]:
        lock.update(address="0x10000001c0 (cudaMalloc in main + 0x1c0)", failed=1234567890, waited=1234567890123, longest_queue=1234, acquires=123456, from_other_core=123456)
    with open("wide.json", "w", encoding="utf-8") as file:
        json.dump({**report, "launches": [launch, {**launch, "kernel": "another"}]}, file)
    lockstep("report", "wide.json", "first.json", "-o", "wide.html")
    with open("wide.html", encoding="utf-8") as file:
        page = file.read().replace("@media print {", "@media all {")
    with open("paper.html", "w", encoding="utf-8") as file:
        file.write(page.replace("start();", "document.documentElement.classList.add('paper'); start();"
                                "document.documentElement.dataset.width = document.documentElement.scrollWidth;"))


def small_page():
    """A launch on few of many cores, most of whose cycles pass before its first work-group starts; the page says what it draws of the warps."""
    report = run_kernel("small.json", "--samples", "200", "--gpu", "h200")
    lockstep("report", "small.json", "-o", "small.html")
    with open("small.html", encoding="utf-8") as file:
        page = file.read().replace("start();", "start(); document.documentElement.dataset.marks = JSON.stringify(ofSamples(DATA.results[0].launches[0].samples).slices);")
    with open("small.html", "w", encoding="utf-8") as file:
        file.write(page)
    return report["launches"][0]


def check_small(browser, dom, launch):
    """What a warp did is known where a sample ended, and nothing of the cycles before."""
    ends, cycles = [], 0
    for part in launch["samples"]["cycles"]:
        cycles += part
        ends.append(cycles)
    expect(f"small: the first sample ends at {ends[0]}: too early for this test", ends[0] > 5000)
    rows = sorted(launch["samples"]["warps"], key=lambda w: (w["core"], w["warp"]))
    wanted = [[row, ends[k], 0, "rwnmhfbls".index(state)] for row, warp in enumerate(rows) for k, state in enumerate(warp["states"]) if state != "."]
    marks = json.loads(html.unescape(re.search('data-marks="(.*?)"', dom)[1]))
    expect(f"{browser}: the marks of warps are {marks[:4]} ..., expected {wanted[:4]} ...", marks == wanted)
    height = re.search(r'id="warp-picture".*?class="u-over" style="[^"]*height: (\d+)px', dom, re.S)
    expect(f"{browser}: names of warps lie on each other: {height and height[1]} pixels for {len(rows)}", height and int(height[1]) >= 11 * len(rows))
    expect(f"{browser}: cores without work are drawn", "Only the 24 cores that had a work-group are drawn: the other 108 are left out." in dom)
    expect(f"{browser}: what a launch should have more of", "used 24 of the 132 cores, with 24 work-groups" in dom)
    expect(f"{browser}: an internal name in a key", "no_warp:" not in dom[: dom.index("</main>")] and "no warp was resident (no_warp)" in dom)


def single_page(report):
    """One launch, without samples, of a C++ kernel with a finding; one line costs nearly all, the chain of waits is long, and the PTX was in no file."""
    launch = {key: value for key, value in report["launches"][0].items() if key != "samples"}
    lines = json.loads(json.dumps(launch["lines"]))
    lines[0]["stalls"] = {"long_sb": 10 ** 9}
    state = "took 0x10000000 (cudaMalloc in main at a_file_with_a_long_name.cu:31 + 0x40) at folder/a_file_with_a_long_name.cu:21 and has ended"
    threads = [{"group": [k, 0, 0], "thread": [0, 0, 0], "state": "spins at folder/a_file_with_a_long_name.cu:30; polls 0x10000000" if not k else state} for k in range(2)]
    finding = {"kind": "hang", "cause": "lost-release", "certainty": "proved", "confirmed": False, "message": "m", "lines": [], "threads": threads, "addresses": ["0x10000000"], "count": 1,
               "launch": 0, "kernel": "_Z5scalePfi"}
    with open("single.json", "w", encoding="utf-8") as file:
        json.dump({**report, "launches": [{**launch, "kernel": "_Z5scalePfi", "demangled": "scale(float*, int)", "lines": lines}], "findings": [finding],
                   "sources": {}}, file)
    lockstep("report", "single.json", "-o", "single.html")


def check_single(browser, dom, launch):
    costs = dom[dom.index('id="costs"'):]
    expect(f"{browser}: a cost of nearly nothing is among the largest", costs[: costs.index("</ol>")].count("<li>") == 1 and "The largest cost, of" in dom)
    expect(f"{browser}: an internal name of a stall reason in the source", ">memory 100 %</td>" in dom)
    expect(f"{browser}: instructions stand for lines of PTX without a file", ">(text not known)<" not in dom and f'{LINE}</td><td class="text code">atom.global.cas' in dom)
    expect(f"{browser}: a single launch has an axis", 'class="share-bar"' in dom and 'class="uplot' not in dom)
    card = dom[dom.index('<div class="box wrong finding">'):]
    expect(f"{browser}: the kernel in a card", "kernel scale, launch 0<" in card)
    drawn = re.findall("<text[^>]*>([^<]*)</text>", card[: card.index("</svg>")])
    expect(f"{browser}: the graph of a hang: {drawn}", drawn == [
        "thread (0,0,0) of work-group (0,0,0)", "spins at a_file_with_a_long_name.cu:30", "polls 0x10000000",
        "waits for 0x10000000 (cudaMalloc in main at a_file_with_a_long_name.cu:31", "+ 0x40), which the thread below holds",
        "thread (0,0,0) of work-group (1,0,0)", "holds 0x10000000 (cudaMalloc in main at a_file_with_a_long_name.cu:31 + 0x40), taken", "at a_file_with_a_long_name.cu:21", "has ended"])
    # gtx480: two units for two schedulers, whose multiply-adds of integers take a cycle; L2 slices and channels move 32 bytes a cycle.
    integers, seconds = launch["counters"]["sm__ops_integer.sum"], launch["cycles"] / 0.7e9
    for words in (f"{three_digits(15 * 2 * 32 * 2 * 0.7e9)} operations/s", f"{three_digits(12 * 32 * 0.7e9)}B/s", f"{three_digits(6 * 32 * 0.924e9)}B/s", f"{integers} integer operations",
                  f"{three_digits(integers / seconds)} a second", f"{launch['counters']['l1tex__t_requests_load.sum']} loads"):
        expect(f"{browser}: '{words}' is not in the roofline or the memory chart", words in re.sub("<[^>]*>", "", dom))
    figures = re.findall('<div class="value[^"]*">([^<]*)</div>', dom)
    expect(f"{browser}: the five figures are {figures}", len(figures) == 5 and figures[1] == f"{launch['cycles']:,}" and figures[4] == "1")


def three_digits(value):
    for size, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{float(f'{value / size:.3g}'):g} {prefix}"
    return f"{value:.3g}"


def chromium_shows(page, *words):
    """The document when its scripts have run, and what the console says."""
    if os.geteuid() == 0:
        words += ("--no-sandbox",)
    shown = subprocess.run([CHROMIUM, "--headless", "--disable-gpu", "--enable-logging=stderr", "--virtual-time-budget=2000", "--user-data-dir=" + os.path.abspath("profile"),
                            "--dump-dom", *words, "file://" + os.path.abspath(page)], capture_output=True, text=True, timeout=120, check=False)
    return shown.stdout, [line for line in shown.stderr.split("\n") if "CONSOLE" in line]


def with_chromium():
    paper = chromium_shows("paper.html", "--window-size=660,900")
    return {"paper.html": paper, **{page: chromium_shows(page) for page in PAGES[1:]}}


class Pages(http.server.BaseHTTPRequestHandler):
    """Gives pages to Firefox, which has no --dump-dom.  Each sends its document and its errors back when it is ready, and goes on to the next."""

    ERRORS = "<script>const seen = []; onerror = text => { seen.push(String(text)); }; console.error = onerror; console.warn = onerror;</script>"
    BACK = """<script>(async function () {
    while (!document.documentElement.dataset.ready && !seen.length) await new Promise(done => setTimeout(done, 20));
    const answer = await fetch(location.pathname, {method: "POST", body: JSON.stringify([document.documentElement.outerHTML, seen])});
    const next = await answer.text();
    if (next) location = next;
})();</script>"""
    shown, ready = {}, threading.Event()

    def answer(self, text):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self):
        with open(os.path.basename(self.path), encoding="utf-8") as file:
            page = file.read()
        page = page.replace("default-src 'none';", "default-src 'none'; connect-src 'self';", 1)  # its own policy forbids to send
        self.answer(page.replace("<head>", "<head>" + self.ERRORS, 1).replace("</body>", self.BACK + "</body>"))

    def do_POST(self):
        self.shown[self.path[1:]] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        rest = [page for page in PAGES if page not in self.shown]
        self.answer("/" + rest[0] if rest else "")
        if not rest:
            self.ready.set()

    def log_message(self, *_):
        pass


def with_firefox():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.mkdir("firefox")
    with open("firefox/user.js", "w", encoding="utf-8") as file:  # it is to ask nobody
        file.writelines(f'user_pref("{name}", {value});\n' for name, value in (
            ("app.update.auto", "false"), ("datareporting.policy.dataSubmissionEnabled", "false"), ("network.captive-portal-service.enabled", "false"),
            ("network.connectivity-service.enabled", "false"), ("browser.safebrowsing.downloads.remote.enabled", "false"), ("network.proxy.type", "0")))
    process = subprocess.Popen([FIREFOX, "--headless", "--no-remote", "--profile", os.path.abspath("firefox"), f"http://127.0.0.1:{server.server_port}/paper.html"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "MOZ_HEADLESS_WIDTH": "660", "HOME": os.getcwd()})
    Pages.ready.wait(120)
    process.terminate()
    process.wait(60)
    server.shutdown()
    return Pages.shown


def check_shown(browser, shown, report, small, site):
    for page in PAGES:
        dom, console = shown.get(page, ("", []))
        expect(f"{browser}: {page}: {console}", not console)
        expect(f"{browser}: {page}: the page's scripts did not end", 'data-ready="yes"' in dom)
        if 'data-ready="yes"' not in dom:
            return
    width = re.search(r'data-width="(\d+)"', shown["paper.html"][0])
    expect(f"{browser}: as on paper of 660 pixels between its margins the page is {width and width[1]} wide: it would be cut", width and int(width[1]) <= 660)
    # A file of another name: its lines are compared by their text.  And the first result's warps over time are drawn.
    check_old(browser, shown["old.html"][0])
    check_small(browser, shown["small.html"][0], small)
    check_mbarriers(browser, shown["mbarriers.html"][0], site)
    check_single(browser, shown["single.html"][0], report["launches"][0])
    expect(f"{browser}: something is missing in a result that has everything", 'id="missing"' not in shown["renamed.html"][0])
    dom = shown["renamed.html"][0]
    expect(f"{browser}: a renamed file", f'spin.ptx:{LINE}</td><td class="code">other.ptx:{LINE}</td>' in dom)
    expect(f"{browser}: warps over time", '<div class="uplot' in dom[dom.find('id="warp-picture"'):])
    dom, launch = shown["both.html"][0], report["launches"][0]
    expect(f"{browser}: a script of the result ran", "<title>run</title>" not in dom)
    for what, value in (("cycles", launch["cycles"]), ("lock attempts", launch["counters"]["sync__lock_acquire_success.sum"] + launch["counters"]["sync__lock_fail_other_warp.sum"]),
                        ("an energy", launch["counters"]["energy__total.sum"]), ("lane cycles waited", launch["locks"][0]["waited"]),
                        ("warp cycles of fences", launch["fences"][0]["waited"])):
        expect(f"{browser}: {what}, {value:,}, is not shown", f"{value:,}" in dom)
    costliest = max(launch["lines"], key=lambda line: line["issued"] + sum(line["stalls"].values()))
    first = dom[dom.index('id="costs"'):]
    expect(f"{browser}: the costliest line", f"spin.ptx:{costliest['line']}<" in first[: first.index("</li>")])
    graph = re.findall("<text[^>]*>([^<]*)</text>", dom)
    waits = [line for line in graph if line.startswith("waits for 0x")]
    expect(f"{browser}: a ring of three waits: {graph}", dom.count('marker-end="url(#in-ring)"') == 3 and len(waits) == 3 and " ".join(graph).count(", which the thread below holds") == 2)
    expect(f"{browser}: pictures over time", dom.count('class="uplot') >= 4)
    expect(f"{browser}: warps over time, of samples", '<div class="uplot' in dom[dom.find('id="warp-picture"'):])


def mbarrier_page():
    """A ring of two stages: its JSON report, which the page has, summed and sorted by the time that was waited."""
    lockstep("kernel", os.path.join(ROOT, "tests/kernel/mbarrier/show.ptx"), "--kernel", "ring", "--gpu", "h200", "--block", "64", "--arg", "buf:in:u32:64:iota", "--arg",
             "buf:out:u32:32:zero", "--profile", "--report", "json", "--output", "mbarriers.json")
    lockstep("report", "mbarriers.json", "-o", "mbarriers.html")
    with open("mbarriers.json", encoding="utf-8") as file:
        sites = json.load(file)["launches"][0]["mbarriers"]
    shown = data_of("mbarriers.html")["results"][0]["kernels"][0]["mbarriers"]
    figures = ("line", "text", "address", "objects", "phases", "arrivals", "bytes", "idle", "filling", "ready", "seen", "unseen")
    expect("mbarriers: the page's sites", sorted([m[f] for f in figures] for m in shown) == sorted([m[f] for f in figures] for m in sites) and len(sites) == 4)
    expect("mbarriers: the order", [m["waited"] for m in shown] == sorted((sum(w["waited"] for w in m["waits"]) for m in sites), reverse=True))
    return max(sites, key=lambda m: sum(w["waited"] for w in m["waits"]))


def check_mbarriers(browser, dom, site):
    table, waits = (dom[dom.index(f'id="{name}"'):] for name in ("mbarrier-table", "mbarrier-wait-table"))
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", table[: table.index("</tr>", table.index("<tbody"))])
    wait = site["waits"][0]
    expect(f"{browser}: the mbarrier waited for most: {cells}", cells == [
        site["address"], f"show.ptx:{site['line']}  {site['text']}", *(f"{site[k]:,}" for k in ("objects", "phases", "arrivals", "bytes")), f"{site['idle'] / site['phases']:,.0f}",
        f"{site['filling'] / site['phases']:,.0f}", str(int(site["ready"] / site["seen"] + 0.5)), "0", f"{wait['waited']:,}"])
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", waits[: waits.index("</tr>", waits.index("<tbody"))])
    expect(f"{browser}: the wait that took longest: {cells}", cells[:1] == [f"show.ptx:{wait['line']}  {wait['text']}"] and cells[1:-1] == [
        site["address"], str(wait["passed"]), str(wait["waits"]), str(wait["failed"]), f"{wait['waited']:,}", f"{wait['waited'] / wait['waits']:,.0f}", f"{wait['worst']['waited']:,}"])


def check_browser(name, report):
    other = {**report, "launches": report["launches"] * 2}
    with open("renamed.json", "w", encoding="utf-8") as file:
        file.write(json.dumps(other).replace("spin.ptx", "other.ptx"))
    lockstep("report", "first.json", "trace.json", "renamed.json", "-o", "renamed.html")
    paper_page(report)
    old_page(report)
    single_page(report)
    small, site = small_page(), mbarrier_page()
    check_shown(name, with_chromium() if name == "chromium" else with_firefox(), report, small, site)


def main():
    global LOCKSTEP
    browser = "firefox-esr" if sys.argv[1:] == ["firefox"] else "chromium"
    there = FIREFOX if browser == "firefox-esr" else CHROMIUM
    LOCKSTEP = os.path.abspath(LOCKSTEP)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("spin.ptx", "w", encoding="utf-8") as file:
            file.write(KERNEL)
        report = check_samples()
        if browser == "chromium":
            check_bound()
            check_data(report)
            check_sources(report)
        check_timeline()
        check_comparison(report)
        if there:
            check_browser(browser, report)
        os.chdir(ROOT)
    for failure in failures:
        print(failure)
    if not there:
        print(f"{browser} is not installed: that the scripts of pages run there was not checked")
    print(f"{len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
