// Configuration of the documentation site.
import { defineConfig } from 'vitepress';
import { apiLinks, referencePages } from './reference.mjs';

const guide = [
  ['Getting started', 'start'],
  ['Concepts', 'concepts'],
  ['Cookbook', 'cookbook'],
  ['React', 'react'],
  ['Errors', 'errors'],
  ['Limits', 'limits'],
  ['Performance', 'performance'],
  ['Migration', 'migration'],
  ['Comparison', 'comparison'],
].map(([text, page]) => ({ text, link: `/guide/${page}` }));

export default defineConfig({
  title: 'kube-informer',
  description: "client-go's shared informers in the browser: list, watch and cache Kubernetes resources in a worker.",
  lang: 'en-GB',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcExclude: ['node_modules/**'],
  markdown: { config: apiLinks },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    externalLinkIcon: true,
    nav: [
      { text: 'Guide', link: '/guide/start', activeMatch: '^/guide/' },
      { text: 'API', link: '/reference/', activeMatch: '^/reference/' },
    ],
    sidebar: [
      { text: 'Guide', items: guide },
      { text: 'API reference', items: referencePages().map(({ title, groups }) => ({ text: title, collapsed: true, items: groups })) },
    ],
  },
});
