// Compiles surface.test-d.ts against a package in node_modules, as a user's compiler does.
import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** A function that says what tsc says of the package in `home`/node_modules; empty when it is content. */
export function compiler(home) {
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  const source = join(home, 'surface.test-d.ts');
  copyFileSync(at('surface.test-d.ts'), source);
  return (module, resolution, file = source, lib = 'esnext,dom') => {
    const how = ['--module', module, '--moduleResolution', resolution, '--resolveJsonModule'];
    const args = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'esnext', '--lib', lib, '--types', '', ...how];
    const { status, stdout, stderr, error } = spawnSync(process.execPath, [at('../../../tests/node_modules/.bin/tsc'), ...args, file], { encoding: 'utf8' });
    if (error) throw error;
    return status === 0 ? '' : `${stdout}${stderr}` || `exit ${status}`;
  };
}
