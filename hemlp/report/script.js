"use strict";
for (const table of document.querySelectorAll("table.sorts")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const ascending = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows];
      const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
      rows.sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        const numbers = x !== "" && y !== "" && !Number.isNaN(+x) && !Number.isNaN(+y);
        const order = numbers ? x - y : x === "" || y === "" ? (x === "") - (y === "") : x.localeCompare(y);
        return ascending || x === "" || y === "" ? order : -order;
      });
      table.tBodies[0].append(...rows);
    });
  });
}
const search = document.querySelector("#search");
if (search) {
  const found = document.querySelector("#found");
  const entries = [...document.querySelectorAll("details.instance")];
  const texts = entries.map((entry) => entry.querySelector("summary").textContent.toLowerCase());
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    entries.forEach((entry, k) => {
      entry.hidden = !words.every((word) => texts[k].includes(word));
      shown += !entry.hidden;
    });
    for (const section of document.querySelectorAll("section.system")) {
      section.hidden = !section.querySelector("details.instance:not([hidden])");
    }
    found.textContent = words.length ? `${shown} of ${entries.length} instances` : "";
  });
}
