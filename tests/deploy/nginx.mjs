// nginx with the configuration of the deployment: its files, with the folder of the page, a free port and an apiserver of the test in
// place of three values.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeCertificate } from '../support/certificate.mjs';
import { freePort } from '../support/free-port.mjs';
import { serve } from '../support/processes.mjs';

export const deploy = fileURLToPath(new URL('../../web/deploy', import.meta.url));

/** The program, or undefined. Debian has it in a folder that is not on every PATH. */
export function nginxProgram() {
  return ['nginx', '/usr/sbin/nginx'].find((name) => spawnSync(name, ['-v']).status === 0);
}

/** Texts of the configuration of a kustomization, by name; `variant` is the folder that `upstream.conf` is from. */
async function configuration(variant = 'base') {
  const files = [['base', 'nginx.conf'], ['base', 'hosts.conf'], ['base', 'listen.conf'], [variant, 'upstream.conf']];
  return Object.fromEntries(await Promise.all(files.map(async ([folder, name]) => [name, await readFile(join(deploy, folder, name), 'utf8')])));
}

/**
 * Starts nginx before the apiserver at `upstream`; `page` is the folder of the built page, `tls` whether it speaks HTTPS and HTTP/2.
 * `files` are the texts of the configuration, those of the kustomization `variant` by default. Resolves to `{ url, stop }`.
 */
export async function startNginx({ upstream, page, tls = false, variant, files }) {
  const home = await mkdtemp(join(tmpdir(), 'kube-informer-nginx-'));
  const port = await freePort();
  const config = join(home, 'config');
  for (const folder of [config, join(home, 'run')]) await mkdir(folder);
  const texts = { ...(files ?? (await configuration(variant))) };
  const change = (name, changes) => {
    for (const [value, replacement] of changes) {
      if (!texts[name].includes(value)) throw new Error(`${name} does not contain ${value}`);
      texts[name] = texts[name].replaceAll(value, replacement);
    }
  };
  change('nginx.conf', [['/srv/dashboard', page]]);
  let listen = `listen 127.0.0.1:${port}`;
  if (tls) {
    const { key, cert } = await writeCertificate(home);
    listen += ` ssl http2; ssl_certificate ${cert}; ssl_certificate_key ${key}`;
  }
  change('listen.conf', [['listen 8080', listen]]);
  const isProxy = texts['upstream.conf'].includes('http://127.0.0.1:8001');
  change('upstream.conf', [
    [isProxy ? 'http://127.0.0.1:8001' : 'https://kubernetes.default.svc', upstream],
    isProxy ? ['127.0.0.1:8001;', `${new URL(upstream).host};`] : ['/var/run/secrets/kubernetes.io/serviceaccount/ca.crt', '/etc/ssl/certs/ca-certificates.crt'],
  ]);
  for (const [name, text] of Object.entries(texts)) await writeFile(join(config, name), text);
  const program = nginxProgram();
  const test = spawnSync(program, ['-p', join(home, 'run'), '-c', join(config, 'nginx.conf'), '-t'], { encoding: 'utf8' });
  if (test.status !== 0) throw new Error(test.stderr);
  const { stop } = await serve(program, ['-p', join(home, 'run'), '-c', join(config, 'nginx.conf'), '-g', 'daemon off; master_process off; error_log stderr notice;'], { ready: /event method/ });
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return {
    url,
    stop: async () => {
      await stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
