// Unused exports: the functions that the build of the page removes from wasm-bindgen's output (.ci/unused-exports.mjs,
// .ci/short-imports.mjs).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortenKeys } from '../../.ci/short-imports.mjs';
import { withoutClasses, withoutExports } from '../../.ci/unused-exports.mjs';
import { encode, section, sized } from '../../.ci/wasm-file.mjs';

/** A module with one function, which is exported under each of the names. */
function moduleOf(...names) {
  const exports = names.map((name) => Buffer.concat([sized(Buffer.from(name)), Buffer.of(0, 0)]));
  return Buffer.concat([
    Buffer.from('\0asm\x01\0\0\0', 'latin1'),
    section(1, Buffer.of(1, 0x60, 0, 0)),
    section(3, Buffer.of(1, 0)),
    section(7, Buffer.concat([Buffer.from(encode(names.length)), ...exports])),
    section(10, Buffer.of(1, 2, 0, 0x0b)),
  ]);
}

const GLUE = `
export class Sink {
    write(chunk) {
        if (chunk) {
            wasm.sink_write(chunk);
        }
    }
}
if (Symbol.dispose) Sink.prototype[Symbol.dispose] = Sink.prototype.free;
function imports() {
    return {
        __wbg_a_12: function(arg0) {
            return arg0;
        },
        __wbg_b_34: function() { return handleError(function (arg0) {
            return arg0;
        }, arguments); },
    };
}
const SinkFinalization = (typeof FinalizationRegistry === 'undefined')
    ? { register: () => {}, unregister: () => {} }
    : new FinalizationRegistry(ptr => wasm.__wbg_sink_free(ptr, 1));
`;

test('an export that nothing uses is removed, and the file is valid', () => {
  const names = (wasm) => WebAssembly.Module.exports(new WebAssembly.Module(wasm)).map(({ name }) => name);
  const many = Array.from({ length: 200 }, (_, at) => `f${at}`);
  assert.deepEqual(names(withoutExports(moduleOf('main', 'sink_write'), (name) => name === 'main')), ['main']);
  assert.deepEqual(names(withoutExports(moduleOf(...many), () => true)), many);
  assert.deepEqual(names(withoutExports(moduleOf('main'), () => false)), []);
});

test("the glue's classes are removed with their calls of the wasm", () => {
  const glue = withoutClasses(GLUE);
  assert.doesNotMatch(glue, /Sink|wasm\./);
  assert.match(glue, /^function imports\(\) \{$/m);
});

test('a class that the glue uses is an error', () => {
  assert.throws(() => withoutClasses(`${GLUE}const sink = new Sink();\n`), /the glue uses its class Sink/);
});

test('a class of an unknown form is an error', () => {
  assert.throws(() => withoutClasses(`${GLUE}export class Other {}\n`), /unknown form: export class Other/);
  assert.throws(() => withoutClasses(`${GLUE}const OtherFinalization = 1\n`), /unknown form: const OtherFinalization/);
});

test('the glue loses the functions that the wasm does not import, and shortens the others', () => {
  assert.match(shortenKeys(GLUE, new Map([['__wbg_b_34', '0']])), /return \{\n {8}"0": function\(\) \{ return handleError/);
  assert.match(shortenKeys(GLUE, new Map([['__wbg_a_12', 'z']])), /return \{\n {8}"z": function\(arg0\) \{\n.*\n {8}\},\n {4}\};/);
  assert.throws(() => shortenKeys(GLUE, new Map([['__wbg_c_56', '0']])), /1 imports are not found/);
});
