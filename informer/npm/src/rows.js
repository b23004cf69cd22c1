// Columns and rows of a view, from the engine's messages.

/** Column headers, as in kubectl's tables. */
export const headersOf = (columns) =>
  Object.freeze(
    columns.map(({ name, wide, numeric }) => Object.freeze({ name, type: numeric ? "number" : "string", priority: wide ? 1 : 0 })),
  );

/** A cell: a string, a number, null, or an object for values that change with time. */
function cellOf({ text, number, time, restarts, duration }) {
  if (time !== undefined) return Object.freeze({ time });
  if (restarts) return Object.freeze({ restarts: restarts[0], lastAt: restarts[1] });
  if (duration) return Object.freeze({ from: duration[0], to: duration[1] });
  return text ?? number ?? null;
}

/** Readers of a row, by the kind of the view's columns. */
export const readers = {
  objects: ({ object }) => object,
  kubectl: ({ key, uid, gone, cells }) => ({ key, uid, gone, cells: Object.freeze(cells.map(cellOf)) }),
  named: ({ key, cells }, headers) =>
    Object.assign({ key }, ...cells.map((cell, at) => ({ [headers[at].name]: cellOf(cell) }))),
};

/** The rows from `start` to `end`: the changed ones, and the unchanged ones of the previous window. */
export function patched(before, start, end, changed, read) {
  const kept = before.rows.slice(Math.max(0, start - before.start), Math.max(0, end - before.start));
  const rows = new Array(Math.max(0, Math.min(before.start, end) - start)).concat(kept);
  rows.length = end - start;
  for (const row of changed) rows[row.index - start] = Object.freeze(read(row));
  return Object.freeze(rows);
}
