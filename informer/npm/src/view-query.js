// What a view is asked to show: checked as far as it must be for the engine to read it.
import { optionsOf, paths, range, refuse, text } from "./check.js";

const QUERY = "filter namespaces orderBy counts";

const isText = (value) => typeof value === "string";
const areTexts = (value) => Array.isArray(value) && value.every(isText);

/** A query in the words of its user, and in those of the engine: `{ query, asked }`. */
function read({ filter = "", namespaces = [], orderBy = [], counts = [] }) {
  text("filter", filter);
  if (!areTexts(namespaces)) refuse("namespaces", "an array of strings");
  if (!areTexts(counts)) refuse("counts", "an array of strings");
  const isOrder = (entry) => Array.isArray(entry) && isText(entry[0]) && [undefined, "asc", "desc"].includes(entry[1]);
  if (!Array.isArray(orderBy) || !orderBy.every(isOrder)) refuse("orderBy", 'an array of [column] or [column, "asc" or "desc"]');
  const order = orderBy.map(([column, direction]) => ({ column, descending: direction === "desc" }));
  const query = { filter, namespaces: Object.freeze([...namespaces]), orderBy: Object.freeze([...orderBy]), counts: Object.freeze([...counts]) };
  return { query: Object.freeze(query), asked: { filter, namespaces: [...namespaces], orderBy: order, facets: [...counts] } };
}

const windowOf = (window) => (window === "all" ? [0, 2 ** 31 - 1] : range(...(Array.isArray(window) ? window : [])));

/** What a view is opened with: `{ query, options, rows }`, the last of which says how its rows are read. */
export function opened(given) {
  const { labelSelector, columns, window = "all", ...rest } = optionsOf("view()", `${QUERY} labelSelector columns window`, given);
  const isKubectl = columns === "kubectl";
  if (!isKubectl) paths("columns", columns);
  if (!isKubectl && columns && "key" in columns) refuse("columns", "without `key`, which every row has already");
  const [start, end] = windowOf(window);
  const { query, asked } = read(rest);
  const rows = isKubectl ? "kubectl" : columns ? "named" : "objects";
  const cells = { kubectl: {}, named: { columns: { ...columns } }, objects: { objects: true } }[rows];
  return { query, rows, options: { ...asked, labelSelector: text("labelSelector", labelSelector), start, end, ...cells } };
}

/** What a view is changed to: `{ query, asked }`. A window is a part of what is asked only where one is given. */
export function changed(given) {
  const { window, ...rest } = optionsOf("change()", `${QUERY} window`, given);
  const { query, asked } = read(rest);
  if (window === undefined) return { query, asked };
  const [start, end] = windowOf(window);
  return { query, asked: { ...asked, window: { start, end } } };
}
