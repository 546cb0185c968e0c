/* Barriers and fences: tables. */

function waitsAt(result, key) {
  const list = [];
  for (const kernel of result.kernels) for (const wait of kernel[key] || []) list.push({ kernel, ...wait });
  return list;
}

function waitTable(result, list, id, what, columns) {
  const all = [
    { title: what, value: (w) => fileName(w.file) + ":" + w.line + "  " + w.text, kind: "code" },
    { title: "kernel", value: (w) => kernelWords(w.kernel) },
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
    { title: "waited", number: true, value: (w) => w.waited, help: "warp cycles" },
    { title: "a phase", number: true, value: eachOf, help: "warp cycles" },
    { title: "came last most often", value: (w) => (w.last_times ? "warp " + w.last_warp + " of its group" : "") },
    { title: "times", number: true, value: (w) => w.last_times },
  ]);
}

function fencesOf(result) {
  const list = waitsAt(result, "fences");
  if (!list.length) return null;
  return waitTable(result, list, "fence-table", "fence", [
    { title: "fences", number: true, value: (w) => w.times },
    { title: "waited", number: true, value: (w) => w.waited, help: "warp cycles" },
    { title: "each", number: true, value: eachOf, help: "warp cycles" },
    ...["stores", "atomics", "loads", "others"].map((what) => ({ title: "for " + what, number: true, value: (w) => w[what], help: "warp cycles of fences that were over when such a one was answered" })),
  ]);
}
