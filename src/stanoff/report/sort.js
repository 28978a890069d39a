// Tables whose headings are clicked are sorted by that column: numbers as numbers.
const ORDER = "≪<≈>≫";
const collator = new Intl.Collator("en", { numeric: true });

function keyOf(cell) {
  const text = cell.textContent.trim().replaceAll("−", "-");
  if (text.length === 1 && ORDER.includes(text)) return ORDER.indexOf(text);
  const number = /[-+]?\d*\.?\d+(e[-+]?\d+)?/i.exec(text);
  return number && /^[[<>⋆‡±\s]*[-+\d.]/.test(text) ? Number(number[0]) : text;
}

function compare(u, v) {
  if (typeof u === "number" && typeof v === "number") return u - v;
  return collator.compare(String(u), String(v));
}

for (const th of document.querySelectorAll("table.sortable thead th")) {
  const button = document.createElement("button");
  button.append(...th.childNodes);
  th.append(button);
  button.addEventListener("click", () => {
    const down = th.getAttribute("aria-sort") === "ascending";
    for (const other of th.parentElement.cells) other.removeAttribute("aria-sort");
    th.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = th.closest("table").tBodies[0];
    const rows = [...body.rows].map((row) => [keyOf(row.cells[th.cellIndex]), row]);
    rows.sort(([u], [v]) => (down ? -1 : 1) * compare(u, v));
    body.append(...rows.map(([, row]) => row));
  });
}

goLive({});
