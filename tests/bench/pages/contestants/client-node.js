// `@kubernetes/client-node`: its ListWatch, its Watch and its generated API client, which lists page by page. It is
// configured like a KubeConfig without credentials.
import { ListWatch } from '@kubernetes/client-node/dist/cache.js';
import { ObjectCoreV1Api } from '@kubernetes/client-node/dist/gen/types/ObjectParamAPI.js';
import { createConfiguration } from '@kubernetes/client-node/dist/gen/configuration.js';
import { ServerConfiguration } from '@kubernetes/client-node/dist/gen/servers.js';
import { Watch } from '@kubernetes/client-node/dist/watch.js';

export async function create() {
  const server = location.origin;
  const config = { getCurrentCluster: () => ({ server }), applySecurityAuthentication: async () => {} };
  const api = new ObjectCoreV1Api(createConfiguration({ baseServer: new ServerConfiguration(server, {}) }));
  let informer;
  let failure;

  /** The list function is the user's: in pages, with the same requests as all contestants. */
  async function list() {
    const items = [];
    let _continue;
    let page;
    do {
      page = await api.listPodForAllNamespaces({ limit: 500, pretty: 'false', _continue });
      items.push(...page.items);
      _continue = page.metadata._continue;
    } while (_continue);
    return { ...page, items };
  }

  return {
    async sync() {
      failure = undefined;
      informer = new ListWatch('/api/v1/pods', new Watch(config), list, false);
      informer.on('error', (error) => (failure = error));
      // Resolves with the response to the watch, one request later than the others: a millisecond here.
      await informer.start();
      if (failure) throw failure;
    },

    size: () => ({ objects: informer.list().length }),

    async until(key) {
      const [namespace, name] = key.split('/');
      while (!informer.get(name, namespace)) await new Promise((resolve) => setTimeout(resolve));
    },

    resourceVersion: () => informer.latestResourceVersion(),

    async stop() {
      await informer?.stop();
      informer = undefined;
    },
  };
}
