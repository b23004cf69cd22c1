// Lines of logs as columns of text, which are cheap to pass to WebAssembly or to a worker.

/** Lines as columns: no text of a line has a line break. */
export function joined(lines) {
  const [cuts, origins] = [[], []];
  let last = {};
  for (const [index, { cut, namespace, pod, container }] of lines.entries()) {
    if (cut > 0) cuts.push([index, cut]);
    if (container === last.container && pod === last.pod && namespace === last.namespace) continue;
    last = { from: index, namespace, pod, container };
    origins.push(last);
  }
  return { lines: lines.length, texts: lines.map(({ text }) => text).join("\n"), times: lines.map(({ time }) => time ?? "").join("\n"), cuts, origins };
}
