// A stub kubelet on loopback: it serves the logs of pods, and nothing else.
//
//   node tests/kube/kubelet.mjs        prints "kubelet on port N" and serves until it is ended
//
// A real apiserver that is asked for a log dials the pod's node. The seeded nodes are nowhere, so all of them
// name this one as their kubelet. The apiserver accepts any certificate: its --kubelet-certificate-authority
// is not set.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate that lives as long as this process. */
function certificate() {
  const folder = mkdtempSync(join(tmpdir(), 'kube-informer-kubelet-'));
  try {
    const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '7', '-subj', '/CN=stub-kubelet', '-keyout', key, '-out', cert];
    execFileSync('openssl', args, { stdio: 'ignore' });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const start = Date.now();
const words = ['listening on :8080', 'GET /healthz 200 1ms', 'cache refreshed', 'GET /api/v1/items 200 12ms', 'flushed 128 spans'];
/** The line that a container writes at its nth second; the last 200 before the start are there already. */
const line = (number, pod, stamped) => {
  const time = new Date(start + (number - 200) * 1000).toISOString();
  return `${stamped ? `${time.replace('Z', '000000Z')} ` : ''}level=info pod=${pod} n=${number} msg="${words[number % words.length]}"\n`;
};

const server = createServer(certificate(), (request, response) => {
  const url = new URL(request.url, 'https://kubelet');
  const [, kind, namespace, pod, container] = url.pathname.split('/');
  if (kind !== 'containerLogs' || !container) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
    return;
  }
  const flag = (name) => ['true', '1'].includes(url.searchParams.get(name));
  const newest = () => 200 + Math.floor((Date.now() - start) / 1000);
  const tail = url.searchParams.get('tailLines');
  let next = tail === null ? 0 : Math.max(0, newest() - Number(tail));
  const tell = () => {
    for (; next < newest(); next++) response.write(line(next, `${namespace}/${pod}`, flag('timestamps')));
  };
  response.writeHead(200, { 'content-type': 'text/plain' });
  tell();
  if (!flag('follow')) {
    response.end();
    return;
  }
  // So that a log without requests for old lines has its headers.
  response.flushHeaders();
  const timer = setInterval(tell, 500);
  response.on('close', () => clearInterval(timer));
});
server.listen(0, '127.0.0.1', () => console.log(`kubelet on port ${server.address().port}`));
