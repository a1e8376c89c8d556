for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  table.tHead.addEventListener("click", (event) => {
    const head = event.target.closest("th");
    if (!head) return;
    const descending = head.getAttribute("aria-sort") !== "descending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const key = (row) => row.cells[head.cellIndex];
    const order = (a, b) => {
      const [x, y] = [key(a), key(b)];
      return "v" in x.dataset ? x.dataset.v - y.dataset.v : x.textContent.localeCompare(y.textContent, "en", { numeric: true });
    };
    body.append(...[...body.rows].sort((a, b) => (descending ? order(b, a) : order(a, b))));
  });
}
