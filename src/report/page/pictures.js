/* Pictures, with uPlot: over time where launches have samples, else launch by launch. */

const PICTURES = []; /* that are on the page */
const PAPER_WIDTH = 660; /* what A4 and letter have between their margins, and a little less */

function colour(k) {
  return getComputedStyle(document.documentElement).getPropertyValue("--c" + k).trim();
}

function ink(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function pictureWidth(place) {
  return document.documentElement.classList.contains("paper") ? PAPER_WIDTH : Math.max(320, place.clientWidth || 900);
}

function valueWords(value, unit) {
  return unit === " %" ? value.toFixed(1) + unit : short(value) + unit;
}

const LEAST_SHOWN = 0.0005; /* a smaller share is 0.0 % */

/* The key of a picture: a colour, a name and a value: that under the cursor, else that of the whole. */
function keyOf(series, unit) {
  const items = series.map((s) => {
    const value = make("b", { class: "number" });
    return { s, value, element: make("span", { class: "key", style: "--colour: var(--c" + s.colour + ")", title: s.help }, s.label + " ", value) };
  });
  const show = (place) => { for (const { s, value } of items) value.textContent = valueWords(place === null || place === undefined ? s.whole : s.values[place] || 0, unit); };
  show(null);
  return { element: make("div", { class: "keys" }, items.map((item) => item.element)), show };
}

/* What the names of a picture's series mean, in print too. */
function meanings(series) {
  const said = series.filter((s) => s.help);
  return said.length ? make("p", { class: "faint meanings" }, said.flatMap((s, k) => [k ? "; " : "", make("b", {}, s.label), " ", s.help]), ".") : "";
}

/* One picture: `series` of { label, help, colour, values, whole: their value over all of x }, over `x`, with what the other
 * axis has; stacked: values are added up, and the area below each is filled.  Pictures of one result over time are zoomed
 * together: a drag chooses a part, a double click all. */
function picture(place, { title, help, x, xLabel, yLabel, series, stacked, steps, unit = "", together, most }) {
  const data = [x];
  let base = x.map(() => 0);
  const tops = series.map((s) => (base = stacked ? s.values.map((v, k) => (v || 0) + base[k]) : s.values));
  /* The topmost is drawn first, so that those below cover its lower part. */
  const order = stacked ? series.map((_, k) => series.length - 1 - k) : series.map((_, k) => k);
  for (const k of order) data.push(tops[k]);
  const stepped = uPlot.paths.stepped({ align: 1 }), bars = uPlot.paths.bars({ size: [0.8, 60] }), key = keyOf(series, unit);
  const axis = { stroke: ink("faint"), grid: { stroke: ink("rule"), width: 1 }, ticks: { stroke: ink("rule"), width: 1 } }, labels = { labelSize: 20, labelFont: "12px system-ui, sans-serif", labelGap: 2 };
  const options = {
    width: pictureWidth(place), height: 230,
    scales: { x: { time: false, range: steps ? undefined : (u, low, high) => [low - 0.6, high + 0.6] }, y: { range: (u, low, high) => [0, most || (high > 0 ? high * 1.05 : 1)] } },
    axes: [{ ...axis, ...labels, label: xLabel, incrs: steps ? undefined : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6], values: (u, values) => values.map((v) => (steps || (x[0] <= v && v <= x[x.length - 1]) ? short(v, 4) : "")) },
      { ...axis, ...labels, label: yLabel, size: 58, values: (u, values) => values.map((v) => short(v, 4) + unit) }],
    cursor: { drag: { x: true, y: false }, ...(together ? { sync: { key: together, scales: ["x", null] } } : {}) },
    legend: { show: false },
    series: [{}, ...order.map((k) => ({
      label: series[k].label, stroke: colour(series[k].colour), width: stacked ? 0 : 1.5, points: { show: !stacked && !steps && x.length < 60 },
      fill: stacked ? colour(series[k].colour) : undefined, paths: steps ? stepped : stacked ? bars : undefined,
    }))],
    hooks: { setCursor: [(u) => key.show(u.cursor.idx)] },
  };
  const box = make("div", { class: "picture" }, make("h3", {}, title), help ? make("p", { class: "faint" }, help) : ""), plot = make("div", {});
  box.append(plot, key.element, meanings(series));
  place.append(box);
  PICTURES.push(new uPlot(options, data, plot));
}

/* The series of what schedulers did; `part(name)`: the values of a reason, or of "issued", and `whole(name)` over all. */
function schedulerSeries(names, part, whole) {
  return ["issued", ...names].map((name) => ({ label: name === "issued" ? name : reasonShort(name), colour: name === "issued" ? 3 : reasonColour(name),
    help: name === "issued" ? "an instruction was issued" : reasonWords(name) + " (" + name + ")", values: part(name), whole: whole(name) }));
}

/* How many cores had no work-group, and so are not in the pictures. */
function coresWords(result, launch) {
  const all = field(result, "core.count"), used = Math.round(coresUsed(result, launch));
  return used < all ? `Only the ${used === 1 ? "core that had a work-group is" : used + " cores that had a work-group are"} drawn: the other ${all - used} are left out.` : "";
}

/* ---- Over time ---- */

function sampled(samples, name) {
  return samples.counters[name] || samples.cycles.map(() => 0);
}

function timePictures(result, launch, place) {
  const s = launch.samples, cycles = s.cycles, x = [], cores = coresUsed(result, launch), idle = (field(result, "core.count") - cores) * field(result, "core.schedulers"), time = sum(cycles);
  let at = 0;
  for (const part of cycles) {
    x.push(at);
    at += part;
  }
  x.push(at); /* the end of the last one, whose step it shows */
  const closed = (values) => [...values, values[values.length - 1] || 0];
  const over = (values, whole, factor = 1) => closed(values.map((v, k) => (whole[k] ? (factor * v) / whole[k] : 0)));
  const frame = { x, xLabel: "cycle of the launch", steps: true, together: "time" };
  const parts = { issued: sampled(s, "smsp__issue_active.sum") };
  for (const name of stallCounters()) if (s.counters[name]) parts[reasonOf(name)] = sampled(s, name);
  if (parts.no_warp) parts.no_warp = parts.no_warp.map((v, k) => Math.max(0, v - idle * cycles[k]));
  const all = cycles.map((_, k) => sum(Object.values(parts).map((values) => values[k]))), names = Object.keys(parts).filter((name) => name !== "issued" && sum(parts[name]) >= LEAST_SHOWN * sum(all));
  picture(place, { ...frame, title: "What schedulers did", help: coresWords(result, launch), yLabel: "share of scheduler cycles", stacked: true, unit: " %", most: 100,
    series: schedulerSeries(names, (name) => over(parts[name], all, 100), (name) => 100 * sum(parts[name]) / (sum(all) || 1)) });
  const line = (label, help, k, values, factor) => ({ label, help, colour: k, values: over(values, cycles, factor), whole: factor * sum(values) / time });
  picture(place, { ...frame, title: "Achieved occupancy", help: "Resident warps of a core that had a work-group, on average.", yLabel: "warps of a core", series: [line("warps", "", 1, sampled(s, "sm__warps_active.sum"), 1 / cores)] });
  const summed = (names) => cycles.map((_, n) => sum(names.map((name) => sampled(s, name)[n])));
  picture(place, { ...frame, title: "Memory traffic", yLabel: "a cycle, whole GPU", series: [line("L1 lookups", "lines that loads look up", 3, summed(["l1tex__t_lookups.sum"]), 1), line("L2 sectors", "that loads and stores look up", 1, summed(["lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum"]), 1),
    line("L2 atomics", "operations", 5, summed(["lts__t_atomics.sum"]), 1), line("DRAM bursts", "read and written", 4, summed(["dram__bursts_read.sum", "dram__bursts_write.sum"]), 1)] });
  const locks = [["taken", "locks that lanes got", "sync__lock_acquire_success.sum", 3], ["failed: other warp", "lanes whose lock another warp had", "sync__lock_fail_other_warp.sum", 4], ["failed: same warp", "lanes whose lock a lane of their own warp had", "sync__lock_fail_same_warp.sum", 5],
    ["lock instructions", "lanes that asked by one", "sync__lock_requests.sum", 1], ["polls that failed", "lanes that repeated a polling loop", "sync__wait_fail.sum", 7]];
  const had = locks.filter(([, , name]) => s.counters[name]);
  if (had.length) picture(place, { ...frame, title: "Locks and polling", yLabel: "lanes in 1,000 cycles", series: had.map(([label, help, name, k]) => line(label, help, k, sampled(s, name), 1000)) });
}

/* ---- Launch by launch ---- */

/* One launch: its shares, as one bar. */
function shareBar(series, total) {
  return make("div", { class: "share-bar", role: "img", "aria-label": "what schedulers did" }, series.map((s) => make("span", { style: `--colour: var(--c${s.colour}); width: ${100 * s.whole / total}%`, title: s.label + ": " + percent(s.whole, total) })));
}

function launchPictures(result, place) {
  const launches = result.launches.filter((l) => l.counters && l.cycles), x = launches.map((l) => l.number), parts = launches.map((l) => schedulerCycles(result, l, l.cycles));
  if (!launches.length) return;
  const names = stallCounters().map(reasonOf).filter((name) => parts.some((part) => part[name])), value = (name) => parts.map((part) => part[name] || 0);
  const series = schedulerSeries(names, value, (name) => sum(value(name))), total = sum(series.map((s) => s.whole)), idle = launches.length === 1 ? coresWords(result, launches[0]) : "Cores are left out of a launch in which they had no work-group.";
  if (launches.length > 1) {
    picture(place, { x, xLabel: "launch", yLabel: "scheduler cycles", title: "What schedulers did, launch by launch", help: idle, stacked: true, series });
    return;
  }
  for (const s of series) Object.assign(s, { values: [] });
  place.append(make("div", { class: "picture" }, make("h3", {}, "What schedulers did"), make("p", { class: "faint" }, "Shares of " + count(total, "scheduler cycle") + ". " + idle), shareBar(series, total),
    keyOf(series.map((s) => ({ ...s, whole: 100 * s.whole / total })), " %").element, meanings(series)));
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
    chosen ? make("span", { class: "faint" }, "A sample is " + count(chosen.samples.interval, "cycle") + " or a little more. Keys show the mean, or the value under the pointer. Drag to zoom, double click for all.") : ""), area);
  place.redraw = draw;
  draw();
}
