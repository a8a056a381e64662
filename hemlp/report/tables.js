// Tables that sort and are filtered, and buttons that copy.

function sortedBy(table, head, column) {
  const first = head.dataset.first;
  const other = first === "ascending" ? "descending" : "ascending";
  const now = head.getAttribute("aria-sort") === first ? other : first;
  for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", now);
  const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
  const rows = [...table.tBodies[0].rows].map((row) => [value(row), row]);
  rows.sort(([x], [y]) => {
    if (x === "" || y === "") return (x === "") - (y === ""); // what has no value comes last
    const numbers = !Number.isNaN(+x) && !Number.isNaN(+y);
    const order = numbers ? x - y : x.localeCompare(y);
    return now === "ascending" ? order : -order;
  });
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

function startTables() {
  for (const table of document.querySelectorAll("table.sorts")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => sortedBy(table, head, column));
    });
  }
  const filter = document.querySelector("[data-filter]");
  filter?.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    const rows = [...document.querySelectorAll(`#${filter.dataset.filter} tbody tr`)];
    for (const row of rows) {
      const name = row.cells[0].textContent.toLowerCase();
      row.hidden = !words.every((word) => name.includes(word));
    }
    document.getElementById("filtered").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
  });
  for (const cell of document.querySelectorAll(".heat")) { // the page's policy forbids attributes that style
    cell.style.setProperty("--shade", `${cell.dataset.shade}%`);
    cell.style.setProperty("--hue", `var(--${cell.dataset.hue})`);
  }
}

function startCopying() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      const words = button.textContent;
      let done = true;
      try {
        await navigator.clipboard.writeText(source.textContent);
      } catch {
        getSelection().selectAllChildren(source);
        done = document.execCommand("copy");
      }
      button.textContent = done ? "Copied" : "Press Ctrl+C";
      setTimeout(() => (button.textContent = words), 1500);
    });
  }
}
