/* The source with what each line cost, per file: heat is a line's part of the costliest line's cycles. */

const CONTEXT = 4; /* lines shown around those that cost anything */

/* The text of a line; null where the page has none. */
function sourceText(result, file, line) {
  const source = result.sources[file];
  if (!source) return null;
  if (source.text !== undefined) {
    if (!source.split) source.split = source.text.split(/\r?\n/);
    return line >= 1 && line <= source.split.length ? source.split[line - 1] : null;
  }
  return source.lines && source.lines[line] !== undefined ? source.lines[line] : null;
}

function addCost(to, cost) {
  to.issued += cost.issued;
  to.lanes += cost.lanes;
  for (const key of ["stalls", "counters"])
    for (const [name, value] of Object.entries(cost[key])) to[key][name] = (to[key][name] || 0) + value;
}

/* Of a kernel, or of all (null): files, the costliest first, with their lines. */
function costsByFile(result, kernel) {
  const files = new Map();
  for (const k of kernel ? [kernel] : result.kernels)
    for (const line of k.lines || []) {
      if (!files.has(line.file)) files.set(line.file, { file: line.file, cost: 0, lines: new Map() });
      const file = files.get(line.file);
      if (!file.lines.has(line.line)) file.lines.set(line.line, { file: line.file, line: line.line, issued: 0, lanes: 0, stalls: {}, counters: {}, instructions: [] });
      const into = file.lines.get(line.line);
      addCost(into, line);
      into.instructions.push(...(line.instructions || []));
      file.cost += costOf(line);
    }
  return [...files.values()].sort((a, b) => b.cost - a.cost);
}

const STATES = {
  changed: "The file has changed since the run: only the lines that the result itself has are shown, as they were.",
  gone: "The file cannot be read here: only the lines that the result itself has are shown.",
  none: "The result does not have this text: it could not be read when the result was written. PTX from a compiler is in no file, for example.",
  unknown: "The result does not say what this file was when it ran, so its text is not shown.",
};

function costCells(result, cost, total, most) {
  const slots = cost.issued * (result.configuration["core.warp_size"] || 32), cycles = costOf(cost), reason = mainReason(cost);
  const heat = most ? `background: rgba(var(--heat), ${(0.75 * Math.sqrt(cycles / most)).toFixed(3)})` : null;
  return [make("td", { class: "number", style: heat }, percent(cycles, total)), make("td", { class: "number" }, grouped(cycles)),
    make("td", { class: "number" }, grouped(cost.issued)), make("td", { class: "number" }, percent(cost.lanes, slots)),
    make("td", { title: reason && reasonWords(reason.name) }, reason && reason.cycles >= 0.05 * cycles ? reasonShort(reason.name) + " " + percent(reason.cycles, cycles, 0) : "")];
}

/* In place of a text that the page does not have: a line of PTX is its instruction. */
function missingText(file, cost) {
  return !cost ? "" : file.endsWith(".ptx") && cost.instructions.length === 1 ? cost.instructions[0].text : "(text not known)";
}

/* A row of a line, and below it those of its instructions when it is clicked. */
function lineRows(result, file, number, cost, total, most) {
  const text = sourceText(result, file.file, number), title = cost ? lineFacts(cost).join("; ") : null;
  const row = make("tr", { class: cost && cost.instructions.length ? "has" : null, title, "data-line": number },
    cost ? costCells(result, cost, total, most) : Array.from({ length: 5 }, () => make("td", {})),
    make("td", { class: "line" }, number || ""), make("td", { class: "text code" }, text === null ? missingText(file.file, cost) : text));
  let below = null;
  row.addEventListener("click", () => {
    if (!cost || !cost.instructions.length) return;
    if (below) {
      for (const other of below) other.remove();
      below = null;
      return;
    }
    below = cost.instructions.map((i) => make("tr", { class: "instruction", title: lineFacts(i).join("; ") }, costCells(result, i, total, 0), make("td", { class: "line" }, i.pc), make("td", { class: "text code" }, "  " + i.text)));
    row.after(...below);
  });
  return row;
}

/* Which lines are shown: those with costs and their neighbours, or all. */
function shownLines(result, file, all) {
  const source = result.sources[file.file] || {}, lines = new Set(), length = source.text === undefined ? 0 : (sourceText(result, file.file, 1), source.split.length);
  for (const number of file.lines.keys())
    for (let k = all || !length ? number : number - CONTEXT; k <= (all || !length ? number : number + CONTEXT); k++) if (k === number || (k >= 1 && k <= length)) lines.add(k);
  for (let k = 1; all && k <= length; k++) lines.add(k);
  return [...lines].sort((a, b) => a - b);
}

function fileTable(result, file, total, most) {
  const source = result.sources[file.file], body = make("tbody", {}), scroll = make("div", { class: "scroll tall" });
  let all = false;
  function draw() {
    let before = null;
    body.replaceChildren(...shownLines(result, file, all).flatMap((number) => {
      const gap = before !== null && number > before + 1 ? [make("tr", { class: "gap" }, make("td", { colspan: 7 }, ""))] : [];
      before = number;
      return [...gap, lineRows(result, file, number, file.lines.get(number), total, most)];
    }));
    scroll.style.setProperty("--rows", body.rows.length + 1);
  }
  draw();
  scroll.append(make("table", { class: "source code" },
    make("thead", {}, make("tr", {}, ["share", isTimed(result) ? "cycles" : "issues", "issued", "lanes"].map((t) => make("th", { class: "number" }, t)), ["stalled for", "line", "source (a click shows the instructions)"].map((t) => make("th", {}, t)))), body));
  const whole = source && source.text !== undefined ? make("label", {}, make("input", { type: "checkbox", onchange: (event) => { all = event.target.checked; draw(); } }), " the whole file") : "";
  return make("div", { class: "file", "data-file": file.file }, make("h3", {}, make("span", { class: "code" }, file.file || "(no file known)"), make("span", { class: "faint" }, " " + percent(file.cost, total))),
    source && STATES[source.state] ? make("p", { class: "bad state" }, STATES[source.state]) : "", make("div", { class: "tools" }, whole),
    scroll);
}

function sourceOf(result) {
  const kernels = result.kernels.filter((k) => k.lines && k.lines.length), place = make("div", {});
  if (!kernels.length) return [make("p", { class: "faint" }, "No costs of lines: run with --profile.")];
  function draw(kernel) {
    const files = costsByFile(result, kernel), total = sum(files.map((f) => f.cost));
    const most = Math.max(0, ...files.flatMap((f) => [...f.lines.values()].map(costOf)));
    place.replaceChildren(...files.map((file) => fileTable(result, file, total, most)));
  }
  const choice = make("select", { "aria-label": "kernel", onchange: () => draw(kernels[choice.value] || null) }, kernels.length > 1 ? make("option", { value: "all" }, "all kernels") : "",
    kernels.map((k, n) => make("option", { value: n }, kernelWords(k) + ", " + count(k.launches, "launch", "launches"))));
  draw(kernels.length > 1 ? null : kernels[0]);
  return [make("div", { class: "tools" }, choice), place];
}

/* After a link was followed to the section: its line. */
function showSourceLine(result, file, line) {
  if (result !== SHOWN.result) return;
  setTimeout(() => {
    for (const row of document.querySelectorAll("#source .target")) row.classList.remove("target");
    for (const table of document.querySelectorAll("#source .file"))
      if (table.dataset.file === file)
        for (const row of table.querySelectorAll("tr[data-line]"))
          if (Number(row.dataset.line) === line) {
            row.classList.add("target");
            row.scrollIntoView({ block: "center" });
          }
  }, 0);
}
