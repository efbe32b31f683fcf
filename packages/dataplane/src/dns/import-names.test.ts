import { EndpointSlice, Namespace, ServiceImport } from '@isthmus/api';
import { createClient, memoryLog, noMetrics, systemClock, systemRandom } from '@isthmus/kube';
import { createSandbox } from '@isthmus/sandbox';
import { seededRandom } from '@isthmus/machinery';
import { clusterAdmin, createVirtualClock, definitions } from '@isthmus/fleet-sim';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createImportNames } from './import-names.ts';
import { respond } from './respond.ts';
import { queryFor, readResponse, types } from './testing/message.ts';

interface MadeUpImport {
  readonly name: string;
  readonly namespace: string;
  readonly isHeadless: boolean;
  /** Cluster, number, host name, ready. Each publishes port `http`. */
  readonly endpoints: readonly (readonly [string, number, string | undefined, boolean])[];
}

const anImport = fc.record({
  name: fc.constantFrom('cart', 'db', 'web'),
  namespace: fc.constantFrom('shop', 'bank'),
  isHeadless: fc.boolean(),
  endpoints: fc.uniqueArray(
    fc.tuple(fc.constantFrom('west', 'eu.west'), fc.nat(9), fc.constantFrom('db-0', 'db-1', undefined), fc.boolean()),
    { maxLength: 5, selector: ([cluster, number]) => `${cluster} ${number}` },
  ),
});
const someImports = fc.uniqueArray(anImport, {
  maxLength: 4,
  selector: ({ name, namespace }) => `${namespace}/${name}`,
});

const addressOf = (cluster: string, number: number) => `10.${cluster === 'west' ? 20 : 30}.0.${number}`;
const zone = 'clusterset.local';

/**
 * The specification as code: the addresses, or the targets, of a name; undefined: it does not
 * exist.
 */
function expected(imports: readonly MadeUpImport[], name: string, type: 'A' | 'SRV'): readonly string[] | undefined {
  for (const { name: service, namespace, isHeadless, endpoints } of imports) {
    const own = `${service}.${namespace}.svc.${zone}`;
    const ready = endpoints.filter(([, , , isReady]) => isReady);
    const host = ([cluster, number, hostname]: (typeof endpoints)[number]) =>
      `${hostname ?? addressOf(cluster, number).replaceAll('.', '-')}.${cluster}.${own}`;
    if (name === own || name === `_http._tcp.${own}`) {
      if (isHeadless && ready.length === 0) return undefined;
      const targets = isHeadless ? [...new Set(ready.map((one) => `80 ${host(one)}`))] : [`80 ${own}`];
      if (type === 'SRV') return targets;
      if (name !== own) return [];
      return isHeadless ? ready.map(([cluster, number]) => addressOf(cluster, number)) : ['10.99.0.1'];
    }
    const hosts = isHeadless ? ready.filter((one) => host(one) === name) : [];
    if (hosts.length > 0) return type === 'A' ? hosts.map(([cluster, number]) => addressOf(cluster, number)) : [];
    // A name exists if names are below it, and has no records (RFC 8020).
    const below = [
      ...(isHeadless && ready.length === 0 ? [] : [`_http._tcp.${own}`]),
      ...(isHeadless ? ready.map(host) : []),
    ];
    if (name.endsWith(`.${own}`) && below.some((one) => one.endsWith(`.${name}`))) return [];
  }
  return undefined;
}

const names = ['shop', 'bank'].flatMap((namespace) =>
  ['cart', 'db', 'web', 'none'].flatMap((service) => {
    const own = `${service}.${namespace}.svc.${zone}`;
    const hosts = ['db-0.west', 'db-1.eu.west', '10-20-0-1', '10-20-0-1.west', '10-30-0-2.eu.west', 'west', 'eu.west'];
    return [own, `_tcp.${own}`, `_http._tcp.${own}`, `_sql._tcp.${own}`, ...hosts.map((host) => `${host}.${own}`)];
  }),
);

test('answers equal the specification for random imports, after each change of them', async () => {
  const clock = systemClock();
  const server = createSandbox({ name: 'east', clock, image: await definitions.ours() });
  const transport = server.transport(clusterAdmin);
  const world = { clock, random: systemRandom(), log: memoryLog(), metrics: noMetrics };
  const client = createClient({ transport, clock, server: 'the API server' });
  for (const name of ['shop', 'bank']) server.admin.put(Namespace, { metadata: { name } });
  const stop = new AbortController();
  const importNames = createImportNames({ client, zoneName: zone, world });
  const running = importNames.run(stop.signal);
  const asked = (name: string, type: 'A' | 'SRV') => {
    const { message } = respond(queryFor(name, { id: 0, type: types[type] }), 'tcp', importNames.served());
    const { rcode, answers } = readResponse(message ?? new Uint8Array());
    return rcode === 3 ? undefined : answers.map(({ data }) => data.replace(/^\d+ \d+ /, '')).toSorted();
  };
  const mismatch = (imports: readonly MadeUpImport[]) =>
    names.find((name) =>
      (['A', 'SRV'] as const).some(
        (type) => JSON.stringify(asked(name, type)) !== JSON.stringify(expected(imports, name, type)?.toSorted()),
      ),
    );
  let before: readonly MadeUpImport[] = [];
  await fc.assert(
    fc.asyncProperty(someImports, async (imports) => {
      for (const { namespace, name, endpoints } of before) {
        server.admin.remove(ServiceImport, { namespace, name });
        for (const [cluster, number] of endpoints)
          server.admin.remove(EndpointSlice, { namespace, name: `${name}-${cluster}-${number}` });
      }
      for (const one of imports) {
        server.admin.put(ServiceImport, serviceImport(one));
        for (const endpoint of one.endpoints) server.admin.put(EndpointSlice, slice(one, endpoint));
      }
      before = imports;
      // The watch delivers the changes. A difference that remains ends the test after its last try,
      // with the counterexample.
      for (let tries = 0; importNames.notReady().length > 0 || mismatch(imports) !== undefined; tries++) {
        if (tries > 2_000) expect(mismatch(imports)).toBe(undefined);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }),
    { numRuns: 40 },
  );
  // Objects that the last run removed and added again looked right before they were removed here.
  // Wait for later objects in both watches.
  const last = { namespace: 'shop', name: 'last' };
  server.admin.put(ServiceImport, serviceImport({ ...last, isHeadless: true, endpoints: [] }));
  server.admin.put(EndpointSlice, slice({ ...last, isHeadless: true, endpoints: [] }, ['west', 1, undefined, true]));
  while (asked(`last.shop.svc.${zone}`, 'A')?.length !== 1) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  await running;
  // Without its API server it answers from the objects that it read last.
  expect(mismatch(before)).toBe(undefined);
  client.close();
});

function serviceImport({ name, namespace, isHeadless }: MadeUpImport): ServiceImport {
  return {
    apiVersion: 'multicluster.x-k8s.io/v1alpha1',
    kind: 'ServiceImport',
    metadata: { name, namespace },
    spec: {
      type: isHeadless ? 'Headless' : 'ClusterSetIP',
      ...(!isHeadless && { ips: ['10.99.0.1'] }),
      ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    },
  };
}

function slice(
  { name, namespace }: MadeUpImport,
  [cluster, number, hostname, ready]: MadeUpImport['endpoints'][number],
): EndpointSlice {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-${cluster}-${number}`,
      namespace,
      labels: { 'multicluster.kubernetes.io/service-name': name, 'multicluster.kubernetes.io/source-cluster': cluster },
    },
    addressType: 'IPv4',
    endpoints: [
      { addresses: [addressOf(cluster, number)], conditions: { ready }, ...(hostname !== undefined && { hostname }) },
    ],
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
  };
}

test.each([
  [
    'whose kind is not installed',
    'admin',
    /^serviceImports are not read yet: .*404.*\. Install the kind: apply deploy\/member-crds\.yaml/,
  ],
  [
    'that may not be read',
    'nobody',
    /^serviceImports are not read yet: .*forbidden.*\. Give the DNS server its permissions, .*apply deploy\/dns\.yaml/,
  ],
])('of imports %s, it is reported why they are not read, and what to do', async (_, who, expected) => {
  const clock = createVirtualClock({ startMs: 0 });
  const server = createSandbox({ name: 'east', clock, ...(who === 'nobody' && { image: await definitions.ours() }) });
  const caller = who === 'admin' ? clusterAdmin : ({ kind: 'user', user: { username: who, groups: [] } } as const);
  const client = createClient({ transport: server.transport(caller), clock, server: 'the API server' });
  const world = { clock, random: seededRandom(1), log: memoryLog(), metrics: noMetrics };
  const stop = new AbortController();
  const importNames = createImportNames({ client, zoneName: zone, world });
  const running = importNames.run(stop.signal);
  await clock.advance(10_000);
  expect(importNames.notReady()[0]).toMatch(expected);
  stop.abort(new Error('over'));
  await clock.advance(10_000);
  await running;
});
