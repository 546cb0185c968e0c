/* Puts the page together. */

const DATA = JSON.parse(document.getElementById("data").textContent);
DATA.counters = DATA.counters.map(([name, unit, meaning]) => ({ name, unit, meaning }));
DATA.places = new Map(DATA.counters.map((counter, k) => [counter.name, k]));
const SHOWN = { result: null, redraw: null };

function prepare(result) {
  result.configuration = result.configuration || {};
  result.absent = new Set(result.absent || []);
}

function section(id, title, ...children) {
  return make("section", { id }, make("h2", {}, title), children);
}

function comparisons() {
  return DATA.comparisons.map((comparison, k) => section("comparison-" + k, "What differs" + (DATA.comparisons.length > 1 ? ": " + comparison.files[1] : ""), comparisonOf(comparison, DATA.results[0], DATA.results[k + 1], k)));
}

function sections(result) {
  const found = findingCount(result), pictures = section("pictures", "Pictures"), locks = locksOf(result), warps = warpsOf(result), barriers = barriersOf(result), mbarriers = mbarriersOf(result), fences = fencesOf(result), roofs = roofsOf(result), configuration = configurationOf(result), provenance = provenanceOf(result);
  const profiled = result.kernels.some((k) => k.lines), hasPictures = result.launches.some((l) => l.counters && l.cycles);
  const list = [section("start", "What to do first", firstOf(result))];
  if (found || (result.suppressed || []).length) list.push(section("findings", count(found, "finding"), findingsOf(result)));
  if (result.launches.length) list.push(section("summary", isTimed(result) ? "Where the cycles went" : "Where the instructions are", summaryOf(result)));
  if (hasPictures) list.push(pictures);
  if (roofs) list.push(section("roofline", "Roofline and memory", roofs));
  if (warps) list.push(section("warps", "Warps over time", warps.section));
  if (profiled) list.push(section("source", "Source", sourceOf(result)));
  if (locks) list.push(section("locks", "Locks", locks));
  if (barriers) list.push(section("barriers", "Barriers", barriers));
  if (mbarriers) list.push(section("mbarriers", "Mbarriers", mbarriers));
  if (fences) list.push(section("fences", "Fences", fences));
  list.push(...tablesOf(result));
  if (result.launches.length) list.push(section("launches", "Launches", launchesOf(result)), section("counters", "Counters", countersOf(result)));
  if (provenance) list.push(section("provenance", "What the result depends on", provenance));
  if (configuration) list.push(section("configuration", "Configuration", configuration));
  return { list, pictures: hasPictures ? pictures : null, warps };
}

function contents(list) {
  document.getElementById("contents").replaceChildren(...list.map((s) => make("a", { href: "#" + s.id }, s.querySelector("h2").textContent)));
}

function show(result) {
  const several = DATA.results.length > 1, main = document.getElementById("main");
  forgetPictures();
  SHOWN.result = result;
  const { list, pictures, warps } = sections(result), compared = several ? comparisons() : [];
  const choice = make("select", { "aria-label": "result", onchange: () => show(DATA.results[choice.value]) }, DATA.results.map((r, n) => make("option", { value: n, selected: r === result ? "" : null }, r.name)));
  main.replaceChildren(...compared, several ? make("div", { class: "box" }, make("label", {}, "From here on: ", choice)) : "",
    result.launches.length ? make("p", { id: "headline" }, headline(result) + ".") : "", figuresOf(result), ...list);
  contents([...compared, ...list]);
  if (pictures) picturesOf(result, pictures);
  if (warps) warps.draw();
  SHOWN.redraw = () => {
    if (pictures) pictures.redraw();
    if (warps) warps.draw();
  };
}

function redraw() {
  if (SHOWN.redraw) SHOWN.redraw();
}

function start() {
  for (const result of DATA.results) prepare(result);
  const first = DATA.results[0], title = DATA.results.length > 1 ? DATA.results.map((r) => r.name).join(" and ") : titleOf(first);
  document.title = title + " – Lockstep";
  document.getElementById("head").replaceChildren(make("h1", {}, title));
  show(first);
  let width = window.innerWidth, waiting = 0;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    if (window.innerWidth !== width) waiting = setTimeout(() => { width = window.innerWidth; redraw(); }, 150);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  /* Paper is white. */
  window.addEventListener("beforeprint", () => { document.documentElement.classList.add("paper"); redraw(); });
  window.addEventListener("afterprint", () => { document.documentElement.classList.remove("paper"); redraw(); });
  document.documentElement.dataset.ready = "yes";
}

start();
