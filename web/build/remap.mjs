// Remap flags: panic messages name source files; the folders of this machine are private, and are cut off.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Returns cargo's arguments that cut them off for a target. Cargo adds their flags to those of .cargo/config.toml. */
export async function remapFlags(jobs, target) {
  // Fills the folder of the sources.
  await jobs.run('sources', 'cargo', ['fetch', '--locked']);
  const sysroot = spawnSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' }).stdout.trim();
  const registries = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'registry/src');
  const folders = existsSync(registries) ? readdirSync(registries).map((registry) => join(registries, registry)) : [];
  const flags = [process.cwd(), sysroot, ...folders].map((folder) => `"--remap-path-prefix=${folder}/="`);
  return ['--config', `target.${target}.rustflags=[${flags}]`];
}
