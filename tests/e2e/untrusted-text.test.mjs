// Untrusted text from the cluster: it must not reorder, hide or cover other content of the page.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, cell, eventually, row, setStage } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
// edit.test.mjs explains the ignored error.
afterEach(() => assert.deepEqual(stage.errors.splice(0).filter((error) => !/Applying inline style/.test(error)), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const ns = 'untrusted';
const create = (object) => stage.kubectl(['create', '--validate=false', '-f', '-'], JSON.stringify(object));
// Each bidirectional control, zero-width characters, and a control character.
const hidden = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069, 0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0x7f];
const trick = (text, codes = hidden) => codes.map((code) => `${text}${String.fromCodePoint(code)}`).join('');
const escaped = (text, codes = hidden) => codes.map((code) => `${text}\\u${code.toString(16).padStart(4, '0')}`).join('');
const reason = 'FailedForAReasonThatIsLongerThanTheDrawerIsWide'.repeat(3).slice(0, 128);
const columns = ['Certificate Authority Rotation Deadline', 'Observed Generation Of The Controller', 'Endpoints Ready For Traffic', 'Reconciliation Strategy In Force'];

before(async () => {
  if (stage.unavailable) return;
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
  const metadata = { name: 'trick', namespace: ns, annotations: { note: trick('x'), text: `first${trick('y')}\nsecond\n` } };
  await create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const { metadata: map } = JSON.parse(await stage.kubectl(['get', 'configmap', 'trick', '-n', ns, '-o', 'json']));
  const event = (name, more) => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: ns },
    involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: 'trick', namespace: ns, uid: map.uid },
    type: 'Warning',
    firstTimestamp: new Date().toISOString(),
    lastTimestamp: new Date().toISOString(),
    ...more,
  });
  await create(event('trick.1', { reason: 'Trick', message: trick('m') }));
  await create(event('trick.2', { reason, message: 'A long reason' }));
  const property = (_, at) => ({ name: columns[at], type: 'string', jsonPath: `.spec.column${at}` });
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  await create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.example.org' },
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema, additionalPrinterColumns: columns.map(property) }],
    },
  });
  const gadget = { apiVersion: 'example.org/v1', kind: 'Gadget', metadata: { name: 'one', namespace: ns }, spec: { column0: trick('c') } };
  // The server needs a moment before it serves the kind.
  await eventually('it can be created', PATIENCE, () => create(gadget).then(() => true, () => false));
});

const raw = (text) => hidden.some((code) => text.includes(String.fromCodePoint(code)));

test('hidden characters are escapes in cells and their hints', options, async () => {
  const page = await stage.open(`#/v1/events?namespace=${ns}`, { viewport: { width: 1600, height: 800 } });
  const message = cell(page, `${ns}/trick.1`, 'Message');
  await message.waitFor({ timeout: PATIENCE });
  assert.equal(await message.textContent(), escaped('m'));
  await message.hover();
  assert.equal(await message.getAttribute('title'), escaped('m'));
  assert.ok(!raw(await page.locator('.table').evaluate((table) => table.textContent)));
  await page.context().close();
});

test('hidden characters are escapes in the YAML and the events of an object', options, async () => {
  const page = await stage.open(`#/v1/configmaps?namespace=${ns}&object=${ns}%2Ftrick&tab=yaml`);
  const note = page.locator('.yaml .line', { hasText: 'note:' });
  await note.waitFor({ timeout: PATIENCE });
  assert.equal((await note.textContent()).trim(), `note: "${escaped('x')}"`);
  const first = page.locator('.yaml .line', { hasText: 'first' });
  assert.ok(!raw(await first.textContent()), 'hidden characters are escaped in a block scalar, too');
  await page.getByRole('tab', { name: 'Events' }).click();
  const event = page.locator('.events li', { hasText: 'Trick' });
  await event.waitFor({ timeout: PATIENCE });
  assert.ok((await event.textContent()).includes(escaped('m')), await event.textContent());
  assert.ok(!raw(await page.locator('.drawer').evaluate((drawer) => drawer.outerHTML)));
  await page.context().close();
});

/** The text of a dialog, shadow roots included. */
const dialogText = (page) => page.locator('dialog.action').evaluate((dialog) =>
  [dialog, ...[...dialog.querySelectorAll('*')].map(({ shadowRoot }) => shadowRoot).filter(Boolean)].map((root) => root.textContent).join('\n'));
const press = (page, name) => page.locator('dialog.action footer').getByRole('button', { name, exact: true }).click();

test('hidden characters are escapes in the editor, and in the difference before an apply', options, async () => {
  const page = await stage.open(`#/v1/configmaps?namespace=${ns}`, { viewport: { width: 1600, height: 900 } });
  await page.getByRole('button', { name: 'Create from YAML' }).click({ timeout: PATIENCE });
  const editor = page.locator('.editor .cm-content');
  await editor.click({ timeout: PATIENCE });
  // Pasted as a plain value, quoted, and in a comment. The server's YAML parser accepts neither a raw DEL nor a raw byte order mark.
  const pasted = hidden.filter((code) => code !== 0x7f && code !== 0xfeff);
  const [comment, plain, quoted] = ['c', 'n', 'q'].map((mark) => trick(mark, pasted));
  await page.keyboard.insertText(`apiVersion: v1\nkind: ConfigMap # ${comment}\nmetadata:\n  name: trick\n  namespace: ${ns}\n  annotations:\n    note: ${plain}!\n    text: "${quoted}!"\n`);
  for (const mark of ['c', 'n', 'q']) await eventually(`the escapes of ${mark}`, PATIENCE, async () => (await editor.textContent()).includes(escaped(mark, pasted)));
  assert.ok(!raw(await dialogText(page)));
  await press(page, 'Review');
  // The client that created the object owns the annotations.
  await press(page, 'Take over');
  // Only the difference quotes the plain value: the editor has it as it was pasted.
  await eventually('the escapes of added text', PATIENCE, async () => (await dialogText(page)).includes(`note: "${escaped('n', pasted)}!"`));
  const difference = await dialogText(page);
  assert.ok(difference.includes(`text: "${escaped('q', pasted)}!"`), 'hidden characters of a quoted value are escaped');
  assert.ok(difference.includes(`note: "${escaped('x')}"`), 'hidden characters of removed text are escaped');
  assert.ok(!raw(difference));
  await page.context().close();
});

test('a long reason leaves the badge its line', options, async () => {
  for (const width of [1400, 380]) {
    const page = await stage.open(`#/v1/configmaps?namespace=${ns}&object=${ns}%2Ftrick&tab=yaml`, { viewport: { width, height: 800 } });
    await page.getByRole('tab', { name: 'Events' }).click({ timeout: PATIENCE });
    const event = page.locator('.events li', { hasText: 'A long reason' });
    await event.waitFor({ timeout: PATIENCE });
    const { height } = await event.locator('.badge').boundingBox();
    assert.ok(height < 24, `the badge is ${height} px high in a window of ${width} px`);
    const drawer = await page.locator('.drawer').boundingBox();
    const age = await event.locator('.ago').boundingBox();
    assert.ok(age.x + age.width <= drawer.x + drawer.width, 'the age is within the drawer');
    await page.context().close();
  }
});

test('a long header of a custom resource ends before the next one', options, async () => {
  for (const width of [1400, 2560]) {
    const page = await stage.open(`#/example.org/v1/gadgets?namespace=${ns}`, { viewport: { width, height: 800 } });
    await row(page, `${ns}/one`).waitFor({ timeout: PATIENCE });
    // The columns of the definition may arrive after the row.
    await page.locator('[role=columnheader] button', { hasText: columns[0] }).waitFor({ timeout: PATIENCE });
    const buttons = await page.locator('[role=columnheader] button').evaluateAll((buttons) =>
      buttons.map((button) => {
        const range = document.createRange();
        range.selectNodeContents(button);
        // Clipped text is not painted: the visible text ends at the first clipping box around it.
        const name = button.querySelector('.name') ?? button;
        const clips = getComputedStyle(name).overflowX !== 'visible';
        const { left, right } = button.getBoundingClientRect();
        return { name: button.textContent, left, right: clips ? right : Math.max(right, range.getBoundingClientRect().right) };
      }),
    );
    assert.ok(buttons.length > 3);
    for (const [at, { name, right }] of buttons.entries()) {
      const next = buttons[at + 1];
      assert.ok(!next || right <= next.left, `${name} ends at ${right}, and ${next?.name} begins at ${next?.left}`);
    }
    await page.context().close();
  }
});
