/* Warps over time, a row each: from a timeline all that they did, else from samples what they did when each ended. */

const KINDS = [["issues", 3], ["waits at a barrier", 2], ["waits for a lock", 4], ["holds a lock", 5]];
/* Letters of samples: the reason for which a warp could not issue then; r: it could. */
const WARP_STATES = { r: null, w: "wait", n: "no_inst", m: "long_sb", h: "short_sb", f: "membar", b: "barrier", l: "lock", s: "sleeping" };
const WARPS_SHOWN = 64; /* rows of a picture */
const ROW_HEIGHT = 11, AXIS_HEIGHT = 88; /* below and above the rows */

/* Rows by core and warp; of a row the waits first, so that what was issued meanwhile is drawn over them. */
function inOrder(timeline) {
  const numbers = (k) => timeline.rows[k].match(/\d+/g).map(Number), depth = [2, 1, 1, 3];
  const order = timeline.rows.map((_, k) => k).sort((a, b) => numbers(a)[0] - numbers(b)[0] || numbers(a)[1] - numbers(b)[1]), place = [];
  order.forEach((row, k) => { place[row] = k; });
  const slices = timeline.slices.map(([row, ...rest]) => [place[row], ...rest]).sort((a, b) => depth[a[3]] - depth[b[3]]);
  return { rows: order.map((row) => timeline.rows[row]), slices, left_out: timeline.left_out, kinds: KINDS };
}

/* A lock that is held is a line below what the warp does meanwhile. */
function drawSlices(u, timeline, slices, first, count) {
  const context = u.ctx, scale = window.devicePixelRatio || 1, row = u.bbox.height / count;
  context.save();
  context.beginPath();
  context.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  context.clip();
  for (const [at, start, cycles, kind] of slices) {
    const mark = timeline.marks ? Math.min(3, timeline.marks * u.bbox.width / (u.scales.x.max - u.scales.x.min) / 2) * scale : 0;
    const left = u.valToPos(start, "x", true) - mark, right = u.valToPos(start + cycles, "x", true) + mark;
    if (right < u.bbox.left || left > u.bbox.left + u.bbox.width) continue;
    const thin = timeline.kinds === KINDS && kind === 3, top = u.bbox.top + (at - first) * row;
    context.fillStyle = colour(timeline.kinds[kind][1]);
    context.fillRect(left, top + row * (thin ? 0.78 : 0.1), Math.max(right - left, scale / 2), row * (thin ? 0.2 : 0.62));
  }
  context.restore();
}

function warpPicture(place, timeline, first) {
  const count = Math.min(WARPS_SHOWN, timeline.rows.length - first), slices = timeline.slices.filter((s) => s[0] >= first && s[0] < first + count);
  const start = timeline.marks ? 0 : Math.min(...slices.map((s) => s[1])), end = timeline.end || Math.max(...slices.map((s) => s[1] + s[2]));
  const axis = { stroke: ink("faint"), grid: { stroke: ink("rule"), width: 1 }, ticks: { stroke: ink("rule"), width: 1 } };
  const names = timeline.rows.slice(first, first + count), step = Math.ceil(count / 32);
  const under = make("p", { class: "faint" }, "\u00a0"), box = make("div", { class: "picture", id: "warp-picture" });
  const options = {
    width: pictureWidth(place), height: count * ROW_HEIGHT + AXIS_HEIGHT, legend: { show: false }, cursor: { drag: { x: true, y: false }, points: { show: false } },
    scales: { x: { time: false }, y: { range: () => [0, count] } },
    axes: [{ ...axis, label: "cycle", labelSize: 20, labelFont: "12px system-ui, sans-serif", labelGap: 2, values: (u, values) => values.map((v) => short(v, 4)) },
      { ...axis, size: 120, grid: { show: false }, font: "10px system-ui, sans-serif", splits: () => names.map((_, k) => k).filter((k) => k % step === 0).map((k) => count - k - 0.5), values: (u, values) => values.map((v) => names[Math.round(count - v - 0.5)]) }],
    series: [{}, { show: true, stroke: "transparent", points: { show: false } }],
    hooks: { draw: [(u) => drawSlices(u, timeline, slices, first, count)], setCursor: [(u) => { under.textContent = underCursor(u, timeline, slices, first, count); }] },
  };
  place.replaceChildren(box, under);
  PICTURES.push(new uPlot(options, [[start, end], [0, 0]], box));
}

function underCursor(u, timeline, slices, first, rows) {
  const cycle = u.posToVal(u.cursor.left, "x"), at = first + Math.floor((u.cursor.top / u.over.clientHeight) * rows);
  if (u.cursor.left < 0 || !timeline.rows[at]) return "\u00a0";
  const row = slices.filter((s) => s[0] === at);
  if (timeline.marks) {
    const nearest = row.reduce((best, s) => (!best || Math.abs(s[1] - cycle) < Math.abs(best[1] - cycle) ? s : best), null);
    return timeline.rows[at] + (nearest ? ", at cycle " + grouped(nearest[1]) + ": " + timeline.kinds[nearest[3]][0] : "");
  }
  const here = row.filter((s) => s[1] <= cycle && cycle < s[1] + s[2]);
  return timeline.rows[at] + ", cycle " + grouped(Math.floor(cycle)) + ": " + (here.map((s) => timeline.kinds[s[3]][0] + " from " + grouped(s[1]) + ", " + count(s[2], "cycle") + (s[4] === undefined ? "" : ", work-group " + s[4])).join("; ") || "waits for something else, or is not there");
}

/* The samples of a launch as a timeline of marks: what a warp did is known for the cycle in which a sample ended, and for
 * no other.  `marks`: how many cycles are between them, at the least. */
function ofSamples(samples) {
  const letters = Object.keys(WARP_STATES), slices = [], warps = samples.warps.slice().sort((a, b) => a.core - b.core || a.warp - b.warp), ends = [];
  for (const cycles of samples.cycles) ends.push((ends[ends.length - 1] || 0) + cycles);
  warps.forEach((warp, row) => ends.forEach((end, k) => {
    const kind = letters.indexOf(warp.states[k]);
    if (kind >= 0) slices.push([row, end, 0, kind]);
  }));
  const kinds = Object.values(WARP_STATES).map((name) => (name ? [reasonWords(name), reasonColour(name)] : ["could issue", 3]));
  return { rows: warps.map((warp) => "core " + warp.core + " warp " + warp.warp), slices, left_out: 0, kinds, marks: Math.min(...samples.cycles), end: ends[ends.length - 1] };
}

/* Kinds that are drawn anywhere. */
function usedKinds(timeline) {
  const used = new Set(timeline.slices.map((s) => s[3]));
  return timeline.kinds.filter((_, k) => used.has(k));
}

/* Rows of one timeline, and the choice among them. */
function warpRows(timeline, place, redraw) {
  const starts = [];
  for (let k = 0; k < timeline.rows.length; k += WARPS_SHOWN) starts.push(k);
  const choice = make("select", { "aria-label": "warps", onchange: redraw },
    starts.map((k, n) => make("option", { value: n }, timeline.rows[k] + " to " + timeline.rows[Math.min(k + WARPS_SHOWN, timeline.rows.length) - 1])));
  const keys = make("div", { class: "keys" }, usedKinds(timeline).map(([words, k]) => make("span", { class: "key", style: "--colour: var(--c" + k + ")" }, words)));
  return { parts: [starts.length > 1 ? make("div", { class: "tools" }, choice) : "", keys, place], draw: () => warpPicture(place, timeline, starts[choice.value || 0]) };
}

function warpsOf(result) {
  if (!result.timeline || !result.timeline.slices.length) return sampledWarpsOf(result);
  const timeline = inOrder(result.timeline), place = make("div", {}), rows = warpRows(timeline, place, () => rows.draw());
  const section = [make("p", { class: "faint" }, "A row for each warp slot; nothing is drawn while it waits for something else. Drag to zoom, double click for all."), ...rows.parts,
    timeline.left_out ? make("p", { class: "faint" }, "and " + count(timeline.left_out, "slice") + " more in the timeline, for which a smaller --trace-window leaves room") : ""];
  return { section, draw: rows.draw };
}

function sampledWarpsOf(result) {
  const launches = result.launches.filter((l) => l.samples && (l.samples.warps || []).length), area = make("div", {});
  if (!launches.length) return null;
  let chosen = launches.slice().sort((a, b) => b.cycles - a.cycles)[0], rows = null;
  function choose() {
    rows = warpRows(ofSamples(chosen.samples), make("div", {}), () => rows.draw());
    area.replaceChildren(...rows.parts.filter((part) => part));
  }
  const choice = make("select", { "aria-label": "launch of the warps", onchange: () => { chosen = launches[choice.value]; choose(); rows.draw(); } },
    launches.map((l, n) => make("option", { value: n, selected: l === chosen ? "" : null }, "launch " + l.number + ": " + kernelWords(l) + ", " + count(l.cycles, "cycle"))));
  choose();
  const section = [make("p", { class: "faint" }, "A mark shows what a warp did, or waited for, in the cycle in which a sample ended; nothing is known of the cycles between marks, and there is none where the warp slot was empty. A row for each of the first warp slots that the launch had. Drag to zoom, double click for all."),
    launches.length > 1 ? make("div", { class: "tools" }, choice) : "", area];
  return { section, draw: () => rows.draw() };
}
