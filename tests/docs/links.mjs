// Links of a built site: internal ones, and their anchors.
import { posix } from 'node:path';

const decode = (text) => decodeURIComponent(text.replaceAll('&amp;', '&'));

/**
 * Returns the internal links that lead nowhere, as `page: link`.
 *
 * @param pages HTML by path below the root
 * @param exists whether another file of the site exists
 */
export function deadLinks(pages, exists) {
  const anchors = new Map([...pages].map(([path, html]) => [path, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => decode(id)))]));
  const dead = new Set();
  for (const [path, html] of pages) {
    for (const [, link] of html.matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)) {
      if (/^[a-z][a-z+.-]*:|^\/\//i.test(link)) {
        if (link.startsWith('api:')) dead.add(`${path}: ${link}`);
        continue;
      }
      const [file, anchor] = decode(link).split('#');
      const to = resolve(path, file);
      const page = [to, `${to}.html`, posix.join(to, 'index.html')].find((name) => pages.has(name));
      if (!page ? !exists(to) : anchor && !anchors.get(page).has(anchor)) dead.add(`${path}: ${link}`);
    }
  }
  return [...dead];
}

function resolve(path, file) {
  if (!file) return path;
  const to = file.startsWith('/') ? file.slice(1) : posix.join(posix.dirname(path), file);
  return to === '' || to.endsWith('/') ? `${to}index.html` : to;
}
