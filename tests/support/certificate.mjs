// Self-signed certificate of 127.0.0.1, for servers that speak HTTPS: nginx, webhooks, aggregated APIs.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './processes.mjs';

/** Writes a key and its certificate into a folder. Resolves to `{ key, cert }`, their paths. */
export async function writeCertificate(folder) {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']);
  return { key, cert };
}

/** Resolves to `{ key, cert }`, their PEM texts, as `https.createServer` takes them. */
export async function createCertificate() {
  const folder = await mkdtemp(join(tmpdir(), 'kube-informer-certificate-'));
  try {
    const { key, cert } = await writeCertificate(folder);
    return { key: await readFile(key), cert: await readFile(cert) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
