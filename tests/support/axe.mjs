// Accessibility check by axe-core. The page must be opened with `bypassCSP`: its policy would refuse the script.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const script = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds below `root`, one line for each element and rule; empty if all is well. Checks every rule, or only those of `rules`. */
export async function violations(page, { root = 'html', rules } = {}) {
  // Not as a script element: the page's Trusted Types refuse its text.
  await page.evaluate(script);
  return page.evaluate(
    async ([root, rules]) => {
      const { violations } = await window.axe.run(document.querySelector(root), rules ? { runOnly: rules } : {});
      return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 300)} ${failureSummary}`));
    },
    [root, rules],
  );
}
