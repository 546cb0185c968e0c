/* Locks, launches, counters and the configuration: tables. */

function locksOf(result) {
  const locks = [];
  for (const kernel of result.kernels) for (const lock of kernel.locks || []) locks.push({ kernel, ...lock });
  if (!locks.length) return null;
  const left = sum(result.kernels.map((k) => (k.lock_count || 0) - (k.locks || []).length));
  const columns = [
    { title: "lock", value: (l) => l.address + (l.groups ? ", of " + count(l.groups, "group") : ""), kind: "code" },
    { title: "kernel", value: (l) => kernelWords(l.kernel), show: (l) => kernelCell(l.kernel) },
    { title: "taken", number: true, value: (l) => l.acquires },
    { title: "failed", number: true, value: (l) => l.failed, help: "attempts of lanes that did not get it" },
    { title: "queue", number: true, value: (l) => l.longest_queue || 0, help: "lanes that waited at a time, at most" },
    { title: "waited", number: true, value: (l) => l.waited, help: "lane cycles from the first failed attempt to the lock" },
    { title: "held, each", number: true, value: (l) => (l.acquires ? Math.round(l.held / l.acquires) : 0), help: "cycles" },
    { title: "from: same warp", number: true, value: (l) => l.from_same_warp, help: "who had it last before" },
    { title: "same core", number: true, value: (l) => l.from_same_core },
    { title: "other core", number: true, value: (l) => l.from_other_core },
    { title: "waited longest", number: true, value: (l) => l.worst },
    { title: "by", value: (l) => l.worst_thread },
  ];
  if (result.kernels.length === 1) columns.splice(1, 1);
  return [makeTable(columns, locks, { id: "lock-table", sort: columns.findIndex((c) => c.title === "waited"), search: "search the locks" }),
    left > 0 ? make("p", { class: "faint" }, "and " + count(left, "more lock") + ", for which less was waited") : ""];
}

function launchesOf(result) {
  const columns = [
    { title: "launch", number: true, value: (l) => l.number },
    { title: "kernel", value: kernelWords, show: kernelCell },
    { title: "cycles", number: true, value: (l) => l.cycles || 0 },
    { title: "warp instructions", number: true, value: (l) => l.warp_instructions || 0 },
    { title: "IPC", number: true, value: (l) => (l.cycles ? l.warp_instructions / l.cycles : 0), show: (l) => (l.cycles ? (l.warp_instructions / l.cycles).toFixed(3) : "–") },
    { title: "SIMD", number: true, value: (l) => counted(l, "smsp__thread_inst_executed.sum") / (counted(l, "smsp__lane_slots.sum") || 1), show: (l) => percent(counted(l, "smsp__thread_inst_executed.sum"), counted(l, "smsp__lane_slots.sum")) },
    { title: "outcome", value: (l) => l.outcome || "" },
    { title: "grid", value: (l) => (l.grid || []).join(",") },
    { title: "block", value: (l) => (l.block || []).join(",") },
    { title: "registers", number: true, value: (l) => l.registers_per_thread || 0 },
    { title: "shared bytes", number: true, value: (l) => l.shared_bytes || 0 },
    { title: "groups a core, limited by", value: (l) => (l.occupancy ? l.occupancy.groups_per_core + ", " + l.occupancy.limiter : "–") },
  ];
  if (result.launches.some((l) => l.launches)) columns.splice(2, 0, { title: "launches", number: true, value: (l) => l.launches || 1 }); // --sum-launches
  return [makeTable(columns, result.launches, { id: "launch-table", search: "search the launches" }),
    result.launch_count > result.launches.length ? make("p", { class: "faint" }, "and " + count(result.launch_count - result.launches.length, "launch", "launches") + " that took fewer cycles; they are in all sums") : ""];
}

/* All kernels together, or one, in a column each. */
function countersOf(result) {
  const kernels = result.kernels.length > 1 ? [{ all: true }, ...result.kernels] : result.kernels, place = make("div", {});
  const rows = (kernel) => DATA.counters.filter((c) => !result.absent.has(c.name)).map((c) => ({ ...c, value: kernel.all ? sum(result.kernels.map((k) => counted(k, c.name))) : counted(kernel, c.name) }));
  let zeros = false;
  if (!kernels.length) return [make("p", { class: "faint" }, "No launches.")];
  function draw() {
    const list = rows(kernels[choice.value]).filter((row) => zeros || row.value);
    place.replaceChildren(makeTable([
      { title: "counter", value: (r) => r.name, show: (r) => breakable(r.name), kind: "code" },
      { title: "value", number: true, value: (r) => r.value },
      { title: "unit", value: (r) => r.unit },
      { title: "meaning", value: (r) => r.meaning },
    ], list, { id: "counter-table", search: "search names and meanings" }));
  }
  const choice = make("select", { "aria-label": "kernel", onchange: draw }, kernels.map((k, n) => make("option", { value: n }, k.all ? "all kernels" : kernelWords(k))));
  draw();
  return [make("div", { class: "tools" }, kernels.length > 1 ? choice : "", make("label", {}, make("input", { type: "checkbox", onchange: (event) => { zeros = event.target.checked; draw(); } }), " those that are 0, too")), place];
}

function configurationOf(result) {
  const rows = Object.entries(result.configuration).map(([path, value]) => ({ path, value: Array.isArray(value) ? value.join(" ") : String(value) }));
  if (!rows.length) return null;
  return makeTable([{ title: "field", value: (r) => r.path, kind: "code" }, { title: "value", value: (r) => r.value, kind: "code" }], rows, { id: "configuration-table", search: "search the configuration" });
}
