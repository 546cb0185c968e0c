/* Barriers, mbarriers and fences: tables. */

function waitsAt(result, key) {
  const list = [];
  for (const kernel of result.kernels) for (const wait of kernel[key] || []) list.push({ kernel, ...wait });
  return list;
}

function waitTable(result, list, id, what, columns) {
  const all = [
    { title: what, value: (w) => fileName(w.file) + ":" + w.line + "  " + w.text, kind: "code" },
    { title: "kernel", value: (w) => kernelWords(w.kernel), show: (w) => kernelCell(w.kernel) },
    ...columns,
    { title: "waited longest", number: true, value: (w) => w.worst, help: "cycles" },
    { title: "by", value: (w) => w.worst_thread },
  ];
  if (result.kernels.length === 1) all.splice(1, 1);
  return makeTable(all, list, { id, sort: all.findIndex((c) => c.title === "waited"), search: "search" });
}

function eachOf(w) {
  return w.times ? Math.round(w.waited / w.times) : 0;
}

function barriersOf(result) {
  const list = waitsAt(result, "barriers");
  if (!list.length) return null;
  return waitTable(result, list, "barrier-table", "barrier", [
    { title: "phases", number: true, value: (w) => w.times, help: "how often it opened, the last warp having come here" },
    { title: "waits", number: true, value: (w) => w.waits || 0, help: "of warps that came and were let go" },
    { title: "waited", number: true, value: (w) => w.waited, help: "warp cycles" },
    { title: "a phase", number: true, value: eachOf, help: "warp cycles" },
    { title: "idle", number: true, value: (w) => meanOf(w.idle || 0, w.times), help: "cycles until the first thread of a phase came, a mean" },
    { title: "filling", number: true, value: (w) => meanOf(w.filling || 0, w.times), help: "cycles from there until the barrier opened, a mean" },
    { title: "came last most often", value: (w) => (w.last_times ? "warp " + w.last_warp + " of " + (w.last_group ? "group " + w.last_group : "its group") : "") },
    { title: "times", number: true, value: (w) => w.last_times },
    ...(list.some((w) => w.words) ? [{ title: "words polled", number: true, value: (w) => w.words || 0, help: "of global memory; 0: a barrier of work-groups" }] : []),
  ]);
}

function answeredOf(w) {
  const parts = ["stores", "atomics", "loads", "others"].filter((what) => w[what]).map((what) => what + " " + percent(w[what], w.waited));
  return parts.join(", ") + (w.missed ? "; L2 missed " + percent(w.missed, w.waited) : "");
}

function fencesOf(result) {
  const list = waitsAt(result, "fences");
  if (!list.length) return null;
  return waitTable(result, list, "fence-table", "fence", [
    { title: "fences", number: true, value: (w) => w.times },
    { title: "waited", number: true, value: (w) => w.waited, help: "warp cycles" },
    { title: "each", number: true, value: eachOf, help: "warp cycles" },
    { title: "answered last", value: answeredOf, help: "parts of the waiting: fences that were over when such a one was answered; and where the L2 did not have it" },
    { title: "fixed, each", number: true, value: (w) => (w.times ? Math.round(w.fixed / w.times) : 0), help: "cycles behind the last answer: what the fence itself takes" },
    { title: "emptied L1", number: true, value: (w) => w.emptied, help: "fences" },
  ]);
}

/* Sums that a table shows as means of `times`. */
function meanOf(sum, times) {
  return times ? Math.round(sum / times) : 0;
}

function mbarrierTable(result, list) {
  const columns = [
    { title: "mbarriers", value: (m) => m.address, kind: "code" },
    { title: "initialised at", value: (m) => fileName(m.file) + ":" + m.line + "  " + m.text, kind: "code" },
    { title: "kernel", value: (m) => kernelWords(m.kernel), show: (m) => kernelCell(m.kernel) },
    { title: "objects", number: true, value: (m) => m.objects, help: "how often one was initialised there" },
    { title: "phases", number: true, value: (m) => m.phases },
    { title: "arrivals", number: true, value: (m) => m.arrivals },
    { title: "bytes", number: true, value: (m) => m.bytes },
    { title: "idle", number: true, value: (m) => meanOf(m.idle, m.phases), help: "cycles of a phase in the mean until the first arrival or byte" },
    { title: "filling", number: true, value: (m) => meanOf(m.filling, m.phases), help: "cycles from there until the phase was over" },
    { title: "ready", number: true, value: (m) => meanOf(m.ready, m.seen), help: "cycles from the end of a phase until a wait found it complete" },
    { title: "unseen", number: true, value: (m) => m.unseen, help: "phases that no wait had found complete when the next one ended" },
    { title: "waited", number: true, value: (m) => m.waited, help: "warp cycles" },
  ];
  if (result.kernels.length === 1) columns.splice(2, 1);
  return makeTable(columns, list, { id: "mbarrier-table", sort: columns.length - 1, search: "search" });
}

function mbarriersOf(result) {
  const list = waitsAt(result, "mbarriers"), waits = [];
  if (!list.length) return null;
  for (const m of list) for (const wait of m.waits) waits.push({ kernel: m.kernel, address: m.address, ...wait });
  const who = waitTable(result, waits, "mbarrier-wait-table", "wait", [
    { title: "for", value: (w) => w.address, kind: "code" },
    { title: "waits", number: true, value: (w) => w.passed, help: "that a warp went on from" },
    { title: "of them in vain at first", number: true, value: (w) => w.waits, help: "the phase was open" },
    { title: "looks in vain", number: true, value: (w) => w.failed, help: "answers that the phase is open" },
    { title: "waited", number: true, value: (w) => w.waited, help: "warp cycles" },
    { title: "each", number: true, value: (w) => meanOf(w.waited, w.waits), help: "warp cycles" },
  ]);
  return [mbarrierTable(result, list), waits.length ? who : ""];
}
