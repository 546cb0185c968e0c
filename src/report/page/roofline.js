/* A kernel's roofline: its operations a second over its operations for each byte, below what the model permits.  Peaks
 * follow from fields of the model alone; `formula` says how. */

/* Operations by kind: their counter; the unit that does them, by the field for how many instructions it starts in a cycle,
 * the first that is not 0; and what it does fastest: the field for how many cycles that takes it, operations of a lane. */
const WORK = [
  { name: "fp32", words: "single-precision", counter: "sm__ops_fp32.sum", unit: ["unit.alu"], rates: [["interval.fp_mad", 2]] },
  { name: "fp64", words: "double-precision", counter: "sm__ops_fp64.sum", unit: ["unit.dp", "unit.sfu"], rates: [["interval.dp_mad", 2]] },
  { name: "fp16", words: "half-precision", counter: "sm__ops_fp16.sum", unit: ["unit.alu"], rates: [["interval.fp_mad", 4]] },
  { name: "tensor", words: "matrix", counter: "sm__ops_tensor.sum", unit: ["unit.sfu"], rates: [["interval.matrix", 128]] },
  { name: "integer", words: "integer", counter: "sm__ops_integer.sum", unit: ["unit.int", "unit.alu"], rates: [["interval.int_mad", 2], ["interval.int_add", 1]] },
];

/* The floating-point kind with most operations; integer where there are none. */
function workOf(kernel) {
  const floats = WORK.slice(0, -1).sort((a, b) => counted(kernel, b.counter) - counted(kernel, a.counter));
  return counted(kernel, floats[0].counter) ? floats[0] : WORK[WORK.length - 1];
}

function giga(kilo) {
  return +(kilo / 1e6).toPrecision(4) + " GHz";
}

/* { value: operations a second, formula, fields }. */
function computePeak(result, work) {
  const get = (path) => field(result, path), lanes = get("core.warp_size"), schedulers = get("core.schedulers"), unit = work.unit.find(get) || work.unit[0];
  const units = get(unit) * (get("core.subcores") ? schedulers : 1), passes = lanes / (get("core.simd_width") || lanes);
  const rates = work.rates.map(([path, each]) => ({ path, each, issued: Math.min(schedulers * get("core.issue"), units / Math.max(get(path), passes)) })), best = rates.reduce((a, b) => (b.issued * b.each > a.issued * a.each ? b : a));
  return { value: get("core.count") * best.issued * lanes * best.each * get("clock.core") * 1e3,
    formula: `${get("core.count")} cores × ${+best.issued.toPrecision(4)} warp instructions a cycle × ${lanes} lanes × ${count(best.each, "operation")} × ${giga(get("clock.core"))}`,
    fields: ["core.count", "core.schedulers", "core.issue", unit, best.path, "core.warp_size", "clock.core"] };
}

/* { name, value: bytes a second, bytes: what the kernel moved, formula }. */
function bandwidths(result, kernel) {
  const get = (path) => field(result, path), cycles = Math.max(get("dram.burst_cycles"), get("dram.tCCD")), sectors = counted(kernel, "lts__t_sectors_op_read.sum") + counted(kernel, "lts__t_sectors_op_write.sum") + counted(kernel, "lts__t_atomics.sum");
  return [
    { name: "DRAM", colour: 4, bytes: (counted(kernel, "dram__bursts_read.sum") + counted(kernel, "dram__bursts_write.sum")) * get("dram.burst_bytes"), value: get("dram.channels") * get("dram.burst_bytes") / cycles * get("clock.dram") * 1e3,
      formula: `${get("dram.channels")} channels × ${get("dram.burst_bytes")} bytes / ${cycles} cycles × ${giga(get("clock.dram"))}`, fields: ["dram.channels", "dram.burst_bytes", "dram.burst_cycles", "dram.tCCD", "clock.dram"] },
    { name: "L2", colour: 1, bytes: sectors * get("l2.sector"), value: get("l2.slices") * get("l2.port") * get("clock.core") * 1e3,
      formula: `${get("l2.slices")} slices × ${get("l2.port")} bytes a cycle × ${giga(get("clock.core"))}`, fields: ["l2.slices", "l2.port", "clock.core"] },
  ];
}

/* What a roofline shows: null without a clock, without operations, or of a result whose model is not known. */
function rooflineOf(result, kernel) {
  const work = workOf(kernel), operations = counted(kernel, work.counter), peak = computePeak(result, work), roofs = bandwidths(result, kernel), seconds = kernel.cycles / (field(result, "clock.core") * 1e3);
  if (!kernel.cycles || !operations || !peak.value || roofs.some((roof) => !roof.value)) return null;
  return { work, operations, seconds, rate: operations / seconds, peak, roofs: roofs.map((roof) => ({ ...roof, intensity: roof.bytes ? operations / roof.bytes : null })) };
}

const ROOF = { width: 600, height: 330, left: 66, right: 18, top: 16, bottom: 46 };

/* Powers of ten from one to another. */
function decades(low, high) {
  return Array.from({ length: Math.round(Math.log10(high / low)) + 1 }, (_, k) => low * 10 ** k);
}

/* Both axes: powers of ten around all points and where each bandwidth reaches the compute peak. */
function roofScales(r) {
  const xs = r.roofs.flatMap((roof) => [roof.intensity, r.peak.value / roof.value]).filter(Boolean), below = (v) => 10 ** Math.floor(Math.log10(v)), above = (v) => 10 ** Math.ceil(Math.log10(v));
  const x = [below(Math.min(...xs) / 2), above(Math.max(...xs) * 2)], y = [below(r.rate / 2), above(r.peak.value * 1.2)];
  const at = ([low, high], first, last) => (v) => first + (last - first) * Math.log10(v / low) / Math.log10(high / low);
  return { x, y, atX: at(x, ROOF.left, ROOF.width - ROOF.right), atY: at(y, ROOF.height - ROOF.bottom, ROOF.top) };
}

function roofAxes({ x, y, atX, atY }) {
  const bottom = ROOF.height - ROOF.bottom, right = ROOF.width - ROOF.right, every = Math.ceil(decades(...x).length / 9);
  return [decades(...x).filter((_, k) => k % every === 0).map((v) => [svg("path", { class: "grid", d: `M ${atX(v)} ${ROOF.top} V ${bottom}` }), svg("text", { x: atX(v), y: bottom + 16, class: "faint", "text-anchor": "middle" }, v < 1 ? String(+v.toPrecision(1)) : short(v))]),
    decades(...y).map((v) => [svg("path", { class: "grid", d: `M ${ROOF.left} ${atY(v)} H ${right}` }), svg("text", { x: ROOF.left - 6, y: atY(v) + 4, class: "faint", "text-anchor": "end" }, short(v))]),
    svg("text", { x: (ROOF.left + right) / 2, y: ROOF.height - 8, "text-anchor": "middle" }, "operations for each byte"),
    svg("text", { x: 12, y: (ROOF.top + bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${(ROOF.top + bottom) / 2})` }, "operations a second")];
}

/* A bandwidth's slope up to the compute peak, and the kernel's point under it. */
function roofParts(r, scales, roof, first) {
  const { x, y, atX, atY } = scales, ridge = r.peak.value / roof.value, from = Math.max(x[0], y[0] / roof.value), style = `--colour: var(--c${roof.colour})`;
  const angle = -Math.atan2(atY(from * roof.value) - atY(r.peak.value), atX(ridge) - atX(from)) * 180 / Math.PI, middle = Math.sqrt(from * ridge), place = `${atX(middle)} ${atY(middle * roof.value)}`;
  const parts = [svg("path", { class: "roof", style, d: `M ${atX(from)} ${atY(from * roof.value)} L ${atX(ridge)} ${atY(r.peak.value)}` }),
    svg("text", { class: "roof", style, x: atX(middle), y: atY(middle * roof.value) + (first ? 14 : -6), "text-anchor": "middle", transform: `rotate(${angle} ${place})` }, roof.name + " " + bytesWords(roof.value) + "/s")];
  if (roof.intensity) {
    const px = atX(roof.intensity), py = atY(r.rate);
    parts.push(svg("circle", { class: "point", style, cx: px, cy: py, r: 6 }, svg("title", {}, `${short(roof.intensity)} operations for each byte of ${roof.name}, ${short(r.rate)} operations a second`)),
      svg("text", { x: px, y: py + (first ? -11 : 20), "text-anchor": px > ROOF.width - 120 ? "end" : px < ROOF.left + 60 ? "start" : "middle" }, "by " + roof.name + " bytes"));
  }
  return parts;
}

function drawRoofline(r) {
  const scales = roofScales(r), { atX, atY, x } = scales, knee = Math.min(...r.roofs.map((roof) => r.peak.value / roof.value));
  return drawing("roofline", "roofline", ROOF.width, ROOF.height, roofAxes(scales),
    svg("path", { class: "roof", d: `M ${atX(knee)} ${atY(r.peak.value)} H ${atX(x[1])}`, style: "--colour: var(--ink)" }),
    svg("text", { x: ROOF.width - ROOF.right - 4, y: atY(r.peak.value) - 6, "text-anchor": "end" }, r.work.words + " peak " + short(r.peak.value) + "/s"),
    r.roofs.flatMap((roof, k) => roofParts(r, scales, roof, k === 0)));
}

/* What the drawing shows, and where its peaks come from. */
function rooflineWords(r) {
  const items = r.roofs.map((roof) => make("li", {}, make("b", {}, roof.name + " "), roof.bytes ? `${bytesWords(roof.bytes)} moved, ${short(roof.intensity)} operations for each byte, ${percent(roof.bytes / r.seconds, roof.value)} of the peak of ${bytesWords(roof.value)}/s` : `moved no bytes, so it has no point; peak ${bytesWords(roof.value)}/s`,
    make("span", { class: "faint" }, " = " + roof.formula + " (" + roof.fields.join(", ") + ")")));
  return [make("p", {}, make("b", {}, "Roofline."), ` Counted: ${short(r.operations)} ${r.work.words} operations (`, make("code", {}, r.work.counter), `) in ${timeWords(r.seconds)}: ${short(r.rate)} a second, ${percent(r.rate, r.peak.value)} of the peak. A multiply-add is two operations.`),
    make("ul", { class: "peaks" }, make("li", {}, make("b", {}, "Peak "), short(r.peak.value) + " operations/s", make("span", { class: "faint" }, " = " + r.peak.formula + " (" + r.peak.fields.join(", ") + ")")), items)];
}

function rooflineBox(result, kernel) {
  const r = rooflineOf(result, kernel);
  if (!r) return make("p", { class: "faint" }, kernel.cycles ? "No roofline: no arithmetic operations were counted, or the model's fields are not known." : "No roofline: functional mode has no clock.");
  return make("div", { class: "pair" }, drawRoofline(r), make("div", {}, rooflineWords(r)));
}

const KERNELS_OPEN = 3;

function roofsOf(result) {
  const kernels = result.kernels.filter((k) => k.cycles && k.counters).sort((a, b) => b.cycles - a.cycles);
  const both = (k) => [rooflineBox(result, k), memoryBox(result, k)];
  if (!kernels.length || !Object.keys(result.configuration).length) return null;
  return [make("p", { class: "faint" }, "All launches of a kernel together. Close to a sloped line, bandwidth limits the kernel; close to the flat line, arithmetic does; far below both, it is latency or too little parallelism."),
    kernels.map((k, n) => (kernels.length === 1 ? both(k) : make("details", { open: n < KERNELS_OPEN ? "" : null }, make("summary", {}, make("b", {}, kernelWords(k)), make("span", { class: "faint" }, " " + count(k.launches, "launch", "launches") + ", " + count(k.cycles, "cycle"))), both(k))))];
}
