import type { CaseApi, RequestOptions } from '../case-api.ts';
import { contractArea } from '../contract-case.ts';

/** PartialObjectMetadata: every verb sends it to a client that asks for metadata only. */
export const metadataOnly = contractArea('metadata-only', [
  {
    title: 'one object as its metadata',
    async run(api) {
      await api.quietly.post(secrets(api), { metadata: { name: 'a', labels: { x: 'y' } }, data: { k: 'dg==' } });
      await api.get(`${secrets(api)}/a`, one);
      await api.get(`${secrets(api)}/missing`, one);
    },
  },
  {
    title: 'a list as the metadata of its objects, with selectors and pages',
    async run(api) {
      for (const name of ['a', 'b', 'c'])
        await api.quietly.post(secrets(api), { metadata: { name, labels: { x: name } } });
      await api.get(secrets(api), list);
      await api.get(secrets(api), { ...list, query: { labelSelector: 'x in (a,c)' } });
      await api.get(secrets(api), { ...list, query: { limit: '2' } });
    },
  },
  {
    title: 'a write answers with metadata',
    async run(api) {
      await api.post(secrets(api), { metadata: { name: 'a' }, data: { k: 'dg==' } }, one);
      await api.patch(`${secrets(api)}/a`, 'merge', { metadata: { labels: { x: 'y' } } }, one);
      await api.put(`${secrets(api)}/a`, { metadata: { name: 'a' } }, one);
    },
  },
  {
    title: 'a deletion answers with the Status, or with the metadata of what is held',
    async run(api) {
      await api.quietly.post(secrets(api), { metadata: { name: 'a' } });
      await api.delete(`${secrets(api)}/a`, one);
      await api.quietly.post(secrets(api), { metadata: { name: 'b', finalizers: ['example.com/hold'] } });
      await api.delete(`${secrets(api)}/b`, one);
      await api.quietly.patch(`${secrets(api)}/b`, 'merge', { metadata: { finalizers: null } });
    },
  },
  {
    title: 'a collection that is deleted answers with the metadata of its objects',
    async run(api) {
      for (const name of ['a', 'b']) await api.quietly.post(secrets(api), { metadata: { name } });
      await api.delete(secrets(api), list);
    },
  },
  {
    title: 'a watch tells metadata, and bookmarks in the same form',
    async run(api) {
      await api.quietly.post(secrets(api), { metadata: { name: 'a' } });
      const query = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' };
      const watch = await api.watch(secrets(api), { ...one, query });
      await watch.until(2);
      await api.quietly.delete(`${secrets(api)}/a`);
      await watch.until(3);
      await watch.close();
    },
  },
  {
    title: 'a subresource has metadata too',
    async run(api) {
      await api.quietly.post(`/apis/apps/v1/namespaces/${api.namespace}/replicasets`, {
        metadata: { name: 'r' },
        spec: {
          replicas: 0,
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } },
        },
      });
      const path = `/apis/apps/v1/namespaces/${api.namespace}/replicasets/r`;
      const { status, body } = await api.quietly.get(`${path}/status`, one);
      api.note('status', { status, kind: body.kind, apiVersion: body.apiVersion, keys: Object.keys(body).toSorted() });
    },
  },
]);

const secrets = ({ namespace }: CaseApi) => `/api/v1/namespaces/${namespace}/secrets`;
const accept = (as: string): RequestOptions => ({
  headers: { accept: `application/json;as=${as};v=v1;g=meta.k8s.io,application/json` },
});
const one = accept('PartialObjectMetadata');
const list = accept('PartialObjectMetadataList');
