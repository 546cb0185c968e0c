/* Drawings in SVG: elements, text in lines, arrows.  Their colours are the page's, so that they need no redrawing. */

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== undefined) element.setAttribute(name, value);
  element.append(...children.flat(Infinity));
  return element;
}

/* A whole drawing; a narrow screen scrolls it rather than shrink its text. */
function drawing(id, title, width, height, ...parts) {
  return make("div", { class: "drawing" }, svg("svg", { class: id, viewBox: `0 0 ${width} ${Math.ceil(height)}`, width, height: Math.ceil(height), role: "img" }, svg("title", {}, title), parts));
}

/* Lines of at most so many characters; a word that is longer is broken. */
function wrapped(text, length) {
  const lines = [""];
  for (let word of text.split(" ").filter(Boolean)) {
    const last = lines[lines.length - 1];
    if (last && last.length + 1 + word.length > length) lines.push("");
    for (; word.length > length; word = word.slice(length)) lines.splice(-1, 1, word.slice(0, length), "");
    lines[lines.length - 1] += (lines[lines.length - 1] ? " " : "") + word;
  }
  return lines;
}

const LINE_HEIGHT = 16;

/* Text whose first line stands on `y`. */
function textLines(lines, x, y, attributes = {}) {
  return lines.map((line, k) => svg("text", { x, y: y + k * LINE_HEIGHT, ...attributes }, line));
}

/* What ends an arrow, for `marker-end`; ids are of the whole page. */
function arrowHead(id, kind) {
  return svg("marker", { id, class: kind || null, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" }, svg("path", { d: "M 0 0 L 10 5 L 0 10 z" }));
}
