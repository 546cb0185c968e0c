/* The waits of a hang as a picture: its threads, and an arrow from each to the one that it waits for.
 *
 * A finding lists threads in the order of the chain of waits (src/check/hang_text.c): behind one that waits comes the one
 * that has, or would write, what it waits for, and its state says so.  Where that is not said there is no arrow. */

const BOX = { width: 560, left: 10, gap: 14, letters: 84 };
const HOLDS = /^(took|would write|may write) (0x[0-9a-f]+(?: \([^)]*\))?|the lock)/;
const ROLES = { took: "holds ", "would write": "would write ", "may write": "may write " };

/* Of a ring, which thread the last one waits for: the one that has what is waited for last; the first, which is not said
 * to have anything, when it is none of the others. */
function ringOf(finding, threads) {
  const last = (finding.addresses || []).slice(-1)[0];
  if (!/ in a ring/.test(finding.message) || !last) return null;
  return Math.max(0, threads.findIndex((t) => (HOLDS.exec(t.state) || [])[2] === last));
}

/* Places by the names of their files alone: the finding has them whole, below. */
function placesShort(text) {
  return text.replace(/[^\s(]*\/([^\s/]+:\d+)/g, "$1");
}

/* What a box says below the thread's name: what it has, and what it does. */
function rolesOf(state, held) {
  if (!held) return state.split(/; /).map(placesShort);
  const [has, ...does] = state.slice(held[0].length).split(/; | and (?=has )/);
  return [ROLES[held[1]] + held[2] + placesShort(has.replace(/^ at /, held[1] === "took" ? ", taken at " : " at ")), ...does.map(placesShort)];
}

/* Above an arrow: what the thread before it waits for. */
function waitLabel(held) {
  return "waits for " + held[2] + (held[1] === "took" ? ", which the thread below holds" : ", which the thread below " + (held[1] === "may write" ? "may" : "would") + " write");
}

function boxOf(thread, held, top, ring) {
  const lines = rolesOf(thread.state, held).flatMap((role) => wrapped(role, BOX.letters)), height = 28 + lines.length * LINE_HEIGHT + 6;
  return { top, height, parts: [svg("rect", { x: BOX.left, y: top, width: BOX.width, height, rx: 6, class: ring }),
    svg("text", { x: BOX.left + 12, y: top + 20, class: "name" }, "thread " + three(thread.thread) + " of work-group " + three(thread.group)),
    textLines(lines, BOX.left + 12, top + 20 + LINE_HEIGHT + 2, { class: "faint" })] };
}

/* From the last box of a ring back to its first, at the right, with what it waits for. */
function ringArrow(finding, from, to, isTop) {
  const right = BOX.left + BOX.width, x = right + 30, middle = (from.top + from.height / 2 + to.top + to.height / 2) / 2, last = (finding.addresses || []).slice(-1)[0];
  const words = wrapped("waits for " + last + (from === to ? ", which it holds itself" : ", which the thread " + (isTop ? "at the top" : "above") + " holds"), 28);
  return [svg("path", { d: `M ${right} ${from.top + from.height / 2 + (from === to ? 8 : 0)} H ${x} V ${to.top + to.height / 2 - (from === to ? 8 : 0)} H ${right + 2}`, class: "ring", "marker-end": "url(#in-ring)" }),
    textLines(words, x + 10, middle - (words.length / 2 - 1) * LINE_HEIGHT)];
}

function drawWaits(finding) {
  const threads = (finding.threads || []).slice(0, 12), held = threads.map((t, k) => (k ? HOLDS.exec(t.state) : null));
  if (finding.kind !== "hang" || !held.some(Boolean)) return "";
  const ring = (finding.threads || []).length === threads.length ? ringOf(finding, threads) : null;
  const kind = (k) => (ring !== null && k >= ring ? "ring" : null), parts = [], boxes = [], x = BOX.left + 40;
  let top = 8;
  for (const [k, thread] of threads.entries()) {
    if (held[k]) {
      const label = wrapped(waitLabel(held[k]), BOX.letters - 10), height = label.length * LINE_HEIGHT + BOX.gap;
      parts.push(svg("path", { d: `M ${x} ${top} V ${top + height - 2}`, class: kind(k - 1), "marker-end": kind(k - 1) ? "url(#in-ring)" : "url(#arrow)" }), textLines(label, x + 12, top + BOX.gap / 2 + 12));
      top += height;
    } else if (k) top += 2 * BOX.gap;
    boxes.push(boxOf(thread, held[k], top, kind(k)));
    parts.push(boxes[k].parts);
    top += boxes[k].height;
  }
  if (ring !== null) parts.push(ringArrow(finding, boxes[boxes.length - 1], boxes[ring], !ring));
  return drawing("waits", "which thread waits for which", BOX.left + BOX.width + (ring === null ? 10 : 240), top + 8, svg("defs", {}, arrowHead("arrow"), arrowHead("in-ring", "in-ring")), parts);
}
