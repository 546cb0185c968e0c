/* Tables that can be sorted by any column and searched. */

const ROWS_AT_FIRST = 400;

/* `columns`: { title, value(row): what is sorted and searched, show(row): what is shown, number: bool, kind: a class }. */
function makeTable(columns, rows, options = {}) {
  const body = make("tbody", {}), more = make("p", { class: "faint" }), scroll = make("div", { class: "scroll" });
  let order = options.sort === undefined ? null : { column: options.sort, down: true }, words = [], all = false;

  function matches(row) {
    if (!words.length) return true;
    const text = columns.map((column) => String(column.value(row))).join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  }

  function draw() {
    let shown = rows.filter(matches);
    if (order) {
      const column = columns[order.column], sign = order.down ? -1 : 1;
      shown = shown.map((row, place) => ({ row, place, value: column.value(row) }));
      shown.sort((a, b) => (column.number ? a.value - b.value : String(a.value).localeCompare(String(b.value))) * sign || a.place - b.place);
      shown = shown.map((item) => item.row);
    }
    const left = all ? 0 : Math.max(0, shown.length - ROWS_AT_FIRST);
    scroll.style.setProperty("--rows", shown.length - left + 1);
    body.replaceChildren(...(left ? shown.slice(0, ROWS_AT_FIRST) : shown).map((row) =>
      make("tr", {}, columns.map((column) =>
        make("td", { class: [column.number ? "number" : "", column.kind || ""].join(" ").trim() || null }, column.show ? column.show(row) : column.number ? grouped(column.value(row)) : String(column.value(row)))))));
    more.replaceChildren(left ? make("button", { onclick: () => { all = true; draw(); } }, "show " + grouped(left) + " more") : shown.length ? "" : "nothing matches");
    for (let k = 0; k < heads.length; k++)
      heads[k].setAttribute("aria-sort", order && order.column === k ? (order.down ? "descending" : "ascending") : "none");
  }

  function sortBy(k) {
    order = { column: k, down: order && order.column === k ? !order.down : !!columns[k].number };
    draw();
  }

  const heads = columns.map((column, k) =>
    make("th", { class: "sorts" + (column.number ? " number" : ""), tabindex: 0, title: (column.help ? column.help + "; " : "") + "sorts the table",
      onclick: () => sortBy(k), onkeydown: (event) => { if (event.key === "Enter") sortBy(k); } }, column.title));
  const search = options.search && make("input", { type: "search", placeholder: options.search, "aria-label": options.search, size: 36,
    oninput: () => { words = search.value.toLowerCase().split(/\s+/).filter(Boolean); draw(); } });
  draw();
  scroll.append(make("table", {}, make("thead", {}, make("tr", {}, heads)), body));
  return make("div", { id: options.id }, search ? make("div", { class: "tools" }, search) : "",
    scroll, more);
}
