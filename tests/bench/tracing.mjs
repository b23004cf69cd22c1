// Tasks of a page's main thread and of its worker, from a trace of the browser.

const CATEGORIES = ['__metadata', 'toplevel', 'disabled-by-default-devtools.timeline'];

/** The milliseconds of each task of the busiest main thread of a renderer while `work` runs. */
export async function mainThreadTasks(browser, work) {
  return (await tasksOfThreads(browser, work)).main;
}

/** The same, and those of the busiest worker, with the milliseconds that `work` took: `{ main, worker, took }`. */
export async function tasksOfThreads(browser, work) {
  await browser.startTracing(undefined, { categories: CATEGORIES });
  const start = performance.now();
  let buffer, took;
  try {
    await work();
  } finally {
    took = performance.now() - start;
    buffer = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(buffer.toString());
  const names = new Map(traceEvents.filter(({ name }) => name === 'thread_name').map(({ pid, tid, args }) => [`${pid}/${tid}`, args.name]));
  const tasks = new Map();
  for (const { name, ph, pid, tid, dur } of traceEvents) {
    if (ph !== 'X' || (name !== 'ThreadControllerImpl::RunTask' && name !== 'RunTask')) continue;
    const thread = `${pid}/${tid}`;
    const of = tasks.get(thread) ?? {};
    (of[name] ??= []).push((dur ?? 0) / 1000);
    tasks.set(thread, of);
  }
  const busiest = (isMeant) => {
    // Both names denote the same tasks, and some versions have only one.
    const threads = [...tasks].filter(([thread]) => isMeant(names.get(thread) ?? '')).map(([, of]) => of.RunTask ?? of['ThreadControllerImpl::RunTask']);
    return threads.sort((a, b) => total(b) - total(a))[0] ?? [];
  };
  return { main: busiest((name) => name === 'CrRendererMain'), worker: busiest((name) => /^(Shared|Dedicated)Worker thread/.test(name)), took };
}

/** Sum of the milliseconds of tasks. */
export const total = (tasks) => tasks.reduce((sum, time) => sum + time, 0);
