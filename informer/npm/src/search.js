// Search request: validates the arguments of `SharedInformer.search()`. Loaded on first use.
import { optionsOf, refuse, texts, whole } from "./check.js";

export function searchRequest(informer, text, given) {
  const { limit = 50, columns = [], indexes = [] } = optionsOf("search()", "limit columns indexes", given);
  if (typeof text !== "string") refuse("text", "a string");
  whole("limit", limit);
  return { type: "search", informer, text, limit, columns: texts("columns", columns), indexes: texts("indexes", indexes) };
}
