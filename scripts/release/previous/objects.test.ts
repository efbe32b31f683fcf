import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as api from '@isthmus/api';
import type { KubernetesObject, ResourceType } from '@isthmus/machinery';
import { keyOfObject, parseYaml } from '@isthmus/machinery';
import type { VirtualCluster, VirtualFleet } from '@isthmus/fleet-sim';
import { createVirtualFleet } from '@isthmus/fleet-sim';
import { describe, expect, it } from 'vitest';
import { clusters, exported, recordedKinds } from './fleet.ts';

const members = ['east', 'west'] as const;

function recorded(cluster: string): readonly KubernetesObject[] {
  const path = fileURLToPath(new URL(`fixtures/objects/${cluster}.yaml`, import.meta.url));
  return parseYaml(readFileSync(path, 'utf8'), { source: path }).map(({ value }) => value as KubernetesObject);
}

/** The kind in the version that the object is in: a later release may store another one. */
function typeOf({ kind = '', apiVersion = '' }: KubernetesObject): ResourceType {
  const found = (api as unknown as Readonly<Record<string, ResourceType | undefined>>)[kind];
  if (found === undefined) throw new Error(`${kind} is no kind that Isthmus knows`);
  return { ...found, version: apiVersion.split('/').at(-1) ?? '' };
}

/** The parts of an import that a connection notices; undefined for other objects. */
function stateOf(object: KubernetesObject): string | undefined {
  const { kind, metadata } = object;
  const { labels = {}, name, uid } = metadata;
  const isImported =
    kind === 'ServiceImport' ||
    (kind === 'Service' && name.startsWith('antrea-mc-')) ||
    (kind === 'EndpointSlice' && labels[api.Label.mcsServiceName] !== undefined);
  if (!isImported) return undefined;
  const { spec, endpoints, ports } = object as {
    readonly spec?: {
      readonly clusterIP?: unknown;
      readonly clusterIPs?: unknown;
      readonly ips?: unknown;
      readonly ports?: unknown;
    };
    readonly endpoints?: readonly { readonly addresses: readonly string[]; readonly conditions?: unknown }[];
    readonly ports?: unknown;
  };
  const { clusterIP, clusterIPs, ips } = spec ?? {};
  const served = endpoints?.map(({ addresses, conditions }) => ({ addresses, conditions }));
  return JSON.stringify({ uid, clusterIP, clusterIPs, ips, ports: ports ?? spec?.ports, endpoints: served });
}

const watched: readonly ResourceType[] = [api.ServiceImport, api.Service, api.EndpointSlice];
const importsOf = ({ server }: VirtualCluster): ReadonlyMap<string, string> =>
  new Map(
    watched.flatMap((type) =>
      server.admin.list(type).flatMap((object) => {
        const state = stateOf({ ...object, kind: type.kind });
        return state === undefined ? [] : [[`${type.kind} ${keyOfObject(object)}`, state] as const];
      }),
    ),
  );

/** Every state of every object of the imports of the members from now on. */
function watchImports(fleet: VirtualFleet): () => Readonly<Record<string, readonly string[]>> {
  const states = new Map<string, string[]>();
  for (const name of members) {
    const cluster = fleet.cluster(name);
    const note = () => {
      const now = importsOf(cluster);
      const known = [...states.keys()].filter((key) => key.startsWith(`${name} `));
      for (const key of new Set([...known, ...[...now.keys()].map((key) => `${name} ${key}`)])) {
        const state = now.get(key.slice(name.length + 1)) ?? 'gone';
        const before = states.get(key) ?? [];
        if (before.at(-1) !== state) states.set(key, [...before, state]);
      }
    };
    note();
    cluster.server.admin.onChange(note);
  }
  return () => Object.fromEntries([...states].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * A fleet with the objects that the release before this one has left in its API servers; none of
 * its controllers runs. An API server assigns uids itself: objects refer to each other by those.
 */
async function fleetOfPrevious(): Promise<VirtualFleet> {
  const fleet = await createVirtualFleet({ clusters, endpointIPType: 'PodIP', join: false });
  const uids = new Map<string, string>();
  const assigned = (text: string) => text.replaceAll(uuid, (uid) => uids.get(uid) ?? uid);
  // Members first: the leader's announcements name the uids of their clusters. Owners come before
  // the objects that they own.
  for (const name of [...members, 'north'] as const)
    for (const object of recorded(name)) {
      const { admin } = fleet.cluster(name).server;
      const { metadata } = admin.put(typeOf(object), JSON.parse(assigned(JSON.stringify(object))) as KubernetesObject);
      uids.set(object.metadata.uid ?? '', metadata.uid ?? '');
    }
  await fleet.clock.settle();
  return fleet;
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

describe('what the previous release has left in API servers', () => {
  it('is recorded with Services that one cluster exports and that several do, imported by all members', () => {
    expect(recordedKinds).toContain('ResourceImport');
    for (const name of members) {
      const objects = recorded(name);
      const ofKind = (kind: string) =>
        objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
      expect(ofKind('ServiceImport')).toEqual(exported.map((one) => one.name));
      expect(ofKind('Service')).toEqual(expect.arrayContaining(exported.map((one) => `antrea-mc-${one.name}`)));
      const slices = objects.flatMap((object) => (object.kind === 'EndpointSlice' ? [stateOf(object) ?? ''] : []));
      expect(slices.filter((state) => /"addresses":\["10\.[12]0\.1\.\d"\]/.test(state))).toHaveLength(4);
      expect(objects.every(({ metadata }) => metadata.uid !== undefined)).toBe(true);
    }
  });

  it.each([
    ['the leader first, as the documentation says', ['north', 'east', 'west']],
    ['the members first', ['east', 'west', 'north']],
    ['all at once', ['north east west']],
  ])(
    'is taken over by the controllers of this one, %s: every import keeps its uid, ClusterIP and endpoints at every moment',
    async (_, order) => {
      await using fleet = await fleetOfPrevious();
      const states = watchImports(fleet);
      const before = states();
      expect(Object.keys(before).filter((key) => key.startsWith('east Service '))).toHaveLength(exported.length);
      for (const together of order) {
        for (const name of together.split(' ')) fleet.cluster(name).start();
        await fleet.clock.advance(30_000);
      }
      await fleet.clock.advance(120_000);
      expect(states()).toEqual(before);
      for (const name of members) {
        const [clusterSet] = fleet.cluster(name).server.admin.list(api.ClusterSet, 'kube-system');
        expect(clusterSet?.status?.conditions).toContainEqual(
          expect.objectContaining({ type: 'Ready', status: 'True' }),
        );
      }
    },
  );

  it('follows its exports under the controllers of this one: a changed endpoint arrives, and a withdrawn Service goes everywhere', async () => {
    await using fleet = await fleetOfPrevious();
    for (const { start } of fleet.clusters) start();
    await fleet.clock.advance(30_000);
    const { admin: west } = fleet.cluster('west').server;
    const pod = west.get(api.Pod, { namespace: 'shop', name: 'orders-1' }) ?? expect.fail('no Pod');
    const podIP = '10.20.7.7';
    west.put(api.Pod, { ...pod, status: { ...pod.status, podIP, podIPs: [{ ip: podIP }] } });
    const east = fleet.cluster('east');
    const endpoints = () =>
      [...importsOf(east)].filter(([key]) => key.startsWith('EndpointSlice ')).map(([, state]) => state);
    await fleet.until('the changed endpoint is in east', () => endpoints().some((state) => state.includes(podIP)));
    west.delete(api.ServiceExport, { namespace: 'shop', name: 'orders' });
    await fleet.until(
      'the withdrawn Service is gone in all clusters',
      () => members.every((name) => ![...importsOf(fleet.cluster(name)).keys()].some((key) => /\borders\b/.test(key))),
      300_000,
    );
  });
});
