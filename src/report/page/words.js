/* Elements, numbers and names, as all parts of the page write them. */

/* An element with attributes and children; texts are text, whatever they have in them. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== "") element.append(child);
  }
  return element;
}

/* A long name is broken behind its underlines and points rather than elsewhere. */
function breakable(name) {
  return String(name).split(/(?<=[_.])(?=\w)/).flatMap((part, k) => (k ? [make("wbr"), part] : [part]));
}

/* 1,234,567, as the text report has it. */
function grouped(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

function percent(part, whole, digits = 1) {
  return whole ? (100 * part / whole).toFixed(digits) + " %" : "–";
}

/* "+22.3 %", as `lockstep compare` has it. */
function change(before, after) {
  if (!before) return after ? "from 0" : "";
  const value = 100 * (after - before) / before;
  return (value < 0 ? "" : "+") + value.toFixed(1) + " %";
}

function count(number, one, several = one + "s") {
  return grouped(number) + " " + (number === 1 ? one : several);
}

const STALL = "smsp__issue_stalled_";

/* What a scheduler with nothing to issue waited for, by the names of the counters: in a word or two, in words, and its
 * colour in all pictures. */
const REASONS = {
  unit: { short: "unit taken", words: "waiting for the unit of a ready warp", colour: 7 },
  wait: { short: "arithmetic", words: "waiting for an arithmetic result", colour: 6 },
  no_inst: { short: "instruction fetch", words: "waiting for instructions", colour: 8 },
  long_sb: { short: "memory", words: "waiting for memory", colour: 1 },
  short_sb: { short: "shared memory", words: "waiting for shared memory", colour: 10 },
  membar: { short: "fence", words: "waiting for a fence or an ordered access", colour: 5 },
  barrier: { short: "barrier", words: "waiting at a work-group barrier", colour: 2 },
  lock: { short: "lock instruction", words: "waiting for the answer to a lock instruction", colour: 4 },
  sleeping: { short: "asleep", words: "asleep, or waiting for the fixed cost of a fence, a barrier or a dispatch", colour: 0 },
  no_warp: { short: "no warp", words: "no warp was resident", colour: 9 },
};

function reasonOf(counter) {
  return counter.slice(STALL.length).replace(/\..*/, "");
}

function reasonShort(name) {
  return REASONS[name] ? REASONS[name].short : name;
}

function reasonWords(name) {
  return REASONS[name] ? REASONS[name].words : "stalled for " + name;
}

function reasonColour(name) {
  return REASONS[name] ? REASONS[name].colour : 0;
}

function stallCounters() {
  return DATA.counters.map((c) => c.name).filter((name) => name.startsWith(STALL));
}

function fileName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

function sum(values) {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/* A kernel or launch by the name that people know. */
function kernelWords(kernel) {
  return kernel.brief || kernel.kernel;
}

/* The same, with the whole name to be seen over it. */
function kernelCell(kernel) {
  return make("span", { title: kernel.demangled || kernel.kernel }, kernelWords(kernel));
}

/* The kernel of that name, as words. */
function kernelNamed(result, name) {
  return kernelWords(result.kernels.find((k) => k.kernel === name) || { kernel: name });
}

/* The value of a counter, 0 where there is none. */
function counted(owner, name) {
  const place = DATA.places.get(name);
  return owner.counters && place !== undefined ? owner.counters[place] : 0;
}

/* 12.3 k, 4.56 M. */
const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

function short(value, digits = 3) {
  for (const [size, prefix] of PREFIXES) if (Math.abs(value) >= 0.9995 * size) return +(value / size).toPrecision(digits) + " " + prefix;
  return String(+value.toPrecision(digits));
}

function bytesWords(value) {
  return short(value).replace(/^([\d.]+)$/, "$1 ") + "B";
}

function timeWords(seconds) {
  for (const [size, unit] of [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]]) if (seconds >= 0.9995 * size) return +(seconds / size).toPrecision(3) + " " + unit;
  return +(seconds * 1e9).toPrecision(3) + " ns";
}

/* A number of the model; 0 where the result does not have it. */
function field(result, path) {
  return Number(result.configuration[path]) || 0;
}

/* ---- Cores that had work ---- */

/* Of a launch, or of the launches of a kernel, on average; all cores where an older result does not say. */
function coresUsed(result, owner) {
  const all = field(result, "core.count") || 1;
  if (result.absent.has("sm__cores_used.sum")) return all;
  return Math.min(all, counted(owner, "sm__cores_used.sum") / (typeof owner.launches === "number" ? owner.launches || 1 : 1)) || all;
}

/* Scheduler cycles by what they went to, without those of cores that had no work-group: { issued, reason: cycles }. */
function schedulerCycles(result, owner, cycles) {
  const without = cycles * (field(result, "core.schedulers") || 1) * ((field(result, "core.count") || 1) - coresUsed(result, owner)), all = { issued: counted(owner, "smsp__issue_active.sum") };
  for (const name of stallCounters()) all[reasonOf(name)] = counted(owner, name);
  all.no_warp = Math.max(0, (all.no_warp || 0) - without);
  return all;
}

/* What the cycles are summed over: launches, each with its own cores; kernels where the page does not have all launches. */
function partsOf(result) {
  return (result.launches.length === result.launch_count ? result.launches : result.kernels).filter((part) => part.counters);
}

/* Of all kernels together. */
function allSchedulerCycles(result) {
  const all = {};
  for (const part of partsOf(result)) for (const [name, cycles] of Object.entries(schedulerCycles(result, part, part.cycles))) all[name] = (all[name] || 0) + cycles;
  return all;
}

/* ---- Costs of lines, docs/profile.md ---- */

function stalled(cost) {
  return sum(Object.values(cost.stalls));
}

function costOf(cost) {
  return cost.issued + stalled(cost);
}

function mainReason(cost) {
  let best = null;
  for (const [name, cycles] of Object.entries(cost.stalls)) if (!best || cycles > best.cycles) best = { name, cycles };
  return best;
}
