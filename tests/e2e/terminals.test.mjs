// Terminals: several at once, their size, copy and paste, and a connection that is lost.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { PATIENCE, eventually } from '../support/harness.mjs';
import { setStageWithRunner } from '../support/runner.mjs';
import { connected, hasFocus, openShell, openTab, screen, shown, shows, type } from '../support/terminal.mjs';

const { stage, runner, options } = await setStageWithRunner(['--pods', '0', '--churn', '0'], { exec: true });

before(async () => {
  if (!stage.unavailable) await runner.run('guest');
});

const tab = (page, name) => page.getByRole('group', { name: 'Shells' }).getByRole('button', { name, exact: true });

test('several shells are open at once, each with its own state, and one is removed', options, async () => {
  const page = await openTab(stage, 'guest');
  await openShell(page);
  await connected(page);
  await type(page, 'cd /etc');
  await page.getByLabel('Process').selectOption('bash');
  await openShell(page);
  await tab(page, '2: bash in guest').waitFor({ timeout: PATIENCE });
  await connected(page);
  await type(page, 'echo second-$? && pwd');
  await shows(page, /^second-0\n\/\s*$/m);
  assert.deepEqual([await tab(page, '1: sh in guest').getAttribute('aria-pressed'), await tab(page, '2: bash in guest').getAttribute('aria-pressed')], ['false', 'true']);
  // The first one kept its directory while it was hidden.
  await tab(page, '1: sh in guest').click();
  await type(page, 'pwd');
  await shows(page, /^\/etc\s*$/m);
  assert.doesNotMatch(await screen(page), /second/);
  await page.keyboard.type('exit 7\n');
  await shown(page, '.terminal-says').getByText('The process ended with exit code 7.').waitFor({ timeout: PATIENCE });
  await shown(page, '.terminal-says').getByRole('button', { name: 'Remove' }).click();
  await tab(page, '1: sh in guest').waitFor({ state: 'detached', timeout: PATIENCE });
  // The process of the other terminal still runs.
  await shows(page, /second-0/);
  await page.locator('.terminal-frame:not([hidden]) textarea').focus();
  await type(page, 'echo third-$?');
  await shows(page, /^third-0\s*$/m);
  await page.context().close();
});

test('the process has the size of the terminal, also after the window has another one', options, async () => {
  const page = await openTab(stage, 'guest', {}, '&full=1');
  await openShell(page);
  await connected(page);
  /** Rows and columns as the process sees them. */
  const size = async (number) => {
    await type(page, `echo size-${number} && stty size`);
    const [, rows, columns] = await shows(page, new RegExp(`^size-${number}\\s*\\n(\\d+) (\\d+)\\s*$`, 'm'));
    return { rows: Number(rows), columns: Number(columns) };
  };
  /** Number of columns that fit, by the width of a character. */
  const room = () => shown(page, '.terminal:not(.xterm)').evaluate((place) => {
    const row = place.querySelector('.xterm-rows > div');
    const range = document.createRange();
    const text = [...row.parentElement.querySelectorAll('span')].find((span) => span.textContent.length > 3);
    range.selectNodeContents(text);
    return place.clientWidth / (range.getBoundingClientRect().width / text.textContent.length);
  });
  const before = await size(1);
  assert.ok(before.rows > 10 && Math.abs(before.columns - (await room())) < 6, `${JSON.stringify(before)} of ${await room()} columns`);
  const width = () => shown(page, '.xterm-screen').evaluate((screen) => screen.clientWidth);
  const wide = await width();
  await page.setViewportSize({ width: 1000, height: 500 });
  await eventually('a narrower screen', PATIENCE, async () => (await width()) < wide);
  const after = await size(2);
  assert.ok(after.columns < before.columns && after.rows < before.rows, JSON.stringify([before, after]));
  assert.ok(Math.abs(after.columns - (await room())) < 6, `${JSON.stringify(after)} of ${await room()} columns`);
  await page.context().close();
});

test('text is copied and pasted by keys', options, async () => {
  const page = await openTab(stage, 'guest', { permissions: ['clipboard-read', 'clipboard-write'] });
  await openShell(page);
  await connected(page);
  await type(page, 'echo copied-$?');
  await shows(page, /^copied-0\s*$/m);
  // A double click selects a word.
  const word = await page.evaluate(() => {
    const walker = document.createTreeWalker(document.querySelector('.xterm-rows'), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      if (!walker.currentNode.data.startsWith('copied-0')) continue;
      const range = document.createRange();
      range.setStart(walker.currentNode, 1);
      range.setEnd(walker.currentNode, 2);
      const { x, y, width, height } = range.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    }
    return null;
  });
  await page.mouse.dblclick(word.x, word.y);
  await page.keyboard.press('Control+Shift+C');
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await eventually('the word is copied', PATIENCE, async () => (await clipboard()) === 'copied-0');
  await page.evaluate(() => navigator.clipboard.writeText('echo pasted-$?'));
  await page.keyboard.press('Control+Shift+V');
  await shows(page, /# echo pasted-\$\?\s*$/m);
  assert.doesNotMatch(await screen(page), /pasted-0/, 'pasted text does not run before Enter');
  await page.keyboard.press('Enter');
  await shows(page, /^pasted-0\s*$/m);
  await page.context().close();
});

test('a lost connection is said, the text stays, and a new shell opens in its place', options, async () => {
  const page = await openTab(stage, 'guest');
  await openShell(page);
  await connected(page);
  await type(page, 'echo kept-$?');
  await shows(page, /^kept-0\s*$/m);
  await stage.killProxy();
  const says = shown(page, '.terminal-says');
  await says.getByText(/^The connection was lost: .*The process may still run, but this terminal cannot return to it\.$/).waitFor({ timeout: PATIENCE });
  assert.match(await screen(page), /kept-0/);
  // Without a proxy, the attempt fails again, and the page says so.
  await says.getByRole('button', { name: 'Open a new one' }).click();
  await says.getByRole('button', { name: 'Try again' }).waitFor({ timeout: PATIENCE });
  await stage.startProxy();
  await says.getByRole('button', { name: 'Try again' }).click();
  await connected(page);
  await hasFocus(page);
  await type(page, 'echo again-$?');
  await shows(page, /^again-0\s*$/m);
  // Chromium reports the lost connections on the console, and the stub kubelet the lost connection of its watch.
  stage.errors.splice(0, stage.errors.length, ...stage.errors.filter((error) => !/WebSocket|net::ERR|stub kubelet/.test(error)));
  await page.context().close();
});

test('24-bit colours are shown, under a policy that allows no style attributes', options, async () => {
  const page = await openTab(stage, 'guest');
  await page.getByLabel('Process').selectOption({ label: 'main process (attach)' });
  await openShell(page);
  await connected(page);
  const command = { log: 'line', text: '\u001b[38;2;255;100;50;48;2;10;20;30msunset\u001b[0m', namespace: 'default', pod: 'guest' };
  const coloursOf = () =>
    page.evaluate(() => {
      const span = [...document.querySelectorAll('.xterm-rows span')].find((span) => span.textContent.includes('sunset'));
      return span && [getComputedStyle(span).color, getComputedStyle(span).backgroundColor];
    });
  // Again until it is seen: other lines of the process move it out of view.
  let colours;
  await eventually('the coloured text', PATIENCE, async () => {
    await runner.order(command);
    colours = await coloursOf();
    return colours;
  });
  assert.deepEqual(colours, ['rgb(255, 100, 50)', 'rgb(10, 20, 30)']);
  await page.context().close();
});
