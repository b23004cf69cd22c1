// Tasks of a page's main thread, from a trace of the browser.

const CATEGORIES = ['__metadata', 'toplevel', 'disabled-by-default-devtools.timeline'];

/** The milliseconds of each task of the busiest main thread of a renderer while `work` runs. */
export async function mainThreadTasks(browser, work) {
  await browser.startTracing(undefined, { categories: CATEGORIES });
  let buffer;
  try {
    await work();
  } finally {
    buffer = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(buffer.toString());
  const mains = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(({ pid, tid }) => `${pid}/${tid}`),
  );
  const tasks = new Map();
  for (const { name, ph, pid, tid, dur } of traceEvents) {
    const thread = `${pid}/${tid}`;
    if (ph !== 'X' || !mains.has(thread) || (name !== 'ThreadControllerImpl::RunTask' && name !== 'RunTask')) continue;
    const of = tasks.get(thread) ?? {};
    (of[name] ??= []).push((dur ?? 0) / 1000);
    tasks.set(thread, of);
  }
  // Both names denote the same tasks, and some versions have only one.
  const threads = [...tasks.values()].map((of) => of.RunTask ?? of['ThreadControllerImpl::RunTask']);
  const total = (list) => list.reduce((sum, time) => sum + time, 0);
  return threads.sort((a, b) => total(b) - total(a))[0] ?? [];
}
