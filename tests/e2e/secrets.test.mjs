// Values of Secrets: the page shows and copies them only when they are revealed, one by one.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { PATIENCE, TEST, eventually, setStage, settled } from '../support/harness.mjs';

const stage = await setStage({ args: ['--still'] });
after(() => stage.end());
afterEach(() => assert.deepEqual(stage.errors.splice(0), [], 'the page reported errors'));

const options = { ...TEST, skip: stage.unavailable };
const profile = { permissions: ['clipboard-read', 'clipboard-write'] };
const base64 = (text) => Buffer.from(text).toString('base64');
const values = { password: 'hunter2-of-data', file: 'first line\nsecond line\n' };
const binary = Buffer.from([0xff, 0x00, 0x80, 0x01]).toString('base64');
// None of these may be in the document before it is revealed.
const all = [values.password, base64(values.password), 'second line', base64(values.file), binary, 'of-the-annotation'];

function secret(name) {
  const lastApplied = JSON.stringify({ stringData: { password: 'of-the-annotation' } });
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'default', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': lastApplied } },
    data: { password: base64(values.password), file: base64(values.file), key: binary },
  };
}

async function open(name) {
  const page = await stage.open(`#/v1/secrets?namespace=default&object=default%2F${name}&tab=yaml`, profile);
  await page.locator('.yaml .line').first().waitFor({ timeout: PATIENCE });
  return page;
}

/** Everything that the document holds: text, attributes, properties of form fields. */
const document = (page) =>
  page.evaluate(() => [globalThis.document.documentElement.outerHTML, ...[...globalThis.document.querySelectorAll('input, textarea')].map((field) => field.value)].join('\n'));

const yaml = (page) => page.locator('.yaml').first();
const button = (page, name) => page.locator('.drawer').getByRole('button', { name, exact: true });

async function copy(page, name = 'Copy') {
  await page.evaluate(() => navigator.clipboard.writeText('nothing'));
  await button(page, name).click();
  return eventually('something is copied', PATIENCE, async () => {
    const text = await page.evaluate(() => navigator.clipboard.readText());
    return text !== 'nothing' && text;
  });
}

before(async () => {
  if (stage.unavailable) return;
  for (const name of ['masked', 'changes']) await stage.kubectl(['create', '-f', '-'], JSON.stringify(secret(name)));
});

test('no value of a Secret is in the document or copied before it is revealed', options, async () => {
  const page = await open('masked');
  assert.match(await yaml(page).innerText(), /password: •+.*\n/);
  const [held, copied] = [await document(page), await copy(page)];
  for (const value of all) {
    assert.ok(!held.includes(value), `the document holds ${value}`);
    assert.ok(!copied.includes(value), `${value} was copied`);
  }
  assert.match(copied, /^ {2}password: •+ # hidden, 15 bytes$/m);
  await page.context().close();
});

test('a value is revealed by its key, decoded where it is text, and hidden again', options, async () => {
  const page = await open('masked');
  await button(page, 'Reveal password').click();
  await page.getByText(values.password).waitFor();
  const held = await document(page);
  for (const value of all.slice(2)) assert.ok(!held.includes(value), `the document holds ${value}`);
  const copied = await copy(page);
  assert.ok(copied.includes(`  password: ${base64(values.password)} # ${values.password}\n`), 'the copied value can be applied: base64, with the text as a comment');
  assert.ok(!copied.includes(binary));
  assert.equal(await copy(page, 'Copy password to the clipboard'), values.password);
  // A value can be revealed by keyboard, and the focus stays on the button.
  await button(page, 'Reveal file').press('Enter');
  await page.getByText('second line').waitFor();
  await settled('the focus', () => page.evaluate(() => globalThis.document.activeElement.textContent), 'Hide file');
  assert.equal(await copy(page, 'Copy file to the clipboard'), values.file);
  await button(page, 'Reveal key').click();
  await page.getByText('binary, 4 bytes').waitFor();
  for (const key of ['password', 'file', 'key']) await button(page, `Hide ${key}`).click();
  await button(page, 'Reveal key').waitFor();
  const hidden = await document(page);
  for (const value of all) assert.ok(!hidden.includes(value), `the document still holds ${value}`);
  await page.context().close();
});

test('a revealed value stays revealed while the Secret changes, until the drawer closes', options, async () => {
  const page = await open('changes');
  await button(page, 'Reveal password').click();
  await page.getByText(values.password).waitFor();
  const patch = JSON.stringify({ data: { password: base64('swordfish'), added: base64('never seen') } });
  await stage.kubectl(['patch', 'secret', 'changes', '-n', 'default', '--type=merge', '-p', patch]);
  await page.getByText('swordfish').waitFor({ timeout: PATIENCE });
  assert.ok(!(await document(page)).includes('never seen'), 'the value of a new key is masked');
  await button(page, 'Reveal added').waitFor();
  await page.getByRole('tab', { name: 'Events' }).click();
  await page.getByRole('tab', { name: 'YAML' }).click();
  await button(page, 'Reveal password').waitFor();
  assert.ok(!(await document(page)).includes('swordfish'));
  await page.context().close();
});
