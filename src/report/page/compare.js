/* What differs between the first result and another: cycles, lines, counters, findings, configuration. */

function fileNames(result) {
  return new Set(costliestLines(result).lines.map(({ line }) => fileName(line.file)));
}

/* A line's key in both results: file and text, since a change moves lines; of a file that the other result has not, as of a program that has
 * another name, the text; where no text is known the place. */
function lineKeys(result, others) {
  const keys = new Map();
  for (const { line } of costliestLines(result).lines.sort((a, b) => a.line.line - b.line.line)) {
    const text = sourceText(result, line.file, line.line), file = fileName(line.file);
    const name = (others.has(file) || text === null ? file : "") + "\n" + (text === null ? line.line : text.trim());
    if (!keys.has(name)) keys.set(name, { places: [], cost: 0, text });
    const entry = keys.get(name);
    entry.places.push(line);
    entry.cost += costOf(line);
  }
  return keys;
}

function comparedLines(before, after) {
  const a = lineKeys(before, fileNames(after)), b = lineKeys(after, fileNames(before)), rows = [];
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    const x = a.get(key), y = b.get(key), from = x ? x.cost : 0, to = y ? y.cost : 0;
    if (from !== to) rows.push({ x, y, from, to, text: (y || x).text });
  }
  return rows.sort((p, q) => Math.abs(q.to - q.from) - Math.abs(p.to - p.from));
}

function placeWords(entry) {
  return entry ? [...new Set(entry.places.map((line) => fileName(line.file) + ":" + line.line))].slice(0, 3).join(", ") : "–";
}

function changeClass(from, to) {
  return to < from ? "good" : to > from ? "bad" : null;
}

function changeCell(from, to, lessIsBetter) {
  return make("span", { class: lessIsBetter ? changeClass(from, to) : null }, change(from, to));
}

function comparisonOf(comparison, before, after, number) {
  const [from, to] = comparison.cycles, lines = comparedLines(before, after), parts = [];
  parts.push(make("p", { class: "verdict" }, make("b", {}, before.name), " → ", make("b", {}, after.name), ": ", grouped(from), " → ", grouped(to) + " cycles, ", make("b", { class: changeClass(from, to) }, change(from, to) || "no change"),
    to && from && to < from ? ", " + (from / to).toFixed(2) + " times as fast" : "", "."));
  if (lines.length)
    parts.push(make("h3", {}, "Lines, the largest change first"), makeTable([
      { title: "before", number: true, value: (r) => r.from },
      { title: "after", number: true, value: (r) => r.to },
      { title: "difference", number: true, value: (r) => Math.abs(r.to - r.from), show: (r) => make("span", { class: changeClass(r.from, r.to) }, (r.to > r.from ? "+" : "−") + grouped(Math.abs(r.to - r.from))) },
      { title: "line before", value: (r) => placeWords(r.x), kind: "code" },
      { title: "line after", value: (r) => placeWords(r.y), kind: "code" },
      { title: "source", value: (r) => (r.text || "").trim(), kind: "code" },
    ], lines, { id: "compared-lines-" + number, sort: 2 }));
  const words = (name) => kernelNamed({ kernels: [...before.kernels, ...after.kernels] }, name);
  const findings = comparison.findings;
  if (findings.length)
    parts.push(make("h3", {}, "Findings"), makeTable([
      { title: "before", number: true, value: (f) => f.count[0] },
      { title: "after", number: true, value: (f) => f.count[1] },
      { title: "cause", value: (f) => f.cause },
      { title: "kernel", value: (f) => (f.kernel ? words(f.kernel) : "") },
      { title: "message", value: (f) => f.message },
    ], findings, {}));
  const counters = comparison.kernels.flatMap((kernel) => Object.entries(kernel.counters).map(([name, value], place) => ({ kernel: words(kernel.kernel), name, value, place })));
  if (counters.length)
    parts.push(make("h3", {}, "Counters, the largest change first"), makeTable([
      { title: "kernel", value: (c) => c.kernel },
      { title: "counter", value: (c) => c.name, show: (c) => breakable(c.name), kind: "code" },
      { title: "before", number: true, value: (c) => c.value[0] },
      { title: "after", number: true, value: (c) => c.value[1] },
      { title: "change", number: true, value: (c) => (c.value[0] ? c.value[1] / c.value[0] - 1 : Infinity), show: (c) => changeCell(c.value[0], c.value[1], c.name === "cycles") },
      { title: "meaning", value: (c) => (DATA.places.has(c.name) ? DATA.counters[DATA.places.get(c.name)].meaning : "") },
    ], counters, { id: "compared-counters-" + number, search: "search counters and kernels" }));
  const alone = comparison.kernels.filter((k) => !k.launches[0] || !k.launches[1]);
  for (const kernel of alone) parts.push(make("p", {}, "Kernel ", make("code", {}, words(kernel.kernel)), kernel.launches[0] ? " only before" : " only after", ": " + count(kernel.launches[0] + kernel.launches[1], "launch", "launches") + "."));
  const fields = Object.entries(comparison.configuration).map(([path, value]) => ({ path, value: value.map((v) => (v === null ? "(not there)" : v)) }));
  if (fields.length)
    parts.push(make("h3", {}, "Configuration"), makeTable([{ title: "field", value: (f) => f.path, kind: "code" }, { title: "before", value: (f) => f.value[0] }, { title: "after", value: (f) => f.value[1] }], fields, {}));
  return parts;
}
