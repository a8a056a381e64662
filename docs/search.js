// The order of search results: pages for users first, then those about the inside; a part of a name in the API last.
const INSIDE = new Set(["api", "architecture", "choices", "errata", "performance"]);
var Scorer = {
  score: ([page, , , , score]) => score - (INSIDE.has(page) ? 4 : 0),
  objNameMatch: 11, objPartialMatch: -3, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
