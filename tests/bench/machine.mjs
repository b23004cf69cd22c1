// Description of the machine, without names of hosts or people.
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';

export function machine() {
  const processors = cpus();
  return {
    cores: processors.length,
    processor: processors[0]?.model.trim() ?? 'unknown',
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${type()} ${release().split('-')[0]}`,
    node: process.version,
    load: load(),
  };
}

/** How busy the machine was when the run ended: a load above the number of cores is a warning. */
function load() {
  try {
    return Number(readFileSync('/proc/loadavg', 'utf8').split(' ')[1]);
  } catch {
    return null;
  }
}
