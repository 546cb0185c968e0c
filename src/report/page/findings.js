/* What was found wrong, each with its lines, threads and addresses, and a hang with its waits drawn (waits.js). */

const LINES_AROUND = 2;

/* The lines around a place, as far as the page has them. */
function excerpt(result, file, line) {
  const rows = [];
  for (let k = Math.max(1, line - LINES_AROUND); k <= line + LINES_AROUND; k++) {
    const text = sourceText(result, file, k);
    if (text !== null) rows.push((k === line ? "> " : "  ") + String(k).padStart(5) + " | " + text);
  }
  return rows.length ? make("pre", { class: "box" }, rows.join("\n")) : "";
}

function three(index) {
  return "(" + index.join(",") + ")";
}

/* The parts of a hang's message, each behind its heading. */
function verdictRows(verdict) {
  return ["what", "who", "checked", "fix"].filter((part) => verdict[part]).map((part) =>
    make("p", { class: "message" }, make("b", {}, part[0].toUpperCase() + part.slice(1) + ": "), verdict[part]));
}

/* A line and, below it, those within the functions that were inlined there. */
function lineOfFinding(result, line) {
  const inlined = (line.inlined || []).map((frame) => [make("div", {}, "in " + (frame.function || "inlined code") + " at ", placeLink(result, frame.file, frame.line)), excerpt(result, frame.file, frame.line)]);
  return make("div", {}, placeLink(result, line.file, line.line), line.role ? " " + line.role : "", excerpt(result, line.file, line.line), inlined);
}

const THREADS_SHOWN = 16;

function findingBox(result, finding) {
  const certainty = [finding.cause, finding.certainty, finding.confirmed ? "confirmed" : finding.verdict && finding.cause !== "unknown" ? "not confirmed" : ""].filter(Boolean).join(", ");
  const where = [finding.kernel ? "kernel " + kernelNamed(result, finding.kernel) : "", finding.launch !== undefined ? "launch " + finding.launch : "", finding.count > 1 ? grouped(finding.count) + " times" : ""].filter(Boolean).join(", ");
  const threads = finding.threads || [], lines = finding.lines || [];
  return make("div", { class: "box wrong finding" },
    make("div", {}, make("b", { class: "bad" }, finding.kind), " (" + certainty + ")", where ? make("span", { class: "faint" }, " " + where) : ""),
    finding.verdict ? verdictRows(finding.verdict) : make("p", { class: "message" }, finding.message), drawWaits(finding),
    lines.map((line) => lineOfFinding(result, line)),
    threads.length ? make("ul", {}, threads.slice(0, THREADS_SHOWN).map((t) => make("li", {}, "group " + three(t.group) + " thread " + three(t.thread) + ": ", make("code", {}, t.state)))) : "",
    threads.length > THREADS_SHOWN ? make("p", { class: "faint" }, "and " + count(threads.length - THREADS_SHOWN, "more thread")) : "",
    (finding.addresses || []).length ? make("p", { class: "faint" }, "addresses: ", make("code", {}, finding.addresses.join(", "))) : "");
}

function findingsOf(result) {
  const findings = result.findings || [], suppressed = result.suppressed || [];
  return [findings.map((finding) => findingBox(result, finding)),
    suppressed.map((s) => make("p", { class: "faint" }, "Suppressed by " + s.name + " (" + s.file + ":" + s.line + "): " + count(s.findings, "finding") + ", seen " + count(s.count, "time") + "."))];
}
