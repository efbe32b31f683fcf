import type { CaseApi } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/**
 * Watches: which events they send, in which order, from which resourceVersion, and when they end.
 */
export const watches = contractArea('watches', [
  {
    title: 'a watch from a resourceVersion tells what came after it',
    async run(api) {
      const from = await versionOf(api);
      const watch = await api.watch(secrets(api), { query: { resourceVersion: from } });
      await api.quietly.post(secrets(api), { metadata: { name: 'a' } });
      await api.quietly.patch(`${secrets(api)}/a`, 'merge', { metadata: { labels: { x: 'y' } } });
      await api.quietly.delete(`${secrets(api)}/a`);
      await watch.until(3);
      await watch.close();
    },
  },
  {
    title: 'a watch without a resourceVersion begins with what is there',
    async run(api) {
      await api.quietly.post(secrets(api), { metadata: { name: 'b' } });
      await api.quietly.post(secrets(api), { metadata: { name: 'a' } });
      for (const query of [{}, { resourceVersion: '0' }]) {
        const watch = await api.watch(secrets(api), { query });
        await watch.until(2);
        await watch.close();
      }
    },
  },
  {
    title: 'a watch of a past moment replays what was written since',
    async run(api) {
      const from = await versionOf(api);
      await api.quietly.post(secrets(api), { metadata: { name: 'a' } });
      await api.quietly.patch(`${secrets(api)}/a`, 'merge', { metadata: { labels: { x: 'y' } } });
      const watch = await api.watch(secrets(api), { query: { resourceVersion: from } });
      await watch.until(2);
      await watch.close();
    },
  },
  {
    title: 'with a label selector objects come into view and leave it',
    async run(api) {
      const from = await versionOf(api);
      const watch = await api.watch(secrets(api), { query: { resourceVersion: from, labelSelector: 'x=y' } });
      await api.quietly.post(secrets(api), { metadata: { name: 'a' } });
      await api.quietly.patch(`${secrets(api)}/a`, 'merge', { metadata: { labels: { x: 'y' } } });
      await api.quietly.patch(`${secrets(api)}/a`, 'merge', { metadata: { labels: { z: '1' } } });
      await api.quietly.patch(`${secrets(api)}/a`, 'merge', { metadata: { labels: { x: 'n' } } });
      await api.quietly.delete(`${secrets(api)}/a`);
      await watch.until(3);
      await watch.close();
    },
  },
  {
    title: 'a watch of one name tells nothing of others',
    async run(api) {
      const from = await versionOf(api);
      const query = { resourceVersion: from, fieldSelector: 'metadata.name=a' };
      const watch = await api.watch(secrets(api), { query });
      await api.quietly.post(secrets(api), { metadata: { name: 'b' } });
      await api.quietly.post(secrets(api), { metadata: { name: 'a' } });
      await watch.until(1);
      await watch.close();
    },
  },
  {
    title: 'an update that changes nothing is not told',
    async run(api) {
      await api.quietly.post(secrets(api), { metadata: { name: 'a', labels: { x: 'y' } } });
      const from = await versionOf(api);
      const watch = await api.watch(secrets(api), { query: { resourceVersion: from } });
      await api.patch(`${secrets(api)}/a`, 'merge', { metadata: { labels: { x: 'y' } } });
      await api.quietly.post(secrets(api), { metadata: { name: 'b' } });
      await watch.until(1);
      await watch.close();
    },
  },
  {
    title: 'a finalizer makes a deletion a modification first',
    async run(api) {
      await api.quietly.post(secrets(api), { metadata: { name: 'a', finalizers: ['example.com/hold'] } });
      const from = await versionOf(api);
      const watch = await api.watch(secrets(api), { query: { resourceVersion: from } });
      await api.quietly.delete(`${secrets(api)}/a`);
      await api.quietly.patch(`${secrets(api)}/a`, 'merge', { metadata: { finalizers: null } });
      await watch.until(2);
      await watch.close();
    },
  },
  {
    title: 'sendInitialEvents tells the present state and then a bookmark that says so',
    async run(api) {
      await api.quietly.post(secrets(api), { metadata: { name: 'a' } });
      await api.quietly.post(secrets(api), { metadata: { name: 'b' } });
      const query = {
        sendInitialEvents: 'true',
        resourceVersionMatch: 'NotOlderThan',
        allowWatchBookmarks: 'true',
      };
      const watch = await api.watch(secrets(api), { query });
      await watch.until(3);
      await api.quietly.post(secrets(api), { metadata: { name: 'c' } });
      await watch.until(4);
      await watch.close();
    },
  },
  {
    title: 'sendInitialEvents false begins in the present',
    async run(api) {
      await api.quietly.post(secrets(api), { metadata: { name: 'a' } });
      const query = { sendInitialEvents: 'false', resourceVersionMatch: 'NotOlderThan' };
      const watch = await api.watch(secrets(api), { query });
      await api.quietly.post(secrets(api), { metadata: { name: 'b' } });
      await watch.until(1);
      await watch.close();
    },
  },
  {
    title: 'the options of a watch are refused where they do not fit together',
    async run(api) {
      const ask = (query: Readonly<Record<string, string>>) =>
        api.get(secrets(api), { query: { watch: 'true', ...query } });
      await ask({ sendInitialEvents: 'true' });
      await ask({ resourceVersionMatch: 'NotOlderThan' });
      await ask({ sendInitialEvents: 'true', resourceVersionMatch: 'Exact', resourceVersion: '1' });
      await ask({ resourceVersion: 'x' });
      await ask({ timeoutSeconds: 'x' });
    },
  },
  {
    title: 'a watch ends after timeoutSeconds',
    async run(api) {
      await api.quietly.post(secrets(api), { metadata: { name: 'a' } });
      const watch = await api.watch(secrets(api), { query: { timeoutSeconds: '1' } });
      await watch.ended();
      await watch.close();
    },
  },
  {
    title: 'watch=1 is a watch, watch=false is a list',
    async run(api) {
      await api.quietly.post(secrets(api), { metadata: { name: 'a' } });
      await api.get(secrets(api), { query: { watch: '1', timeoutSeconds: '1' } });
      await api.get(secrets(api), { query: { watch: 'false' } });
      await api.get(secrets(api), { query: { watch: '0' } });
    },
  },
  {
    title: 'a watch across Namespaces tells of all of them',
    async run(api) {
      const { body } = await api.quietly.get('/api/v1/secrets', { query: { limit: '1' } });
      const query = { resourceVersion: body.metadata.resourceVersion, labelSelector: `run=${api.namespace}` };
      const watch = await api.watch('/api/v1/secrets', { query });
      await api.quietly.post(secrets(api), { metadata: { name: 'a', labels: { run: api.namespace } } });
      await watch.until(1);
      await watch.close();
    },
  },
  {
    title: 'a watch of PartialObjectMetadata tells metadata alone',
    async run(api) {
      await api.quietly.post(secrets(api), { metadata: { name: 'a' }, stringData: { k: 'v' } });
      const headers = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
      const watch = await api.watch(secrets(api), { headers });
      await watch.until(1);
      await watch.close();
    },
  },
  {
    title: 'a watch of Tables tells the columns once',
    async run(api) {
      await api.quietly.post(secrets(api), { metadata: { name: 'a' } });
      const headers = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
      const watch = await api.watch(secrets(api), { headers });
      await watch.until(1);
      await api.quietly.post(secrets(api), { metadata: { name: 'b' } });
      await watch.until(2);
      await watch.close();
    },
  },
  {
    title: 'a watch from the future is refused',
    async run(api) {
      const watch = await api.watch(secrets(api), { query: { resourceVersion: '99999999999', timeoutSeconds: '5' } });
      await watch.ended();
      await watch.close();
    },
  },
]);

const secrets = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/secrets`;

async function versionOf(api: CaseApi): Promise<string> {
  const { body } = await api.quietly.get(secrets(api));
  return body.metadata.resourceVersion;
}
