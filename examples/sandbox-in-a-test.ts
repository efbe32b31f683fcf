/**
 * A Kubernetes API server for tests, in the process of the test: no Docker, no binaries, no
 * cluster. Any client can use it, over HTTPS and with a token; here it is the client of
 * `@isthmus/kube`. Run it: `npx node examples/sandbox-in-a-test.ts`.
 */
import { setTimeout } from 'node:timers/promises';
import { ConfigMap, Deployment, Namespace, Pod } from '@isthmus/api';
import { createClient, httpsTransport, isInvalid, staticToken, systemClock } from '@isthmus/kube';
import { createAuthority, serveHttps, startSandboxCluster } from '@isthmus/sandbox';

const token = 'of-the-test';
const authority = await createAuthority('example');
const cluster = startSandboxCluster({
  name: 'example',
  clock: systemClock(),
  caData: authority.caData,
  tokens: { [token]: { username: 'test', groups: ['system:masters'] } },
});
await using server = await serveHttps(cluster.sandbox, { authority });
await cluster.ready();

const client = createClient({
  clock: systemClock(),
  server: 'example',
  transport: httpsTransport({
    server: server.url,
    caPem: server.caData,
    credentials: staticToken(token),
    userAgent: 'example',
  }),
});

// Objects are defaulted, validated and stored as a real API server does it.
await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
const wrong = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Not a name', namespace: 'shop' } } as const;
const rejection = await client.create(ConfigMap, wrong).catch((error: unknown) => error);
console.log(isInvalid(rejection)); // true

// Controllers run: a Deployment has Pods, and they become ready on a simulated Node.
await client.create(Deployment, {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'cart', namespace: 'shop' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'cart' } },
    template: { metadata: { labels: { app: 'cart' } }, spec: { containers: [{ name: 'cart', image: 'cart:1' }] } },
  },
});
const ready = async () => {
  const { items } = await client.list(Pod, { namespace: 'shop' });
  return items.filter(({ status }) => status?.phase === 'Running').length;
};
while ((await ready()) < 2) await setTimeout(50);
console.log(await ready(), 'Pods are running'); // 2 Pods are running

await cluster.stop();
