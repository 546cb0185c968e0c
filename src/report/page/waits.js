/* The waits of a hang as a picture: its threads, and an arrow from each to the one that it waits for.
 *
 * A finding lists threads in the order of the chain of waits (src/check/hang_text.c): behind one that waits comes the one
 * that has, or would write, what it waits for, and its state says so.  Where that is not said there is no arrow. */

const BOX = { width: 560, height: 46, gap: 42, left: 60 };
const HOLDS = /^(took|would write|may write) (0x[0-9a-f]+(?: \([^)]*\))?|the lock)/;

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value);
  element.append(...children.flat());
  return element;
}

function clipped(text, length) {
  return text.length > length ? text.slice(0, length - 1) + "…" : text;
}

/* Of a ring, which thread the last one waits for: the one that has what is waited for last; the first, which is not said
 * to have anything, when it is none of the others. */
function ringOf(finding, threads) {
  const last = (finding.addresses || []).slice(-1)[0];
  if (!/ in a ring/.test(finding.message) || !last) return null;
  return Math.max(0, threads.findIndex((t) => (HOLDS.exec(t.state) || [])[2] === last));
}

function drawWaits(finding) {
  const threads = (finding.threads || []).slice(0, 12), held = threads.map((t, k) => (k ? HOLDS.exec(t.state) : null));
  if (finding.kind !== "hang" || !held.some(Boolean)) return "";
  const ring = (finding.threads || []).length === threads.length ? ringOf(finding, threads) : null;
  const top = (k) => 8 + k * (BOX.height + BOX.gap), middle = BOX.left + 40, parts = [], kind = (k) => (ring !== null && k >= ring ? "ring" : null);
  for (const [k, t] of threads.entries()) {
    parts.push(svg("rect", { x: BOX.left, y: top(k), width: BOX.width, height: BOX.height, rx: 6, class: kind(k) }),
      svg("text", { x: BOX.left + 12, y: top(k) + 19 }, "group " + three(t.group) + " thread " + three(t.thread)),
      svg("text", { x: BOX.left + 12, y: top(k) + 36, class: "faint" }, clipped(held[k] ? t.state.slice(held[k][0].length).replace(/^[; ]+/, "") : t.state, 84)));
    if (held[k])
      parts.push(svg("path", { d: `M ${middle} ${top(k - 1) + BOX.height} V ${top(k) - 3}`, class: kind(k - 1), "marker-end": kind(k - 1) ? "url(#in-ring)" : "url(#arrow)" }),
        svg("text", { x: middle + 12, y: top(k) - BOX.gap / 2 + 4 }, "waits for the one below, that " + held[k][0]));
  }
  if (ring !== null)
    parts.push(svg("path", { d: `M ${BOX.left} ${top(threads.length - 1) + BOX.height / 2} H 24 V ${top(ring) + BOX.height / 2} H ${BOX.left - 3}`, class: "ring", "marker-end": "url(#in-ring)" }));
  const arrow = (id) => svg("marker", { id, class: id, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" }, svg("path", { d: "M 0 0 L 10 5 L 0 10 z" }));
  const height = top(threads.length) - BOX.gap + 8;
  return svg("svg", { class: "waits", viewBox: `0 0 660 ${height}`, width: 660, height, role: "img" }, svg("title", {}, "which thread waits for which"), svg("defs", {}, arrow("arrow"), arrow("in-ring")), parts);
}
