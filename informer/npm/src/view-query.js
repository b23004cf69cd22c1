// View queries: validation, and conversion to the engine's messages.
import { optionsOf, paths, range, refuse, text, texts } from "./check.js";

const QUERY = "filter namespaces orderBy counts";

const isText = (value) => typeof value === "string";

/** Returns `{ query, message }`: the query for the user, and its fields in the engine's messages. */
function read({ filter = "", namespaces = [], orderBy = [], counts = [] }) {
  text("filter", filter);
  texts("namespaces", namespaces);
  texts("counts", counts);
  const isOrder = (entry) => Array.isArray(entry) && isText(entry[0]) && [undefined, "asc", "desc"].includes(entry[1]);
  if (!Array.isArray(orderBy) || !orderBy.every(isOrder)) refuse("orderBy", 'an array of [column] or [column, "asc" or "desc"]');
  const order = orderBy.map(([column, direction]) => ({ column, descending: direction === "desc" }));
  const query = { filter, namespaces: Object.freeze([...namespaces]), orderBy: Object.freeze([...orderBy]), counts: Object.freeze([...counts]) };
  return { query: Object.freeze(query), message: { filter, namespaces: [...namespaces], orderBy: order, facets: [...counts] } };
}

const windowOf = (window) => (window === "all" ? [0, 2 ** 31 - 1] : range(...(Array.isArray(window) ? window : [])));

/** The options of `view()`: `{ query, options, rows }`; `rows` is the name of a reader in rows.js. */
export function opened(given) {
  const { labelSelector, columns, extraColumns, window = "all", ...rest } = optionsOf("view()", `${QUERY} labelSelector columns extraColumns window`, given);
  const isKubectl = columns === "kubectl";
  if (!isKubectl) paths("columns", columns);
  if (!isKubectl && columns && "key" in columns) refuse("columns", "without `key`: every row has one");
  if (paths("extraColumns", extraColumns) && !isKubectl) refuse("extraColumns", 'omitted without `columns: "kubectl"`');
  const [start, end] = windowOf(window);
  const { query, message } = read(rest);
  const rows = isKubectl ? "kubectl" : columns ? "named" : "objects";
  const cells = { kubectl: extraColumns ? { extraColumns: { ...extraColumns } } : {}, named: { columns: { ...columns } }, objects: { objects: true } }[rows];
  return { query, rows, options: { ...message, labelSelector: text("labelSelector", labelSelector), start, end, ...cells } };
}

/** The argument of `change()`: `{ query, message }`. The window is in the message only if it was given. */
export function changed(given) {
  const { window, ...rest } = optionsOf("change()", `${QUERY} window`, given);
  const { query, message } = read(rest);
  if (window === undefined) return { query, message };
  const [start, end] = windowOf(window);
  return { query, message: { ...message, window: { start, end } } };
}
