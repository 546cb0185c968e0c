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

/* What a scheduler with nothing to issue waited for, by the names of the counters. */
const REASONS = {
  unit: "for the unit of a ready warp",
  wait: "for an arithmetic result",
  no_inst: "for instructions",
  long_sb: "for memory",
  short_sb: "for shared memory",
  membar: "for a fence or an ordered access",
  barrier: "at a work-group barrier",
  lock: "for the answer to a lock instruction",
  sleeping: "asleep, or for the fixed cost of a fence, a barrier or a dispatch",
};

function reasonWords(name) {
  if (name === "no_warp") return "no warp was resident";
  return REASONS[name] ? "waiting " + REASONS[name] : "stalled for " + name;
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

/* The value of a counter, 0 where there is none. */
function counted(owner, name) {
  const place = DATA.places.get(name);
  return owner.counters && place !== undefined ? owner.counters[place] : 0;
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
