import { ConfigMap } from '@isthmus/api';
import { createClient, isConflict, metadataOf, systemClock } from '@isthmus/kube';
import type { Client } from '@isthmus/kube';
import { adminTransport } from '@isthmus/testkit';
import type { Reached } from './reached.ts';

/** What our own client does; each returns what it saw. */
export const isthmusCalls: Readonly<Record<string, (server: Reached, namespace: string) => Promise<string>>> = {
  objects: (server, namespace) =>
    connected(server, async (client) => {
      const name = 'by-isthmus';
      const ref = { namespace, name };
      const metadata = { name, namespace };
      const seen: unknown[] = [];
      const created = await client.create(ConfigMap, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata,
        data: { a: '1' },
      });
      seen.push(created.data);
      seen.push((await client.update(ConfigMap, { ...created, data: { a: '2' } })).data);
      seen.push(await client.update(ConfigMap, { ...created, data: { a: '3' } }).catch(isConflict));
      for (const patch of [
        { type: 'merge', body: { data: { b: '1' } } },
        { type: 'json', body: [{ op: 'remove', path: '/data/a' }] },
        { type: 'strategic', body: { data: { c: '1' } } },
        { type: 'apply', body: { apiVersion: 'v1', kind: 'ConfigMap', data: { d: '1' } }, fieldManager: 'tools' },
      ] as const) {
        seen.push((await client.patch(ConfigMap, ref, patch)).data);
      }
      seen.push((await client.get(ConfigMap, ref)).data);
      seen.push((await client.list(ConfigMap, { namespace, limit: 1 })).items.map((item) => item.metadata.name));
      seen.push((await client.delete(ConfigMap, ref)) ?? 'gone');
      return seen.map((one) => JSON.stringify(one)).join('\n');
    }),
  watch: (server, namespace) =>
    connected(server, async (client) => {
      const { resourceVersion } = await client.list(ConfigMap, { namespace });
      const metadata = { name: 'watched', namespace };
      const seen: string[] = [];
      const watch = client.watch(ConfigMap, { namespace, resourceVersion, timeoutSeconds: 30, idleMs: 30_000 });
      await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
      await client.delete(ConfigMap, metadata);
      for await (const event of watch) {
        if (event.type === 'BOOKMARK') continue;
        seen.push(`${event.type} ${event.object.metadata.name}`);
        if (event.type === 'DELETED') break;
      }
      return seen.join('\n');
    }),
  metadata: (server, namespace) =>
    connected(server, async (client) => {
      const { items } = await client.list(metadataOf(ConfigMap), { namespace });
      return items.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join('\n');
    }),
};

async function connected(server: Reached, work: (client: Client) => Promise<string>): Promise<string> {
  const client = createClient({
    transport: adminTransport({ url: server.url, caData: server.caData, admin: server }, 'isthmus-tools/1'),
    clock: systemClock(),
  });
  try {
    return await work(client);
  } finally {
    client.close();
  }
}
