/* Pictures, with uPlot: over time where launches have samples, else launch by launch. */

const PICTURES = []; /* that are on the page */
const PAPER_WIDTH = 660; /* what A4 and letter have between their margins, and a little less */

function colour(k) {
  return getComputedStyle(document.documentElement).getPropertyValue("--c" + k).trim();
}

function ink(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function shortNumber(value) {
  const size = Math.abs(value);
  return size >= 1e9 ? +(value / 1e9).toPrecision(4) + " G" : size >= 1e6 ? +(value / 1e6).toPrecision(4) + " M" : size >= 1e4 ? +(value / 1e3).toPrecision(4) + " k" : String(+value.toPrecision(4));
}

function pictureWidth(place) {
  return document.documentElement.classList.contains("paper") ? PAPER_WIDTH : Math.max(320, place.clientWidth || 900);
}

/* One picture: `series` of { label, colour, values, show }, over `x`; stacked: values are added up, and the area below
 * each is filled.  Pictures of one result over time are zoomed together: a drag chooses a part, a double click all. */
function picture(place, { title, help, x, xLabel, series, stacked, steps, unit, together, most }) {
  const data = [x];
  let base = x.map(() => 0);
  const tops = series.map((s) => (base = stacked ? s.values.map((v, k) => (v || 0) + base[k]) : s.values));
  /* The topmost is drawn first, so that those below cover its lower part. */
  const order = stacked ? series.map((_, k) => series.length - 1 - k) : series.map((_, k) => k);
  for (const k of order) data.push(tops[k]);
  const stepped = uPlot.paths.stepped({ align: 1 }), bars = uPlot.paths.bars({ size: [0.8, 60] });
  const axis = { stroke: ink("faint"), grid: { stroke: ink("rule"), width: 1 }, ticks: { stroke: ink("rule"), width: 1 } };
  const options = {
    width: pictureWidth(place), height: 230,
    scales: { x: { time: false, range: steps || x.length > 1 ? undefined : [x[0] - 3, x[0] + 3] }, y: { range: (u, low, high) => [0, most || (high > 0 ? high * 1.05 : 1)] } },
    axes: [{ ...axis, label: xLabel, labelSize: 22, values: (u, values) => values.map((v) => (Number.isInteger(v) || together ? shortNumber(v) : "")) }, { ...axis, size: 64, values: (u, values) => values.map(shortNumber) }],
    cursor: { drag: { x: true, y: false }, ...(together ? { sync: { key: together, scales: ["x", null] } } : {}) },
    legend: { live: true },
    series: [{ label: xLabel, value: (u, v) => (v === null || v === undefined ? "" : grouped(Math.round(v))) }, ...order.map((k) => ({
      label: series[k].label, stroke: colour(series[k].colour), width: stacked ? 0 : 1.5, points: { show: !stacked && !steps && x.length < 60 },
      fill: stacked ? colour(series[k].colour) : undefined, paths: steps ? stepped : stacked ? bars : undefined,
      value: (u, v, s, place) => (place === null || place === undefined ? "" : shortNumber(series[k].values[place] || 0) + (unit || "")),
    }))],
  };
  const box = make("div", { class: "picture" }, make("h3", {}, title), help ? make("p", { class: "faint" }, help) : "");
  place.append(box);
  PICTURES.push(new uPlot(options, data, box));
}

/* ---- Over time ---- */

function sampled(samples, name) {
  return samples.counters[name] || samples.cycles.map(() => 0);
}

function timePictures(result, launch, place) {
  const s = launch.samples, cycles = s.cycles, x = [], cores = result.configuration["core.count"] || 1, together = "time";
  let at = 0;
  for (const part of cycles) {
    x.push(at);
    at += part;
  }
  x.push(at); /* the end of the last one, whose step it shows */
  const closed = (values) => [...values, values[values.length - 1] || 0];
  const over = (values, whole, factor = 1) => closed(values.map((v, k) => (whole[k] ? (factor * v) / whole[k] : 0)));
  const xLabel = "cycle of the launch", frame = { x, xLabel, steps: true, together };
  const stalls = DATA.counters.filter((c) => c.name.startsWith(STALL)).map((c) => c.name), issued = sampled(s, "smsp__issue_active.sum");
  const all = cycles.map((_, k) => issued[k] + sum(stalls.map((name) => sampled(s, name)[k])));
  const seen = stalls.filter((name) => s.counters[name]);
  picture(place, { ...frame, title: "What schedulers did", help: "share of their cycles", stacked: true, unit: " %", most: 100,
    series: [{ label: "issued", colour: 3, values: over(issued, all, 100) }, ...seen.map((name) => {
      const reason = name.slice(STALL.length).replace(/\..*/, "");
      return { label: reason, colour: { unit: 7, wait: 6, no_inst: 8, long_sb: 1, short_sb: 10, membar: 5, barrier: 2, lock: 4, sleeping: 0, no_warp: 9 }[reason] || 0, values: over(sampled(s, name), all, 100) };
    })] });
  picture(place, { ...frame, title: "Occupancy", help: "resident warps of a core, on average over all cores", series: [{ label: "warps", colour: 1, values: over(sampled(s, "sm__warps_active.sum"), cycles, 1 / cores) }] });
  const traffic = [["L1 lookups", ["l1tex__t_lookups.sum"], 3], ["L2 sectors", ["lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum"], 1], ["L2 atomics", ["lts__t_atomics.sum"], 5], ["DRAM bursts", ["dram__bursts_read.sum", "dram__bursts_write.sum"], 4]];
  picture(place, { ...frame, title: "Memory traffic", help: "per cycle, whole GPU", series: traffic.map(([label, names, k]) => ({ label, colour: k, values: over(cycles.map((_, n) => sum(names.map((name) => sampled(s, name)[n]))), cycles) })) });
  const locks = [["taken", "sync__lock_acquire_success.sum", 3], ["failed: other warp", "sync__lock_fail_other_warp.sum", 4], ["failed: same warp", "sync__lock_fail_same_warp.sum", 5], ["lock instructions", "sync__lock_requests.sum", 1], ["polls that failed", "sync__wait_fail.sum", 7]];
  const had = locks.filter(([, name]) => s.counters[name]);
  if (had.length) picture(place, { ...frame, title: "Locks and polling", help: "lanes per 1,000 cycles", series: had.map(([label, name, k]) => ({ label, colour: k, values: over(sampled(s, name), cycles, 1000) })) });
}

/* ---- Launch by launch ---- */

function launchPictures(result, place) {
  const launches = result.launches.filter((l) => l.counters && l.cycles), x = launches.map((l) => l.number);
  if (!launches.length) return;
  const stalls = DATA.counters.filter((c) => c.name.startsWith(STALL)).map((c) => c.name).filter((name) => launches.some((l) => counted(l, name)));
  const frame = { x, xLabel: "launch" };
  picture(place, { ...frame, title: "What schedulers did", help: "scheduler cycles of each launch", stacked: true,
    series: [{ label: "issued", colour: 3, values: launches.map((l) => counted(l, "smsp__issue_active.sum")) }, ...stalls.map((name) => {
      const reason = name.slice(STALL.length).replace(/\..*/, "");
      return { label: reason, colour: { unit: 7, wait: 6, no_inst: 8, long_sb: 1, short_sb: 10, membar: 5, barrier: 2, lock: 4, sleeping: 0, no_warp: 9 }[reason] || 0, values: launches.map((l) => counted(l, name)) };
    })] });
}

function forgetPictures() {
  for (const old of PICTURES.splice(0)) old.destroy();
}

/* Drawn when they are on the page, whose width they have. */
function picturesOf(result, place) {
  const sampledLaunches = result.launches.filter((l) => l.samples);
  const area = make("div", { id: "pictures-area" });
  let chosen = sampledLaunches.slice().sort((a, b) => b.cycles - a.cycles)[0];
  function draw() {
    forgetPictures();
    area.replaceChildren();
    if (chosen) timePictures(result, chosen, area);
    if (!chosen || result.launches.length > 1) launchPictures(result, area);
  }
  const choice = make("select", { "aria-label": "launch", onchange: () => { chosen = sampledLaunches[choice.value]; redraw(); } },
    sampledLaunches.map((l, n) => make("option", { value: n, selected: l === chosen ? "" : null }, "launch " + l.number + ": " + kernelWords(l) + ", " + count(l.cycles, "cycle"))));
  place.append(make("div", { class: "tools" }, sampledLaunches.length > 1 ? choice : "",
    chosen ? make("span", { class: "faint" }, "a sample is " + count(chosen.samples.interval, "cycle") + " or a little more; drag to zoom, double click for all") : ""), area);
  place.redraw = draw;
  draw();
}
