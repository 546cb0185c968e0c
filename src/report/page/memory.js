/* A kernel's memory chart: requests and bytes between its warps, the L1 and shared memory, the L2 and DRAM. */

const CHART = { top: 2, box: 120, height: 92, gap: 92 };

/* Sums of counters. */
function memoryOf(result, kernel) {
  const get = (name) => counted(kernel, name), flit = field(result, "crossbar.flit"), burst = field(result, "dram.burst_bytes");
  return { loads: get("l1tex__t_requests_load.sum"), stores: get("l1tex__t_requests_store.sum"), atomics: get("sm__inst_executed_atomic.sum"),
    lookups: get("l1tex__t_lookups.sum"), hits: get("l1tex__t_hits.sum"), shared: get("l1tex__shared_requests.sum"), conflicts: get("l1tex__shared_bank_conflict_cycles.sum"),
    down: get("l1tex__m_flits.sum") * flit, up: get("l1tex__m_reply_flits.sum") * flit,
    sectors: get("lts__t_sectors_op_read.sum") + get("lts__t_sectors_op_write.sum"), sectorHits: get("lts__t_sectors_op_read_lookup_hit.sum") + get("lts__t_sectors_op_write_lookup_hit.sum"), l2Atomics: get("lts__t_atomics.sum"),
    read: get("dram__bursts_read.sum") * burst, written: get("dram__bursts_write.sum") * burst, rowHits: get("dram__row_hits.sum"), rowMisses: get("dram__row_misses.sum") };
}

function chartBox(x, y, name, lines) {
  return [svg("rect", { x, y, width: CHART.box, height: CHART.height, rx: 6 }), svg("text", { x: x + CHART.box / 2, y: y + 20, class: "name", "text-anchor": "middle" }, name),
    lines.map((line, k) => svg("text", { x: x + CHART.box / 2, y: y + 42 + k * LINE_HEIGHT, class: "faint", "text-anchor": "middle" }, line))];
}

/* Words above an arrow from one x to another; nothing moved: faint. */
function chartArrow(x1, x2, y, words, any) {
  return [svg("path", { d: `M ${x1} ${y} H ${x2}`, class: any ? null : "none", "marker-end": "url(#chart-arrow)" }), svg("text", { x: (x1 + x2) / 2, y: y - 5, "text-anchor": "middle", class: any ? null : "faint" }, words)];
}

function drawMemory(m) {
  const { box, gap, top, height } = CHART, at = (k) => 1 + k * (box + gap), second = top + height + 40, middle = second + height / 2;
  const [a, b, c] = [0, 1, 2].map((k) => [at(k) + box + 3, at(k + 1) - 4]);
  const tall = svg("rect", { x: at(0), y: top, width: box, height: second + height - top, rx: 6 });
  return drawing("memory", "memory chart", at(3) + box + 2, second + height + 4, svg("defs", {}, arrowHead("chart-arrow")),
    tall, svg("text", { x: at(0) + box / 2, y: (top + second + height) / 2, class: "name", "text-anchor": "middle" }, "Warps"),
    chartBox(at(1), top, "L1", m.lookups ? [percent(m.hits, m.lookups) + " hits", "of " + short(m.lookups), "line lookups"] : ["no lookups"]),
    chartBox(at(2), top, "L2", m.sectors ? [percent(m.sectorHits, m.sectors) + " hits", "of " + short(m.sectors) + " sectors", short(m.l2Atomics) + " atomics"] : [short(m.l2Atomics) + " atomics"]),
    chartBox(at(3), top, "DRAM", m.rowHits + m.rowMisses ? [percent(m.rowHits, m.rowHits + m.rowMisses), "row hits"] : ["not used"]),
    chartBox(at(1), second, "Shared memory", m.shared ? [short(m.conflicts) + " cycles", "of bank conflicts"] : ["not used"]),
    chartArrow(...a, top + 24, short(m.loads) + " loads", m.loads), chartArrow(...a, top + 52, short(m.stores) + " stores", m.stores), chartArrow(...a, top + 80, short(m.atomics) + " atomics", m.atomics),
    chartArrow(...a, middle, short(m.shared) + " req.", m.shared),
    chartArrow(...b, top + 36, bytesWords(m.down), m.down), chartArrow(b[1] + 1, b[0] + 1, top + 70, bytesWords(m.up), m.up),
    chartArrow(...c, top + 36, bytesWords(m.written), m.written), chartArrow(c[1] + 1, c[0] + 1, top + 70, bytesWords(m.read), m.read));
}

function memoryBox(result, kernel) {
  return make("div", { class: "pair" }, drawMemory(memoryOf(result, kernel)),
    make("p", { class: "faint" }, make("b", {}, "Memory chart."), " Loads, stores, atomics and requests (req.) are warp instructions; global memory at the L1, atomics of any space. Bytes between L1 and L2 are flits × ", make("code", {}, "crossbar.flit"), ", headers included; those of DRAM are bursts × ", make("code", {}, "dram.burst_bytes"), "."));
}
