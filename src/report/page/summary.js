/* What ran, and the three largest costs, in words. */

/* All lines of a result, over its kernels, the costliest first; and the cycles at instructions. */
function costliestLines(result) {
  const places = new Map();
  for (const kernel of result.kernels)
    for (const line of kernel.lines || []) {
      const place = line.file + "\n" + line.line;
      if (!places.has(place)) places.set(place, { kernels: [], line: { file: line.file, line: line.line, issued: 0, lanes: 0, stalls: {}, counters: {}, instructions: [] } });
      const item = places.get(place);
      item.kernels.push(kernel);
      item.line.instructions.push(...(line.instructions || []));
      addCost(item.line, line);
    }
  const lines = [...places.values()].map((item) => ({ ...item, cost: costOf(item.line) })).filter((item) => item.cost);
  lines.sort((a, b) => b.cost - a.cost);
  return { lines, total: sum(lines.map((item) => item.cost)) };
}

/* Where a line is, as a link to its place in the annotated source if that is on the page. */
function placeLink(result, file, line) {
  const text = file ? fileName(file) + ":" + line : "(no line known)";
  return file && result.kernels.some((k) => k.lines) ? make("a", { href: "#source", class: "code", onclick: () => showSourceLine(result, file, line) }, text) : make("span", { class: "code", title: file }, text);
}

/* What else is known of a line that explains its cost. */
function lineFacts(line) {
  const facts = [], c = line.counters, value = (name) => c[name] || 0;
  const same = value("sync__lock_fail_same_warp.sum"), other = value("sync__lock_fail_other_warp.sum");
  const attempts = same + other + value("sync__lock_acquire_success.sum");
  if (attempts) facts.push(count(attempts, "lock attempt") + ", " + percent(same + other, attempts) + " of them failed" + (same ? ", " + grouped(same) + " because of a lane of the same warp" : ""));
  if (value("sync__atomic_lanes.sum")) facts.push(count(value("sync__atomic_lanes.sum"), "atomic operation"));
  const lookups = value("l1tex__t_lookups.sum");
  if (lookups) facts.push(percent(value("l1tex__t_hits.sum"), lookups) + " of " + count(lookups, "L1 lookup") + " hit");
  const requests = value("l1tex__t_requests_load.sum") + value("l1tex__t_requests_store.sum");
  const lines = value("l1tex__t_lines_load.sum") + value("l1tex__t_lines_store.sum");
  if (requests) facts.push((lines / requests).toFixed(1) + " memory lines touched by an access");
  if (value("l1tex__shared_bank_conflict_cycles.sum")) facts.push(count(value("l1tex__shared_bank_conflict_cycles.sum"), "cycle") + " of bank conflicts");
  if (value("smsp__branches_divergent.sum")) facts.push(count(value("smsp__branches_divergent.sum"), "branch", "branches") + " diverged");
  if (value("sync__barrier_wait_cycles.sum")) facts.push(count(value("sync__barrier_wait_cycles.sum"), "warp cycle") + " waited at barriers");
  return facts;
}

/* What stands for the text of a line whose source is not on the page. */
function costliestInstruction(line) {
  const list = [...(line.instructions || [])].sort((a, b) => costOf(b) - costOf(a));
  return list.length ? list[0].text : "";
}

function lineCost(result, item, total) {
  const { kernels, line, cost } = item, reason = mainReason(line), text = sourceText(result, line.file, line.line) || costliestInstruction(line);
  const slots = line.issued * (result.configuration["core.warp_size"] || 32);
  const parts = [];
  if (reason && reason.cycles >= 0.05 * cost) parts.push(percent(reason.cycles, cost, 0) + " of them " + reasonWords(reason.name));
  parts.push(count(line.issued, "warp instruction") + (slots ? " with " + percent(line.lanes, slots) + " of their lanes" : ""));
  return make("li", {}, make("b", { class: "number" }, percent(cost, total)), " at ", placeLink(result, line.file, line.line),
    result.kernels.length > 1 ? [" in ", kernels.length > 3 ? count(kernels.length, "kernel") : kernels.map((k, n) => [n ? ", " : "", make("code", {}, kernelCell(k))])] : "", text ? [" ", make("code", {}, text.trim())] : "",
    make("div", { class: "faint" }, count(cost, isTimed(result) ? "scheduler cycle" : "warp instruction") + (isTimed(result) ? ": " + parts.join("; ") : ""),
      lineFacts(line).length ? ". " + lineFacts(line).join("; ") : "", "."));
}

/* Without a profile: reasons for which schedulers stood still, over all kernels. */
function reasonCosts(result) {
  const list = DATA.counters.filter((c) => c.name.startsWith(STALL)).map((c) => ({ reason: c.name.slice(STALL.length).replace(/\..*/, ""), cycles: sum(result.kernels.map((k) => counted(k, c.name))) }));
  const issued = sum(result.kernels.map((k) => counted(k, "smsp__issue_active.sum"))), total = issued + sum(list.map((item) => item.cycles));
  list.sort((a, b) => b.cycles - a.cycles);
  return list.filter((item) => item.cycles).slice(0, 3).map((item) =>
    make("li", {}, make("b", { class: "number" }, percent(item.cycles, total)), " of the scheduler cycles: ", reasonWords(item.reason),
      make("div", { class: "faint" }, count(item.cycles, "scheduler cycle") + ".")));
}

/* Whether anything of it ran with a clock. */
function isTimed(result) {
  return result.cycles > 0;
}

function costsOf(result) {
  const { lines, total } = costliestLines(result);
  if (lines.length)
    return [make("p", {}, "The three largest costs, of " + count(total, isTimed(result) ? "scheduler cycle" : "warp instruction") + " at instructions:"),
      make("ol", { class: "costs", id: "costs" }, lines.slice(0, 3).map((item) => lineCost(result, item, total)))];
  const reasons = reasonCosts(result);
  if (!reasons.length) return [];
  return [make("p", {}, "The three largest costs; which lines have them is known after a run with ", make("code", {}, "--profile"), ":"), make("ol", { class: "costs", id: "costs" }, reasons)];
}

/* What an older version, or a run without an option, has not written. */
function missingOf(result) {
  const missing = [];
  const launches = result.launches;
  if (!launches.length) return missing;
  if (launches.some((l) => !l.counters)) missing.push(count(launches.filter((l) => !l.counters).length, "launch", "launches") + " without counters (interrupted, or of an older version)");
  if (launches.some((l) => !l.occupancy && l.outcome !== "interrupted" && !l.launches)) missing.push("the occupancy: the result is of an older version");
  if (!result.kernels.some((k) => k.lines)) missing.push("costs of lines and locks: the run had no --profile, or the version did not have it");
  if (launches.some((l) => l.samples) && !launches.some((l) => l.samples && l.samples.warps)) missing.push("what each warp did over time: the version did not have it");
  if (isTimed(result) && !launches.some((l) => l.samples)) missing.push("values over time: the run had no --samples, or the version did not have it");
  if (DATA.counters.some((c) => c.unit && result.absent.has(c.name))) missing.push(count(DATA.counters.filter((c) => c.unit && result.absent.has(c.name)).length, "counter") + " that this version has, and the result does not");
  if (Object.values(result.sources).some((s) => s.state === "unknown")) missing.push("what the sources were: they are not shown, since they may have changed since");
  if (!Object.keys(result.configuration).length) missing.push("the configuration");
  return missing;
}

function outcomeWords(result) {
  const outcomes = new Map();
  for (const launch of result.launches) outcomes.set(launch.outcome, (outcomes.get(launch.outcome) || 0) + (launch.launches || 1));
  return [...outcomes].map(([outcome, number]) => (outcomes.size > 1 ? grouped(number) + " " : "") + outcome).join(", ");
}

function titleOf(result) {
  if (result.program && result.program.words) return result.program.words.join(" ");
  if (result.kernels.length) return result.kernels.slice(0, 3).map(kernelWords).join(", ") + (result.kernels.length > 3 ? " ..." : "");
  return result.name || "nothing ran";
}

function headline(result) {
  const words = [];
  if (result.gpu) words.push("GPU " + result.gpu);
  words.push(count(sum(result.kernels.map((k) => k.launches)), "launch", "launches") + " of " + count(result.kernels.length, "kernel"));
  if (result.launches.length) words.push(outcomeWords(result));
  if (isTimed(result)) words.push(count(result.cycles, "cycle"));
  if (result.program && result.program.status !== undefined) words.push("the program exited with status " + result.program.status);
  if (result.program && result.program.signal !== undefined) words.push("the program was killed by signal " + result.program.signal);
  return words.join("; ");
}

function summaryOf(result) {
  const missing = missingOf(result), issued = sum(result.kernels.map((k) => counted(k, "smsp__issue_active.sum")));
  const slots = sum(result.kernels.map((k) => counted(k, "smsp__lane_slots.sum"))), lanes = sum(result.kernels.map((k) => counted(k, "smsp__thread_inst_executed.sum")));
  const all = issued + sum(DATA.counters.filter((c) => c.name.startsWith(STALL)).map((c) => sum(result.kernels.map((k) => counted(k, c.name)))));
  const parts = [];
  if (isTimed(result) && all) parts.push("In " + percent(issued, all) + " of their cycles schedulers issued an instruction.");
  if (slots) parts.push(percent(lanes, slots) + " of the lanes worked (SIMD efficiency).");
  return [make("p", { id: "headline" }, headline(result) + "."), parts.length ? make("p", {}, parts.join(" ")) : "", costsOf(result),
    (result.notes || []).map((note) => make("p", { class: "faint" }, "Note: " + note)),
    missing.length ? make("div", { class: "box", id: "missing" }, "Not in this result: ", missing.join("; "), ".") : ""];
}
