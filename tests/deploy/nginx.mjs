// nginx with the configuration of the deployment: its files, with the folder of the page, a free port and an apiserver of the test in
// place of three values.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/free-port.mjs';
import { serve } from '../support/processes.mjs';

export const deploy = fileURLToPath(new URL('../../web/deploy', import.meta.url));

/** The program, or undefined. Debian has it in a folder that is not on every PATH. */
export function nginxProgram() {
  return ['nginx', '/usr/sbin/nginx'].find((name) => spawnSync(name, ['-v']).status === 0);
}

/** Makes a certificate of 127.0.0.1 that nothing has signed; the paths of its files. */
export function makeCertificate(folder) {
  const [key, certificate] = ['key.pem', 'cert.pem'].map((name) => join(folder, name));
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, '-days', '2', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return { key, certificate };
}

/**
 * Starts nginx before the apiserver at `upstream`; `page` is the folder of the built page, `tls` whether it speaks HTTPS and HTTP/2.
 * `variant` is the folder that `upstream.conf` is from. Resolves to `{ url, stop }`.
 */
export async function startNginx({ upstream, page, tls = false, variant = 'base' }) {
  const home = await mkdtemp(join(tmpdir(), 'kube-informer-nginx-'));
  const port = await freePort();
  const config = join(home, 'config');
  await cp(join(deploy, 'base'), config, { recursive: true });
  await mkdir(join(home, 'run'));
  const change = async (name, from, changes) => {
    let text = await readFile(join(from, name), 'utf8');
    for (const [value, replacement] of changes) {
      if (!text.includes(value)) throw new Error(`${name} does not contain ${value}`);
      text = text.replaceAll(value, replacement);
    }
    await writeFile(join(config, name), text);
  };
  await change('nginx.conf', config, [['/srv/dashboard', page]]);
  let listen = `listen 127.0.0.1:${port}`;
  if (tls) {
    const { key, certificate } = makeCertificate(home);
    listen += ` ssl http2; ssl_certificate ${certificate}; ssl_certificate_key ${key}`;
  }
  await change('listen.conf', config, [['listen 8080', listen]]);
  const host = variant === 'base' ? 'https://kubernetes.default.svc' : 'http://127.0.0.1:8001';
  await change('upstream.conf', join(deploy, variant), [
    [host, upstream],
    ...(variant === 'base' ? [['/var/run/secrets/kubernetes.io/serviceaccount/ca.crt', '/etc/ssl/certs/ca-certificates.crt']] : [['127.0.0.1:8001;', `${new URL(upstream).host};`]]),
  ]);
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
