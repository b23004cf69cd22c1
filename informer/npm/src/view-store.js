// Store of a view for React: one snapshot of all that the view shows.
import { NO_COUNTS, NO_ROWS } from "./view.js";

/** State of a view that is not open yet. */
export const NO_VIEW = Object.freeze({ ...NO_ROWS, columns: Object.freeze([]), counts: NO_COUNTS, pending: true, error: null });

/** Returns `{ view, subscribe, getSnapshot }`. The snapshot is the same object until a part of it changes. */
export function viewStore(view) {
  let [rows, snapshot] = [null, NO_VIEW];
  const getSnapshot = () => {
    const { columns, counts, pending, error } = view;
    const now = view.getSnapshot();
    const isSame = now === rows && columns === snapshot.columns && counts === snapshot.counts && pending === snapshot.pending && error === snapshot.error;
    if (!isSame) [rows, snapshot] = [now, Object.freeze({ ...now, columns, counts, pending, error })];
    return snapshot;
  };
  return { view, subscribe: view.subscribe, getSnapshot };
}
