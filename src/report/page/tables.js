/* The tables of observers: what they counted of each instruction. */

function tableRows(result, title) {
  const rows = [];
  for (const kernel of result.kernels) for (const table of kernel.tables || []) if (table.title === title) for (const row of table.rows) rows.push({ kernel, ...row });
  return rows;
}

function tableOf(result, title, id) {
  const rows = tableRows(result, title), names = [...new Set(rows.flatMap((r) => Object.keys(r.counts)))];
  const columns = [
    { title: "instruction", value: (r) => (r.file ? fileName(r.file) + ":" + r.line + "  " : "") + r.text, kind: "code" },
    { title: "kernel", value: (r) => kernelWords(r.kernel), show: (r) => kernelCell(r.kernel) },
    ...names.map((name) => ({ title: name.replace(/_/g, " "), number: true, value: (r) => r.counts[name] || 0 })),
  ];
  if (result.kernels.length === 1) columns.splice(1, 1);
  return rows.length ? makeTable(columns, rows, { id, sort: columns.findIndex((c) => c.number), search: "search" }) : make("p", { class: "faint" }, "None counted.");
}

/* A section each. */
function tablesOf(result) {
  const titles = [...new Set(result.kernels.flatMap((k) => (k.tables || []).map((t) => t.title)))];
  return titles.map((title, n) => section("table-" + n, title[0].toUpperCase() + title.slice(1), tableOf(result, title, "observed-" + n)));
}
