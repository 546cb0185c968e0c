/* What ran, in five figures and in words; what to do first; and the largest costs. */

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

/* Shares of less than this are not among the largest costs. */
const LEAST_COST = 0.005;

/* What the scheduler cycles of cores that had work went to, the most first: [reason, cycles], and their sum. */
function reasonsOf(result) {
  const all = Object.entries(allSchedulerCycles(result)), total = sum(all.map(([, cycles]) => cycles));
  return { list: all.filter(([name, cycles]) => name !== "issued" && cycles >= LEAST_COST * total).sort((a, b) => b[1] - a[1]), total };
}

/* Without a profile: reasons for which schedulers issued nothing, over all kernels. */
function reasonCosts(result) {
  const { list, total } = reasonsOf(result);
  return list.slice(0, 3).map(([reason, cycles]) =>
    make("li", {}, make("b", { class: "number" }, percent(cycles, total)), " of the scheduler cycles: ", reasonWords(reason),
      make("div", { class: "faint" }, count(cycles, "scheduler cycle") + ".")));
}

/* Whether anything of it ran with a clock. */
function isTimed(result) {
  return result.cycles > 0;
}

function costsOf(result) {
  const { lines, total } = costliestLines(result), shown = lines.filter((item) => item.cost >= LEAST_COST * total).slice(0, 3);
  if (shown.length)
    return [make("p", {}, (shown.length > 1 ? "The " + shown.length + " largest costs" : "The largest cost") + ", of " + count(total, isTimed(result) ? "scheduler cycle" : "warp instruction") + (isTimed(result) ? " at instructions:" : ":")),
      make("ol", { class: "costs", id: "costs" }, shown.map((item) => lineCost(result, item, total)))];
  const reasons = reasonCosts(result);
  if (!reasons.length) return [];
  return [make("p", {}, "The largest costs; a run with ", make("code", {}, "--profile"), " shows their lines:"), make("ol", { class: "costs", id: "costs" }, reasons)];
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
  if (result.program && result.program.status !== undefined) words.push("the program exited with status " + result.program.status);
  if (result.program && result.program.signal !== undefined) words.push("the program was killed by signal " + result.program.signal);
  return words.join("; ");
}

/* ---- The head: five figures ---- */

/* Cycles of the GPU: launches that overlap count once, where the result says it. */
function gpuCycles(result) {
  return result.simulated_cycles || result.cycles;
}

function findingCount(result) {
  return (result.findings || []).length;
}

/* Resident warps of a core that had any, on average, as a part of those that it has room for. */
function occupancyOf(result) {
  const room = field(result, "core.warps") || field(result, "core.threads") / (field(result, "core.warp_size") || 32);
  const active = sum(result.kernels.map((k) => counted(k, "sm__cycles_active.sum"))), warps = sum(result.kernels.map((k) => counted(k, "sm__warps_active.sum")));
  return active && room ? { share: warps / active / room, warps: warps / active, room } : null;
}

function figure(value, name, help, kind) {
  return make("div", { class: "figure", title: help }, make("div", { class: "value" + (kind ? " " + kind : "") }, value), make("div", {}, name), make("div", { class: "faint help" }, help));
}

/* Without a finding: what was looked for, as what was not is not known to be right. */
function nothingFound(result) {
  const checks = Object.keys(result.checked || {});
  return checks.length ? "no hang, no fault; checked: " + checks.join(", ") : "no hang, no fault; races were not checked (--check)";
}

function figuresOf(result) {
  const found = findingCount(result), list = [], cycles = gpuCycles(result), clock = field(result, "clock.core"), instructions = sum(result.launches.map((l) => l.warp_instructions || 0)), occupancy = occupancyOf(result);
  if (isTimed(result)) {
    if (clock) list.push(figure(timeWords(cycles / clock / 1e3), "time", "simulated time at " + +(clock / 1e6).toPrecision(4) + " GHz"));
    list.push(figure(grouped(cycles), "cycles", "of the GPU's core clock"));
    list.push(figure((instructions / cycles).toFixed(instructions < cycles ? 3 : 2), "IPC", "warp instructions a cycle, whole GPU"));
    if (occupancy) list.push(figure(percent(occupancy.share, 1, occupancy.share < 0.1 ? 1 : 0), "achieved occupancy", occupancy.warps.toFixed(1) + " of " + occupancy.room + " warps, on cores that had any"));
  } else if (result.launches.length) {
    list.push(figure(grouped(instructions), "warp instructions", "functional mode has no clock"));
  }
  list.push(figure(found ? grouped(found) : "0", found === 1 ? "finding" : "findings", found ? "see below" : nothingFound(result), found ? "bad" : "good"));
  return make("div", { id: "figures" }, list);
}

/* ---- What to do first ---- */

/* The finding that comes first, and what to do about it. */
function findingAdvice(result) {
  const finding = (result.findings || [])[0], line = finding && !finding.verdict && (finding.lines || [])[0];
  if (!finding) return null;
  return [make("b", {}, "Fix the " + (result.launches.length ? finding.kind.replace(/-/g, " ") : "first finding")), line ? [" at ", placeLink(result, line.file, line.line)] : "", ": ", (finding.verdict && finding.verdict.fix) || finding.message, " (", make("a", { href: "#findings" }, "details"), ")"];
}

/* The costliest line, when it takes much of the time. */
function lineAdvice(result) {
  const { lines, total } = costliestLines(result), first = lines[0], reason = first && mainReason(first.line);
  if (!first || first.cost < 0.15 * total) return null;
  return { share: first.cost / total, words: [make("b", {}, "Look at "), placeLink(result, first.line.file, first.line.line), ", the costliest line: " + percent(first.cost, total, 0) + " of the " + (isTimed(result) ? "scheduler cycles at instructions" : "warp instructions"),
    reason && reason.cycles >= 0.3 * first.cost ? ", of which " + percent(reason.cycles, first.cost, 0) + " " + reasonWords(reason.name) : "", "."] };
}

/* Without a profile: what schedulers waited for most. */
function reasonAdvice(result) {
  const { list, total } = reasonsOf(result);
  if (!list.length || list[0][1] < 0.3 * total || list[0][0] === "no_warp" || result.kernels.some((k) => k.lines)) return null;
  return { share: list[0][1] / total, words: [make("b", {}, "Find the lines"), " with ", make("code", {}, "--profile"), ": in " + percent(list[0][1], total, 0) + " of their cycles the schedulers of cores that had work issued nothing, " + reasonWords(list[0][0]) + "."] };
}

/* Launches of fewer work-groups than half of the cores, by the cycles that they took. */
function coresAdvice(result) {
  const all = field(result, "core.count"), groups = (part) => Math.round(counted(part, "sm__ctas_launched.sum") / (part.grid ? 1 : part.launches || 1));
  const small = partsOf(result).filter((part) => groups(part) && groups(part) < 0.5 * all), cycles = sum(small.map((part) => part.cycles || 0)), largest = small.sort((a, b) => b.cycles - a.cycles)[0];
  if (!largest || cycles < 0.3 * result.cycles) return null;
  return { share: cycles / result.cycles, words: [make("b", {}, "Launch more work-groups"), ": ", make("code", {}, kernelWords(largest)), " used " + Math.round(coresUsed(result, largest)) + " of the " + all + " cores, with " + count(groups(largest), "work-group") + "."] };
}

/* The time before the first work-group of a launch starts, where it is much of all. */
function latencyAdvice(result) {
  const cycles = field(result, "dispatch.launch_latency") * sum(result.kernels.map((k) => k.launches));
  if (!result.cycles || cycles < 0.3 * result.cycles) return null;
  return { share: Math.min(1, cycles / result.cycles), words: [make("b", {}, "Do more work in a launch"), ": " + percent(Math.min(cycles, result.cycles), result.cycles, 0) + " of the cycles pass before a launch's first work-group starts (" + grouped(field(result, "dispatch.launch_latency")) + " a launch, ", make("code", {}, "dispatch.launch_latency"), " of the model)."] };
}

/* At most two: a finding, then what most of the time goes to. */
function firstOf(result) {
  const fix = findingAdvice(result), stops = (result.findings || []).some((f) => f.kind === "hang" || f.kind === "fault"), list = fix ? [fix] : [];
  if (!stops && result.launches.length) {
    const timed = isTimed(result) ? [coresAdvice(result), latencyAdvice(result), reasonAdvice(result)] : [];
    const advice = [...timed, lineAdvice(result)].filter(Boolean).sort((a, b) => b.share - a.share);
    list.push(...advice.slice(0, 2 - list.length).map((item) => item.words));
  }
  if (list.length) return [make("ol", { class: "costs", id: "first" }, list.map((words) => make("li", {}, words)))];
  return [make("p", { id: "first" }, result.launches.length ? "Nothing stands out: " + nothingFound(result) + "; no line or reason takes most of the time." : "Nothing was found: " + nothingFound(result) + ".")];
}

function summaryOf(result) {
  const missing = missingOf(result), cycles = allSchedulerCycles(result), all = sum(Object.values(cycles));
  const slots = sum(result.kernels.map((k) => counted(k, "smsp__lane_slots.sum"))), lanes = sum(result.kernels.map((k) => counted(k, "smsp__thread_inst_executed.sum")));
  const parts = [];
  if (isTimed(result) && all) parts.push("In " + percent(cycles.issued, all) + " of their cycles the schedulers of cores that had work issued an instruction.");
  if (slots) parts.push(percent(lanes, slots) + " of the lanes worked (SIMD efficiency).");
  return [parts.length ? make("p", {}, parts.join(" ")) : "", costsOf(result),
    (result.notes || []).map((note) => make("p", { class: "faint" }, "Note: " + note)),
    missing.length ? make("div", { class: "box", id: "missing" }, "Not in this result: ", missing.join("; "), ".") : ""];
}
