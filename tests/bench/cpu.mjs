// CPU time of a renderer process, all its threads: what the garbage collector does beside the script counts, too.
import { readdir, readFile } from 'node:fs/promises';

/**
 * The renderer that has done the most, of those that nobody has claimed. Chromium keeps an idle one in reserve and hands
 * it to the next page, so the newest process is not the newest page's.
 */
export async function busiestRenderer(browser, claimed) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const free = processInfo.filter(({ type, id }) => type === 'renderer' && !claimed.has(id));
  return free.sort((a, b) => b.cpuTime - a.cpuTime)[0]?.id;
}

/** Milliseconds of CPU that a process has used so far; undefined where the system does not say so precisely (Linux only). */
export async function cpuMilliseconds(pid) {
  try {
    const threads = await readdir(`/proc/${pid}/task`);
    const times = threads.map(async (thread) => {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
      return Number(text.split(' ')[0]) / 1e6;
    });
    return (await Promise.all(times)).reduce((sum, time) => sum + time, 0);
  } catch {
    return undefined;
  }
}
