// Random input: actions of the monkey. Each action has its own random numbers, so that an action with another number of
// draws does not change later ones.

const KEYS = [
  ...['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'PageDown', 'PageUp', 'Home', 'End'],
  ...['Enter', 'Enter', 'Escape', 'Escape', 'Escape', 'Tab', 'Tab', 'Shift+Tab', 'Space', 'Backspace', 'Delete'],
  ...['/', '?', 'j', 'k', 'g', 'G', ':', 'Control+k', 'p', 'o', '[', ']', 'Shift+Enter', 'Shift+ArrowDown'],
  ...['n', '!', 'f', 'a', 'l', 'c', '*', 'Control+a', 'h', 'm', 'd', 'y', 's', 'e', '0'],
];

const FILTERS = [
  ...['status=', 'status=Running', 'status:Running', 'restarts>2', 'restarts > 3', 'restarts>x', 'status!=Running web', '-web'],
  ...['(', ')', 'a or', 'not', '"', '"a b', 'name~^web', 'name~(', 'colour=red', 'age<5m', 'status=Running,Pending or restarts>50'],
  ...['\u202e', '\u200b', '🦀', 'a'.repeat(300), '', ' ', '=', '>', 'cpu>100m', 'namespace=default'],
];

const KINDS = [
  ...['v1/pods', 'v1/pods', 'v1/pods', 'v1/configmaps', 'v1/secrets', 'v1/services', 'v1/nodes', 'v1/namespaces', 'v1/events'],
  ...['apps/v1/deployments', 'apps/v1/replicasets', 'batch/v1/jobs', 'v1/persistentvolumes', 'apiextensions.k8s.io/v1/customresourcedefinitions'],
  ...['changes', 'map', 'v1/nothings', 'example.dev/v1/nothings', 'not a kind', ''],
];

const NAMESPACES = ['', '', 'default', 'kube-system', 'not-there', 'default,kube-system', 'default,not-there,<b>'];
const SORTS = ['', 'name', 'restarts-desc', 'status,restarts-desc', 'age', 'colour-desc', ',,', 'name-up'];
const SIZES = [[1280, 900], [1600, 1000], [1000, 700], [380, 700], [700, 380]];

/** Clickable elements, if they are visible. */
const TARGETS = 'button, a[href^="#"], input, select, summary, [role=gridcell], [role=option], [role=tab], [role=separator], [tabindex="0"], main, header, aside, h1, h2';

/** Elements that a press moves the focus to. */
const TAKES_FOCUS = 'button:enabled, a[href], input:enabled, select:enabled, summary, [tabindex]';

const pick = (random, all) => all[Math.floor(random() * all.length)];

/** Clickable position in the page, and the element there. */
const place = (page, at) =>
  page.evaluate(
    ([selector, at]) => {
      const boxes = [...document.querySelectorAll(selector)]
        .map((element) => ({ element, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth);
      const one = boxes[Math.floor(at * boxes.length)];
      if (!one) return { x: 1, y: 1, what: 'nothing' };
      const middle = (from, to, most) => (Math.max(0, from) + Math.min(most, to)) / 2;
      const [x, y] = [middle(one.box.left, one.box.right, innerWidth), middle(one.box.top, one.box.bottom, innerHeight)];
      const { tagName, className, textContent } = one.element;
      return { x, y, what: `${tagName.toLowerCase()}.${`${className}`.replaceAll(' ', '.')} "${textContent.trim().slice(0, 30)}"` };
    },
    [TARGETS, at],
  );

/** Keys that move through the history, with their steps. */
const TRAVEL = { '[': -1, ']': 1 };

/** Whether there is an entry of the page in this direction: beyond its own entries the browser shows another page. */
const canTravel = (page, by) => page.evaluate((by) => !window.navigation || (by < 0 ? navigation.canGoBack : navigation.canGoForward), by);

async function keys(page, random) {
  const key = pick(random, KEYS);
  if (TRAVEL[key] && !(await canTravel(page, TRAVEL[key]))) return { said: `does not press ${key} at the end of the history` };
  await page.keyboard.press(key);
  return { said: `presses ${key}`, mayLeave: key.endsWith('Tab') };
}

async function click(page, random) {
  const { x, y, what } = await place(page, random());
  // At the time of the press: rows may have been added or removed since the position was found. The second press of a double click
  // may land on another element: on what the first one opened, or on what was below it.
  await page.evaluate((selector) => {
    window.takesFocus = false; // a disabled box reports no press
    window.notePress ??= ({ target }) => (window.takesFocus = Boolean(target.closest?.(selector)));
    addEventListener('mousedown', window.notePress, { capture: true });
  }, TAKES_FOCUS);
  const modifiers = random() < 0.1 ? 'Shift' : undefined;
  if (modifiers) await page.keyboard.down(modifiers);
  await page.mouse.click(x, y, { clickCount: random() < 0.1 ? 2 : 1 });
  if (modifiers) await page.keyboard.up(modifiers);
  // A press on an element that takes no focus, such as the background, removes the focus: a rule of browsers, not a fault.
  const isExcused = !(await page.evaluate(() => window.takesFocus));
  return { said: `clicks ${what}`, isExcused };
}

async function scroll(page, random) {
  const { x, y, what } = await place(page, random());
  const by = Math.round((random() - 0.4) * 6_000);
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, by);
  return { said: `scrolls ${what} by ${by}` };
}

async function point(page, random) {
  const { x, y, what } = await place(page, random());
  await page.mouse.move(x, y);
  return { said: `points at ${what}` };
}

async function filter(page, random) {
  const box = page.getByRole('combobox', { name: 'Filter' });
  const [text, end] = [pick(random, FILTERS), pick(random, [undefined, 'Enter', 'Escape', 'Tab', 'ArrowDown'])];
  if (!(await box.isVisible())) return { said: 'finds no filter' };
  await box.focus();
  if (random() < 0.7) await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
  if (end) await page.keyboard.press(end);
  return { said: `filters by ${JSON.stringify(text.slice(0, 40))} ${end ?? ''}` };
}

async function address(page, random) {
  const parameters = new URLSearchParams();
  for (const [name, values] of Object.entries({ namespace: NAMESPACES, filter: FILTERS, sort: SORTS })) {
    if (random() < 0.4) parameters.set(name, pick(random, values));
  }
  if (random() < 0.3) {
    const keys = await page.evaluate(() => [...document.querySelectorAll('[role=row][data-key]')].map((row) => row.dataset.key));
    parameters.set('object', random() < 0.8 && keys.length > 0 ? pick(random, keys) : 'default/not-there');
  }
  const hash = `#/${pick(random, KINDS)}?${parameters}`;
  await page.evaluate((hash) => (location.hash = hash), hash);
  return { said: `goes to ${hash.slice(0, 90)}` };
}

async function history(page, random) {
  const by = pick(random, [-1, -1, -1, 1]);
  if (await canTravel(page, by)) await page.evaluate((by) => history.go(by), by);
  return { said: by < 0 ? 'goes back' : 'goes forward' };
}

async function resize(page, random) {
  const [width, height] = pick(random, SIZES);
  await page.setViewportSize({ width, height });
  return { said: `is ${width} by ${height}` };
}

async function reload(page) {
  await page.reload();
  return { said: 'reloads', isExcused: true };
}

/** Relative frequencies of the actions. */
const actions = [[keys, 50], [click, 30], [scroll, 8], [point, 6], [filter, 10], [address, 8], [history, 4], [resize, 2], [reload, 1]];
const all = actions.reduce((sum, [, weight]) => sum + weight, 0);

/** An action: `{ name, act(page) }`. It resolves to its description, and whether it may remove the focus. */
export function draw(random) {
  let at = random() * all;
  const [action] = actions.find(([, weight]) => (at -= weight) < 0) ?? actions[0];
  return { name: action.name, act: (page) => action(page, random) };
}
